package resolve

import (
	"errors"
	"math"
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/contract/wire/ecma"
	"vcp.core/gen/load"
)

// typeNames are the types of JSON Schema.
var typeNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

// otherTypes are words that other languages use for types.
var otherTypes = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer",
	"float": "number", "double": "number", "decimal": "number",
	"bool": "boolean", "str": "string", "text": "string", "date": "string", "datetime": "string", "file": "string",
	"list": "array", "tuple": "array", "dict": "object", "map": "object", "struct": "object",
	"nil": "null", "none": "null", "None": "null", "undefined": "null",
}

// describe says what a value is, for a message.
func describe(n *load.Node) string {
	switch n.Kind {
	case wire.KindNull:
		return "null"
	case wire.KindFalse:
		return "false"
	case wire.KindTrue:
		return "true"
	case wire.KindNumber:
		return "the number " + shorten(n.Str)
	case wire.KindString:
		return "the string " + quote(n.Str)
	case wire.KindArray:
		return "an array"
	default:
		return "an object"
	}
}

func shorten(number string) string {
	if len(number) > 40 {
		return number[:40] + "…"
	}
	return number
}

// Count reads the value of a keyword that counts (minLength, maxItems…): an integer of zero or more, in
// any spelling that JSON has for it (2.0, 1e2). A count beyond int is the largest int: no document
// reaches it. ok is false for any other value.
func Count(n *load.Node) (count int, ok bool) {
	if n.Kind != wire.KindNumber {
		return 0, false
	}
	d, ok := wire.ParseDecimal(n.Str)
	if !ok || !d.IsInteger() || d.Sign() < 0 {
		return 0, false
	}
	i, fits := d.Int64()
	if !fits || i > math.MaxInt {
		return math.MaxInt, true
	}
	return int(i), true
}

// checkValue blames a value of the wrong shape. Subschemas are not looked into.
func (b *build) checkValue(k keyword, v *load.Node) bool {
	switch k.shape {
	case aString, aReference:
		return b.want(v.Kind == wire.KindString, v, "a string")
	case aBoolean:
		return b.want(v.Kind == wire.KindTrue || v.Kind == wire.KindFalse, v, "true or false")
	case aNumber:
		return b.want(v.Kind == wire.KindNumber, v, "a number")
	case aPositive:
		positive := false
		if v.Kind == wire.KindNumber {
			d, ok := wire.ParseDecimal(v.Str)
			positive = ok && d.Sign() > 0
		}
		return b.want(positive, v, "a number above zero")
	case aCount:
		_, ok := Count(v)
		return b.want(ok, v, "an integer of zero or more")
	case aType:
		return b.checkType(v)
	case anArray:
		return b.want(v.Kind == wire.KindArray, v, "an array")
	case aStringSet:
		return b.checkStrings(v, b.pointer())
	case aSchema:
		return b.checkSchema(v, b.pointer())
	case aSchemaList:
		return b.checkSchemas(v)
	case itemsList:
		if v.Kind == wire.KindArray {
			return b.checkSchemas(v)
		}
		return b.checkSchema(v, b.pointer())
	case aSchemaMap, aPatternMap, aStringSetMap, dependencies:
		return b.checkMap(k, v)
	case aVocabulary:
		if !b.want(v.Kind == wire.KindObject, v, "an object") {
			return false
		}
		for i := range v.Members {
			if m := v.Members[i].Value; m.Kind != wire.KindTrue && m.Kind != wire.KindFalse {
				b.faultf(CodeValue, m.Start, load.Child(b.pointer(), v.Members[i].Name), "", "a vocabulary is required (true) or optional (false), not %s", describe(m))
				return false
			}
		}
		return true
	default: // aPattern is checked where it is compiled; anyValue and maybeSchemaMap are never wrong
		return true
	}
}

