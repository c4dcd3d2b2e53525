package golang_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/fuzz/shared"
	"vcp.core/gen/emit/golang"
)

// built is a program that was built from generated packages and a main of the test's own.
type built struct{ binary string }

// foreign is the module that test packages are generated into.
const foreign = "generated.test"

// build writes generated packages and a main package into a module of their own, below the module's root
// so that relative replacements work, and builds it.
func build(t testing.TB, packages map[string][]golang.File, main string) *built {
	t.Helper()
	root := shared.Root(t)
	dir, err := os.MkdirTemp(t.TempDir(), "module")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, files := range packages {
		for _, f := range files {
			write(name+"/"+f.Name, f.Bytes)
		}
	}
	write("main.go", []byte(main))
	write("go.mod", []byte("module "+foreign+"\n\ngo 1.26\n\nrequire vcp.core v0.0.0\n\nreplace vcp.core => "+root+"\n"))
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", sum)
	b := &built{binary: filepath.Join(dir, "program")}
	for _, args := range [][]string{{"vet", "./..."}, {"build", "-o", b.binary, "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return b
}

// question asks the program of [judgeMain] about one document.
type question struct {
	Judge    string // "package.Root"
	Document []byte
}

// answer is what generated code says. Number is 0 and Error set when the document was refused by the scan.
type answer struct {
	Verdict                int // of wire.Verdict
	Error                  string
	Offset, Number         int
	File, Pointer, Keyword string
	Reason                 string
	Allocs                 float64
}

// judgeMain is a program that answers questions, one JSON value a line.
func judgeMain(packages map[string][]string) string {
	var imports, table strings.Builder
	for pkg, roots := range packages {
		fmt.Fprintf(&imports, "\t%q\n", foreign+"/"+pkg)
		for _, r := range roots {
			fmt.Fprintf(&table, "\t%q: %s.Judge%s,\n", pkg+"."+r, pkg, r)
		}
	}
	return `package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"

	"vcp.core/contract/wire"
` + imports.String() + `)

var judges = map[string]func(*wire.Tape) error{
` + table.String() + `}

type question struct {
	Judge    string
	Document []byte
}

type answer struct {
	Verdict                int
	Error                  string
	Offset, Number         int
	File, Pointer, Keyword string
	Reason                 string
}

func main() {
	in := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	var tape wire.Tape
	for {
		var q question
		if in.Decode(&q) != nil {
			return
		}
		var a answer
		if err := tape.Scan(q.Document, wire.Limits{}); err != nil {
			a.Error = err.Error()
		} else if err := judges[q.Judge](&tape); err != nil {
			var r *wire.Rejection
			errors.As(err, &r)
			a = answer{Verdict: int(r.Verdict()), Offset: r.Offset, Number: r.Number, File: r.Rule.File, Pointer: r.Rule.Pointer, Keyword: r.Rule.Keyword, Reason: string(r.Reason)}
		} else {
			a.Verdict = int(wire.Valid)
		}
		if encoder.Encode(a) != nil {
			return
		}
	}
}
`
}

// ask runs the program once over all questions.
func (b *built) ask(t testing.TB, questions []question) []answer {
	t.Helper()
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, q := range questions {
		if err := encoder.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(b.binary)
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var answers []answer
	decoder := json.NewDecoder(bufio.NewReader(bytes.NewReader(out)))
	for {
		var a answer
		if err := decoder.Decode(&a); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	return answers
}
