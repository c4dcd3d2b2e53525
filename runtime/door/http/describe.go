package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vcp.core/contract/schema"
)

// component is where the description keeps a document of the protocol.
func component(name string) string { return "#/components/schemas/vcp-" + name }

func refTo(name string) *huma.Schema { return &huma.Schema{Ref: component(name)} }

func problemSchema() *huma.Schema { return &huma.Schema{Ref: "#/components/schemas/ErrorModel"} }

// projections is what a result may be shown as: canonical and human are results.
func projections() *huma.Response {
	return &huma.Response{Description: "The result, as the view that was asked for.", Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{OneOf: []*huma.Schema{refTo(schema.Result), refTo(schema.BridgeEnvelope), digest()}}},
		"text/markdown":    {Schema: &huma.Schema{Type: "string", Description: "The view ai."}},
	}}
}

// digest is the view audit. What stands in it is the audit presenter's to say.
func digest() *huma.Schema {
	return &huma.Schema{
		Type: "object", Description: "An audit digest.", Required: []string{"type"}, AdditionalProperties: true,
		Properties: map[string]*huma.Schema{"type": {Type: "string", Enum: []any{"vcp_audit"}}},
	}
}

// pageOf is a page of records.
func pageOf(record *huma.Schema) *huma.Schema {
	return &huma.Schema{
		Type: "object", Required: []string{"records", "next"},
		Properties: map[string]*huma.Schema{
			"records": {Type: "array", Items: record},
			"next":    {Type: "string", Nullable: true, Description: "The parameter after of the next page; null when this is the last."},
		},
	}
}

func either(description string) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{
		"application/json":         {Schema: refTo(schema.Result)},
		"application/problem+json": {Schema: problemSchema()},
	}}
}

func refusal(status int) *huma.Response {
	return &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{"application/problem+json": {Schema: problemSchema()}}}
}

func document(description string, s *huma.Schema) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/json": {Schema: s}}}
}

func bytesOf(description string) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}}
}

// describes is the schema of what a handler of ours writes.
func describes[T any](api huma.API) *huma.Schema {
	return api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// asItIs corrects what huma wrote: it takes a body that it does not decode for bytes, promises 422, which is 400 here,
// and lists the media type, which is no parameter (OpenAPI 3.1, section 4.8.12.2.1).
func (d *Door) asItIs() {
	for path, item := range d.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post} {
			if op == nil {
				continue
			}
			delete(op.Responses, "422")
			for _, r := range op.Responses {
				delete(r.Headers, "Content-Type")
			}
			var kept []*huma.Param
			for _, p := range op.Parameters {
				if p.Name != "Content-Type" {
					kept = append(kept, p)
				}
			}
			op.Parameters = kept
		}
		if path == callPath {
			item.Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
				"application/json": {Schema: refTo(schema.CallRequest), Example: json.RawMessage(`{"tool":"SciCalculator","command":"Evaluate","arguments":{"expression":"2^100"}}`)},
			}}
		}
	}
}

// describe writes the OpenAPI document.
func (d *Door) describe(w http.ResponseWriter, _ *http.Request) {
	src, err := d.described()
	if err != nil {
		problem(w, http.StatusInternalServerError, "the description cannot be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(src)
}

// document is the description with those documents of the protocol in it that it speaks of. They come without their $id:
// with one, a reference would start at it, and most programs that read OpenAPI know references into the document only.
func (d *Door) document() (map[string]any, error) {
	src, err := json.Marshal(d.api.OpenAPI())
	if err != nil {
		return nil, err
	}
	doc, err := open(src)
	if err != nil {
		return nil, err
	}
	components, _ := doc["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	if schemas == nil {
		return nil, fmt.Errorf("the description has no schemas")
	}
	for missing := wanted(doc, schemas); len(missing) > 0; missing = wanted(doc, schemas) {
		for _, name := range missing {
			known, ok := schema.Lookup(name)
			if !ok {
				return nil, fmt.Errorf("the protocol has no %s", name)
			}
			s, err := open(known.Source)
			if err != nil {
				return nil, err
			}
			delete(s, "$id")
			delete(s, "$schema")
			rebase(s, name)
			opened(s)
			schemas["vcp-"+name] = s
		}
	}
	return doc, nil
}

func (d *Door) described() ([]byte, error) {
	doc, err := d.document()
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(doc, "", "  ")
}

// opened says of objects of which nothing is said that they may have members. It changes no verdict (the protocol has
// no unevaluatedProperties), but generators of clients take silence for an object without any.
func opened(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			opened(e)
		}
	case map[string]any:
		_, closed := v["additionalProperties"]
		_, listed := v["properties"]
		if v["type"] == "object" && !closed && !listed {
			v["additionalProperties"] = true
		}
		for _, e := range v {
			opened(e)
		}
	}
}

// open reads an object and keeps the digits of its numbers.
func open(src []byte) (v map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// refs calls do for each reference in a value, and puts its answer there.
func refs(v any, do func(string) string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			refs(e, do)
		}
	case map[string]any:
		for name, e := range v {
			if ref, ok := e.(string); ok && name == "$ref" {
				v[name] = do(ref)
			}
			refs(e, do)
		}
	}
}

// wanted names the documents of the protocol that are referred to and not there.
func wanted(doc any, schemas map[string]any) (missing []string) {
	refs(doc, func(ref string) string {
		if rest, ok := strings.CutPrefix(ref, component("")); ok {
			name, _, _ := strings.Cut(rest, "/")
			if _, ok := schemas["vcp-"+name]; !ok {
				missing = append(missing, name)
			}
		}
		return ref
	})
	return missing
}

// rebase makes references of a document of the protocol, in itself and to its neighbours, references into the description.
func rebase(s any, name string) {
	refs(s, func(ref string) string {
		file, pointer, _ := strings.Cut(ref, "#")
		target := name
		if file != "" {
			target = strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".schema.json")
		}
		return component(target) + pointer
	})
}
