package ecma

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vcp.core/fuzz/shared"
)

// TestSharedPatterns compiles every pattern of the real schemas and of the official suite's files about
// patterns. None may be refused, and each must have a way that always decides on short subjects.
func TestSharedPatterns(t *testing.T) {
	data := shared.Path(t, "data")
	files, err := filepath.Glob(filepath.Join(data, "schemas", "*", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, draft := range []string{"draft2020-12", "draft7"} {
		for _, name := range []string{"pattern", "patternProperties", "optional/ecmascript-regex", "optional/non-bmp-regex"} {
			files = append(files, filepath.Join(data, "json-schema-test-suite", "tests", draft, name+".json"))
		}
	}
	patterns := map[string]string{} // pattern -> a file that has it
	for _, file := range files {
		collectPatterns(readJSON(t, file), func(p string) { patterns[p] = file })
	}
	ways := map[string]int{}
	for _, p := range slices.Sorted(maps.Keys(patterns)) {
		r, err := Compile(p)
		if err != nil {
			t.Errorf("%s: %v", patterns[p], err)
			continue
		}
		ways[r.Way().String()]++
		if r.Way() > Conjunction {
			t.Errorf("%s: %q is matched by %v", patterns[p], p, r.Way())
		}
	}
	t.Logf("%d patterns in %d files, by way: %v", len(patterns), len(files), ways)
}

// collectPatterns finds the values of pattern and the names under patternProperties at any depth.
func collectPatterns(v any, found func(string)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			collectPatterns(e, found)
		}
	case map[string]any:
		if p, ok := v["pattern"].(string); ok {
			found(p)
		}
		if m, ok := v["patternProperties"].(map[string]any); ok {
			for p := range m {
				found(p)
			}
		}
		for _, e := range v {
			collectPatterns(e, found)
		}
	}
}

// TestSuiteOfPatterns runs those cases of the official suite that one pattern alone decides.
func TestSuiteOfPatterns(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite", "tests")
	for _, draft := range []string{"draft2020-12", "draft7"} {
		for _, name := range []string{"pattern", "optional/ecmascript-regex", "optional/non-bmp-regex"} {
			right, total := 0, 0
			groups, _ := readJSON(t, filepath.Join(root, draft, name+".json")).([]any)
			for _, g := range groups {
				group := g.(map[string]any)
				schema := group["schema"].(map[string]any)
				pattern, ok := schema["pattern"].(string)
				if !ok {
					continue // patternProperties: the official suite's tests of gen/live cover it
				}
				r, err := Compile(pattern)
				if err != nil {
					t.Errorf("%s %s: %v", draft, name, err)
					continue
				}
				for _, c := range group["tests"].([]any) {
					test := c.(map[string]any)
					subject, ok := test["data"].(string)
					if !ok {
						continue
					}
					total++
					got, decided := r.MatchString(subject)
					if !decided || got != test["valid"].(bool) {
						t.Errorf("%s %s: %v: %v: got %v, decided %v", draft, name, group["description"], test["description"], got, decided)
						continue
					}
					right++
				}
			}
			if total == 0 {
				t.Errorf("%s %s: no cases", draft, name)
			}
			t.Logf("%s %-26s %d of %d", draft, name, right, total)
		}
	}
}

func readJSON(t *testing.T, file string) (v any) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(source, &v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}
