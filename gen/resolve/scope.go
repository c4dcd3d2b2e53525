package resolve

import (
	"slices"
	"strconv"
	"strings"

	"vcp.core/gen/load"
)

// Dynamic references. Where `$dynamicRef` leads depends on how one came to it: on the resources that were
// entered on the way, of which the outermost with the dynamic anchor counts (2020-12 core §8.2.3.2). Of that
// way nothing matters but which place each dynamic anchor stands for. There are finitely many such
// assignments, so a place is made a Schema once for each that it is entered with, and in each of these
// a dynamic reference is an ordinary one, settled here.
//
// Most documents have no dynamic anchor and one scope, the empty one, which is nil. Entering a resource
// adds the anchors that it has and that no outer resource has. n resources that lead to each other, with an
// anchor of its own each, have 2^n scopes, so these are limited, and so are the copies of places.

// Scope is the dynamic scope that a [Schema] is specialised by. Scopes of one resolution are equal when
// they are the same pointer.
type Scope struct {
	bindings []binding // by name
}

type binding struct {
	name string
	to   *place
}

// find returns the place that a dynamic anchor stands for, nil when no resource on the way has it.
func (s *Scope) find(name string) *place {
	if s == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(s.bindings, name, func(b binding, name string) int { return strings.Compare(b.name, name) })
	if !found {
		return nil
	}
	return s.bindings[i].to
}

// scopes are those of one session, each made once.
type scopes struct {
	entered map[transition]*Scope
	known   map[string]*Scope
	numbers map[*place]int // for keys; a place has one dynamic anchor at most
	room    int            // scopes that there may still be
	bound   int            // bindings of all scopes
	full    bool
}

// maxBindings bounds the bindings of all scopes together.
const maxBindings = 1 << 20

type transition struct {
	from *Scope
	to   *resource
}

func newScopes(limit int) scopes {
	return scopes{entered: map[transition]*Scope{}, known: map[string]*Scope{}, numbers: map[*place]int{}, room: limit}
}

// enter returns the scope inside a resource that is entered from a scope. When there are too many it sets full,
// and what it returns has no meaning.
func (s *scopes) enter(from *Scope, r *resource) *Scope {
	if len(r.dynamic) == 0 || s.full {
		return from
	}
	way := transition{from, r}
	to, known := s.entered[way]
	if !known {
		to = s.extended(from, r)
		s.entered[way] = to
	}
	return to
}

func (s *scopes) extended(from *Scope, r *resource) *Scope {
	var list []binding
	if from != nil {
		list = slices.Clone(from.bindings)
	}
	for _, name := range sortedKeys(r.dynamic) {
		if from.find(name) == nil {
			list = append(list, binding{name, r.dynamic[name]})
		}
	}
	slices.SortFunc(list, func(a, b binding) int { return strings.Compare(a.name, b.name) })
	var key strings.Builder
	for _, b := range list {
		n, numbered := s.numbers[b.to]
		if !numbered {
			n = len(s.numbers)
			s.numbers[b.to] = n
		}
		key.WriteString(strconv.Itoa(n) + " ")
	}
	scope := s.known[key.String()]
	if scope == nil {
		scope = &Scope{list}
		s.known[key.String()] = scope
		s.room--
		s.bound += len(list)
		s.full = s.room < 0 || s.bound > maxBindings
	}
	return scope
}

// dynamic finds the place that a `$dynamicRef` or `$recursiveRef` leads to in the scope of the schema at hand.
func (b *build) dynamic(v *load.Node) *place {
	name := recursiveAnchor
	if b.schema.Dialect == Draft2019 {
		if !b.want(v.Str == "#", v, "\"#\"") {
			return nil
		}
	} else if ref, ok := parseURI(v.Str); ok {
		name = decodePercent(ref.fragment)
	}
	initial := b.reference(v)
	if initial == nil || initial.in.dynamic[name] != initial {
		return initial // no dynamic anchor: an ordinary reference
	}
	if outermost := b.schema.Scope.find(name); outermost != nil {
		return outermost
	}
	return initial
}
