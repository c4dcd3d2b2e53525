package schema_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
)

// The blocks of the specification, by section and ordinal. A block is judged by a definition when it
// shows a fragment, at a pointer when it wraps one. Blocks that are refused are so for a stated rule:
// ids are shortened in print, members are elided, one block shows a shape that is forbidden, and the
// commands of §9.3 and §15 lack the effect that DESIGN §4 added.
var specification = []struct {
	block   string
	at      string // JSON Pointer into the block
	schema  string // document, or document#pointer of a definition
	refused []finding
}{
	{block: "5.2/1", schema: "payload"},
	{block: "5.2/2", schema: "payload"},
	{block: "5.2/3", schema: "payload"},
	{block: "5.3/1", schema: "result", refused: []finding{
		{"", "result#/required"}, // aiAdvice is not shown
		{"/id", "vocabulary#/$defs/resultId/pattern"},
		{"/execution/invocationId", "vocabulary#/$defs/invocationId/pattern"},
		{"/execution/requestId", "vocabulary#/$defs/requestId/pattern"},
		{"/execution/recordId", "vocabulary#/$defs/recordId/pattern"},
	}},
	{block: "5.6/1", at: "/outputImage", schema: "resource-reference", refused: []finding{
		{"/$resource", "vocabulary#/$defs/resourceId/pattern"},
	}},
	{block: "5.7/1", schema: "warning"},
	{block: "5.8/1", schema: "payload-presentation"},
	{block: "5.8/1", schema: "presentation", refused: []finding{
		{"/primaryResourceId", "vocabulary#/$defs/resourceId/pattern"},
	}},
	{block: "5.9/1", schema: "payload-ai-advice"},
	{block: "5.9/1", schema: "ai-advice", refused: []finding{
		{"/resourceIds/0", "vocabulary#/$defs/resourceId/pattern"},
	}},
	{block: "5.9/2", at: "/aiAdvice", schema: "payload-ai-advice"},
	{block: "5.9/2", at: "/aiAdvice", schema: "ai-advice"},
	{block: "5.9/3", at: "/aiAdvice", schema: "payload-ai-advice"},
	{block: "5.10/1", at: "/extensions", schema: "vocabulary#/$defs/extensions"},
	{block: "6.1/1", schema: "error"},
	{block: "7.1/1", schema: "resource-descriptor", refused: []finding{
		{"/id", "vocabulary#/$defs/resourceId/pattern"},
		{"/sha256", "resource-descriptor#/$defs/sha256/pattern"},
	}},
	{block: "7.4/1", schema: "payload"},
	{block: "7.6/1", at: "/access", schema: "resource-descriptor#/$defs/access"},
	{block: "9.1/1", schema: "call-request"},
	{block: "9.1/2", schema: "result", refused: []finding{
		{"", "result#/required"}, // all but the protocol
		{"/...", "result#/additionalProperties"},
	}},
	{block: "9.3/1", schema: "manifest#/$defs/command", refused: []finding{
		{"", "manifest#/$defs/command/required"}, // effect
	}},
	{block: "10.3/1", schema: "callback"},
	{block: "10.6/1", schema: "progress-event", refused: []finding{
		{"/invocationId", "vocabulary#/$defs/invocationId/pattern"},
		{"/taskId", "vocabulary#/$defs/taskId/pattern"},
	}},
	{block: "11.2/1", schema: "frame-tool-result"},
	{block: "12.1/1", at: "/toolResultProtocol", schema: "manifest#/properties/toolResultProtocol", refused: []finding{
		{"", "manifest#/properties/toolResultProtocol/required"}, // a node announces versions, a manifest states one
		{"/versions", "manifest#/properties/toolResultProtocol/additionalProperties"},
	}},
	{block: "12.2/1", schema: "payload", refused: []finding{ // the shape that must not come back
		{"", "payload#/required"},
		{"/result", "payload#/additionalProperties"},
	}},
	{block: "12.3/1", schema: "bridge-envelope", refused: []finding{
		{"/requestId", "vocabulary#/$defs/requestId/pattern"},
		{"/result", "result#/required"},
	}},
	{block: "13.3/1", schema: "payload"},
	{block: "13.4/1", schema: "payload"},
	{block: "13.4/2", schema: "payload"},
	{block: "15/1", at: "/toolResultProtocol", schema: "manifest#/properties/toolResultProtocol"},
	{block: "15/2", schema: "manifest#/$defs/command", refused: []finding{
		{"", "manifest#/$defs/command/required"}, // effect
	}},
	{block: "16.3/1", schema: "ledger#/$defs/plugin"},
}

