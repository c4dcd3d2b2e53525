package vcp_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vcp.core/fuzz/shared"
)

// later are the reported faults of fault-kinds.json whose place is not built yet. Every other one has a test
// that names it, and so have the parts of these that are there already.
var later = map[string]string{
	"K02": "mounted MCP servers",
	"K07": "callbacks: placeholders in a conversation",
	"K08": "mounted MCP servers",
	"K17": "mounted MCP servers, and ports of commands without an output schema",
	"K23": "what the MCP door serves; the compiler takes both dialects",
	"K24": "mounted MCP servers; the compiler takes both dialects",
	"K27": "mounted MCP servers",
	"K29": "the MCP door",
	"K36": "tasks in a store",
	"K37": "tasks in a store",
	"K39": "adapters of models",
	"K40": "the channel to AG-UI",
	"K52": "mounted MCP servers",
	"K53": "mounted MCP servers",
}

// A reported fault is either tested by its id, or of something that is to come.
func TestReportedFaultsAreTested(t *testing.T) {
	src, err := os.ReadFile(shared.Path(t, "cases", "fault-kinds.json"))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []struct{ ID string }
	if err := json.Unmarshal(src, &kinds); err != nil {
		t.Fatal(err)
	}
	where := map[string][]string{}
	id := regexp.MustCompile(`\bK\d\d\b`)
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") || name == "faults_test.go" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, k := range id.FindAllString(string(text), -1) {
			where[k] = append(where[k], name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, k := range kinds {
		listed[k.ID] = true
		if later[k.ID] == "" && where[k.ID] == nil {
			t.Errorf("no test names %s", k.ID)
		}
	}
	for k, names := range where {
		if !listed[k] {
			t.Errorf("%s is tested in %v and not in the list", k, names)
		}
	}
	for k := range later {
		if !listed[k] {
			t.Errorf("%s is not in the list", k)
		}
	}
}
