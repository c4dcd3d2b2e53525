package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vcp.core/fuzz/shared"
)

// OfProtocol returns a subject for each document of contract/schema/v1, with the examples and
// counter-examples of contract/schema/testdata. A document that asserts nothing by itself, because it
// only holds definitions for the others, is taken apart: one subject for each definition.
func OfProtocol(t testing.TB) []Subject {
	t.Helper()
	docs, names := protocolDocuments(t)
	var out []Subject
	for _, uri := range names {
		s := Subject{Group: Protocol, Name: short(uri), URI: uri, Documents: docs, Dialect: "draft2020-12", Formats: formats(t, docs)}
		var head struct {
			Type any             `json:"type"`
			Defs json.RawMessage `json:"$defs"`
		}
		if err := json.Unmarshal(docs[uri], &head); err != nil {
			t.Fatal(err)
		}
		if head.Type != nil {
			s.Instances = documents(t, filepath.Join(shared.Root(t), "contract", "schema", "testdata", s.Name, "*", "*.json"))
			out = append(out, s)
			continue
		}
		for _, name := range keys(t, head.Defs) {
			d := s
			d.Name, d.URI = s.Name+"#"+name, "urn:corpus:"+s.Name+":"+name
			d.Documents = map[string][]byte{d.URI: fmt.Appendf(nil, `{"$ref":%q}`, uri+"#/$defs/"+name)}
			maps.Copy(d.Documents, docs)
			out = append(out, d)
		}
	}
	return out
}

// protocolDocuments reads contract/schema/v1, keyed by `$id`.
func protocolDocuments(t testing.TB) (docs map[string][]byte, ids []string) {
	t.Helper()
	docs = map[string][]byte{}
	for _, raw := range documents(t, filepath.Join(shared.Root(t), "contract", "schema", "v1", "*.schema.json")) {
		var head struct {
			ID string `json:"$id"`
		}
		if err := json.Unmarshal(raw, &head); err != nil || head.ID == "" {
			t.Fatalf("a protocol schema without $id: %v", err)
		}
		docs[head.ID] = raw
		ids = append(ids, head.ID)
	}
	if len(ids) == 0 {
		t.Fatal("contract/schema/v1 has no schemas")
	}
	return docs, ids
}

// protocolAddress is where the documents of the protocol say that they are; nobody looks there.
const protocolAddress = "https://vcp.core/schema/"

// OfPlugins returns a subject for each schema in the manifests of plugins/: input and output of every
// command, and the configuration.
func OfPlugins(t testing.TB) []Subject {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shared.Root(t), "plugins", "*", "plugin-manifest.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no plugin manifests: %v", err)
	}
	protocol, _ := protocolDocuments(t)
	var out []Subject
	for _, path := range paths {
		var m struct {
			Name            string          `json:"name"`
			FormatAssertion bool            `json:"formatAssertion"`
			ConfigSchema    json.RawMessage `json:"configSchema"`
			Capabilities    struct {
				InvocationCommands []struct {
					CommandIdentifier string            `json:"commandIdentifier"`
					InputSchema       json.RawMessage   `json:"inputSchema"`
					OutputSchema      json.RawMessage   `json:"outputSchema"`
					Examples          []json.RawMessage `json:"examples"`
				} `json:"invocationCommands"`
			} `json:"capabilities"`
		}
		if err := json.Unmarshal(read(t, path), &m); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		add := func(what string, schema json.RawMessage, instances [][]byte) {
			if len(schema) == 0 || string(schema) == "null" {
				return
			}
			name := m.Name + "." + what
			s := Subject{Group: Plugin, Name: name, URI: "urn:corpus:plugin:" + name, Dialect: "draft2020-12", Instances: instances}
			s.Documents = map[string][]byte{s.URI: schema}
			if bytes.Contains(schema, []byte(protocolAddress)) {
				maps.Copy(s.Documents, protocol)
			}
			if m.FormatAssertion {
				s.Formats = formats(t, s.Documents)
			}
			out = append(out, s)
		}
		add("config", m.ConfigSchema, nil)
		for _, c := range m.Capabilities.InvocationCommands {
			arguments, data := caseDocuments(t, filepath.Join(filepath.Dir(path), "cases"), c.CommandIdentifier)
			for _, e := range c.Examples {
				arguments = append(arguments, e)
			}
			var inputs [][]byte
			for _, a := range arguments {
				inputs = append(inputs, a, withCommand(a, c.CommandIdentifier))
			}
			add(c.CommandIdentifier+".input", c.InputSchema, inputs)
			add(c.CommandIdentifier+".output", c.OutputSchema, data)
		}
	}
	return out
}

// withCommand adds the member that selects a command to the arguments of an example, which may leave it
// out because the runtime supplies it.
func withCommand(arguments []byte, command string) []byte {
	body := bytes.TrimSpace(arguments)
	if len(body) < 2 || body[0] != '{' || bytes.Contains(body, []byte(`"command"`)) {
		return arguments
	}
	out := fmt.Appendf(nil, `{"command":%q`, command)
	if rest := bytes.TrimSpace(body[1:]); rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, body[1:]...)
}

// formats returns the formats that documents use, sorted.
func formats(t testing.TB, docs map[string][]byte) []string {
	t.Helper()
	var out []string
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				visit(e)
			}
		case map[string]any:
			if name, ok := v["format"].(string); ok && !slices.Contains(out, name) {
				out = append(out, name)
			}
			for _, e := range v {
				visit(e)
			}
		}
	}
	for uri, raw := range docs {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		visit(v)
	}
	slices.Sort(out)
	return out
}

// documents reads the files of a pattern, sorted by path, those that are JSON.
func documents(t testing.TB, pattern string) [][]byte {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, path := range paths {
		if raw := read(t, path); json.Valid(raw) {
			out = append(out, raw)
		}
	}
	return out
}

// keys returns the member names of an object, sorted.
func keys(t testing.TB, raw json.RawMessage) []string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(members))
}

// short cuts a schema's file name out of its URI.
func short(uri string) string {
	return strings.TrimSuffix(uri[strings.LastIndexByte(uri, '/')+1:], ".schema.json")
}
