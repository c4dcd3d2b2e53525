package gen

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Siblings loads the files that a schema refers to, and those that they refer to. A relative `$ref` is
// looked up from the folder of the file it stands in. Where an `$id` gives the file another address, the
// sibling is known by the address that the reference then leads to: that is how a folder of schemas with
// web addresses works without a web.
//
// A reference whose file is not there is left to resolve, which knows better whether it needs one.
func Siblings(root *load.File) ([]resolve.Document, diag.List) { return siblings(root, readSibling) }

// readSibling loads a file, nil without a finding when there is none. Reading a pipe or a device may never end.
func readSibling(name string) (*load.File, diag.List) {
	name = filepath.FromSlash(name)
	if stat, err := os.Stat(name); err != nil || !stat.Mode().IsRegular() {
		return nil, nil
	}
	return load.ReadFile(name, wire.Limits{})
}

func siblings(root *load.File, read func(name string) (*load.File, diag.List)) ([]resolve.Document, diag.List) {
	s := &siblingSearch{read: read, known: map[string]bool{root.Name: true}}
	s.visit(root, resolve.FileURI(root.Name))
	for len(s.queue) > 0 {
		next := s.queue[0]
		s.queue = s.queue[1:]
		s.visit(next.File, next.URI)
	}
	return s.found, s.list
}

type siblingSearch struct {
	read  func(name string) (*load.File, diag.List)
	known map[string]bool // file names, and files with the address they are known by
	queue []resolve.Document
	found []resolve.Document
	list  diag.List
}

func (s *siblingSearch) visit(file *load.File, address string) { s.walk(file, file.Root, address) }

// walk looks at every value. It cannot know which objects are schemas, so it may find a file that no
// reference needs; that costs a read and changes nothing.
func (s *siblingSearch) walk(file *load.File, n *load.Node, base string) {
	if id := n.Get("$id"); id != nil && id.Kind == wire.KindString {
		if target, ok := resolve.Target(base, id.Str); ok { // resolve will complain about others
			base = target
		}
	}
	if ref := n.Get("$ref"); ref != nil && ref.Kind == wire.KindString {
		s.follow(file, ref.Str, base)
	}
	for _, m := range n.Members {
		s.walk(file, m.Value, base)
	}
	for _, e := range n.Elems {
		s.walk(file, e, base)
	}
}

func (s *siblingSearch) follow(file *load.File, reference, base string) {
	ref, err := url.Parse(reference)
	if err != nil || ref.Scheme != "" || ref.Host != "" || ref.Path == "" || path.IsAbs(ref.Path) {
		return
	}
	name := path.Join(path.Dir(file.Name), ref.Path)
	target, ok := resolve.Target(base, reference)
	if !ok {
		return
	}
	d := resolve.Document{URI: target}
	if s.known[name+"\n"+d.URI] || name == file.Name {
		return
	}
	s.known[name+"\n"+d.URI] = true
	if i := slices.IndexFunc(s.found, func(have resolve.Document) bool { return have.File.Name == name }); i >= 0 {
		d.File = s.found[i].File // the same file by another address
	} else {
		sibling, list := s.read(name)
		s.list = append(s.list, list...)
		if sibling == nil {
			return
		}
		d.File = sibling
	}
	s.found = append(s.found, d)
	s.queue = append(s.queue, d)
}
