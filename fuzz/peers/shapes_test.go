package peers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atombender/go-jsonschema/pkg/generator"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/peers/corpus"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// shapeDifferences are the members for which our types and go-jsonschema's differ, with the reason. What
// go-jsonschema has no type for (interface{}) is not compared; what it refuses stands in shapeRefusals.
var shapeDifferences = map[string]map[string]string{
	"ansible-meta":      {"/additionalProperties: ours absent": "a member whose schema is false; we leave it out, they have interface{}"},
	"fabric-mod":        {"/schemaVersion: ours absent": constant},
	"jsconfig":          {": ours any, theirs struct": "anyOf of objects that no constant tells apart; they merge all arms, and drop documents of the wrong one"},
	"stylecop":          {"/settings/spacingRules: ours struct, theirs map": closed},
	"ai-advice":         {"/renderHint: ours string, theirs struct": orNull},
	"payload-ai-advice": {"/renderHint: ours string, theirs struct": orNull},
	"manifest": {
		"/capabilities/invocationCommands/*/aiAdvice/renderHint: ours string, theirs struct": orNull,
		"/capabilities/invocationCommands/*/inputSchema: ours any, theirs boolean":           "an object or a boolean; they take one of the two",
		"/toolResultProtocol/name: ours absent":                                              constant,
		"/toolResultProtocol/version: ours absent":                                           constant,
	},
	"frame-tool-cancel":                     {"/vcp: ours absent": constant, "/version: ours absent": constant},
	"frame-tool-progress":                   {"/vcp: ours absent": constant, "/version: ours absent": constant},
	"ledger":                                {"/version: ours absent": constant},
	"progress-event":                        {"/type: ours absent": constant},
	"resource-reference":                    {": ours reference, theirs struct": refType},
	"ScheduleManager.config":                {": ours struct, theirs map": closed},
	"ScheduleManager.CreateSchedule.input":  {"/command: ours absent": constant},
	"ScheduleManager.CreateSchedule.output": {"/operation: ours absent": constant},
	"ScheduleManager.ListSchedules.input":   {"/command: ours absent": constant},
	"ScheduleManager.UpdateSchedule.input":  {"/command: ours absent": constant},
	"ScheduleManager.UpdateSchedule.output": {"/operation: ours absent": constant},
	"ScheduleManager.DeleteSchedule.input":  {"/command: ours absent": constant},
	"ScheduleManager.DeleteSchedule.output": {"/operation: ours absent": constant},
	"ChartMaker.DrawLine.input":             {"/command: ours absent": constant},
	"ChartMaker.DrawBar.input":              {"/command: ours absent": constant},
	"ChartMaker.DrawScatter.input":          {"/command: ours absent": constant},
	"ChartMaker.DrawLine.output":            {"/kind: ours absent": constant, "/chart: ours reference, theirs struct": refType},
	"ChartMaker.DrawBar.output":             {"/kind: ours absent": constant, "/chart: ours reference, theirs struct": refType},
	"ChartMaker.DrawScatter.output":         {"/kind: ours absent": constant, "/chart: ours reference, theirs struct": refType},
	"SciCalculator.config":                  {": ours struct, theirs map": closed},
	"SciCalculator.Evaluate.input":          {"/command: ours absent": constant},
	"SciCalculator.Convert.input":           {"/command: ours absent": constant},
	"SciCalculator.Integrate.input":         {"/command: ours absent": constant},
	"SciCalculator.Statistics.input":        {"/command: ours absent": constant},
}

// Reasons that occur several times.
const (
	refType  = "{\"$resource\": ID} is wire.Ref"
	constant = "a constant that must be there: our encoder writes it, they have a field"
	closed   = "an object that may have no members at all: a struct without fields, they have a map of anything"
	orNull   = "an enum with null: a nullable string, they have a struct around interface{}"
)

