package live

import (
	"slices"
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

// recorder keeps the way that a walk took, for the standard output forms. What is open has no text yet: a walk opens
// many keywords in which nothing is wrong, below names that may be long.
type recorder struct {
	root     frame
	open     []opened // innermost last; root is not in it
	location string   // of the schema that the walk is in
	reported int      // violations
}

// opened is a schema, or one of its keywords, that the walk is in.
type opened struct {
	schema  *ir.Schema
	keyword string // "" for the schema itself
	inside  []*frame
}

// frame is a schema or a keyword in the tree of an evaluation, or one violation: a leaf.
type frame struct {
	location, absolute, instance string

	violation int // number in the list, from 1; 0 for a frame that has nothing to say
	inside    []*frame
}

// put puts a frame into the innermost one that is open.
func (r *recorder) put(f *frame) {
	if len(r.open) == 0 {
		r.root.inside = append(r.root.inside, f)
		return
	}
	o := &r.open[len(r.open)-1]
	o.inside = append(o.inside, f)
}

// frame makes one for a schema that the walk is in, or for a keyword of it.
func (r *recorder) frame(s *ir.Schema, keyword, instance string) *frame {
	f := &frame{location: r.location, absolute: absolute(s.Origin.URI, keyword), instance: instance}
	if keyword != "" {
		f.location = load.Child(f.location, keyword)
	}
	return f
}

// enter opens a schema that applies to the current value; what it returns closes it. Without a step it is the root, or
// stands in the place of the schema that the walk is in. path is the way to the value, the same at both ends.
func (r *recorder) enter(via step, s *ir.Schema, path *[]byte) (leave func()) {
	if via.keyword == "" {
		return func() {}
	}
	before := r.location
	r.location = via.append(before)
	r.open = append(r.open, opened{schema: s})
	return func() {
		r.leave(*path)
		r.location = before
	}
}

// keyword opens a keyword of the schema that the walk is in.
func (r *recorder) keyword(keyword string, s *ir.Schema, path *[]byte) (leave func()) {
	r.open = append(r.open, opened{schema: s, keyword: keyword})
	return func() { r.leave(*path) }
}

// leave closes the innermost frame and puts it into the one around it: not at all when nothing is in it, what is in
// it in its place when that is one thing. One violation of the frame's own keyword, beside others in it, is what
// the frame itself says: that no arm of a union holds, before what the arms say.
func (r *recorder) leave(path []byte) {
	o := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	switch len(o.inside) {
	case 0:
		return
	case 1:
		r.put(o.inside[0])
		return
	}
	f := r.frame(o.schema, o.keyword, string(path))
	f.inside = o.inside
	own := slices.IndexFunc(f.inside, f.says)
	if own >= 0 && !slices.ContainsFunc(f.inside[own+1:], f.says) {
		f.violation = f.inside[own].violation
		f.inside = slices.Delete(f.inside, own, own+1)
	}
	r.put(f)
}

// says tells whether a leaf is about the same keyword and value as the frame that it is in.
func (f *frame) says(leaf *frame) bool {
	return leaf.violation > 0 && leaf.inside == nil && leaf.location == f.location && leaf.instance == f.instance
}

// report puts violation number i, from 0, into the innermost frame. pointer is that of the keyword in its file.
func (r *recorder) report(i int, pointer string, s *ir.Schema, keyword, instance string) {
	r.reported = i + 1
	if pointer == s.Origin.Pointer {
		keyword = "" // the schema false
	}
	leaf := r.frame(s, keyword, instance)
	leaf.violation = i + 1
	r.put(leaf)
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
