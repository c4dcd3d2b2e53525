package sample

import (
	"math/big"
	"slices"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// scalar makes a string or a number smaller.
func (s *shrinker) scalar(b *branch) bool {
	switch b.kind {
	case wire.KindString:
		return s.text(&b.raw, func(string) bool { return true })
	case wire.KindNumber:
		return s.number(&b.raw)
	default:
		return false
	}
}

// name makes the name of a member shorter, as long as no other member has it.
func (s *shrinker) name(b *branch, i int) bool {
	if b.kids[i].name == nil {
		return false
	}
	return s.text(&b.kids[i].name, func(name string) bool {
		for at, k := range b.kids {
			if other, _ := unquoted(k.name); at != i && other == name {
				return false
			}
		}
		return true
	})
}

// unquoted reads a JSON string.
func unquoted(raw []byte) (string, bool) {
	file, list := load.Parse("string", raw, wire.Limits{})
	if list.HasErrors() {
		return "", false
	}
	return file.Root.Str, true
}

// fine is how many characters of a string are looked at one by one. Of a longer one that must be as long, runs are.
const fine = 64

// text makes a quoted string smaller where its place allows the new one.
func (s *shrinker) text(place *[]byte, allowed func(string) bool) (done bool) {
	put := func(r []rune) bool {
		text := string(r)
		if !allowed(text) {
			return false
		}
		old := *place
		*place = wire.AppendQuoted(nil, text)
		if s.holds() {
			return true
		}
		*place = old
		return false
	}
	text, ok := unquoted(*place)
	if !ok {
		return false
	}
	r := []rune(text)
	done = put(r) // without escapes that nobody needs
	if len(r) > 0 && put(nil) {
		return true
	}
	left := s.deleted(len(r), max(1, len(r)/fine), func(left []int) bool {
		return put(chosen(r, left))
	})
	r, done = chosen(r, left), done || len(left) < len(r)
	for len(r) > 1 && put(r[:len(r)-1]) {
		r, done = r[:len(r)-1], true
	}
	for _, c := range "a0" {
		if same := []rune(strings.Repeat(string(c), len(r))); !slices.Equal(r, same) && put(same) {
			return true
		}
	}
	for i := range min(len(r), fine) {
		for _, c := range "a0" {
			if other := slices.Clone(r); other[i] != c {
				if other[i] = c; put(other) {
					r, done = other, true
					break
				}
			}
		}
	}
	return done
}

func chosen(r []rune, left []int) []rune {
	out := make([]rune, len(left))
	for i, at := range left {
		out[i] = r[at]
	}
	return out
}

// number makes a number smaller: without its exponent, its fraction, digits of it, its sign, and the whole
// number below, by halves.
func (s *shrinker) number(place *[]byte) (done bool) {
	put := func(spelling string) bool {
		old := *place
		*place = []byte(spelling)
		if s.holds() {
			return true
		}
		*place = old
		return false
	}
	text := string(*place)
	try := func(spelling string) {
		if spelling != text && put(spelling) {
			text, done = spelling, true
		}
	}
	if i := strings.IndexAny(text, "eE"); i > 0 {
		try(text[:i])
		if r, ok := rational(text); ok && len(text)-i <= 3 { // a longer exponent makes no shorter number
			try(decimal(r))
		}
	}
	try(strings.TrimPrefix(text, "-"))
	if i := strings.IndexByte(text, '.'); i > 0 && !strings.ContainsAny(text, "eE") {
		try(text[:i])
		try("0" + text[i:])
		for strings.Contains(text, ".") && text[len(text)-2] != '.' && put(text[:len(text)-1]) {
			text, done = text[:len(text)-1], true
		}
	}
	if strings.ContainsAny(text, ".eE") {
		return done
	}
	sign, digits := "", text
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, digits = "-", rest
	}
	for len(digits) > 1 && put(sign+digits[:len(digits)/2]) {
		digits, done = digits[:len(digits)/2], true
	}
	if len(digits) > 300 {
		return done // so long a number is longer, and not larger, than what is looked for
	}
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return done
	}
	for bit := n.BitLen() - 1; bit >= 0; bit-- {
		less := new(big.Int).Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(bit)))
		if less.Sign() >= 0 && put(sign+less.String()) {
			n, done = less, true
		}
	}
	return done
}
