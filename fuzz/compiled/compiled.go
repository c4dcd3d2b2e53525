// Package compiled asks generated code for verdicts: it writes generated packages into a module of their own, builds
// that once into a program, and runs the program over documents.
//
// Data flow: files of gen/emit/golang and the text of the support packages -> [Write] -> [Build] -> [Ask]. The module
// needs the go command and nothing else: the support packages come from the program that uses this package, so that
// generated code is built with the ones that its compiler knows, and no network is asked. [NewEngine] lets the
// official suite judge by generated code.
//
// The package compares nothing and judges nothing by itself. Tests that need more than verdicts, or the support
// packages of the working tree, use fuzz/emitted.
package compiled

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"vcp.core/contract"
	"vcp.core/gen/emit/golang"
)

// Module is the path of the temporary module. Package p is generated for ImportPath(p).
const Module = "generated.test"

// ImportPath returns the import path that a package must be emitted for.
func ImportPath(name string) string { return Module + "/" + name }

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
	Panic                  string // what the judge panicked with, "" when it did not
	// Law is the law of decoding and encoding that the document breaks, "" for none; only programs of fuzz/emitted
	// look for it.
	Law string
}

// Write writes a module with the packages, by name, a main package and the support packages into dir, which must be
// empty.
func Write(dir string, packages map[string][]golang.File, main string) error {
	write := func(name string, content []byte) error {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, content, 0o644)
	}
	for name, files := range packages {
		for _, f := range files {
			if err := write(name+"/"+f.Name, f.Bytes); err != nil {
				return err
			}
		}
	}
	const version = "\n\ngo 1.26\n"
	errs := []error{
		write("main.go", []byte(main)),
		write("go.mod", []byte("module "+Module+version+"\nrequire vcp.core v0.0.0\n\nreplace vcp.core => ./support\n")),
		write("support/go.mod", []byte("module vcp.core"+version)),
		fs.WalkDir(contract.Support(), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			src, err := fs.ReadFile(contract.Support(), path)
			if err != nil {
				return err
			}
			return write("support/contract/"+path, src)
		}),
	}
	return errors.Join(errs...)
}

// BuildError is a program that the go command does not build.
type BuildError struct {
	Output string // what the go command said
	Err    error
}

// Error says it in a sentence.
func (e *BuildError) Error() string {
	return "the generated program does not build: " + e.Err.Error()
}

// Unwrap returns the error of the go command.
func (e *BuildError) Unwrap() error { return e.Err }

// Build builds the module in dir and returns the program's path. The error is a *BuildError, unless the go command
// cannot be started at all.
func Build(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "program")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, ".") // without the folder's name the build cache knows the packages again
	cmd.Dir = dir
	// What the user has set is about his own module and its target, and this program runs here.
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GO111MODULE=", "GOOS=", "GOARCH=")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return "", err
	}
	if err != nil {
		return "", &BuildError{string(out), err}
	}
	return program, nil
}

// Ask runs the program once over all questions. When it ends early, by a crash of generated code, the answers up to
// there come with the error.
func Ask(ctx context.Context, program string, questions []Question) ([]Answer, error) {
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, q := range questions {
		if err := encoder.Encode(q); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin = &in
	var stderr beginning
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var answers []Answer
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var one Answer
		if broken := decoder.Decode(&one); broken != nil {
			if !errors.Is(broken, io.EOF) {
				err = errors.Join(err, broken)
			}
			break
		}
		answers = append(answers, one)
	}
	if err != nil {
		return answers, fmt.Errorf("the generated program: %w\n%s", err, stderr.text)
	}
	if len(answers) != len(questions) {
		return answers, fmt.Errorf("the generated program gave %d answers to %d questions", len(answers), len(questions))
	}
	return answers, nil
}

// beginning keeps the beginning of what a program says: of a stack overflow that is the reason.
type beginning struct{ text []byte }

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), 4<<10-len(b.text))]...)
	return len(p), nil
}

// Main returns a program that answers questions, one JSON value a line. roots are the names of the roots by package.
// laws is Go source that declares a function law, or "" for a program that only judges.
func Main(roots map[string][]string, laws string) string {
	var imports, table, held strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(roots)) {
		fmt.Fprintf(&imports, "\t%q\n", ImportPath(pkg))
		for _, r := range roots[pkg] {
			fmt.Fprintf(&table, "\t%q: %s.Judge%s,\n", pkg+"."+r, pkg, r)
			if laws != "" {
				fmt.Fprintf(&held, "\t%q: law(%s.Decode%s, %[2]s.Validate%[3]s),\n", pkg+"."+r, pkg, r)
			}
		}
	}
	return strings.NewReplacer("{imports}", imports.String(), "{judges}", table.String(), "{laws}", held.String(), "{law}", laws).Replace(mainSource)
}

const mainSource = `package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"vcp.core/contract/wire"
{imports})

// judges are what questions are put to, by "package.Root".
var judges = map[string]func(*wire.Tape) error{
{judges}}

// laws say which law a document breaks that is valid or not, "" for none.
var laws = map[string]func([]byte, bool) string{
{laws}}
{law}
// Question asks for the verdict on one document: Judge is "package.Root".
type Question struct {
	Judge    string
	Document []byte
}

// Answer is the verdict, with the place and the rule of a failure; Refused, Panic and Law are empty where all went well.
type Answer struct {
	Verdict                int
	Refused                string
	Offset, Number         int
	File, Pointer, Keyword string
	Reason                 string
	Panic                  string
	Law                    string
}

var tape wire.Tape // of all questions, one after the other

// answer judges one document; a panic of generated code is an answer.
func answer(q Question) (a Answer) {
	defer func() {
		if r := recover(); r != nil {
			a = Answer{Panic: fmt.Sprint(r)}
		}
	}()
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
	return a
}

func main() {
	src, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	in := json.NewDecoder(bytes.NewReader(src))
	encoder := json.NewEncoder(os.Stdout) // not buffered: what was answered before a crash counts
	for in.More() {
		var q Question
		if err := in.Decode(&q); err != nil {
			panic(err)
		}
		if encoder.Encode(answer(q)) != nil {
			return
		}
	}
}
`
