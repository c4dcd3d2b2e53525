package main

import (
	"iter"

	"gonum.org/v1/plot/plotter"
)

// piece is how many points are drawn as one path. The rasterizer looks for a path's place in a row among all
// places of the path in that row, so one path of ten thousand points takes minutes.
const piece = 8

// pieces cuts a run into paths that begin where the one before ended.
func pieces(run plotter.XYs) iter.Seq[plotter.XYs] {
	return func(yield func(plotter.XYs) bool) {
		for from := 0; from == 0 || from < len(run)-1; from += piece {
			if !yield(run[from:min(from+piece+1, len(run))]) {
				return
			}
		}
	}
}

// mostSlots is how many parts of a run's width are told apart at most.
const mostSlots = 1000

// thin leaves out points of a long run that goes from left to right where many share a place: of each slot it keeps
// the first, the lowest, the highest and the last, in their order, so that the line covers the same ground.
func thin(run plotter.XYs, width int) plotter.XYs {
	slots := min(width, mostSlots)
	if len(run) <= 4*slots {
		return run
	}
	for i := 1; i < len(run); i++ {
		if run[i].X < run[i-1].X {
			return run
		}
	}
	lo := run[0].X
	room := run[len(run)-1].X - lo
	if !(room > 0) {
		return run
	}
	slot := func(i int) int { return min(int((run[i].X-lo)/room*float64(slots)), slots-1) }
	var kept plotter.XYs
	for from := 0; from < len(run); {
		to, low, high, here := from, from, from, slot(from)
		for ; to < len(run) && slot(to) == here; to++ {
			if run[to].Y < run[low].Y {
				low = to
			}
			if run[to].Y > run[high].Y {
				high = to
			}
		}
		last := from - 1
		for _, i := range []int{from, min(low, high), max(low, high), to - 1} {
			if i > last {
				kept, last = append(kept, run[i]), i
			}
		}
		from = to
	}
	return kept
}
