package golang

import "slices"

// findCycles marks the types whose values may contain themselves, through pointers, lists, maps and unions. Their
// encoders count how deep they are (wire.Deeper).
func findCycles(all []*shape) {
	next := func(s *shape) []*shape {
		if s.kind == openShape {
			return nil // its values are bytes
		}
		var list []*shape
		for _, c := range s.children() {
			list = append(list, c.to())
		}
		return list
	}
	component := components(all, next)
	size := map[int]int{}
	for _, s := range all {
		size[component[s]]++
	}
	for _, s := range all {
		s.cyclic = s.kind.named() && (size[component[s]] > 1 || slices.Contains(next(s), s))
		s.counts = s.counts || s.cyclic
	}
	seen := map[*shape]bool{}
	var count func(s *shape)
	count = func(s *shape) {
		for _, a := range s.arms {
			if arm := a.shape.to(); !seen[arm] {
				seen[arm], arm.counts = true, true
				if arm.kind == unionShape {
					count(arm)
				}
			}
		}
	}
	for _, s := range all {
		if s.kind == unionShape && s.cyclic {
			count(s)
		}
	}
}
