package policy

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// pointer is the JSON Pointer of the place at hand, as it will be in the visible.
func (w *walk) pointer() string {
	var p []byte
	for _, s := range w.path {
		switch {
		case s.index >= 0:
			p = strconv.AppendInt(append(p, '/'), int64(s.index), 10)
		case s.renamed != "":
			p = wire.AppendPointer(p, s.renamed)
		default:
			p = wire.AppendPointer(p, w.t.String(s.node))
		}
	}
	return string(p)
}

// tell notes that a rule hid something at the place at hand.
func (w *walk) tell(r *rule) {
	if len(w.told) > w.named || w.named == maxTold || w.bytes > maxToldBytes {
		w.tellMember(r)
		return
	}
	told := result.Redaction{Rule: r.Name, Target: w.pointer()}
	if w.named > 0 && w.told[w.named-1] == told {
		return
	}
	w.told = append(w.told, told)
	w.named++
	w.bytes += len(told.Target)
}

// tellRemoved notes that a resource was taken out, for which there is no place any more.
func (w *walk) tellRemoved(r *rule) {
	told := result.Redaction{Rule: r.Name, Target: w.memberPointer()}
	if slices.Contains(w.told, told) {
		return
	}
	w.told = append(w.told, told)
	if w.named == len(w.told)-1 {
		w.named++
	}
}

// tellMember notes that a rule hid something in the top-level member at hand.
func (w *walk) tellMember(r *rule) {
	if told := (result.Redaction{Rule: r.Name, Target: w.memberPointer()}); !slices.Contains(w.told[w.named:], told) {
		w.told = append(w.told, told)
	}
}

func (w *walk) memberPointer() string { return "/" + w.member.String() }

// replace notes that node i will be another text.
func (w *walk) replace(i int, text []byte) {
	n := w.t.Node(i)
	w.edits = append(w.edits, edit{int(n.Start), int(n.End), text})
}

// rewrite returns the text of the result with all edits. They do not overlap.
func (w *walk) rewrite() []byte {
	slices.SortStableFunc(w.edits, func(a, b edit) int { return a.start - b.start })
	src := w.t.Source()
	grown := 0
	for i := range w.edits {
		grown += len(w.edits[i].text)
	}
	out := make([]byte, 0, len(src)+grown)
	from := 0
	for _, e := range w.edits {
		out = append(append(out, src[from:e.start]...), e.text...)
		from = e.end
	}
	return append(out, src[from:]...)
}

func (w *walk) hiddenIDs() []string { return slices.Collect(maps.Keys(w.hidden)) }

// classified returns the rule that hides the whole result, nil for none.
func (w *walk) classified() *rule {
	at, ok := w.t.Find(w.v.At(result.Policy), "classification")
	if !ok {
		return nil
	}
	level := slices.IndexFunc(levels, func(l result.Classification) bool { return w.t.NameEqual(at, string(l)) })
	for _, r := range w.rules {
		if r.level > 0 && level >= r.level-1 {
			return r
		}
	}
	return nil
}

// hide finds the resources that are taken out: all of them when the result is classified.
func (w *walk) hide(classified *rule) {
	t := w.t
	list := w.v.At(result.Resources)
	for e := t.FirstChild(list); e < t.Next(list); e = t.Next(e) {
		r := classified
		for _, c := range w.rules {
			if r == nil && (c.kinds != nil && slices.Contains(c.kinds, w.stringAt(e, "kind")) || c.roles != nil && slices.Contains(c.roles, w.stringAt(e, "role"))) {
				r = c
			}
		}
		if r == nil {
			continue
		}
		if w.hidden == nil {
			w.hidden = map[string]*rule{}
		}
		w.hidden[w.stringAt(e, "id")] = r
	}
}

// stringAt returns a member of an object that is a string, "" for none.
func (w *walk) stringAt(object int, name string) string {
	if w.t.Kind(object) == wire.KindObject {
		if at, ok := w.t.Find(object, name); ok && w.t.Kind(at) == wire.KindString {
			return w.t.String(at)
		}
	}
	return ""
}

// resources takes resources out, and URLs.
func (w *walk) resources(list int, sp *spot, progress []states) {
	t := w.t
	depth := len(w.path)
	left := 0
	for e := t.FirstChild(list); e < t.Next(list); e = t.Next(e) {
		if r := w.hidden[w.stringAt(e, "id")]; r != nil {
			// The text is compact: the comma stands directly before the element, or after it.
			n := t.Node(e)
			out := edit{start: int(n.Start), end: int(n.End)}
			switch {
			case left > 0:
				out.start--
			case t.Next(e) < t.Next(list):
				out.end = int(t.Node(t.Next(e)).Start)
			}
			w.edits = append(w.edits, out)
			w.tellRemoved(r)
			continue
		}
		w.path = append(w.path[:depth], step{index: left})
		_, below := w.stepToken(progress, func() []byte { return strconv.AppendInt(nil, int64(left), 10) })
		if r := w.urlRule(e); r != nil {
			w.url(e, r, sp.rest, below)
		} else {
			w.visit(e, sp.rest, below)
		}
		left++
	}
	w.path = w.path[:depth]
}

