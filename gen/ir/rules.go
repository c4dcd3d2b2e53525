package ir

import (
	"strconv"

	"vcp.core/contract/wire"
	"vcp.core/contract/wire/format"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// rules collects the rules of one schema while its keywords are read.
type rules struct {
	*lowering
	from *resolve.Schema
	to   *Schema

	first                    Keyword // behind Ref
	contains                 *Schema
	minContains, maxContains int
}

func (r *rules) number() *NumberRules {
	if r.to.Number == nil {
		r.to.Number = &NumberRules{}
	}
	return r.to.Number
}

func (r *rules) string() *StringRules {
	if r.to.String == nil {
		r.to.String = &StringRules{MinLength: -1, MaxLength: -1}
	}
	return r.to.String
}

func (r *rules) items() *ArrayRules {
	if r.to.Array == nil {
		r.to.Array = &ArrayRules{MaxItems: -1}
	}
	return r.to.Array
}

func (r *rules) members() *ObjectRules {
	if r.to.Object == nil {
		r.to.Object = &ObjectRules{MaxMembers: -1}
	}
	return r.to.Object
}

// scalar handles the keywords of numbers and strings.
func (r *rules) scalar(k *resolve.Keyword) bool {
	switch k.Name {
	case "minimum":
		r.number().Minimum = r.decimal(k)
	case "maximum":
		r.number().Maximum = r.decimal(k)
	case "exclusiveMinimum":
		r.number().ExclusiveMinimum = r.decimal(k)
	case "exclusiveMaximum":
		r.number().ExclusiveMaximum = r.decimal(k)
	case "multipleOf":
		r.number().MultipleOf = r.decimal(k)
	case "minLength":
		r.string().MinLength = count(k.Value)
	case "maxLength":
		r.string().MaxLength = count(k.Value)
	case "pattern":
		r.string().Pattern = k.Patterns[0]
	case "format":
		r.string().Format = r.format(k)
	default:
		return false
	}
	return true
}

func (r *rules) array(k *resolve.Keyword) bool {
	switch k.Name {
	case "prefixItems":
		r.items().Prefix = r.schemas(k.Schemas)
	case "items":
		r.items().Items = r.schema(k.Schemas[0])
	case "minItems":
		r.items().MinItems = count(k.Value)
	case "maxItems":
		r.items().MaxItems = count(k.Value)
	case "uniqueItems":
		if isTrue(k.Value) {
			r.items().Unique = true
		}
	case "contains":
		r.contains = r.schema(k.Schemas[0])
	case "minContains":
		r.minContains = count(k.Value)
	case "maxContains":
		r.maxContains = count(k.Value)
	case "unevaluatedItems":
		r.items().Unevaluated = r.schema(k.Schemas[0])
	default:
		return false
	}
	return true
}

func (r *rules) object(k *resolve.Keyword) bool {
	switch k.Name {
	case "properties":
		r.members().Properties = r.properties(k)
	case "patternProperties":
		for i, s := range k.Schemas {
			r.members().Patterns = append(r.members().Patterns, PatternProperty{k.Patterns[i], r.schema(s)})
		}
	case "additionalProperties":
		r.members().Additional = r.schema(k.Schemas[0])
	case "propertyNames":
		r.members().Names = r.schema(k.Schemas[0])
	case "required":
		for _, e := range k.Value.Elems {
			r.members().Required = append(r.members().Required, e.Str)
		}
	case "minProperties":
		r.members().MinMembers = count(k.Value)
	case "maxProperties":
		r.members().MaxMembers = count(k.Value)
	case "dependentRequired":
		for i, name := range k.Names {
			r.members().DependentRequired = append(r.members().DependentRequired, DependentRequired{name, k.Lists[i]})
		}
	case "dependentSchemas":
		r.members().DependentSchemas = r.properties(k)
	case "unevaluatedProperties":
		r.members().Unevaluated = r.schema(k.Schemas[0])
	default:
		return false
	}
	return true
}

// settle finishes what depends on several keywords.
func (r *rules) settle() {
	if r.contains != nil {
		r.items().Contains = &Contains{
			Schema: r.contains, Min: r.minContains, Max: r.maxContains, Evaluates: r.from.Dialect != resolve.Draft2019,
		}
	}
	if r.to.If == nil {
		r.to.Then, r.to.Else = nil, nil
	}
}

func (r *rules) properties(k *resolve.Keyword) []Property {
	list := make([]Property, len(k.Names))
	for i, name := range k.Names {
		list[i] = Property{name, r.schema(k.Schemas[i])}
	}
	return list
}

func (r *rules) decimal(k *resolve.Keyword) *wire.Decimal {
	d, ok := wire.ParseDecimal(k.Value.Str)
	if !ok {
		r.report(r.from, k, CodeValue, strconv.Quote(k.Source)+" needs a number", "")
		return nil
	}
	return &d
}

func (r *rules) format(k *resolve.Keyword) *Format {
	f := &Format{Name: k.Value.Str}
	if !r.opts.FormatAssertion && !k.Asserted {
		return f
	}
	check, ok := format.Lookup(f.Name)
	if !ok {
		r.unknownFormat(k)
		return f
	}
	f.Check = check
	return f
}

// unknownFormat reports an asserted format that nobody defined. A 2020-12 meta-schema with the vocabulary
// format-assertion demands that it be refused (validation §7.2.3), 2019-09 forbids that (§7.2.3), and draft-07
// and whoever sets the option leave it open: then it stays an annotation, and the author is told that nothing
// will be checked.
func (r *rules) unknownFormat(k *resolve.Keyword) {
	hint := "use one of the formats of draft 2020-12, or a pattern"
	if near := diag.Closest(k.Value.Str, format.Names()); near != "" {
		hint = "did you mean " + strconv.Quote(near) + "?"
	}
	message := "format " + strconv.Quote(k.Value.Str) + " is asserted, and nobody defined it"
	if k.Asserted && r.from.Dialect == resolve.Draft2020 {
		r.report(r.from, k, CodeUnknownFormat, message, hint)
		return
	}
	r.warn(r.from, k, CodeUnknownFormat, message+": it stays an annotation", hint)
}

// value makes a constant. A constant is scanned like any document: what the loader accepted can fail
// here only on a limit.
func (r *rules) value(k *resolve.Keyword, n *load.Node) (Value, bool) {
	raw := r.compact(n)
	var t wire.Tape
	if err := t.Scan(raw, wire.DefaultLimits()); err != nil {
		r.report(r.from, k, CodeValue, err.Error(), "")
		return Value{}, false
	}
	return Value{Raw: raw, Canonical: string(wire.AppendCanonical(nil, &t, 0)), Kind: n.Kind}, true
}

func (r *rules) compact(n *load.Node) []byte {
	return wire.AppendCompact(nil, r.from.File.Src[n.Start:n.End])
}

func isTrue(n *load.Node) bool { return n.Kind == wire.KindTrue }

// text is "" for what is no string.
func text(n *load.Node) string {
	if n.Kind != wire.KindString {
		return ""
	}
	return n.Str
}

// count reads what resolve has checked.
func count(n *load.Node) int {
	c, _ := resolve.Count(n)
	return c
}
