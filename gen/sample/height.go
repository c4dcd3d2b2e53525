package sample

import (
	"slices"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
)

// endless is the height of a schema that no finite value fits.
const endless = 1 << 10

// heights returns for every schema how deep the flattest value is that fits it: 0 for scalars and empty
// containers. It takes each schema on its own and looks at few keywords, so that the flattest value may be
// deeper than that, but never flatter.
//
// It starts from endless everywhere. Whenever the height of a schema falls, those that refer to it are looked at
// again; heights only fall, so that there is an end, whatever cycles there are.
func (d *documents) heights(root *load.Node) map[*load.Node]int {
	h := map[*load.Node]int{}
	var todo []*load.Node
	waiting := map[*load.Node]bool{}
	look := func(n *load.Node) {
		if !waiting[n] {
			waiting[n] = true
			todo = append(todo, n)
		}
	}
	for _, n := range d.reached(root) {
		h[n] = endless
		look(n)
	}
	slices.Reverse(todo) // what is referred to first
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		waiting[n] = false
		if v := d.heightOf(n, h); v < h[n] {
			h[n] = v
			for _, from := range d.from[n] {
				look(from)
			}
		}
	}
	return h
}

// reached lists the schemas that the root reaches, booleans apart, in the order in which they are met.
func (d *documents) reached(root *load.Node) []*load.Node {
	var out []*load.Node
	seen := map[*load.Node]bool{}
	for todo := []*load.Node{root}; len(todo) > 0; {
		n := todo[0]
		todo = todo[1:]
		if n.Kind != wire.KindObject || seen[n] {
			continue
		}
		seen[n] = true
		out = append(out, n)
		for _, keyword := range []string{"$ref", "$dynamicRef"} {
			if to := d.targets[n.Get(keyword)]; to != nil {
				todo = append(todo, to)
			}
		}
		todo = append(todo, subschemas(n)...)
	}
	return out
}

func (d *documents) heightOf(n *load.Node, h map[*load.Node]int) int {
	at := func(n *load.Node) int {
		if always, is := truth(n); is && !always {
			return endless
		}
		return h[n]
	}
	most := 0
	for _, m := range n.Members {
		switch m.Name {
		case "$ref", "$dynamicRef":
			if to := d.targets[m.Value]; to != nil {
				most = max(most, at(to))
			}
		case "allOf":
			for _, e := range m.Value.Elems {
				most = max(most, at(e))
			}
		case "anyOf", "oneOf":
			least := endless
			for _, e := range m.Value.Elems {
				least = min(least, at(e))
			}
			most = max(most, least)
		}
	}
	switch types := n.Get("type"); {
	case types == nil:
	case typeSet(types) == kObject:
		most = max(most, d.memberHeight(n, at))
	case typeSet(types) == kArray:
		most = max(most, d.elementHeight(n, at))
	}
	return most
}

// elementHeight is the height that elements give an array that must have some.
func (d *documents) elementHeight(n *load.Node, at func(*load.Node) int) int {
	low, _ := count(n.Get("minItems"))
	prefix, rest := itemRules(n)
	under := slices.Clone(prefix[:min(low, len(prefix))])
	if low > len(prefix) && rest != nil {
		under = append(under, rest)
	}
	most := min(low, 1)
	for _, e := range under {
		most = max(most, min(at(e)+1, endless))
	}
	return most
}

// memberHeight is the height that required members give an object.
func (d *documents) memberHeight(n *load.Node, at func(*load.Node) int) int {
	required, properties := n.Get("required"), n.Get("properties")
	if required == nil {
		return 0
	}
	most := 0
	for _, e := range required.Elems {
		most = max(most, 1)
		if properties == nil {
			continue
		}
		if k := properties.Get(e.Str); k != nil {
			most = max(most, min(at(k)+1, endless))
		}
	}
	return most
}
