//go:build touched

package emitted_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/contract/wire/touch"
	"vcp.core/fuzz/emitted"
	"vcp.core/fuzz/mutate"
	"vcp.core/fuzz/random"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// burden is a schema with the documents that it is held against the law with.
type burden struct {
	name, judge string
	arms        int
	live        *live.Validator
	documents   [][]byte
	generated   bool
}

// Law: a judge touches at most 3 × size × arms bytes of a document, the scan included: on every real schema, its
// instances and mutants of them, and where engines without a memo are exponential. Go code is generated for a few of
// the real schemas, with -lint for all.
func TestTouched(t *testing.T) {
	var judges emitted.Judges
	var list []burden
	entries, err := os.ReadDir(shared.Path(t, "data", "schemas"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, realBurden(t, &judges, e.Name()))
	}
	for i, b := range append(slices.Clone(random.BlowUps), random.LateUnion) {
		p, v := packageOf(t, fmt.Sprintf("blowup%d", i), []byte(b.Schema))
		judges.Add(t, p)
		x := burden{name: b.Name, judge: p.Name + "." + p.Roots[0].Name, arms: b.Arms, live: v, generated: true}
		depths := []int{2, 22, 512, 1000}
		if b.Name == random.LateUnion.Name {
			depths = []int{1, 22, 512} // 10 MB
		}
		for _, n := range depths {
			x.documents = append(x.documents, []byte(b.Document(n)))
		}
		list = append(list, x)
	}
	byLive := make([][]int, len(list))
	var questions []emitted.Question
	for i, b := range list {
		for _, d := range b.documents {
			byLive[i] = append(byLive[i], touchedByLive(t, b.live, d))
			if b.generated {
				questions = append(questions, emitted.Question{Judge: b.judge, Document: d})
			}
		}
	}
	byCode := touchedByCode(t, &judges, questions)
	fmt.Printf("%-50s%10s%6s%20s%20s\n", "bytes touched, the most for a byte of a document", "documents", "arms", "live", "generated code")
	for i, b := range list {
		generated := ""
		if b.generated {
			generated = fmt.Sprintf("%.2f", most(t, b, "generated code", byCode[:len(b.documents)]))
			byCode = byCode[len(b.documents):]
		}
		fmt.Printf("%-50s%10d%6d%20.2f%20s\n", b.name, len(b.documents), b.arms, most(t, b, "live", byLive[i]), generated)
	}
}

// most returns the largest number of bytes touched for a byte of a document, and holds the law.
func most(t *testing.T, b burden, who string, touched []int) (share float64) {
	t.Helper()
	for i, n := range touched {
		size := len(b.documents[i])
		if n < size {
			t.Errorf("%s, %s: %d bytes of %d were counted: the scan alone touches all", b.name, who, n, size)
		}
		if n > 3*size*b.arms {
			t.Errorf("%s, %s: %d bytes touched of a document of %d, for %d arms: %.200s", b.name, who, n, size, b.arms, b.documents[i])
		}
		share = max(share, float64(n)/float64(size))
	}
	return share
}

func touchedByLive(t *testing.T, v *live.Validator, document []byte) int {
	t.Helper()
	var tape wire.Tape
	before := touch.Count()
	if err := tape.Scan(document, wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	v.Verdict(&tape)
	return touch.Count() - before
}

// touchedByCode asks a program of generated judges that counts.
func touchedByCode(t *testing.T, judges *emitted.Judges, questions []emitted.Question) (list []int) {
	t.Helper()
	program := judges.BuildCounting(t)
	var in bytes.Buffer
	for _, q := range questions {
		if err := json.NewEncoder(&in).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program)
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for line := range strings.Lines(string(out)) {
		n := 0
		if _, err := fmt.Sscan(line, &n); err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	if len(list) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(list), len(questions))
	}
	return list
}

func packageOf(t *testing.T, name string, schema []byte) (golang.Package, *live.Validator) {
	t.Helper()
	file, list := load.Parse(name+".json", schema, wire.Limits{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	p, list := golang.Set{Name: name, ImportPath: emitted.ImportPath(name), Documents: []resolve.Document{{
		URI: "https://shared.test/" + name, File: file,
	}}}.Compile()
	if list.HasErrors() {
		t.Fatal(list)
	}
	return p, live.Compile(p.Program).Validator(p.Roots[0].Schema)
}

// realBurden is a shared schema with some of its instances and mutants of them.
func realBurden(t *testing.T, judges *emitted.Judges, name string) burden {
	t.Helper()
	dir := shared.Path(t, "data", "schemas", name)
	src, err := os.ReadFile(filepath.Join(dir, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, v := packageOf(t, strings.ReplaceAll(name, "-", ""), src)
	b := burden{name: name, judge: p.Name + "." + p.Roots[0].Name, arms: armsOf(p.Program), live: v, generated: *lint || slices.Contains(lintSchemas, name)}
	if b.generated {
		judges.Add(t, p)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "instances.jsonl")); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() && len(b.documents) < 300 {
			b.documents = append(b.documents, bytes.Clone(lines.Bytes()))
		}
	}
	schema, err := mutate.NewSchema("https://shared.test/"+name, map[string][]byte{"https://shared.test/" + name: src})
	if err != nil {
		t.Fatal(err)
	}
	maker, err := mutate.New(schema, b.documents, 1)
	if err != nil {
		t.Fatal(err)
	}
	var tape wire.Tape
	for range 300 {
		if d := maker.Next(); tape.Scan(d.Bytes, wire.Limits{}) == nil {
			b.documents = append(b.documents, d.Bytes)
			maker.Saw(d, v.Verdict(&tape) == wire.Valid)
		}
	}
	if name == "cql2" {
		for _, n := range []int{1, 12, 100} {
			b.documents = append(b.documents, []byte(strings.Repeat(`{"op":"not","args":[`, n)+`{"op":"=","args":[{"property":"a"},1]}`+strings.Repeat(`]}`, n)))
		}
	}
	return b
}

// armsOf is the largest number of schemas that one schema applies to its own value, itself among them.
func armsOf(p *ir.Program) (arms int) {
	for _, s := range p.Schemas {
		seen := map[*ir.Schema]bool{}
		var visit func(s *ir.Schema)
		visit = func(s *ir.Schema) {
			if s == nil || seen[s] {
				return
			}
			seen[s] = true
			for _, list := range [][]*ir.Schema{{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf} {
				for _, part := range list {
					visit(part)
				}
			}
			if s.Object != nil {
				for _, d := range s.Object.DependentSchemas {
					visit(d.Schema)
				}
			}
		}
		visit(s)
		arms = max(arms, len(seen))
	}
	return arms
}

// Without a memo the law does not hold, and the counter tells.
func TestTouchedTells(t *testing.T) {
	b := random.BlowUps[1]
	p, _ := packageOf(t, "blowup", []byte(b.Schema))
	for _, s := range p.Program.Schemas {
		s.Shared = false
	}
	document := []byte(b.Document(14))
	if n := touchedByLive(t, live.Compile(p.Program).Validator(p.Roots[0].Schema), document); n < 100*len(document)*b.Arms {
		t.Errorf("%d bytes touched of %d", n, len(document))
	}
}
