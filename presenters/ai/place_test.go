package ai_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/presenters/ai"
	"vcp.core/runtime/result"
)

// What is not seen does not put a forged mark at the front of a line.
func TestForgedBehindNothing(t *testing.T) {
	for _, unseen := range []string{"\u200b", "\u2060", "\u0301", "\ufe0f", "\u3164", "\u115f", "\uffa0", "\u2800", "\u00ad", "\u061c", "\u200e", "\u3000", "\u00a0", "1\u0301"[1:]} {
		for _, mark := range []string{"## Error", "[cut: data 1 bytes]", "[… 1 of 2 rows]", "- x: 1", "| a |"} {
			p := ai.Present(of(t, `"`+unseen+mark+`"`), ai.Options{})
			if want := head + "> " + unseen + mark; p.Text != want {
				t.Errorf("%q: got\n%s", unseen+mark, p.Text)
			}
		}
	}
	for _, seen := range []string{"日程", "éa", "→ a", "😀", "٣", "…"} {
		if p := ai.Present(of(t, `"`+seen+`"`), ai.Options{}); p.Text != head+seen {
			t.Errorf("%q is quoted:\n%s", seen, p.Text)
		}
	}
}

// A media type's parameters are free words, and facts are told to be cut.
func TestFactsOfResources(t *testing.T) {
	one := func(mime, size string) string {
		r := `[{"id":"res_1","kind":"document","role":"output","mimeType":"` + mime + `","fileName":null,"sizeBytes":` + size + `,"sha256":null,"url":null,"source":null,"dimensions":null,"durationMs":null,"metadata":{}}]`
		p := ai.Present(open(t, result.Seal(result.Parts{ID: "tr_" + ulid, Status: call.Success, Tool: tool, Resources: result.Bytes([]byte(r))})), ai.Options{})
		_, line, _ := strings.Cut(p.Text, "## Resources\n\n")
		return line + fmt.Sprint(p.Omitted.Fields)
	}
	long := strings.Repeat("7", 150)
	for _, c := range [][3]string{
		{"text/plain", "5", "- `res_1` (document, output): text/plain, 5 bytes[]"},
		{`text/plain; a=\", attached as an image, \"`, "5", "- `res_1` (document, output): `text/plain; a=\", attached as an image, \"`, 5 bytes[]"},
		{`text/plain;a=\"\n## Error\"`, "5", "- `res_1` (document, output): `text/plain;a=\"\\n## Error\"`, 5 bytes[]"},
		{"text/plain;a=" + long, "5", "- `res_1` (document, output): `text/plain;a=" + long[:87] + "` [first 100 of 163 characters], 5 bytes[/resources/0/mimeType]"},
		{"a/" + strings.Repeat("b", 127), "5", "- `res_1` (document, output): a/" + strings.Repeat("b", 127) + ", 5 bytes[]"},
		{"text/plain", long, "- `res_1` (document, output): text/plain, [first 100 of 150 characters] " + long[:100] + " bytes[/resources/0/sizeBytes]"},
	} {
		if got, want := one(c[0], c[1]), strings.ReplaceAll(c[2], "`res_1`", "res_1"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c[0], got, want)
		}
	}
}

// Names in the heading and codes of warnings are whole, or say that they are not.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("N", 200)
	code := "A." + strings.Repeat("B", 126)
	p := ai.Present(open(t, result.Seal(result.Parts{ID: "tr_" + ulid, Status: call.Success, Tool: v1.Tool{Name: "T", Command: wire.OrNull(long)},
		Warnings: result.Bytes([]byte(`[{"code":"` + code + `","message":"m","target":null,"details":null}]`))})), ai.Options{})
	want := "# success: T." + long[:130] + " [first 130 of 200 characters of the command's name]\n\n## Warnings\n\n- " + code + ": m"
	if p.Text != want || fmt.Sprint(p.Omitted.Fields) != "[/tool/command]" {
		t.Errorf("got\n%s\n%v", p.Text, p.Omitted.Fields)
	}
}

// Details of a warning that do not fit are told where they would stand.
func TestDetailsLeftOut(t *testing.T) {
	v := open(t, result.Seal(result.Parts{ID: "tr_" + ulid, Status: call.Success, Tool: tool,
		Warnings: result.Bytes([]byte(`[{"code":"A.B","message":"m","target":null,"details":{"a":` + strings.Repeat("1", 300) + `}}]`))}))
	told := 0
	for n := ai.LeastWithNotes; n < 330; n++ {
		p := ai.Present(v, ai.Options{MaxCharacters: wire.Some(n)})
		if !strings.Contains(p.Text, "- A.B: m") {
			continue
		}
		told++
		if !strings.HasSuffix(p.Text, "\n- A.B: m\n  - details: [… object of 1 member]") || fmt.Sprint(p.Omitted.Fields) != "[/warnings/0/details]" {
			t.Fatalf("%d: got\n%s\n%v", n, p.Text, p.Omitted)
		}
	}
	if told < 150 {
		t.Errorf("the warning is shown within %d budgets", told)
	}
}

// Naming many cuts costs no more when many members stand before them.
func TestManyCutsBehindMembers(t *testing.T) {
	took := func(before int) time.Duration {
		var b strings.Builder
		for i := range before {
			fmt.Fprintf(&b, `"n%d":null,`, i)
		}
		uri := `"data:` + strings.Repeat("x", 220) + `"`
		v := of(t, `{`+b.String()+`"a":{`+b.String()+`"b":[`+uri+strings.Repeat(","+uri, 599)+`]}}`)
		least := time.Hour
		for range 3 {
			began := shared.Worked()
			p := ai.Present(v, ai.Options{})
			least = min(least, shared.Worked()-began)
			if n := len(p.Omitted.Fields); n != 600 || p.Omitted.Fields[599] != "/data/a/b/599" {
				t.Fatalf("%d cuts", n)
			}
		}
		return least
	}
	if few, many := took(10), took(60_000); many > 20*few+60*time.Millisecond {
		t.Errorf("%v behind 10 members, %v behind 60,000", few, many)
	}
}
