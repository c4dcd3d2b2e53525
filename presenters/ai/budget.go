package ai

import (
	"slices"
	"strings"

	"vcp.core/runtime/result"
)

// section is a part of the text with its own heading.
type section struct {
	at     result.Member // whose value it shows
	about  string        // what the last note says about it when it is left out: "3 warnings"
	weight int           // its share when not everything fits
	draw   func(p *painter, end int) fit

	text    string
	n       int // characters of text
	fit     fit
	omitted []string
	need    int // characters that it would take, beyond the budget when it is not known
	grant   int // characters that it may take
}

// work is one presentation.
type work struct {
	painter
	v      *result.Visible
	budget int

	fields []string // omitted
	hidden []string // resources that are not shown
	parts  []Part   // beside the text
}

const between = "\n\n" // sections

// compose draws every section and joins them. When they do not fit together, room is given out by weight
// and what does not fit is drawn again, smaller.
func (w *work) compose() string {
	list := w.sections()
	room := w.budget
	for i := range list {
		s := &list[i]
		w.pass(s, w.budget, false)
		s.need = s.n
		if s.fit == none {
			s.need = w.budget + 1
		}
		room -= s.need + len(between)
	}
	room += len(between) // none before the first
	if room >= 0 {
		return w.join(list, "")
	}
	closing := min(max(w.budget/4, leastClosing), mostClosing)
	give(list, w.budget-closing)
	for i := range list {
		s := &list[i]
		switch {
		case s.grant == 0:
			s.text, s.n, s.fit, s.omitted = "", 0, none, []string{"/" + s.at.String()}
		case s.grant < s.need:
			w.pass(s, s.grant, true)
			if s.fit == none {
				s.omitted = []string{"/" + s.at.String()}
			}
		}
		if s.at == result.Resources && s.fit == none {
			w.hide(w.order(), 0)
		}
	}
	left := w.spread(list, w.budget-closing)
	return w.join(list, w.closing(list, closing+left))
}

// spread offers room that is left (a section rarely takes exactly its grant) to the sections that were cut, in
// their order, and returns what nobody could use.
func (w *work) spread(list []section, room int) (left int) {
	left = room
	for i := range list {
		if list[i].text != "" {
			left -= list[i].n + len(between)
		}
	}
	for i := range list {
		s := &list[i]
		if s.fit == whole || left < leastGrant {
			continue
		}
		more, hidden, had := *s, w.hidden, s.n
		if s.text == "" {
			had = -len(between)
		}
		w.pass(&more, had+left, true)
		if more.n <= s.n {
			w.hidden = hidden
			continue
		}
		left -= more.n - had
		*s = more
	}
	return left
}

// pass draws one section within end characters.
func (w *work) pass(s *section, end int, tight bool) {
	p := &w.painter
	p.page = page{buf: p.buf[:0]}
	p.tight, p.overflew, p.omitted = tight, false, nil
	s.fit = s.draw(p, end)
	if p.overflew || p.n > end {
		s.fit = none
	}
	s.text, s.n, s.omitted = "", 0, nil
	if s.fit != none {
		s.text, s.n, s.omitted = string(p.buf), p.n, p.omitted
	}
}

// leastGrant is the room below which a section that does not fit is not begun.
const leastGrant = 24

// give gives out room: every section its share by weight, and what one does not need to the others. When a
// share is too small to begin with, the last such section goes without, so that those before it get more.
func give(list []section, room int) {
	without := make([]bool, len(list))
	for {
		share(list, without, room)
		last := -1
		for i := range list {
			if !without[i] && list[i].grant < list[i].need && list[i].grant < leastGrant && i > 0 {
				last = i
			}
		}
		if last < 0 {
			return
		}
		without[last] = true
	}
}

// share is one round of it.
func share(list []section, without []bool, room int) {
	open := make([]int, 0, len(list))
	for i := range list {
		list[i].grant = 0
		if !without[i] {
			open = append(open, i)
			room -= len(between)
		}
	}
	for len(open) > 0 {
		weights := 0
		for _, i := range open {
			weights += list[i].weight
		}
		satisfied := -1
		for k, i := range open {
			if list[i].need <= room*list[i].weight/weights {
				satisfied = k
				break
			}
		}
		if satisfied < 0 {
			for _, i := range open {
				list[i].grant = max(room*list[i].weight/weights, 0)
			}
			return
		}
		i := open[satisfied]
		list[i].grant = list[i].need
		room -= list[i].need
		open = slices.Delete(open, satisfied, satisfied+1)
	}
}

func (w *work) join(list []section, closing string) string {
	var parts []string
	for i := range list {
		w.fields = append(w.fields, list[i].omitted...)
		if list[i].text != "" {
			parts = append(parts, list[i].text)
		}
	}
	if closing != "" {
		parts = append(parts, closing)
	}
	return strings.Join(parts, between)
}

// The room that is kept for the last note.
const (
	leastClosing = 40
	mostClosing  = 160
)

// closing is the last line of a text that was cut: what is left out altogether, how large the data is, and
// where the rest can be found. What has no room in it is counted.
func (w *work) closing(list []section, room int) string {
	var items []string
	for i := range list {
		if s := &list[i]; s.fit == none || s.fit == cut && (s.at == result.Data || s.at == result.Status) {
			items = append(items, s.about)
		}
	}
	room -= len(between) + len("[cut: ]")
	note := ""
	for i, item := range items {
		next := note
		if next != "" {
			next += ", "
		}
		next += item
		reserve := 0
		if i+1 < len(items) {
			reserve = len(", +10 more")
		}
		if len(next)+reserve > room {
			if note != "" {
				note += ", "
			}
			note += "+" + itoa(len(items)-i) + " more"
			break
		}
		note = next
	}
	if whole := "; the whole result is " + w.v.ID(); note != "" && len(note)+len(whole) <= room {
		note += whole
	}
	if note == "" { // everything is there, and something in it is cut and says so
		return ""
	}
	return "[cut: " + note + "]"
}

// omitSections names every section, because the text ends somewhere in the middle of them.
func (w *work) omitSections() {
	for i, s := range w.sections() {
		if pointer := "/" + s.at.String(); i > 0 && !slices.Contains(w.fields, pointer) {
			w.fields = append(w.fields, pointer)
		}
	}
}
