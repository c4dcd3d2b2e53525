package generated_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vcp.core/fuzz/generated"
	"vcp.core/fuzz/shared"
)

// The table names every decoder under generated/ that has a schema, and every root has one.
func TestTable(t *testing.T) {
	want, decoders, err := generated.Table(filepath.Join(shared.Root(t), "generated"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(generated.TableFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what generated/ asks for (%v); run go generate ./fuzz/generated", generated.TableFile, err)
	}
	covered := map[string]bool{}
	for _, typ := range types {
		covered[typ.Name] = true
	}
	roots := 0
	for _, d := range decoders {
		name := d.Folder + "." + d.Type
		if d.Root {
			roots++
		}
		if !covered[name] && d.Root {
			t.Errorf("%s is a root and in no row", name)
		} else if !covered[name] {
			t.Logf("%s is a part of several schemas", name)
		}
	}
	t.Logf("%d decoders, %d of roots, %d rows", len(decoders), roots, len(types))
	if roots == 0 {
		t.Error("there is no root")
	}
}

// A decoder whose schema nobody can tell is an error, not a row less.
func TestUntold(t *testing.T) {
	const judge = "\nfunc judgeX(n int) bool { return true }\n"
	for _, c := range []struct {
		source string
		told   bool
	}{
		{"package p\n\nfunc DecodeX(src []byte) bool { return judgeX(0) }\n// judgeX judges a.json#/x, which may lead back to itself." + judge, true},
		{"package p\n\nfunc DecodeX(src []byte) bool { return judgeX(0) }\n// judgeX judges a.json#/x. Several rules may lead here." + judge, true},
		{"package p\n\nfunc DecodeX(src []byte) bool { return judgeX(0) }\n// judgeX judges a.json#/a/very/long/poin…." + judge, false},
		{"package p\n\nfunc DecodeX(src []byte) bool { return judgeX(0) }\n" + judge, false},
		{"package p\n\nfunc DecodeX(src []byte) bool { return true }\n", false},
		{"package p\n\nfunc DecodeX(src []byte) bool { return acceptX(0) }\n// acceptX judges what is an X.\nfunc acceptX(n int) bool { return true }\n", true},
		{"package p\n\nfunc JudgeX(src []byte) bool { return acceptX(0) }\nfunc DecodeX(src []byte) bool { return acceptX(0) }\n// acceptX judges what is an X.\nfunc acceptX(n int) bool { return true }\n", false},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "p"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "p", "read_gen.go"), []byte(c.source), 0o600); err != nil {
			t.Fatal(err)
		}
		_, decoders, err := generated.Table(dir)
		var untold *generated.UntoldError
		if c.told && (err != nil || len(decoders) != 1) || !c.told && !errors.As(err, &untold) {
			t.Errorf("%s: %v, %v", c.source, decoders, err)
		}
	}
}
