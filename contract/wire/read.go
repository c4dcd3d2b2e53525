package wire

import (
	"bytes"
	"slices"
	"strconv"
)

// Reading. A generated reader fills a Go value from a tape whose document was judged valid. It checks
// nothing again, so every function here relies on the node being of the kind that the schema promised.
// Readers have one form, func(v *T, t *Tape, n int): they fill *v, which is zero, from node n.
//
// Strings alias the document where it has no escapes, so a value costs little more than its slices. The
// document belongs to the value from then on: nobody may change it as long as the value is in use.

// Decode scans src and judges it, and when the document is valid calls read with its tape, to fill a value
// from node 0. Errors are those of [JudgeBytes], and an [*Error] with LIMIT_BYTES when the value would take
// out of all proportion more memory than the document, see [New].
func Decode(src []byte, judge JudgeFunc, rules *Rules, read func(t *Tape)) error {
	j, err := scanJudge(src, Limits{})
	if err != nil {
		return err
	}
	if err = j.outcome(judge, rules); err == nil {
		err = j.tape.fill(read)
	}
	j.release()
	return err
}

// Unmarshal decodes a copy of src into *x, for methods that encoding/json looks for: it does not give its
// bytes away.
func Unmarshal[T any](x *T, src []byte, decode func(src []byte) (T, error)) error {
	v, err := decode(bytes.Clone(src))
	if err == nil {
		*x = v
	}
	return err
}

// Fill makes the value present and returns its address, for a reader.
func (o *Opt[T]) Fill() *T {
	o.present = true
	return &o.value
}

// Fill makes the value not null and returns its address, for a reader.
func (n *Nullable[T]) Fill() *T {
	n.notNull = true
	return &n.value
}

// ReadNull reads null.
func ReadNull(*Null, *Tape, int) {}

// ReadBool reads a boolean.
func ReadBool(v *bool, t *Tape, n int) { *v = t.nodes[n].Kind == KindTrue }

// ReadString reads a string. It aliases the document unless it has escapes.
func ReadString(v *string, t *Tape, n int) { *v = t.alias(n) }

// ReadText is ReadString for types made of strings.
func ReadText[T ~string](v *T, t *Tape, n int) { *v = T(t.alias(n)) }

// alias returns the decoded text of a string or name, without a copy where it has no escapes.
func (t *Tape) alias(n int) string {
	node := &t.nodes[n]
	if node.Flags&Escaped == 0 {
		return alias(inside(t.src, node))
	}
	return decoded(t.src, node)
}

// Label returns the decoded name at n, for a switch. It aliases the document unless it has escapes.
func (t *Tape) Label(n int) string { return t.alias(n) }

// ReadConstant reads a value that is one of the constants, as the JSON text that the schema has.
func ReadConstant[T ~string](v *T, t *Tape, n int, of *Constants) {
	var scratch []byte
	if i := of.Find(t, n, &scratch); i >= 0 {
		*v = T(of.Values[i])
	}
}

// ReadInt64 reads an integer within the range of int64.
func ReadInt64(v *int64, t *Tape, n int) {
	small, ok := SmallInteger(t, n)
	if !ok {
		small, _ = t.Decimal(n).Int64()
	}
	*v = small
}

// ReadInt reads an integer as it is spelled.
func ReadInt(v *Int, t *Tape, n int) { v.text = alias(t.Raw(n)) }

// ReadNumber reads a number as it is spelled.
func ReadNumber(v *Number, t *Tape, n int) { v.text = alias(t.Raw(n)) }

// ReadRaw reads any value as it was received, without whitespace between tokens. It aliases the document
// where there is none.
func ReadRaw(v *Raw, t *Tape, n int) {
	if t.nodes[n].Kind < KindArray || t.isCompact(n) {
		*v = t.Raw(n)
		return
	}
	*v = t.AppendCompact(nil, n)
}

// isCompact reports whether a value has no whitespace between tokens, which can only stand in the gaps
// between scalars and names.
func (t *Tape) isCompact(i int) bool {
	gap := t.nodes[i].Start
	for k := i; k < int(t.nodes[i].Next); k++ {
		n := &t.nodes[k]
		if n.Kind < KindArray {
			if t.hasSpace(gap, n.Start) {
				return false
			}
			gap = n.End
		}
	}
	return !t.hasSpace(gap, t.nodes[i].End)
}

func (t *Tape) hasSpace(from, to uint32) bool {
	for _, c := range t.src[from:to] {
		if isSpace[c] {
			return true
		}
	}
	return false
}

