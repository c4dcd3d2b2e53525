package golang

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
)

// Names of types, fields and constants. A type is named for the place of its schema: a definition by its own
// name, a part by the name of the whole and the member or the word for its position. A type that several
// schemas made together, or one of several types that one schema made, is named for the type that has it
// and its place there: the arm of a union by the constant that selects it, else by its kind.
//
// No name depends on the order of anything that JSON Schema does not order. When two things want one name
// (task-id and taskId are both TaskID), both get longer names that tell them apart (TaskDashID), and a
// number is the last resort, with a diagnostic.

// names settles all names of a model. r gets the diagnostics.
type names struct {
	*naming
	*planner
	labels map[*shape]string // wanted names of types
}

func (p *planner) name(m *model, n *naming, roots []Root) {
	w := &names{naming: n, planner: p, labels: map[*shape]string{}}
	w.rootLabels(m, roots)
	w.definitions(m)
	w.labelAll(m)
	w.typeNames(m)
	for _, s := range m.named {
		switch s.kind {
		case structShape:
			w.fieldNames(s)
		case enumShape, literalShape:
			w.constantNames(s)
		}
	}
}

// rootLabels gives roots their names. A root that is the schema itself comes before one that only leads to
// it; a root whose type has another name already is an alias of it.
func (w *names) rootLabels(m *model, roots []Root) {
	for _, itself := range []bool{true, false} {
		for i, r := range roots {
			s := m.roots[i].to()
			if _, taken := w.labels[s]; !taken && itself == slices.Equal(s.parts, []int{r.Schema.Target().ID}) {
				w.labels[s] = r.Name
			}
		}
	}
	for i, r := range roots {
		if s := m.roots[i].to(); w.labels[s] == r.Name {
			s.name, s.about, s.isRoot = r.Name, r.Schema, true
		}
	}
}

// definitions settles definitions that would have the same name, or the name of a root. Those of several
// documents get names that begin with their document's: all of them, so that it does not matter which
// comes first. Those of one document are spelled out.
func (w *names) definitions(m *model) {
	type of struct{ label, file string }
	files, count := map[string][]string{}, map[of]int{}
	var list []*shape
	for _, s := range m.named {
		if s.name != "" || !w.isPlace(s) || !isDefinition(s.about.Origin.Pointer) {
			continue
		}
		list = append(list, s)
		file := s.about.Origin.Pos.File
		label := w.natural(file, s.about.Origin.Pointer)
		count[of{label, file}]++
		if !slices.Contains(files[label], file) {
			files[label] = append(files[label], file)
		}
	}
	for _, s := range list {
		at := s.about.Origin
		label := w.natural(at.Pos.File, at.Pointer)
		name := label
		if count[of{label, at.Pos.File}] > 1 {
			tokens, _ := load.SplitPointer(at.Pointer)
			name = spelledOut(tokens[len(tokens)-1])
		}
		if prefix := stem(at.Pos.File); (len(files[label]) > 1 || !w.isFree(name)) && !strings.HasPrefix(name, prefix) {
			name = prefix + name
		}
		w.root[place{at.Pos.File, at.Pointer}] = name
	}
}

// isDefinition reports whether a pointer leads to a definition of the document.
func isDefinition(pointer string) bool {
	for _, keyword := range []string{"/$defs/", "/definitions/"} {
		if name, ok := strings.CutPrefix(pointer, keyword); ok {
			return !strings.Contains(name, "/")
		}
	}
	return false
}

// labelAll walks from the roots and labels every named shape once. A part of a schema is named after what
// it is a part of; if several things lead to it by reference, after its place.
func (w *names) labelAll(m *model) {
	owners := map[*shape]int{}
	for _, s := range m.named {
		w.parts(s, func(part *shape, _ string) { owners[part]++ })
	}
	queue := slices.Clone(m.roots)
	done := map[*shape]bool{}
	for len(queue) > 0 {
		s := queue[0].to()
		queue = queue[1:]
		if done[s] {
			continue
		}
		done[s] = true
		w.parts(s, func(part *shape, word string) {
			if w.labels[part] == "" {
				w.labels[part] = w.label(part, bounded(w.labels[s]+word), owners[part] > 1)
			}
			queue = append(queue, part)
		})
	}
}

