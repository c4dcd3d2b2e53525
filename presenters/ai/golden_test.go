package ai_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/projection"
	"vcp.core/presenters/ai"
	"vcp.core/runtime/result"
)

var update = flag.Bool("update", false, "rewrite the texts of testdata")

const ulid = "01J2XQ3Z5K8N7P4R6T9V0W1Y2Z"

// rest is what a case need not say: every other member of a result, in order.
var rest = []struct{ name, value string }{
	{"protocol", `{"name":"vcp.tool-result","version":"1.0"}`}, {"id", `"tr_` + ulid + `"`}, {"status", `"success"`},
	{"tool", `{"name":"ScheduleManager","displayName":"日程管理器","version":"1.0.0","command":"ListSchedules"}`},
	{"execution", `{"invocationId":"ti_` + ulid + `","requestId":"req_` + ulid + `","recordId":null,"startedAt":"2026-07-11T15:30:00.000+08:00","finishedAt":"2026-07-11T15:30:00.023+08:00","durationMs":23,"timeoutMs":60000,"attempt":1}`},
	{"actor", `null`}, {"origin", `{"source":"ai-loop","nodeId":null,"serverId":"local","distributed":false,"requestIp":null}`},
	{"data", `null`}, {"resources", `[]`}, {"warnings", `[]`}, {"error", `null`}, {"task", `null`}, {"presentation", `null`}, {"aiAdvice", `null`},
	{"policy", `{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]}`}, {"extensions", `{}`},
}

// build makes a result of the members that a case gives.
func build(t testing.TB, members []byte) *result.Visible {
	t.Helper()
	var given map[string]json.RawMessage
	if err := json.Unmarshal(members, &given); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, m := range rest {
		value := m.value
		if raw, ok := given[m.name]; ok {
			value = string(raw)
			delete(given, m.name)
		}
		fmt.Fprintf(&b, `%s"%s":%s`, []string{",", "{"}[btoi(i == 0)], m.name, value)
	}
	if len(given) > 0 {
		t.Fatalf("no members of a result: %v", given)
	}
	s, err := result.Parse([]byte(b.String() + "}"))
	if err != nil {
		t.Fatal(err)
	}
	return open(t, s)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Each case of testdata is a result, options, and the text that a model reads, for people to judge. The text
// keeps the laws as well. Run with -update to rewrite the texts, and read them.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 12 {
		t.Fatalf("%d cases, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]*txtar.File{}
			for i := range archive.Files {
				files[archive.Files[i].Name] = &archive.Files[i]
			}
			o, repeat := caseOptions(t, files["options"])
			v := build(t, repeated(files["result.json"].Data, repeat))
			p := ai.Present(v, o)
			if n := o.MaxCharacters.Or(ai.DefaultMaxCharacters); utf8.RuneCountInString(p.Text) > n {
				t.Errorf("%d characters, %d are allowed", utf8.RuneCountInString(p.Text), n)
			}
			if err := projection.Laws(v, o, o.MaxCharacters.Or(ai.DefaultMaxCharacters), projection.Whole(v, o)); err != nil {
				t.Error(err)
			}
			got := map[string]string{"text.md": p.Text + "\n", "beside": beside(p)}
			for _, file := range []string{"text.md", "beside"} {
				if *update {
					if files[file] == nil {
						archive.Files = append(archive.Files, txtar.File{Name: file})
						files[file] = &archive.Files[len(archive.Files)-1]
					}
					for i := range archive.Files {
						if archive.Files[i].Name == file {
							archive.Files[i].Data = []byte(got[file])
						}
					}
				} else if files[file] == nil || string(files[file].Data) != got[file] {
					t.Errorf("%s is\n%s", file, got[file])
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The page about presenters shows a real text.
func TestDocumentedText(t *testing.T) {
	page, err := os.ReadFile("../../docs/presenters.md")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile("testdata/schedules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == "text.md" && !strings.Contains(string(page), "```markdown\n"+string(file.Data)+"```\n") {
			t.Errorf("docs/presenters.md does not show\n%s", file.Data)
		}
	}
}

// beside tells what a projection holds apart from the text.
func beside(p ai.Projection) string {
	var b strings.Builder
	for _, part := range p.Content[1:] {
		fmt.Fprintf(&b, "%s %s\n", part.Type, part.ResourceID)
	}
	for _, pointer := range p.Omitted.Fields {
		fmt.Fprintf(&b, "omitted %s\n", pointer)
	}
	for _, id := range p.Omitted.Resources {
		fmt.Fprintf(&b, "omitted %s\n", id)
	}
	return b.String()
}

// caseOptions reads lines such as "characters 300".
func caseOptions(t *testing.T, file *txtar.File) (o ai.Options, repeat int) {
	if file == nil {
		return o, 0
	}
	for line := range strings.Lines(string(file.Data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(value)
		switch key {
		case "characters":
			o.MaxCharacters = wire.Some(n)
		case "resources":
			o.MaxResources = wire.Some(n)
		case "depth":
			o.Depth = wire.Some(n)
		case "vision":
			o.Vision = true
		case "execution":
			o.IncludeExecutionMetadata = true
		case "zone":
			o.Location = time.FixedZone("TST", n*3600)
		case "repeat":
			repeat = n
		default:
			t.Fatalf("no option: %q", line)
		}
	}
	return o, repeat
}

// repeated writes an array with an element that is followed by "@repeat" n times, with @n counted.
func repeated(src []byte, n int) []byte {
	before, after, ok := strings.Cut(string(src), `, "@repeat"`)
	if !ok {
		return src
	}
	from := strings.LastIndexByte(before, '[') + 1
	var list []string
	for i := range n {
		list = append(list, strings.ReplaceAll(before[from:], "@n", strconv.Itoa(i)))
	}
	return []byte(before[:from] + strings.Join(list, ",") + after)
}
