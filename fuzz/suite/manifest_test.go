package suite_test

import (
	"fmt"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/compiled"
	"vcp.core/fuzz/emitted"
	"vcp.core/gen/diag"
	"vcp.core/gen/emit/golang"
	"vcp.core/gen/manifest"
	"vcp.core/gen/protocol"
)

// The setting formatAssertion of a manifest, in both back ends: without it format is an annotation.
func TestFormatAssertionOfAManifest(t *testing.T) {
	packages, roots := map[string][]golang.File{}, map[string][]string{}
	var questions []compiled.Question
	var want []wire.Verdict
	documents := []struct {
		json    string
		asserts wire.Verdict // with the setting; without it all are valid
	}{
		{`{"on": "2024-02-29"}`, wire.Valid}, {`{"on": "2023-02-29"}`, wire.Invalid}, {`{"on": 20230229}`, wire.Valid}, {`{"odd": "?"}`, wire.Valid},
	}
	for _, c := range []struct {
		name, setting string
		asserts       bool
	}{{"silent", ``, false}, {"off", `"formatAssertion": false, `, false}, {"on", `"formatAssertion": true, `, true}} {
		plugin, list := manifest.Parse(c.name+"/plugin-manifest.json", fmt.Appendf(nil, `{"name": "%s", "version": "1.0.0", "description": "A tool.", "pluginType": "synchronous",
			"entryPoint": {"direct": true}, "communication": {"protocol": "direct"}, "toolResultProtocol": {"name": "vcp.tool-result", "version": "1.0"}, %s
			"capabilities": {"invocationCommands": [{"commandIdentifier": "Run", "description": "Runs.", "effect": "read",
				"inputSchema": {"type": "object", "properties": {"on": {"format": "date"}, "odd": {"format": "zip-code"}}}, "outputSchema": {}}]}}`, c.name, c.setting))
		if list.HasErrors() {
			t.Fatal(list)
		}
		if warned := len(list) == 1 && list[0].Severity == diag.Warning && list[0].Code == "schema/unknown-format"; warned != c.asserts {
			t.Errorf("%s: findings %v", c.name, list)
		}
		files, list := golang.EmitPlugin(golang.Plugin{
			Name: c.name, ImportPath: compiled.ImportPath(c.name), Manifest: plugin.File, ManifestHash: c.name, Description: plugin.Description,
			FormatAssertion: plugin.FormatAssertion, Specs: plugin.Specs(), Registry: protocol.Registry(),
		})
		if list.HasErrors() {
			t.Fatal(list)
		}
		packages[c.name], roots[c.name] = files, []string{"RunInput"}
		for _, d := range documents {
			verdict := wire.Valid
			if c.asserts {
				verdict = d.asserts
			}
			var tape wire.Tape
			if err := tape.Scan([]byte(d.json), wire.Limits{}); err != nil {
				t.Fatal(err)
			}
			if got := plugin.Specs()[0].Input.Verdict(&tape); got != verdict {
				t.Errorf("live: %s: %s: verdict %d, want %d", c.name, d.json, got, verdict)
			}
			questions = append(questions, compiled.Question{Judge: c.name + ".RunInput", Document: []byte(d.json)})
			want = append(want, verdict)
		}
	}
	program := emitted.Build(t, packages, compiled.Main(roots, ""))
	answers, err := compiled.Ask(t.Context(), program, questions)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range answers {
		if wire.Verdict(got.Verdict) != want[i] {
			t.Errorf("go: %s: %s: %+v, want %d", questions[i].Judge, questions[i].Document, got, want[i])
		}
	}
}
