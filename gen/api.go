package gen

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// APIChange is an exported declaration that a tree adds to, removes from or changes in a folder.
type APIChange struct {
	Package string // folder, slash-separated, relative to the tree
	Name    string // Tool, Client.CreateSchedule
	Old     string // Go source without body and comments; "" when it is new
	New     string // "" when it goes away
}

// API tells how the exported declarations change for those who import the packages, sorted by package and
// name. What lies in the folder may be damaged or not be there: what does not parse declares nothing.
func (t *Tree) API(folder string) ([]APIChange, error) {
	old, err := onDisk(folder)
	if err != nil {
		return nil, err
	}
	before, after := declarations(old), declarations(t.Files)
	var changes []APIChange
	for at, text := range after {
		if before[at] != text {
			changes = append(changes, APIChange{at.pkg, at.name, before[at], text})
		}
	}
	for at, text := range before {
		if _, still := after[at]; !still {
			changes = append(changes, APIChange{at.pkg, at.name, text, ""})
		}
	}
	slices.SortFunc(changes, func(a, b APIChange) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
	return changes, nil
}

// onDisk reads the Go files below a folder.
func onDisk(folder string) ([]File, error) {
	names, _, err := list(folder)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, name := range names {
		if path.Ext(name) != ".go" {
			continue
		}
		src, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, src})
	}
	return files, nil
}

// declared is the place of an exported declaration.
type declared struct{ pkg, name string }

func declarations(files []File) map[declared]string {
	all := map[declared]string{}
	for _, f := range files {
		if path.Base(f.Path) == "inputs_gen.go" {
			continue // hashes and versions
		}
		tree, err := parser.ParseFile(token.NewFileSet(), "", f.Bytes, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		pkg := path.Dir(f.Path)
		for _, d := range tree.Decls {
			declare(d, func(name, text string) { all[declared{pkg, name}] = text })
		}
	}
	return all
}

// declare calls put for every exported name of a declaration.
func declare(d ast.Decl, put func(name, text string)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			receiver := receiverOf(d.Recv.List[0].Type)
			if !ast.IsExported(receiver) {
				return
			}
			name = receiver + "." + name
		}
		if d.Name.IsExported() {
			put(name, source(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type}))
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					bare(s.Type)
					put(s.Name.Name, "type "+source(s))
				}
			case *ast.ValueSpec:
				for i, n := range s.Names {
					if n.IsExported() {
						put(n.Name, value(d.Tok, s, i))
					}
				}
			}
		}
	}
}

func receiverOf(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiverOf(t.X)
	case *ast.IndexExpr:
		return receiverOf(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// bare removes unexported fields, which are nobody's API.
func bare(t ast.Expr) {
	ast.Inspect(t, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			s.Fields.List = slices.DeleteFunc(s.Fields.List, func(f *ast.Field) bool {
				embedded := f.Names == nil
				f.Names = slices.DeleteFunc(f.Names, func(id *ast.Ident) bool { return !id.IsExported() })
				return len(f.Names) == 0 && !embedded
			})
		}
		return true
	})
}

// value describes a constant with its value, and a variable by its type only: what it holds is data.
func value(tok token.Token, s *ast.ValueSpec, i int) string {
	text := tok.String() + " " + s.Names[i].Name
	if s.Type != nil {
		text += " " + source(s.Type)
	}
	if i >= len(s.Values) {
		return text
	}
	if lit, ok := s.Values[i].(*ast.CompositeLit); ok && tok == token.VAR && s.Type == nil && lit.Type != nil {
		return text + " " + source(lit.Type)
	}
	if tok == token.CONST {
		return text + " = " + source(s.Values[i])
	}
	return text
}

// source prints a node without the positions that it came with.
func source(n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return ""
	}
	return b.String()
}
