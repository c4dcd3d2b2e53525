package corpus

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// caseDocuments reads the contract cases of one command, cases/COMMAND.CASE.json (their format is told in
// the cases/README.md of a plugin), and returns the arguments of all and the expected data of those that
// succeed. What a case leaves open is filled in: a text by repetition, a saved text, a text by pattern.
func caseDocuments(t testing.TB, dir, command string) (arguments, data [][]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, command+".*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		var c struct {
			Arguments any `json:"arguments"`
			Expect    struct {
				Status string `json:"status"`
				Data   any    `json:"data"`
			} `json:"expect"`
		}
		d := json.NewDecoder(bytes.NewReader(read(t, path)))
		d.UseNumber()
		if err := d.Decode(&c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		add := func(to *[][]byte, v any) {
			raw, err := json.Marshal(filled(v))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			*to = append(*to, raw)
		}
		if c.Arguments != nil {
			add(&arguments, c.Arguments)
		}
		if c.Expect.Status == "success" {
			add(&data, c.Expect.Data)
		}
	}
	return arguments, data
}

// fillers stand for texts that only a run knows; the first that matches is taken.
var fillers = []string{"sch_01K0000000000000000000000A", "abc"}

var saved = regexp.MustCompile(`\$\{[^}]*\}`)

func filled(v any) any {
	switch v := v.(type) {
	case string:
		return saved.ReplaceAllString(v, fillers[0])
	case []any:
		for i := range v {
			v[i] = filled(v[i])
		}
	case map[string]any:
		if pattern, ok := v["$match"].(string); ok && len(v) == 1 {
			for _, f := range fillers {
				if re, err := regexp.Compile(pattern); err == nil && re.MatchString(f) {
					return f
				}
			}
		}
		if pair, ok := v["$repeat"].([]any); ok && len(v) == 1 && len(pair) == 2 {
			text, _ := pair[0].(string)
			count, _ := pair[1].(json.Number)
			if n, err := count.Int64(); err == nil {
				return strings.Repeat(text, int(n))
			}
		}
		for name := range v {
			v[name] = filled(v[name])
		}
	}
	return v
}