// shapeRefusals are the schemas that go-jsonschema makes nothing of, with what it says.
var shapeRefusals = map[string]string{
	"babelrc":           "cannot unmarshal array into Go value of type schemas.ObjectAsType", // tuples
	"clang-format":      "value must point to definition within file",                        // a reference to a property
	"yamllint":          "no type",                                                           // no type is stated at the root
	"error":             "no type",                                                           // $ref beside properties at the root
	"payload-error":     "no type",
	"bridge-envelope":   "could not merge anyOf types", // an object or null
	"callback":          "could not merge anyOf types",
	"frame-tool-call":   "could not merge anyOf types",
	"frame-tool-result": "could not merge anyOf types",
	"payload":           "could not merge anyOf types",
	"result":            "could not merge anyOf types",
}

// The structs that we generate have the members that go-jsonschema's have, with the same types, and
// optional are the same ones. It says pointer for "may be absent" and for "may be null"; so both count as one
// here.
func TestShapesAgree(t *testing.T) {
	subjects := append(append(corpus.Real(t, corpus.Small), corpus.OfProtocol(t)...), corpus.OfPlugins(t)...)
	members := 0
	for _, s := range subjects {
		if strings.Contains(s.Name, "#") {
			continue // a part of a document, which its users have
		}
		theirs, err := theirModels(t, s)
		if want, refused := shapeRefusals[s.Name]; refused || err != nil {
			if err == nil || want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: go-jsonschema says %v, want %q", s.Name, err, want)
			}
			continue
		}
		c := &shapeComparison{ours: ourModels(t, s), theirs: theirs, seen: map[[2]string]bool{}}
		c.compare("", ast.NewIdent(c.ours.root), ast.NewIdent(c.theirs.root))
		slices.Sort(c.found)
		t.Logf("%-24s %4d members", s.Name, c.members)
		members += c.members
		if want := slices.Sorted(maps.Keys(shapeDifferences[s.Name])); !slices.Equal(c.found, want) {
			t.Errorf("%s: differences\n\t%s\nwant\n\t%s", s.Name, strings.Join(c.found, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
	t.Logf("%-24s %4d members", "total", members)
	if members < 600 {
		t.Errorf("%d members compared, want 600", members)
	}
}

// models is the type declarations of one generated package.
type models struct {
	types map[string]ast.Expr
	root  string
}

func parseModels(src []byte, root string) (*models, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "models.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	m := &models{types: map[string]ast.Expr{}, root: root}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					m.types[s.Name.Name] = s.Type
				}
			}
		}
	}
	if m.types[root] == nil {
		return nil, errors.New("no type " + root)
	}
	return m, nil
}

