package ai

import (
	"slices"

	"vcp.core/contract/wire"
)

// array draws a list: numbers on one line, small flat objects as a table, everything else numbered.
func (p *painter) array(at int, s slot, end int) fit {
	count := p.t.Count(at)
	// No more elements than there is room for can be shown, so no more are looked at.
	room := end - p.n
	if p.allShort(at, room) {
		return p.short(at, s, end)
	}
	start := p.mark()
	if s.labelled {
		p.put(" (" + itoa(count) + ")")
	}
	s.block(p)
	var columns []column
	if s.style == nil || !s.style.listed {
		columns = p.columns(at, room, &s)
	}
	var f fit
	if columns != nil {
		f = p.table(at, columns, s, end)
	} else {
		f = p.numbered(at, s, end)
	}
	if f == none {
		p.back(start)
	}
	return f
}

// allShort reports whether the elements that room can hold are numbers, booleans or null.
func (p *painter) allShort(at, room int) bool {
	for c := p.t.FirstChild(at); c < p.t.Next(at) && room >= 0; c = p.t.Next(c) {
		switch n := p.t.Node(c); {
		case n.Kind >= wire.KindString, n.End-n.Start > longestNumber:
			return false
		default:
			room -= int(n.End-n.Start) + len(", ")
		}
	}
	return true
}

// short draws numbers and the like on one line.
func (p *painter) short(at int, s slot, end int) fit {
	start, count := p.mark(), p.t.Count(at)
	draw := func(end int) (taken int) {
		s.inline(p)
		for c := p.t.FirstChild(at); c < p.t.Next(at); c = p.t.Next(c) {
			here := p.mark()
			if taken > 0 {
				p.put(", ")
			}
			p.put(string(p.t.Raw(c)))
			if p.n > end {
				p.back(here)
				return taken
			}
			taken++
		}
		return taken
	}
	if draw(end) == count && p.n <= end {
		return whole
	}
	p.back(start)
	if !p.tight {
		return p.overflow()
	}
	taken := draw(end - len(" [first  of  items]") - 2*digits(count))
	if taken == 0 || p.n > end {
		p.back(start)
		return none
	}
	p.first(start, s, taken, count, "items")
	p.omit(at)
	return cut
}

// numbered draws a list item by item.
func (p *painter) numbered(at int, s slot, end int) fit {
	t, start := p.t, p.mark()
	count := t.Count(at)
	inner, r := end, room{}
	if p.tight {
		inner -= noteRoom(s.indent, count, "items")
		for c := t.FirstChild(at); c < t.Next(at) && r.pending < ahead*(end-p.n); c = t.Next(c) {
			r.pending += p.wants(c)
		}
	}
	result, drawn := whole, 0
	for c := t.FirstChild(at); c < t.Next(at); c = t.Next(c) {
		here := p.mark()
		r.pending -= p.wants(c)
		limit := inner
		if p.tight {
			limit = r.limit(p, inner)
		}
		lead := itoa(drawn+1) + ". "
		p.line(s.indent)
		p.put(lead)
		p.hang = true
		f := none
		if p.n <= limit {
			f = p.value(c, slot{indent: s.indent + len(lead), depth: s.depth, style: s.style, ports: s.ports, base: s.base}, limit)
		} else if !p.tight {
			p.overflew = true
		}
		p.hang = false
		if f == none {
			p.back(here)
			break
		}
		result = min(result, f)
		drawn++
	}
	if drawn == count {
		return result
	}
	if !p.tight || drawn == 0 {
		p.back(start)
		return none
	}
	p.omit(at)
	p.line(s.indent)
	p.put("[… " + itoa(drawn) + " of " + itoa(count) + " items]")
	return cut
}

// What still is a small flat object.
const (
	maxColumns  = 12
	longestCell = 120 // characters
)

// column is a member that rows of a table have. Its name is a node of the first row that has it.
type column struct {
	name  string
	title string
	unit  string
}

// columns returns the columns of a table when the elements that room can hold are small flat objects, nil
// otherwise: the union of their members that are not null, in the order in which they are met.
func (p *painter) columns(at, room int, s *slot) []column {
	t, longest := p.t, longestCell
	if s.style != nil && s.style.cell > 0 {
		longest = s.style.cell
	}
	var list []column
	for c := t.FirstChild(at); c < t.Next(at) && room >= 0; c = t.Next(c) {
		if t.Kind(c) != wire.KindObject || t.Count(c) > maxColumns {
			return nil
		}
		for m := t.Members(c); m.Next(); {
			if !p.cellSized(m.Value, longest) || t.Count(m.Name) > longestCell {
				return nil
			}
			room -= len("|  ") + p.leastCell(m.Value)
			if t.Kind(m.Value) == wire.KindNull || p.columnOf(list, m.Name) >= 0 {
				continue
			}
			if len(list) == maxColumns {
				return nil
			}
			k := column{name: t.String(m.Name)}
			if port := p.port(m.Name, s); port != nil {
				k.title, k.unit = port.Title, port.Unit
			}
			list = append(list, k)
		}
		room -= len("\n|")
	}
	if s.style != nil {
		slices.SortStableFunc(list, func(a, b column) int { return rank(s.style.first, a.name) - rank(s.style.first, b.name) })
	}
	return list
}

