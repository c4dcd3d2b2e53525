package gen_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/manifest"
)

// here is the target of this repository.
var here = gen.Target{ImportPath: "vcp.core/generated", Protocol: true}

func parse(t testing.TB, name string, src []byte) *load.File {
	t.Helper()
	file, list := load.Parse(name, src, wire.Limits{})
	if file == nil {
		t.Fatal(list)
	}
	return file
}

// shipped is the manifests of this repository.
func shipped(t testing.TB) []gen.Manifest {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "plugins", "*", manifest.FileName))
	if err != nil || len(paths) == 0 {
		t.Fatal("no plugins", err)
	}
	var list []gen.Manifest
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, gen.Manifest{Name: strings.TrimPrefix(filepath.ToSlash(p), "../"), File: parse(t, p, src)})
	}
	return list
}

// synthetic makes n different manifests.
func synthetic(t testing.TB, n int) []gen.Manifest {
	t.Helper()
	list := make([]gen.Manifest, n)
	for i := range list {
		name := fmt.Sprintf("Tool%04d", i)
		list[i] = gen.Manifest{Name: "plugins/" + name + "/" + manifest.FileName, File: parse(t, name, []byte(syntheticManifest(i, name)))}
	}
	return list
}

// syntheticManifest is a plugin of three commands with the variety of real ones: strings with rules, enums,
// nested objects, lists, a shared definition, a union by a constant.
func syntheticManifest(i int, name string) string {
	item := fmt.Sprintf(`{"type":"object","required":["id","kind","size"],"additionalProperties":false,"properties":{
		"id":{"title":"Id","type":"string","pattern":"^it_[0-9]{%d}$"},"kind":{"title":"Kind","enum":["a","b","c%d"]},
		"size":{"title":"Size","type":"integer","minimum":0,"maximum":%d,"x-unit":"B"},"note":{"title":"Note","type":["string","null"]},
		"at":{"title":"At","type":"string","format":"date-time"},"weight":{"title":"Weight","type":"number"}}}`, i%20+1, i, i+10)
	command := func(id, effect, input, output string) string {
		return fmt.Sprintf(`{"commandIdentifier":"%[1]s","displayName":"%[1]s it","description":"Does %[1]s in the way of %[5]s.","effect":"%[2]s",
			"inputSchema":{"type":"object","required":["command"],"additionalProperties":false,"properties":{"command":{"const":"%[1]s"},%[3]s}},
			"outputSchema":{"type":"object","additionalProperties":false,%[4]s,"$defs":{"item":%[6]s}},
			"presentation":{"title":"%[1]s","preferredView":"table"},"errorCodes":["INVALID_ARGUMENT","T%[7]d.GONE"]}`, id, effect, input, output, name, item, i)
	}
	return fmt.Sprintf(`{"name":"%s","version":"1.0.%d","description":"Synthetic plugin %d.","pluginType":"synchronous","entryPoint":{"direct":true},
		"communication":{"protocol":"direct"},"toolResultProtocol":{"name":"vcp.tool-result","version":"1.0"},"formatAssertion":true,
		"configSchema":{"type":"object","properties":{"root":{"type":"string"},"depth":{"type":"integer","minimum":1,"maximum":9}}},
		"capabilities":{"invocationCommands":[%s,%s,%s]}}`, name, i, i,
		command("Get", "read", `"id":{"title":"Id","type":"string","minLength":1}`, `"required":["item"],"properties":{"item":{"$ref":"#/$defs/item"}}`),
		command("List", "read", `"limit":{"title":"Limit","type":"integer","minimum":1,"maximum":200,"default":50},"after":{"type":"string"},"kinds":{"type":"array","items":{"type":"string"},"uniqueItems":true}`,
			`"required":["items"],"properties":{"items":{"title":"Items","type":"array","items":{"$ref":"#/$defs/item"}},"next":{"type":"string"}}`),
		command("Put", "write", `"target":{"type":"object","required":["to"],"properties":{"to":{"type":"string"},"options":{"type":"object","properties":{"force":{"type":"boolean"}}}}}`,
			`"required":["result"],"properties":{"result":{"oneOf":[{"type":"object","required":["state","item"],"properties":{"state":{"const":"done"},"item":{"$ref":"#/$defs/item"}}},{"type":"object","required":["state"],"properties":{"state":{"const":"skipped"},"why":{"type":"string"}}}]}}`))
}

func generate(t testing.TB, manifests []gen.Manifest, target gen.Target) *gen.Tree {
	t.Helper()
	tree, list := gen.Generate(manifests, target)
	if list.HasErrors() {
		t.Fatal(list)
	}
	return tree
}

func equal(a, b *gen.Tree) string {
	if len(a.Files) != len(b.Files) {
		return fmt.Sprintf("%d files and %d", len(a.Files), len(b.Files))
	}
	for i := range a.Files {
		if a.Files[i].Path != b.Files[i].Path || !bytes.Equal(a.Files[i].Bytes, b.Files[i].Bytes) {
			return a.Files[i].Path
		}
	}
	return ""
}

