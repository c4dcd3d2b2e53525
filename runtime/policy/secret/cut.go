package secret

import "strings"

// This file finds what a cut left of a secret: at the end of a text the beginning of one, at its start the end
// of one.

// fragment is the shortest piece at a cut that is taken for one.
const fragment = 4

// Of an encoded text so much is looked at on either side of a cut, and so many bytes next to it may be what
// the cut left of an escape.
const (
	nearCut = 4 << 10
	escape  = 12 // \u005cu0074
)

// cut appends the spans of pieces at both ends of text[from:end].
func (s *Set) cut(text string, from, end int, spans []span) []span {
	before, after := s.pieces(text[from:end])
	if before > 0 {
		spans = append(spans, span{end - before, end})
	}
	if after > 0 {
		spans = append(spans, span{from, from + after})
	}
	near := text[max(from, end-nearCut):end]
	at := end - len(near)
	for k := 0; k <= min(escape, len(near)); k++ {
		if k > 0 && near[len(near)-k] != '\\' && near[len(near)-k] != '%' {
			continue
		}
		visible := near[:len(near)-k]
		if before, _ := s.pieces(visible); before > 0 {
			spans = append(spans, span{at + len(visible) - before, end})
		}
		if strings.ContainsAny(visible, encoded) {
			each(identity(visible), deep, func(v *view) {
				if before, _ := s.pieces(string(v.text)); before > 0 {
					spans = append(spans, span{at + int(v.from[len(v.text)-before]), end})
				}
			})
		}
	}
	near = text[from:min(end, from+nearCut)]
	for k := 0; k <= min(escape, len(near)); k++ {
		if k > 0 && strings.IndexByte(`0123456789abcdefABCDEFux\%`, near[k-1]) < 0 {
			break
		}
		visible := near[k:]
		if _, after := s.pieces(visible); after > 0 {
			spans = append(spans, span{from, from + k + after})
		}
		if strings.ContainsAny(visible, encoded) {
			each(identity(visible), deep, func(v *view) {
				if _, after := s.pieces(string(v.text)); after > 0 {
					spans = append(spans, span{from, from + k + int(v.to[after-1])})
				}
			})
		}
	}
	return spans
}

// pieces returns how many bytes at the end of a text begin a secret, and how many at its start end one. It looks
// forms up by their first and last bytes, so that a text costs the same for one secret and for hundreds.
func (m *matcher) pieces(text string) (before, after int) {
	for i := max(0, len(text)-m.longest+1); before == 0 && i+fragment <= len(text); i++ {
		for _, form := range m.starts[[fragment]byte([]byte(text[i:i+fragment]))] {
			if len(form) > len(text)-i && strings.HasPrefix(form, text[i:]) {
				before = len(text) - i
			}
		}
	}
	for end := min(len(text), m.longest-1); after == 0 && end >= fragment; end-- {
		for _, form := range m.ends[[fragment]byte([]byte(text[end-fragment:end]))] {
			if len(form) > end && strings.HasSuffix(form, text[:end]) {
				after = end
			}
		}
	}
	return before, after
}
