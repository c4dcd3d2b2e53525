package http

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/protocol"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/result"
)

type callInput struct {
	ContentType    string `header:"Content-Type"`
	RequestID      string `header:"X-Request-Id" doc:"An id of the caller's, req_ and a ULID; any other is replaced."`
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"Calls with the same key are one call: it is run once, and answered with the same result."`
	RawBody        []byte `contentType:"application/json"`
}

// shown is a response that a presenter wrote.
type shown struct {
	Status      int
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// humanTool runs a command.
func (d *Door) humanTool(ctx context.Context, in *callInput) (*shown, error) {
	c := callerOf(ctx)
	if !c.Has(token.Call) {
		return nil, insufficient(token.Call)
	}
	if media, _, err := mime.ParseMediaType(in.ContentType); in.ContentType != "" && (err != nil || media != "application/json") {
		return nil, huma.Error415UnsupportedMediaType("the body must be application/json")
	}
	request, name, err := d.requestOf(in.RawBody)
	if err != nil {
		return nil, err
	}
	request.Source, request.Actor, request.RequestIP = source, c.actor(), c.ip
	request.RequestID, request.IdempotencyKey = in.RequestID, in.IdempotencyKey
	answer, ok := d.o.Runtime.Execute(ctx, request).(*result.Sealed)
	if !ok || answer == nil {
		return nil, huma.Error500InternalServerError("the call gave no canonical result")
	}
	out, err := d.show(ctx, answer, name, &c)
	if err != nil {
		return nil, err
	}
	switch errcode.Code(answer.Code()) {
	case errcode.Unauthorized:
		out.Status = http.StatusUnauthorized
	case errcode.Forbidden:
		out.Status = http.StatusForbidden
	}
	return out, nil
}

// requestOf reads a body: a document of call-request.schema.json. The bytes of the arguments stay as they are.
func (d *Door) requestOf(body []byte) (c call.Call, name view.Name, err error) {
	var t wire.Tape
	if err := t.Scan(body, wire.Limits{}); err != nil {
		return c, "", huma.Error400BadRequest("the body cannot be read: " + err.Error())
	}
	if v1.JudgeCallRequest(&t) != nil {
		return c, "", explained(&t)
	}
	name = view.Canonical
	var limit wire.Opt[wire.Int]
	for m := t.Members(t.Root()); m.Next(); {
		switch t.String(m.Name) {
		case "tool":
			c.Tool = t.String(m.Value)
		case "command":
			c.Command = t.String(m.Value)
		case "arguments":
			c.Arguments = bytes.Clone(t.Raw(m.Value))
		case "options":
			o, err := v1.DecodeCallRequestOptions(t.Raw(m.Value))
			if err != nil {
				return c, "", huma.Error400BadRequest("the options cannot be read: " + err.Error())
			}
			name = view.Name(o.View.Or(string(view.Canonical)))
			limit = o.TimeoutMs
		}
	}
	if ms, given := limit.Get(); given {
		c.Timeout = d.timeout(&c, ms)
	}
	if !name.Known() {
		return c, "", huma.Error400BadRequest((&view.UnknownError{Name: name}).Error(), &huma.ErrorDetail{Location: "body.options.view", Message: "is no view", Value: string(name)})
	}
	return c, name, nil
}

// longestTimeout is what a caller may ask for where no manifest says less.
const longestTimeout = time.Hour

// timeout is what the caller asked for. It never gives a command more time than its manifest does; of a command whose
// name stands in the arguments only the tool is known, so the shortest of the tool's limits counts.
func (d *Door) timeout(c *call.Call, ms wire.Int) time.Duration {
	limit := longestTimeout
	shorten := func(spec *call.Spec) {
		if spec != nil && spec.Timeout > 0 {
			limit = min(limit, spec.Timeout)
		}
	}
	if known := d.o.Registry(); c.Command != "" {
		spec, _ := known.Lookup(c.Tool, c.Command)
		shorten(spec)
	} else {
		for _, spec := range known.Specs() {
			if spec.Tool == c.Tool {
				shorten(spec)
			}
		}
	}
	n, fits := ms.Int64()
	if !fits || n > limit.Milliseconds() {
		return limit
	}
	return time.Duration(n) * time.Millisecond
}

// explained lists what is wrong with a body.
func explained(t *wire.Tape) error {
	const most = 20
	var details []error
	for i, v := range protocol.Validator(schema.CallRequest).Violations(t) {
		if i == most {
			break
		}
		details = append(details, &huma.ErrorDetail{Location: "body#" + v.Pointer, Message: v.Message})
	}
	return huma.Error400BadRequest("the body is no call request", details...)
}

// show makes a view of a result for a caller.
func (d *Door) show(ctx context.Context, s *result.Sealed, name view.Name, c *caller) (*shown, error) {
	var o view.Options
	if name == view.AI { // the only one that words what the schema says
		o.Ports = view.PortsOf(d.o.Registry(), s)
	}
	text, err := view.Project(s, name, c.reader(), o)
	if err != nil {
		d.o.Logger.LogAttrs(ctx, slog.LevelError, "a result cannot be shown", slog.String("resultId", s.ID()), slog.Any("error", err))
		return nil, huma.Error500InternalServerError(fmt.Sprintf("the result %s cannot be shown", s.ID()))
	}
	return &shown{Status: http.StatusOK, ContentType: name.MediaType(o), Body: []byte(text)}, nil
}

// insufficient is 403 for want of a scope, with the header of RFC 6750.
func insufficient(scope string) error {
	return huma.ErrorWithHeaders(huma.Error403Forbidden("the token lacks the scope "+scope),
		http.Header{"WWW-Authenticate": {`Bearer realm="vcp", error="insufficient_scope", scope="` + scope + `"`}})
}
