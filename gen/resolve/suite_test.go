package resolve_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Every schema of the official suite resolves.
func TestOfficialSuite(t *testing.T) {
	remotes, err := suite.ReadRemotes(shared.Path(t, "data", "json-schema-test-suite", "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, draft := range []struct {
		suite   suite.Dialect
		dialect resolve.Dialect
	}{{suite.Draft2020, resolve.Draft2020}, {suite.Draft2019, resolve.Draft2019}, {suite.Draft07, resolve.Draft07}} {
		own := remotes.Of(draft.suite)
		var docs []resolve.Document
		for uri, src := range own {
			file, list := load.Parse(uri, src, wire.Limits{})
			if len(list) > 0 {
				t.Fatal(list)
			}
			docs = append(docs, resolve.Document{URI: uri, File: file, Dialect: draft.dialect})
		}
		registry, list := resolve.NewRegistry(docs...)
		if list.HasErrors() {
			show(t, list)
		}
		for _, folder := range []string{"", "optional"} {
			files, err := suite.Read(shared.Path(t, "data", "json-schema-test-suite", "tests", string(draft.suite), folder))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if f.Name == "cross-draft.json" {
					continue // leads to a draft that is not supported, and is not in the remotes of this one
				}
				for _, g := range f.Groups {
					file, list := load.Parse(filepath.Join(folder, f.Name), g.Schema, wire.Limits{})
					if len(list) > 0 {
						t.Fatal(list)
					}
					_, list = resolve.Resolve(file, nil, resolve.Options{Registry: registry, Dialect: draft.dialect})
					if list.HasErrors() {
						t.Errorf("%s %s: %s", draft.suite, f.Name, g.Description)
						show(t, list)
					}
				}
			}
		}
	}
}

// Real schemas resolve. The numbers of warnings were read one by one: none of them is a false alarm.
func TestRealSchemas(t *testing.T) {
	ignored := map[string]int{"ansible-meta": 1, "krakend": 60, "yamllint": 1}
	dir := shared.Path(t, "data", "schemas")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		file, list := load.ReadFile(filepath.Join(dir, e.Name(), "schema.json"), wire.Limits{})
		if len(list) > 0 {
			t.Errorf("%s: %v", e.Name(), list)
			continue
		}
		schema, list := resolve.Resolve(file, nil, resolve.Options{})
		codes := map[diag.Code]int{}
		for _, d := range list {
			codes[d.Code]++
		}
		want := map[diag.Code]int{}
		if n := ignored[e.Name()]; n > 0 {
			want[resolve.CodeIgnored] = n
		}
		if !maps.Equal(codes, want) || schema == nil {
			t.Errorf("%s: got %v, want %v", e.Name(), codes, want)
			show(t, list)
		}
	}
}

func show(t *testing.T, list diag.List) {
	t.Helper()
	for _, d := range list {
		t.Logf("%s: %s (%s)", d.Code, d, d.Hint)
	}
}
