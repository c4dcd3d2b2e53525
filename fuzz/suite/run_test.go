package suite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tally itself is checked with engines whose faults are known.
func TestTally(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.json": `[{"description":"plain","schema":{"type":"null"},"tests":[
			{"description":"null","data":null,"valid":true},{"description":"one","data":1,"valid":false}]}]`,
		"a.json": `[{"description":"closed","schema":{"maxItems":0},"tests":[
			{"description":"full","data":[1],"valid":false},{"description":"empty","data":[],"valid":true}]}]`,
		"optional/c.json": `[{"description":"not required","schema":{},"tests":[{"description":"x","data":1,"valid":false}]}]`,
		"notes.txt":       "no suite file",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if Count(files) != 4 {
		t.Fatalf("Count = %d, want 4", Count(files))
	}
	judges := func(valid bool, err error) Engine {
		return func(Dialect, []byte, Remotes) (Judge, error) {
			return func([]byte) (bool, error) { return valid, err }, nil
		}
	}
	refuses := func(Dialect, []byte, Remotes) (Judge, error) { return nil, errors.New("no such keyword") }
	for _, c := range []struct {
		name    string
		engine  Engine
		a, b    Row
		failure string
	}{
		{"accepts everything", judges(true, nil), Row{"a.json", 2, 1, 1}, Row{"b.json", 2, 1, 1},
			"a.json: closed: full: want invalid, got valid"},
		{"refuses everything", judges(false, nil), Row{"a.json", 2, 1, 1}, Row{"b.json", 2, 1, 1},
			"a.json: closed: empty: want valid, got invalid"},
		{"never decides", judges(true, errors.New("undecided")), Row{"a.json", 2, 0, 2}, Row{"b.json", 2, 0, 2},
			"a.json: closed: full: want invalid, got undecided"},
		{"compiles nothing", refuses, Row{"a.json", 2, 0, 2}, Row{"b.json", 2, 0, 2},
			"a.json: closed: full: want invalid, got schema refused: no such keyword"},
	} {
		rep := Run(c.engine, Draft2020, files, nil)
		if len(rep.Rows) != 2 || rep.Rows[0] != c.a || rep.Rows[1] != c.b {
			t.Errorf("%s: rows %+v, want %+v and %+v", c.name, rep.Rows, c.a, c.b)
		}
		if len(rep.Misses) != c.a.Failed+c.b.Failed || rep.Misses[0].String() != c.failure {
			t.Errorf("%s: misses %v, want %d, first %q", c.name, rep.Misses, c.a.Failed+c.b.Failed, c.failure)
		}
		var out strings.Builder
		if err := rep.Write(&out); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != 4 {
			t.Errorf("%s: the printed report has %d lines, want a head, two files and a total:\n%s", c.name, lines, out.String())
		}
	}
	if _, err := Read(filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent folder: %v, want ErrNotExist", err)
	}
}

func TestRemotesOfADialect(t *testing.T) {
	all := Remotes{}
	for _, uri := range []string{"integer.json", "nested/string.json", "draft7/name.json", "draft2019-09/name.json", "draft2020-12/name.json", "v1/name.json"} {
		all[server+uri] = []byte(`{}`)
	}
	for d, want := range map[Dialect][]string{
		Draft07:   {"integer.json", "nested/string.json", "draft7/name.json"},
		Draft2019: {"integer.json", "nested/string.json", "draft2019-09/name.json"},
		Draft2020: {"integer.json", "nested/string.json", "draft2020-12/name.json"},
	} {
		got := all.Of(d)
		if len(got) != len(want) {
			t.Errorf("%s reaches %d documents, want %d", d, len(got), len(want))
		}
		for _, uri := range want {
			if got[server+uri] == nil {
				t.Errorf("%s does not reach %s", d, uri)
			}
		}
	}
	if both := all.Among(Draft07, Draft2019); len(both) != 4 || both[server+"draft7/name.json"] == nil || both[server+"draft2019-09/name.json"] == nil {
		t.Errorf("two dialects reach %v", both)
	}
	if Home(server+"draft7/name.json", Draft2020) != Draft07 || Home(server+"nested/string.json", Draft2020) != Draft2020 {
		t.Error("a remote document is at home in its folder's dialect, else in that of the suite")
	}
}
