package contract_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract"
)

// The text is that of all files of the packages, and of nothing else.
func TestSupportIsWhole(t *testing.T) {
	var want, got []string
	for _, root := range []string{"wire", "errcode"} {
		err := fs.WalkDir(os.DirFS("."), root, func(path string, d fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				want = append(want, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := fs.WalkDir(contract.Support(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	for _, path := range got {
		if !slices.Contains(want, path) {
			t.Errorf("%s is no source of a support package", path)
		}
	}
	for _, path := range want {
		if !slices.Contains(got, path) {
			t.Errorf("%s is left out: its name needs another pattern in support.go", path)
		}
	}
}
