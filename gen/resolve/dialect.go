package resolve

import (
	"fmt"
	"slices"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// dialectFault says why `$schema` names no dialect that is supported.
type dialectFault struct {
	code    diag.Code
	message string
	hint    string
}

const (
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
	"2019-09":  "for 2020-12 write prefixItems for an items array, items for additionalItems, $dynamicRef for $recursiveRef; then set $schema to \"" + schema2020 + "\"",
	"draft-06": "draft-06 schemas are valid draft-07: set $schema to \"" + schema07 + "#\"",
	"draft-04": "write $id for id, a number for a boolean exclusiveMinimum or exclusiveMaximum (and drop minimum or maximum beside it); then set $schema to \"" + schema07 + "#\"",
	"draft-03": "write a list of names in required, allOf for extends, not for disallow; then set $schema to \"" + schema2020 + "\"",
	"latest":   "name the draft: \"" + schema2020 + "\" or \"" + schema07 + "#\"",
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
	case Draft2020, Draft07:
		return Dialect(name), nil, true
	}
	message := fmt.Sprintf("$schema names draft %s, which is not supported", strings.TrimPrefix(name, "draft-"))
	if name == "latest" {
		message = "$schema names no particular draft"
	}
	return "", &dialectFault{CodeDialect, message, upgrades[name]}, true
}

// dialectOf settles `$schema`, custom meta-schemas included: those are looked up among the documents,
// and stand for the dialect they are written in unless they choose other vocabularies.
func dialectOf(schema string, lookup func(name string) *load.Node) (Dialect, *dialectFault) {
	for range 8 { // meta-schemas of meta-schemas: more steps than that are a loop
		d, fault, known := standardDialect(schema)
		if known {
			return d, fault
		}
		u, ok := parseURI(schema)
		if !ok || u.scheme == "" {
			return "", &dialectFault{CodeDialect, fmt.Sprintf("$schema %s is no absolute URI", quote(schema)), useStandard}
		}
		meta := lookup(u.document())
		if meta == nil {
			return "", &dialectFault{CodeDialect, fmt.Sprintf("$schema %s names a meta-schema that was not given", quote(schema)), useStandard}
		}
		if fault := checkVocabulary(meta.Get("$vocabulary"), schema); fault != nil {
			return "", fault
		}
		next := meta.Get("$schema")
		if next == nil {
			return Draft2020, nil
		}
		schema = next.Str
	}
	return "", &dialectFault{CodeDialect, fmt.Sprintf("$schema %s leads from meta-schema to meta-schema without end", quote(schema)), useStandard}
}

const useStandard = "use \"" + schema2020 + "\" or \"" + schema07 + "#\", or give the compiler the document it names"

const vocabularies = "https://json-schema.org/draft/2020-12/vocab/"

// checkVocabulary accepts the vocabularies of a custom meta-schema when they change nothing: the ones
// that judge are all there, and no unknown one is required.
func checkVocabulary(v *load.Node, schema string) *dialectFault {
	if v == nil || v.Kind != wire.KindObject {
		return nil
	}
	fault := func(format string, args ...any) *dialectFault {
		return &dialectFault{
			CodeUnsupportedKeyword,
			fmt.Sprintf("the meta-schema %s "+format, append([]any{quote(schema)}, args...)...),
			nextStage + "; use the meta-schema of a draft",
		}
	}
	for _, name := range []string{"core", "applicator", "validation"} {
		if v.Get(vocabularies+name) == nil {
			return fault("leaves out the vocabulary %q by its $vocabulary", name)
		}
	}
	neutral := []string{"core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"}
	for _, m := range v.Members {
		name, ours := strings.CutPrefix(m.Name, vocabularies)
		if m.Value.Kind == wire.KindTrue && (!ours || !slices.Contains(neutral, name)) {
			return fault("requires the vocabulary %s by its $vocabulary", quote(m.Name))
		}
	}
	return nil
}