// Equal inputs make equal bytes: twice, in any order, and wherever the files lie.
func TestDeterminism(t *testing.T) {
	manifests := append(shipped(t), synthetic(t, 12)...)
	want := generate(t, manifests, here)
	if diff := equal(want, generate(t, manifests, here)); diff != "" {
		t.Errorf("a second run differs: %s", diff)
	}
	for seed := range uint64(5) {
		shuffled := slices.Clone(manifests)
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for i := range shuffled {
			elsewhere := *shuffled[i].File
			elsewhere.Name = fmt.Sprintf("/somewhere/%d/%s", r.IntN(1000), elsewhere.Name)
			shuffled[i].File = &elsewhere
		}
		if diff := equal(want, generate(t, shuffled, here)); diff != "" {
			t.Errorf("shuffled and elsewhere: %s", diff)
		}
	}
	for _, f := range want.Files {
		if !bytes.HasPrefix(f.Bytes, []byte(gen.Header+"\n// Source: ")) {
			t.Errorf("%s has another header: %.80q", f.Path, f.Bytes)
		}
	}
}

// The hash of a package stands in one file, so that branches which touch one manifest conflict there only.
func TestOnlyOneFileCarriesHashes(t *testing.T) {
	manifests := shipped(t)
	before := generate(t, manifests, here)
	at := slices.IndexFunc(manifests, func(m gen.Manifest) bool { return strings.Contains(m.Name, "/ScheduleManager/") })
	after := slices.Clone(manifests)
	after[at].File = parse(t, after[at].File.Name, append(bytes.Clone(after[at].File.Src), '\n'))
	tree := generate(t, after, here)
	var differ []string
	for i, f := range tree.Files {
		if !bytes.Equal(f.Bytes, before.Files[i].Bytes) {
			differ = append(differ, f.Path)
		}
	}
	if got := strings.Join(differ, " "); got != "plugins/schedulemanager/inputs_gen.go registry/inputs_gen.go" {
		t.Errorf("a newline at the end of a manifest changes %s", got)
	}
}

// The support packages' path and the package's own are inputs, too.
func TestTargets(t *testing.T) {
	manifests := synthetic(t, 1)
	tree := generate(t, manifests, gen.Target{ImportPath: "example.org/m/internal/tools", Support: "example.org/support"})
	for _, f := range tree.Files {
		if strings.HasPrefix(f.Path, "protocol/") {
			t.Errorf("a foreign module gets %s", f.Path)
		}
		if bytes.Contains(f.Bytes, []byte("vcp.core/")) {
			t.Errorf("%s refers to vcp.core", f.Path)
		}
	}
	if tree.Files[0].Path != "plugins/tool0000/append_gen.go" && tree.Files[0].Path != "plugins/tool0000/client_gen.go" {
		t.Errorf("first file %s", tree.Files[0].Path)
	}
}

// With an error in one manifest there is no tree, and all findings of all manifests are there, under the
// names that people know.
func TestErrors(t *testing.T) {
	good := synthetic(t, 2)
	bad := func(shown, src string) gen.Manifest {
		return gen.Manifest{Name: "n/" + shown, File: parse(t, shown, []byte(src))}
	}
	tests := []struct {
		name string
		list []gen.Manifest
		want string
	}{
		{"not a manifest", []gen.Manifest{bad("b.json", `{}`), bad("a.json", `[]`)}, "a.json b.json"},
		{"two plugins of one name", []gen.Manifest{good[0], {Name: "other", File: parse(t, "twin", good[0].File.Src)}}, "Tool0000 twin"},
		{"two plugins of one package", []gen.Manifest{good[0], {Name: "other", File: parse(t, "twin", []byte(syntheticManifest(7, "Tool_0000")))}}, "Tool0000 twin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree, list := gen.Generate(append(tt.list, good[1]), here)
			var files []string
			for _, d := range list {
				if d.Severity == diag.Error && !slices.Contains(files, d.File) {
					files = append(files, d.File)
				}
			}
			if tree != nil || strings.Join(files, " ") != tt.want {
				t.Errorf("tree %v, findings in %v, want %s", tree != nil, files, tt.want)
			}
		})
	}
}

// No manifest is a registry of nothing.
func TestNoManifests(t *testing.T) {
	tree := generate(t, nil, gen.Target{ImportPath: "example.org/m"})
	if len(tree.Files) != 2 || tree.Files[0].Path != "registry/inputs_gen.go" {
		t.Errorf("%+v", tree.Files)
	}
}

// Work grows with the number of manifests and no faster. It is counted in bytes that are allocated, which a
// busy machine does not change; BenchmarkGenerate has the times.
func TestWorkIsLinear(t *testing.T) {
	work := func(n int) float64 {
		manifests := synthetic(t, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		generate(t, manifests, gen.Target{ImportPath: "example.org/m"})
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	work(1) // what is compiled once
	few, many := work(20), work(200)
	if ratio := many / few; ratio > 12 {
		t.Errorf("ten times the manifests take %.1f times the work", ratio)
	}
}
