package grammar

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// names is RFC 1123 §2.1 and RFC 5890 §2.3.2.3. Labels of the latter are words, which isULabel and isALabel read
// from RFC 5890 to 5893.
var names = must(`
; RFC 952, with the first character of RFC 1123 §2.1
hname       = name *( "." name )
name        = let-digit [ *( let-digit / "-" ) let-digit ]
let-digit   = ALPHA / DIGIT

; RFC 5890 §2.3.2.3, dots by RFC 3490 §3.1 (docs/deviations.md)
iname       = ilabel *( idot ilabel )
idot        = "." / %x3002 / %xFF0E / %xFF61
ilabel      = name / <U-label>

; What names are made of: A-labels among others.
made-hname  = made-name *( "." made-name )
made-name   = name / <A-label> / made-other
made-other  = "ab--" name / 1*3DIGIT
made-iname  = made-ilabel *( idot made-ilabel )
made-ilabel = name / <A-label> / <U-label> / made-other
`, map[string]Prose{
	"U-label": {Is: func(s []rune) bool { return isULabel(s, formC) }, Make: makeULabel},
	"A-label": {Is: func(s []rune) bool { return len(s) > 4 && isALabel(s) }, Make: makeALabel},
})

// hostnameHolds: labels of 63 octets at most, 253 together (RFC 1034 §3.1, RFC 1123 §2.1), xn-- only before an
// A-label (RFC 5890 §2.3.2.1), and the Bidi rule where a label is right-to-left.
func hostnameHolds(s string) bool { return nameHolds(strings.Split(s, ".")) }

func idnHostnameHolds(s string) bool {
	return nameHolds(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(".\u3002\uff0e\uff61", r) }))
}

// nameHolds is both: and a name is never the dotted-decimal form of an address (RFC 1123 §2.1), nor are reserved labels
// mixed with U-labels (RFC 5890 §2.3.1, §2.3.2.3).
func nameHolds(labels []string) bool {
	length := len(labels) - 1
	var read [][]rune
	numbers := !slices.ContainsFunc(labels, func(l string) bool { return !isNumber(l) })
	beyond := slices.ContainsFunc(labels, func(l string) bool { return !isASCII([]rune(l)) })
	if numbers && len(labels) == 4 {
		return false
	}
	for _, l := range labels {
		if beyond && len(l) > 3 && isASCII([]rune(l)) && l[2:4] == "--" && !strings.EqualFold(l[:2], "xn") {
			return false
		}
		label := []rune(l)
		size := len(l)
		switch {
		case !isASCII(label):
			size = len("xn--") + len(punycode(label))
		case len(l) >= 4 && strings.EqualFold(l[:4], "xn--"):
			if !isALabel(label) {
				return false
			}
			label, _ = fromPunycode(strings.ToLower(l[4:]))
		}
		if size > 63 {
			return false
		}
		length += size
		read = append(read, label)
	}
	return length <= 253 && bidiHolds(read)
}

// isALabel: "xn--" and the Punycode of a U-label, either case, in the one way that it is encoded (RFC 5890 §2.3.2.1,
// RFC 5891 §5.4).
func isALabel(s []rune) bool {
	code := strings.ToLower(string(s))
	if !strings.HasPrefix(code, "xn--") {
		return false
	}
	label, ok := fromPunycode(code[4:])
	return ok && isULabel(label, formC) && punycode(label) == code[4:]
}

// form says what a U-label is normalized to.
type form bool

const (
	formC   form = true
	anyForm form = false
)

// isULabel: RFC 5890 §2.3.2.1, RFC 5891 §4.2: Normalization Form C, at least one character beyond ASCII, no hyphens
// at the ends or third and fourth, no combining mark first, code points that are valid, at most 63 octets encoded.
func isULabel(s []rune, f form) bool {
	if len(s) == 0 || isASCII(s) || f == formC && !norm.NFC.IsNormalString(string(s)) {
		return false
	}
	if s[0] == '-' || s[len(s)-1] == '-' || len(s) > 3 && s[2] == '-' && s[3] == '-' || unicode.In(s[0], unicode.M) {
		return false
	}
	for i := range s {
		if !permitted(s, i) {
			return false
		}
	}
	return len("xn--")+len(punycode(s)) <= 63
}

