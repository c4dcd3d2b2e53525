package ai

import (
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// sections returns the sections of a text in the order of specification §8.2. The weights give status, error
// and summary first call on scarce room, then data, then the rest.
func (w *work) sections() []section {
	t := w.t
	list := []section{{at: result.Status, about: w.aboutTool(), weight: 30, draw: w.heading}}
	if at := w.member(result.Error); at >= 0 {
		list = append(list, section{at: result.Error, about: "error", weight: 40, draw: w.failure})
	}
	if w.said(result.Presentation, "title") >= 0 || w.said(result.Presentation, "summary") >= 0 {
		list = append(list, section{at: result.Presentation, about: "summary", weight: 20, draw: w.summary})
	}
	if at := w.member(result.Task); at >= 0 {
		list = append(list, section{at: result.Task, about: "task", weight: 20, draw: w.task})
	}
	if at := w.member(result.Data); at >= 0 {
		size := int(t.Node(at).End - t.Node(at).Start)
		list = append(list, section{at: result.Data, about: "data " + itoa(size) + " bytes", weight: 50, draw: w.data})
	}
	if n := w.count(result.Resources); n > 0 {
		list = append(list, section{at: result.Resources, about: plural(n, "resource"), weight: 15, draw: w.resourceList})
	}
	if n := w.count(result.Warnings); n > 0 {
		list = append(list, section{at: result.Warnings, about: plural(n, "warning"), weight: 10, draw: w.warnings})
	}
	if a := w.advice(); a.any() {
		list = append(list, section{at: result.AIAdvice, about: "advice", weight: 8, draw: a.draw})
	}
	if w.metadata {
		list = append(list, section{at: result.Execution, about: "execution", weight: 5, draw: w.execution})
	}
	return list
}

// aboutTool is for a text that has no room for the tool's name.
func (w *work) aboutTool() string {
	return "tool name " + itoa(w.t.Count(max(w.said(result.Tool, "name"), 0))) + " characters"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return itoa(n) + " " + what + "s"
}

// member returns a top-level member that is not null, -1 otherwise.
func (w *work) member(m result.Member) int {
	at := w.v.At(m)
	if at >= 0 && w.t.Kind(at) == wire.KindNull {
		return -1
	}
	return at
}

// count returns the number of elements of a top-level array.
func (w *work) count(m result.Member) int {
	if at := w.member(m); at >= 0 && w.t.Kind(at) == wire.KindArray {
		return w.t.Count(at)
	}
	return 0
}

// said returns a member of a top-level object when it is not null, -1 otherwise.
func (w *work) said(m result.Member, name string) int { return w.find(w.member(m), name) }

// find returns a member of an object when it is not null, -1 otherwise.
func (p *painter) find(at int, name string) int {
	if at < 0 || p.t.Kind(at) != wire.KindObject {
		return -1
	}
	if value, ok := p.t.Find(at, name); ok && p.t.Kind(value) != wire.KindNull {
		return value
	}
	return -1
}

// is reports whether a node is a string with that text.
func (p *painter) is(at int, text string) bool {
	return at >= 0 && p.t.Kind(at) == wire.KindString && p.t.NameEqual(at, text)
}

// longestHeading is how much of a name a heading shows. Names of tools that are registered are shorter.
const longestHeading = 130

// heading draws "# success: Tool.Command", and "# error CODE: Tool.Command" when it failed. When there is no room
// the tool goes first, then the code: how the call went is said in any case.
func (w *work) heading(p *painter, end int) fit {
	p.put("# ")
	p.put(string(w.v.Status()))
	least := p.mark()
	if code := w.said(result.Error, "code"); code >= 0 {
		p.rune(' ')
		p.spanOf(p.head(code, longestHeading))
		if p.n <= end {
			least = p.mark()
		}
	}
	p.put(": ")
	tool, command := w.said(result.Tool, "name"), w.said(result.Tool, "command")
	name := p.head(tool, longestHeading)
	if command >= 0 {
		name += "." + p.head(command, longestHeading)
	}
	p.spanOf(name)
	count, commandCount := p.t.Count(max(tool, 0)), 0
	if tool >= 0 && count > longestHeading {
		p.put(" [first " + itoa(longestHeading) + " of " + itoa(count) + " characters of the tool's name]")
	}
	if command >= 0 {
		commandCount = p.t.Count(command)
	}
	if commandCount > longestHeading {
		p.put(" [first " + itoa(longestHeading) + " of " + itoa(commandCount) + " characters of the command's name]")
	}
	if p.n > end {
		if !p.tight {
			return p.overflow()
		}
		p.back(least)
		p.omitPointer("/tool")
		return cut
	}
	if tool >= 0 && count > longestHeading {
		p.omit(tool)
	}
	if commandCount > longestHeading {
		p.omit(command)
	}
	return whole
}

// lines draws one line after the other, nil being none. When not all of them fit, it says how many do, and
// notes the section as cut.
func (p *painter) lines(end int, m result.Member, list ...func(end int) fit) fit {
	list = slices.DeleteFunc(list, func(draw func(int) fit) bool { return draw == nil })
	inner := end
	if p.tight {
		inner -= noteRoom(0, len(list), "parts")
	}
	f := whole
	for i, draw := range list {
		here, limit := p.mark(), inner
		if p.tight && i+1 < len(list) { // one long line leaves something to the others
			limit -= min((len(list)-1-i)*probableLine, (inner-p.n)/4)
		}
		this := draw(limit)
		if this == none {
			p.back(here)
			if !p.tight || i == 0 {
				return none
			}
			p.omitPointer("/" + m.String())
			p.line(0)
			p.put("- [… " + itoa(i) + " of " + itoa(len(list)) + " parts]")
			return cut
		}
		f = min(f, this)
	}
	return f
}

// probableLine is what a line of ours is taken to want.
const probableLine = 40

// labelled draws "label: value" at the front of a line.
func (p *painter) labelled(label string, at, end int) fit {
	start := p.mark()
	p.line(0)
	p.put(label)
	f := p.value(at, slot{labelled: true, indent: 2, depth: p.depth}, end)
	if f == none {
		p.back(start)
	}
	return f
}

// sentence draws words of ours.
func (p *painter) sentence(text string, end int) fit {
	start := p.mark()
	p.line(0)
	p.put(text)
	return p.within(start, end)
}

// summary draws what the plugin says in its own words (specification §5.8).
func (w *work) summary(p *painter, end int) fit {
	p.title("Summary")
	return p.lines(end, result.Presentation, w.line(p, "title", w.said(result.Presentation, "title")), w.line(p, "summary", w.said(result.Presentation, "summary")))
}

// title draws the heading of a section.
func (p *painter) title(text string) {
	p.put("## ")
	p.put(text)
	p.put("\n\n")
	p.hang = true
}

// data draws data in the view that the plugin prefers, when there is one of that name.
func (w *work) data(p *painter, end int) fit {
	p.title("Data")
	if p.n > end {
		return none
	}
	at := w.member(result.Data)
	if draw, ok := renderers[w.view()]; ok {
		return draw(p, at, end)
	}
	return p.generic(at, end)
}

// view is the name of the view that the plugin prefers, "" for none.
func (w *work) view() string {
	if at := w.said(result.Presentation, "preferredView"); at >= 0 {
		return w.t.String(at)
	}
	return ""
}

// generic draws any data (specification §8.4).
func (p *painter) generic(at, end int) fit {
	return p.value(at, p.slotOf(at), end)
}

// slotOf is the place of data itself.
func (p *painter) slotOf(at int) slot {
	s := slot{depth: p.depth, ports: p.outputs, style: &plain}
	if p.t.Kind(at) != wire.KindArray {
		return s
	}
	s.ports = nil
	for i := range p.outputs {
		if p.outputs[i].Pointer == "" {
			s.ports = p.outputs[i].Items
		}
	}
	return s
}

// warnings draws one line for each warning.
func (w *work) warnings(p *painter, end int) fit {
	p.title("Warnings")
	return p.list(w.member(result.Warnings), end, "warnings", func(at, end int) fit {
		start := p.mark()
		p.line(0)
		p.put("- ")
		p.spanOf(p.head(p.find(at, "code"), longestHeading))
		if target := p.find(at, "target"); target >= 0 {
			p.put(" at ")
			p.pointer(target)
		}
		f := p.value(p.find(at, "message"), slot{labelled: true, indent: 2}, end)
		if details := p.find(at, "details"); f == whole && details >= 0 && p.t.Count(details) > 0 {
			here := p.mark()
			p.line(2)
			p.put("- details")
			if f = p.value(details, slot{labelled: true, indent: 4, depth: p.depth}, end); f == none && p.tight {
				p.back(here)
				p.line(2)
				p.put("- details: [… object of " + plural(p.t.Count(details), "member") + "]")
				if p.n <= end {
					p.omit(details)
					return cut
				}
			}
		}
		if f == none {
			p.back(start)
		}
		return f
	})
}

// pointer draws a JSON Pointer, or whatever a plugin gave for one.
func (p *painter) pointer(at int) {
	if at < 0 || p.t.Kind(at) != wire.KindString {
		return
	}
	if p.t.Count(at) == 0 {
		p.put("the whole")
		return
	}
	text := []rune(p.head(at, longestName))
	p.codeSpan(text)
	if count := p.t.Count(at); count > longestName {
		p.put(" [first " + itoa(longestName) + " of " + itoa(count) + " characters]")
		p.omit(at)
	}
}

// list draws the elements of an array by a function, as many as fit, and says how many there are.
func (p *painter) list(at, end int, what string, draw func(at, end int) fit) fit {
	t, count := p.t, p.t.Count(at)
	inner := end
	if p.tight {
		inner -= noteRoom(0, count, what)
	}
	f, drawn := whole, 0
	for c := t.FirstChild(at); c < t.Next(at); c = t.Next(c) {
		limit := inner
		if p.tight {
			limit -= min((count-drawn-1)*probable, (inner-p.n)/2)
		}
		this := draw(c, limit)
		if this == none {
			break
		}
		f = min(f, this)
		drawn++
	}
	switch {
	case drawn == count:
		return f
	case !p.tight || drawn == 0:
		return none
	}
	p.omit(at)
	p.line(0)
	p.put("- [… " + itoa(drawn) + " of " + itoa(count) + " " + what + "]")
	return cut
}

// execution draws facts about how the command was run.
func (w *work) execution(p *painter, end int) fit {
	p.title("Execution")
	list := []func(end int) fit{w.line(p, "result", w.v.At(result.ID))}
	for _, name := range []string{"invocationId", "requestId", "recordId", "startedAt", "finishedAt", "durationMs", "timeoutMs", "attempt"} {
		list = append(list, w.line(p, name, w.said(result.Execution, name)))
	}
	list = append(list, w.line(p, "version", w.said(result.Tool, "version")), w.line(p, "source", w.said(result.Origin, "source")), w.line(p, "node", w.said(result.Origin, "nodeId")))
	return p.lines(end, result.Execution, list...)
}

// line returns what draws "- label: value", nil for a value that is not there.
func (w *work) line(p *painter, label string, at int) func(end int) fit {
	if at < 0 {
		return nil
	}
	return func(end int) fit { return p.labelled("- "+label, at, end) }
}
