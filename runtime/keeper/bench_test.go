//go:build linux && (amd64 || arm64)

package keeper_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vcp.core/fuzz/shared"
	"vcp.core/runtime/keeper"
	"vcp.core/runtime/transport/process"
)

// built builds a program of this module.
func built(b *testing.B, dir string) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), filepath.Base(dir))
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, dir)
	cmd.Dir = shared.Root(b)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return file
}

// bare starts a process with three pipes by package os and nothing else.
type bare struct{}

func (bare) Start(c process.Command) (*process.Process, error) {
	pipes, err := process.NewPipes()
	if err != nil {
		return nil, err
	}
	p, err := os.StartProcess(c.File, c.Argv, &os.ProcAttr{Dir: c.Dir, Env: c.Env, Files: pipes.Child()})
	if err != nil {
		return nil, err
	}
	return pipes.Started(child{p}), nil
}

type child struct{ *os.Process }

func (child) Terminate() {}
func (child) Kill()      {}
func (c child) Wait() (process.Ending, error) {
	state, err := c.Process.Wait()
	return process.Ending{Code: state.ExitCode()}, err
}

// BenchmarkSpawn measures a process from the request to its known end, standard streams included: started by package os
// alone, and below each kind of keeper. They take turns, so that a busy machine is busy for all; the figures are medians. A
// Go plugin that answers nothing is what a call costs at least; /bin/true is the harshest there is. The ratios of the
// plugin bind: at most 1.3. The memory of a keeper is that after all this.
func BenchmarkSpawn(b *testing.B) {
	program, plugin := built(b, "./cmd/vcp-keeper"), built(b, "./runtime/sdk/testdata/hello")
	for name, file := range map[string]string{"plugin": plugin, "true": "/bin/true"} {
		b.Run(name, func(b *testing.B) {
			made := func(options ...keeper.Option) *keeper.Keeper {
				k, err := keeper.New(append([]keeper.Option{keeper.Program(program)}, options...)...)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { _ = k.Close(b.Context()) })
				return k
			}
			best, guarded, unboxed := made(), made(keeper.Namespaces(false)), made(keeper.Profiles(free))
			list := []struct {
				name string
				process.Launcher
			}{{"bare", bare{}}, {"groups", process.Groups{}}, {"keeper", best}, {"guarded", guarded}, {"unboxed", unboxed}}
			dir := b.TempDir()
			c := process.Command{File: file, Argv: []string{name}, Dir: dir, Data: dir, Env: []string{"PATH=/usr/bin:/bin"}}
			took := make([][]time.Duration, len(list))
			for b.Loop() {
				for i := range list {
					begin := time.Now()
					p, err := list[i].Start(c)
					if err != nil {
						b.Fatal(err)
					}
					_ = p.Stdin.Close()
					if _, err := p.Wait(); err != nil {
						b.Fatal(err)
					}
					_, _ = p.Stdout.Close(), p.Stderr.Close()
					took[i] = append(took[i], time.Since(begin))
				}
			}
			b.ReportMetric(0, "ns/op")
			var base float64
			for i := range list {
				slices.Sort(took[i])
				median := float64(took[i][len(took[i])/2].Microseconds())
				b.ReportMetric(median, list[i].name+"-µs")
				if i == 0 {
					base = median
				} else {
					b.ReportMetric(median/base, list[i].name+"-ratio")
				}
			}
			state, err := best.State()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(resident(b, state.PID), "keeper-MB")
		})
	}
}

// resident is the memory of a process, in megabytes.
func resident(b testing.TB, pid int) float64 {
	b.Helper()
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(text)[0])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kb) / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}

// BenchmarkBegin measures what the first process of a runtime costs more than the others: the start of the keeper.
func BenchmarkBegin(b *testing.B) {
	program := built(b, "./cmd/vcp-keeper")
	for name, namespaces := range kinds {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				k, err := keeper.New(keeper.Program(program), keeper.Namespaces(namespaces))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := k.State(); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := k.Close(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
