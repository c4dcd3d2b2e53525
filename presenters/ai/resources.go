package ai

import (
	"slices"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// resourceList draws the resources, the primary one first, then those that the advice speaks of, then the rest.
// No bytes are here: an image stands beside the text as its id (specification §8.6).
func (w *work) resourceList(p *painter, end int) fit {
	p.title("Resources")
	order := w.order()
	most := min(len(order), p.resources)
	w.attach(order[:most])
	inner := end
	if p.tight || most < len(order) {
		inner -= noteRoom(0, len(order), "resources")
	}
	drawn := 0
	for _, at := range order[:most] {
		here := p.mark()
		p.line(0)
		w.resource(p, at)
		if p.n > inner {
			p.back(here)
			break
		}
		drawn++
	}
	w.hide(order, drawn)
	switch {
	case drawn == len(order):
		return whole
	case drawn < most && !p.tight:
		return p.overflow()
	}
	p.omitPointer("/" + result.Resources.String())
	p.line(0)
	p.put("- [… " + itoa(drawn) + " of " + itoa(len(order)) + " resources]")
	if p.n > end {
		return none
	}
	if drawn == most { // as many as were asked for
		return whole
	}
	return cut
}

// order returns the nodes of the resources in the order in which they are shown.
func (w *work) order() (list []int) {
	at := w.member(result.Resources)
	if at < 0 || w.t.Kind(at) != wire.KindArray {
		return nil
	}
	advised := map[string]bool{}
	if ids := w.said(result.AIAdvice, "resourceIds"); ids >= 0 && w.t.Kind(ids) == wire.KindArray {
		for c := w.t.FirstChild(ids); c < w.t.Next(ids); c = w.t.Next(c) {
			advised[w.textOf(c)] = true
		}
	}
	primary := w.primary()
	if primary == "" && len(advised) == 0 {
		for c := w.t.FirstChild(at); c < w.t.Next(at); c = w.t.Next(c) {
			list = append(list, c)
		}
		return list
	}
	var second, third []int
	for c := w.t.FirstChild(at); c < w.t.Next(at); c = w.t.Next(c) {
		switch id := w.idOf(c); {
		case id == primary:
			list = append(list, c)
		case advised[id]:
			second = append(second, c)
		default:
			third = append(third, c)
		}
	}
	return slices.Concat(list, second, third)
}

func (w *work) primary() string { return w.textOf(w.said(result.Presentation, "primaryResourceId")) }

// textOf returns a string, "" when the node is none.
func (p *painter) textOf(at int) string {
	if at < 0 || p.t.Kind(at) != wire.KindString {
		return ""
	}
	return p.t.String(at)
}

func (p *painter) idOf(at int) string { return p.textOf(p.find(at, "id")) }

// attach puts what the model can take in beside the text.
func (w *work) attach(shown []int) {
	w.parts = nil
	for _, at := range shown {
		if kind := w.partOf(at); kind != "" {
			w.parts = append(w.parts, Part{Type: kind, ResourceID: w.idOf(at)})
		}
	}
}

// pictures are the image types that models take in. Others, drawings in SVG for one, stay links.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// partOf returns the type of the part that a resource becomes, "" for none.
func (w *work) partOf(at int) string {
	mime := w.textOf(w.find(at, "mimeType"))
	switch {
	case w.vision && w.is(w.find(at, "kind"), "image") && slices.Contains(pictures, mime):
		return "image"
	case w.audio && w.is(w.find(at, "kind"), "audio"):
		return "audio"
	}
	return ""
}

// hide names the resources that are neither among the first in the text nor beside it.
func (w *work) hide(order []int, drawn int) {
	w.hidden = nil
	attached := map[string]bool{}
	for _, part := range w.parts {
		attached[part.ResourceID] = true
	}
	for _, at := range order[drawn:] {
		if id := w.idOf(at); !attached[id] {
			w.hidden = append(w.hidden, id)
		}
	}
}

// longestDescription is how much of a resource's own description is shown, in characters.
const longestDescription = 200

// resource draws one line: what it is, how large, and where.
func (w *work) resource(p *painter, at int) {
	p.put("- ")
	p.spanOf(p.head(p.find(at, "id"), longestReference))
	p.put(" (")
	p.spanOf(p.head(p.find(at, "kind"), longestName))
	p.put(", ")
	p.spanOf(p.head(p.find(at, "role"), longestName))
	p.put("): ")
	p.mediaType(p.find(at, "mimeType"))
	if name := p.find(at, "fileName"); name >= 0 {
		p.put(", ")
		p.jsonText(name)
	}
	if d := p.find(at, "dimensions"); d >= 0 {
		p.put(", ")
		p.fact(p.find(d, "width"))
		p.put(" x ")
		p.fact(p.find(d, "height"))
		p.put(" pixels")
	}
	if d := p.find(at, "durationMs"); d >= 0 {
		p.put(", ")
		p.fact(d)
		p.put(" ms")
	}
	if size := p.find(at, "sizeBytes"); size >= 0 {
		p.put(", ")
		p.fact(size)
		p.put(" bytes")
	}
	if url := p.find(at, "url"); url >= 0 {
		p.put(", ")
		p.address(url)
	}
	switch w.partOf(at) {
	case "image":
		p.put(", attached as an image")
	case "audio":
		p.put(", attached as audio")
	}
	if id := p.idOf(at); id != "" && id == w.primary() {
		p.put(", the primary resource")
	}
	if about := p.find(p.find(at, "metadata"), "description"); about >= 0 && p.t.Kind(about) == wire.KindString && p.t.Count(about) <= longestDescription {
		p.put(": ")
		for c := p.charsOf(about); ; {
			r, ok := c.next()
			if !ok {
				break
			}
			plainChar(p, r)
		}
	}
}

// fact draws a number of a descriptor.
func (p *painter) fact(at int) {
	if at < 0 {
		return
	}
	raw := p.t.Raw(at)
	if len(raw) > longestName {
		p.put("[first " + itoa(longestName) + " of " + itoa(len(raw)) + " characters] ")
		raw = raw[:longestName]
		p.omit(at)
	}
	p.put(string(raw))
}

// mediaType draws a media type. One with parameters stands in a code span, because they may hold any words,
// those of this line for one.
func (p *painter) mediaType(at int) {
	const longest = 127 + len("/") + 127 // without parameters
	if at < 0 || p.t.Kind(at) != wire.KindString {
		return
	}
	if text := p.head(at, longest+1); len(text) > longest || strings.ContainsAny(text, "; \t`") {
		p.pointer(at)
		return
	}
	p.put(p.head(at, longest))
}

// address draws where a resource is: a link when it is one of the web, else the words as they are.
func (p *painter) address(at int) {
	if p.t.Kind(at) != wire.KindString {
		return
	}
	if count := p.t.Count(at); count <= longestURL && linkable(p.charsOf(at).raw) {
		if url := p.t.String(at); plainURL(url) {
			p.put("<" + url + ">")
			return
		}
	}
	p.put("address ")
	if n := p.charsOf(at).embedded(); n > 0 {
		p.put(mediaNote(n))
		p.omit(at)
		return
	}
	p.pointer(at)
}
