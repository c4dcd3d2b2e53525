package ai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/presenters/ai"
	"vcp.core/runtime/result"
)

// of is a success with data.
func of(t testing.TB, data string) *result.Visible {
	t.Helper()
	return open(t, result.Seal(result.Parts{ID: "tr_" + ulid, Status: call.Success, Tool: tool, Data: result.Bytes([]byte(data))}))
}

const head = "# success: T\n\n## Data\n\n"

var tool = v1.Tool{Name: "T"}

func TestData(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"K00: digits", `{"id":9007199254740993,"x":1.10,"y":1E400}`, "- id: 9007199254740993\n- x: 1.10\n- y: 1E400"},
		{"K31: JSON in a string stays a string", `{"s":"{\"a\":1}","o":{"a":1}}`, "- s: {\"a\":1}\n- o:\n  - a: 1"},
		{"K32: literal < > &", `{"html":"<b>&</b>","escaped":"\u003cb\u003e"}`, "- html: <b>&</b>\n- escaped: <b>"},
		{"a string", `"all is well"`, "all is well"},
		{"a string like a heading", `"## Data"`, "> ## Data"},
		{"a number", `-0.50`, "-0.50"},
		{"a list of numbers", `[1,2.0,true,null]`, "1, 2.0, true, null"},
		{"a list of strings", `["a","- b"]`, "1. a\n2. > - b"},
		{"an empty list", `[]`, "(none)"},
		{"nulls are left out", `{"a":null,"b":0}`, "- b: 0"},
		{"nothing but nulls", `{"a":null}`, "(none)"},
		{"a table, columns as they are met", `[{"b":1},{"a":2,"b":null}]`, "| b | a |\n| --- | --- |\n| 1 |  |\n|  | 2 |"},
		{"rows of nothing", `[{},{}]`, "1. (none)\n2. (none)"},
		{"rows that are too long", `[{"a":"` + strings.Repeat("x", 121) + `"}]`, "1. - a: " + strings.Repeat("x", 121)},
		{"quantities", `{"d":{"value":3.50,"unit":"km"},"e":{"value":"3","unit":"km"}}`, "- d: 3.50 km\n- e:\n  - value: 3\n  - unit: km"},
		{"references", `{"image":{"$resource":"res_1"}}`, "- image: resource res_1"},
		{"names", `{"a b":1,"名":2,"":3,"x:y":4,"1":5,"` + "`" + `":6,"a ":7}`, "- a b: 1\n- 名: 2\n- \"\": 3\n- `x:y`: 4\n- `1`: 5\n- `` ` ``: 6\n- `a `: 7"},
		{"several lines", `{"a":"x\r\ny\rz\n","b":1}`, "- a:\n  > x\n  > y\n  > z\n  >\n- b: 1"},
		{"addresses", `{"a":"https://example.org/?a=1","b":"ftp://example.org","c":"https://example.org/ x"}`, "- a: <https://example.org/?a=1>\n- b: ftp://example.org\n- c: https://example.org/ x"},
		{"embedded media", `{"a":"data:image/png;base64,` + strings.Repeat("A", 300) + `"}`, "- a: [data URI of 322 characters]"},
	} {
		p := ai.Present(of(t, c.data), ai.Options{})
		if p.Text != head+c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, p.Text, head+c.want)
		}
	}
}

// Titles and units of the schema stand in labels and behind numbers.
func TestOutputs(t *testing.T) {
	outputs := []call.Port{
		{Pointer: "/took", Type: "number", Title: "Elapsed time", Unit: "ms"},
		{Pointer: "/place", Type: "object", Title: "Where"}, {Pointer: "/place/height", Type: "number", Unit: "m"},
		{Pointer: "/rows", Type: "array", Items: []call.Port{{Pointer: "/price", Type: "number", Title: "Price", Unit: "CNY"}, {Pointer: "/note", Type: "string", Title: "a|b"}}},
	}
	p := ai.Present(of(t, `{"took":12,"place":{"height":3},"rows":[{"price":1.50,"note":"n"}],"other":1}`), ai.Options{Outputs: outputs})
	want := head + "- Elapsed time: 12 ms\n- Where:\n  - height: 3 m\n- rows (1):\n  | Price (CNY) | a\\|b |\n  | --- | --- |\n  | 1.50 | n |\n- other: 1"
	if p.Text != want {
		t.Errorf("got\n%s\nwant\n%s", p.Text, want)
	}
	list := ai.Present(of(t, `[{"x":1}]`), ai.Options{Outputs: []call.Port{{Pointer: "", Type: "array", Items: []call.Port{{Pointer: "/x", Title: "X of it"}}}}})
	if want := head + "| X of it |\n| --- |\n| 1 |"; list.Text != want {
		t.Errorf("got\n%s\nwant\n%s", list.Text, want)
	}
}

