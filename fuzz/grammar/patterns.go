package grammar

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// patterns is ECMA-262 (15th edition, 2024) §22.2.1 with the u flag. What contract/wire/ecma accepts beyond it, and
// docs/deviations.md lists, is marked "beyond".
var patterns = must(`
Pattern         = Disjunction
Disjunction     = Alternative *( "|" Alternative )
Alternative     = *Term
Term            = Assertion / Atom [ Quantifier ] / Lookahead Quantifier           ; the last beyond: Annex B.1.2
Assertion       = "^" / "$" / %s"\b" / %s"\B" / Lookahead / "(?<=" Disjunction ")" / "(?<!" Disjunction ")"
Lookahead       = "(?=" Disjunction ")" / "(?!" Disjunction ")"
Quantifier      = QuantifierPrefix [ "?" ]
QuantifierPrefix = "*" / "+" / "?" / Braces
Braces          = "{" 1*DIGIT [ "," *DIGIT ] "}"
Atom            = PatternCharacter / "." / "\" AtomEscape / CharacterClass / "(" [ GroupSpecifier ] Disjunction ")" / "(?:" Disjunction ")"
                / "]" / "}" / !Braces "{"                                          ; beyond: Annex B.1.2
PatternCharacter = !SyntaxCharacter SourceCharacter
SyntaxCharacter = "^" / "$" / "\" / "." / "*" / "+" / "?" / "(" / ")" / "[" / "]" / "{" / "}" / "|"
SourceCharacter = %x0-D7FF / %xE000-10FFFF
GroupSpecifier  = "?" GroupName
GroupName       = "<" IdentifierStart *IdentifierPart ">"
IdentifierStart = <ID_Start> / "$" / "_" / "\" UnicodeEscape
IdentifierPart  = <ID_Continue> / "$" / "_" / %x200C / %x200D / "\" UnicodeEscape

AtomEscape      = DecimalEscape / CharacterClassEscape / CharacterEscape / %s"k" GroupName
DecimalEscape   = %x31-39 *DIGIT !DIGIT
CharacterClassEscape = %s"d" / %s"D" / %s"s" / %s"S" / %s"w" / %s"W" / ( %s"p{" / %s"P{" ) <property> "}"
CharacterEscape = %s"f" / %s"n" / %s"r" / %s"t" / %s"v" / %s"c" ALPHA / "0" !DIGIT / %s"x" 2HEXDIG / UnicodeEscape / IdentityEscape
UnicodeEscape   = %s"u" 4HEXDIG / %s"u{" CodePoint "}"
CodePoint       = *"0" ( 1*5HEXDIG / "10" 4HEXDIG )
IdentityEscape  = !ALPHA !DIGIT SourceCharacter                                    ; beyond: SyntaxCharacter and "/" have it

CharacterClass  = "[" [ "^" ] ClassRanges "]"                                      ; the rules that follow decide about a "^"
ClassRanges     = [ NonemptyClassRanges ]
NonemptyClassRanges       = ClassAtom / ClassAtom NonemptyClassRangesNoDash / ClassAtom "-" ClassAtom ClassRanges
NonemptyClassRangesNoDash = ClassAtom / ClassAtomNoDash NonemptyClassRangesNoDash / ClassAtomNoDash "-" ClassAtom ClassRanges
ClassAtom       = "-" / ClassAtomNoDash
ClassAtomNoDash = !( "\" / "]" / "-" ) SourceCharacter / "\" ClassEscape
ClassEscape     = %s"b" / "-" / CharacterClassEscape / CharacterEscape

; What strings are made of: groups that references find.
made-pattern    = [ %s"(?<a>)(?<$>)(?<_>)" / "()()()()()()()()()()()()" ] Pattern
`, map[string]Prose{
	"ID_Start":    oneOf(isIDStart, "aZéπ中𐌰"),
	"ID_Continue": oneOf(isIDContinue, "aZ09_éπ中𐌰\u0301"),
	"property": {
		Is:   func(s []rune) bool { return isProperty(string(s)) },
		Make: func(pick func(int) int) []rune { return []rune(properties[pick(len(properties))]) },
	},
})

// oneOf is a code point by a test, made of some.
func oneOf(is func(r rune) bool, some string) Prose {
	of := []rune(some)
	return Prose{
		Is:   func(s []rune) bool { return len(s) == 1 && is(s[0]) },
		Make: func(pick func(int) int) []rune { return []rune{of[pick(len(of))]} },
	}
}

func isIDStart(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) && !unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

func isIDContinue(r rune) bool {
	return isIDStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) &&
		!unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// properties are what may stand in \p{}: ECMA-262 tables 66 to 68, the scripts that strings are made of apart from
// others.
var properties = func() []string {
	values := strings.Fields(`C Other Cc Control cntrl Cf Format Cn Unassigned Co Private_Use Cs Surrogate L Letter LC Cased_Letter Ll Lowercase_Letter
		Lm Modifier_Letter Lo Other_Letter Lt Titlecase_Letter Lu Uppercase_Letter M Mark Combining_Mark Mc Spacing_Mark Me Enclosing_Mark Mn Nonspacing_Mark
		N Number Nd Decimal_Number digit Nl Letter_Number No Other_Number P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation Pe Close_Punctuation
		Pf Final_Punctuation Pi Initial_Punctuation Po Other_Punctuation Ps Open_Punctuation S Symbol Sc Currency_Symbol Sk Modifier_Symbol Sm Math_Symbol
		So Other_Symbol Z Separator Zl Line_Separator Zp Paragraph_Separator Zs Space_Separator`)
	of := strings.Fields(`ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI Cased
		Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased CWL Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT
		Changes_When_Uppercased CWU Dash Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp Emoji_Modifier EMod
		Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex
		IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS Ideographic Ideo Join_Control Join_C Logical_Order_Exception LOE
		Lowercase Lower Math Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI
		Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS White_Space space
		XID_Continue XIDC XID_Start XIDS`)
	of = append(of, values...)
	for _, v := range values {
		of = append(of, "General_Category="+v, "gc="+v)
	}
	for _, v := range []string{"Greek", "Latin", "Cyrillic", "Devanagari", "Hiragana"} {
		of = append(of, "Script="+v, "sc="+v, "Script_Extensions="+v, "scx="+v)
	}
	return of
}()

