package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/mutate"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/fuzz/random"
	"vcp.core/gen/diag"
	"vcp.core/gen/resolve"
)

// perSchema is how many documents a random schema is asked about: some random, most of them near its border.
const perSchema = 25

// Random schemas of all three drafts, with every keyword, in combinations that schemas written by people lack; live
// and v6 must agree on all documents. PEERS_FULL asks for a million pairs, PEERS_SCALE multiplies the schemas,
// PEERS_SEED is the first seed. A disagreement is printed in its smallest form.
func TestRandom(t *testing.T) {
	schemas := 1200
	if full() {
		schemas = 45_200
	}
	first, count := number(t, "PEERS_SEED", 1), schemas*number(t, "PEERS_SCALE", 1)
	r := randomRun{t: t, child: oracle.Start(t, time.Second), rows: map[random.Draft]*randomRow{}, used: map[string]int{}}
	for seed := range count {
		r.schema(uint64(first + seed))
		if r.wrong > 200 {
			t.Fatal("more than 200 disagreements")
		}
	}
	r.print(first, count)
}

// randomRow is what came out for one draft.
type randomRow struct {
	schemas, refused, documents, valid, undecided, died, known int
}

type randomRun struct {
	t     *testing.T
	child *oracle.Child
	rows  map[random.Draft]*randomRow
	used  map[string]int // schemas with a keyword
	wrong int
}

func (r *randomRun) print(first, count int) {
	fmt.Printf("%-32s%9s%9s%11s%8s%11s%8s%16s%15s\n", "random schemas, live against v6", "schemas", "refused", "documents", "% valid", "undecided", "v6 died", "faults of v6", "disagreements")
	total := randomRow{}
	line := func(name string, x randomRow, wrong string) {
		fmt.Printf("%-32s%9d%9d%11d%8.0f%11d%8d%16d%15s\n", name, x.schemas, x.refused, x.documents, 100*float64(x.valid)/float64(max(1, x.documents)), x.undecided, x.died, x.known, wrong)
	}
	for _, d := range []random.Draft{random.Draft2020, random.Draft2019, random.Draft07} {
		x := r.row(d)
		line(string(d), *x, "")
		total.schemas, total.refused, total.documents, total.valid = total.schemas+x.schemas, total.refused+x.refused, total.documents+x.documents, total.valid+x.valid
		total.undecided, total.died, total.known = total.undecided+x.undecided, total.died+x.died, total.known+x.known
		if share := 100 * x.valid / max(1, x.documents); share < 30 || share > 70 {
			r.t.Errorf("%s: %d in a hundred documents are valid, want 30 to 70", d, share)
		}
	}
	line(fmt.Sprintf("seeds %d to %d", first, first+count-1), total, fmt.Sprint(r.wrong))
	if full() && total.documents < 1_000_000 {
		r.t.Errorf("%d pairs, want a million", total.documents)
	}
	if total.refused > total.schemas/50 || total.died > total.documents/1000 {
		r.t.Errorf("%d schemas were refused, %d documents killed the oracle", total.refused, total.died)
	}
	for _, keyword := range keywordsOfDrafts {
		if r.used[keyword] < total.schemas/400 {
			r.t.Errorf("%s stands in %d schemas", keyword, r.used[keyword])
		}
	}
}

// keywordsOfDrafts are those that a random schema must meet.
var keywordsOfDrafts = []string{
	"$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "$comment", "$defs", "definitions",
	"type", "const", "enum", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern",
	"maxItems", "minItems", "uniqueItems", "contains", "maxContains", "minContains", "items", "prefixItems", "additionalItems", "unevaluatedItems",
	"maxProperties", "minProperties", "required", "properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties",
	"dependencies", "dependentRequired", "dependentSchemas", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
	"format", "contentEncoding", "contentMediaType", "contentSchema", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
}

func (r *randomRun) row(d random.Draft) *randomRow {
	if r.rows[d] == nil {
		r.rows[d] = &randomRow{}
	}
	return r.rows[d]
}

