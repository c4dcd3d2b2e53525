package golang_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"vcp.core/fuzz/emitted"
	"vcp.core/gen/emit/golang"
)

// A handler may make values that no document becomes: lists with holes, and values that contain themselves. The
// former are written so that a judge sees what is missing, the latter are an error and not the end of the program.
func TestValuesOfHandlers(t *testing.T) {
	packages := map[string][]golang.File{}
	for _, path := range []string{"testdata/good/tuples.txtar", "testdata/good/recursion.txtar"} {
		c := readShapeCase(t, path)
		packages[c.pkg] = c.files
	}
	main := `package main

import (
	"encoding/json"
	"fmt"

	"vcp.core/contract/wire"
	recursion "` + emitted.ImportPath("goodrecursion") + `"
	tuples "` + emitted.ImportPath("goodtuples") + `"
)

func main() {
	show := func(v wire.Appender) { fmt.Println(string(v.AppendJSON(nil))) }
	show(tuples.TuplesTyped{Item1: "a", Rest: []wire.Nullable[wire.Int]{{}}})
	show(tuples.TuplesTyped{Item1: "a", Item3: wire.Some(wire.Null{})})
	show(tuples.TuplesOpen{Rest: []wire.Raw{wire.Raw("1")}})
	show(tuples.TuplesOpen{})

	n := recursion.Node{}
	n.Next = &n
	tree := recursion.NodeTree{nil}
	tree[0] = tree
	list := recursion.JSONList{{}}
	list[0] = wire.NotNull[recursion.JSON](list)
	sum := recursion.ExpressionSum{}
	sum.Left = &sum
	for _, v := range []wire.Appender{n, tree, list, sum} {
		_, err := wire.Encode(nil, v)
		_, marshal := json.Marshal(v)
		fmt.Println(err, marshal != nil)
	}
	deep := recursion.NodeTree{}
	for range 4000 {
		deep = recursion.NodeTree{deep}
	}
	out, err := wire.Encode(nil, deep)
	fmt.Println(len(out), err)
}
`
	cmd := exec.Command(emitted.Build(t, packages, main))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	const deep = "the value is nested more than 4096 deep: it may contain itself true\n"
	want := `["a",null,null,null]
["a",null,null]
[null,1]
[]
` + strings.Repeat(deep, 4) + "8002 <nil>\n"
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
