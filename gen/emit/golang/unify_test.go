package golang

import (
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Definitions that are word for word the same become one; everything else stays apart.
func TestUnify(t *testing.T) {
	item := `{"type":"object","properties":{"next":{"$ref":"#/$defs/item"},"unit":{"$ref":"#/$defs/unit"}}}`
	schema := func(defs string) string {
		return `{"properties":{"x":{"$ref":"#/$defs/item"},"y":{"$ref":"#/$defs/item"}},"$defs":{` + defs + `}}`
	}
	tests := []struct {
		name    string
		a, b    string
		targets int // different targets of references
	}{
		{"the same", schema(`"item":{"type":"string"}`), schema(`"item":{"type":"string"}`), 1},
		{"other space", schema(`"item":{"type":"string"}`), schema(`"item":{"type": "string"}`), 2},
		{"another rule", schema(`"item":{"type":"string"}`), schema(`"item":{"type":"string","maxLength":1}`), 2},
		{"another title", schema(`"item":{"title":"a"}`), schema(`"item":{"title":"b"}`), 2},
		{"recursive, the same", schema(`"item":` + item + `,"unit":{"const":1}`), schema(`"unit":{"const":1},"item":` + item), 2},
		{"what it leads to differs", schema(`"item":` + item + `,"unit":{"const":1}`), schema(`"item":` + item + `,"unit":{"const":2}`), 4},
		{"another name", schema(`"item":{"type":"string"}`), `{"properties":{"x":{"$ref":"#/$defs/other"}},"$defs":{"other":{"type":"string"}}}`, 2},
		{"no definition", schema(`"item":{"type":"string"}`), `{"properties":{"x":{"$ref":"#/properties/item"},"item":{"type":"string"}}}`, 2},
		{"dialects", schema(`"item":{"type":"string"}`), `{"$schema":"http://json-schema.org/draft-07/schema#",` + schema(`"item":{"type":"string"}`)[1:], 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file, list := load.Parse("m.json", []byte(`{"a":`+tt.a+`,"b":`+tt.b+`}`), wire.Limits{})
			if list.HasErrors() {
				t.Fatal(list)
			}
			var roots []*resolve.Schema
			for _, at := range []string{"/a", "/b"} {
				root, list := resolve.Resolve(file, file.At(at), resolve.Options{})
				if list.HasErrors() {
					t.Fatal(list)
				}
				roots = append(roots, root)
			}
			unify(roots)
			program, list := ir.Lower(roots, ir.Options{})
			if list.HasErrors() {
				t.Fatal(list)
			}
			targets := map[int]bool{}
			for _, s := range program.Schemas {
				if s.Ref != nil {
					targets[s.Ref.ID] = true
				}
			}
			if len(targets) != tt.targets {
				t.Errorf("%d targets, want %d\n%s", len(targets), tt.targets, program.Dump())
			}
			if program.Roots[0] == program.Roots[1] {
				t.Error("the roots became one")
			}
		})
	}
}

// A definition in which every level is mentioned twice is compared in linear time.
func TestUnifyOfDoublingReferences(t *testing.T) {
	var defs strings.Builder
	for i := range 60 {
		fmt.Fprintf(&defs, `"d%d":{"properties":{"l":{"$ref":"#/$defs/d%[2]d"},"r":{"$ref":"#/$defs/d%[2]d"}}},`, i, i+1)
	}
	schema := `{"$ref":"#/$defs/d0","$defs":{` + defs.String() + `"d60":true}}`
	file, list := load.Parse("m.json", []byte(`{"a":`+schema+`,"b":`+schema+`}`), wire.Limits{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	a, _ := resolve.Resolve(file, file.At("/a"), resolve.Options{})
	b, _ := resolve.Resolve(file, file.At("/b"), resolve.Options{})
	unify([]*resolve.Schema{a, b})
	if a.Find("$ref").Schemas[0] != b.Find("$ref").Schemas[0] {
		t.Error("the copies are two")
	}
}

func TestStandardCodesHaveNames(t *testing.T) {
	for code, want := range map[string]string{
		"INVALID_ARGUMENT": "InvalidArgument", "DISTRIBUTED_NODE_OFFLINE": "DistributedNodeOffline", "SHOP.SOLD_OUT": "", "NOT_A_CODE": "",
	} {
		if got := standardName(errcode.Code(code)); got != want {
			t.Errorf("%s is %q, want %q", code, got, want)
		}
	}
}
