package wire

import (
	"bytes"
	"slices"

	"vcp.core/contract/wire/touch"
)

// AppendCanonical appends the canonical form of value i: two values are equal in JSON Schema's sense
// (draft 2020-12 core §4.2.2, used by const, enum and uniqueItems) exactly when their canonical forms are
// the same bytes. It is JSON without whitespace: members sorted by the bytes of their decoded names,
// strings as [AppendQuoted] spells them, numbers as [Decimal.AppendCanonical] does. It is not RFC 8785:
// that one rounds numbers to float64 and sorts by UTF-16.
//
// It recurses once for each level of nesting, which the scan has limited.
func AppendCanonical(dst []byte, t *Tape, i int) []byte {
	n := &t.nodes[i]
	switch n.Kind {
	case KindNumber:
		return t.Decimal(i).AppendCanonical(dst)
	case KindString:
		if n.Flags&Escaped == 0 {
			return append(dst, t.Raw(i)...) // nothing in it needs an escape
		}
		return AppendQuoted(dst, alias(t.Text(i, nil)))
	case KindArray:
		dst = append(dst, '[')
		for c := t.FirstChild(i); c < t.Next(i); c = t.Next(c) {
			if c > i+1 {
				dst = append(dst, ',')
			}
			dst = AppendCanonical(dst, t, c)
		}
		return append(dst, ']')
	case KindObject:
		var buf [32]uint32
		dst = append(dst, '{')
		for k, name := range t.sortedNames(i, buf[:0]) {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = AppendCanonical(dst, t, int(name))
			dst = append(dst, ':')
			dst = AppendCanonical(dst, t, int(name)+1)
		}
		return append(dst, '}')
	}
	return append(dst, t.Raw(i)...)
}

// sortedNames appends the names of object i in the order of their decoded text.
func (t *Tape) sortedNames(i int, names []uint32) []uint32 {
	for m := t.Members(i); m.Next(); {
		names = append(names, uint32(m.Name))
	}
	slices.SortFunc(names, func(a, b uint32) int {
		return compareStrings(t, int(a), t, int(b))
	})
	return names
}

// compareStrings compares two strings decoded.
func compareStrings(t *Tape, i int, u *Tape, j int) int {
	a, b := &t.nodes[i], &u.nodes[j]
	if (a.Flags|b.Flags)&Escaped == 0 {
		x, y := t.src[a.Start+1:a.End-1], u.src[b.Start+1:b.End-1]
		touch.Compared(x, y)
		return bytes.Compare(x, y)
	}
	return compareRaw(inside(t.src, a), inside(u.src, b))
}
