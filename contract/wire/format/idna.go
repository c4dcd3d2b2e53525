package format

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"vcp.core/contract/wire/ecma"
)

// isULabel: the rules of RFC 5891 §4.2 for a label with code points beyond ASCII, the Bidi rule apart,
// which looks at the whole name, and Normalization Form C: no hyphens at the ends or in the third and
// fourth place, no combining mark at the start, and every code point valid, by itself or where it
// stands. (Upper case is not: a U-label is what mapping has already been applied to.)
func isULabel(s []rune) bool {
	ascii := true
	for i, r := range s {
		ascii = ascii && r < utf8.RuneSelf
		if !isValid(r) && !isValidInContext(s, i) {
			return false
		}
	}
	return !ascii && s[0] != '-' && s[len(s)-1] != '-' &&
		(len(s) < 4 || s[2] != '-' || s[3] != '-') &&
		!unicode.Is(unicode.M, s[0])
}

// changesWhenFolded is the set that RFC 5892 §2.2 calls unstable, and some code points that are
// disallowed for another reason anyway (those that NFKC_Casefold deletes).
var changesWhenFolded = sync.OnceValue(func() func(r rune) bool {
	return ecma.Property("Changes_When_NFKC_Casefolded")
})

var isIgnorable = sync.OnceValue(func() func(r rune) bool {
	return ecma.Property("Default_Ignorable_Code_Point")
})

// isValid reports whether a code point is PVALID, by the algorithm of RFC 5892 §3 in its order.
func isValid(r rune) bool {
	switch r {
	case 0x00DF, 0x03C2, 0x06FD, 0x06FE, 0x0F0B, 0x3007: // §2.6 exceptions, PVALID
		return true
	case 0x0640, 0x07FA, 0x302E, 0x302F, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303B: // DISALLOWED
		return false
	}
	if inContextO(r) {
		return false
	}
	if r < utf8.RuneSelf {
		return r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' // §2.5 LDH
	}
	switch {
	case changesWhenFolded()(r), // §2.2 Unstable
		isIgnorable()(r), unicode.Is(unicode.White_Space, r), unicode.Is(unicode.Noncharacter_Code_Point, r), // §2.3
		0x20D0 <= r && r <= 0x20FF, 0x1D100 <= r && r <= 0x1D24F, // §2.4 IgnorableBlocks
		0x1100 <= r && r <= 0x11FF, 0xA960 <= r && r <= 0xA97C, 0xD7B0 <= r && r <= 0xD7FB: // §2.9 OldHangulJamo
		return false
	}
	return unicode.In(r, unicode.Ll, unicode.Lu, unicode.Lo, unicode.Lm, unicode.Nd, unicode.Mn, unicode.Mc) // §2.1
}

// inContextO reports whether a code point is CONTEXTO (RFC 5892 §2.6).
func inContextO(r rune) bool {
	switch r {
	case 0x00B7, 0x0375, 0x05F3, 0x05F4, 0x30FB:
		return true
	}
	return isArabicDigit(r) || isExtendedArabicDigit(r)
}

func isArabicDigit(r rune) bool { return 0x0660 <= r && r <= 0x0669 }

func isExtendedArabicDigit(r rune) bool { return 0x06F0 <= r && r <= 0x06F9 }

// isValidInContext reports whether the code point at i, CONTEXTJ or CONTEXTO, may stand there: the rules
// of RFC 5892 appendix A.
func isValidInContext(s []rune, i int) bool {
	before := func(tables ...*unicode.RangeTable) bool { return i > 0 && unicode.In(s[i-1], tables...) }
	anywhere := func(test func(rune) bool) bool { return slices.ContainsFunc(s, test) }
	switch r := s[i]; {
	case r == 0x200C: // A.1 ZERO WIDTH NON-JOINER
		return afterVirama(s, i) || betweenJoining(s, i)
	case r == 0x200D: // A.2 ZERO WIDTH JOINER
		return afterVirama(s, i)
	case r == 0x00B7: // A.3 MIDDLE DOT
		return i > 0 && s[i-1] == 'l' && i+1 < len(s) && s[i+1] == 'l'
	case r == 0x0375: // A.4 GREEK LOWER NUMERAL SIGN
		return i+1 < len(s) && unicode.Is(unicode.Greek, s[i+1])
	case r == 0x05F3, r == 0x05F4: // A.5, A.6 HEBREW PUNCTUATION GERESH, GERSHAYIM
		return before(unicode.Hebrew)
	case r == 0x30FB: // A.7 KATAKANA MIDDLE DOT
		return anywhere(func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) })
	case isArabicDigit(r): // A.8
		return !anywhere(isExtendedArabicDigit)
	case isExtendedArabicDigit(r): // A.9
		return !anywhere(isArabicDigit)
	}
	return false
}

func afterVirama(s []rune, i int) bool {
	n := normal()
	return i > 0 && n.class[s[i-1]] == n.virama
}

// betweenJoining reports whether the code points around s[i] join across it, marks skipped:
// (L|D) T* ZWNJ T* (R|D).
func betweenJoining(s []rune, i int) bool {
	left, right := i-1, i+1
	for left >= 0 && isTransparent(s[left]) {
		left--
	}
	for right < len(s) && isTransparent(s[right]) {
		right++
	}
	return left >= 0 && right < len(s) &&
		unicode.In(s[left], joiningLeft, joiningDual) && unicode.In(s[right], joiningRight, joiningDual)
}

// isTransparent reports Joining_Type T. Of the format controls that are T too, none may stand in a
// label.
func isTransparent(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) || r == 0x1E94B // ADLAM NASALIZATION MARK
}
