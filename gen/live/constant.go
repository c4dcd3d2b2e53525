package live

import (
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// constants judges const and enum.
func constants(values []ir.Value) check {
	var plain, nested []ir.Value
	for _, v := range values {
		if v.Kind >= wire.KindArray {
			nested = append(nested, v)
		} else {
			plain = append(plain, v)
		}
	}
	set := newScalars(plain)
	if nested == nil {
		return func(r *run, n int) wire.Verdict {
			if set.find(r, n) < 0 {
				return wire.Invalid
			}
			return wire.Valid
		}
	}
	trees := make([]*wire.Tape, len(nested))
	for i, v := range nested {
		trees[i] = scanConstant(v.Raw)
	}
	return func(r *run, n int) wire.Verdict {
		node := r.t.Node(n)
		if node.Kind < wire.KindArray {
			if set.find(r, n) >= 0 {
				return wire.Valid
			}
			return wire.Invalid
		}
		for _, tree := range trees {
			// Equal values have equally many nodes, so most comparisons end here.
			root := tree.Node(0)
			if root.Kind == node.Kind && root.Next == node.Next-uint32(n) && wire.Equal(tree, 0, r.t, n) {
				return wire.Valid
			}
		}
		return wire.Invalid
	}
}

// scanConstant scans what lowering has scanned before.
func scanConstant(raw []byte) *wire.Tape {
	t := new(wire.Tape)
	if err := t.Scan(raw, wire.DefaultLimits()); err != nil {
		panic("live: a constant of the program is not JSON: " + err.Error())
	}
	return t
}

// scalars finds a scalar among constants.
type scalars struct {
	null, no, yes int // index of the constant, -1 when it is not among them
	names         []string
	nameAt        []int
	byName        map[string]int // instead of names, when there are many
	byInt         map[int64]int
	byNumber      map[string]int // by canonical spelling: numbers that are no small integers
}

// linearNames is up to how many strings are compared one by one: lengths differ, mostly.
const linearNames = 8

func newScalars(values []ir.Value) *scalars {
	s := &scalars{null: -1, no: -1, yes: -1}
	for i := len(values) - 1; i >= 0; i-- { // backwards: of equal constants the first stays
		switch v := &values[i]; v.Kind {
		case wire.KindNull:
			s.null = i
		case wire.KindFalse:
			s.no = i
		case wire.KindTrue:
			s.yes = i
		case wire.KindString:
			if s.byName == nil {
				s.byName = make(map[string]int)
			}
			s.byName[scanConstant(v.Raw).String(0)] = i
		case wire.KindNumber:
			if s.byNumber == nil {
				s.byInt, s.byNumber = make(map[int64]int), make(map[string]int)
			}
			d, _ := wire.ParseDecimal(v.Canonical)
			if small, ok := d.Int64(); ok {
				s.byInt[small] = i
			}
			s.byNumber[v.Canonical] = i
		}
	}
	if len(s.byName) <= linearNames {
		for i := range values {
			if v := &values[i]; v.Kind == wire.KindString {
				if name := scanConstant(v.Raw).String(0); s.byName[name] == i {
					s.names, s.nameAt = append(s.names, name), append(s.nameAt, i)
				}
			}
		}
		s.byName = nil
	}
	return s
}

// find returns the index of the constant that equals node n, -1 for none. An array or object equals
// none.
func (s *scalars) find(r *run, n int) int {
	node := r.t.Node(n)
	switch node.Kind {
	case wire.KindString:
		text := r.string(n)
		if s.byName != nil {
			if i, ok := s.byName[string(text)]; ok {
				return i
			}
			return -1
		}
		for k, name := range s.names {
			if len(name) == len(text) && name == string(text) {
				return s.nameAt[k]
			}
		}
		return -1
	case wire.KindNumber:
		return s.number(r, n, node)
	case wire.KindNull:
		return s.null
	case wire.KindFalse:
		return s.no
	case wire.KindTrue:
		return s.yes
	}
	return -1
}

func (s *scalars) number(r *run, n int, node *wire.Node) int {
	if s.byNumber == nil {
		return -1
	}
	if v, ok := smallInteger(r, node); ok {
		if i, ok := s.byInt[v]; ok {
			return i
		}
		return -1
	}
	r.text = r.t.Decimal(n).AppendCanonical(r.text[:0])
	if i, ok := s.byNumber[string(r.text)]; ok {
		return i
	}
	return -1
}
