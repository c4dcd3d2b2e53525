package resolve

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"vcp.core/gen/diag"
)

// edge leads from a schema to one that judges the same value.
type edge struct {
	to      int
	keyword int // index in the Keywords of the schema it leaves
}

// checkGraph finds what no single place shows: cycles that never consume input, chains that are too
// deep, compositions with too many arms.
//
// It looks at in-place edges only, those of allOf, anyOf, oneOf, not, if, then, else, dependentSchemas
// and $ref. A value is judged against everything that such edges reach; all other keywords go on to a
// part of the value, and values end.
//
// Tarjan's algorithm gives the strongly connected components, each one after those it leads to. A
// component of more than one schema, or with an edge to itself, is a cycle. Without the edges inside
// components the graph has none, and both measures follow by dynamic programming in the same order:
//
//	depth(s) = 1 + max depth(t)
//	arms(s)  = sum (arms(t) + (0 if the edge is a $ref, else 1))
//
// over the edges s -> t, additions saturating. A definition that is used twice counts twice, and what it
// uses twice four times, though nothing is expanded: twenty lines that double twenty times are refused as
// fast as they are read.
func (s *session) checkGraph() {
	edges := s.inPlaceEdges()
	components := stronglyConnected(edges)
	component := make([]int, len(edges))
	for c, members := range components {
		for _, id := range members {
			component[id] = c
		}
	}
	arms := make([]int, len(edges))
	depth := make([]int, len(edges))
	for c, members := range components {
		if len(members) > 1 || slices.ContainsFunc(edges[members[0]], func(e edge) bool { return e.to == members[0] }) {
			s.cycle(edges, members, component)
		}
		for _, id := range members {
			s.measure(id, edges[id], component, c, arms, depth)
		}
	}
}

func (s *session) inPlaceEdges() [][]edge {
	edges := make([][]edge, len(s.schemas))
	for id, schema := range s.schemas {
		for i := range schema.Keywords {
			k := &schema.Keywords[i]
			if !inPlace[k.Name] {
				continue
			}
			for _, to := range k.Schemas {
				edges[id] = append(edges[id], edge{to.id, i})
			}
		}
	}
	return edges
}

// measure computes arms and depth of one schema and refuses the first schema on each way up that is over
// a limit: where all of its parts are within.
func (s *session) measure(id int, out []edge, component []int, own int, arms, depth []int) {
	within := true
	deepest, sum := 0, 0
	for _, e := range out {
		if component[e.to] == own {
			continue // a cycle, which has been refused
		}
		within = within && arms[e.to] <= s.lim.Arms
		deepest = max(deepest, depth[e.to])
		sum = add(sum, arms[e.to])
		if !isReference(s.schemas[id].Keywords[e.keyword].Name) {
			sum = add(sum, 1)
		}
	}
	arms[id], depth[id] = sum, deepest+1
	schema := s.schemas[id]
	if sum > s.lim.Arms && within {
		s.report.addf(diag.Error, schema.File, schema.Node.Start, schema.Pointer, CodeLimit,
			"a definition counts as often as it is used; name the alternatives in one list",
			"limit exceeded: one value would be judged against %s composition arms here, more than %d", count(sum), s.lim.Arms)
	}
	if depth[id] == s.lim.Depth+1 {
		s.report.addf(diag.Error, schema.File, schema.Node.Start, schema.Pointer, CodeLimit, "",
			"limit exceeded: a chain of references and subschemas about one value is deeper than %d", s.lim.Depth)
	}
}

func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func count(n int) string {
	if n == math.MaxInt {
		return "more than 2^63"
	}
	digits := []byte{}
	for i := 0; n > 0 || i == 0; i++ {
		if i > 0 && i%3 == 0 {
			digits = append(digits, ',')
		}
		digits = append(digits, byte('0'+n%10))
		n /= 10
	}
	slices.Reverse(digits)
	return string(digits)
}

