package policy

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// maxTold and maxToldBytes bound the places that a visible names one by one. After that a rule is told with
// the top-level member that it hid something in.
const (
	maxTold      = 256
	maxToldBytes = 1 << 16
)

// edit replaces the bytes of the result from start to end.
type edit struct {
	start, end int
	text       []byte
}

// walk goes through a result once, in document order, and collects edits.
type walk struct {
	v     *result.Visible
	t     *wire.Tape
	rules []*rule // that hold for the reader

	pointers, keys, finders []*rule

	hidden      map[string]*rule // ids of resources that are taken out
	member      result.Member    // the top-level member at hand
	path        []step
	edits       []edit
	told        []result.Redaction
	named       int    // the first of told, which are named one by one
	bytes       int    // of their pointers
	wholes      []int  // values that were hidden whole, ascending
	name, value []byte // texts at hand
	spans       []span
	quoted      map[int]*rule // what an error repeats of credentials, by its node
	quotes      []quote
}

// step is one token of the path: an index, or a name.
type step struct {
	index   int    // of an element, as it will be; -1 for a member
	node    int    // of the member's name
	renamed string // the name as it will be, "" for as it is
}

// walks are walks that are over, with the room that they took.
var walks = sync.Pool{New: func() any { return new(walk) }}

// newWalk returns a walk, which is given back with end.
func newWalk(v *result.Visible, rules []rule, active uint64) *walk {
	w := walks.Get().(*walk)
	w.v, w.t = v, v.Tape()
	for i := range rules {
		if active>>i&1 == 0 {
			continue
		}
		r := &rules[i]
		w.rules = append(w.rules, r)
		if r.pointers != nil {
			w.pointers = append(w.pointers, r)
		}
		if r.keys != nil {
			w.keys = append(w.keys, r)
		}
		if r.find != nil {
			w.finders = append(w.finders, r)
		}
	}
	return w
}

// maxRoom bounds the bytes of a text that a walk keeps room for.
const maxRoom = 4 << 10

// end gives a walk back. One that found something is not used again: it knows what it found.
func (w *walk) end() {
	if len(w.edits) > 0 || w.hidden != nil || w.quoted != nil || cap(w.name) > maxRoom || cap(w.value) > maxRoom || cap(w.path) > maxRoom {
		return
	}
	*w = walk{
		rules: w.rules[:0], pointers: w.pointers[:0], keys: w.keys[:0], finders: w.finders[:0],
		path: w.path[:0], name: w.name[:0], value: w.value[:0], spans: w.spans[:0],
	}
	walks.Put(w)
}

// result goes through all members.
func (w *walk) result() {
	t := w.t
	classified := w.classified()
	w.hide(classified)
	w.findQuotes()
	progress := make([]states, len(w.pointers))
	for i, r := range w.pointers {
		progress[i] = begin(r.pointers)
	}
	member := result.Protocol
	for m := t.Members(t.Root()); m.Next(); member++ { // they are in this order
		w.member = member
		sp := tops[member]
		if w.passes(sp) {
			continue
		}
		w.path = append(w.path[:0], step{index: -1, node: m.Name})
		here, below := w.step(progress, m.Name)
		switch {
		case sp == fixed:
		case here != nil && w.whole(m.Value, sp, here):
		case classified != nil && said>>member&1 == 1:
			w.all(m.Value, sp, classified)
		case member == result.Resources:
			w.resources(m.Value, sp, below)
		case member == result.Presentation:
			w.visit(m.Value, sp, below)
			w.primary(m.Value)
		case member == result.AIAdvice && w.advice(m.Value):
		default:
			w.visit(m.Value, sp, below)
		}
	}
	if len(w.edits) > 0 {
		w.policy()
	}
}

// said are the members that hold what a tool said.
const said = 1<<result.Data | 1<<result.Warnings | 1<<result.Error | 1<<result.Presentation | 1<<result.AIAdvice | 1<<result.Extensions

// passes reports whether a place needs no look: only a pattern for places could hide what stands there.
func (w *walk) passes(sp *spot) bool { return sp.quiet && len(w.pointers) == 0 }

// step moves the patterns on by one token. here is the rule that hides the value, nil for none, below is the
// progress of the patterns inside of it, nil when none can match there.
func (w *walk) step(progress []states, name int) (here *rule, below []states) {
	return w.stepToken(progress, func() []byte { return w.read(name, &w.name) })
}

