package golang_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/mutate"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// agreement collects what both back ends are asked.
type agreement struct {
	emitted   emitted.Judges
	live      map[string]*live.Validator
	questions []emitted.Question
	want      []string // "valid" or "invalid" where somebody else has decided, else ""
	label     []string
}

func newAgreement() *agreement {
	return &agreement{live: map[string]*live.Validator{}}
}

// add emits a package and compiles it for live.
func (a *agreement) add(t testing.TB, p golang.Package) {
	t.Helper()
	a.emitted.Add(t, p)
	set := live.Compile(p.Program)
	for _, r := range p.Roots {
		a.live[p.Name+"."+r.Name] = set.Validator(r.Schema)
	}
}

func (a *agreement) ask(judge string, document []byte, label, want string) {
	a.questions = append(a.questions, emitted.Question{Judge: judge, Document: document})
	a.label = append(a.label, label)
	a.want = append(a.want, want)
}

// check builds the packages, asks, and compares.
func (a *agreement) check(t testing.TB) {
	t.Helper()
	answers := a.emitted.Ask(t, a.questions)
	cases, wrong, valid := map[string]int{}, map[string]int{}, map[string]int{}
	var labels []string
	for i, q := range a.questions {
		if cases[a.label[i]] == 0 {
			labels = append(labels, a.label[i])
		}
		cases[a.label[i]]++
		if answers[i].Verdict == int(wire.Valid) {
			valid[a.label[i]]++
		}
		if fault := a.compare(q, answers[i], a.want[i]); fault != "" {
			wrong[a.label[i]]++
			if wrong[a.label[i]] <= 3 {
				t.Errorf("%s: %s: %s: %s", a.label[i], q.Judge, clip(q.Document), fault)
			}
		}
	}
	total, bad := 0, 0
	for _, l := range labels {
		t.Logf("%-44s %6d documents, %6d valid, %d disagreements", l, cases[l], valid[l], wrong[l])
		total, bad = total+cases[l], bad+wrong[l]
	}
	t.Logf("%-44s %6d documents, %d disagreements", "total", total, bad)
}

// compare holds an answer of generated code against live: the verdict is the same, and what generated code
// blames is among the violations that live lists.
func (a *agreement) compare(q emitted.Question, got emitted.Answer, want string) string {
	var tape wire.Tape
	if err := tape.Scan(q.Document, wire.Limits{}); err != nil {
		if got.Refused != err.Error() {
			return fmt.Sprintf("refused by the scan with %q, want %q", got.Refused, err)
		}
		return ""
	}
	v := a.live[q.Judge]
	verdict := v.Verdict(&tape)
	if got.Law != "" {
		return got.Law
	}
	if got.Refused != "" || int(verdict) != got.Verdict {
		return fmt.Sprintf("live says %s, generated code %s: %+v", verdicts[verdict], verdicts[got.Verdict], got)
	}
	if want != "" && want != verdicts[verdict] {
		return fmt.Sprintf("the suite says %s, both back ends %s", want, verdicts[verdict])
	}
	if verdict == wire.Valid {
		return ""
	}
	list := v.Violations(&tape)
	for _, w := range list {
		if w.Offset != got.Offset || w.SchemaFile != got.File || string(w.Reason) != got.Reason {
			continue
		}
		// live tells a union of constants as one enum, where generated code, which has taken the only arm in place of the
		// union, blames the constant.
		whole := got.Keyword == "const" && (w.Keyword == "anyOf" || w.Keyword == "oneOf") && strings.HasPrefix(got.Pointer, w.SchemaPointer+"/")
		if w.SchemaPointer == got.Pointer || whole {
			return ""
		}
	}
	return fmt.Sprintf("the failure %+v is not among %+v", got, list)
}

var verdicts = []string{wire.Invalid: "invalid", wire.Undecided: "undecided", wire.Valid: "valid"}

func clip(b []byte) string {
	if len(b) > 300 {
		return string(b[:300]) + "…"
	}
	return string(b)
}

