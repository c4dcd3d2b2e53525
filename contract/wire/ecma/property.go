package ecma

import (
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

func findProperty(name, value string, pair bool) *set {
	if pair {
		switch name {
		case "General_Category", "gc":
			return category(value)
		case "Script", "sc":
			return script(value)
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
	if value == "Unknown" || value == "Zzzz" {
		return nil
	}
	if t := unicode.Scripts[value]; t != nil {
		return ofTables(t)
	}
	return nil
}

// binaryProperty returns the set of a binary property of table 69 (ECMA-262 §22.2.1), most of them
// derived as DerivedCoreProperties.txt says, nil if the name is not in the table.
func binaryProperty(name string) *set {
	if long, ok := binaryNames[name]; ok {
		name = long
	}
	u := unicode.Properties
	switch name {
	case "Any":
		return everything
	case "Assigned":
		return ofTables(unicode.Categories["Cn"]).not()
	case "ASCII":
		return newSet([]span{{0, 0x7F}})
	case "Alphabetic":
		return ofTables(unicode.L, unicode.Nl, u["Other_Alphabetic"])
	case "Lowercase":
		return ofTables(unicode.Ll, u["Other_Lowercase"])
	case "Uppercase":
		return ofTables(unicode.Lu, u["Other_Uppercase"])
	case "Math":
		return ofTables(unicode.Sm, u["Other_Math"])
	case "Cased":
		return ofTables(unicode.Lu, unicode.Ll, unicode.Lt, u["Other_Lowercase"], u["Other_Uppercase"])
	case "Default_Ignorable_Code_Point":
		out := union(ofTables(unicode.White_Space, u["Prepended_Concatenation_Mark"]),
			newSet([]span{{0xFFF9, 0xFFFB}, {0x13430, 0x1343F}}))
		return ofTables(u["Other_Default_Ignorable_Code_Point"], unicode.Cf, u["Variation_Selector"]).minus(out)
	case "Grapheme_Extend":
		return ofTables(unicode.Me, unicode.Mn, u["Other_Grapheme_Extend"])
	case "Grapheme_Base":
		return ofTables(unicode.C, unicode.Categories["Cn"], unicode.Zl, unicode.Zp,
			unicode.Me, unicode.Mn, u["Other_Grapheme_Extend"]).not()
	case "ID_Start":
		return idStart()
	case "ID_Continue":
		return idContinue()
	}
	if t := u[name]; t != nil && listedProperties[name] {
		return ofTables(t)
	}
	return nil
}

func patternSyntax() *set {
	return ofTables(unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

func idStart() *set {
	return ofTables(unicode.L, unicode.Nl, unicode.Other_ID_Start).minus(patternSyntax())
}

func idContinue() *set {
	return union(idStart(), ofTables(unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc,
		unicode.Other_ID_Continue).minus(patternSyntax()))
}