// want blames the value unless ok.
func (b *build) want(ok bool, v *load.Node, what string) bool {
	if !ok {
		b.faultf(CodeValue, v.Start, b.pointer(), b.valueHint(v), "%s must be %s, not %s", b.member.Name, what, describe(v))
	}
	return ok
}

// valueHint knows what authors of older drafts write.
func (b *build) valueHint(v *load.Node) string {
	boolean := v.Kind == wire.KindTrue || v.Kind == wire.KindFalse
	switch b.member.Name {
	case "required":
		if boolean {
			return "required belongs to the object and lists the names of its required properties"
		}
		if v.Kind == wire.KindString {
			return "write [" + quote(v.Str) + "]"
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if boolean {
			return "since draft-06 the bound itself stands here, in place of minimum or maximum"
		}
	case "enum":
		if v.Kind == wire.KindString {
			return "write [" + quote(v.Str) + "]"
		}
	case "allOf", "anyOf", "oneOf":
		if v.Kind == wire.KindObject {
			return "put the schema in an array"
		}
	}
	if v.Kind == wire.KindString && (v.Str == "true" || v.Str == "false") {
		return "remove the quotes"
	}
	return ""
}

func (b *build) checkType(v *load.Node) bool {
	if v.Kind == wire.KindString {
		return b.checkTypeName(v, b.pointer())
	}
	if !b.want(v.Kind == wire.KindArray && len(v.Elems) > 0, v, "a type or a list of types") {
		return false
	}
	good := true
	seen := map[string]bool{}
	for i, e := range v.Elems {
		at := load.Item(b.pointer(), i)
		switch {
		case !b.checkTypeName(e, at):
			good = false
		case seen[e.Str]:
			b.faultf(CodeValue, e.Start, at, "remove one of them", "type lists %s twice", quote(e.Str))
			good = false
		}
		seen[e.Str] = true
	}
	return good
}

func (b *build) checkTypeName(v *load.Node, at string) bool {
	if v.Kind == wire.KindString && slices.Contains(typeNames, v.Str) {
		return true
	}
	hint := "the types are null, boolean, integer, number, string, array and object"
	if v.Kind == wire.KindString && b.mayGuess() {
		if near := closest(v.Str, typeNames); near != "" {
			hint = "did you mean " + quote(near) + "?"
		} else if other := otherTypes[v.Str]; other != "" {
			hint = "write " + quote(other)
		} else if v.Str == "any" {
			hint = "leave type out to allow every type"
		}
	}
	b.faultf(CodeValue, v.Start, at, hint, "%s is not a type", describe(v))
	return false
}

// checkStrings demands an array of different strings.
func (b *build) checkStrings(v *load.Node, at string) bool {
	if v.Kind != wire.KindArray {
		if at == b.pointer() {
			return b.want(false, v, "an array of names")
		}
		b.faultf(CodeValue, v.Start, at, "", "an array of names is wanted here, not %s", describe(v))
		return false
	}
	good := true
	first := make(map[string]int, len(v.Elems))
	for i, e := range v.Elems {
		if e.Kind != wire.KindString {
			b.faultf(CodeValue, e.Start, load.Item(at, i), "", "a name must be a string, not %s", describe(e))
			good = false
			continue
		}
		if j, seen := first[e.Str]; seen {
			b.faultf(CodeValue, e.Start, load.Item(at, i), "remove one of them", "the name %s is listed twice, first as element %d", quote(e.Str), j)
			good = false
			continue
		}
		first[e.Str] = i
	}
	return good
}

func (b *build) checkSchema(v *load.Node, at string) bool {
	if isSchema(v) {
		return true
	}
	hint := ""
	switch {
	case v.Kind == wire.KindArray && b.member.Name == "items":
		hint = "since draft 2020-12 an array of schemas is called prefixItems"
	case v.Kind == wire.KindString && slices.Contains(typeNames, v.Str):
		hint = "write {\"type\": " + quote(v.Str) + "}"
	}
	b.faultf(CodeValue, v.Start, at, hint, "a schema is an object or a boolean, not %s", describe(v))
	return false
}

func (b *build) checkSchemas(v *load.Node) bool {
	if !b.want(v.Kind == wire.KindArray, v, "an array of schemas") {
		return false
	}
	if len(v.Elems) == 0 {
		b.faultf(CodeValue, v.Start, b.pointer(), "leave the keyword out", "%s must not be empty", b.member.Name)
		return false
	}
	good := true
	for i, e := range v.Elems {
		good = b.checkSchema(e, load.Item(b.pointer(), i)) && good
	}
	return good
}

func (b *build) checkMap(k keyword, v *load.Node) bool {
	if !b.want(v.Kind == wire.KindObject, v, "an object") {
		return false
	}
	good := true
	for i := range v.Members {
		m := &v.Members[i]
		at := load.Child(b.pointer(), m.Name)
		switch {
		case k.shape == aStringSetMap, k.shape == dependencies && m.Value.Kind == wire.KindArray:
			good = b.checkStrings(m.Value, at) && good
		default:
			good = b.checkSchema(m.Value, at) && good
		}
	}
	return good
}

// pattern compiles a regular expression once per document. Patterns are limited in number and in total
// length, since compiling is what a document can make expensive.
func (b *build) pattern(source string, offset int, at string) *ecma.Regexp {
	s := b.session
	if known, seen := s.patterns[source]; seen {
		if known.err != nil {
			b.patternFault(known.err, source, offset, at)
		}
		return known.re
	}
	if s.patternsOver {
		return nil
	}
	s.patternCost += patternCost(source)
	switch {
	case len(s.patterns) >= s.lim.Patterns:
		b.faultf(CodeLimit, offset, at, "", "limit exceeded: more than %d different patterns", s.lim.Patterns)
		s.patternsOver = true
		return nil
	case s.patternCost > s.lim.PatternCost:
		b.faultf(CodeLimit, offset, at, "use fewer Unicode properties and counted repetitions",
			"limit exceeded: compiling the patterns up to here costs %s units, more than %s", count(s.patternCost), count(s.lim.PatternCost))
		s.patternsOver = true
		return nil
	}
	re, err := ecma.Compile(source)
	s.patterns[source] = compiled{re, err}
	if err != nil {
		b.patternFault(err, source, offset, at)
	}
	return re
}

// patternCost estimates what compiling a pattern costs, from its text: see Limits.PatternCost. A property
// such as \p{L} stands for hundreds of ranges, and a repetition such as {1000} for as many copies (beyond
// a thousand, engines do not copy).
func patternCost(source string) int {
	cost := len(source)
	for i := 0; i+1 < len(source); i++ {
		switch {
		case source[i] == '\\' && source[i+1]|0x20 == 'p':
			cost += 800
		case source[i] == '{':
			n := 0
			for j := i + 1; j < len(source) && n < 1000 && (source[j] >= '0' && source[j] <= '9' || source[j] == ','); j++ {
				if source[j] == ',' {
					n = 0
					continue
				}
				n = n*10 + int(source[j]-'0')
			}
			cost += min(n, 1000)
		}
	}
	return cost
}

type compiled struct {
	re  *ecma.Regexp
	err error
}

func (b *build) patternFault(err error, source string, offset int, at string) {
	var syntax *ecma.SyntaxError
	var limit *ecma.LimitError
	switch {
	case errors.As(err, &syntax):
		b.faultf(CodePattern, offset, at, "patterns are ECMA-262 regular expressions with the u flag", "the pattern %s does not compile: %s at byte %d of it", quote(source), syntax.Message, syntax.Offset)
	case errors.As(err, &limit):
		b.faultf(CodeLimit, offset, at, "", "limit exceeded: the pattern %s has more than %d %s", quote(source), limit.Max, limit.Limit)
	default:
		b.faultf(CodePattern, offset, at, "", "the pattern %s does not compile: %v", quote(source), err)
	}
}
