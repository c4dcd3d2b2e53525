package mutate

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Schema is a set of raw schema documents and the place of the one that documents are made for. The
// walk over it is naive on purpose: it knows where keywords keep their subschemas and nothing else of
// the dialects, and where it cannot tell whether a subschema applies, it takes it.
type Schema struct {
	root  place
	docs  map[string]*node // by absolute URI
	where map[*node]string // of every schema, and of everything else in a document: URI#pointer

	followed map[*node]*place // where references lead, nil for nowhere
	compiled map[string]*regexp.Regexp
}

// place is a schema with the URI that its references count from.
type place struct {
	node *node
	base *url.URL
}

// NewSchema reads schema documents, keyed by absolute URI; uri names the one to make documents for
// and may carry a fragment. The schema remembers what it looked up: it is not safe for concurrent use.
func NewSchema(uri string, documents map[string][]byte) (*Schema, error) {
	s := &Schema{docs: map[string]*node{}, where: map[*node]string{}, followed: map[*node]*place{}, compiled: map[string]*regexp.Regexp{}}
	for at, raw := range documents {
		n, err := parse(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		s.docs[at] = n
		s.locate(n, at+"#")
		if id := strings.TrimSuffix(n.get("$id").str(), "#"); id != "" {
			s.docs[id] = n
		}
	}
	base, err := url.Parse(uri)
	if err != nil {
		return nil, err
	}
	root, ok := s.find(base)
	if !ok {
		return nil, fmt.Errorf("no schema at %s", uri)
	}
	s.root = root
	return s, nil
}

// locate notes where n and everything in it stands.
func (s *Schema) locate(n *node, at string) {
	s.where[n] = at
	for i, e := range n.elems {
		if n.kind == object {
			s.locate(e, at+"/"+pointerToken(n.names[i]))
		} else {
			s.locate(e, at+"/"+strconv.Itoa(i))
		}
	}
}

// find returns the schema at an absolute URI, fragment included.
func (s *Schema) find(u *url.URL) (place, bool) {
	bare := *u
	bare.Fragment, bare.RawFragment = "", ""
	doc, ok := s.docs[bare.String()]
	if !ok {
		return place{}, false
	}
	p := enter(place{doc, &bare})
	if u.Fragment == "" || strings.HasPrefix(u.Fragment, "/") {
		return at(p, u.Fragment)
	}
	return anchored(p, u.Fragment)
}

// enter applies the schema's own $id. A place without a base is a plain document and has none.
func enter(p place) place {
	if p.base == nil || p.node.get("$id") == nil {
		return p
	}
	if id, err := url.Parse(p.node.get("$id").str()); err == nil && (id.Host != "" || id.Path != "" || id.Opaque != "") {
		p.base = p.base.ResolveReference(id)
		p.base.Fragment = ""
	}
	return p
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

func at(p place, pointer string) (place, bool) {
	if pointer == "" {
		return p, true
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = unescape.Replace(token)
		i := slices.Index(p.node.names, token)
		if p.node.kind == list {
			n, err := strconv.Atoi(token)
			if i = n; err != nil || n >= len(p.node.elems) {
				i = -1
			}
		}
		if i < 0 {
			return p, false
		}
		p = enter(place{p.node.elems[i], p.base})
	}
	return p, true
}

func anchored(p place, name string) (place, bool) {
	if p.node.get("$anchor").str() == name || p.node.get("$dynamicAnchor").str() == name || p.node.get("$id").str() == "#"+name {
		return p, true
	}
	for _, e := range p.node.elems {
		if q, ok := anchored(enter(place{e, p.base}), name); ok {
			return q, true
		}
	}
	return p, false
}

// spread returns p and every schema that p applies to the same value: through $ref, allOf, anyOf,
// oneOf, not, if, then, else and dependent schemas, whether or not their condition holds.
func (s *Schema) spread(places []place) []place {
	var out []place
	seen := map[*node]bool{}
	var visit func(p place)
	visit = func(p place) {
		if p.node == nil || seen[p.node] {
			return
		}
		seen[p.node] = true
		p = enter(p)
		out = append(out, p)
		if q, ok := s.target(p); ok {
			visit(q)
		}
		for _, k := range []string{"allOf", "anyOf", "oneOf"} {
			for _, q := range p.all(k) {
				visit(q)
			}
		}
		for _, k := range []string{"not", "if", "then", "else"} {
			visit(p.sub(k))
		}
		for _, k := range []string{"dependentSchemas", "dependencies"} {
			for _, q := range p.all(k) {
				visit(q)
			}
		}
	}
	for _, p := range places {
		visit(p)
	}
	return out
}

// references are the keywords that apply another schema to the same value.
var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// target follows the first of the references that p has.
func (s *Schema) target(p place) (place, bool) {
	for _, keyword := range references {
		if p.node.get(keyword) != nil {
			return s.follow(p, keyword)
		}
	}
	return place{}, false
}

// follow follows a reference. Of the places that a dynamic one may lead to it takes the one in the schema that
// documents are made for, where there is one: the outermost.
func (s *Schema) follow(p place, keyword string) (place, bool) {
	ref := p.node.get(keyword)
	if ref == nil || ref.kind != text {
		return place{}, false
	}
	known, ok := s.followed[ref]
	if !ok {
		if q, ok := s.lookUp(p, keyword, ref.str()); ok {
			known = &q
		}
		s.followed[ref] = known
	}
	if known == nil {
		return place{}, false
	}
	return *known, true
}

func (s *Schema) lookUp(p place, keyword, ref string) (place, bool) {
	u, err := url.Parse(ref)
	if err != nil {
		return place{}, false
	}
	if keyword == "$recursiveRef" && s.root.node.get("$recursiveAnchor") != nil {
		return s.root, true
	}
	if keyword == "$dynamicRef" && u.Fragment != "" && !strings.HasPrefix(u.Fragment, "/") {
		if q, ok := anchored(s.root, u.Fragment); ok {
			return q, true
		}
	}
	return s.find(p.base.ResolveReference(u))
}

// sub returns the schema under a keyword; its node is nil when there is none.
func (p place) sub(keyword string) place {
	n := p.node.get(keyword)
	if n == nil || n.kind != object && n.kind != boolean {
		return place{}
	}
	return place{n, p.base}
}

// all returns the schemas that a keyword keeps in an array or an object.
func (p place) all(keyword string) []place {
	n := p.node.get(keyword)
	if n == nil {
		return nil
	}
	var out []place
	for _, e := range n.elems {
		if e.kind == object || e.kind == boolean {
			out = append(out, place{e, p.base})
		}
	}
	return out
}

// member returns the schemas that places apply to the member of a name.
func (s *Schema) member(places []place, name string) []place {
	var out []place
	for _, p := range places {
		named := false
		if n := p.node.get("properties").get(name); n != nil {
			out, named = append(out, place{n, p.base}), true
		}
		if n := p.node.get("patternProperties"); n != nil {
			for i, pattern := range n.names {
				if re := s.regexp(pattern); re != nil && re.MatchString(name) {
					out, named = append(out, place{n.elems[i], p.base}), true
				}
			}
		}
		for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
			if q := p.sub(keyword); q.node != nil && !named {
				out = append(out, q)
			}
		}
	}
	return out
}

// regexp compiles a pattern, nil when that fails.
func (s *Schema) regexp(pattern string) *regexp.Regexp {
	re, known := s.compiled[pattern]
	if !known {
		re, _ = regexp.Compile(pattern) // nil on an error
		s.compiled[pattern] = re
	}
	return re
}

// element returns the schemas that places apply to element i of an array.
func element(places []place, i int) []place {
	var out []place
	for _, p := range places {
		prefix := p.node.get("prefixItems")
		rest := p.sub("items")
		if n := p.node.get("items"); n != nil && n.kind == list { // draft-07
			prefix, rest = n, p.sub("additionalItems")
		}
		switch {
		case prefix != nil && i < len(prefix.elems):
			out = append(out, place{prefix.elems[i], p.base})
		case rest.node != nil:
			out = append(out, rest)
		case p.sub("unevaluatedItems").node != nil:
			out = append(out, p.sub("unevaluatedItems"))
		}
		if q := p.sub("contains"); q.node != nil {
			out = append(out, q)
		}
	}
	return out
}

// limit reads a keyword whose value is a small count; -1 when absent.
func (p place) limit(keyword string) int {
	n := p.node.get(keyword)
	if n == nil || n.kind != number {
		return -1
	}
	f, err := strconv.ParseFloat(n.raw, 64)
	if err != nil || f < 0 || f > 1<<20 {
		return -1
	}
	return int(f)
}
