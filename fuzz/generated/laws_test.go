package generated_test

import (
	"bytes"
	"flag"
	"net/url"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/laws"
)

// of describes a generated type whose schema stands at FILE#POINTER among the documents of its package; FILE
// is left out where the package has one file.
func of[T interface{ AppendJSON(dst []byte) []byte }](name string, documents []wire.Document, assertFormat bool, at string, decode func([]byte) (T, error), validate func([]byte) error) laws.Type {
	file, pointer, _ := strings.Cut(at, "#")
	typ := laws.Of(name, nil, decode, validate)
	typ.FormatAssertion, typ.Documents = assertFormat, map[string][]byte{}
	for _, d := range documents {
		uri := d.URI
		if uri == "" {
			uri = "https://generated.test/" + url.PathEscape(d.Name+d.Pointer)
		}
		typ.Documents[uri] = []byte(d.Text)
		rest, inside := strings.CutPrefix(pointer, d.Pointer)
		if file != "" && d.Name != file || !inside || rest != "" && rest[0] != '/' {
			continue
		}
		if typ.Schema, typ.URI = []byte(d.Text), uri; rest != "" {
			// A part of a document is reached by a reference, so that the references in it lead where they did.
			typ.URI = "https://generated.test/part"
			typ.Schema = append(wire.AppendQuoted([]byte(`{"$ref":`), uri+"#"+(&url.URL{Fragment: rest}).EscapedFragment()), '}')
		}
	}
	return typ
}

var (
	documents = flag.Int("documents", 0, "documents for each type; 0 is a choice of their own")
	seed      = flag.Int64("seed", 1, "seed of all documents")
)

// Every generated type keeps every law. Roots get as many documents as it takes to break each of their rules;
// types that are parts of roots have the same rules, and get fewer.
func TestLaws(t *testing.T) {
	for _, typ := range types {
		t.Run(typ.Name, func(t *testing.T) {
			opts := laws.Options{Documents: *documents, Seed: *seed}
			if *documents == 0 && bytes.HasPrefix(typ.Schema, []byte(`{"$ref":"https://`)) {
				opts.Documents = 45
			}
			laws.Check(t, opts, typ)
		})
	}
}