func (w *walk) stepToken(progress []states, token func() []byte) (here *rule, below []states) {
	if progress == nil || len(w.pointers) == 0 {
		return nil, nil
	}
	text := token()
	open := false
	below = make([]states, len(w.pointers))
	for i, r := range w.pointers {
		next, hit, more := progress[i].step(r.pointers, text, nil)
		if hit && here == nil {
			here = r
		}
		below[i] = next
		open = open || more
	}
	if !open {
		below = nil
	}
	return here, below
}

// visit looks at a value and into it.
func (w *walk) visit(i int, sp *spot, progress []states) {
	t := w.t
	switch t.Kind(i) {
	case wire.KindString:
		if sp.partial {
			w.partial(i, sp)
		}
	case wire.KindArray:
		if sp.rest == nil {
			return
		}
		depth := len(w.path)
		index := 0
		for c := t.FirstChild(i); c < t.Next(i); c = t.Next(c) {
			w.path = append(w.path[:depth], step{index: index})
			here, below := w.stepToken(progress, func() []byte { return strconv.AppendInt(nil, int64(index), 10) })
			if here == nil || !w.whole(c, sp.rest, here) {
				w.visit(c, sp.rest, below)
			}
			index++
		}
		w.path = w.path[:depth]
	case wire.KindObject:
		if sp.rest == nil && sp.members == nil {
			return
		}
		if sp == free {
			if ref, ok := wire.RefAt(t, i); ok && w.hidden[ref.ID] != nil {
				w.whole(i, sp, w.hidden[ref.ID])
				return
			}
		}
		w.object(i, sp, progress)
	default:
	}
}

// object looks at the members of an object.
func (w *walk) object(i int, sp *spot, progress []states) {
	t := w.t
	depth := len(w.path)
	var taken map[string]int // names of the object, and the last number given to each; made when a name is masked
	for m := t.Members(i); m.Next(); {
		inner := sp.below(w.read(m.Name, &w.name))
		if w.passes(inner) {
			continue
		}
		w.path = append(w.path[:depth], step{index: -1, node: m.Name})
		if inner == free {
			w.rename(m.Name, i, sp.open, &taken)
		}
		here, below := w.step(progress, m.Name)
		if here == nil && inner == free {
			here = w.key(m.Name, m.Value)
		}
		if here == nil && inner == free {
			here = w.quoted[m.Value]
		}
		if here == nil || !w.whole(m.Value, inner, here) {
			w.visit(m.Value, inner, below)
		}
	}
	w.path = w.path[:depth]
}

// key returns the rule that hides a member because of its name.
func (w *walk) key(name, value int) *rule {
	if len(w.keys) == 0 {
		return nil
	}
	kind := w.t.Kind(value)
	if kind < wire.KindNumber {
		return nil
	}
	var text []byte
	for _, r := range w.keys {
		if r.within>>w.member&1 == 0 {
			continue
		}
		if text == nil {
			text = w.read(name, &w.name)
		}
		word, start := keyOf(text, r.keys)
		switch {
		case word == "":
		case kind == wire.KindString:
			if isCredential(text, word, start, w.read(value, &w.value)) {
				return r
			}
		case word == "token": // a number or a list of them counts, or names parts of a text
		case kind == wire.KindNumber && word[len(word)-1] == 's': // how many there are
		case kind == wire.KindNumber || w.t.Count(value) > 0:
			return r
		}
	}
	return nil
}

// partial masks parts of a string.
func (w *walk) partial(i int, sp *spot) {
	changed, ok := w.masked(w.read(i, &w.value))
	if !ok {
		return
	}
	if sp == media {
		changed = w.plainMedia(w.t.String(i))
	}
	if sp == words && len(changed) > shortest && w.tooLong(changed) {
		changed = Mask
	}
	w.replace(i, wire.AppendQuoted(nil, changed))
}

// plainMedia is a media type without what has to be hidden: parameters are a tool's own words.
func (w *walk) plainMedia(text string) string {
	text, _, _ = strings.Cut(text, ";")
	text = strings.TrimRight(text, " \t")
	if w.round([]byte(text)) != nil {
		return "application/octet-stream"
	}
	return text
}

// read returns the text of a string; it is good until the next one is read into buf.
func (w *walk) read(i int, buf *[]byte) []byte {
	if w.t.Node(i).Flags&wire.Escaped == 0 {
		raw := w.t.Raw(i)
		return raw[1 : len(raw)-1]
	}
	*buf = w.t.AppendString((*buf)[:0], i)
	return *buf
}

// shortest is the least of the maximum lengths in the envelope: of a file name.
const shortest = 255

// tooLong reports texts that masking made longer than the result schema allows.
func (w *walk) tooLong(text string) bool {
	return w.member == result.Resources || w.member == result.AIAdvice && len([]rune(text)) > 500
}