// urlRule returns the rule that hides the URL of a resource.
func (w *walk) urlRule(resource int) *rule {
	access := ""
	if at, ok := w.t.Find(resource, "access"); ok {
		access = w.stringAt(at, "type")
	}
	for _, r := range w.rules {
		if r.urls != nil && slices.Contains(r.urls, access) {
			return r
		}
	}
	return nil
}

// url hides the URL of a resource and goes through its other members.
func (w *walk) url(resource int, r *rule, sp *spot, progress []states) {
	depth := len(w.path)
	for m := w.t.Members(resource); m.Next(); {
		inner := sp.below(w.read(m.Name, &w.name))
		w.path = append(w.path[:depth], step{index: -1, node: m.Name})
		here, below := w.step(progress, m.Name)
		if w.t.NameEqual(m.Name, "url") {
			here = r
		}
		if here == nil || !w.whole(m.Value, inner, here) {
			w.visit(m.Value, inner, below)
		}
	}
	w.path = w.path[:depth]
}

// primary takes presentation.primaryResourceId away when the resource is hidden.
func (w *walk) primary(presentation int) {
	if r := w.hidden[w.stringAt(presentation, "primaryResourceId")]; r != nil {
		at, _ := w.t.Find(presentation, "primaryResourceId")
		w.path = append(w.path[:1], step{index: -1, node: at - 1})
		w.tell(r)
		w.replace(at, []byte("null"))
	}
}

// advice reduces an advice about hidden resources to passing the result on (specification §8.2): its words may
// speak of them. It reports whether it did.
func (w *walk) advice(advice int) bool {
	t := w.t
	if w.hidden == nil || t.Kind(advice) != wire.KindObject {
		return false
	}
	ids, ok := t.Find(advice, "resourceIds")
	if !ok {
		return false
	}
	var gone *rule
	var left [][]byte
	for e := t.FirstChild(ids); e < t.Next(ids); e = t.Next(e) {
		if r := w.hidden[t.String(e)]; r != nil {
			gone = r
		} else {
			left = append(left, t.Raw(e))
		}
	}
	if gone == nil {
		return false
	}
	text := []byte(`{"intent":"relay","message":null,"resourceIds":[`)
	text = append(text, bytes.Join(left, []byte{','})...)
	text = append(text, `],"renderHint":null,"priority":`...)
	text = append(wire.AppendQuoted(text, w.stringAt(advice, "priority")), '}')
	w.tell(gone)
	w.wholes = append(w.wholes, advice)
	w.replace(advice, text)
	return true
}

// idsIn finds the ids of hidden resources in a text.
func idsIn(text []byte, hidden map[string]*rule) (found []span) {
	const prefix, length = "res_", len("res_") + 26
	if hidden == nil {
		return nil
	}
	for i := 0; i+length <= len(text); i++ {
		at := bytes.Index(text[i:], []byte(prefix))
		if at < 0 {
			break
		}
		i += at
		if i+length <= len(text) && hidden[string(text[i:i+length])] != nil {
			found = append(found, span{i, i + length})
		}
	}
	return found
}

// policy tells what was hidden, in the member policy.
func (w *walk) policy() {
	t := w.t
	at := w.v.At(result.Policy)
	part := result.PolicyPart{Classification: result.Classification(w.stringAt(at, "classification")), Sensitive: true}
	list, _ := t.Find(at, "redactionsApplied")
	for e := t.FirstChild(list); e < t.Next(list); e = t.Next(e) {
		told := result.Redaction{Rule: w.stringAt(e, "rule"), Target: w.stringAt(e, "target")}
		if w.lost(told.Target) {
			continue
		}
		told.Target = w.safe(told.Target)
		if !slices.Contains(part.Redactions, told) {
			part.Redactions = append(part.Redactions, told)
		}
	}
	before := len(part.Redactions)
	for _, told := range w.told {
		if !slices.Contains(part.Redactions[:before], told) {
			part.Redactions = append(part.Redactions, told)
		}
	}
	slices.SortStableFunc(part.Redactions, func(a, b result.Redaction) int { return memberOf(a.Target) - memberOf(b.Target) })
	w.replace(at, part.AppendJSON(nil))
}

// lost reports whether a place lies inside of a value that is hidden whole.
func (w *walk) lost(target string) bool {
	node, ok := w.t.Lookup(target)
	if !ok {
		return false
	}
	k, _ := slices.BinarySearch(w.wholes, node)
	return k > 0 && node < w.t.Next(w.wholes[k-1])
}

// safe returns the place of an earlier masking as this reader may know it: where its names are masked now,
// where resources were taken out before it, or where there is none, only the top-level member is told.
func (w *walk) safe(target string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(target, "/"), "/")
	if _, there := w.t.Lookup(target); !there || first == result.Resources.String() && w.hidden != nil {
		return "/" + first
	}
	for _, r := range w.finders {
		if len(r.find.find([]byte(target), nil)) > 0 {
			return "/" + first
		}
	}
	return target
}

// memberOf is the number of the top-level member that a place lies in.
func memberOf(target string) int {
	first, _, _ := strings.Cut(strings.TrimPrefix(target, "/"), "/")
	for m := result.Protocol; m <= result.Extensions; m++ {
		if m.String() == first {
			return int(m)
		}
	}
	return 0
}
