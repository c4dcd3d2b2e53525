package corpus

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCaseDocuments(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Do.a.json":    `{"arguments":{"id":"${x}","text":{"$repeat":["ab",2]},"n":9007199254740993},"expect":{"status":"success","data":{"id":{"$match":"^sch_"},"next":{"$match":"^[a-z]+$"}}}}`,
		"Do.b.json":    `{"arguments":{},"expect":{"status":"error","code":"X","data":null}}`,
		"Other.a.json": `{"arguments":{"other":true}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	arguments, data := caseDocuments(t, dir, "Do")
	want := func(what string, got [][]byte, docs ...string) {
		if len(got) != len(docs) {
			t.Fatalf("%s: %d documents, want %d", what, len(got), len(docs))
		}
		for i := range docs {
			if string(got[i]) != docs[i] {
				t.Errorf("%s %d: %s, want %s", what, i, got[i], docs[i])
			}
		}
	}
	want("arguments", arguments, `{"id":"sch_01K0000000000000000000000A","n":9007199254740993,"text":"abab"}`, `{}`)
	want("data", data, `{"id":"sch_01K0000000000000000000000A","next":"abc"}`)
}

func TestWithCommand(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, `{"command":"Do"}`}, {` { } `, `{"command":"Do" }`}, {`{"a":1}`, `{"command":"Do","a":1}`},
		{`{"command":"x"}`, `{"command":"x"}`}, {`[1]`, `[1]`}, {`1`, `1`},
	} {
		if got := string(withCommand([]byte(c.in), "Do")); got != c.want {
			t.Errorf("%s became %s, want %s", c.in, got, c.want)
		}
	}
}