// ReadRef reads a reference to a resource.
func ReadRef(v *Ref, t *Tape, n int) { v.ID = t.alias(n + 2) }

// ReadList reads an array.
func ReadList[T any](v *[]T, t *Tape, n int, read func(v *T, t *Tape, n int)) {
	node := &t.nodes[n]
	if node.Count == 0 {
		return
	}
	t.take(n, int(node.Count), sizeOf[T]())
	list := make([]T, node.Count)
	e := n + 1
	for i := range list {
		read(&list[i], t, e)
		e = int(t.nodes[e].Next)
	}
	*v = list
}

// ReadRest reads the elements of an array after the first ones.
func ReadRest[T any](v *[]T, t *Tape, n, first int, read func(v *T, t *Tape, n int)) {
	count := int(t.nodes[n].Count) - first
	if count <= 0 {
		return
	}
	t.take(n, count, sizeOf[T]())
	list := make([]T, count)
	e := n + 1
	for range first {
		e = int(t.nodes[e].Next)
	}
	for i := range list {
		read(&list[i], t, e)
		e = int(t.nodes[e].Next)
	}
	*v = list
}

// Entry is a member of an object under its decoded name.
type Entry[T any] struct {
	Name  string
	Value T
}

// Entries are members of an object in their order, with names that differ. Nil is no member.
type Entries[T any] []Entry[T]

// Get returns the value of a member. It looks at one name after the other.
func (list Entries[T]) Get(name string) (v T, ok bool) {
	for i := range list {
		if list[i].Name == name {
			return list[i].Value, true
		}
	}
	return v, false
}

// Set gives a member a value: in its place when it is there, else at the end.
func (list *Entries[T]) Set(name string, v T) {
	for i := range *list {
		if (*list)[i].Name == name {
			(*list)[i].Value = v
			return
		}
	}
	*list = append(*list, Entry[T]{Name: name, Value: v})
}

// ReadEntries reads an object whose members are all of one sort.
func ReadEntries[T any](v *Entries[T], t *Tape, n int, read func(v *T, t *Tape, n int)) {
	if t.nodes[n].Count == 0 {
		return
	}
	t.take(n, int(t.nodes[n].Count), sizeOf[Entry[T]]())
	list := make(Entries[T], t.nodes[n].Count)
	m := n + 1
	for i := range list {
		list[i].Name = t.alias(m)
		read(&list[i].Value, t, m+1)
		m = int(t.nodes[m+1].Next)
	}
	*v = list
}

// ReadEntry appends the member whose name is at n, for objects of which some members are fields.
func ReadEntry[T any](v *Entries[T], t *Tape, n int, read func(v *T, t *Tape, n int)) {
	if len(*v) == cap(*v) {
		more := max(4, len(*v))
		t.take(n, len(*v)+more, sizeOf[Entry[T]]()) // the old ones are thrown away
		*v = slices.Grow(*v, more)
	}
	*v = append(*v, Entry[T]{Name: t.alias(n)})
	read(&(*v)[len(*v)-1].Value, t, n+1)
}

// CaseOf returns which of the constants the member of object n equals: a position, [Other] or [Absent].
func CaseOf(t *Tape, n int, member string, of *Constants) int {
	value, ok := t.Find(n, member)
	if !ok {
		return Absent
	}
	var scratch []byte
	return of.Find(t, value, &scratch)
}

// Null is the type of a value that is always null.
type Null struct{}

// AppendJSON appends null.
func (Null) AppendJSON(dst []byte) []byte { return append(dst, "null"...) }

// MarshalJSON is AppendJSON for encoders that look for this method. The error is nil.
func (n Null) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil), nil }

// Appender writes itself as JSON. Every generated type that is no plain Go type does.
type Appender interface {
	AppendJSON(dst []byte) []byte
}

// AppendValue appends a value that may be nil, which is written as null.
func AppendValue(dst []byte, v Appender) []byte {
	if v == nil {
		return append(dst, "null"...)
	}
	return v.AppendJSON(dst)
}

// Comma appends the comma between two members or elements: nothing after an opening bracket. dst holds the
// open object or array.
func Comma(dst []byte) []byte {
	if c := dst[len(dst)-1]; c == '{' || c == '[' {
		return dst
	}
	return append(dst, ',')
}

// AppendName appends a member's name and colon, with a comma where one is due.
func AppendName(dst []byte, name string) []byte { return append(AppendQuoted(Comma(dst), name), ':') }

// AppendInt appends an integer.
func AppendInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }

// AppendBool appends true or false.
func AppendBool(dst []byte, v bool) []byte { return strconv.AppendBool(dst, v) }