// schema makes one schema and asks both sides about documents.
func (r *randomRun) schema(seed uint64) {
	w := random.NewWide(seed)
	c := w.Schema()
	row := r.row(c.Draft)
	row.schemas++
	text := strings.Join(slices.Collect(maps.Values(c.Documents)), "\n")
	for _, keyword := range keywordsOfDrafts {
		if strings.Contains(text, `"`+keyword+`":`) {
			r.used[keyword]++
		}
	}
	judge, refused, loaded := r.compile(c)
	if judge == nil || loaded != nil {
		row.refused++
		if (judge == nil) != (loaded != nil) {
			r.differ(seed, c, "", fmt.Sprintf("live: %v, v6: %v", refused, loaded))
		}
		return
	}
	documents := r.documents(w, c, seed, judge)
	answers, err := r.child.JudgeAll(documents)
	if err != nil {
		r.t.Fatal(err)
	}
	wrong := false
	for i, d := range documents {
		verdict, err := judge.Document(d)
		switch {
		case err != nil:
			r.t.Fatalf("seed %d: %v: %s", seed, err, d)
		case !answers[i].Decided():
			row.died++
			r.t.Logf("seed %d: the oracle %s over %.200s\n\tdocument: %.200s", seed, answers[i], c, d)
		case verdict == wire.Undecided:
			row.undecided++
		default:
			row.documents++
			if answers[i] == oracle.Valid {
				row.valid++
			}
			n := len(judge.Violations(d))
			if (verdict == wire.Valid) == (answers[i] == oracle.Valid) && (n == 0) == (verdict == wire.Valid) {
				continue
			}
			if wrong { // one for each schema is told
				r.wrong++
				continue
			}
			wrong = r.differ(seed, c, string(d), fmt.Sprintf("v6 says %s, live's verdict is %d with %d violations", answers[i], verdict, n))
		}
	}
}

var dialects = map[random.Draft]resolve.Dialect{random.Draft2020: resolve.Draft2020, random.Draft2019: resolve.Draft2019, random.Draft07: resolve.Draft07}

// compile takes a schema to both sides. The errors say that the compiler, or v6, refuses it.
func (r *randomRun) compile(c random.Case) (judge *ours.Judge, refused, loaded error) {
	s := ours.Schema{URI: c.URI, Documents: map[string][]byte{}, Dialect: dialects[c.Draft]}
	o := oracle.Schema{URI: c.URI, Documents: map[string]json.RawMessage{}, Dialect: string(c.Draft)}
	for uri, text := range c.Documents {
		s.Documents[uri], o.Documents[uri] = []byte(text), json.RawMessage(text)
	}
	judge, refused = ours.Compile(s)
	if loaded = r.child.Load(o); loaded != nil {
		if _, refused := errors.AsType[*oracle.RefusedError](loaded); !refused {
			r.t.Fatal(loaded)
		}
	}
	return judge, refused, loaded
}

// documents makes documents for a schema, all different and as many valid as invalid ones if possible. The verdicts
// of live steer, which v6 knows nothing of.
func (r *randomRun) documents(w *random.Wide, c random.Case, seed uint64, judge *ours.Judge) (list [][]byte) {
	raw := map[string][]byte{}
	for uri, text := range c.Documents {
		raw[uri] = []byte(text)
	}
	s, err := mutate.NewSchema(c.URI, raw)
	if err != nil {
		r.t.Fatal(err)
	}
	maker, err := mutate.New(s, nil, seed)
	if err != nil {
		r.t.Fatal(err)
	}
	valid, invalid := 0, 0
	for try := 0; try < 6*perSchema && len(list) < perSchema; try++ {
		d := mutate.Document{}
		if try%3 == 0 {
			d.Bytes = []byte(w.Document(3))
		} else if d = maker.Next(); d.Hostile != "" || len(d.Bytes) > 4000 || deep(d.Bytes) {
			continue
		}
		if slices.ContainsFunc(list, func(e []byte) bool { return bytes.Equal(d.Bytes, e) }) {
			continue
		}
		verdict, err := judge.Document(d.Bytes)
		if err != nil {
			continue
		}
		maker.Saw(d, verdict == wire.Valid)
		if verdict == wire.Valid && valid >= perSchema*3/5 || verdict == wire.Invalid && invalid >= perSchema*3/5 {
			continue
		}
		if verdict == wire.Valid {
			valid++
		} else {
			invalid++
		}
		list = append(list, d.Bytes)
	}
	return list
}

