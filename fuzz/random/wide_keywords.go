package random

import (
	"fmt"
	"strings"
)

// The values that the keywords and documents of [Wide] share.
var (
	wideNames   = []string{"a", "b", "k", "kind", "ab", "😀", "", "a b", "%"}
	wideNumbers = []string{
		"0", "1", "2", "3", "-1", "1.0", "1.5", "0.1", "0.3", "2.50", "1e2", "100", "-0.0", "1E-2", "9007199254740992", "9007199254740993", "9007199254740993.0",
		"123456789012345678901234567890", "123456789012345678901234567890.5", "1e400", "-1e400", "1e-400",
	}
	wideStrings  = []string{`""`, `"a"`, `"b"`, `"ab"`, `"aaa"`, `"abc"`, `"1"`, `"\u0061"`, `"😀"`, `"資源"`, `"\u0000"`, `"k"`, `"A"`, `"a b"`, `"2025-01-31"`}
	widePatterns = []string{"^a", "b|k", "^[a-c]+$", "[0-9]", "^[^b]$", "a{2,3}", "^$", "[^a]", "^(a|b)*c?$", "\\\\d", "^\\\\w+$", "\\\\p{L}", "[^a-z]$", "a\\\\.b|k", "(?:ab)+", ""}
	wideFormats  = []string{"date-time", "date", "email", "uuid", "ipv4", "uri", "regex", "json-pointer", "unknown-format", "duration", "hostname"}
	wideTypes    = []string{"null", "boolean", "integer", "number", "string", "array", "object"}
	divisors     = []string{"1", "2", "3", "0.1", "0.01", "0.5", "2.5", "1e-8", "1e2", "7", "9007199254740993"}
)