func isASCII(s []rune) bool {
	return !slices.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// permitted reports whether the code point at i may stand there: the derived property of RFC 5892 §3 and the rules
// of its appendix A. The order is that of §3.
func permitted(s []rune, i int) bool {
	r := s[i]
	all := func(is func(r rune) bool) bool { return slices.ContainsFunc(s, is) }
	between := func(low, high rune) func(r rune) bool { return func(r rune) bool { return low <= r && r <= high } }
	switch r { // Exceptions (F), §2.6
	case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007:
		return true
	case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303B:
		return false
	case 0xB7: // A.3
		return i > 0 && i < len(s)-1 && s[i-1] == 0x6C && s[i+1] == 0x6C
	case 0x375: // A.4
		return i < len(s)-1 && unicode.Is(unicode.Scripts["Greek"], s[i+1])
	case 0x5F3, 0x5F4: // A.5, A.6
		return i > 0 && unicode.Is(unicode.Scripts["Hebrew"], s[i-1])
	case 0x30FB: // A.7
		return all(func(r rune) bool {
			return unicode.In(r, unicode.Scripts["Hiragana"], unicode.Scripts["Katakana"], unicode.Scripts["Han"])
		})
	case 0x200C: // A.1
		return i > 0 && isVirama(s[i-1]) || joins(s, i)
	case 0x200D: // A.2
		return i > 0 && isVirama(s[i-1])
	}
	switch {
	case between(0x660, 0x669)(r): // A.8
		return !all(between(0x6F0, 0x6F9))
	case between(0x6F0, 0x6F9)(r): // A.9
		return !all(between(0x660, 0x669))
	case unicode.Is(unicode.Categories["Cn"], r): // Unassigned (J)
		return false
	case r <= unicode.MaxASCII: // LDH (E)
		return r == '-' || between('0', '9')(r) || between('a', 'z')(r)
	case unstable(r): // Unstable (B)
		return false
	case unicode.In(r, unicode.White_Space, unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Cf): // IgnorableProperties (C)
		return false
	case between(0x20D0, 0x20FF)(r), between(0x1D100, 0x1D1FF)(r), between(0x1D200, 0x1D24F)(r): // IgnorableBlocks (D)
		return false
	case between(0x1100, 0x11FF)(r), between(0xA960, 0xA97F)(r), between(0xD7B0, 0xD7FF)(r): // OldHangulJamo (I)
		return false
	}
	// LetterDigits (A), §2.1
	return unicode.In(r, unicode.Ll, unicode.Lu, unicode.Lo, unicode.Nd, unicode.Lm, unicode.Mn, unicode.Mc)
}

var folding = cases.Fold()

// unstable: RFC 5892 §2.2. Folding leaves Cherokee capitals as they are (CaseFolding.txt), which package cases maps
// down.
func unstable(r rune) bool {
	if 0x13A0 <= r && r <= 0x13F5 {
		return false
	}
	return norm.NFKC.String(folding.String(norm.NFKC.String(string(r)))) != string(r)
}

func isVirama(r rune) bool { return norm.NFD.PropertiesString(string(r)).CCC() == 9 }

// joining holds the letters that join, of the scripts that strings are made of (DerivedJoiningType.txt): on both
// sides (D), or with what is before them only (R). Marks are transparent.
var joining = func() map[rune]byte {
	of := map[rune]byte{}
	for class, ranges := range map[byte]string{
		'D': `0620 0626 0628 062A-062E 0633-063F 0641-0647 0649-064A 066E-066F 0678-0687 069A-06BF 06C1-06C2 06CC 06CE 06D0-06D1 06FA-06FC
			06FF 0712-0714 071A-071D 071F-0727 0729 072B 072D-072E 074E-0758 075C-076A 076D-0770 0772 0775-0777 077A-077F 07CA-07EA
			1807 1820-1878 1887-18A8 18AA`,
		'R': `0622-0625 0627 0629 062F-0632 0648 0671-0673 0675-0677 0688-0699 06C0 06C3-06CB 06CD 06CF 06D2-06D3 06D5 06EE-06EF 0710
			0715-0719 071E 0728 072A 072C 072F 074D 0759-075B 076B-076C 0771 0773-0774 0778-0779`,
	} {
		for r := range strings.FieldsSeq(ranges) {
			low, high, found := strings.Cut(r, "-")
			if !found {
				high = low
			}
			for c := hexadecimal(low); c <= hexadecimal(high); c++ {
				of[c] = class
			}
		}
	}
	return of
}()

func hexadecimal(s string) rune {
	v, err := strconv.ParseInt(s, 16, 32)
	if err != nil {
		panic("grammar: " + err.Error())
	}
	return rune(v)
}

// joins: the expression of RFC 5892 A.1, (L|D) T* ZWNJ T* (R|D).
func joins(s []rune, i int) bool {
	left, right := i-1, i+1
	for left >= 0 && unicode.In(s[left], unicode.Mn) {
		left--
	}
	for right < len(s) && unicode.In(s[right], unicode.Mn) {
		right++
	}
	return left >= 0 && right < len(s) && joining[s[left]] == 'D' && joining[s[right]] != 0
}

// bidiHolds: the rule of RFC 5893 §2 for each label, if one of them is right-to-left.
func bidiHolds(labels [][]rune) bool {
	class := func(r rune) bidi.Class {
		p, _ := bidi.LookupString(string(r))
		return p.Class()
	}
	rtl := slices.ContainsFunc(labels, func(l []rune) bool {
		return slices.ContainsFunc(l, func(r rune) bool { return slices.Contains([]bidi.Class{bidi.R, bidi.AL, bidi.AN}, class(r)) })
	})
	if !rtl {
		return true
	}
	return !slices.ContainsFunc(labels, func(l []rune) bool {
		var classes []bidi.Class
		for _, r := range l {
			classes = append(classes, class(r))
		}
		return !bidiRule(classes)
	})
}

func bidiRule(classes []bidi.Class) bool {
	among := func(of ...bidi.Class) func(bidi.Class) bool {
		return func(c bidi.Class) bool { return slices.Contains(of, c) }
	}
	only := func(of ...bidi.Class) bool {
		return !slices.ContainsFunc(classes, func(c bidi.Class) bool { return !slices.Contains(of, c) })
	}
	end := slices.Clone(classes)
	for len(end) > 0 && end[len(end)-1] == bidi.NSM {
		end = end[:len(end)-1]
	}
	switch first := classes[0]; {
	case among(bidi.R, bidi.AL)(first): // conditions 1 to 4
		return only(bidi.R, bidi.AL, bidi.AN, bidi.EN, bidi.ES, bidi.CS, bidi.ET, bidi.ON, bidi.BN, bidi.NSM) &&
			among(bidi.R, bidi.AL, bidi.EN, bidi.AN)(end[len(end)-1]) &&
			(!slices.Contains(classes, bidi.EN) || !slices.Contains(classes, bidi.AN))
	case first == bidi.L: // conditions 1, 5 and 6
		return only(bidi.L, bidi.EN, bidi.ES, bidi.CS, bidi.ET, bidi.ON, bidi.BN, bidi.NSM) && among(bidi.L, bidi.EN)(end[len(end)-1])
	}
	return false
}
