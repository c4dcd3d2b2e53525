package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/keyword"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// Every keyword that lowering makes a rule of can be knocked out, and is. The table of cases has them all:
// a keyword without a case is found by TestEveryRuleIsKnown, which reads what the switch can do.
func TestEveryKeywordIsTried(t *testing.T) {
	tried := map[string]bool{"false": true}
	for _, c := range slices.Concat(keyword.Cases, keyword.Unevaluated, keyword.Formats) {
		file, list := load.Parse("schema.json", []byte(c.Schema), wire.Limits{})
		if len(list) > 0 {
			t.Fatal(list)
		}
		root, list := resolve.Resolve(file, nil, resolve.Options{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		p, list := ir.Lower([]*resolve.Schema{root}, ir.Options{FormatAssertion: true})
		if list.HasErrors() {
			t.Fatal(list)
		}
		for _, s := range p.Schemas {
			for _, k := range s.Keywords {
				tried[k.Name] = true
				if !slices.Contains(rules, k.Name) {
					t.Errorf("%s: nobody knocks out %q", c.Schema, k.Name)
				}
			}
		}
	}
	for _, rule := range rules {
		if !strings.Contains(rule, "/") && !tried[rule] {
			t.Errorf("the table of cases has none for %q", rule)
		}
	}
}

// The switch and this program know the same rules. The file of the switch is not part of this build, so it
// is read.
func TestEveryRuleIsKnown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../gen/ir/knockout.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != "knockouts" {
			return true
		}
		for _, e := range spec.Values[0].(*ast.CompositeLit).Elts {
			rule, err := strconv.Unquote(e.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			known = append(known, rule)
		}
		return false
	})
	want := slices.Sorted(slices.Values(rules))
	slices.Sort(known)
	if !slices.Equal(known, want) {
		t.Errorf("the switch knows %q, the program %q", known, want)
	}
}

// What CI asks for exists.
func TestTrials(t *testing.T) {
	list, err := trialsOf(ci)
	if err != nil || len(list) != 5 {
		t.Errorf("%d trials, %v", len(list), err)
	}
	if _, err := trialsOf([]string{"live:minLength", "explain:type/integer"}); err == nil {
		t.Error("a trial that does not exist was accepted")
	}
	all, err := trialsOf(nil)
	if err != nil || len(all) < 2*len(rules) {
		t.Errorf("%d trials, %v", len(all), err)
	}
}
