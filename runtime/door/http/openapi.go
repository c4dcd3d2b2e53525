package http

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vcp.core/contract/schema"
)

// routes registers what huma reads and writes. Bodies are raw: their schemas are those of the protocol.
func (d *Door) routes() {
	huma.Register(d.api, huma.Operation{
		OperationID: "callTool", Method: http.MethodPost, Path: "/v1/human/tool", Summary: "Run a command",
		Description:  "A failure of the tool is 200 as well: read status and error of the result. 401 and 403 may be results, too: a command that the token may not run.",
		MaxBodyBytes: d.o.MaxBody, BodyReadTimeout: bodyWait, SkipValidateBody: true,
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: refTo(schema.CallRequest), Example: json.RawMessage(`{"tool":"SciCalculator","command":"Evaluate","arguments":{"expression":"2^100"}}`)},
		}},
		Responses: map[string]*huma.Response{
			"200": projections(), "401": either("No valid token, or a command that needs one."), "403": either("The token lacks a scope, or may not run the command."),
		},
		Errors: []int{400, 413, 415, 500, 503},
	}, d.humanTool)
	huma.Register(d.api, huma.Operation{
		OperationID: "listTools", Method: http.MethodGet, Path: "/v1/tools", Summary: "What can be called, with its schemas",
		Responses: map[string]*huma.Response{"200": document("The commands.")}, Errors: []int{401, 403, 503},
	}, d.tools)
	huma.Register(d.api, huma.Operation{
		OperationID: "getResult", Method: http.MethodGet, Path: "/v1/results/{id}", Summary: "A recorded result, as a view",
		Responses: map[string]*huma.Response{"200": projections()}, Errors: []int{401, 403, 404, 500, 503},
	}, d.result)
	huma.Register(d.api, huma.Operation{
		OperationID: "listAudit", Method: http.MethodGet, Path: "/v1/audit", Summary: "Audit records, newest first",
		Responses: map[string]*huma.Response{"200": document("A page of digests, and the place where the next begins.")}, Errors: []int{400, 401, 403, 503},
	}, d.audit)
	d.api.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "getResource", Method: http.MethodGet, Path: "/v1/resources/{id}", Summary: "The bytes of a resource; ranges are served",
		Parameters: []*huma.Param{{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: "string"}, Description: "res_ and a ULID."}},
		Responses: map[string]*huma.Response{"200": {Description: "The bytes.", Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}},
		}}},
	})
}

func refTo(name string) *huma.Schema {
	known, _ := schema.Lookup(name)
	return &huma.Schema{Ref: known.ID}
}

// projections is what a result may be shown as.
func projections() *huma.Response {
	return &huma.Response{Description: "The result, as the view that was asked for.", Content: map[string]*huma.MediaType{
		"application/json": {Schema: refTo(schema.Result)},
		"text/markdown":    {Schema: &huma.Schema{Type: "string"}},
	}}
}

func either(description string) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{
		"application/json":         {Schema: refTo(schema.Result)},
		"application/problem+json": {Schema: &huma.Schema{Ref: "#/components/schemas/ErrorModel"}},
	}}
}

func document(description string) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: "object"}}}}
}

// describe writes the OpenAPI document. The protocol's schemas stand in it whole, under their own $id, which is what references
// name (OpenAPI 3.1, section 4.6).
func (d *Door) describe(w http.ResponseWriter, _ *http.Request) {
	src, err := d.document()
	if err != nil {
		problem(w, http.StatusInternalServerError, "the description cannot be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(src)
}

func (d *Door) document() ([]byte, error) {
	src, err := json.Marshal(d.api.OpenAPI())
	if err != nil {
		return nil, err
	}
	var doc, components, schemas map[string]json.RawMessage
	if err := json.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(doc["components"], &components); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(components["schemas"], &schemas); err != nil {
		return nil, err
	}
	for _, known := range schema.All() {
		schemas["vcp-"+known.Name] = known.Source
	}
	if components["schemas"], err = json.Marshal(schemas); err != nil {
		return nil, err
	}
	if doc["components"], err = json.Marshal(components); err != nil {
		return nil, err
	}
	return json.MarshalIndent(doc, "", "  ")
}

// Server is an HTTP server with the time limits of this door. When the base context of its requests ends, calls in flight
// are cancelled. Not even OPTIONS * is answered before a token was checked.
func (d *Door) Server() *http.Server {
	return &http.Server{
		Handler: d, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		DisableGeneralOptionsHandler: true,
	}
}
