package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/plot/plotter"

	"vcp.core/fuzz/shared"
)

func TestThin(t *testing.T) {
	short := plotter.XYs{{X: 2, Y: 1}, {X: 1, Y: 2}}
	if got := thin(short, 200); !slices.Equal(got, short) {
		t.Errorf("a short run became %v", got)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	run := make(plotter.XYs, 10_000)
	for i := range run {
		run[i] = plotter.XY{X: float64(i), Y: rng.Float64()}
	}
	got := thin(run, 200)
	if len(got) > 800 || len(got) < 700 || got[0] != run[0] || got[len(got)-1] != run[len(run)-1] {
		t.Fatalf("%d points from %v to %v", len(got), got[0], got[len(got)-1])
	}
	// Each of the 200 places keeps its own range.
	for s := range 200 {
		from, to := float64(s)*49.995, float64(s+1)*49.995
		ends := func(run plotter.XYs) (lo, hi float64) {
			lo, hi = math.Inf(1), math.Inf(-1)
			for _, p := range run {
				if p.X >= from && p.X < to {
					lo, hi = min(lo, p.Y), max(hi, p.Y)
				}
			}
			return lo, hi
		}
		if lo, hi := ends(run); s < 199 {
			if l, h := ends(got); l != lo || h != hi {
				t.Fatalf("place %d: %v to %v became %v to %v", s, lo, hi, l, h)
			}
		}
	}
	run[5].X = 1e6
	if got := thin(run, 200); len(got) != len(run) {
		t.Error("a run that goes back and forth lost points")
	}
}

func TestPieces(t *testing.T) {
	for _, n := range []int{1, 2, 32, 33, 34, 65, 66, 1000} {
		run := make(plotter.XYs, n)
		for i := range run {
			run[i].X = float64(i)
		}
		var all plotter.XYs
		for p := range pieces(run) {
			if len(all) > 0 {
				if p[0] != all[len(all)-1] {
					t.Errorf("%d points: a gap before %v", n, p[0])
				}
				p = p[1:]
			}
			all = append(all, p...)
		}
		if !slices.Equal(all, run) {
			t.Errorf("%d points became %d", n, len(all))
		}
	}
}

// Points that jump up and down over a whole picture are drawn within the time limit of a call.
func TestManyPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, values := make([]float64, 10_000), make([]float64, 10_000)
	for i := range x {
		x[i], values[i] = float64(i), rng.Float64()
	}
	c := chart{width: 1000, height: 600}
	var err error
	if c.letters, err = letteringFor("", nil); err != nil {
		t.Fatal(err)
	}
	c.begin()
	if err := c.lines(x, []column{{values: values}}); err != nil {
		t.Fatal(err)
	}
	c.scale(false)
	before := shared.Worked()
	if _, err := c.png(); err != nil {
		t.Fatal(err)
	}
	if took := shared.Worked() - before; took > 5*time.Second { // of the processor
		t.Errorf("10,000 points took %v", took)
	}
}

// Whatever numbers are allowed, an axis has labels between two ends.
func TestStepsOfAnyRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	check := func(lo, hi float64) {
		if !(math.Abs(lo) <= largest) || !(math.Abs(hi) <= largest) {
			return
		}
		s := stepsOf(min(lo, hi), max(lo, hi), 7)
		if s.count < 2 || s.count > 20 || !(s.step > 0) || s.first+s.step == s.first {
			t.Fatalf("%v to %v: %+v", lo, hi, s)
		}
		for i := range s.count + 1 {
			if l := s.label(s.first + float64(i)*s.step); len(l) > 330 {
				t.Fatalf("%v to %v: the label %s", lo, hi, l)
			}
		}
	}
	check(0, 5e-324)
	check(5e-324, 1e-323)
	check(-5e-324, 0)
	check(1, 1+0x1p-52)
	check(-largest, largest)
	for range 200_000 {
		lo := math.Float64frombits(rng.Uint64())
		check(lo, math.Float64frombits(rng.Uint64()))
		near := lo
		for range rng.IntN(100) {
			near = math.Nextafter(near, math.Inf(1))
		}
		check(lo, near)
		check(0, lo)
	}
}