// notJSON are the blocks in the notation of a programming language.
var notJSON = []string{"8.1/1", "10.2/1"}

// wantBlocks is the number of JSON blocks in the specification as far as it is in the shared files.
const wantBlocks = 30

var heading = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)+|[0-9]+\.) \S`)

// blocks cuts every text that begins with an opening brace at the start of a line and ends with its
// closing brace out of the specification. Keys are "SECTION/ORDINAL".
func blocks(text string) map[string]string {
	out := map[string]string{}
	section := ""
	count := map[string]int{}
	for len(text) > 0 {
		line, rest, _ := strings.Cut(text, "\n")
		if m := heading.FindStringSubmatch(line); m != nil {
			section = strings.TrimSuffix(m[1], ".")
		}
		if strings.HasPrefix(line, "{") {
			end := balanced(text)
			count[section]++
			out[section+"/"+strconv.Itoa(count[section])] = text[:end]
			_, rest, _ = strings.Cut(text[end:], "\n")
		}
		text = rest
	}
	return out
}

// balanced returns the length of the bracketed text at the beginning of s; brackets in double quotes do
// not count.
func balanced(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// validatorOf compiles a reference to a document or to a definition in one.
func validatorOf(t *testing.T, name string) *live.Validator {
	t.Helper()
	doc, fragment, inside := strings.Cut(name, "#")
	if !inside {
		return protocol.Validator(doc)
	}
	d, ok := schema.Lookup(doc)
	if !ok {
		t.Fatalf("no document %s", doc)
	}
	src := wire.AppendQuoted([]byte(`{"$ref":`), d.ID+"#"+fragment)
	file, list := load.Parse("reference.json", append(src, '}'), wire.Limits{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	root, list := resolve.Resolve(file, nil, resolve.Options{Registry: protocol.Registry()})
	if len(list) > 0 {
		t.Fatal(list)
	}
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{FormatAssertion: true})
	if len(list) > 0 {
		t.Fatal(list)
	}
	return live.Compile(program).Root(0)
}

func TestBlocksOfTheSpecification(t *testing.T) {
	text, err := os.ReadFile(shared.Path(t, "seeds", "000_f25ef619122e7ded.txt"))
	if err != nil {
		t.Fatal(err)
	}
	found := blocks(string(text))
	mapped := map[string]bool{}
	for _, s := range specification {
		mapped[s.block] = true
		t.Run(strings.ReplaceAll(s.block, "/", "-")+"-"+strings.ReplaceAll(s.schema, "/", "."), func(t *testing.T) {
			text, ok := found[s.block]
			if !ok {
				t.Fatal("there is no such block")
			}
			var whole, part wire.Tape
			if err := whole.Scan([]byte(text), wire.Limits{}); err != nil {
				t.Fatal(err)
			}
			i, ok := whole.Lookup(s.at)
			if !ok {
				t.Fatalf("the block has nothing at %s", s.at)
			}
			if err := part.Scan(whole.Raw(i), wire.Limits{}); err != nil {
				t.Fatal(err)
			}
			v := validatorOf(t, s.schema)
			verdict, got := v.Verdict(&part), findings(v.Violations(&part))
			if want := map[bool]wire.Verdict{true: wire.Valid, false: wire.Invalid}[len(s.refused) == 0]; verdict != want {
				t.Errorf("verdict %d, want %d", verdict, want)
			}
			for _, w := range s.refused {
				if !slices.Contains(got, w) {
					t.Errorf("does not break %v, but %v", w, got)
				}
			}
			for _, g := range got {
				if !slices.Contains(s.refused, g) && !beside(g, s.refused) {
					t.Errorf("breaks %v as well", g)
				}
			}
		})
	}
	count := 0
	for name, text := range found {
		var tape wire.Tape
		err := tape.Scan([]byte(text), wire.Limits{})
		if isJSON := err == nil; isJSON == slices.Contains(notJSON, name) {
			t.Errorf("block %s: JSON: %v", name, isJSON)
		}
		if err == nil {
			count++
			if !mapped[name] {
				t.Errorf("block %s is not in the table", name)
			}
		}
	}
	if count != wantBlocks || len(found) != wantBlocks+len(notJSON) {
		t.Errorf("found %d JSON blocks of %d blocks, want %d of %d", count, len(found), wantBlocks, wantBlocks+len(notJSON))
	}
}
