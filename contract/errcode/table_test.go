package errcode_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/errcode"
)

// declared reads the package's own source: type name -> values of its typed constants, in order. The
// table cannot be tested against a second hand-written list, that list would be the table again.
func declared(t *testing.T) map[string][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "errcode.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			typ, ok := v.Type.(*ast.Ident)
			if !ok || len(v.Values) != 1 {
				t.Fatalf("constant %v is not of the form `Name Type = \"value\"`", v.Names)
			}
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out[typ.Name] = append(out[typ.Name], text)
		}
	}
	return out
}

func TestEveryConstantIsInItsTableOnce(t *testing.T) {
	rows := map[string][]string{}
	meanings := map[string][]string{}
	for _, e := range errcode.Entries() {
		rows["Code"] = append(rows["Code"], string(e.Code))
		meanings["Code"] = append(meanings["Code"], e.Meaning)
		if !e.Category.Known() {
			t.Errorf("%s has the unknown category %q", e.Code, e.Category)
		}
	}
	for _, e := range errcode.Categories() {
		rows["Category"] = append(rows["Category"], string(e.Category))
		meanings["Category"] = append(meanings["Category"], e.Meaning)
	}
	for _, e := range errcode.Reasons() {
		rows["Reason"] = append(rows["Reason"], string(e.Reason))
		meanings["Reason"] = append(meanings["Reason"], e.Meaning)
	}
	for _, e := range errcode.Warnings() {
		rows["Warning"] = append(rows["Warning"], string(e.Warning))
		meanings["Warning"] = append(meanings["Warning"], e.Meaning)
	}
	consts := declared(t)
	for _, name := range []string{"Code", "Category", "Reason", "Warning"} {
		if !slices.Equal(rows[name], consts[name]) {
			t.Errorf("%s: table and constants differ\ntable     %v\nconstants %v", name, rows[name], consts[name])
		}
		seen := map[string]bool{}
		for i, v := range rows[name] {
			if seen[v] {
				t.Errorf("%s: %s stands twice", name, v)
			}
			seen[v] = true
			m := meanings[name][i]
			if m == "" || seen[m] || strings.HasSuffix(m, ".") || strings.ToLower(m[:1]) != m[:1] {
				t.Errorf("%s: meaning of %s must be one lower-case sentence of its own without a period: %q", name, v, m)
			}
			seen[m] = true
		}
	}
	if n := len(consts["Code"]) + len(consts["Category"]) + len(consts["Reason"]) + len(consts["Warning"]); n != 20+10+32+8 {
		t.Errorf("the vocabulary has %d words, want 70", n)
	}
}

func TestTablesAreCopies(t *testing.T) {
	errcode.Entries()[0].Code = "X"
	errcode.Categories()[0].Category = "x"
	errcode.Reasons()[0].Reason = "X"
	errcode.Warnings()[0].Warning = "X"
	if errcode.Entries()[0].Code != errcode.InvalidArgument || errcode.Categories()[0].Category != errcode.Domain ||
		errcode.Reasons()[0].Reason != errcode.NoFrame || errcode.Warnings()[0].Warning != errcode.OutputTruncated {
		t.Fatal("a caller changed the table")
	}
}

func TestCategoryOf(t *testing.T) {
	for code, want := range map[errcode.Code]errcode.Category{
		errcode.InvalidArgument:          errcode.Validation,
		errcode.MissingArgument:          errcode.Validation,
		errcode.UnknownCommand:           errcode.Validation,
		errcode.ToolNotFound:             errcode.Runtime,
		errcode.ToolDisabled:             errcode.Runtime,
		errcode.ApprovalRejected:         errcode.Approval,
		errcode.ApprovalTimeout:          errcode.Approval,
		errcode.Unauthorized:             errcode.Authorization,
		errcode.Forbidden:                errcode.Authorization,
		errcode.DependencyUnavailable:    errcode.Dependency,
		errcode.UpstreamError:            errcode.Dependency,
		errcode.FileNotFound:             errcode.Domain,
		errcode.ResourceTooLarge:         errcode.Domain,
		errcode.UnsupportedMediaType:     errcode.Domain,
		errcode.ToolTimeout:              errcode.Timeout,
		errcode.ToolCancelled:            errcode.Cancelled,
		errcode.TransportFailure:         errcode.Transport,
		errcode.DistributedNodeOffline:   errcode.Transport,
		errcode.InvalidToolResult:        errcode.Protocol,
		errcode.InternalError:            errcode.Runtime,
		"DOUBAO.CONTENT_POLICY_REJECTED": errcode.Domain,
	} {
		if got, ok := errcode.CategoryOf(code); !ok || got != want {
			t.Errorf("CategoryOf(%s) = %s, %v, want %s", code, got, ok, want)
		}
	}
	for _, code := range []errcode.Code{"", "NOPE", "invalid_argument", "A.", "a.b"} {
		if got, ok := errcode.CategoryOf(code); ok || got != "" {
			t.Errorf("CategoryOf(%q) = %q, %v, want none", code, got, ok)
		}
	}
}

func TestNamespacedGrammar(t *testing.T) {
	pattern := regexp.MustCompile(errcode.NamespacedPattern)
	long := "A." + strings.Repeat("B", errcode.MaxCode-2)
	for text, want := range map[string]bool{
		"DOUBAO.CONTENT_POLICY_REJECTED": true,
		"A.B":                            true,
		"A1_.B_2.C":                      true,
		long:                             true,
		long + "B":                       false,
		"":                               false,
		"A":                              false,
		".":                              false,
		".A":                             false,
		"A.":                             false,
		"A..B":                           false,
		"A.1B":                           false,
		"1A.B":                           false,
		"_A.B":                           false,
		"A._B":                           false,
		"a.b":                            false,
		"A.b":                            false,
		"A.B-C":                          false,
		"A.B C":                          false,
		"A.B\n":                          false,
		"Ä.B":                            false,
		"日程.冲突":                          false,
		"INVALID_ARGUMENT":               false,
	} {
		if got := errcode.Code(text).Namespaced(); got != want {
			t.Errorf("Code(%q).Namespaced() = %v, want %v", text, got, want)
		}
		if got := errcode.Warning(text).Namespaced(); got != want {
			t.Errorf("Warning(%q).Namespaced() = %v, want %v", text, got, want)
		}
		if got := pattern.MatchString(text) && len(text) <= errcode.MaxCode; got != want {
			t.Errorf("NamespacedPattern on %q = %v, want %v", text, got, want)
		}
	}
}

func TestMembership(t *testing.T) {
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"standard code", errcode.ToolTimeout.Standard() && errcode.ToolTimeout.Valid(), true},
		{"standard code is not namespaced", errcode.ToolTimeout.Namespaced(), false},
		{"namespaced code", errcode.Code("A.B").Valid(), true},
		{"namespaced code is not standard", errcode.Code("A.B").Standard(), false},
		{"unknown code", errcode.Code("WHATEVER").Valid(), false},
		{"standard warning", errcode.NonzeroExit.Standard() && errcode.NonzeroExit.Valid(), true},
		{"namespaced warning", errcode.Warning("A.B").Valid(), true},
		{"error code as warning", errcode.Warning(errcode.ToolTimeout).Valid(), false},
		{"known reason", errcode.LimitNumber.Known(), true},
		{"unknown reason", errcode.Reason("A.B").Known(), false},
		{"known category", errcode.Cancelled.Known(), true},
		{"unknown category", errcode.Category("").Known(), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v", c.name, c.got)
		}
	}
}