// K13: whatever tool it comes from, a large result is cut to the budget, and its size is told. K35: only the
// text is cut, what was presented stays whole.
func TestLarge(t *testing.T) {
	v := of(t, `{"text":"`+strings.Repeat("word ", 1<<20)+`"}`)
	before := v.String()
	p := ai.Present(v, ai.Options{})
	if n := utf8.RuneCountInString(p.Text); n > 30_000 || n < 29_000 {
		t.Errorf("%d characters", n)
	}
	for _, want := range []string{" of 5242880 characters]: word word", "\n\n[cut: data 5242891 bytes; the whole result is tr_" + ulid + "]"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %q in %.200s…", want, p.Text)
		}
	}
	if v.String() != before || fmt.Sprint(p.Omitted) != "{[/data/text] []}" {
		t.Errorf("omitted %v", p.Omitted)
	}
}

// K34: characters are counted, never half of one is left, and no replacement makes the text longer.
func TestWideCharacters(t *testing.T) {
	v := of(t, `"`+strings.Repeat("😀", 500)+`"`)
	for n := range 400 {
		p := ai.Present(v, ai.Options{MaxCharacters: wire.Some(n)})
		if c := utf8.RuneCountInString(p.Text); c > n || !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, utf8.RuneError) {
			t.Fatalf("%d: %q", n, p.Text)
		}
	}
}

// A budget is used: the text takes most of it when there is more to show.
func TestBudgetIsUsed(t *testing.T) {
	var rows strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&rows, `,{"id":%d,"name":"row %d"}`, i, i)
	}
	v := of(t, `{"first":1,"rows":[`+rows.String()[1:]+`],"last":1}`)
	for n := 200; n < 20_000; n += 137 {
		p := ai.Present(v, ai.Options{MaxCharacters: wire.Some(n)})
		if c := utf8.RuneCountInString(p.Text); c < n-200 {
			t.Fatalf("%d of %d characters:\n%s", c, n, p.Text)
		}
		if n > 400 && !strings.Contains(p.Text, "\n- last: 1\n") {
			t.Fatalf("%d: the rows left nothing to what stands behind them:\n%s", n, p.Text)
		}
	}
}

func images(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":"res_%d","kind":"image","role":"output","mimeType":"image/png","fileName":null,"sizeBytes":%d,"sha256":null,"url":"https://vcp.example/%d.png","source":null,"dimensions":{"width":2,"height":1},"durationMs":null,"metadata":{}}`, i, i, i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// K44 and K12: a model that sees gets parts with ids, never bytes; another one gets the facts in words.
func TestResources(t *testing.T) {
	v := open(t, result.Seal(result.Parts{ID: "tr_" + ulid, Status: call.Success, Tool: tool, Resources: result.Bytes([]byte(images(6))), Presentation: result.Bytes([]byte(`{"primaryResourceId":"res_5"}`))}))
	p := ai.Present(v, ai.Options{Vision: true})
	if got := fmt.Sprint(p.Content[1:]); got != "[{image  res_5} {image  res_0} {image  res_1} {image  res_2}]" {
		t.Errorf("parts %s", got)
	}
	if got := fmt.Sprint(p.Omitted); got != "{[/resources] [res_3 res_4]}" {
		t.Errorf("omitted %s", got)
	}
	const first = "- `res_5` (image, output): image/png, 2 x 1 pixels, 5 bytes, <https://vcp.example/5.png>"
	plain := strings.ReplaceAll(first, "`", "")
	if !strings.Contains(p.Text, plain+", attached as an image, the primary resource\n") || !strings.Contains(p.Text, "- [… 4 of 6 resources]") {
		t.Errorf("%s", p.Text)
	}
	p = ai.Present(v, ai.Options{MaxResources: wire.Some(0)})
	if len(p.Content) != 1 || len(p.Omitted.Resources) != 6 || !strings.HasSuffix(p.Text, "## Resources\n\n- [… 0 of 6 resources]") {
		t.Errorf("%v\n%s", p.Omitted, p.Text)
	}
	p = ai.Present(v, ai.Options{MaxResources: wire.Some(1)})
	if len(p.Content) != 1 || !strings.Contains(p.Text, plain+", the primary resource\n- [… 1 of 6 resources]") {
		t.Errorf("%s", p.Text)
	}
}

// The JSON of a projection is the one of specification §8.1.
func TestJSON(t *testing.T) {
	v := open(t, result.Seal(result.Parts{ID: "tr_" + ulid, Status: call.Success, Tool: tool, Resources: result.Bytes([]byte(images(1)))}))
	p := ai.Present(v, ai.Options{Vision: true, MaxCharacters: wire.Some(9)})
	const want = `{"text":"# success","content":[{"type":"text","text":"# success"},{"type":"image","resourceId":"res_0"}],"omitted":{"fields":["/resources"],"resources":[]}}`
	if got := string(p.AppendJSON(nil)); got != want || !json.Valid([]byte(got)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
