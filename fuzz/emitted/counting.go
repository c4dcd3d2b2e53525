package emitted

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// BuildCounting builds a program that answers how many bytes of each document a judge touches, the scan included:
// see package touch. It reads questions as that of Build does, and prints a number a line.
func (a *Judges) BuildCounting(t testing.TB) (program string) {
	t.Helper()
	var imports, table strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(a.roots)) {
		fmt.Fprintf(&imports, "\t%q\n", ImportPath(pkg))
		for _, r := range a.roots[pkg] {
			fmt.Fprintf(&table, "\t%q: %s.Judge%s,\n", pkg+"."+r, pkg, r)
		}
	}
	return BuildWith(t, "touched", a.packages, `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"vcp.core/contract/wire"
	"vcp.core/contract/wire/touch"
`+imports.String()+`)

var judges = map[string]func(*wire.Tape) error{
`+table.String()+`}

func main() {
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	var tape wire.Tape
	for {
		var q struct {
			Judge    string
			Document []byte
		}
		if in.Decode(&q) != nil {
			return
		}
		if tape.Scan(q.Document, wire.Limits{}) == nil { // constants are made ready at their first use
			_ = judges[q.Judge](&tape)
		}
		before := touch.Count()
		if err := tape.Scan(q.Document, wire.Limits{}); err != nil {
			panic(err)
		}
		_ = judges[q.Judge](&tape)
		fmt.Println(touch.Count() - before)
	}
}
`)
}
