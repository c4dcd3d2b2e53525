package http

import (
	"bytes"
	"context"
	"errors"
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

// humanTool runs a command whose request huma has read.
func (d *Door) humanTool(ctx context.Context, in *callInput) (*shown, error) {
	v, _ := visitIn(ctx)
	if !v.caller.Has(token.Call) {
		return nil, insufficient(token.Call)
	}
	if !isJSON(in.ContentType) {
		return nil, huma.Error415UnsupportedMediaType("the body must be application/json")
	}
	var t wire.Tape
	if err := t.Scan(bytes.Clone(in.RawBody), wire.Limits{}); err != nil { // the body is huma's again when this returns
		return nil, huma.Error400BadRequest("the body cannot be read: " + err.Error())
	}
	if v1.JudgeCallRequest(&t) != nil {
		return nil, explained(&t)
	}
	request, name, err := d.requestOf(&t)
	if err != nil {
		return nil, err
	}
	request.RequestID, request.IdempotencyKey = in.RequestID, in.IdempotencyKey
	status, text, media, err := d.run(ctx, v, request, name)
	if err != nil {
		return nil, err
	}
	return &shown{Status: status, ContentType: media, Body: []byte(text)}, nil
}

// jsonType is the media type of nearly everything here.
const jsonType = "application/json"

// isJSON reports whether a body is said to be JSON, or nothing is said.
func isJSON(contentType string) bool {
	if contentType == "" || contentType == jsonType {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == jsonType
}

// run runs a command for a caller and makes the view that he wants of its result.
func (d *Door) run(ctx context.Context, v *visit, request call.Call, name view.Name) (status int, text, media string, err error) {
	request.Source, request.Actor, request.RequestIP = source, &v.actor, v.caller.ip
	answer, ok := d.o.Runtime.Execute(ctx, request).(*result.Sealed)
	if !ok || answer == nil {
		return 0, "", "", huma.Error500InternalServerError("the call gave no canonical result")
	}
	text, media, err = d.project(ctx, answer, name, &v.caller)
	if err != nil {
		return 0, "", "", err
	}
	switch errcode.Code(answer.Code()) {
	case errcode.Unauthorized:
		return http.StatusUnauthorized, text, media, nil
	case errcode.Forbidden:
		return http.StatusForbidden, text, media, nil
	default:
		return http.StatusOK, text, media, nil
	}
}

// requestOf reads a document of call-request.schema.json. The bytes of the arguments stay as they are, and where they are.
func (d *Door) requestOf(t *wire.Tape) (c call.Call, name view.Name, err error) {
	name = view.Canonical
	var limit wire.Opt[wire.Int]
	for m := t.Members(t.Root()); m.Next(); {
		switch {
		case t.NameEqual(m.Name, "tool"):
			c.Tool = t.String(m.Value)
		case t.NameEqual(m.Name, "command"):
			c.Command = t.String(m.Value)
		case t.NameEqual(m.Name, "arguments"):
			c.Arguments = t.Raw(m.Value)
		case t.NameEqual(m.Name, "options"):
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

// show makes a response of a result for a caller.
func (d *Door) show(ctx context.Context, s *result.Sealed, name view.Name, c *caller) (*shown, error) {
	text, media, err := d.project(ctx, s, name, c)
	if err != nil {
		return nil, err
	}
	return &shown{Status: http.StatusOK, ContentType: media, Body: []byte(text)}, nil
}

// project makes a view of a result for a caller.
func (d *Door) project(ctx context.Context, s *result.Sealed, name view.Name, c *caller) (text, media string, err error) {
	var o view.Options
	if name == view.AI { // the only one that words what the schema says
		o.Ports = view.PortsOf(d.o.Registry(), s)
	}
	text, err = view.Project(s, name, c.reader(), o)
	if err != nil {
		d.o.Logger.LogAttrs(ctx, slog.LevelError, "a result cannot be shown", slog.String("resultId", s.ID()), slog.Any("error", err))
		return "", "", huma.Error500InternalServerError(fmt.Sprintf("the result %s cannot be shown", s.ID()))
	}
	return text, name.MediaType(o), nil
}

// insufficient is the denial of [lacking] for want of a scope, as an error.
func insufficient(scope string) error {
	no := lacking(scope)
	return huma.ErrorWithHeaders(huma.NewError(no.status, no.detail), http.Header{"WWW-Authenticate": {no.challenge}})
}

// statusOf is the status of an error that a handler returned.
func statusOf(err error) int {
	if known := huma.StatusError(nil); errors.As(err, &known) {
		return known.GetStatus()
	}
	return http.StatusInternalServerError
}
