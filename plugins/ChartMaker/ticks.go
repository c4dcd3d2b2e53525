package main

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// steps is an axis whose labels are multiples of 1, 2 or 5 times a power of ten, and whose ends are labels.
type steps struct {
	first, step float64
	count       int // of steps; there is one label more
}

// stepsOf covers a range with about wanted steps.
func stepsOf(lo, hi float64, wanted int) steps {
	// One value, none, or values so near to each other that binary floating point has no labels between them.
	if !(hi-lo > max(math.Abs(lo), math.Abs(hi))*nearest+smallest) {
		pad := max(math.Abs(lo)/10, 1e-9)
		if lo == 0 {
			pad = 1
		}
		lo, hi = lo-pad, hi+pad
	}
	rough := (hi - lo) / float64(wanted)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if m*power >= rough {
			step = m * power
			break
		}
	}
	first := math.Floor(lo/step) * step
	return steps{first: first, step: step, count: int(math.Ceil((hi-first)/step - 1e-9))}
}

// The least difference between the ends of an axis: a part of their size, and in all.
const (
	nearest  = 1e-14
	smallest = 1e-300
)

// apply sets the ends and the labels of an axis.
func (s steps) apply(a *plot.Axis) {
	ticks := make([]plot.Tick, s.count+1)
	for i := range ticks {
		v := s.first + float64(i)*s.step
		if math.Abs(v) < s.step/2 {
			v = 0 // a sum of steps may miss it by a hair
		}
		ticks[i] = plot.Tick{Value: v, Label: s.label(v)}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
	a.Min, a.Max = ticks[0].Value, ticks[s.count].Value
}

// label writes a value with as many decimals as the step has, and very large and very small ones with an exponent.
func (s steps) label(v float64) string {
	last := math.Max(math.Abs(s.first), math.Abs(s.first+float64(s.count)*s.step))
	if last >= 1e7 || last < 1e-4 {
		if v == 0 {
			return "0"
		}
		digits := int(math.Ceil(math.Log10(math.Abs(v)/s.step))) + 1
		return strconv.FormatFloat(v, 'g', max(digits, 1), 64)
	}
	decimals := max(0, -int(math.Floor(math.Log10(s.step)+1e-9)))
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