func parse(t testing.TB, name string, src []byte) *load.File {
	t.Helper()
	file, list := load.Parse(name, src, wire.Limits{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	return file
}

// protocolSet is the project's own schemas.
func protocolSet(t testing.TB) golang.Set {
	s := golang.Set{Name: "protocol", ImportPath: emitted.ImportPath("protocol"), Source: "contract/schema/v1", FormatAssertion: true}
	for _, d := range schema.All() {
		s.Documents = append(s.Documents, resolve.Document{URI: d.ID, File: parse(t, d.Name+".schema.json", d.Source)})
	}
	return s
}

// realNames are the schemas from the field.
var realNames = []string{
	"ansible-meta", "aws-cdk", "babelrc", "clang-format", "cmake-presets", "cql2", "cspell", "deno", "draft-04", "fabric-mod", "geojson",
	"helm-chart-lock", "jsconfig", "krakend", "lazygit", "openapi", "pulumi", "stylecop", "unreal-engine-uproject", "vercel", "yamllint",
}

// The project's own schemas and schemas from the field, on their instances and on near-valid documents.
func TestAgreesWithLive(t *testing.T) {
	a := newAgreement()
	protocol, list := protocolSet(t).Compile()
	if len(list) > 0 {
		t.Fatal(list)
	}
	a.add(t, protocol)
	docs := map[string][]byte{}
	for _, d := range schema.All() {
		docs[d.ID] = d.Source
	}
	for _, r := range protocol.Roots {
		uri := r.Schema.Origin.URI
		a.mutants(t, "protocol."+r.Name, strings.TrimSuffix(uri, "#"), docs, examples(t, r.Schema.Origin.Pos.File), 500)
	}
	for _, name := range realNames {
		dir := shared.Path(t, "data", "schemas", name)
		src, err := os.ReadFile(filepath.Join(dir, "schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		uri := "https://shared.test/" + name
		pkg := strings.ReplaceAll(name, "-", "")
		p, list := golang.Set{Name: pkg, ImportPath: emitted.ImportPath(pkg), Documents: []resolve.Document{{
			URI: uri, File: parse(t, name+".json", src), Dialect: resolve.Draft07,
		}}}.Compile()
		if list.HasErrors() {
			t.Fatal(list)
		}
		a.add(t, p)
		raw, err := os.ReadFile(filepath.Join(dir, "instances.jsonl"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		var instances [][]byte
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			instances = append(instances, bytes.Clone(lines.Bytes()))
		}
		judge := pkg + "." + p.Roots[0].Name
		a.mutants(t, judge, uri, map[string][]byte{uri: src}, instances[:min(len(instances), 1000)], 700)
	}
	if len(a.questions) < 20_000 {
		t.Errorf("%d documents, want 20,000", len(a.questions))
	}
	a.check(t)
}

// examples returns the examples and counter-examples of a document of the protocol.
func examples(t testing.TB, file string) [][]byte {
	t.Helper()
	dir := filepath.Join(shared.Root(t), "contract", "schema", "testdata", strings.TrimSuffix(file, ".schema.json"))
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, raw)
	}
	return list
}

// mutants asks about documents near the border of a schema.
func (a *agreement) mutants(t testing.TB, judge, uri string, docs map[string][]byte, instances [][]byte, count int) {
	t.Helper()
	s, err := mutate.NewSchema(uri, docs)
	if err != nil {
		t.Fatal(err)
	}
	maker, err := mutate.New(s, slices.Clone(instances), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range instances {
		a.ask(judge, d, judge, "")
	}
	v := a.live[judge]
	var tape wire.Tape
	for range count {
		d := maker.Next()
		a.ask(judge, d.Bytes, judge, "")
		if tape.Scan(d.Bytes, wire.Limits{}) == nil {
			maker.Saw(d, v.Verdict(&tape) == wire.Valid)
		}
	}
}
