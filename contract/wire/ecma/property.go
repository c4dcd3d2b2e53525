package ecma

//go:generate go run gen_tables.go

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// known caches the sets of properties: a name is one of some 600, and a set never changes.
var known sync.Map // string -> *set

// lookupProperty returns the set of \p{name=value}, or of \p{name} when pair is false. It is nil for
// a name that ECMA-262 (§22.2.1, tables 67 to 70) does not list. Names are case-sensitive and have
// no spaces or loose spellings.
func lookupProperty(name, value string, pair bool) *set {
	key := name
	if pair {
		key += "=" + value
	}
	if s, ok := known.Load(key); ok {
		return s.(*set)
	}
	s := findProperty(name, value, pair)
	if s != nil {
		known.Store(key, s)
	}
	return s
}

// Property returns the test behind \p{name}, or \p{name=value} written as "name=value", for those who
// need a property of Unicode outside a pattern. It is nil for a name that no pattern may use.
func Property(text string) func(r rune) bool {
	name, value, pair := strings.Cut(text, "=")
	if s := lookupProperty(name, value, pair); s != nil {
		return s.has
	}
	return nil
}

func findProperty(name, value string, pair bool) *set {
	if pair {
		switch name {
		case "General_Category", "gc":
			return category(value)
		case "Script", "sc":
			return script(value)
		case "Script_Extensions", "scx":
			return scriptExtensions(value)
		}
		return nil
	}
	if s := category(name); s != nil {
		return s
	}
	return binaryProperty(name)
}

// category returns the set of a value of General_Category, in its short or long form.
func category(value string) *set {
	if short, ok := unicode.CategoryAliases[value]; ok {
		value = short
	}
	if t := unicode.Categories[value]; t != nil {
		return ofTables(t)
	}
	return nil
}

// script returns the set of a value of Script, in its short or long form.
func script(value string) *set {
	if long, ok := scriptNames[value]; ok {
		value = long
	}
	if t := unicode.Scripts[value]; t != nil {
		return ofTables(t)
	}
	if value == "Unknown" {
		return ofTables(slices.Collect(maps.Values(unicode.Scripts))...).not()
	}
	return nil
}

// scriptExtensions returns the set of a value of Script_Extensions: the script's own code points,
// and those that it shares with others.
func scriptExtensions(value string) *set {
	if long, ok := scriptNames[value]; ok {
		value = long
	}
	if packed, ok := extensionTables[value]; ok {
		return unpack(packed)
	}
	return script(value)
}

// binaryProperty returns the set of a binary property of table 69 (ECMA-262 §22.2.1), nil if the name
// is not in the table. Some are derived here, as DerivedCoreProperties.txt says how.
func binaryProperty(name string) *set {
	if long, ok := binaryNames[name]; ok {
		name = long
	}
	if packed, ok := binaryTables[name]; ok {
		return unpack(packed)
	}
	switch name {
	case "Any":
		return everything
	case "Assigned":
		return ofTables(unicode.Categories["Cn"]).not()
	case "ASCII":
		return newSet([]span{{0, unicode.MaxASCII}})
	case "Alphabetic":
		return ofTables(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
	case "Lowercase":
		return ofTables(unicode.Ll, unicode.Other_Lowercase)
	case "Uppercase":
		return ofTables(unicode.Lu, unicode.Other_Uppercase)
	case "Cased":
		return ofTables(unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
	case "Math":
		return ofTables(unicode.Sm, unicode.Other_Math)
	case "Default_Ignorable_Code_Point":
		return defaultIgnorable()
	case "Grapheme_Extend":
		return ofTables(unicode.Me, unicode.Mn, unicode.Other_Grapheme_Extend)
	case "Grapheme_Base":
		return ofTables(unicode.C, unicode.Categories["Cn"], unicode.Zl, unicode.Zp,
			unicode.Me, unicode.Mn, unicode.Other_Grapheme_Extend).not()
	case "ID_Start":
		return ofTables(unicode.L, unicode.Nl, unicode.Other_ID_Start).minus(patternSyntax())
	case "ID_Continue":
		return ofTables(unicode.L, unicode.Nl, unicode.Other_ID_Start, unicode.Mn, unicode.Mc,
			unicode.Nd, unicode.Pc, unicode.Other_ID_Continue).minus(patternSyntax())
	}
	if listedProperties[name] {
		return ofTables(unicode.Properties[name])
	}
	return nil
}

func patternSyntax() *set {
	return ofTables(unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// defaultIgnorable leaves out white space, the interlinear annotation marks, the Egyptian format
// controls and the prepended marks, which are visible although their category is Cf.
func defaultIgnorable() *set {
	visible := union(ofTables(unicode.White_Space, unicode.Prepended_Concatenation_Mark),
		newSet([]span{{0xFFF9, 0xFFFB}, {0x13430, 0x1343F}}))
	return ofTables(unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector).minus(visible)
}

// unpack reads the spans that gen_tables.go packed: first code point relative to the last one before,
// and after a plus the number of code points that follow it, in base 36.
func unpack(packed string) *set {
	var spans []span
	last := rune(0)
	for field := range strings.FieldsSeq(packed) {
		distance, more, _ := strings.Cut(field, "+")
		lo := last + base36(distance)
		last = lo + base36(more)
		spans = append(spans, span{lo, last})
	}
	return newSet(spans)
}

func base36(digits string) (n rune) {
	for _, c := range []byte(digits) {
		if c >= 'a' {
			c -= 'a' - '9' - 1
		}
		n = n*36 + rune(c-'0')
	}
	return n
}
