//go:build unix

package emitted

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"vcp.core/gen/emit/golang"
)

// Costs is what a document costs in generated code, in nanoseconds of processor time for one run.
type Costs struct {
	Scan, Judge, Validate float64 // Validate is Scan and Judge, with the pool around them
	Allocs                float64 // of all three together
}

// Measure returns what f costs in nanoseconds of processor time: the best of five runs of n calls. The
// time of the process and not of the clock is taken, so that a busy machine counts little.
func Measure(n int, f func()) float64 {
	best := 0.0
	for range 5 {
		before := Used()
		for range n {
			f()
		}
		if took := float64(Used()-before) / float64(n); best == 0 || took < best {
			best = took
		}
	}
	return best
}

// Used is the processor time that this process has taken so far.
func Used() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// MeasureJudge builds a package and measures a root's judge on one valid document.
func MeasureJudge(t testing.TB, p golang.Package, root string, document []byte) Costs {
	t.Helper()
	files, list := golang.Emit(p)
	if list.HasErrors() {
		t.Fatal(list)
	}
	program := Build(t, map[string][]golang.File{p.Name: files}, fmt.Sprintf(measureMain, ImportPath(p.Name), p.Name, root))
	name := filepath.Join(t.TempDir(), "document.json")
	if err := os.WriteFile(name, document, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, name).Output()
	if err != nil {
		t.Fatal(err)
	}
	var c Costs
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

const measureMain = `package main

import (
	"encoding/json"
	"os"
	"syscall"
	"testing"
	"time"

	"vcp.core/contract/wire"
	%[1]q
)

// Costs are nanoseconds of processor time for one run each, and the allocations of all three together.
type Costs struct{ Scan, Judge, Validate, Allocs float64 }

// used is the processor time that this process has taken so far.
func used() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func main() {
	src, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	var c Costs
	measure := func(best *float64, f func()) {
		c.Allocs += testing.AllocsPerRun(100, f)
		const n = 20_000
		for range 5 {
			before := used()
			for range n {
				f()
			}
			if took := float64(used()-before) / n; *best == 0 || took < *best {
				*best = took
			}
		}
	}
	var tape wire.Tape
	measure(&c.Scan, func() { check(tape.Scan(src, wire.Limits{})) })
	measure(&c.Judge, func() { check(%[2]s.Judge%[3]s(&tape)) })
	measure(&c.Validate, func() { check(%[2]s.Validate%[3]s(src)) })
	check(json.NewEncoder(os.Stdout).Encode(c))
}
`
