package sample

import (
	"fmt"
	"net/url"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// resource is a schema with an address of its own: a document, or a schema in one that has a `$id`.
type resource struct {
	root    *load.Node
	base    *url.URL
	draft07 bool
	anchors map[string]*load.Node // `$anchor` and `$dynamicAnchor`
	dynamic map[string]*load.Node // `$dynamicAnchor`
}

// documents is everything that references may reach.
type documents struct {
	byURI    map[string]*resource
	in       map[*load.Node]*resource // the resource that a value of a document stands in
	patterns map[string]*pattern
	targets  map[*load.Node]*load.Node   // of $ref and $dynamicRef, by the value of the keyword
	from     map[*load.Node][]*load.Node // the schemas that lead to a schema
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

// index finds resources, anchors, references and patterns in all documents.
func index(root *load.Node, opts Options) (*documents, error) {
	d := &documents{
		byURI: map[string]*resource{}, in: map[*load.Node]*resource{},
		patterns: map[string]*pattern{}, targets: map[*load.Node]*load.Node{}, from: map[*load.Node][]*load.Node{},
	}
	d.document(opts.URI, root, opts.Draft07)
	for uri, n := range opts.Documents {
		if _, done := d.in[n]; !done {
			d.document(uri, n, opts.Draft07)
		}
	}
	return d, d.follow(root)
}

func (d *documents) document(uri string, root *load.Node, draft07 bool) {
	base, err := url.Parse(uri)
	if err != nil {
		base = &url.URL{}
	}
	res := &resource{root: root, base: base, draft07: draft07}
	d.byURI[uri] = res
	d.schema(root, res)
}

// schema walks everything below n. Wherever a schema may stand it looks for `$id` and anchors; constants
// hold none.
func (d *documents) schema(n *load.Node, res *resource) {
	if n.Kind == wire.KindObject {
		res = d.identify(n, res)
	}
	d.in[n] = res
	for _, m := range n.Members {
		switch m.Name {
		case "const", "enum", "default", "examples":
			d.plain(m.Value, res)
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			d.in[m.Value] = res
			for _, sub := range m.Value.Members {
				d.schema(sub.Value, res)
			}
			for _, sub := range m.Value.Elems {
				d.schema(sub, res)
			}
		default:
			d.schema(m.Value, res)
		}
	}
	for _, e := range n.Elems {
		d.schema(e, res)
	}
}

// plain notes where the values stand that are no schemas. A reference may still lead to one.
func (d *documents) plain(n *load.Node, res *resource) {
	d.in[n] = res
	for _, m := range n.Members {
		d.plain(m.Value, res)
	}
	for _, e := range n.Elems {
		d.plain(e, res)
	}
}

// identify applies what a schema says about its own address.
func (d *documents) identify(n *load.Node, res *resource) *resource {
	id := text(n.Get("$id"))
	if res.root == n {
		res.draft07 = draftOf(n, res.draft07)
	}
	if res.draft07 && n.Get("$ref") != nil {
		return res // siblings of $ref say nothing there
	}
	if address, fragment, _ := strings.Cut(id, "#"); address != "" {
		if u, err := res.base.Parse(address); err == nil {
			if res.root != n {
				res = &resource{root: n, draft07: draftOf(n, res.draft07)}
			}
			res.base = u
			d.byURI[u.String()] = res
		}
	} else if fragment != "" {
		res.name(fragment, n, false)
	}
	if name := text(n.Get("$anchor")); name != "" {
		res.name(name, n, false)
	}
	if name := text(n.Get("$dynamicAnchor")); name != "" {
		res.name(name, n, true)
	}
	return res
}

func (r *resource) name(anchor string, n *load.Node, dynamic bool) {
	if r.anchors == nil {
		r.anchors, r.dynamic = map[string]*load.Node{}, map[string]*load.Node{}
	}
	r.anchors[anchor] = n
	if dynamic {
		r.dynamic[anchor] = n
	}
}

func draftOf(n *load.Node, otherwise bool) bool {
	if s := text(n.Get("$schema")); s != "" {
		return strings.Contains(s, "draft-07")
	}
	return otherwise
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
		if d.alone(n) {
			continue
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
		case "not", "if", "then", "else", "contains", "additionalProperties", "propertyNames", "additionalItems",
			"unevaluatedProperties", "unevaluatedItems", "items":
			out = append(out, m.Value)
			out = append(out, m.Value.Elems...)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			out = append(out, m.Value.Elems...)
		case "properties", "patternProperties", "dependentSchemas", "dependencies":
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
	tokens, ok := load.SplitPointer(fragment)
	n := to.root
	for _, token := range tokens {
		if n = n.Step(token); n == nil {
			break
		}
	}
	if !ok {
		return nil
	}
	return n
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
