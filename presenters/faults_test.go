package presenters_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/projection"
	"vcp.core/presenters/ai"
	"vcp.core/presenters/audit"
	"vcp.core/presenters/bridge"
	"vcp.core/presenters/human"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/result"
)

// The faults of fault-kinds.json that all presenters answer for together. What one of them does alone is
// tested beside it.
var faults = map[string]func(t *testing.T){
	"K00": digitsAtEveryExit,
	"K13": largeTextHasACap,
	"K14": dataIsSentOnce,
	"K31": jsonIsEncodedOnce,
	"K32": anglesStayLiteral,
	"K34": wideCharactersAreCutBetween,
	"K35": onlyTextIsCut,
	"K41": aResourceIsNamedWithoutWords,
	"K43": everyKindOfResourceSurvivesAFile,
	"K44": picturesAreSeenOrTold,
	"K45": noBase64InText,
	"K49": knownSecretsAreInNoProjection,
}

func TestFaultKinds(t *testing.T) {
	for id, test := range faults {
		t.Run(id, test)
	}
}

// visible is a success with the given members, as it comes back from a file: written, read, judged, opened.
func visible(t *testing.T, p result.Parts) *result.Visible {
	t.Helper()
	const ulid = "01J2XQ3Z5K8N7P4R6T9V0W1Y2Z"
	p.ID, p.Tool.Name, p.Origin.Source = "tr_"+ulid, "Tool", "cli"
	p.Execution = result.ExecutionPart{InvocationID: "ti_" + ulid, RequestID: "req_" + ulid, Attempt: 1}
	if p.Status == "" {
		p.Status = call.Success
	}
	sealed := result.Seal(p)
	file := filepath.Join(t.TempDir(), "result.json")
	var b strings.Builder
	if _, err := sealed.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	read, err := result.Parse(kept)
	if err != nil {
		t.Fatal(err)
	}
	if read.String() != sealed.String() {
		t.Fatalf("kept as\n%s\nread as\n%s", sealed, read)
	}
	v, err := result.Open(read)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func data(t *testing.T, text string) *result.Visible {
	t.Helper()
	return visible(t, result.Parts{Data: result.Bytes([]byte(text))})
}

// kinds are the sorts of resources (specification §7.2).
var kinds = []string{"image", "audio", "video", "document", "archive", "text", "binary", "directory", "other"}

// resource is a descriptor of the core.
func resource(n int, kind, mime, url string) string {
	return fmt.Sprintf(`{"id":"res_01J2XQ3Z5K8N7P4R6T9V0W1Y2%d","kind":%q,"role":"output","mimeType":%q,"fileName":"f%d","sizeBytes":9007199254740993,"sha256":null,"url":%q,"source":null,`+
		`"dimensions":{"width":640,"height":480},"durationMs":null,"metadata":{}}`, n, kind, mime, n, url)
}

// digitsAtEveryExit looks where data stands whole, and in the text. A digest has no data.
func digitsAtEveryExit(t *testing.T) {
	const id = `{"id":9007199254740993,"rows":[{"id":9223372036854775807123456789,"x":1.10}]}`
	v := data(t, id)
	for name, text := range projections(v) {
		switch {
		case name == "human", name == "bridge":
			if !strings.Contains(text, `"data":`+id) {
				t.Errorf("%s: %s", name, text)
			}
		case strings.HasPrefix(name, "audit"):
			if strings.Contains(text, "9007199254740993") {
				t.Errorf("%s repeats data: %s", name, text)
			}
		case strings.HasPrefix(name, "ai, 30"), strings.HasPrefix(name, "ai, 80"), strings.HasPrefix(name, "ai, flat"):
		default:
			if !strings.Contains(text, "9007199254740993") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if strings.Contains(text, "9007199254740992") || strings.Contains(text, "e+") {
			t.Errorf("%s rounds: %s", name, text)
		}
	}
	if text := ai.Present(v, ai.Options{}).Text; !strings.Contains(text, "9223372036854775807123456789 | 1.10 |") {
		t.Error(text)
	}
	// The numbers of a descriptor are numbers, too, and a digest repeats them.
	v = visible(t, result.Parts{Resources: result.Bytes([]byte("[" + resource(1, "image", "image/png", "https://vcp.example/1") + "]"))})
	for name, text := range projections(v) {
		if whole := name == "human" || name == "bridge" || name == "audit" || name == "ai"; whole && !strings.Contains(text, "9007199254740993") {
			t.Errorf("%s: the size is not in %s", name, text)
		}
	}
}

// largeTextHasACap: 5 MB, of whatever tool, are at most the budget, the original size is told and the whole
// result is elsewhere.
func largeTextHasACap(t *testing.T) {
	v := data(t, `"`+strings.Repeat("a", 5<<20)+`"`)
	for _, n := range []int{80, 400, 2000, ai.DefaultMaxCharacters} {
		p := ai.Present(v, ai.Options{MaxCharacters: wire.Some(n)})
		if c := utf8.RuneCountInString(p.Text); c > n || n >= 400 && !strings.Contains(p.Text, "of 5242880 characters") || len(p.Omitted.Fields) == 0 {
			t.Errorf("%d: %d characters, omitted %v: %.300s", n, c, p.Omitted, p.Text)
		}
	}
	if !strings.Contains(human.Present(v), strings.Repeat("a", 5<<20)) {
		t.Error("the canonical result was cut")
	}
}

// dataIsSentOnce: a megabyte of data stands once in what is sent; the text beside it is within its budget.
func dataIsSentOnce(t *testing.T) {
	v := data(t, `"`+strings.Repeat("once ", 200_000)+`"`)
	for name, text := range map[string]string{"human": human.Present(v), "bridge": bridge.Present(v)} {
		if n := strings.Count(text, "once "); n != 200_000 {
			t.Errorf("%s: the words of data stand there %d times", name, n)
		}
	}
	if n := len(audit.Present(v, audit.Origin{})); n > 6000 {
		t.Errorf("audit: %d bytes", n)
	}
	// A part is the text, and the text is cut.
	if n := len(ai.Present(v, ai.Options{}).AppendJSON(nil)); n > 2*(ai.DefaultMaxCharacters+1000) {
		t.Errorf("ai: %d bytes", n)
	}
}

func jsonIsEncodedOnce(t *testing.T) {
	v := data(t, `{"object":{"n":1},"text":"{\"still\":\"a string\"}"}`)
	all := projections(v)
	for _, name := range []string{"human", "bridge"} {
		if !strings.Contains(all[name], `"data":{"object":{"n":1},"text":"{\"still\":\"a string\"}"}`) {
			t.Errorf("%s: %s", name, all[name])
		}
	}
	for _, want := range []string{"- object:\n  - n: 1\n", `- text: {"still":"a string"}`} {
		if !strings.Contains(all["ai"], want) {
			t.Errorf("ai: no %q in %s", want, all["ai"])
		}
	}
}

func anglesStayLiteral(t *testing.T) {
	for name, text := range projections(data(t, `{"html":"<b>&</b>"}`)) {
		whole := !strings.HasPrefix(name, "audit") && !strings.HasPrefix(name, "ai, 30,") && name != "ai, 30" && !strings.HasPrefix(name, "ai, flat") && !strings.HasPrefix(name, "ai, 80")
		if whole && !strings.Contains(text, "<b>&</b>") || strings.Contains(text, `\u00`) || strings.Contains(text, "&lt;") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func wideCharactersAreCutBetween(t *testing.T) {
	for _, character := range []string{"é", "世", "😀", "e\u0301"} {
		v := data(t, `{"`+strings.Repeat(character, 50)+`":"`+strings.Repeat(character, 5000)+`"}`)
		for n := range 300 {
			text := ai.Present(v, ai.Options{MaxCharacters: wire.Some(n)}).Text
			if utf8.RuneCountInString(text) > n || !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
				t.Fatalf("%d: %q", n, text)
			}
		}
	}
}

// onlyTextIsCut: whatever the budget of the text, a visible keeps its bytes, and so data its schema.
func onlyTextIsCut(t *testing.T) {
	list := `["` + strings.Repeat(`item","`, 20_000) + `last"]`
	v := data(t, list)
	for n := range 200 {
		ai.Present(v, ai.Options{MaxCharacters: wire.Some(n)})
	}
	ai.Present(v, ai.Options{})
	if v.Member(result.Data) != list || !strings.Contains(bridge.Present(v), list) {
		t.Error("data has changed")
	}
}

// aResourceIsNamedWithoutWords: without text and data, the projection still says what there is.
func aResourceIsNamedWithoutWords(t *testing.T) {
	for i, kind := range kinds {
		v := visible(t, result.Parts{Resources: result.Bytes([]byte("[" + resource(i, kind, "application/x-thing", "https://vcp.example/r") + "]"))})
		p := ai.Present(v, ai.Options{})
		for _, want := range []string{fmt.Sprintf("res_01J2XQ3Z5K8N7P4R6T9V0W1Y2%d", i), kind, "application/x-thing", "https://vcp.example/r"} {
			if !strings.Contains(p.Text, want) {
				t.Errorf("%s: no %q in %s", kind, want, p.Text)
			}
		}
	}
}

// everyKindOfResourceSurvivesAFile: visible writes, reads and compares.
func everyKindOfResourceSurvivesAFile(t *testing.T) {
	var list []string
	for i, kind := range kinds {
		list = append(list, resource(i, kind, "application/x-thing", "https://vcp.example/r"))
	}
	all := "[" + strings.Join(list, ",") + "]"
	v := visible(t, result.Parts{Resources: result.Bytes([]byte(all)), Task: &result.TaskPart{ID: "task_01J2XQ3Z5K8N7P4R6T9V0W1Y2Z", State: "completed"}})
	if v.Member(result.Resources) != all {
		t.Error(v.Member(result.Resources))
	}
}

func picturesAreSeenOrTold(t *testing.T) {
	v := visible(t, result.Parts{Resources: result.Bytes([]byte("[" + resource(1, "image", "image/png", "https://vcp.example/1.png") + "]"))})
	const id = "res_01J2XQ3Z5K8N7P4R6T9V0W1Y21"
	if got := fmt.Sprint(ai.Present(v, ai.Options{Vision: true}).Content[1:]); got != "[{image  "+id+"}]" {
		t.Errorf("parts %s", got)
	}
	p := ai.Present(v, ai.Options{})
	if len(p.Content) != 1 || !strings.Contains(p.Text, "- "+id+" (image, output): image/png, \"f1\", 640 x 480 pixels, 9007199254740993 bytes, <https://vcp.example/1.png>") {
		t.Errorf("%v: %s", p.Content[1:], p.Text)
	}
}

// noBase64InText: bytes of a picture reach no text, wherever they stand and however they are marked.
func noBase64InText(t *testing.T) {
	picture := strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 100)
	uri := "data:image/png;base64," + picture
	lines := strings.ReplaceAll(picture, "AAAANS", `AAAANS\r\n`)
	value := func(text string) result.Value { return result.Bytes([]byte(text)) }
	for name, p := range map[string]result.Parts{
		"a data URI":         {Data: value(`{"uri":"` + uri + `"}`)},
		"in a list":          {Data: value(`["` + uri + `","` + picture + `"]`)},
		"in a table":         {Data: value(`[{"p":"` + uri + `","n":1},{"p":"` + picture + `","n":2}]`)},
		"data itself":        {Data: value(`"` + uri + `"`)},
		"without a mark":     {Data: value(`{"p":"` + picture + `"}`)},
		"in Markdown":        {Data: value(`{"text":"look: ![x](` + uri + `) end"}`)},
		"in HTML":            {Data: value(`{"text":"<img src=\"` + uri + `\"> end"}`)},
		"in capitals":        {Data: value(`{"text":"x DATA:image/png;BASE64,` + picture + ` end"}`)},
		"escaped":            {Data: value(`{"text":"x ` + strings.ReplaceAll(uri, "/", `\/`) + ` end"}`)},
		"over lines":         {Data: value(`{"text":"file:\n` + lines + `\nend"}`)},
		"as a summary":       {Presentation: value(`{"summary":"see ` + uri + `","title":"see ` + uri + `"}`)},
		"as an advice":       {AIAdvice: value(`{"intent":"relay","message":"` + uri[:400] + `","resourceIds":[],"priority":"low"}`)},
		"in a warning":       {Warnings: value(`[{"code":"A.B","message":"see ` + uri + `","details":{"x":"` + uri + `"}}]`)},
		"in a failure":       {Status: call.Error, Error: &result.ErrorPart{Code: errcode.UpstreamError, Category: errcode.Dependency, Message: value(`"got ` + uri + `"`), Details: value(`{"x":"` + uri + `"}`), Target: value(`"` + uri + `"`), Cause: value(`{"message":"` + uri + `"}`)}},
		"as an address":      {Resources: value("[" + resource(1, "image", "image/png", uri) + "]")},
		"behind other words": {Data: value(`{"text":"` + strings.Repeat("word ", 1000) + uri + ` end"}`)},
	} {
		v := visible(t, p)
		for view, text := range projections(v) {
			if strings.HasPrefix(view, "ai") && strings.Contains(text, picture[:40]) {
				t.Errorf("%s, %s: %.400s", name, view, text)
			}
		}
		whole := projection.Whole(v, ai.Options{})
		for _, n := range []int{0, 79, 80, 200, 500, 3000, ai.DefaultMaxCharacters} {
			if err := projection.Laws(v, ai.Options{}, n, whole); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// What is left out is named, with its length, and the words around it stay.
	p := ai.Present(data(t, `{"text":"look: ![x](`+uri+`) end"}`), ai.Options{})
	if !strings.HasSuffix(p.Text, "- text: look: ![x]([base64 of 2422 characters]) end") || fmt.Sprint(p.Omitted.Fields) != "[/data/text]" {
		t.Errorf("%v: %s", p.Omitted, p.Text)
	}
	// Text that only looks like it stays: digits, names of genes, hashes, a long word.
	for _, text := range []string{strings.Repeat("1234567890", 100), strings.Repeat("ACGT", 200), strings.Repeat("0123456789abcdef", 40), strings.Repeat("Aa1", 200)} {
		if p := ai.Present(data(t, `{"text":"`+text+`"}`), ai.Options{}); !strings.Contains(p.Text, text) {
			t.Errorf("left out: %s", p.Text)
		}
	}
}

// knownSecretsAreInNoProjection: the key of an injected credential, in the message of a failure and around it.
func knownSecretsAreInNoProjection(t *testing.T) {
	const key = "sk_live_SECRET"
	payload := []byte(`{"message":"Invalid key ` + key + `","details":{"stderr":"curl -H ` + key + `","` + key + `":1},"cause":{"code":"E","message":"401 ` + key + `"},"target":"/` + key + `"}`)
	at := func(src []byte, name string) result.Value {
		var tape wire.Tape
		if err := tape.Scan(src, wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		i, ok := tape.Find(tape.Root(), name)
		if !ok {
			t.Fatalf("no %s in %s", name, src)
		}
		return result.At(&tape, i)
	}
	failure := func(src []byte) *result.Visible {
		return visible(t, result.Parts{Status: call.Error, Error: &result.ErrorPart{Code: errcode.UpstreamError, Category: errcode.Dependency,
			Message: at(src, "message"), Details: at(src, "details"), Cause: at(src, "cause"), Target: at(src, "target")}})
	}
	var tape wire.Tape
	if err := tape.Scan(payload, wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	masked, found := secret.New(key).Mask(&tape, nil)
	if !found {
		t.Fatal("nothing is masked")
	}
	for name, text := range projections(failure(masked.Source)) {
		if strings.Contains(text, key) {
			t.Errorf("%s: %s", name, text)
		}
	}
	for _, want := range []string{"Invalid key [redacted]", `"401 [redacted]"`, `"stderr":"curl -H [redacted]"`, `"[redacted]":1`} {
		if text := human.Present(failure(masked.Source)); !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	// The same without masking is found: the test can fail.
	if text := ai.Present(failure(payload), ai.Options{}).Text; !strings.Contains(text, key) {
		t.Errorf("the test looks at nothing: %s", text)
	}
}
