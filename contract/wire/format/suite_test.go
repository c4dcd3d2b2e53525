package format

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"vcp.core/fuzz/shared"
)

// TestOfficialSuite runs the format files of the official suite for the formats on offer. Every case
// counts: there is no list of exceptions.
func TestOfficialSuite(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite", "tests")
	for _, draft := range []string{"draft2020-12", "draft7"} {
		files, err := filepath.Glob(filepath.Join(root, draft, "optional", "format", "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", draft, err)
		}
		for _, file := range files {
			runSuiteFile(t, draft, file)
		}
	}
}

func runSuiteFile(t *testing.T, draft, file string) {
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Schema struct{ Format string }
		Tests  []struct {
			Description string
			Data        any
			Valid       bool
		}
	}
	if err := json.Unmarshal(source, &groups); err != nil {
		t.Fatal(err)
	}
	offered, total, right, foreign := "", 0, 0, 0
	for _, g := range groups {
		check, ok := Lookup(g.Schema.Format)
		if !ok {
			foreign += len(g.Tests)
			continue
		}
		offered = g.Schema.Format
		for _, c := range g.Tests {
			total++
			s, isString := c.Data.(string)
			if got := !isString || check([]byte(s)); got != c.Valid {
				t.Errorf("%s %s: %s: %q: got %v", draft, filepath.Base(file), c.Description, c.Data, got)
				continue
			}
			right++
		}
	}
	if offered == "" {
		t.Logf("%s %-28s not offered (%d cases)", draft, filepath.Base(file), foreign)
		return
	}
	t.Logf("%s %-28s %d of %d", draft, filepath.Base(file), right, total)
}
