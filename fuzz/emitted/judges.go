package emitted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"vcp.core/gen/emit/golang"
)

// Judges is a number of packages whose judges are to be asked.
type Judges struct {
	packages map[string][]golang.File
	roots    map[string][]string
}

// Add emits a package, which must be for ImportPath(p.Name). Errors fail the test; warnings do not: they say
// that a type could be better.
func (a *Judges) Add(t testing.TB, p golang.Package) {
	t.Helper()
	files, list := golang.Emit(p)
	if list.HasErrors() {
		t.Fatalf("%s: %v", p.Name, list)
	}
	if a.packages == nil {
		a.packages, a.roots = map[string][]golang.File{}, map[string][]string{}
	}
	if judgesOnly {
		files = slices.DeleteFunc(files, func(f golang.File) bool {
			return f.Name == "types_gen.go" || f.Name == "read_gen.go" || f.Name == "append_gen.go"
		})
	}
	a.packages[p.Name] = files
	for _, r := range p.Roots {
		a.roots[p.Name] = append(a.roots[p.Name], r.Name)
	}
}

// Question asks for the verdict on one document.
type Question struct {
	Judge    string // "package.Root"
	Document []byte
}

// Answer is what generated code says.
type Answer struct {
	Verdict                int    // of wire.Verdict
	Refused                string // the scan's error, "" when the document was judged
	Offset, Number         int    // of the failure, as in wire.Rejection
	File, Pointer, Keyword string
	Reason                 string
	// Law is the law of decoding and encoding that the document breaks, "" for none: see laws.go.
	Law string
}

// Ask builds the program and runs it once over all questions.
func (a *Judges) Ask(t testing.TB, questions []Question) []Answer {
	t.Helper()
	program := Build(t, a.packages, a.main())
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, q := range questions {
		if err := encoder.Encode(q); err != nil {
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
	var answers []Answer
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var one Answer
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, one)
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	return answers
}

// main is a program that answers questions, one JSON value a line.
func (a *Judges) main() string {
	var imports, table, laws strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(a.roots)) {
		fmt.Fprintf(&imports, "\t%q\n", ImportPath(pkg))
		for _, r := range a.roots[pkg] {
			fmt.Fprintf(&table, "\t%q: %s.Judge%s,\n", pkg+"."+r, pkg, r)
			if judgesOnly {
				continue
			}
			fmt.Fprintf(&laws, "\t%q: law(%s.Decode%s, %[2]s.Validate%[3]s),\n", pkg+"."+r, pkg, r)
		}
	}
	return `package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"vcp.core/contract/wire"
` + imports.String() + `)

var judges = map[string]func(*wire.Tape) error{
` + table.String() + `}

var laws = map[string]func([]byte, bool) string{
` + laws.String() + `}
` + lawSource + `
type Question struct {
	Judge    string
	Document []byte
}

type Answer struct {
	Verdict                int
	Refused                string
	Offset, Number         int
	File, Pointer, Keyword string
	Reason                 string
	Law                    string
}

func main() {
	in := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	var tape wire.Tape
	for {
		var q Question
		if in.Decode(&q) != nil {
			return
		}
		var a Answer
		if err := tape.Scan(q.Document, wire.Limits{}); err != nil {
			a.Refused = err.Error()
		} else if err := judges[q.Judge](&tape); err != nil {
			var r *wire.Rejection
			errors.As(err, &r)
			a = Answer{Verdict: int(r.Verdict()), Offset: r.Offset, Number: r.Number, File: r.Rule.File, Pointer: r.Rule.Pointer, Keyword: r.Rule.Keyword, Reason: string(r.Reason)}
		} else {
			a.Verdict = int(wire.Valid)
		}
		if law := laws[q.Judge]; law != nil {
			a.Law = law(q.Document, a.Verdict == int(wire.Valid))
		}
		if encoder.Encode(a) != nil {
			return
		}
	}
}
`
}
