package manifest

import (
	"slices"
	"strconv"

	"vcp.core/contract/wire"
	"vcp.core/gen/resolve"
)

// answer says whether a schema lets something stand at a place inside its values.
type answer int

// The answers, in an order that makes "any of" a maximum.
const (
	closed   answer = iota // nothing may stand there
	open                   // something may, but the schema does not speak of it
	declared               // the schema describes it
)

// reach follows a JSON Pointer through a schema without a document. Rules that apply together must all
// leave the place open, and one of them has to declare it; of alternatives the best counts; conditions
// and negations can only declare, since what they refuse depends on the document. Every step either
// consumes a token or goes along references and combinators, and resolve has refused cycles of those, so
// the recursion ends; the memo keeps it linear in schemas × tokens.
func reach(s *resolve.Schema, tokens []string) answer {
	r := reacher{tokens: tokens, known: map[reachKey]answer{}}
	return r.from(s, 0)
}

type reachKey struct {
	schema *resolve.Schema
	depth  int
}

type reacher struct {
	tokens []string
	known  map[reachKey]answer
}

func (r *reacher) from(s *resolve.Schema, depth int) answer {
	key := reachKey{s, depth}
	if a, ok := r.known[key]; ok {
		return a
	}
	a := r.compute(s, depth)
	r.known[key] = a
	return a
}

func (r *reacher) compute(s *resolve.Schema, depth int) answer {
	if s.Always != nil {
		if *s.Always {
			return open
		}
		return closed
	}
	if len(s.Keywords) == 0 {
		return open // {} says as little as true
	}
	if depth == len(r.tokens) {
		return declared
	}
	a := r.step(s, depth)
	for i := range s.Keywords {
		k := &s.Keywords[i]
		switch k.Name {
		case "$ref", "allOf":
			for _, sub := range k.Schemas {
				a = both(a, r.from(sub, depth))
			}
		case "anyOf", "oneOf":
			best := closed
			for _, sub := range k.Schemas {
				best = max(best, r.from(sub, depth))
			}
			a = both(a, best)
		case "then", "else", "dependentSchemas":
			for _, sub := range k.Schemas {
				if r.from(sub, depth) == declared {
					a = both(a, declared)
				}
			}
		}
	}
	return a
}

// both combines rules that apply together.
func both(a, b answer) answer {
	if a == closed || b == closed {
		return closed
	}
	return max(a, b)
}

// step takes one token by the schema's own keywords for members and elements.
func (r *reacher) step(s *resolve.Schema, depth int) answer {
	object, array := admits(s, "object"), admits(s, "array")
	token := r.tokens[depth]
	best := closed
	if object {
		best = max(best, r.member(s, token, depth))
	}
	if i, err := strconv.Atoi(token); array && err == nil && i >= 0 && strconv.Itoa(i) == token {
		best = max(best, r.element(s, i, depth))
	}
	return best
}

func (r *reacher) member(s *resolve.Schema, name string, depth int) answer {
	a, claimed := open, false
	if k := s.Find("properties"); k != nil {
		if i := slices.Index(k.Names, name); i >= 0 {
			claimed = true
			a = both(a, r.below(k.Schemas[i], depth))
		}
	}
	if k := s.Find("patternProperties"); k != nil {
		for i, p := range k.Patterns {
			if matched, _ := p.MatchString(name); matched {
				claimed = true
				a = both(a, r.below(k.Schemas[i], depth))
			}
		}
	}
	if k := s.Find("additionalProperties"); k != nil && !claimed {
		a = both(a, r.from(k.Schemas[0], depth+1))
	}
	return a
}

func (r *reacher) element(s *resolve.Schema, i, depth int) answer {
	if k := s.Find("prefixItems"); k != nil && i < len(k.Schemas) {
		return r.below(k.Schemas[i], depth)
	}
	if k := s.Find("items"); k != nil {
		return r.from(k.Schemas[0], depth+1)
	}
	return open
}

// below is from for a member that the schema names: naming it declares it, even by the schema true.
func (r *reacher) below(s *resolve.Schema, depth int) answer {
	a := r.from(s, depth+1)
	if a == open && depth+1 == len(r.tokens) {
		return declared
	}
	return a
}

// admits reports whether the type keyword, if there is one, lets values of a type through.
func admits(s *resolve.Schema, typ string) bool {
	k := s.Find("type")
	if k == nil {
		return true
	}
	if k.Value.Kind == wire.KindString {
		return k.Value.Str == typ
	}
	for _, e := range k.Value.Elems {
		if e.Str == typ {
			return true
		}
	}
	return false
}