// deep says that a document is nested deeper than an oracle that takes twice as long for each level should be given.
func deep(document []byte) bool {
	level := 0
	for _, c := range document {
		switch c {
		case '[', '{':
			if level++; level > 9 {
				return true
			}
		case ']', '}':
			level--
		}
	}
	return false
}

// differ reports a disagreement in its smallest form, unless a fault of v6 explains it. No document means that the
// sides disagree about the schema.
func (r *randomRun) differ(seed uint64, c random.Case, document, what string) (wrong bool) {
	uris := slices.Sorted(maps.Keys(c.Documents))
	texts := []string{document}
	for _, uri := range uris {
		texts = append(texts, c.Documents[uri])
	}
	with := func(texts []string) random.Case {
		smaller := random.Case{Draft: c.Draft, URI: c.URI, Documents: map[string]string{}}
		for i, uri := range uris {
			smaller.Documents[uri] = texts[1+i]
		}
		return smaller
	}
	for _, k := range faultsOfV6 {
		if !r.disagree(k.without(c), document) {
			r.row(c.Draft).known++
			return false
		}
	}
	meta := slices.Index(uris, random.Meta)
	_, refused, loaded := r.compile(c)
	texts = mutate.Shrink(texts, 1000, func(texts []string) bool {
		if meta >= 0 && texts[1+meta] != c.Documents[random.Meta] {
			return false // half a meta-schema says nothing
		}
		if document == "" {
			// The same refusal, not just any.
			_, now, by6 := r.compile(with(texts))
			return (now == nil) != (by6 == nil) && code(now) == code(refused) && (by6 == nil) == (loaded == nil)
		}
		return r.disagree(with(texts), texts[0])
	})
	r.wrong++
	r.t.Errorf("seed %d: %s\n%s\n\tdocument: %s", seed, what, with(texts), texts[0])
	return true
}

// code is the code of a refusal, "" for none.
func code(refused error) diag.Code {
	if e, ok := errors.AsType[*ours.RefusedError](refused); ok {
		for _, d := range e.List {
			if d.Severity == diag.Error {
				return d.Code
			}
		}
	}
	return ""
}

// disagree reports whether the sides still disagree, about the schema if there is no document.
func (r *randomRun) disagree(c random.Case, document string) bool {
	judge, _, loaded := r.compile(c)
	if document == "" {
		return (judge == nil) != (loaded != nil)
	}
	if judge == nil || loaded != nil {
		return false
	}
	verdict, err := judge.Document([]byte(document))
	if err != nil || verdict == wire.Undecided {
		return false
	}
	answer, err := r.child.Judge([]byte(document))
	if err != nil {
		r.t.Fatal(err)
	}
	violations := len(judge.Violations([]byte(document)))
	return answer.Decided() && ((verdict == wire.Valid) != (answer == oracle.Valid) || (violations == 0) != (verdict == wire.Valid))
}

// faultOfV6 is a fault that explains a disagreement: without what it is about, both sides agree.
type faultOfV6 struct {
	name    string
	without func(random.Case) random.Case
}

