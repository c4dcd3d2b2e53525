package http

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// callPath is where commands are run.
const callPath = "/v1/human/tool"

// routes registers what huma reads and writes. Bodies are raw: their schemas are those of the protocol.
func (d *Door) routes() {
	huma.Register(d.api, huma.Operation{
		OperationID: "callTool", Method: http.MethodPost, Path: callPath, Summary: "Run a command",
		Description: "A failure of the tool is 200 as well: read status and error of the result. 401 and 403 may be results, too: a command that the token may not run. " +
			"A command that needs the approval of a human is not run where nobody can be asked: the result is an error with the code APPROVAL_REJECTED, and asked is false in its details. " +
			"These are commands whose manifest has requiresApproval, and destructive ones whose manifest does not say.",
		MaxBodyBytes: d.o.MaxBody, BodyReadTimeout: bodyWait, SkipValidateBody: true,
		Responses: map[string]*huma.Response{
			"200": projections(), "401": either("No valid token, or a command that needs one."), "403": either("The token lacks a scope, or may not run the command."),
		},
		Errors: []int{400, 413, 415, 500, 503},
	}, d.humanTool)
	huma.Register(d.api, huma.Operation{
		OperationID: "listTools", Method: http.MethodGet, Path: "/v1/tools", Summary: "What can be called, with its schemas",
		Responses: map[string]*huma.Response{"200": document("The commands.", describes[toolList](d.api))}, Errors: []int{400, 401, 403, 503},
	}, d.tools)
	huma.Register(d.api, huma.Operation{
		OperationID: "getResult", Method: http.MethodGet, Path: "/v1/results/{id}", Summary: "A recorded result, as a view",
		Responses: map[string]*huma.Response{"200": projections()}, Errors: []int{400, 401, 403, 404, 500, 503},
	}, d.result)
	huma.Register(d.api, huma.Operation{
		OperationID: "listAudit", Method: http.MethodGet, Path: "/v1/audit", Summary: "Audit records, newest first",
		Responses: map[string]*huma.Response{"200": document("A page of digests, and the place where the next begins.", pageOf(digest()))}, Errors: []int{400, 401, 403, 503},
	}, d.audit)
	d.api.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "getResource", Method: http.MethodGet, Path: "/v1/resources/{id}", Summary: "The bytes of a resource; ranges are served",
		Parameters: []*huma.Param{{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: "string"}, Description: "res_ and a ULID."}},
		Responses: map[string]*huma.Response{
			"200": bytesOf("The bytes, of the type that was found in them."), "206": bytesOf("The range that was asked for."),
			"401": refusal(http.StatusUnauthorized), "403": refusal(http.StatusForbidden), "404": refusal(http.StatusNotFound), "503": refusal(http.StatusServiceUnavailable),
		},
	})
	d.asItIs()
}

// Server is an HTTP server with the time limits of this door. When the base context of its requests ends, calls in flight
// are cancelled. Not even OPTIONS * is answered before a token was checked.
func (d *Door) Server() *http.Server {
	return &http.Server{
		Handler: d, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		DisableGeneralOptionsHandler: true,
	}
}
