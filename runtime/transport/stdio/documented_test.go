//go:build unix

package stdio_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/fuzz/shared"
	"vcp.core/runtime"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport/stdio"
)

// The program in docs/plugins.md works as it stands there, also with the file that the page adds to it.
func TestDocumentedPlugin(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skipf("the documented plugin needs Python: %v", err)
	}
	page, err := os.ReadFile(filepath.Join(shared.Root(t), "docs", "plugins.md"))
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, part := range strings.Split(string(page), "```python\n")[1:] {
		source, _, _ := strings.Cut(part, "```\n")
		sources = append(sources, source)
	}
	if len(sources) != 2 {
		t.Fatalf("the page has %d programs in Python, want 2", len(sources))
	}
	const last = "send(\"tool-result\", answer)\n"
	begin, whole := strings.CutSuffix(sources[0], last)
	if !whole {
		t.Fatalf("the program does not end with %q", last)
	}
	for _, tt := range []struct{ source, arguments, data, code string }{
		{sources[0], `{"text":"añ世"}`, `{"text": "世ña"}`, ""},
		{sources[0], `{"text":""}`, "null", "REVERSE.EMPTY"},
		{begin + "import os\n" + sources[1] + last, `{"text":"abc"}`, `{"file": {"$resource": "`, ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "reverse.py"), []byte(tt.source), 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := disk.New(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		spec := &call.Spec{Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read, Input: accepting{}, Output: accepting{}, ErrorCodes: []string{"REVERSE.EMPTY"}}
		r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.DataDir(t.TempDir()), runtime.Resources(store), runtime.Use("stdio", opened(
			map[string]stdio.Program{tool: {Dir: dir, Argv: []string{"python3", "reverse.py"}}}, stdio.Environment(os.Environ()))))
		s := r.Execute(t.Context(), call.Call{Tool: tool, Command: "Run", Arguments: []byte(tt.arguments)}).(*result.Sealed)
		if got := strings.ReplaceAll(s.Member(result.Data), `":`, `": `); !strings.HasPrefix(got, tt.data) || s.Code() != tt.code {
			t.Errorf("%s: %s", tt.arguments, s)
		}
		if kept := strings.Contains(s.Member(result.Resources), `"sha256":"6d970874d0db767a7058798973f22cf6589601edab57996312f2ef7b56e5584d"`); kept != strings.Contains(tt.data, "file") {
			t.Errorf("%s: the resources are %s", tt.arguments, s.Member(result.Resources))
		}
	}
}