// cycle reports a component by the shortest cycle through its first schema, at the first `$ref` on the
// way. There is one, since subschemas alone make a tree. First means by file and pointer: the finding
// must not depend on the order of members.
func (s *session) cycle(edges [][]edge, members []int, component []int) {
	order := func(a, b int) int {
		x, y := s.schemas[a], s.schemas[b]
		return cmp.Or(cmp.Compare(x.File.Name, y.File.Name), cmp.Compare(x.Pointer, y.Pointer), cmp.Compare(a, b))
	}
	start := slices.MinFunc(members, order)

	// Breadth first from start until an edge comes back to it.
	type step struct {
		from int
		by   edge
	}
	came := map[int]step{}
	queue := []int{start}
	var last step
search:
	for ; ; queue = queue[1:] {
		out := slices.Clone(edges[queue[0]])
		slices.SortStableFunc(out, func(a, b edge) int { return order(a.to, b.to) })
		for _, e := range out {
			if component[e.to] != component[start] {
				continue
			}
			if e.to == start {
				last = step{queue[0], e}
				break search
			}
			if _, seen := came[e.to]; !seen {
				came[e.to] = step{queue[0], e}
				queue = append(queue, e.to)
			}
		}
	}
	way := []step{last}
	for at := last.from; at != start; at = came[at].from {
		way = append(way, came[at])
	}
	slices.Reverse(way)

	const shown = 8
	var text strings.Builder
	for i, st := range way {
		if i == shown {
			text.WriteString("… -> ")
			break
		}
		text.WriteString(s.label(st.from, start) + " -> ")
	}
	text.WriteString(s.label(start, start))
	at := slices.IndexFunc(way, func(st step) bool { return isReference(s.schemas[st.from].Keywords[st.by.keyword].Name) })
	from := s.schemas[way[at].from]
	k := &from.Keywords[way[at].by.keyword]
	s.report.addf(diag.Error, from.File, k.Value.Start, k.Pointer, CodeCycle,
		"let one of the references stand below a keyword that goes into the value, such as properties or items",
		"the cycle never consumes input: %s", text.String())
}

// label names a schema in a chain: by its fragment, with the file where that is another one.
func (s *session) label(id, start int) string {
	schema := s.schemas[id]
	name := "#" + quoteless(schema.Pointer)
	if schema.File != s.schemas[start].File {
		name = schema.File.Name + name
	}
	return name
}

func quoteless(s string) string {
	q := quote(s)
	return q[1 : len(q)-1]
}

// stronglyConnected is Tarjan's algorithm with an explicit stack. A component comes after all
// components that it has edges to.
func stronglyConnected(edges [][]edge) [][]int {
	const unseen = 0
	var (
		components [][]int
		index      = make([]int, len(edges)) // order of discovery, from 1
		low        = make([]int, len(edges))
		onStack    = make([]bool, len(edges))
		stack      []int
		next       = 1
	)
	type frame struct{ id, edge int }
	for root := range edges {
		if index[root] != unseen {
			continue
		}
		calls := []frame{{root, 0}}
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if f.edge == 0 {
				index[f.id], low[f.id] = next, next
				next++
				stack = append(stack, f.id)
				onStack[f.id] = true
			}
			descended := false
			for f.edge < len(edges[f.id]) {
				to := edges[f.id][f.edge].to
				f.edge++
				if index[to] == unseen {
					calls = append(calls, frame{to, 0})
					descended = true
					break
				}
				if onStack[to] {
					low[f.id] = min(low[f.id], index[to])
				}
			}
			if descended {
				continue
			}
			id := f.id
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				parent := calls[len(calls)-1].id
				low[parent] = min(low[parent], low[id])
			}
			if low[id] != index[id] {
				continue
			}
			at := len(stack) - 1
			for stack[at] != id {
				at--
			}
			members := slices.Clone(stack[at:])
			for _, m := range members {
				onStack[m] = false
			}
			stack = stack[:at]
			components = append(components, members)
		}
	}
	return components
}
