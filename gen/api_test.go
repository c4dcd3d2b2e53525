package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"vcp.core/gen"
)

func TestAPI(t *testing.T) {
	const before = gen.Header + `
package p

// Kept stays.
type Kept struct {
	A string // with a comment
	hidden int
}

func (k Kept) Method(a, b int) (string, error) { return "", nil }
func (k *Kept) Pointer() {}
func (k Kept) small() {}
func (x unexported) Method() {}
type unexported int
type Gone struct{ A, b, C int }
const (
	One = 1
	two = 2
	Text, Other = "a", "b"
)
var List = []string{"a"}
var Table map[string]int
func Generic[T any](v T) T { return v }
type Union interface { isUnion(); Text() string }
type Alias = Kept
`
	after := strings.NewReplacer(
		"// Kept stays.", "// Kept has another comment.", "with a comment", "", "hidden int", "hidden, too string",
		`return "", nil`, `panic(1)`, "(a, b int)", "(a int)", "type Gone struct{ A, b, C int }", "type New []Kept",
		"One = 1", "One = 10", "two = 2", "two = 3", `{"a"}`, `{"b", "c"}`, "map[string]int", "map[string]bool",
		"Text() string", "Text() (string, bool)",
	).Replace(before)
	folder := t.TempDir()
	put(t, folder, "p/x.go", before, "gone/x.go", "package gone\nfunc F() {}\n", "broken/x.go", "package broken\nfunc {", "p/inputs_gen.go", "package p\nconst InputHash = 1\n", "note.txt", "x")
	changes, err := tree("p/x.go", after, "q/x.go", "package q\nfunc New(x int) {}\n", "p/inputs_gen.go", "package p\nconst InputHash = 2\n").API(folder)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s\n- %s\n+ %s\n", c.Package, c.Name, c.Old, c.New)
	}
	const want = `gone F
- func F()
+ 
p Gone
- type Gone struct{ A, C int }
+ 
p Kept.Method
- func (k Kept) Method(a, b int) (string, error)
+ func (k Kept) Method(a int) (string, error)
p New
- 
+ type New []Kept
p One
- const One = 1
+ const One = 10
p Table
- var Table map[string]int
+ var Table map[string]bool
p Union
- type Union interface {
	isUnion()
	Text() string
}
+ type Union interface {
	isUnion()
	Text() (string, bool)
}
q New
- 
+ func New(x int)
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestAPIOfNothing(t *testing.T) {
	changes, err := tree("p/x.go", ours+"func F() {}\n").API(t.TempDir() + "/nowhere")
	if err != nil || len(changes) != 1 || changes[0].Old != "" || changes[0].New != "func F()" {
		t.Errorf("%+v, %v", changes, err)
	}
}