// parts calls f for each named shape that s leads to with nothing named in between, and gives the word for
// its position, in an order that does not depend on that of members.
func (w *names) parts(s *shape, f func(part *shape, word string)) {
	var give func(s *shape, word string)
	give = func(s *shape, word string) {
		switch s = s.to(); {
		case s.kind.named():
			f(s, word)
		case s.elem != nil:
			give(s.elem, word+map[shapeKind]string{listShape: "Item", entriesShape: "Value"}[s.kind])
		}
	}
	members := slices.Clone(s.members)
	slices.SortFunc(members, func(a, b *member) int { return strings.Compare(a.json, b.json) })
	for _, f := range members {
		if f.fixed == nil {
			give(f.shape, exported(f.json))
		}
	}
	for i, t := range s.items {
		give(t.shape, "Item"+strconv.Itoa(i+1))
	}
	for _, a := range s.arms {
		give(a.shape, a.word)
	}
	for _, c := range []*shape{s.extra, s.rest} {
		if c != nil {
			give(c, "Value")
		}
	}
	if s.kind == wrapShape {
		word := ""
		if s.elem.to().kind == nullableShape {
			word = "Value"
		}
		give(s.elem, word)
	}
}

// label is the name that a shape wants. What is inside it is named after it, by the judges too.
func (w *names) label(s *shape, after string, shared bool) string {
	if !w.isPlace(s) {
		return after
	}
	at := s.about.Origin
	key := place{at.Pos.File, at.Pointer}
	if shared || at.Pointer == "" || isDefinition(at.Pointer) || w.root[key] != "" {
		if name := w.natural(at.Pos.File, at.Pointer); !w.taken[name] {
			return name
		}
		return after // what a root with a type around it is made of
	}
	w.root[key] = after
	return after
}

// isPlace reports whether a shape is all that one schema describes, null aside: not what several schemas
// make together, and not one of several alternatives.
func (w *names) isPlace(s *shape) bool {
	return len(s.parts) == 1 && s.about != nil && s.kind != wrapShape && s.about.Target().Admits&^ir.TypeNull&^s.admits == 0
}

// typeNames makes the labels unique.
func (w *names) typeNames(m *model) {
	byLabel := map[string][]*shape{}
	next := map[string]int{} // the number that was tried last; smaller ones stay taken
	var labels []string
	for _, s := range m.named {
		if s.name != "" {
			continue
		}
		l := w.labels[s]
		if byLabel[l] == nil {
			labels = append(labels, l)
		}
		byLabel[l] = append(byLabel[l], s)
	}
	slices.Sort(labels)
	for _, l := range labels {
		group := byLabel[l]
		slices.SortFunc(group, func(a, b *shape) int {
			return cmp.Or(strings.Compare(a.about.Origin.Pos.File, b.about.Origin.Pos.File),
				strings.Compare(a.about.Origin.Pointer, b.about.Origin.Pointer), slices.Compare(a.parts, b.parts), cmp.Compare(a.kind, b.kind))
		})
		files := map[string]int{}
		for _, s := range group {
			files[s.about.Origin.Pos.File]++
		}
		for _, s := range group {
			want := l
			if prefix := stem(s.about.Origin.Pos.File); (len(files) > 1 || !w.isFree(l)) && !strings.HasPrefix(l, prefix) {
				want = prefix + l
			}
			s.name = want
			for !w.isFree(s.name) {
				next[want] = max(next[want], 1) + 1
				s.name = want + strconv.Itoa(next[want])
			}
			if s.name != want {
				w.report(CodeClash, s.about, "its Go type is "+s.name+", because "+want+" is taken", "")
			}
			for _, name := range typeFunctions(s.name) {
				w.taken[name] = true
			}
		}
	}
	// Judges of the same schemas have the same names.
	used := map[string]bool{}
	for _, name := range w.base {
		used[name] = true
	}
	for _, s := range m.named {
		if _, ok := w.base[s.about.ID]; !ok && !used[s.name] && w.isPlace(s) {
			w.base[s.about.ID], used[s.name] = s.name, true
		}
	}
}

// typeFunctions returns the package-level names that belong to a type.
func typeFunctions(name string) []string { return []string{name, "Decode" + name, "Validate" + name} }

func (w *names) isFree(name string) bool {
	return !slices.ContainsFunc(typeFunctions(name), func(n string) bool { return w.taken[n] })
}

// methodNames are what a field cannot be called: methods of generated types.
var methodNames = []string{"AppendJSON", "MarshalJSON", "UnmarshalJSON"}

// extraField is the field for members that a schema does not name.
const extraField = "Extra"

