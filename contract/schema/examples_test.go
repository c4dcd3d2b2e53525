package schema_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/protocol"
)

// The examples stand in testdata/DOCUMENT/valid and testdata/DOCUMENT/invalid. What an invalid one
// breaks stands in rules.txt beside it, one line a broken rule: name of the example, JSON Pointer into
// it, and the rule as document#pointer of the keyword. They are plain files, so that other languages'
// bindings can be tested with them.

// finding is a violation reduced to what a rule names: where, and by which keyword of which document.
type finding struct{ pointer, rule string }

func findings(violations []call.Violation) []finding {
	out := make([]finding, len(violations))
	for i, v := range violations {
		out[i] = finding{v.Pointer, strings.TrimSuffix(v.SchemaFile, ".schema.json") + "#" + v.SchemaPointer}
	}
	return out
}

func readRules(t *testing.T, path string) map[string][]finding {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string][]finding{}
	for s := bufio.NewScanner(bytes.NewReader(src)); s.Scan(); {
		f := strings.Split(s.Text(), "\t")
		if len(f) != 3 {
			t.Fatalf("%s: not three columns: %q", path, s.Text())
		}
		if f[1] == "(root)" {
			f[1] = ""
		}
		rules[f[0]] = append(rules[f[0]], finding{f[1], f[2]})
	}
	return rules
}

func judge(t *testing.T, document, path string) (wire.Verdict, []call.Violation) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	verdict, violations, err := protocol.Validator(document).Check(src, wire.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return verdict, violations
}

// beside reports whether f comes with one of the broken rules by necessity: it says that a union around
// the broken rule has no fitting arm, or it explains a broken union by the arm that comes closest.
func beside(f finding, broken []finding) bool {
	return slices.ContainsFunc(broken, func(b finding) bool {
		around := strings.HasSuffix(f.rule, "/anyOf") && (b.pointer == f.pointer || strings.HasPrefix(b.pointer, f.pointer+"/"))
		below := union.MatchString(b.rule) && b.pointer == f.pointer && strings.HasPrefix(f.rule, b.rule+"/")
		return around || below
	})
}

var union = regexp.MustCompile(`/(anyOf|oneOf)$`)

func TestExamples(t *testing.T) {
	for _, d := range schema.All() {
		if d.Name == schema.Vocabulary {
			continue // asserts nothing by itself
		}
		t.Run(d.Name, func(t *testing.T) {
			dir := filepath.Join("testdata", d.Name)
			valid, _ := filepath.Glob(filepath.Join(dir, "valid", "*.json"))
			if len(valid) == 0 {
				t.Error("there is no valid example")
			}
			for _, path := range valid {
				if verdict, violations := judge(t, d.Name, path); verdict != wire.Valid {
					t.Errorf("%s: %d: %v", path, verdict, findings(violations))
				}
			}
			rules := readRules(t, filepath.Join(dir, "invalid", "rules.txt"))
			invalid, _ := filepath.Glob(filepath.Join(dir, "invalid", "*.json"))
			if len(invalid) != len(rules) || len(rules) == 0 {
				t.Errorf("%d invalid examples, rules for %d", len(invalid), len(rules))
			}
			for _, path := range invalid {
				want := rules[strings.TrimSuffix(filepath.Base(path), ".json")]
				verdict, violations := judge(t, d.Name, path)
				if verdict != wire.Invalid {
					t.Errorf("%s: verdict %d", path, verdict)
				}
				got := findings(violations)
				for _, w := range want {
					if !slices.Contains(got, w) {
						t.Errorf("%s: does not break %v, but %v", path, w, got)
					}
				}
				for _, g := range got {
					if !slices.Contains(want, g) && !beside(g, want) {
						t.Errorf("%s: breaks %v as well", path, g)
					}
				}
			}
		})
	}
}
