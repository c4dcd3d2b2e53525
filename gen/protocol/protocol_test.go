package protocol_test

import (
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
)

// TestEveryDocumentCompiles also says that none has a finding, warnings included: the first use panics
// otherwise.
func TestEveryDocumentCompiles(t *testing.T) {
	for _, d := range schema.All() {
		if protocol.Validator(d.Name) == nil {
			t.Errorf("%s has no validator", d.Name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a document that does not exist has a validator")
		}
	}()
	protocol.Validator("nothing")
}

func check(t *testing.T, v *live.Validator, doc string, want wire.Verdict) {
	t.Helper()
	got, violations, err := v.Check([]byte(doc), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("%s: verdict %d, want %d: %v", doc, got, want, violations)
	}
}

func TestFormatIsAsserted(t *testing.T) {
	v := protocol.Validator(schema.ResourceDescriptor)
	doc := func(expires string) string {
		return `{"id":"res_01J8Z6Q4M2X7C9V3K5T1W0R005","kind":"image","role":"output","mimeType":"image/png","fileName":null,` +
			`"sizeBytes":1,"sha256":null,"url":"x","source":null,"dimensions":null,"durationMs":null,"metadata":{},` +
			`"access":{"type":"ephemeral","requiresAuth":true,"expiresAt":` + expires + `}}`
	}
	check(t, v, doc(`"2026-10-01T12:00:00+08:00"`), wire.Valid)
	check(t, v, doc(`"2026-10-01"`), wire.Invalid)
	check(t, v, doc(`"2026-02-30T12:00:00Z"`), wire.Invalid)
}

// TestRegistryServesForeignSchemas: an author's schema refers to a document by its $id.
func TestRegistryServesForeignSchemas(t *testing.T) {
	src := `{"type":"object","properties":{"image":{"$ref":"https://vcp.core/schema/v1/resource-reference.schema.json"}}}`
	file, list := load.Parse("author.json", []byte(src), wire.Limits{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{Registry: protocol.Registry()})
	if len(list) > 0 {
		t.Fatal(list)
	}
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	v := live.Compile(program).Root(0)
	check(t, v, `{"image":{"$resource":"res_01J8Z6Q4M2X7C9V3K5T1W0R005"}}`, wire.Valid)
	check(t, v, `{"image":{"$resource":"generated-image"}}`, wire.Invalid)
	check(t, v, `{"image":"aGVsbG8="}`, wire.Invalid)
}