// Document returns a document of at most that depth.
func (w *Wide) Document(depth int) string {
	switch n := w.rng.IntN(10); {
	case depth <= 0 || n < 2:
		return w.scalar()
	case n < 5:
		var parts []string
		for range w.rng.IntN(4) {
			parts = append(parts, w.Document(depth-1))
		}
		if len(parts) > 0 && w.one(4) {
			parts = append(parts, parts[0])
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	var parts []string
	seen := map[string]bool{}
	for range w.rng.IntN(5) {
		if name := w.pick(wideNames...); !seen[name] {
			seen[name] = true
			parts = append(parts, fmt.Sprintf("%q:%s", name, w.Document(depth-1)))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (w *Wide) scalar() string {
	switch w.rng.IntN(5) {
	case 0:
		return w.pick("null", "true", "false")
	case 1, 2:
		return w.pick(wideStrings...)
	}
	return w.pick(wideNumbers...)
}

func (w *Wide) schemas(depth int, node bool) string {
	var list []string
	for range 1 + w.rng.IntN(3) {
		list = append(list, w.schema(depth, node))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func (w *Wide) values(depth int, node bool) string {
	kept := w.below
	w.below = true
	s := w.schemas(depth, node)
	w.below = kept
	return s
}

// named are schemas by member name; value tells those for members from those for the object.
func (w *Wide) named(depth int, node, value bool) string {
	var list []string
	seen := map[string]bool{}
	for range 1 + w.rng.IntN(3) {
		if name := w.pick(wideNames...); !seen[name] {
			seen[name] = true
			write := w.schema
			if value {
				write = w.value
			}
			list = append(list, fmt.Sprintf("%q:%s", name, write(depth, node)))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

func (w *Wide) required() string {
	var list []string
	for _, name := range wideNames {
		if w.one(4) {
			list = append(list, fmt.Sprintf("%q", name))
		}
	}
	return "[" + strings.Join(list[:min(len(list), 2)], ",") + "]"
}

// tagged asks for a constant member.
func (w *Wide) tagged(depth int, node bool) string {
	s := fmt.Sprintf(`"properties":{"kind":{"const":%s}`, w.pick(`"a"`, `"b"`, "1", "null"))
	if w.one(2) {
		s += `,"a":` + w.value(depth-1, node)
	}
	s += "}"
	if !w.one(4) {
		s += `,"required":["kind"]`
	}
	if w.one(3) {
		s += `,"type":"object"`
	}
	return "{" + s + "}"
}

// leaf is a keyword without subschemas.
func (w *Wide) leaf() string {
	small := func() string { return w.pick("0", "1", "2", "3", "1.0") }
	switch w.rng.IntN(22) {
	case 0, 1:
		return fmt.Sprintf(`"type":%q`, w.pick(wideTypes...))
	case 2:
		a, b := w.pick(wideTypes...), w.pick(wideTypes...)
		if a == b {
			return fmt.Sprintf(`"type":[%q]`, a)
		}
		return fmt.Sprintf(`"type":[%q,%q]`, a, b)
	case 3:
		return `"const":` + w.Document(w.rng.IntN(2))
	case 4:
		// Never two that are equal: the meta-schema of draft-07 refuses them.
		one, two, three := w.pick(wideNumbers...), w.pick(wideStrings...), w.pick("null", "true", "[]", "{}", `["a"]`, "[1.0]", `{"a":1}`)
		return `"enum":[` + w.pick(one, one+","+two, two+","+three, one+","+two+","+three) + `]`
	case 5:
		return fmt.Sprintf("%q:%s", w.pick("minimum", "maximum"), w.pick(wideNumbers...))
	case 6:
		return fmt.Sprintf("%q:%s", w.pick("exclusiveMinimum", "exclusiveMaximum"), w.pick(wideNumbers...))
	case 7:
		return `"multipleOf":` + w.pick(divisors...)
	case 8:
		return fmt.Sprintf("%q:%s", w.pick("minLength", "maxLength"), small())
	case 9:
		return fmt.Sprintf(`"pattern":"%s"`, w.pick(widePatterns...))
	case 10:
		return fmt.Sprintf("%q:%s", w.pick("minItems", "maxItems"), small())
	case 11:
		return `"uniqueItems":` + w.pick("true", "true", "false")
	case 12:
		return fmt.Sprintf("%q:%s", w.pick("minProperties", "maxProperties"), small())
	case 13, 14:
		return `"required":` + w.required()
	case 15:
		return fmt.Sprintf(`"format":%q`, w.pick(wideFormats...))
	case 16:
		return w.pick(`"title":"a"`, `"description":"b"`, `"default":1`, `"examples":[1]`, `"readOnly":true`, `"writeOnly":true`, `"deprecated":true`, `"$comment":"c"`, `"unknownKeyword":{"type":"null"}`)
	case 17:
		return w.pick(`"contentEncoding":"base64"`, `"contentMediaType":"application/json"`, `"contentSchema":{"type":"null"}`)
	case 18:
		if w.draft == Draft07 {
			return `"dependencies":{"a":["b","k"],"b":[]}`
		}
		return fmt.Sprintf(`"dependentRequired":{"a":%s,"b":["a"]}`, w.required())
	case 19:
		if w.draft == Draft07 {
			return `"minContains":2` // unknown to the draft
		}
		return fmt.Sprintf(`"contains":%s,%q:%s`, w.pick("true", `{"type":"number"}`, `{"const":"a"}`), w.pick("minContains", "maxContains"), w.pick("0", "1", "2"))
	case 20:
		return fmt.Sprintf(`"minLength":1,"type":%q`, w.pick("string", "object"))
	}
	return `"type":["object","array"]`
}

// keyword is a member of a schema object, or several that belong together.
func (w *Wide) keyword(depth int, node bool) string {
	if depth < 0 || w.one(4) {
		return w.leaf()
	}
	switch w.rng.IntN(26) {
	case 0, 1, 2:
		return `"properties":` + w.named(depth, node, true)
	case 3:
		return fmt.Sprintf(`"patternProperties":{"%s":%s,"b|k":%s}`, w.pick("^a", "[0-9]", "^$", "k"), w.value(depth, node), w.value(depth, node))
	case 4:
		return `"additionalProperties":` + w.value(depth, node)
	case 5:
		return `"propertyNames":` + w.value(depth, node)
	case 6:
		return `"items":` + w.value(depth, node)
	case 7:
		if w.draft == Draft2020 {
			return `"prefixItems":` + w.values(depth, node)
		}
		return `"items":` + w.values(depth, node)
	case 8:
		if w.draft == Draft2020 {
			return fmt.Sprintf(`"prefixItems":%s,"items":%s`, w.values(depth, node), w.value(depth, node))
		}
		return fmt.Sprintf(`"items":%s,"additionalItems":%s`, w.values(depth, node), w.value(depth, node))
	case 9:
		return `"contains":` + w.value(depth, node)
	case 10:
		if w.draft == Draft07 {
			return `"contains":` + w.value(depth, node)
		}
		return fmt.Sprintf(`"contains":%s,"minContains":%s,"maxContains":%s`, w.value(depth, node), w.pick("0", "1", "2"), w.pick("1", "2", "3"))
	case 11:
		return `"allOf":` + w.schemas(depth, node)
	case 12, 13:
		return fmt.Sprintf("%q:%s", w.pick("anyOf", "oneOf"), w.schemas(depth, node))
	case 14:
		return fmt.Sprintf("%q:[%s,%s,%s]", w.pick("anyOf", "oneOf"), w.tagged(depth, node), w.tagged(depth, node), w.tagged(depth, node))
	case 15:
		return fmt.Sprintf(`"allOf":[{"if":%s,"then":%s},{"if":%s,"then":%s,"else":%s}]`, w.tagged(depth, node), w.schema(depth, node), w.tagged(depth, node), w.schema(depth, node), w.schema(depth, node))
	case 16:
		return `"not":` + w.schema(depth, node)
	case 17:
		return fmt.Sprintf(`"if":%s,%q:%s`, w.schema(depth, node), w.pick("then", "else"), w.schema(depth, node))
	case 18:
		return fmt.Sprintf("%q:%s", w.pick("then", "else", "if"), w.schema(depth, node))
	case 19:
		if w.draft == Draft07 {
			return `"dependencies":` + w.named(depth, node, false)
		}
		return `"dependentSchemas":` + w.named(depth, node, false)
	case 20, 21:
		if w.draft != Draft07 {
			return `"unevaluatedProperties":` + w.pick("false", w.value(depth, node))
		}
	case 22:
		if w.draft != Draft07 {
			return `"unevaluatedItems":` + w.pick("false", w.value(depth, node))
		}
	case 23:
		if w.draft != Draft07 {
			return fmt.Sprintf(`"anyOf":[%s,{"properties":%s}],"unevaluatedProperties":%s`, w.tagged(depth, node), w.named(depth, node, true), w.pick("false", w.value(depth, node)))
		}
	case 24:
		if ref := w.reference(node); ref != "" {
			return ref
		}
	}
	return w.leaf()
}

// splitMembers splits the text of the members of an object.
func splitMembers(text string) (members []string) {
	depth, quoted, start := 0, false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth == 0:
			members = append(members, text[start:i])
			start = i + 1
		}
	}
	return append(members, text[start:])
}
