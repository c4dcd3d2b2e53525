package result

import "vcp.core/contract/wire"

// Object finds members of one object of a result. Whoever asks for them in the order in which they stand looks at each
// name once. The zero Object has no members.
type Object struct {
	tape       *wire.Tape
	node, next int
}

// ObjectAt is the object at a node of a tape. Another value, and a negative node, have no members.
func ObjectAt(t *wire.Tape, node int) Object {
	if node < 0 || t.Kind(node) != wire.KindObject {
		return Object{}
	}
	return Object{tape: t, node: node, next: t.FirstChild(node)}
}

// Object is the object that a top-level member is.
func (v *Visible) Object(m Member) Object { return ObjectAt(&v.tape, v.At(m)) }

// Find returns the node of the member of that name, -1 when there is none.
func (o *Object) Find(name string) int {
	t := o.tape
	if t == nil {
		return -1
	}
	value := o.next + 1
	if o.next >= t.Next(o.node) || !t.NameEqual(o.next, name) {
		found, ok := t.Find(o.node, name)
		if !ok {
			return -1
		}
		value = found
	}
	o.next = t.Next(value)
	return value
}