// maxRounds bounds how often a text is looked at again: where a part was masked, what stood beside it can
// have the shape of another part.
const maxRounds = 4

// masked masks the parts of a text that some rule hides, and tells of them.
func (w *walk) masked(text []byte) (changed string, ok bool) {
	for range maxRounds {
		next := w.round(text)
		if next == nil {
			break
		}
		text, ok = next, true
	}
	if !ok {
		return "", false
	}
	return string(text), true
}

// round is one look at a text, nil when no rule hides any of it.
func (w *walk) round(text []byte) []byte {
	w.spans = w.spans[:0]
	for _, r := range w.finders {
		if r.within>>w.member&1 == 0 {
			continue
		}
		n := len(w.spans)
		if w.spans = r.find.find(text, w.spans); len(w.spans) > n {
			w.tell(r)
		}
	}
	if w.member == result.Error && len(w.quotes) > 0 {
		w.spans = w.quotesIn(text, w.spans)
	}
	for _, id := range idsIn(text, w.hidden) {
		w.spans = append(w.spans, id)
		w.tell(w.hidden[string(text[id.start:id.end])])
	}
	if len(w.spans) == 0 {
		return nil
	}
	slices.SortFunc(w.spans, func(a, b span) int { return a.start - b.start })
	out := make([]byte, 0, len(text)+len(Mask))
	from := 0
	for _, s := range w.spans {
		if s.end <= from {
			continue
		}
		if s.start >= from {
			out = append(append(out, text[from:s.start]...), Mask...)
		}
		from = s.end
	}
	return append(out, text[from:]...)
}

// hiddenName stands for the name of an extension, which needs a namespace.
const hiddenName = "redacted.name"

// rename masks parts of a member's name, or the whole where names have a form. Two names of an object stay different.
func (w *walk) rename(name, object int, open bool, taken *map[string]int) {
	if len(w.finders) == 0 && w.hidden == nil {
		return
	}
	told := len(w.told)
	changed, ok := w.masked(w.read(name, &w.name))
	if !ok {
		return
	}
	before, after := "[", "]" // as the mask has them: with what follows a bare number could read like a secret that begins with it
	if !open {
		changed, before, after = hiddenName, "-", ""
	}
	if *taken == nil {
		*taken = map[string]int{}
		for m := w.t.Members(object); m.Next(); {
			(*taken)[w.t.String(m.Name)] = 1
		}
	}
	unique := changed
	for (*taken)[unique] > 0 { // the number goes on where it stood for the name before
		(*taken)[changed]++
		unique = changed + before + strconv.Itoa((*taken)[changed]) + after
	}
	(*taken)[unique] = 1
	w.path[len(w.path)-1].renamed = unique
	for k := told; k < min(len(w.told), w.named); k++ { // the old name is what must not be told
		w.told[k].Target = w.pointer()
	}
	w.replace(name, wire.AppendQuoted(nil, unique))
}

// whole hides a value, and reports whether there was something to hide.
func (w *walk) whole(i int, sp *spot, r *rule) bool {
	t := w.t
	text := []byte("null")
	switch sp.whole {
	case never:
		return false
	case masked:
		text = []byte(`"` + Mask + `"`)
		if t.Kind(i) == wire.KindString && t.NameEqual(i, Mask) {
			return true
		}
	case emptied:
		text = []byte("{}")
		if t.Count(i) == 0 {
			return true
		}
	case reason:
		if t.Kind(i) != wire.KindObject {
			return true
		}
		if at, ok := t.Find(i, "reason"); ok {
			if t.Count(i) == 1 {
				return true
			}
			text = append(append([]byte(`{"reason":`), t.Raw(at)...), '}')
		}
	case null:
	}
	if t.Kind(i) == wire.KindNull {
		return true
	}
	w.tell(r)
	w.wholes = append(w.wholes, i)
	w.replace(i, text)
	return true
}

// all hides all that can be hidden at a place and below.
func (w *walk) all(i int, sp *spot, r *rule) {
	if sp.whole != never {
		w.whole(i, sp, r)
		return
	}
	t := w.t
	depth := len(w.path)
	switch t.Kind(i) {
	case wire.KindArray:
		index := 0
		for c := t.FirstChild(i); c < t.Next(i); c = t.Next(c) {
			w.path = append(w.path[:depth], step{index: index})
			w.all(c, sp.below(nil), r)
			index++
		}
	case wire.KindObject:
		for m := t.Members(i); m.Next(); {
			w.path = append(w.path[:depth], step{index: -1, node: m.Name})
			w.all(m.Value, sp.below(w.read(m.Name, &w.name)), r)
		}
	default:
	}
	w.path = w.path[:depth]
}
