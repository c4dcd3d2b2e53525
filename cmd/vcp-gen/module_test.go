package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/fuzz/shared"
)

// goCmd runs the go command in a folder, without asking the network for anything.
func goCmd(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// verb runs the command in a folder.
func verb(t *testing.T, dir string, want int, args ...string) string {
	t.Helper()
	t.Chdir(dir)
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != want {
		t.Fatalf("vcp-gen %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// A module that is not ours generates its contract, implements it, calls it through a runtime of its own,
// and links nothing but what that takes.
func TestForeignModule(t *testing.T) {
	root := shared.Root(t)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.org/greeter\n\ngo 1.26\n\nrequire vcp.core v0.0.0\n\nreplace vcp.core => "+root+"\n")
	write(t, dir, "go.sum", string(sum))
	for _, name := range []string{"plugins/Greeter/plugin-manifest.json", "main.go"} {
		src, err := os.ReadFile(filepath.Join(root, "cmd", "vcp-gen", "testdata", "foreign", filepath.Base(name)+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, string(src))
	}
	verb(t, dir, 0, "--support", "vcp.core", "--out", "internal/tools")
	goCmd(t, dir, "vet", "./...")
	if got := goCmd(t, dir, "run", "."); got != greetings {
		t.Errorf("the program says\n%swant\n%s", got, greetings)
	}
	holdsNothingForeign(t, goCmd(t, dir, "list", "-deps", "."))
}

const greetings = `hello, Ada
hello, Ada; hello, Ada; hello, Ada
failed: GREETER.RUDE: we do not greet Bob /name {"name":"Bob"}
failed: MISSING_ARGUMENT
`

// When everything that is generated and everything that runs is gone, or does not compile, vcp-gen still
// builds, and brings the generated code back byte for byte.
func TestRepair(t *testing.T) {
	root := shared.Root(t)
	for _, how := range []string{"deleted", "broken"} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			for _, part := range []string{"go.mod", "go.sum", "contract", "gen", "cmd/vcp-gen", "cmd/internal/generate", "plugins", "generated", "runtime"} {
				if how == "deleted" && (part == "generated" || part == "runtime") {
					continue
				}
				copyTree(t, filepath.Join(root, filepath.FromSlash(part)), filepath.Join(dir, filepath.FromSlash(part)))
			}
			if how == "broken" {
				for _, part := range []string{"generated", "runtime"} {
					breakTree(t, filepath.Join(dir, part))
				}
			}
			program := filepath.Join(dir, "vcp-gen")
			goCmd(t, dir, "build", "-o", program, "./cmd/vcp-gen")
			cmd := exec.Command(program)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("vcp-gen: %v\n%s", err, out)
			}
			if got, want := snapshot(t, filepath.Join(dir, "generated")), snapshot(t, filepath.Join(root, "generated")); got != want {
				t.Error("what was brought back is not what is committed; run make generate")
			}
		})
	}
}

// copyTree copies Go files and manifests, and what they embed, but no tests.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if e.IsDir() {
			if e.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		write(t, to, filepath.ToSlash(rel), string(src))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// breakTree makes every Go file one that does not compile.
func breakTree(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		first, _, _ := bytes.Cut(src, []byte("\n"))
		return os.WriteFile(name, append(first, "\n\npackage broken\n\nfunc {\n"...), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// snapshot is all files of a folder with their contents.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		src, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		b.WriteString("-- " + filepath.ToSlash(rel) + " --\n")
		b.Write(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
