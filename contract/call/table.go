package call

import (
	"maps"
	"slices"
	"strings"
)

// Contract is a plugin as a program was built with it.
type Contract struct {
	Tool string
	// ManifestHash is the SHA-256 of the manifest file, in hexadecimal: a manifest with this hash says what
	// Specs say.
	ManifestHash string
	Specs        []*Spec // in manifest order
}

// Table is a [Registry] of specs that are known when it is made. It is immutable.
type Table struct {
	specs []*Spec
	tools map[string]map[string]*Spec
}

var _ Registry = (*Table)(nil)

// NewTable makes a registry of the specs of tools, each list in manifest order. Of two specs for one command,
// or two lists for one tool, the later one counts: a list replaces what an earlier one said about its tools.
func NewTable(lists ...[]*Spec) *Table {
	t := &Table{tools: map[string]map[string]*Spec{}}
	for _, list := range lists {
		fresh := map[string]map[string]*Spec{}
		for _, s := range list {
			if fresh[s.Tool] == nil {
				fresh[s.Tool] = map[string]*Spec{}
			}
			fresh[s.Tool][s.Command] = s
		}
		t.specs = slices.DeleteFunc(t.specs, func(s *Spec) bool { return fresh[s.Tool] != nil })
		maps.Copy(t.tools, fresh)
		for _, s := range list {
			if fresh[s.Tool][s.Command] == s {
				t.specs = append(t.specs, s)
			}
		}
	}
	slices.SortStableFunc(t.specs, func(a, b *Spec) int { return strings.Compare(a.Tool, b.Tool) })
	return t
}

// TableOf makes a registry of contracts.
func TableOf(contracts ...Contract) *Table {
	lists := make([][]*Spec, len(contracts))
	for i := range contracts {
		lists[i] = contracts[i].Specs
	}
	return NewTable(lists...)
}

// Lookup implements [Registry].
func (t *Table) Lookup(tool, command string) (*Spec, bool) {
	commands, known := t.tools[tool]
	return commands[command], known
}

// Specs implements [Registry]. The caller owns the slice.
func (t *Table) Specs() []*Spec { return slices.Clone(t.specs) }
