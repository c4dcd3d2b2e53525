package format

import "unicode"

// direction is the Bidi_Class of a code point that may stand in a label.
type direction uint8

const (
	leftToRight direction = iota // L
	rightToLeft                  // R, AL
	european                     // EN
	arabic                       // AN
	mark                         // NSM
	neutral                      // ES, ON, BN
)

// directionOf tells the class from the code point's place: the blocks of right-to-left scripts contain
// no letters of another class, and the rest is a few digits and modifiers.
func directionOf(r rune) direction {
	switch {
	case '0' <= r && r <= '9', isExtendedArabicDigit(r):
		return european
	case isArabicDigit(r), 0x10D30 <= r && r <= 0x10D39:
		return arabic
	case r == 0x0CBF, r == 0x0CC6, r == 0x11A07, r == 0x11A08, r == 0x11C3F:
		return leftToRight // vowel signs that are marks and yet L
	case unicode.In(r, unicode.Mn, unicode.Me):
		return mark
	case 0x0590 <= r && r <= 0x08FF, 0xFB1D <= r && r <= 0xFDFF, 0xFE70 <= r && r <= 0xFEFF,
		0x10800 <= r && r <= 0x10FFF, 0x1E800 <= r && r <= 0x1EFFF:
		return rightToLeft
	}
	switch r {
	case '-', 0x00B7, 0x02B9, 0x02BA, 0x02EC, 0x0375, 0x200C, 0x200D, 0x2E2F, 0x30FB, 0xA67F, 0xA788:
		return neutral
	}
	if 0x02C6 <= r && r <= 0x02CF || 0xA717 <= r && r <= 0xA71F {
		return neutral
	}
	return leftToRight
}

// satisfyBidi reports whether a name has no label with a right-to-left code point, or all its labels
// obey the Bidi rule (RFC 5893 §2, §1.4).
func satisfyBidi(labels [][]rune) bool {
	bidi := false
	for _, l := range labels {
		for _, r := range l {
			d := directionOf(r)
			bidi = bidi || d == rightToLeft || d == arabic
		}
	}
	if !bidi {
		return true
	}
	for _, l := range labels {
		if !obeysBidiRule(l) {
			return false
		}
	}
	return true
}

// obeysBidiRule checks the six conditions of RFC 5893 §2 on one label.
func obeysBidiRule(l []rune) bool {
	var has [neutral + 1]bool
	last := neutral
	for _, r := range l {
		d := directionOf(r)
		has[d] = true
		if d != mark {
			last = d
		}
	}
	switch directionOf(l[0]) {
	case rightToLeft:
		return !has[leftToRight] && (!has[european] || !has[arabic]) &&
			(last == rightToLeft || last == european || last == arabic)
	case leftToRight:
		return !has[rightToLeft] && !has[arabic] && (last == leftToRight || last == european)
	}
	return false
}
