package ai

import (
	"strconv"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

// fit says what became of something that was to be drawn into limited room.
type fit int

const (
	none  fit = iota // nothing was drawn; the page is as before
	cut              // a part, with a note of how much there was
	whole            // all of it
)

// painter draws the values of one result onto a page.
//
// Everything that draws takes an end, the number of characters that the page may have afterwards, and keeps
// it. There are two ways of keeping it. In the first pass (not tight) nothing is ever cut: the first thing
// that does not fit ends the pass, because it is known then that the whole does not fit. In the second pass
// (tight) containers hold back the room of the note that says how much of them is shown, and give each
// member what is left less a little for those behind it. So a text that fits is never cut, and a text that
// does not fit costs two passes over what is shown.
type painter struct {
	page
	settings
	t        *wire.Tape
	tight    bool
	overflew bool     // the first pass has ended
	omitted  []string // JSON Pointers of what is cut
	way      []turn   // to the last of them
	words    worded
}

// slot is the place of a value.
type slot struct {
	labelled bool // behind a label; else at the front of a line
	indent   int  // of the lines below the label
	depth    int  // how many levels may be opened
	style    *style

	// What the command's schema says about the place.
	ports []call.Port // of the place and below; nil when nothing is known
	base  string      // the pointer of the place among the ports
	unit  string
}

// inline begins a value on the line where the place is.
func (s *slot) inline(p *painter) {
	p.hang = false
	if s.labelled {
		p.put(": ")
	}
}

// block begins a value on the lines below.
func (s *slot) block(p *painter) {
	if s.labelled {
		p.rune(':')
	}
}

func (p *painter) overflow() fit {
	p.overflew = true
	return none
}

// within takes back what goes beyond end.
func (p *painter) within(start mark, end int) fit {
	if p.n <= end {
		return whole
	}
	p.back(start)
	if !p.tight {
		return p.overflow()
	}
	return none
}

func itoa(n int) string { return strconv.Itoa(n) }

// value draws any value; -1 is one that is not there.
func (p *painter) value(at int, s slot, end int) fit {
	start := p.mark()
	if at < 0 {
		s.inline(p)
		p.put("(none)")
		return p.within(start, end)
	}
	switch p.t.Kind(at) {
	case wire.KindString:
		return p.text(at, s, end)
	case wire.KindNumber:
		return p.number(at, s, end)
	case wire.KindNull, wire.KindTrue, wire.KindFalse:
		s.inline(p)
		p.put(string(p.t.Raw(at)))
		return p.within(start, end)
	}
	if p.t.Count(at) == 0 {
		s.inline(p)
		p.put("(none)")
		return p.within(start, end)
	}
	if p.brief(at, s, end) {
		return p.within(start, end)
	}
	if s.depth <= 0 {
		return p.folded(at, s, end)
	}
	s.depth--
	if p.t.Kind(at) == wire.KindArray {
		return p.array(at, s, end)
	}
	s.block(p)
	if f := p.object(at, s, end); f != none {
		return f
	}
	p.back(start)
	return none
}

// longestNumber is how many characters of a number are shown.
const longestNumber = 400

// number draws a number with the digits that it came with.
func (p *painter) number(at int, s slot, end int) fit {
	start, raw := p.mark(), p.t.Raw(at)
	if len(raw) > longestNumber {
		p.put(" [first " + itoa(longestNumber) + " of " + itoa(len(raw)) + " characters]")
		raw = raw[:longestNumber]
		p.omit(at)
	}
	s.inline(p)
	p.put(string(raw))
	if s.unit != "" {
		p.rune(' ')
		p.unit(s.unit)
	}
	return p.within(start, end)
}

// brief draws objects that stand for one thing: a quantity with its unit, a reference to a resource.
func (p *painter) brief(at int, s slot, end int) bool {
	if value, unit, ok := p.quantity(at); ok {
		s.inline(p)
		p.put(string(p.t.Raw(value)))
		p.rune(' ')
		p.unit(p.t.String(unit))
		return true
	}
	if ref, ok := p.reference(at); ok {
		s.inline(p)
		p.put("resource ")
		p.spanOf(ref)
		return true
	}
	return false
}

// longestUnit is the longest unit that a quantity may have, in characters.
const longestUnit = 32

// quantity reports whether an object is one of specification §5.6: a value and its unit.
func (p *painter) quantity(at int) (value, unit int, ok bool) {
	t := p.t
	if t.Kind(at) != wire.KindObject || t.Count(at) != 2 {
		return 0, 0, false
	}
	value, _ = t.Find(at, "value")
	unit, _ = t.Find(at, "unit")
	ok = value > 0 && unit > 0 && t.Kind(value) == wire.KindNumber && len(t.Raw(value)) <= longestNumber &&
		t.Kind(unit) == wire.KindString && t.Count(unit) > 0 && t.Count(unit) <= longestUnit
	return value, unit, ok
}

func (p *painter) unit(s string) {
	for _, r := range s {
		plainChar(p, r)
	}
}

// longestReference is longer than any id of a resource.
const longestReference = 64

func (p *painter) reference(at int) (id string, ok bool) {
	t := p.t
	if t.Kind(at) != wire.KindObject || t.Count(at) != 1 || t.Kind(at+2) != wire.KindString || t.Count(at+2) > longestReference {
		return "", false
	}
	ref, ok := wire.RefAt(t, at)
	return ref.ID, ok
}

// longestFolded is the longest JSON that stands for a container below the depth, in bytes.
const longestFolded = 200

// folded draws a container that lies too deep: as JSON when it is short, else as a note of its size.
func (p *painter) folded(at int, s slot, end int) fit {
	start := p.mark()
	s.inline(p)
	n := p.t.Node(at)
	if n.End-n.Start <= longestFolded {
		p.jsonSpan(at)
		return p.within(start, end)
	}
	if n.Kind == wire.KindArray {
		p.put("[… list of " + plural(int(n.Count), "item") + "]")
	} else {
		p.put("[… object of " + plural(int(n.Count), "member") + "]")
	}
	if f := p.within(start, end); f == none {
		return none
	}
	p.omit(at)
	return whole // as far as room is concerned
}

// jsonSpan draws JSON in a code span.
func (p *painter) jsonSpan(at int) {
	from := p.mark()
	p.json(at)
	ticks, run := 0, 0
	for _, b := range p.buf[from.bytes:] {
		if run++; b != '`' {
			run = 0
		}
		ticks = max(ticks, run)
	}
	fence := strings.Repeat("`", ticks+1)
	p.insert(from, fence)
	p.put(fence)
}

// room is how a container gives out what it has: a member gets what is left, less what those behind it will
// probably want, but at least half.
type room struct{ pending int }

// probable is the most that one member is taken to want.
const probable = 200

// ahead bounds how far a container looks at what its members want, as a multiple of its room.
const ahead = 4

// wants estimates from sizes alone.
func (p *painter) wants(at int) int {
	n := p.t.Node(at)
	return min(int(n.End-n.Start)+8, probable)
}

func (r *room) limit(p *painter, end int) int {
	left := end - p.n
	return p.n + left - min(max(r.pending, 0), left/2)
}

// noteRoom is what the note "[… 12 of 300 members]" needs, on a line of its own.
func noteRoom(indent, count int, what string) int {
	return indent + len("\n\n- [ of ]") + 2 + 2*digits(count) + len(what)
}

// object draws the members of an object, one or more lines each. Members that are null are left out, as the
// specification wants it (§8.4), and so are those named in without, which somebody else draws.
func (p *painter) object(at int, s slot, end int, without ...string) fit {
	t, start := p.t, p.mark()
	count := t.Count(at)
	inner, r := end, room{}
	if p.tight {
		inner -= noteRoom(s.indent, count, "members")
		for m := t.Members(at); m.Next() && r.pending < ahead*(end-p.n); {
			r.pending += p.wants(m.Name) + p.wants(m.Value)
		}
	}
	result, seen, drawn, skipped := whole, 0, 0, 0
	for m := t.Members(at); m.Next(); seen++ {
		r.pending -= p.wants(m.Name) + p.wants(m.Value)
		if t.Kind(m.Value) == wire.KindNull || p.named(m.Name, without) {
			continue
		}
		limit := inner
		if p.tight {
			limit = r.limit(p, inner)
		}
		f := none
		// Of those behind one that did not fit only small ones are tried, or a deep value would be tried over and over.
		if skipped == 0 || p.wants(m.Value) < min(probable, limit-p.n) {
			f = p.member(m.Name, m.Value, s, limit)
		}
		if f != none {
			result = min(result, f)
			drawn++
			continue
		}
		if !p.tight || skipped == mostSkipped {
			break
		}
		skipped++
	}
	switch {
	case seen == count && drawn+skipped == 0: // nothing but nulls
		p.line(s.indent)
		p.put("(none)")
		return p.within(start, end)
	case seen == count && skipped == 0:
		return result
	case !p.tight || drawn == 0:
		p.back(start)
		return none
	}
	p.omit(at)
	p.line(s.indent)
	p.put("- [… " + itoa(seen-skipped) + " of " + itoa(count) + " members]")
	return cut
}

// mostSkipped is how many members that do not fit are passed over in search of smaller ones.
const mostSkipped = 8

func (p *painter) named(name int, list []string) bool {
	for _, s := range list {
		if p.t.NameEqual(name, s) {
			return true
		}
	}
	return false
}

// member draws one member of an object.
func (p *painter) member(name, value int, s slot, end int) fit {
	start := p.mark()
	p.line(s.indent)
	p.put("- ")
	below := slot{labelled: true, indent: s.indent + 2, depth: s.depth, style: s.style}
	port := p.port(name, &s)
	if port != nil {
		below.ports, below.base, below.unit = s.ports, port.Pointer, port.Unit
		if p.t.Kind(value) == wire.KindArray {
			below.ports, below.base = port.Items, ""
		}
	}
	if port != nil && port.Title != "" {
		p.spanOf(port.Title)
	} else {
		p.name(name)
	}
	if p.n > end {
		return p.within(start, end)
	}
	var f fit
	if s.style != nil && p.t.Kind(value) == wire.KindString && !p.blank(value) && p.named(name, s.style.code) {
		f = p.code(value, below, end)
	} else {
		f = p.value(value, below, end)
	}
	if f == none {
		p.back(start)
	}
	return f
}

// port returns what the schema says about a member, nil when it says nothing.
func (p *painter) port(name int, s *slot) *call.Port {
	if len(s.ports) == 0 {
		return nil
	}
	pointer := string(wire.AppendPointer([]byte(s.base), p.head(name, longestName)))
	for i := range s.ports {
		if s.ports[i].Pointer == pointer {
			return &s.ports[i]
		}
	}
	return nil
}
