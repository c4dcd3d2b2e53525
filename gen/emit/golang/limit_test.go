package golang_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// packageOf compiles one schema.
func packageOf(t testing.TB, schema string) golang.Package {
	t.Helper()
	file, list := load.Parse("hostile.json", []byte(schema), wire.Limits{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	p, list := golang.Set{Name: "p", ImportPath: "limit.test/p", Documents: []resolve.Document{{File: file}}}.Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	return p
}

// unionsOfUnions is a schema in which each of n unions leads to the next ones, so that the ways through them are
// exponentially many.
func unionsOfUnions(n int) string {
	defs := map[string]any{}
	for i := range n {
		arms := []any{}
		for j := i + 1; j < min(n, i+3); j++ {
			arms = append(arms, map[string]any{"$ref": fmt.Sprintf("#/$defs/d%d", j)})
		}
		if len(arms) == 0 {
			arms = append(arms, true)
		}
		defs[fmt.Sprintf("d%d", i)] = map[string]any{
			"anyOf": arms, "properties": map[string]any{fmt.Sprintf("p%d", i): map[string]any{"type": "integer"}},
			"unevaluatedProperties": map[string]any{"type": "integer"},
		}
	}
	out, err := json.Marshal(map[string]any{"$ref": "#/$defs/d0", "$defs": defs})
	if err != nil {
		panic(err)
	}
	return string(out)
}

// A schema that asks for more code than a package may have is refused with its name, before the code is there.
func TestCodeIsLimited(t *testing.T) {
	p := packageOf(t, unionsOfUnions(14))
	files, list := golang.EmitAtMost(p, 1<<20)
	if len(files) > 0 || !list.HasErrors() {
		t.Fatalf("%d files, %v", len(files), list)
	}
	found := false
	for _, d := range list {
		if d.Code == golang.CodeLimit {
			found = true
			if d.File != "hostile.json" || !strings.Contains(d.Message, "hostile.json#") || !strings.Contains(d.Message, "1 MiB") || d.Hint == "" {
				t.Errorf("the schema or the limit is not named: %+v", d)
			}
		}
	}
	if !found {
		t.Errorf("no %s in %v", golang.CodeLimit, list)
	}
	if files, list := golang.Emit(p); len(files) == 0 {
		t.Errorf("under the limit: %v", list)
	}

	// Of a package that would have 24 MB not much must be made before that is known.
	p = packageOf(t, unionsOfUnions(18))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	files, list = golang.EmitAtMost(p, 1<<20)
	runtime.ReadMemStats(&after)
	if len(files) > 0 || !list.HasErrors() {
		t.Errorf("%d files, %v", len(files), list)
	}
	if spent := (after.TotalAlloc - before.TotalAlloc) >> 20; spent > 400 {
		t.Errorf("%d MiB were allocated to find that out", spent)
	}
}

// Names of deep places are as long as other names, and different.
func TestNamesAreBounded(t *testing.T) {
	for name, schema := range map[string]string{
		"items":      strings.Repeat(`{"items":`, 400) + `{"type":"integer"}` + strings.Repeat(`}`, 400),
		"properties": strings.Repeat(`{"type":"object","properties":{"member":`, 300) + `{"type":"integer"}` + strings.Repeat(`}}`, 300),
		"long":       `{"type":"object","properties":{"` + strings.Repeat("x", 50_000) + `a":{"properties":{"y":{"type":"object","properties":{"z":{}}}}},"` + strings.Repeat("x", 50_000) + `b":{"enum":["` + strings.Repeat("日", 9000) + `","b"]}}}`,
		"unions":     strings.Repeat(`{"unevaluatedProperties":{"type":"string"},"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},`, 120) + `{}` + strings.Repeat(`]}`, 120),
	} {
		files, list := golang.Emit(packageOf(t, schema))
		if list.HasErrors() {
			t.Fatalf("%s: %v", name, list)
		}
		size := 0
		for _, f := range files {
			if f.Name == "schemas_gen.go" || f.Name == "rules_gen.go" || f.Name == "types_gen.go" && name == "long" { // the tag has the JSON name
				continue
			}
			size += len(f.Bytes)
			for _, word := range strings.FieldsFunc(string(f.Bytes), func(r rune) bool { return strings.ContainsRune(" \t\n(){}[].,;:*&\"", r) }) {
				if len(word) > 400 && name != "long" {
					t.Errorf("%s: a word of %d bytes in %s: %.100s", name, len(word), f.Name, word)
					break
				}
			}
		}
		if most := 4 << 20; size > most {
			t.Errorf("%s: %d bytes of schema make %d bytes of code", name, len(schema), size)
		}
	}
}

// What a document has many of costs in proportion, not squared.
func TestEmissionGrowsLinearly(t *testing.T) {
	members := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%q:%s,`, fmt.Sprintf("member-number-%d", i), value)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+",", i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for name, schema := range map[string]func(n int) string{
		"required":   func(n int) string { return `{"type":"object","required":[` + list(n, `"member-number-%d"`) + `]}` },
		"properties": func(n int) string { return `{"type":"object","properties":{` + members(n, `{"type":"string"}`) + `}}` },
		"unevaluated": func(n int) string {
			return `{"type":"object","properties":{` + members(n, `{"type":"string"}`) + `},"unevaluatedProperties":false}`
		},
		"constants":  func(n int) string { return `{"oneOf":[` + list(n, `{"const":"the constant %d"}`) + `]}` },
		"same names": func(n int) string { return `{"type":"object","properties":{` + dashes(n/8) + `}}` },
	} {
		cost := func(n int) time.Duration {
			p := packageOf(t, schema(n))
			best := time.Duration(0)
			for range 2 {
				before := shared.Worked()
				if _, list := golang.Emit(p); list.HasErrors() {
					t.Fatal(list)
				}
				if took := shared.Worked() - before; best == 0 || took < best {
					best = took
				}
			}
			return best
		}
		const few, many = 2_000, 16_000
		small, large := cost(few), cost(many)
		for round := 0; round < 4 && large > 30*small; round++ { // the collector may have been at work
			large = min(large, cost(many))
		}
		if large > 30*small { // 64 times as much if it were squared
			t.Errorf("%s: %d take %v, %d take %v", name, few, small, many, large)
		}
	}
}

// dashes are members whose Go names would all be the same.
func dashes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%s":{"type":"object","properties":{"a":{"type":"integer"}}},`, strings.NewReplacer("0", "-", "1", "+").Replace(fmt.Sprintf("%b", i)))
	}
	return strings.TrimSuffix(b.String(), ",")
}

// Nobody reads thousands of warnings.
func TestWarningsAreFew(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `"p%d":{"title":"anything"},`, i)
	}
	schema := `{"type":"object","properties":{` + strings.ReplaceAll(b.String(), `"title":"anything"`, `"items":{"type":"integer"}`) + `"q":{}}}`
	_, list := golang.Emit(packageOf(t, schema))
	more := 0
	for _, d := range list {
		if d.Code == golang.CodeMore {
			more++
		}
		if d.Severity != diag.Warning {
			t.Error(d)
		}
	}
	if len(list) != 1001 || more != 1 {
		t.Errorf("%d findings, %d of them say that there are more", len(list), more)
	}
}
