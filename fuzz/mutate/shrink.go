package mutate

import "slices"

// Shrink makes JSON texts smaller for as long as fails says that they still show what they show: parts are
// taken out, lists and objects replaced by one of their parts, scalars by simpler ones. fails is called at most
// tries times; the texts that come back are the smallest for which it said yes, spelled without white space. A
// text that is not JSON stays as it is.
func Shrink(texts []string, tries int, fails func(texts []string) bool) []string {
	s := shrinker{tries: tries, fails: fails, roots: make([]*node, len(texts)), texts: slices.Clone(texts)}
	for i, text := range texts {
		if n, err := parse([]byte(text)); err == nil {
			s.roots[i] = n
		}
	}
	for again := true; again && s.tries > 0; {
		again = false
		for i := range s.roots {
			if s.roots[i] != nil && s.node(s.roots[i]) {
				again = true
			}
		}
	}
	return s.texts
}

type shrinker struct {
	tries int
	fails func(texts []string) bool
	roots []*node
	texts []string // the smallest so far
}

// holds reports whether the texts as they are now still fail, and takes them when they do.
func (s *shrinker) holds() bool {
	if s.tries == 0 {
		return false
	}
	s.tries--
	now := make([]string, len(s.roots))
	for i, n := range s.roots {
		if now[i] = s.texts[i]; n != nil {
			now[i] = n.String()
		}
	}
	if !s.fails(now) {
		return false
	}
	s.texts = now
	return true
}

// try replaces n, and puts it back when that was too much.
func (s *shrinker) try(n *node, by node) bool {
	kept := *n
	*n = by
	if s.holds() {
		return true
	}
	*n = kept
	return false
}

// simpler are replacements for a value in order of preference. Each is smaller, or comes before the value here.
var simpler = []*node{yes(), {kind: object}, array(), nul(), num("0"), num("1"), str(""), str("a")}

// node shrinks n and what is in it, large parts first.
func (s *shrinker) node(n *node) (shrunk bool) {
	for i := range simpler {
		text := n.String()
		if by := simpler[i].String(); by == text || len(n.elems) == 0 && len(by) >= len(text) {
			continue
		}
		if s.try(n, *simpler[i].clone()) {
			return true
		}
	}
	for _, e := range n.elems {
		if s.try(n, *e.clone()) {
			return true
		}
	}
	for i := 0; i < len(n.elems); {
		less := shallow(n, n.kind)
		less.remove(i)
		if s.try(n, *less) {
			shrunk = true
		} else {
			i++
		}
	}
	for _, e := range n.elems {
		if s.node(e) {
			shrunk = true
		}
	}
	return shrunk
}
