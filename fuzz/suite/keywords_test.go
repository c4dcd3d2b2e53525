package suite

import (
	"slices"
	"testing"
)

func TestKeywordsReached(t *testing.T) {
	remotes := Remotes{
		server + "draft2020-12/plain.json":      []byte(`{"$defs":{"closed":{"unevaluatedProperties":false},"open":{"type":"object"}}}`),
		server + "draft2020-12/anchored.json":   []byte(`{"$defs":{"x":{"$anchor":"here","unevaluatedItems":false}}}`),
		server + "draft2020-12/chain.json":      []byte(`{"$ref":"plain.json#/$defs/closed"}`),
		server + "draft2020-12/vocabulary.json": []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{"https://example.org/v":true}}`),
	}
	for _, c := range []struct {
		name   string
		d      Dialect
		schema string
		want   []string
	}{
		{"boolean schema", Draft2020, `true`, nil},
		{"own keyword", Draft2020, `{"unevaluatedItems":false}`, []string{"unevaluatedItems"}},
		{"two keywords, sorted", Draft2020, `{"unevaluatedItems":false,"not":{"$dynamicRef":"#x"}}`, []string{"$dynamicRef", "unevaluatedItems"}},
		{"below every applicator", Draft2020, `{"allOf":[{"properties":{"a":{"items":{"unevaluatedProperties":false}}}}]}`, []string{"unevaluatedProperties"}},
		{"the name of a property", Draft2020, `{"properties":{"unevaluatedItems":{"type":"null"}},"required":["unevaluatedItems"]}`, nil},
		{"inside a constant", Draft2020, `{"const":{"$dynamicRef":"#x"},"enum":[{"unevaluatedItems":1}]}`, nil},
		{"below an unknown keyword", Draft2020, `{"extra":{"unevaluatedItems":false}}`, nil},
		{"below an unknown keyword that a reference enters", Draft2020, `{"extra":{"a":{"unevaluatedItems":false}},"$ref":"#/extra/a"}`, []string{"unevaluatedItems"}},
		{"a $defs entry nobody needs still is in the schema", Draft2020, `{"$defs":{"a":{"unevaluatedItems":false}}}`, []string{"unevaluatedItems"}},
		{"a remote by pointer", Draft2020, `{"$ref":"http://localhost:1234/draft2020-12/plain.json#/$defs/closed"}`, []string{"unevaluatedProperties"}},
		{"another place of the same remote", Draft2020, `{"$ref":"http://localhost:1234/draft2020-12/plain.json#/$defs/open"}`, nil},
		{"a remote by anchor", Draft2020, `{"$ref":"http://localhost:1234/draft2020-12/anchored.json#here"}`, []string{"unevaluatedItems"}},
		{"a remote of a remote", Draft2020, `{"$ref":"http://localhost:1234/draft2020-12/chain.json"}`, []string{"unevaluatedProperties"}},
		{"relative to $id", Draft2020, `{"$id":"http://localhost:1234/draft2020-12/x/y.json","items":{"$ref":"../chain.json"}}`, []string{"unevaluatedProperties"}},
		{"a local $id", Draft2020, `{"$id":"urn:a","$ref":"urn:b","$defs":{"b":{"$id":"urn:b","$dynamicRef":"#x"}}}`, []string{"$dynamicRef"}},
		{"a cycle ends", Draft2020, `{"properties":{"a":{"$ref":"#"}}}`, nil},
		{"an escaped pointer", Draft2020, `{"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"type":"null"}}}`, nil},
		{"a reference to nothing", Draft2020, `{"$ref":"#/$defs/absent"}`, nil},
		{"the published meta-schema", Draft2020, `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, []string{"$dynamicRef"}},
		{"the published meta-schema of draft-07", Draft07, `{"$ref":"http://json-schema.org/draft-07/schema#"}`, nil},
		{"a meta-schema with a vocabulary", Draft2020, `{"$schema":"http://localhost:1234/draft2020-12/vocabulary.json"}`, []string{"$vocabulary"}},
		{"the published meta-schema as dialect", Draft2020, `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, nil},
		{"draft-07 has no such keyword", Draft07, `{"unevaluatedItems":false,"items":[{"$dynamicRef":"#"}]}`, nil},
		{"draft-07 ignores siblings of a reference", Draft07, `{"$ref":"#/definitions/a","$id":"http://x.test/","definitions":{"a":{"unevaluatedItems":false}}}`, nil},
		{"$schema settles the dialect", Draft2020, `{"$schema":"http://json-schema.org/draft-07/schema#","unevaluatedItems":false}`, nil},
		{"draft-07 reaches a document of 2020-12", Draft07, `{"$ref":"http://localhost:1234/draft2020-12/chain.json"}`, []string{"unevaluatedProperties"}},
	} {
		if got := Keywords(c.d, []byte(c.schema), remotes); !slices.Equal(got, c.want) {
			t.Errorf("%s: %s reaches %v, want %v", c.name, c.schema, got, c.want)
		}
	}
}
