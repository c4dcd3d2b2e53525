// Package secret finds values that are known to be secret, and masks them: the credentials of a tool's
// configuration and those of a call go in, together with a text or a scanned document, and what comes out
// holds none of them.
//
// It serves the ingest of payloads (DESIGN §4, secrets): masking is the one exception to byte for byte. It
// knows values, not patterns: what merely looks like a secret is the business of package policy. It never
// logs, keeps or tells a value; what it tells is where something was masked.
//
// # What is found
//
// Strings and member names are searched decoded, so JSON's own escapes hide nothing. Inside of them a value
// is found whole, also in a longer text, in these forms:
//
//   - as it is; percent-encoded, in any mix of encoded and literal characters, with + for a space;
//   - with the escapes of JSON or a programming language inside the text (\/ \n \" \u002f \x2f);
//   - broken over lines, with indentation; with the escapes of a JSON Pointer (~0 ~1);
//   - in base64, standard or URL alphabet, padded or not, at any alignment: also as a part of something longer
//     that was encoded as a whole;
//   - in hexadecimal, upper or lower case;
//   - two of the first three above each other (an escaped text that is percent-encoded, and so on), and base64
//     or hexadecimal below them.
//
// Over several strings: when strings that follow each other in document order reveal a value by being put
// together (all strings, the values alone, or the names alone), the parts of it are masked in each of them,
// whether it is cut into two pieces or into twenty. This holds for the value as it is, in base64 and in
// hexadecimal, not for the other forms.
//
// # What is not found
//
// Values of less than [MinLength] bytes are not searched: they would hit ordinary text. Where they are expected,
// [Schema.Hide] hides them, numbers and flags as well. Numbers are not searched, nor is what a resource holds.
// Base64 of base64, of compressed or of encrypted data, HTML entities, pieces in another order, or with text
// between them, stay. Of a form longer than 256 bytes, the first 256 decide.
package secret

import (
	"slices"
	"strings"
)

// Mask stands where a secret was.
const Mask = "[redacted]"

// MinLength is the length in bytes from which a value is a secret that can be searched for.
const MinLength = 8

// Set is a set of secret values. It is immutable and safe for concurrent use. A nil Set has no values: its
// methods give back what they get.
type Set struct {
	values []string
	matcher
}

// New returns the set of the given values, nil when none of them can be searched for: those that are too
// short once white space around them is gone, and those that the mask itself contains.
func New(values ...string) *Set {
	var kept []string
	for _, v := range values {
		v = strings.TrimSpace(v)
		if len(v) >= MinLength && !strings.Contains(Mask, v) {
			kept = append(kept, v)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	slices.Sort(kept)
	s := &Set{values: slices.Compact(kept)}
	for _, v := range s.values {
		for _, f := range formsOf(v) {
			s.add(f)
		}
	}
	return s
}

// With returns the set with further values.
func (s *Set) With(values ...string) *Set {
	if len(values) == 0 {
		return s
	}
	if s == nil {
		return New(values...)
	}
	more := New(slices.Concat(s.values, values)...)
	if len(more.values) == len(s.values) {
		return s
	}
	return more
}

// Len returns the number of values.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.values)
}

// Text returns text with every secret in it masked.
func (s *Set) Text(text string) string {
	if s == nil {
		return text
	}
	return replace(text, s.find(text, nil))
}

// Quote masks a text that was cut out of a longer one, or that quotes such a text: beside whole secrets it
// masks what a cut left of one, at either end of the text and around each ellipsis (… or ...). Less than four
// bytes are not taken for a piece.
func (s *Set) Quote(text string) string {
	if s == nil {
		return text
	}
	spans := s.find(text, nil)
	for from := 0; ; {
		end, next := len(text), len(text)
		if at := strings.Index(text[from:], "…"); at >= 0 {
			end, next = from+at, from+at+len("…")
		}
		if at := strings.Index(text[from:end], "..."); at >= 0 {
			end, next = from+at, from+at+len("...")
		}
		spans = s.cut(text, from, end, spans)
		if next == len(text) {
			return replace(text, spans)
		}
		from = next
	}
}

// span is a range of bytes in a decoded text.
type span struct{ start, end int }

// merge sorts spans and joins those that touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	kept := spans[:0]
	for _, s := range spans {
		if n := len(kept); n > 0 && s.start <= kept[n-1].end {
			kept[n-1].end = max(kept[n-1].end, s.end)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// replace puts the mask in place of the spans.
func replace(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	from := 0
	for _, s := range merge(spans) {
		b.WriteString(text[from:s.start])
		b.WriteString(Mask)
		from = s.end
	}
	b.WriteString(text[from:])
	return b.String()
}
