package live_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected violations")

// A case file is txtar: a header, "-- schema.json --", then "-- documents --" with one document on each
// line, then "-- violations --": every document again with what the report says of it.
func TestExplain(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head, want, ok := strings.Cut(string(src), "-- violations --\n")
			_, rest, ok2 := strings.Cut(head, "-- schema.json --\n")
			schema, docs, ok3 := strings.Cut(rest, "-- documents --\n")
			if !ok || !ok2 || !ok3 {
				t.Fatal("the case lacks a section")
			}
			v := compile(t, schema)
			var out strings.Builder
			for doc := range strings.SplitSeq(strings.TrimSpace(docs), "\n") {
				out.WriteString(doc + "\n")
				_, violations := judge(t, v, doc)
				for _, w := range violations {
					fmt.Fprintf(&out, "  %d %q %s at %s#%s\n    expected: %s\n    got: %s\n    %s\n", w.Offset, w.Pointer, w.Keyword, w.SchemaFile, w.SchemaPointer, w.Expected, w.Got, w.Message)
					if w.Hint != "" {
						fmt.Fprintf(&out, "    hint: %s\n", w.Hint)
					}
					if w.Reason != "" {
						fmt.Fprintf(&out, "    reason: %s\n", w.Reason)
					}
				}
			}
			switch got := out.String(); {
			case got == want:
			case *update:
				if err := os.WriteFile(path, []byte(head+"-- violations --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
