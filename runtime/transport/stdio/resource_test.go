//go:build unix

package stdio_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/transporttest"
)

// A resource that a program makes with the sdk is published, and its file is gone after the call.
func TestResourceIsPublished(t *testing.T) {
	data := t.TempDir()
	store, err := disk.New(filepath.Join(data, "store"))
	if err != nil {
		t.Fatal(err)
	}
	spec := &call.Spec{Tool: transporttest.Tool, Version: "1.0.0", Command: "File", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read, Input: accepting{}, Output: accepting{}}
	r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.DataDir(data), runtime.Resources(store),
		runtime.Use("stdio", opened(map[string]stdio.Program{transporttest.Tool: acting(t, "probe")})))
	s := r.Execute(t.Context(), call.Call{Tool: transporttest.Tool, Command: "File"}).(*result.Sealed)
	resources := s.Member(result.Resources)
	// The hash is that of the seven bytes "content".
	for _, want := range []string{`"fileName":"a.txt"`, `"sizeBytes":7`, `"sha256":"ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"`} {
		if !strings.Contains(resources, want) {
			t.Errorf("no %s in %s", want, s)
		}
	}
	if !strings.HasPrefix(s.Member(result.Data), `{"$resource":"res_`) || strings.Contains(s.String(), data) || strings.Contains(s.String(), "out/") {
		t.Errorf("%s", s)
	}
	left, err := os.ReadDir(filepath.Join(data, "plugins", transporttest.Tool, "out"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the plugin's folder: %v, %v", left, err)
	}
}
