//go:build linux && (amd64 || arm64)

package keeper_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vcp.core/fuzz/shared"
	"vcp.core/runtime/keeper"
	"vcp.core/runtime/transport/process"
)

// build builds the real keeper.
func build(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "vcp-keeper")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, "./cmd/vcp-keeper")
	cmd.Dir = shared.Root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

func open(t testing.TB, options ...keeper.Option) *keeper.Keeper {
	t.Helper()
	k, err := keeper.New(append([]keeper.Option{keeper.Program(build(t))}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return k
}

// output runs a process to its end.
func output(t testing.TB, l process.Launcher, c process.Command) (string, process.Ending) {
	t.Helper()
	p, err := l.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	silent := make(chan struct{})
	go func() {
		defer close(silent)
		_, _ = io.Copy(&out, p.Stdout)
	}()
	_ = p.Stdin.Close()
	ending, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	p.Stdout.Finish(silent)
	<-silent
	_ = p.Stdout.Close()
	said, _ := io.ReadAll(p.Stderr)
	_ = p.Stderr.Close()
	return out.String() + string(said), ending
}

func TestEcho(t *testing.T) {
	for _, ns := range []bool{true, false} {
		k := open(t, keeper.Namespaces(ns))
		state, err := k.State()
		t.Logf("%+v %v", state, err)
		out, e := output(t, k, process.Command{File: "/bin/sh", Argv: []string{"sh", "-c", "echo hello; ulimit -a; cat /proc/self/status; ls -l /proc/self/fd; ps -ef; exit 3"}, Dir: "/tmp", Env: []string{"PATH=/usr/bin:/bin"}})
		t.Log(out, e)
	}
}

func BenchmarkSpawn(b *testing.B) {
	quiet := func(string) keeper.Profile { return keeper.Profile{} }
	launchers := []struct {
		name string
		l    process.Launcher
	}{
		{"groups", process.Groups{}},
		{"keeper", open(b)},
		{"guarded", open(b, keeper.Namespaces(false))},
		{"nosandbox", open(b, keeper.Profiles(quiet))},
	}
	took := make([][]time.Duration, len(launchers)+1)
	dir := b.TempDir()
	true_ := "/bin/true"
	for b.Loop() {
		for i, l := range launchers {
			start := time.Now()
			p, err := l.l.Start(process.Command{File: true_, Argv: []string{"true"}, Dir: dir, Data: dir, Env: []string{"PATH=/usr/bin:/bin"}})
			if err != nil {
				b.Fatal(err)
			}
			if e, err := p.Wait(); err != nil || e.Failed() {
				b.Fatal(e, err)
			}
			took[i] = append(took[i], time.Since(start))
			_ = p.Stdin.Close()
			_ = p.Stdout.Close()
			_ = p.Stderr.Close()
		}
		start := time.Now()
		cmd := exec.Command(true_)
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		i := len(launchers)
		took[i] = append(took[i], time.Since(start))
	}
	b.ReportMetric(0, "ns/op")
	for i := range took {
		name := "bare"
		if i < len(launchers) {
			name = launchers[i].name
		}
		slices.Sort(took[i])
		b.ReportMetric(float64(took[i][len(took[i])/2].Microseconds()), name+"-us")
	}
}

func TestMain(m *testing.M) { os.Exit(m.Run()) }