// rank is the place of a name among those that stand in front; the others come behind them.
func rank(first []string, name string) int {
	if i := slices.Index(first, name); i >= 0 {
		return i
	}
	return len(first)
}

// leastCell is the least that a value takes in a cell.
func (p *painter) leastCell(at int) int {
	switch n := p.t.Node(at); n.Kind {
	case wire.KindString:
		return int(n.Count)
	case wire.KindNumber:
		return int(n.End - n.Start)
	}
	return 0
}

func (p *painter) columnOf(list []column, name int) int {
	for i := range list {
		if p.t.NameEqual(name, list[i].name) {
			return i
		}
	}
	return -1
}

// cellSized reports whether a value fits a cell.
func (p *painter) cellSized(at, longest int) bool {
	switch p.t.Kind(at) {
	case wire.KindString:
		return p.t.Count(at) <= longest
	case wire.KindNumber:
		return len(p.t.Raw(at)) <= longestNumber
	case wire.KindArray:
		return p.t.Count(at) == 0
	case wire.KindObject:
		if p.t.Count(at) == 0 {
			return true
		}
		if _, _, ok := p.quantity(at); ok {
			return true
		}
		_, ok := p.reference(at)
		return ok
	}
	return true
}

// table draws rows. What fits is shown from the front.
func (p *painter) table(at int, columns []column, s slot, end int) fit {
	t, start := p.t, p.mark()
	count := t.Count(at)
	inner := end
	if p.tight {
		inner -= noteRoom(s.indent, count, "rows")
	}
	p.line(s.indent)
	p.rune('|')
	for _, k := range columns {
		p.rune(' ')
		label := k.name
		if k.title != "" {
			label = k.title
		}
		for _, r := range label {
			cellChar(p, r)
		}
		if k.unit != "" {
			p.put(" (")
			for _, r := range k.unit {
				cellChar(p, r)
			}
			p.put(")")
		}
		p.put(" |")
	}
	p.line(s.indent)
	p.rune('|')
	for range columns {
		p.put(" --- |")
	}
	drawn := 0
	for c := t.FirstChild(at); c < t.Next(at); c = t.Next(c) {
		here := p.mark()
		p.row(c, columns, s.indent)
		if p.n > inner {
			p.back(here)
			break
		}
		drawn++
	}
	if drawn == count {
		return whole
	}
	if !p.tight || drawn == 0 {
		p.back(start)
		if !p.tight {
			p.overflew = true
		}
		return none
	}
	p.omit(at)
	p.put("\n") // an empty line ends a table
	p.line(s.indent)
	p.put("[… " + itoa(drawn) + " of " + itoa(count) + " rows]")
	return cut
}

func (p *painter) row(at int, columns []column, indent int) {
	var cells [maxColumns]int
	for m := p.t.Members(at); m.Next(); {
		if i := p.columnOf(columns, m.Name); i >= 0 {
			cells[i] = m.Value
		}
	}
	p.line(indent)
	p.rune('|')
	for i := range columns {
		p.rune(' ')
		if cells[i] > 0 {
			p.cell(cells[i])
		}
		p.put(" |")
	}
}

func (p *painter) cell(at int) {
	switch p.t.Kind(at) {
	case wire.KindNull:
	case wire.KindString:
		p.cellText(at)
	case wire.KindArray:
		p.put("(none)")
	case wire.KindObject:
		if value, unit, ok := p.quantity(at); ok {
			p.put(string(p.t.Raw(value)))
			p.rune(' ')
			p.cellText(unit)
		} else if ref, ok := p.reference(at); ok {
			p.put("resource ")
			for _, r := range ref {
				cellChar(p, r)
			}
		} else {
			p.put("(none)")
		}
	default:
		p.put(string(p.t.Raw(at)))
	}
}

func (p *painter) cellText(at int) {
	if linkable(p.charsOf(at).raw) {
		if url := p.t.String(at); plainURL(url) {
			p.put("<" + url + ">")
			return
		}
	}
	for c := p.charsOf(at); ; {
		r, ok := c.next()
		if !ok {
			return
		}
		cellChar(p, r)
	}
}
