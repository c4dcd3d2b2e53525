package golang

import "vcp.core/gen/ir"

// facts are what judges need to know of a program beyond what lowering settled. All of them are asked of
// targets ([ir.Schema.Target]).
type facts struct {
	cyclic  []bool // by ID: judging it may come back to it
	guarded []bool // by ID: on every cycle stands at least one of these
	doubt   []tri  // by ID, see mayDoubt
	work    []int  // by ID, see workOf; 0 is unknown
}

// tri is an answer that may not be there yet.
type tri uint8

const (
	unknown tri = iota
	no
	yes
)

func newFacts(p *ir.Program) facts {
	n := len(p.Schemas)
	f := facts{cyclic: make([]bool, n), guarded: make([]bool, n), doubt: make([]tri, n), work: make([]int, n)}
	f.findCycles(p)
	return f
}

// findCycles marks the schemas on cycles: the strongly connected components of the graph that have more
// than one member or an edge to themselves, found by Tarjan's algorithm. Guarded are those that the search
// meets again on its own path: a cycle is closed nowhere else. The stack is explicit, because a chain of
// references may be as long as the program.
func (f *facts) findCycles(p *ir.Program) {
	type frame struct {
		id       int
		children []*ir.Schema
		next     int
	}
	var (
		order   = make([]int, len(p.Schemas)) // of discovery, from 1
		low     = make([]int, len(p.Schemas))
		inStack = make([]bool, len(p.Schemas))
		onPath  = make([]bool, len(p.Schemas))
		stack   []int
		frames  []frame
		count   int
	)
	open := func(s *ir.Schema) {
		count++
		order[s.ID], low[s.ID] = count, count
		stack, inStack[s.ID], onPath[s.ID] = append(stack, s.ID), true, true
		frames = append(frames, frame{id: s.ID, children: s.Children()})
	}
	for _, root := range p.Schemas {
		if root.Target() != root || order[root.ID] != 0 {
			continue
		}
		open(root)
		for len(frames) > 0 {
			top := &frames[len(frames)-1]
			if top.next < len(top.children) {
				c := top.children[top.next].Target()
				top.next++
				f.guarded[c.ID] = f.guarded[c.ID] || onPath[c.ID]
				switch {
				case order[c.ID] == 0:
					open(c)
				case inStack[c.ID]:
					low[top.id] = min(low[top.id], order[c.ID])
					f.cyclic[c.ID] = f.cyclic[c.ID] || c.ID == top.id
				}
				continue
			}
			id := top.id
			onPath[id] = false
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].id
				low[up] = min(low[up], low[id])
			}
			if low[id] != order[id] {
				continue
			}
			first := len(stack) - 1
			for stack[first] != id {
				first--
			}
			for _, member := range stack[first:] {
				inStack[member] = false
				f.cyclic[member] = f.cyclic[member] || len(stack)-first > 1
			}
			stack = stack[:first]
		}
	}
}

// mayDoubt reports whether a judgement of s may be Undecided for any other reason than the end of the
// whole judgement: a pattern, a division or uniqueItems that exceeds its budget, or a budget that Enter
// and Spend ask for.
func (f *facts) mayDoubt(s *ir.Schema) bool {
	s = s.Target()
	if f.doubt[s.ID] != unknown {
		return f.doubt[s.ID] == yes
	}
	answer := f.cyclic[s.ID] || s.Shared || f.workOf(s) > freeWork ||
		s.String != nil && s.String.Pattern != nil ||
		s.Number != nil && s.Number.MultipleOf != nil ||
		s.Array != nil && s.Array.Unique ||
		s.Object != nil && s.Object.Patterns != nil
	if !answer {
		for _, c := range s.Children() {
			if answer = f.mayDoubt(c); answer {
				break
			}
		}
	}
	f.doubt[s.ID] = no
	if answer {
		f.doubt[s.ID] = yes
	}
	return answer
}

// freeWork is how many judgements one value may cost in one judge without being counted: a document of
// 10^6 values then stays below some 10^8.
const freeWork = 64

// workOf returns how many schemas s applies to one value, itself included and counted with multiplicity,
// as far as they do not count for themselves; at most countedWork.
func (f *facts) workOf(s *ir.Schema) int {
	s = s.Target()
	if f.work[s.ID] == 0 {
		f.work[s.ID] = 1 + f.armsOf(s)
	}
	return f.work[s.ID]
}

// armsOf is workOf without the schema itself.
func (f *facts) armsOf(s *ir.Schema) int {
	sum := 0
	for _, a := range inPlace(s) {
		w := f.workOf(a)
		if w > freeWork || a.Target().Shared || f.cyclic[a.Target().ID] {
			w = 1
		}
		sum += w
	}
	return sum
}

// inPlace returns the subschemas that apply to the same value.
func inPlace(s *ir.Schema) []*ir.Schema {
	var list []*ir.Schema
	add := func(c *ir.Schema) {
		if c != nil {
			list = append(list, c)
		}
	}
	add(s.Ref)
	list = append(append(append(list, s.AllOf...), s.AnyOf...), s.OneOf...)
	add(s.Not)
	add(s.If)
	add(s.Then)
	add(s.Else)
	if s.Object != nil {
		for _, d := range s.Object.DependentSchemas {
			add(d.Schema)
		}
	}
	return list
}
