package gen_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/emitted"
	"vcp.core/gen"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/manifest"
)

var update = flag.Bool("update", false, "freeze what is generated today as versions 1 and 2; only while no version was ever published")

// frozen is the folder of generated code that must build and run as long as its version is served.
const frozen = "testdata/frozen"

// emittedLine is how generated code states its version.
func emittedLine(version uint) string { return fmt.Sprintf("const emitted uint = %d\n", version) }

// freeze makes today's code one of another version.
func freeze(t *testing.T, version uint) map[string][]golang.File {
	t.Helper()
	manifests := []gen.Manifest{{Name: "plugins/Frozen/" + manifest.FileName, File: parse(t, "frozen", []byte(syntheticManifest(1, "Frozen")))}}
	tree := generate(t, manifests, gen.Target{ImportPath: emitted.ImportPath(fmt.Sprintf("v%d", version))})
	replaced := 0
	for i, f := range tree.Files {
		now := bytes.Replace(f.Bytes, []byte(emittedLine(wire.Version)), []byte(emittedLine(version)), 1)
		if path.Base(f.Path) == "inputs_gen.go" && bytes.Contains(now, []byte(emittedLine(version))) {
			replaced++
		}
		tree.Files[i].Bytes = now
	}
	if replaced != 2 {
		t.Fatalf("%d packages state a version, want 2", replaced)
	}
	return packages(tree, fmt.Sprintf("v%d", version))
}

// Code that was generated one and two versions ago builds with today's support packages and works beside
// today's code. There was no version before 3, so versions 1 and 2 are what version 3 generated when it was
// frozen, under another number. From then on a change of the support packages that breaks it shows here;
// the folder is replaced by real code of the last two versions when MinVersion moves on.
func TestFrozenCode(t *testing.T) {
	all := freeze(t, wire.Version)
	for _, version := range []uint{wire.MinVersion, wire.MinVersion + 1} {
		if *update {
			for folder, files := range freeze(t, version) {
				for _, f := range files {
					put(t, frozen, folder+"/"+f.Name, string(f.Bytes))
				}
			}
		}
		err := filepath.WalkDir(filepath.Join(frozen, fmt.Sprintf("v%d", version)), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			src, err := os.ReadFile(name)
			rel, _ := filepath.Rel(frozen, name)
			folder := path.Dir(filepath.ToSlash(rel))
			all[folder] = append(all[folder], golang.File{Name: e.Name(), Bytes: src})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	program := emitted.Build(t, all, frozenMain())
	out, err := exec.Command(program).CombinedOutput()
	const line = `{"status":"success","data":{"item":{"id":"it_01","kind":"a","size":7,"note":null}},"resources":[],"warnings":[],"extensions":{}}` + "\n"
	if want := strings.Repeat(line, 3); err != nil || string(out) != want {
		t.Errorf("%v\n%swant\n%s", err, out, want)
	}
}

// frozenMain is a program that implements and calls the plugin once for each version.
func frozenMain() string {
	var imports, calls, types strings.Builder
	for v := wire.MinVersion; v <= wire.Version; v++ {
		fmt.Fprintf(&imports, "\tfrozen%[1]d \"generated.test/v%[1]d/plugins/frozen\"\n\tregistry%[1]d \"generated.test/v%[1]d/registry\"\n", v)
		fmt.Fprintf(&calls, "\ttry(registry%[1]d.New(), frozen%[1]d.Bind(plugin%[1]d{}))\n", v)
		fmt.Fprintf(&types, `
type plugin%[1]d struct{ frozen%[1]d.Handler }

func (plugin%[1]d) Get(_ context.Context, at *frozen%[1]d.Invocation, in frozen%[1]d.GetInput) (call.Answer[frozen%[1]d.GetOutput], error) {
	if at.Config.Depth.Or(0) != 3 {
		return call.Answer[frozen%[1]d.GetOutput]{}, &call.Failure{Code: frozen%[1]d.CodeT1Gone, Message: "no configuration"}
	}
	item := frozen%[1]d.Item{ID: in.ID.Or(""), Kind: "a", Note: wire.Some(wire.Nullable[string]{})}
	item.Size = 7
	return call.Answer[frozen%[1]d.GetOutput]{Data: frozen%[1]d.GetOutput{Item: item}}, nil
}
`, v)
	}
	return `package main

import (
	"context"
	"fmt"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
` + imports.String() + `)

func main() {
` + calls.String() + `}

// try calls the handler and judges its arguments and its data by the rows of the registry.
func try(table *call.Table, h call.Handler) {
	arguments := []byte(` + "`" + `{"command":"Get","id":"it_01"}` + "`" + `)
	payload, err := h.Handle(context.Background(), call.Invocation{Command: "Get", Arguments: arguments, Config: []byte(` + "`" + `{"depth":3}` + "`" + `)})
	spec, _ := table.Lookup("Frozen", "Get")
	var tape wire.Tape
	if err != nil || tape.Scan(arguments, wire.Limits{}) != nil || spec.Input.Verdict(&tape) != wire.Valid {
		fmt.Println("WRONG", err)
	}
	fmt.Println(string(payload))
}
` + types.String()
}

// Code of a version that is not served, or not yet, does not build.
func TestOtherVersionsDoNotBuild(t *testing.T) {
	for _, version := range []uint{wire.MinVersion - 1, wire.MaxVersion + 1} {
		dir := t.TempDir()
		root, err := filepath.Abs("..")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range freeze(t, version)[fmt.Sprintf("v%d/registry", version)] {
			if f.Name == "inputs_gen.go" {
				put(t, dir, "registry/"+f.Name, string(f.Bytes))
			}
		}
		put(t, dir, "go.mod", "module "+emitted.Module+"\n\ngo 1.26\n\nrequire vcp.core v0.0.0\n\nreplace vcp.core => "+root+"\n")
		cmd := exec.Command("go", "build", "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "inputs_gen.go") || !strings.Contains(string(out), "overflows uint") {
			t.Errorf("version %d: %v\n%s", version, err, out)
		}
	}
}
