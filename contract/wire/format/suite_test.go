package format

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"vcp.core/fuzz/shared"
)

// TestOfficialSuite runs the format files of the official suite. Every case counts: there is no list of
// exceptions. What is no format (unknown.json) accepts everything.
func TestOfficialSuite(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite", "tests")
	for _, draft := range []string{"draft2020-12", "draft2019-09", "draft7"} {
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
	total, right := 0, 0
	for _, g := range groups {
		check, ok := Lookup(g.Schema.Format)
		if !ok {
			check = func([]byte) bool { return true }
		}
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
	t.Logf("%s %-28s %d of %d", draft, filepath.Base(file), right, total)
}