func isProperty(s string) bool { return slices.Contains(properties, s) }

// patternHolds is the early errors of ECMA-262 §22.2.1.1: numbers of a quantifier in order, ranges of a class in
// order, group names once each, references to groups that exist.
func patternHolds(s string) bool {
	w := &walker{s: []rune(s), holds: true, names: map[string]bool{}}
	for w.at < len(w.s) {
		w.term()
	}
	for _, n := range w.numbers {
		if len(strings.TrimLeft(n, "0")) > 4 || number(n) > w.groups {
			return false
		}
	}
	for _, name := range w.references {
		w.holds = w.holds && w.names[name]
	}
	return w.holds
}

// walker goes through a pattern that is of the grammar.
type walker struct {
	s                   []rune
	at                  int
	holds               bool
	groups              int
	names               map[string]bool
	numbers, references []string
}

func (w *walker) is(prefix string) bool {
	p := []rune(prefix)
	return len(w.s)-w.at >= len(p) && slices.Equal(w.s[w.at:w.at+len(p)], p)
}

// until returns what stands before the next end, and goes behind that.
func (w *walker) until(end rune) string {
	n := slices.Index(w.s[w.at:], end)
	out := string(w.s[w.at : w.at+n])
	w.at += n + 1
	return out
}

func (w *walker) term() {
	switch {
	case w.is(`\k<`):
		w.at += 3
		w.references = append(w.references, w.name())
	case w.is(`\`) && w.s[w.at+1] >= '1' && w.s[w.at+1] <= '9':
		w.at++
		from := w.at
		for w.at < len(w.s) && w.s[w.at] >= '0' && w.s[w.at] <= '9' {
			w.at++
		}
		w.numbers = append(w.numbers, string(w.s[from:w.at]))
	case w.is(`\`):
		w.character()
	case w.is("["):
		w.class()
	case w.is("(?<=") || w.is("(?<!"):
		w.at += 4
	case w.is("(?<"):
		w.at += 3
		w.groups++
		name := w.name()
		w.holds = w.holds && !w.names[name]
		w.names[name] = true
	case w.is("(?"):
		w.at += 3
	case w.is("("):
		w.at++
		w.groups++
	case w.is("{"):
		w.at++
		from := w.at
		end := slices.Index(w.s[from:], '}')
		if end < 0 {
			return
		}
		low, high, both := strings.Cut(string(w.s[from:from+end]), ",")
		if both && isNumber(low) && isNumber(high) {
			low, high = strings.TrimLeft(low, "0"), strings.TrimLeft(high, "0")
			if len(low) > len(high) || len(low) == len(high) && low > high {
				w.holds = false
			}
		}
	default:
		w.at++
	}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// name reads a group name, escapes decoded, and looks at what they stand for.
func (w *walker) name() string {
	var name []rune
	for !w.is(">") {
		escaped := w.is(`\`)
		r, _ := w.character()
		first := len(name) == 0
		if escaped && r != '$' && r != '_' && !isIDStart(r) && (first || !isIDContinue(r) && r != 0x200C && r != 0x200D) {
			w.holds = false
		}
		name = append(name, r)
	}
	w.at++
	return string(name)
}

func (w *walker) class() {
	w.at++
	if w.is("^") {
		w.at++
	}
	for !w.is("]") {
		low, one := w.character()
		if !w.is("-") || w.at+1 < len(w.s) && w.s[w.at+1] == ']' {
			continue
		}
		w.at++
		high, another := w.character()
		w.holds = w.holds && (!one || !another || low <= high) // with a set at an end it is no range (beyond)
	}
	w.at++
}

// character reads a character or an escape and returns the code point; one is false for a set.
func (w *walker) character() (r rune, one bool) {
	r = w.s[w.at]
	w.at++
	if r != '\\' {
		return r, true
	}
	r = w.s[w.at]
	w.at++
	switch r {
	case 'd', 'D', 's', 'S', 'w', 'W':
		return 0, false
	case 'p', 'P':
		w.until('}')
		return 0, false
	case 'b':
		return '\b', true
	case 'f', 'n', 'r', 't', 'v', '0':
		return map[rune]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '0': 0}[r], true
	case 'c':
		w.at++
		return w.s[w.at-1] % 32, true
	case 'x':
		return w.hex(2), true
	case 'u':
		if w.is("{") {
			w.at++
			v := rune(0)
			for _, d := range w.until('}') {
				v = v*16 + digit(d)
			}
			return v, true
		}
		v := w.hex(4)
		if behind := w.at; utf16.IsSurrogate(v) && w.is(`\u`) && w.at+6 <= len(w.s) && w.s[w.at+2] != '{' {
			w.at += 2
			if pair := utf16.DecodeRune(v, w.hex(4)); pair != unicode.ReplacementChar {
				return pair, true
			}
			w.at = behind
		}
		return v, true
	}
	return r, true
}

func (w *walker) hex(n int) rune {
	v := rune(0)
	for range n {
		v = v*16 + digit(w.s[w.at])
		w.at++
	}
	return v
}

func digit(r rune) rune { return rune(strings.IndexRune("0123456789abcdef", unicode.ToLower(r))) }
