package sample

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// resource is a schema with an address of its own: a document, or a schema in one that has a `$id`.
type resource struct {
	reading
	original *load.Node // as it was written
	root     *load.Node // its copy
	base     *url.URL
	anchors  map[string]*load.Node // `$anchor` and `$dynamicAnchor`
	dynamic  map[string]*load.Node // `$dynamicAnchor`; "" is `$recursiveAnchor`
}

// documents is everything that references may reach.
type documents struct {
	originals map[string]*load.Node     // documents as they were written, by address
	copies    map[*load.Node]*load.Node // of schemas, see draft.go
	byURI     map[string]*resource
	in        map[*load.Node]*resource // the resource that a schema stands in
	patterns  map[string]*pattern
	targets   map[*load.Node]*load.Node   // of $ref and $dynamicRef, by the value of the keyword
	from      map[*load.Node][]*load.Node // the schemas that lead to a schema
}

// scope is a chain of resources that were entered on the way to a schema, the last one first.
// `$dynamicRef` looks for the first of them.
type scope struct {
	res *resource
	up  *scope
}

// ReferenceError is a reference that leads nowhere among the documents that were given.
type ReferenceError struct{ Reference string }

// Error says it in a sentence.
func (e *ReferenceError) Error() string { return fmt.Sprintf("no schema at %q", e.Reference) }

// index finds resources, anchors, references and patterns in all documents, and returns the root to go on with.
func index(root *load.Node, opts Options) (*documents, *load.Node, error) {
	d := &documents{
		originals: map[string]*load.Node{}, copies: map[*load.Node]*load.Node{}, byURI: map[string]*resource{}, in: map[*load.Node]*resource{},
		patterns: map[string]*pattern{}, targets: map[*load.Node]*load.Node{}, from: map[*load.Node][]*load.Node{},
	}
	uris := slices.Sorted(maps.Keys(opts.Documents))
	for _, uri := range uris {
		d.originals[uri] = opts.Documents[uri]
		if id := strings.TrimSuffix(text(opts.Documents[uri].Get("$id")), "#"); id != "" && d.originals[id] == nil {
			d.originals[id] = opts.Documents[uri]
		}
	}
	d.document(opts.URI, root, opts.Draft)
	for _, uri := range uris {
		if d.copies[opts.Documents[uri]] == nil {
			d.document(uri, opts.Documents[uri], opts.Draft)
		}
	}
	root = d.copies[root]
	return d, root, d.follow(root)
}

// follow settles every reference that the schema at root can reach, and reads the patterns on the way.
func (d *documents) follow(root *load.Node) error {
	seen := map[*load.Node]bool{}
	todo := []*load.Node{root}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n.Kind != wire.KindObject || seen[n] {
			continue
		}
		seen[n] = true
		for _, keyword := range []string{"$ref", "$dynamicRef"} {
			ref := n.Get(keyword)
			if ref == nil || ref.Kind != wire.KindString {
				continue
			}
			target := d.find(ref.Str, d.in[n])
			if target == nil {
				return &ReferenceError{ref.Str}
			}
			d.targets[ref] = target
			d.from[target] = append(d.from[target], n)
			todo = append(todo, target)
		}
		if p := n.Get("pattern"); p != nil {
			d.pattern(p.Str)
		}
		if p := n.Get("patternProperties"); p != nil {
			for _, m := range p.Members {
				d.pattern(m.Name)
			}
		}
		for _, sub := range subschemas(n) {
			d.from[sub] = append(d.from[sub], n)
			todo = append(todo, sub)
		}
	}
	return nil
}

// subschemas lists the schemas that stand directly in the schema n.
func subschemas(n *load.Node) []*load.Node {
	var out []*load.Node
	for _, m := range n.Members {
		switch m.Name {
		case "not", "if", "then", "else", "contains", "additionalProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "items":
			out = append(out, m.Value)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			out = append(out, m.Value.Elems...)
		case "properties", "patternProperties", "dependentSchemas":
			for _, sub := range m.Value.Members {
				out = append(out, sub.Value)
			}
		}
	}
	return out
}

func (d *documents) pattern(source string) {
	if d.patterns[source] == nil {
		d.patterns[source] = parsePattern(source)
	}
}

// find returns the schema that a reference in res leads to, nil when there is none.
func (d *documents) find(reference string, res *resource) *load.Node {
	u, err := res.base.Parse(reference)
	if err != nil {
		return nil
	}
	fragment := u.Fragment
	bare := *u
	bare.Fragment, bare.RawFragment = "", ""
	to := d.byURI[bare.String()]
	if to == nil && strings.HasPrefix(reference, "#") {
		to = res // an opaque base, such as a URN, resolves nothing
		fragment, _ = url.PathUnescape(reference[1:])
	}
	switch {
	case to == nil:
		return nil
	case fragment == "":
		return to.root
	case !strings.HasPrefix(fragment, "/"):
		return to.anchors[fragment]
	}
	return d.at(to, fragment)
}

// enter returns the scope inside the schema n, reached from scope sc.
func (d *documents) enter(sc *scope, n *load.Node) *scope {
	res := d.in[n]
	if sc != nil && sc.res == res {
		return sc
	}
	return &scope{res, sc}
}

// target returns the schema that keyword $ref or $dynamicRef of a schema leads to in a scope.
func (d *documents) target(n *load.Node, keyword string, sc *scope) (*load.Node, *scope) {
	ref := n.Get(keyword)
	to := d.targets[ref]
	if to == nil {
		return nil, sc
	}
	if _, anchor, _ := strings.Cut(ref.Str, "#"); keyword == "$dynamicRef" && d.in[to].dynamic[anchor] == to {
		// The outermost resource that has the anchor wins.
		for s := sc; s != nil; s = s.up {
			if outer := s.res.dynamic[anchor]; outer != nil {
				to = outer
			}
		}
	}
	return to, d.enter(sc, to)
}

// text returns the text of a string, "" for anything else.
func text(n *load.Node) string {
	if n == nil || n.Kind != wire.KindString {
		return ""
	}
	return n.Str
}
