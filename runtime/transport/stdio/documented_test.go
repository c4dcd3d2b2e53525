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
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport/stdio"
)

// The program in docs/plugins.md works as it stands there.
func TestDocumentedPlugin(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skipf("the documented plugin needs Python: %v", err)
	}
	page, err := os.ReadFile(filepath.Join(shared.Root(t), "docs", "plugins.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, source, _ := strings.Cut(string(page), "```python\n")
	source, _, found := strings.Cut(source, "```\n")
	if !found {
		t.Fatal("the page has no Python")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "reverse.py"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := &call.Spec{Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read, Input: accepting{}, Output: accepting{}, ErrorCodes: []string{"REVERSE.EMPTY"}}
	r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Use("stdio", stdio.New(
		map[string]stdio.Program{tool: {Dir: dir, Argv: []string{"python3", "reverse.py"}}}, stdio.Environment(os.Environ()))))
	for _, tt := range []struct{ arguments, data, code string }{
		{`{"text":"añ世"}`, `{"text": "世ña"}`, ""}, {`{"text":""}`, "null", "REVERSE.EMPTY"},
	} {
		s := r.Execute(t.Context(), call.Call{Tool: tool, Command: "Run", Arguments: []byte(tt.arguments)}).(*result.Sealed)
		if got := strings.ReplaceAll(s.Member(result.Data), `":"`, `": "`); got != tt.data || s.Code() != tt.code {
			t.Errorf("%s: %s", tt.arguments, s)
		}
	}
}
