package ai

import (
	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// failure draws the error: what it is, what to correct, whether to try again (specification §6.1). A model
// that reads it can correct its own call.
func (w *work) failure(p *painter, end int) fit {
	at := w.member(result.Error)
	details := p.find(at, "details")
	p.title("Error")
	// The code stands in the heading.
	list := []func(end int) fit{
		w.line(p, "message", p.find(at, "message")), w.line(p, "category", p.find(at, "category")), w.line(p, "target", p.find(at, "target")),
	}
	if violations := p.violations(details); violations >= 0 {
		list = append(list, func(end int) fit { return p.corrections(violations, details, end) })
	}
	list = append(list, func(end int) fit { return p.sentence("- "+w.retry(at, details), end) })
	if cause := p.find(at, "cause"); cause >= 0 {
		list = append(list, w.line(p, "cause", p.find(cause, "message")), w.line(p, "cause code", p.find(cause, "code")))
	}
	list = append(list, p.further(details))
	return p.lines(end, result.Error, list...)
}

// retry says whether the same call is worth another try.
func (w *work) retry(at, details int) string {
	p := &w.painter
	retryable := p.find(at, "retryable")
	switch {
	case p.is(p.worded(details).effect, "unknown") && retryable >= 0 && p.t.Kind(retryable) != wire.KindTrue:
		return "retry: no; the command may have taken effect, so find out before calling it again"
	case retryable >= 0 && p.t.Kind(retryable) == wire.KindTrue:
		return "retry: the same call may succeed later"
	case w.v.Status() == call.Cancelled:
		return "retry: only when it is asked for again"
	}
	return "retry: the same call will fail again; change it first"
}

// worded are the members of an error's details that are said in words, -1 for those that are not there. Of nothing yet, details
// is 0: that is the node of the result itself.
type worded struct {
	details, effect, violations, count int
}

// worded finds them, once for a view: details may have as many members as a result has room for.
func (p *painter) worded(details int) worded {
	if p.words.details == details {
		return p.words
	}
	n := worded{details, -1, -1, -1}
	if details >= 0 && p.t.Kind(details) == wire.KindObject {
		for m := p.t.Members(details); m.Next(); {
			switch {
			case p.t.Kind(m.Value) == wire.KindNull:
			case p.t.NameEqual(m.Name, "effect"):
				n.effect = m.Value
			case p.t.NameEqual(m.Name, "violations"):
				n.violations = m.Value
			case p.t.NameEqual(m.Name, "violationCount"):
				n.count = m.Value
			}
		}
	}
	p.words = n
	return n
}

// violations returns the violations that the core lists in the details of an error, -1 when there are none.
func (p *painter) violations(details int) int {
	at := p.worded(details).violations
	if at < 0 || p.t.Kind(at) != wire.KindArray || p.t.Count(at) == 0 {
		return -1
	}
	looked := 0
	for c := p.t.FirstChild(at); c < p.t.Next(at) && looked < mostLooked; c = p.t.Next(c) {
		looked++
		pointer, message := p.find(c, "pointer"), p.find(c, "message")
		if pointer < 0 || message < 0 || p.t.Kind(pointer) != wire.KindString || p.t.Kind(message) != wire.KindString {
			return -1
		}
	}
	return at
}

// mostLooked is how many entries are looked at to know that a list is one of violations. The core lists 20.
const mostLooked = 40

// corrections draws each violation: where, what is wanted, what is there, and the hint.
func (p *painter) corrections(at, details, end int) fit {
	start := p.mark()
	p.line(0)
	p.put("- to correct:")
	listed := p.t.Count(at)
	count := listed
	if n := p.worded(details).count; n >= 0 {
		if v, ok := wire.SmallInteger(p.t, n); ok && v > int64(count) && v < 1<<31 {
			count = int(v)
		}
	}
	inner := end
	if p.tight || count > listed {
		inner -= noteRoom(2, count, "violations")
	}
	f, drawn := whole, 0
	for c := p.t.FirstChild(at); c < p.t.Next(at); c = p.t.Next(c) {
		here := p.mark()
		p.line(2)
		p.put(itoa(drawn+1) + ". ")
		p.pointer(p.find(c, "pointer"))
		if member := p.find(c, "member"); member >= 0 && p.t.Kind(member) == wire.KindString {
			p.put(", member ")
			p.pointer(member)
		}
		this := p.value(p.find(c, "message"), slot{labelled: true, indent: 5}, inner)
		for _, name := range []string{"got", "hint"} {
			value := p.find(c, name)
			if this == none || value < 0 || name == "got" && p.absence(c) {
				continue
			}
			p.line(5)
			p.put("- " + name)
			this = min(this, p.value(value, slot{labelled: true, indent: 7}, inner))
		}
		if this == none {
			p.back(here)
			break
		}
		f = min(f, this)
		drawn++
	}
	if drawn == 0 || drawn < listed && !p.tight {
		p.back(start)
		return none
	}
	if drawn < count {
		p.line(2)
		p.put("[… " + itoa(drawn) + " of " + itoa(count) + " violations]")
		if drawn < listed {
			p.omit(at)
			return cut
		}
	}
	return f
}

// absence reports whether a violation is about a member that is missing or not wanted: its name says it all.
func (p *painter) absence(at int) bool {
	keyword := p.find(at, "keyword")
	return p.is(keyword, "required") || p.is(keyword, "additionalProperties")
}

// inWords returns the members of details that are drawn in words.
func (p *painter) inWords(details int) (list []string) {
	if p.is(p.worded(details).effect, "unknown") {
		list = append(list, "effect")
	}
	if p.violations(details) >= 0 {
		list = append(list, "violations", "violationCount")
	}
	return list
}

// further draws what details hold beyond that, nil when there is nothing.
func (p *painter) further(details int) func(end int) fit {
	if details < 0 || p.t.Kind(details) != wire.KindObject {
		return nil
	}
	without := p.inWords(details)
	for m := p.t.Members(details); m.Next(); {
		if p.named(m.Name, without) || p.t.Kind(m.Value) == wire.KindNull {
			continue
		}
		return func(end int) fit {
			start := p.mark()
			p.line(0)
			p.put("- details:")
			f := p.object(details, slot{indent: 2, depth: p.depth}, end, without...)
			if f == none {
				p.back(start)
			}
			return f
		}
	}
	return nil
}

// task draws the work that goes on or has ended (specification §10.3).
func (w *work) task(p *painter, end int) fit {
	at := w.member(result.Task)
	p.title("Task")
	var list []func(end int) fit
	if w.v.Status() == call.Accepted {
		list = append(list, func(end int) fit {
			return p.sentence("Accepted; the result comes later.", end)
		})
	}
	list = append(list, w.line(p, "id", p.find(at, "id")), w.line(p, "state", p.find(at, "state")),
		w.line(p, "placeholder for the result", p.find(at, "placeholder")), w.line(p, "progress", p.find(at, "progress")))
	if poll := p.find(at, "pollAfterMs"); poll >= 0 {
		list = append(list, func(end int) fit {
			start := p.mark()
			p.line(0)
			p.put("- ask again after")
			f := p.value(poll, slot{labelled: true, unit: "ms"}, end)
			if f == none {
				p.back(start)
			}
			return f
		})
	}
	return p.lines(end, result.Task, list...)
}
