//go:build unix

package stdio_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
)

// What a worker says about a secret of one call is told to no other call, and not to the log.
func TestSecretsOfOtherCalls(t *testing.T) {
	const first, second = "sk_live_SECRET/1", "sk_live_SECRET/2"
	for _, inFlight := range []int{1, 2} {
		var log logged
		s := opened(map[string]stdio.Program{tool: acting(t, "odd")}, stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute, InFlight: inFlight}), log.option(), stdio.Linger(200*time.Millisecond))
		ctx := secret.NewContext(t.Context(), secret.New(first))
		if _, err := s.Run(ctx, inner(""), time.Second); err != nil {
			t.Fatal(err)
		}
		ctx = secret.NewContext(t.Context(), secret.New(second))
		_, err := s.Run(ctx, inner("says", `,"text":"`+first+`"`), time.Second)
		f, ok := errors.AsType[*transport.Failure](err)
		if !ok || f.Quote != "[redacted]" {
			t.Errorf("Run = %+v", f)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if text := log.String(); strings.Contains(text, "SECRET") || !strings.Contains(text, "stderr=[redacted]") && !strings.Contains(text, `stderr="[redacted]`) {
			t.Errorf("log %s", text)
		}
	}
}

// Standard error is logged with the call that failed and the number of the worker, and once.
func TestStandardErrorOfWorkers(t *testing.T) {
	var log logged
	k := keep(t, acting(t, "odd"), kept.Bounds{Max: 1, Idle: time.Minute}, nil, log.option())
	check(t, k.do(t.Context(), "whisper"), served(1))
	check(t, k.do(t.Context(), "stderr"), carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","exitCode":3}`))
	text := log.String()
	if strings.Count(text, "in passing") != 1 || strings.Count(text, "the last words") != 1 || !strings.Contains(text, "worker=1") || !strings.Contains(text, "level=WARN") {
		t.Errorf("log %s", text)
	}
}

// reluctant starts processes that are killed when they may be.
type reluctant struct{ may chan struct{} }

func (r reluctant) Start(c process.Command) (*process.Process, error) {
	p, err := process.Groups{}.Start(c)
	if err == nil {
		p.Control = spared{p.Control, r.may}
	}
	return p, err
}

// spared is a process that is not killed yet.
type spared struct {
	process.Control
	may chan struct{}
}

func (s spared) Kill() { <-s.may; s.Control.Kill() }

// What a worker says after its call has failed, and been logged, is logged with its end.
func TestLastWordsBehindTheCall(t *testing.T) {
	var log logged
	p, launcher := acting(t, "odd"), reluctant{make(chan struct{})}
	s := stdio.New(map[string]stdio.Program{tool: p}, stdio.Launcher(launcher), stdio.Keep(tool, kept.Bounds{Max: 1, Idle: time.Minute}), log.option(), stdio.Linger(20*time.Millisecond))
	_, err := s.Run(t.Context(), inner("mutters"), time.Second)
	if f, ok := errors.AsType[*transport.Failure](err); !ok || f.Reason != "STRAY_OUTPUT" {
		t.Errorf("Run = %v", err)
	}
	release(t, p)
	within(t, "it has said more", func() bool {
		_, err := os.Stat(filepath.Join(p.Dir, "muttered"))
		return err == nil
	})
	close(launcher.may)
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if text := log.String(); strings.Count(text, "the last words") != 1 {
		t.Errorf("log %s", text)
	}
}