// fieldNames names the fields of a struct.
func (w *names) fieldNames(s *shape) {
	var list []*choiceOfName
	for _, m := range s.members {
		if m.fixed == nil {
			list = append(list, &choiceOfName{text: m.json, short: fieldWord(m.json), about: m.about, set: func(name string) { m.field = name }})
		}
	}
	used := scope{}
	for _, name := range methodNames {
		used[name] = true
	}
	used[extraField] = s.extra != nil
	w.distinguish(list, used, "field")
}

// constantNames names the constants of an enum. They are package-level, hence the type's name in front.
func (w *names) constantNames(s *shape) {
	var list []*choiceOfName
	for i := range s.values {
		v := &s.values[i]
		word := constantWord(v.json)
		text := v.json // tells "1" and 1 apart
		if s.kind == enumShape {
			text = v.text
		}
		list = append(list, &choiceOfName{text: text, prefix: s.name, short: s.name + word, about: s.about, set: func(name string) { v.name = name }})
	}
	w.distinguish(list, w.taken, "constant")
}

// choiceOfName is something that needs a name.
type choiceOfName struct {
	text   string // what it is called in JSON
	prefix string
	short  string // its name if nothing else wants it
	about  *ir.Schema
	set    func(string)
}

// distinguish gives different names to all. Those that want the same short name are spelled out, character
// for character.
func (w *names) distinguish(list []*choiceOfName, used scope, what string) {
	wanted := map[string]int{}
	for _, c := range list {
		wanted[c.short]++
	}
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b *choiceOfName) int { return strings.Compare(a.text, b.text) })
	var late []*choiceOfName
	for _, c := range sorted {
		if wanted[c.short] > 1 || used[c.short] {
			late = append(late, c)
			continue
		}
		used[c.short] = true
		c.set(c.short)
	}
	for _, c := range late {
		want := c.prefix + strings.TrimPrefix(spelledOut(c.text), "X")
		if c.prefix == "" {
			want = spelledOut(c.text)
		}
		if wanted[c.short] == 1 && c.prefix == "" {
			want = c.short + "Member" // nothing but a method has the name
		}
		name := used.take(want)
		if name != want || wanted[c.short] == 1 && c.prefix != "" {
			w.report(CodeClash, c.about, "the Go "+what+" for "+strconv.Quote(oneLine(c.text))+" is "+name+", because "+c.short+" is taken", "")
		}
		c.set(name)
	}
}

// fieldWord is the name of a field.
func fieldWord(text string) string {
	if !strings.ContainsFunc(text, isWordRune) {
		return spelledOut(text)
	}
	return exported(text)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// constantWord is the word for a JSON constant inside a name: "timed_out" is TimedOut, -1 is Minus1.
func constantWord(json string) string {
	text, name := json, spelledOut(json)
	if strings.HasPrefix(json, `"`) {
		text = decodedText(ir.Value{Raw: []byte(json), Kind: wire.KindString})
		name = fieldWord(text)
	}
	// It need not be exported: something stands in front.
	if r, _ := utf8.DecodeRuneInString(text); name[0] == 'X' && r != 'X' && r != 'x' {
		name = name[1:]
	}
	return name
}

// characterWords spell what cannot stand in an identifier.
var characterWords = map[rune]string{
	' ': "Space", '!': "Bang", '"': "Quote", '#': "Hash", '$': "Dollar", '%': "Percent", '&': "And", '\'': "Apostrophe",
	'(': "Open", ')': "Close", '*': "Star", '+': "Plus", ',': "Comma", '-': "Minus", '.': "Dot", '/': "Slash", ':': "Colon",
	';': "Semicolon", '<': "Less", '=': "Equal", '>': "Greater", '?': "Question", '@': "At", '[': "OpenBracket",
	'\\': "Backslash", ']': "CloseBracket", '^': "Caret", '_': "Underscore", '`': "Backquote", '{': "OpenBrace", '|': "Bar",
	'}': "CloseBrace", '~': "Tilde",
}

// spelledOut is an exported identifier that keeps every character of the text: a.b is ADotB. Two texts that
// differ in more than the case of first letters have different ones, mostly.
func spelledOut(text string) string {
	if text == "" {
		return "Empty"
	}
	var b strings.Builder
	start := true
	for _, r := range text {
		switch word, ok := characterWords[r]; {
		case isWordRune(r) && start:
			b.WriteRune(unicode.ToUpper(r))
			start = false
		case isWordRune(r):
			b.WriteRune(r)
		case ok:
			b.WriteString(word)
			start = true
		default:
			b.WriteString("U" + strings.ToUpper(strconv.FormatInt(int64(r), 16)))
			start = true
		}
	}
	name := b.String()
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) {
		name = "X" + name
	}
	return bounded(name)
}
