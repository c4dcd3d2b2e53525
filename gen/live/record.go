package live

import (
	"strconv"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
)

// step is how a walk gets from a schema to one that is applied by it: a keyword and what selects among its schemas.
type step struct {
	keyword  string
	token    string
	selected bool // there is a token
}

func through(keyword string) step         { return step{keyword: keyword} }
func under(keyword, name string) step     { return step{keyword, name, true} }
func into(keyword string, index int) step { return step{keyword, strconv.Itoa(index), true} }
func (s step) append(location string) string {
	if s.keyword == "" {
		return location
	}
	location = load.Child(location, s.keyword)
	if s.selected {
		location = load.Child(location, s.token)
	}
	return location
}

// throughReference is the step along a reference. A schema with two of them refers to one that ir made to hold both,
// which is no step.
func throughReference(s *ir.Schema, k ir.Keyword) step {
	if s.Ref.Origin == s.Origin {
		return step{}
	}
	return through(k.Source)
}

// absolute is the URI of a keyword in a schema: what no URI may have in a fragment is percent-encoded, and what an IRI
// may have in other places as well.
func absolute(schema, keyword string) string {
	base, pointer, _ := strings.Cut(schema, "#")
	if keyword != "" {
		pointer = load.Child(pointer, keyword)
	}
	encode := func(b *strings.Builder, s string, kept func(c byte) bool) {
		const digits = "0123456789ABCDEF"
		for i := range len(s) {
			if c := s[i]; kept(c) {
				b.WriteByte(c)
			} else {
				b.Write([]byte{'%', digits[c>>4], digits[c&15]})
			}
		}
	}
	var b strings.Builder
	encode(&b, base, func(c byte) bool { return c > ' ' && c < 0x7f })
	b.WriteByte('#')
	encode(&b, pointer, func(c byte) bool {
		return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@/?", c) >= 0
	})
	return b.String()
}

// recorder keeps the way that a walk took, for the standard output forms.
type recorder struct {
	root     frame
	open     []*frame // innermost last; root is not in it
	location string   // of the schema that the walk is in
	reported int      // violations
}

// frame is a schema or a keyword in the tree of an evaluation, or one violation: a leaf.
type frame struct {
	location, absolute, instance string

	violation int // number in the list, from 1; 0 for a frame that has nothing to say
	inside    []*frame
}

func (r *recorder) top() *frame {
	if len(r.open) == 0 {
		return &r.root
	}
	return r.open[len(r.open)-1]
}

// enter opens a schema that applies to the value at instance; what it returns closes it. Without a step it is the root,
// or stands in the place of the schema that the walk is in.
func (r *recorder) enter(via step, s *ir.Schema, instance string) (leave func()) {
	if via.keyword == "" {
		return func() {}
	}
	before := r.location
	r.location = via.append(before)
	r.open = append(r.open, &frame{location: r.location, absolute: absolute(s.Origin.URI, ""), instance: instance})
	return func() {
		r.leave()
		r.location = before
	}
}

// keyword opens a keyword of the schema that the walk is in.
func (r *recorder) keyword(keyword string, s *ir.Schema, instance string) (leave func()) {
	r.open = append(r.open, &frame{location: load.Child(r.location, keyword), absolute: absolute(s.Origin.URI, keyword), instance: instance})
	return r.leave
}

// leave closes the innermost frame and puts it into the one around it: not at all when nothing is in it, what is in
// it in its place when that is one thing. One violation of the frame's own keyword, beside others in it, is what
// the frame itself says: that no arm of a union holds, before what the arms say.
func (r *recorder) leave() {
	f := r.top()
	r.open = r.open[:len(r.open)-1]
	around := r.top()
	switch len(f.inside) {
	case 0:
		return
	case 1:
		around.inside = append(around.inside, f.inside[0])
		return
	}
	own := -1
	for i, in := range f.inside {
		if in.location == f.location && in.instance == f.instance && in.violation > 0 && in.inside == nil {
			if own >= 0 {
				own = len(f.inside)
				break
			}
			own = i
		}
	}
	if own >= 0 && own < len(f.inside) {
		f.violation = f.inside[own].violation
		f.inside = append(f.inside[:own:own], f.inside[own+1:]...)
	}
	around.inside = append(around.inside, f)
}

// report puts violation number i, from 0, into the innermost frame. pointer is that of the keyword in its file.
func (r *recorder) report(i int, pointer string, s *ir.Schema, keyword, instance string) {
	r.reported = i + 1
	leaf := &frame{location: r.location, absolute: absolute(s.Origin.URI, ""), instance: instance, violation: i + 1}
	if pointer != s.Origin.Pointer { // else it is the schema false
		leaf.location, leaf.absolute = load.Child(r.location, keyword), absolute(s.Origin.URI, keyword)
	}
	f := r.top()
	f.inside = append(f.inside, leaf)
}

// size is how many bytes of locations a violation repeats.
func (r *recorder) size() int {
	if r == nil {
		return 0
	}
	return len(r.location)
}

// leaves appends the frames that have something to say.
func (f *frame) leaves(to []*frame) []*frame {
	if f.violation > 0 {
		to = append(to, f)
	}
	for _, in := range f.inside {
		to = in.leaves(to)
	}
	return to
}

func (f *frame) tree(list []call.Violation) []Unit {
	var units []Unit
	for _, in := range f.inside {
		u := in.unit(list)
		u.Errors = in.tree(list)
		units = append(units, u)
	}
	return units
}

func (f *frame) unit(list []call.Violation) Unit {
	u := Unit{KeywordLocation: f.location, AbsoluteKeywordLocation: f.absolute, InstanceLocation: f.instance}
	if f.violation > 0 {
		v := list[f.violation-1]
		u.Error = v.Message
		if v.Hint != "" {
			u.Error += " (" + v.Hint + ")"
		}
	}
	return u
}