// theirModels runs go-jsonschema. References between documents are by file name, so they lie in one folder.
func theirModels(t testing.TB, s corpus.Subject) (m *models, err error) {
	t.Helper()
	dir := t.TempDir()
	for uri, src := range s.Documents {
		if uri == s.URI {
			uri = "root"
		}
		// References by address would be fetched; beside each other the documents are found by name.
		src = bytes.ReplaceAll(src, []byte(`"$ref": "https://vcp.core/schema/v1/`), []byte(`"$ref": "`))
		if err := os.WriteFile(filepath.Join(dir, fileOf(uri)), src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	g, err := generator.New(generator.Config{
		DefaultPackageName: "models", DefaultOutputName: "models.go", OnlyModels: true, Tags: []string{"json"}, Warner: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.DoFile(filepath.Join(dir, "root.json")); err != nil {
		return nil, err
	}
	sources, err := g.Sources()
	if err != nil {
		return nil, err
	}
	for _, src := range sources {
		return parseModels(src, "RootJson")
	}
	return nil, errors.New("no source")
}

func fileOf(uri string) string {
	return path.Base(uri) + map[bool]string{true: ".json"}[path.Ext(uri) != ".json"]
}

func ourModels(t testing.TB, s corpus.Subject) *models {
	t.Helper()
	dialect := resolve.Draft2020
	if s.Dialect == "draft7" {
		dialect = resolve.Draft07
	}
	set := golang.Set{Name: "models", ImportPath: "example.test/models", Roots: []golang.SetRoot{{Name: "Root", File: s.URI}}}
	for uri, src := range s.Documents {
		file, list := load.Parse(uri, src, wire.Limits{})
		if len(list) > 0 {
			t.Fatal(list)
		}
		set.Documents = append(set.Documents, resolve.Document{URI: uri, File: file, Dialect: dialect})
	}
	files, list := golang.EmitSchemas(set)
	if list.HasErrors() {
		t.Fatal(list)
	}
	i := slices.IndexFunc(files, func(f golang.File) bool { return f.Name == "types_gen.go" })
	m, err := parseModels(files[i].Bytes, "Root")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// look is one step into a type: what both generators can express of it.
type look struct {
	kind     string // struct, list, map, string, integer, number, boolean; any for what is none of them
	optional bool   // absent or null
	elem     ast.Expr
	members  map[string]member
	name     string // of the last declared type on the way
}

type member struct {
	as   ast.Expr
	omit bool
}

var basics = map[string]string{
	"string": "string", "bool": "boolean", "int": "integer", "int64": "integer", "float64": "number", "any": "any",
	"wire.Raw": "any", "wire.Null": "any", "wire.Number": "number", "wire.Int": "integer", "wire.Ref": "reference", "time.Time": "string",
	"types.SerializableDate": "string", "types.SerializableTime": "string",
}

func (m *models) look(e ast.Expr) look {
	switch e := e.(type) {
	case *ast.Ident:
		if kind, ok := basics[e.Name]; ok {
			return look{kind: kind}
		}
		l := m.look(m.types[e.Name])
		l.name = cmp.Or(l.name, e.Name)
		return l
	case *ast.SelectorExpr:
		return look{kind: basics[e.X.(*ast.Ident).Name+"."+e.Sel.Name]}
	case *ast.StarExpr:
		l := m.look(e.X)
		l.optional = true
		return l
	case *ast.ArrayType:
		return look{kind: "list", elem: e.Elt}
	case *ast.MapType:
		return look{kind: "map", elem: e.Value}
	case *ast.IndexExpr:
		if e.X.(*ast.SelectorExpr).Sel.Name == "Entries" {
			return look{kind: "map", elem: e.Index}
		}
		l := m.look(e.Index) // Opt or Nullable
		l.optional = true
		return l
	case *ast.StructType:
		if fields := e.Fields.List; len(fields) == 1 && fields[0].Names == nil {
			return m.look(fields[0].Type) // a type around another one
		}
		l := look{kind: "struct", members: map[string]member{}}
		for _, f := range e.Fields.List {
			if f.Tag == nil {
				continue
			}
			name, options, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
			if name != "" && name != "-" {
				l.members[name] = member{f.Type, strings.Contains(options, "omit")}
			}
		}
		return l
	}
	return look{kind: "any"}
}

// shapeComparison walks two types in step.
type shapeComparison struct {
	ours, theirs *models
	members      int
	found        []string
	seen         map[[2]string]bool
}

func (c *shapeComparison) compare(at string, ours, theirs ast.Expr) {
	a, b := c.ours.look(ours), c.theirs.look(theirs)
	pair := [2]string{a.name, b.name}
	if b.kind == "any" || a.name != "" && b.name != "" && c.seen[pair] {
		return
	}
	c.seen[pair] = true
	if a.kind != b.kind {
		c.report("%s: ours %s, theirs %s", at, a.kind, b.kind)
		return
	}
	if a.elem != nil {
		c.compare(at+"/*", a.elem, b.elem)
	}
	for _, name := range slices.Sorted(maps.Keys(a.members)) {
		if _, ok := b.members[name]; !ok {
			c.report("%s/%s: theirs absent", at, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.members)) {
		m := b.members[name]
		o, ok := a.members[name]
		if !ok {
			c.report("%s/%s: ours absent", at, name)
			continue
		}
		c.members++
		our, their := c.ours.look(o.as), c.theirs.look(m.as)
		if x, y := our.optional || o.omit, their.optional || m.omit; x != y && their.kind != "any" {
			c.report("%s/%s: ours optional %v, theirs %v", at, name, x, y)
		}
		c.compare(at+"/"+name, o.as, m.as)
	}
}

func (c *shapeComparison) report(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}
