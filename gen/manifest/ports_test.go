package manifest

import (
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

func portsOf(t *testing.T, schema string) []call.Port {
	t.Helper()
	file, list := load.Parse("schema.json", []byte(schema), wire.Limits{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	return ports(program.Roots[0])
}

func count(list []call.Port) int {
	n := len(list)
	for _, p := range list {
		n += count(p.Items)
	}
	return n
}

// A small schema may unfold into a tree without end or of any size; its ports do not.
func TestPortsAreBounded(t *testing.T) {
	var wide, doubling strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&wide, `,"p%d":{"type":"string"}`, i)
	}
	for i := range 40 {
		fmt.Fprintf(&doubling, `,"d%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/d%[2]d"},"r":{"$ref":"#/$defs/d%[2]d"}}}`, i, i+1)
	}
	tests := []struct {
		name, schema string
		want         int // ports in all
		last         string
	}{
		{"recursive root", `{"type":"object","properties":{"a":{"type":"string"},"sub":{"$ref":"#"}}}`, 2, "/sub"},
		{"recursive list", `{"type":"object","properties":{"a":{"type":"string"},"sub":{"type":"array","items":{"$ref":"#"}}}}`, 2, "/sub"},
		{"mutual", `{"type":"object","properties":{"b":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"object","properties":{"a":{"$ref":"#"}}}}}`, 2, "/b/a"},
		{"wide", `{"type":"object","properties":{"first":true` + wide.String() + `}}`, maxPorts, "/p510"},
		{"deep", `{"type":"object","properties":{"a":` + strings.Repeat(`{"type":"object","properties":{"a":`, 20) + `true` + strings.Repeat(`}}`, 20) + `}}`, maxDepth, "/a/a/a/a/a/a/a/a"},
		{"doubling", `{"$ref":"#/$defs/d0","$defs":{"d40":true` + doubling.String() + `}}`, 510, "/r/r/r/r/r/r/r/r"},
		{"wide and deep", `{"type":"object","properties":{"x":{"type":"object","properties":{"y":{"type":"object","properties":{"z":true` + wide.String() + `}}}},"last":true}}`, 3, "/last"},
		{"nothing", `false`, 0, ""},
		{"anything", `true`, 1, ""},
		{"a list", `{"type":"array","items":{"type":"object","properties":{"a":true}}}`, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := portsOf(t, tt.schema)
			if n := count(list); n != tt.want {
				t.Errorf("%d ports, want %d", n, tt.want)
			}
			if len(list) > 0 && list[len(list)-1].Pointer != tt.last {
				t.Errorf("the last one is %s, want %s", list[len(list)-1].Pointer, tt.last)
			}
		})
	}
}
