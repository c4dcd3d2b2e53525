package resolve

import (
	"fmt"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// reading is how a resource is read: in a draft, less the vocabularies that its meta-schema leaves out.
type reading struct {
	dialect Dialect // "" when `$schema` names none that is supported
	off     vocabularies
	asserts bool // format is an assertion here, whatever the options say
}

// keyword looks a name up. A keyword of a vocabulary that is off is unknown, that is an annotation.
func (r reading) keyword(name string) (k keyword, known bool) {
	k, known = vocabulary[r.dialect][name]
	return k, known && k.vocabulary&r.off == 0
}

// vocabularies is a set of vocabularies whose keywords judge.
type vocabularies uint8

const (
	applicatorVocabulary vocabularies = 1 << iota
	unevaluatedVocabulary
	validationVocabulary
	formatVocabulary
)

// vocabularyOf tells which vocabulary a keyword belongs to, if that may make a difference to a verdict.
func vocabularyOf(name string, r role) vocabularies {
	switch {
	case strings.HasPrefix(name, "$") || r != assertion && r != applicator:
		return 0
	case name == "format":
		return formatVocabulary
	case strings.HasPrefix(name, "unevaluated"):
		return unevaluatedVocabulary
	case r == applicator:
		return applicatorVocabulary
	}
	return validationVocabulary
}

// published lists the vocabularies of a draft by the last part of their names. Format is on as an annotation
// where the vocabulary is optional.
var published = map[Dialect]map[string]vocabularies{
	Draft2020: {
		"core": 0, "meta-data": 0, "content": 0,
		"applicator": applicatorVocabulary, "unevaluated": unevaluatedVocabulary, "validation": validationVocabulary,
		"format-annotation": formatVocabulary, "format-assertion": formatVocabulary,
	},
	Draft2019: {
		"core": 0, "meta-data": 0, "content": 0,
		"applicator": applicatorVocabulary | unevaluatedVocabulary, "validation": validationVocabulary,
		"format": formatVocabulary,
	},
}

// dialectFault says why `$schema` names no dialect that is supported.
type dialectFault struct {
	code    diag.Code
	message string
	hint    string
}

const (
	schema2019 = "https://json-schema.org/draft/2019-09/schema"
	schema2020 = "https://json-schema.org/draft/2020-12/schema"
	schema07   = "http://json-schema.org/draft-07/schema"
)

// drafts maps the identifiers of all published drafts, without the empty fragment that the older ones
// end in, and with http for https, which authors mix up.
var drafts = map[string]string{
	"http://json-schema.org/draft/2020-12/schema": "2020-12",
	"http://json-schema.org/draft/2019-09/schema": "2019-09",
	"http://json-schema.org/draft-07/schema":      "draft-07",
	"http://json-schema.org/draft-06/schema":      "draft-06",
	"http://json-schema.org/draft-04/schema":      "draft-04",
	"http://json-schema.org/draft-03/schema":      "draft-03",
	"http://json-schema.org/schema":               "latest",
}

// upgrades says what changed since a draft that is not supported.
var upgrades = map[string]string{
	"draft-06": "draft-06 schemas are valid draft-07: set $schema to \"" + schema07 + "#\"",
	"draft-04": "write $id for id, a number for a boolean exclusiveMinimum or exclusiveMaximum (and drop minimum or maximum beside it); then set $schema to \"" + schema07 + "#\"",
	"draft-03": "write a list of names in required, allOf for extends, not for disallow; then set $schema to \"" + schema2020 + "\"",
	"latest":   "name the draft: \"" + schema2020 + "\" or \"" + schema07 + "#\"",
}

// PublishedDialect returns the dialect that `$schema` names, in any of its usual spellings. ok is false for a custom
// meta-schema and for drafts that are not supported.
func PublishedDialect(schema string) (d Dialect, ok bool) {
	d, _, _ = standardDialect(schema)
	return d, d != ""
}

// standardDialect settles `$schema` where it names a published draft; known is false where it names
// something else.
func standardDialect(schema string) (d Dialect, fault *dialectFault, known bool) {
	key := strings.TrimSuffix(schema, "#")
	if rest, found := strings.CutPrefix(key, "https:"); found {
		key = "http:" + rest
	}
	name, known := drafts[key]
	if !known {
		return "", nil, false
	}
	switch Dialect(name) {
	case Draft2020, Draft2019, Draft07:
		return Dialect(name), nil, true
	}
	message := fmt.Sprintf("$schema names draft %s, which is not supported", strings.TrimPrefix(name, "draft-"))
	if name == "latest" {
		message = "$schema names no particular draft"
	}
	return "", &dialectFault{CodeDialect, message, upgrades[name]}, true
}

// dialectOf settles `$schema`, custom meta-schemas included: those are looked up among the documents. They
// are read like the draft that they are written in, with the vocabularies that they choose.
func dialectOf(schema string, lookup func(name string) *load.Node) (reading, *dialectFault) {
	var chosen *load.Node // $vocabulary of the meta-schema that schema names
	first := schema
	for step := range 8 { // meta-schemas of meta-schemas: more steps than that are a loop
		d, fault, known := standardDialect(schema)
		if known {
			if fault != nil {
				return reading{}, fault
			}
			return choose(d, chosen, first)
		}
		u, ok := parseURI(schema)
		if !ok || u.scheme == "" {
			return reading{}, &dialectFault{CodeDialect, fmt.Sprintf("$schema %s is no absolute URI", quote(schema)), useStandard}
		}
		meta := lookup(u.document())
		if meta == nil {
			return reading{}, &dialectFault{CodeDialect, fmt.Sprintf("$schema %s names a meta-schema that was not given", quote(schema)), useStandard}
		}
		if step == 0 {
			chosen = meta.Get("$vocabulary")
		}
		next := meta.Get("$schema")
		if next == nil {
			return choose(Draft2020, chosen, first)
		}
		schema = next.Str
	}
	return reading{}, &dialectFault{CodeDialect, fmt.Sprintf("$schema %s leads from meta-schema to meta-schema without end", quote(schema)), useStandard}
}

const useStandard = "use \"" + schema2020 + "\" or \"" + schema07 + "#\", or give the compiler the document it names"

// choose applies the `$vocabulary` of a custom meta-schema. What it does not list is off; an unknown
// vocabulary is refused where it is required, and has no effect otherwise (2020-12 core §8.1.2).
func choose(d Dialect, v *load.Node, schema string) (reading, *dialectFault) {
	r := reading{dialect: d}
	if v == nil || v.Kind != wire.KindObject || d == Draft07 {
		return r, nil
	}
	r.off = ^vocabularies(0)
	for _, m := range v.Members {
		name, ours := strings.CutPrefix(m.Name, "https://json-schema.org/draft/"+string(d)+"/vocab/")
		on, known := published[d][name]
		required := m.Value.Kind == wire.KindTrue
		switch {
		case ours && known:
			r.off &^= on
			r.asserts = r.asserts || name == "format-assertion" || name == "format" && required
		case required:
			return reading{}, &dialectFault{
				CodeUnsupportedKeyword,
				fmt.Sprintf("the meta-schema %s requires the vocabulary %s by its $vocabulary, which nobody here knows", quote(schema), quote(m.Name)),
				"make the vocabulary optional (false) if documents can be judged without it",
			}
		}
	}
	return r, nil
}