// faultsOfV6 are told, with the words of the specification, in docs/conformance.md.
var faultsOfV6 = []faultOfV6{
	{"a vocabulary that is optional and known", func(c random.Case) random.Case {
		return replaced(c, random.Meta, func(text string) string { return strings.ReplaceAll(text, `":false`, `":true`) })
	}},
	{"keywords of draft-06 and draft-07 beside $ref", func(c random.Case) random.Case {
		for uri := range c.Documents {
			c = replaced(c, uri, func(text string) string {
				if c.Draft == random.Draft07 || strings.Contains(text, "draft-07") {
					return refsAlone(text)
				}
				return text
			})
		}
		return c
	}},
	{"the dynamic scope inside propertyNames", func(c random.Case) random.Case {
		if !strings.Contains(c.String(), `"$dynamicRef"`) && !strings.Contains(c.String(), `"$recursiveRef"`) {
			return c
		}
		return dropped(c, "propertyNames")
	}},
}

// Each fault is still one: v6 says what we do not, and both agree once what it is about is gone.
func TestFaultsOfV6(t *testing.T) {
	r := randomRun{t: t, child: oracle.Start(t, 10*time.Second), rows: map[random.Draft]*randomRow{}}
	for i, x := range []struct {
		c        random.Case
		document string
		valid    bool // by the specification
	}{
		{random.Case{Draft: random.Draft2020, URI: "urn:x", Documents: map[string]string{
			"urn:x":     `{"$schema":"https://random.test/meta.json","type":"number"}`,
			random.Meta: `{"$id":"https://random.test/meta.json","$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true,"https://json-schema.org/draft/2020-12/vocab/validation":false}}`,
		}}, `"text"`, false},
		{random.Case{Draft: random.Draft07, URI: "urn:x", Documents: map[string]string{
			"urn:x": `{"allOf":[{"$ref":"#/definitions/d","const":1}],"definitions":{"d":{}}}`,
		}}, `2`, true},
		{random.Case{Draft: random.Draft2019, URI: "urn:x", Documents: map[string]string{
			"urn:x": `{"$recursiveAnchor":true,"allOf":[{"unevaluatedItems":{"propertyNames":{"$recursiveRef":"#"}}}]}`,
		}}, `[{"a":0}]`, true},
	} {
		judge, refused, loaded := r.compile(x.c)
		if refused != nil || loaded != nil {
			t.Fatal(refused, loaded)
		}
		verdict, err := judge.Document([]byte(x.document))
		if err != nil || (verdict == wire.Valid) != x.valid {
			t.Errorf("%s: live's verdict is %d, %v", faultsOfV6[i].name, verdict, err)
		}
		if !r.disagree(x.c, x.document) || r.disagree(faultsOfV6[i].without(x.c), x.document) {
			t.Errorf("%s: v6 does not have the fault, or has it without what it is about", faultsOfV6[i].name)
		}
	}
}

// dropped is the case without a keyword, wherever it stands.
func dropped(c random.Case, keyword string) random.Case {
	for uri := range c.Documents {
		c = replaced(c, uri, func(text string) string {
			return rewritten(text, func(o map[string]any) { delete(o, keyword) })
		})
	}
	return c
}

// replaced is the case with another text in one of its documents.
func replaced(c random.Case, uri string, change func(text string) string) random.Case {
	c.Documents = maps.Clone(c.Documents)
	if text, ok := c.Documents[uri]; ok {
		c.Documents[uri] = change(text)
	}
	return c
}

// refsAlone takes out what stands beside $ref in a schema of draft-07, where it says nothing.
func refsAlone(text string) string {
	return rewritten(text, func(o map[string]any) {
		if _, ok := o["$ref"].(string); ok {
			maps.DeleteFunc(o, func(name string, _ any) bool {
				return !slices.Contains([]string{"$ref", "$schema", "$id", "definitions"}, name)
			})
		}
	})
}

// rewritten is a JSON text with every object changed.
func rewritten(text string, change func(object map[string]any)) string {
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return text
	}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				visit(e)
			}
		case map[string]any:
			change(v)
			for _, e := range v {
				visit(e)
			}
		}
	}
	visit(v)
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(out)
}
