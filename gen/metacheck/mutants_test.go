package metacheck_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/metacheck"
	"vcp.core/gen/resolve"
)

// Real schemas with one value replaced: the two opinions on the shape of keywords agree, whichever way.
// Left apart is what only one of them looks at:
//
//   - the meta-schema judges members beside a draft-07 $ref, which the draft ignores;
//   - resolve judges more than shapes (names, references, patterns, dialects), by codes of its own.
func TestMutantsAgree(t *testing.T) {
	values := []string{`1`, `-1`, `1.5`, `"x"`, `"string"`, `true`, `null`, `[]`, `{}`, `["a"]`, `["a","a"]`, `{"a":1}`, `{"a":{}}`, `[{}]`, `[1]`}
	dir := shared.Path(t, "data", "schemas")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 5))
	refusals, total := 0, 0
	for _, e := range entries {
		src, err := os.ReadFile(filepath.Join(dir, e.Name(), "schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(src) > 60_000 {
			continue // the engine takes its time over these
		}
		whole, list := load.Parse(e.Name(), src, wire.Limits{})
		if len(list) > 0 {
			t.Fatal(list)
		}
		nodes := inner(whole.Root, nil)
		for range 40 {
			n := nodes[rnd.IntN(len(nodes))]
			value := values[rnd.IntN(len(values))]
			mutant := slices.Concat(src[:n.Start], []byte(value), src[n.End:])
			file := parse(t, e.Name(), mutant)
			_, ours := resolve.Resolve(file, nil, resolve.Options{})
			theirs := metacheck.Check(file, nil)
			at, _ := whole.PointerTo(n)
			total++
			if len(theirs) > 0 {
				refusals++
			}
			shape := func(d diag.Diagnostic) bool { return d.Code == resolve.CodeValue }
			switch {
			case slices.ContainsFunc(ours, shape) && len(theirs) == 0:
				t.Errorf("%s %s = %s: resolve refuses alone: %v", e.Name(), at, value, ours)
			case len(theirs) > 0 && !ours.HasErrors() && theirs[0].Code == metacheck.CodeMeta && !besideRef(file, theirs[0].Pointer):
				t.Errorf("%s %s = %s: the meta-schema refuses alone: %v", e.Name(), at, value, theirs)
			}
		}
	}
	t.Logf("%d mutants, %d refused by the meta-schema", total, refusals)
	if refusals < 100 {
		t.Error("too few refusals to say anything")
	}
}

func inner(n *load.Node, out []*load.Node) []*load.Node {
	for _, e := range n.Elems {
		out = inner(e, append(out, e))
	}
	for i := range n.Members {
		if n.Members[i].Name != "$schema" {
			out = inner(n.Members[i].Value, append(out, n.Members[i].Value))
		}
	}
	return out
}

// besideRef reports whether the place is inside a schema that has a $ref.
func besideRef(file *load.File, pointer string) bool {
	tokens, _ := load.SplitPointer(pointer)
	n := file.Root
	for _, token := range tokens {
		if n.Get("$ref") != nil {
			return true
		}
		n = n.Step(token)
	}
	return n.Get("$ref") != nil
}
