//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport/stdio"
)

// heir runs a plugin and prints its data.
func heir() {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	s := opened(map[string]stdio.Program{tool: {Argv: []string{self, role + "descriptors"}}})
	reply, err := s.Run(context.Background(), call.Invocation{Tool: tool, Arguments: []byte("{}"), Config: []byte("{}")}, time.Minute)
	if err != nil {
		panic(err)
	}
	_, data, _ := bytes.Cut(reply.Payload, []byte(`"data":`))
	data, _, _ = bytes.Cut(data, []byte(`,"resources"`))
	_, _ = os.Stdout.Write(data)
}

// A plugin sees its folder, the few variables that it needs, its own, and its data folder; nothing else of
// ours, whatever our environment holds.
func TestSurroundings(t *testing.T) {
	t.Setenv("API_KEY", "secret-1")
	dir, data := t.TempDir(), t.TempDir()
	p := acting(t, "surroundings")
	p.Dir, p.Env = dir, []string{"MODE=x=y", "LANG=de_DE.UTF-8"}
	environ := []string{"PATH=/usr/bin:/bin", "HOME=/h", "TMPDIR=/t", "API_KEY=secret-2", "PATHS=1", "VCP_KEY=2", "LC_ALL=fr_FR", "=::=", "junk"}
	bare := acting(t, "surroundings")
	bare.Env = nil
	s := opened(map[string]stdio.Program{tool: p, "Bare": bare}, stdio.Environment(environ))
	get := func(tool, data string) string {
		reply, err := s.Run(t.Context(), call.Invocation{Tool: tool, Arguments: []byte("{}"), Config: []byte("{}"), DataDir: data}, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(reply.Payload), `"data":[`)
		text, _, _ = strings.Cut(text, `]`)
		return text
	}
	temporary := "/t"
	if below() != nil {
		temporary = filepath.Join(data, "tmp") // in a sandbox
	}
	if got, want := get(tool, data), fmt.Sprintf(`"HOME=/h","LANG=de_DE.UTF-8","MODE=x=y","PATH=/usr/bin:/bin","TMPDIR=%s","VCP_PLUGIN_DATA=%s","%s"`, temporary, data, dir); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := get("Bare", ""); !strings.HasPrefix(got, `"HOME=/h","LANG=C.UTF-8","PATH=/usr/bin:/bin","TMPDIR=/t","`) || strings.Contains(got, "VCP_") {
		t.Errorf("got %s", got)
	}
	s = opened(map[string]stdio.Program{"Bare": bare})
	if got := get("Bare", ""); !strings.HasPrefix(got, `"LANG=C.UTF-8","PATH=/usr/local/bin:/usr/bin:/bin","/`) {
		t.Errorf("got %s", got)
	}
}

// Of our descriptors a plugin gets none but its three pipes.
func TestDescriptors(t *testing.T) {
	ours, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ours.Close() }()
	s := run(t, t.Context(), acting(t, "descriptors"), nil)
	if got := s.Member(result.Data); got != `"0 pipe, 1 pipe, 2 pipe"` {
		t.Errorf("the plugin has open %s", got)
	}
	// A runtime that inherited something itself.
	p := acting(t, "heir")
	heir := exec.Command(p.Argv[0], p.Argv[1:]...)
	heir.ExtraFiles = []*os.File{ours}
	if out, err := heir.Output(); err != nil || string(out) != `"0 pipe, 1 pipe, 2 pipe"` && goruntime.GOOS == "linux" {
		t.Errorf("the plugin of an heir has open %s, %v", out, err)
	}
}

// Standard error goes to the logger, its end only, and to nobody else.
func TestStandardError(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := run(t, t.Context(), acting(t, "stderr", okFrame), nil, stdio.Logger(logger), stdio.Stderr(100))
	check(t, s, good())
	if text := log.String(); !strings.Contains(text, "the last words") || len(text) > 500 || !strings.Contains(text, "level=DEBUG") {
		t.Errorf("log %s", text)
	}
	log.Reset()
	s = run(t, t.Context(), sh("echo secret >&2; exit 1"), nil, stdio.Logger(logger))
	if text := log.String(); !strings.Contains(text, "secret") || !strings.Contains(text, "level=WARN") || strings.Contains(s.String(), "secret") {
		t.Errorf("log %s, result %s", text, s)
	}
}

// Progress reaches the listener; a report that breaks its schema is dropped and logged.
func TestProgress(t *testing.T) {
	p := sh(line(`{"vcp":"tool-progress","version":"1.0","payload":{"stage":"a","progress":0.5,"message":null}}`) +
		line(`{"vcp":"tool-progress","version":"1.0","payload":{"stage":"b","progress":7,"message":null}}`) + line(okFrame))
	p.Dir = t.TempDir()
	var log bytes.Buffer
	s := opened(map[string]stdio.Program{tool: p}, stdio.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	told := ""
	_, err := s.Run(t.Context(), call.Invocation{Tool: tool, Arguments: []byte("{}"), Config: []byte("{}"), Progress: func(p call.Progress) { told += p.Stage }}, time.Second)
	if err != nil || told != "a" || !strings.Contains(log.String(), "progressDropped=1") {
		t.Errorf("told %q, %v, %s", told, err, &log)
	}
}
