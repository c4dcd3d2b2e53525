//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"run": 0o755, "data": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "run"), filepath.Join(folder, "tool")); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, argv, why string }{
		{"by path", "sh", ""}, {"in the folder", "./run", ""}, {"absolute", filepath.Join(dir, "run"), ""}, {"in a further folder", "tool", ""},
		{"not on the path", "run", "run was not found on the search path"},
		{"not executable", "./data", "./data is not executable"},
		{"a folder", "/", "/ is not a program"},
		{"not there", "./gone", "./gone does not exist"},
		{"outside", "x/../../sh", "x/../../sh leads out of the plugin's folder"},
		{"no name", "", "the program has no name"},
	}
	for _, tt := range tests {
		s := opened(map[string]stdio.Program{tool: {Dir: dir, Argv: []string{tt.argv}}}, stdio.Folders(folder, "relative"))
		err := s.Check(tool)
		why := ""
		if e, ok := errors.AsType[*stdio.UnavailableError](err); ok {
			why = e.Error()
		}
		if why != tt.why || (err != nil) != (tt.why != "") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.why)
		}
	}
	if err := opened(nil).Check("Nobody"); err == nil || err.Error() != "the program of Nobody is not known" {
		t.Errorf("Check = %v", err)
	}
}

// A file that can be run and is no program.
func TestNoProgram(t *testing.T) {
	for _, tt := range []struct{ content, why string }{
		{"\x00\x01", "exec format error; a script begins with #! and its interpreter"},
		{"print(1)\n", "exec format error; a script begins with #! and its interpreter"},
		{"#!/no/such/interpreter\n", "no such file or directory; the file is there, what its first line names may not be"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "run"), []byte(tt.content), 0o755); err != nil {
			t.Fatal(err)
		}
		check(t, run(t, t.Context(), stdio.Program{Dir: dir, Argv: []string{"./run"}}, nil),
			carrier("cannot be started: "+tt.why, `{"reason":"SPAWN_FAILED"}`))
	}
}

// A call beyond the limit of processes waits for one of the others, and within its own time limit.
func TestProcesses(t *testing.T) {
	spec := &call.Spec{
		Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Write,
		Timeout: time.Minute, Grace: time.Second, Discriminator: "command", Input: accepting{}, Output: accepting{},
	}
	dir := t.TempDir()
	p := sh("echo . >> begun; mkdir one || mkdir two || echo . >> third; until [ -e go ]; do sleep 0.01; done; rmdir one || rmdir two\n" + line(okFrame))
	p.Dir = dir
	r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Use("stdio", opened(map[string]stdio.Program{tool: p}, stdio.Processes(2))))
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if s := r.Execute(t.Context(), call.Call{Tool: tool, Command: "Run"}).(*result.Sealed); s.Status() != call.Success {
				t.Errorf("%s", s)
			}
		})
	}
	begun := func() int {
		text, _ := os.ReadFile(filepath.Join(dir, "begun"))
		return len(text) / 2
	}
	within(t, "two calls have begun", func() bool { return begun() >= 2 })
	late := r.Execute(t.Context(), call.Call{Tool: tool, Command: "Run", Timeout: 50 * time.Millisecond}).(*result.Sealed)
	want := `{"code":"TOOL_TIMEOUT","message":"the call did not end within its limit of 50ms","category":"timeout","retryable":true,"target":null,"details":null,"cause":null}`
	if late.Member(result.Error) != want {
		t.Errorf("late: %s", late.Member(result.Error))
	}
	if n := begun(); n != 2 {
		t.Errorf("%d calls have begun at once", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Error(err)
	}
	calls.Wait()
	if _, err := os.Stat(filepath.Join(dir, "third")); err == nil {
		t.Error("more than two were at work")
	}
	if n := begun(); n != 4 {
		t.Errorf("%d calls began", n)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// slow starts processes when it may.
type slow struct{ may chan struct{} }

func (s slow) Start(c process.Command) (*process.Process, error) {
	<-s.may
	return process.Groups{}.Start(c)
}

// A start that hangs holds up no call beyond its end, and what it starts in the end does nothing.
func TestStartThatHangs(t *testing.T) {
	p := sh("read call; echo begun > began; sleep 60")
	p.Dir = t.TempDir()
	launcher := slow{make(chan struct{})}
	s := stdio.New(map[string]stdio.Program{tool: p}, stdio.Launcher(launcher))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := s.Run(ctx, call.Invocation{Tool: tool, Arguments: []byte("{}"), Config: []byte("{}")}, 20*time.Millisecond)
	if stopped, ok := errors.AsType[*transport.StoppedError](err); !ok || stopped.Started || !stopped.Running {
		t.Errorf("Run = %v", err)
	}
	close(launcher.may)
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "began")); err == nil {
		t.Error("it has begun")
	}
	// One that is late and not too late is the call's.
	answers := sh(line(okFrame))
	answers.Dir = t.TempDir()
	launcher = slow{make(chan struct{})}
	s = stdio.New(map[string]stdio.Program{tool: answers}, stdio.Launcher(launcher))
	time.AfterFunc(50*time.Millisecond, func() { close(launcher.may) })
	if reply, err := s.Run(t.Context(), call.Invocation{Tool: tool, Arguments: []byte("{}"), Config: []byte("{}")}, time.Second); err != nil {
		t.Errorf("Run = %s, %v", reply.Payload, err)
	}
}
