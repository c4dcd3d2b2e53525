package http

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vcp.core/contract/call"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/record"
)

// Tool is a command as GET /v1/tools lists it.
type Tool struct {
	Tool         string          `json:"tool"`
	DisplayName  string          `json:"displayName"`
	Version      string          `json:"version"`
	Command      string          `json:"command"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	Kind         call.Kind       `json:"kind"`
	Effect       call.Effect     `json:"effect"`
	TimeoutMs    int64           `json:"timeoutMs"`
	Disabled     bool            `json:"disabled"`
	Admin        bool            `json:"requiresAdmin"`
	Scopes       []string        `json:"scopes" nullable:"false"`
	ErrorCodes   []string        `json:"errorCodes" nullable:"false"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
}

type toolList struct {
	Tools []Tool `json:"tools" nullable:"false"`
}

type toolsInput struct {
	Tool string `query:"tool" doc:"Only the commands of this tool, or the one of Tool.Command."`
}

func (d *Door) tools(ctx context.Context, in *toolsInput) (*shown, error) {
	c := callerOf(ctx)
	if !c.Has(token.Call) {
		return nil, insufficient(token.Call)
	}
	list := []Tool{}
	for _, s := range d.o.Registry().Specs() {
		if in.Tool != "" && in.Tool != s.Tool && in.Tool != s.Tool+"."+s.Command {
			continue
		}
		list = append(list, Tool{
			Tool: s.Tool, DisplayName: s.DisplayName, Version: s.Version, Command: s.Command, Title: s.Title, Description: s.Description,
			Kind: s.Kind, Effect: s.Effect, TimeoutMs: s.Timeout.Milliseconds(), Disabled: s.Disabled, Admin: s.RequiresAdmin,
			Scopes: append([]string{}, s.Scopes...), ErrorCodes: append([]string{}, s.ErrorCodes...),
			InputSchema: s.InputSchema, OutputSchema: s.OutputSchema,
		})
	}
	return inJSON(toolList{list})
}

// inJSON is a response of ours, with < and > as they are.
func inJSON(v any) (*shown, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return &shown{Status: http.StatusOK, ContentType: "application/json", Body: b.Bytes()}, nil
}

type resultInput struct {
	ID   string `path:"id" doc:"That of the result, tr_ and a ULID, or that of its record, tcr_ and a ULID."`
	View string `query:"view" default:"canonical" enum:"canonical,human,ai,bridge,audit" doc:"The projection."`
}

func (d *Door) result(ctx context.Context, in *resultInput) (*shown, error) {
	c := callerOf(ctx)
	kept, err := d.recordFor(ctx, &c, in.ID)
	if err != nil {
		return nil, err
	}
	sealed, err := kept.Sealed()
	if err != nil {
		d.o.Logger.LogAttrs(ctx, slog.LevelError, "a stored result cannot be read", slog.String("resultId", in.ID), slog.Any("error", err))
		return nil, huma.Error500InternalServerError("the stored result cannot be read")
	}
	return d.show(ctx, sealed, view.Name(in.View), &c)
}

// recordFor reads the record of a result that the caller may see. What he may not see is not there.
func (d *Door) recordFor(ctx context.Context, c *caller, id string) (record.Record, error) {
	if !c.reads() {
		return record.Record{}, insufficient(token.ResultsRead)
	}
	missing := huma.Error404NotFound("there is no result " + record.Key(id))
	if d.o.Records == nil {
		return record.Record{}, missing
	}
	limited, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	get := d.o.Records.Result
	if strings.HasPrefix(id, "tcr_") {
		get = d.o.Records.Record
	}
	kept, err := get(limited, id)
	switch {
	case errors.As(err, new(*record.NotFoundError)), err == nil && kept.Result == nil:
		return kept, missing
	case err != nil:
		return kept, d.storeFailed(ctx, err)
	case !c.Sees(kept.Actor):
		return kept, missing
	}
	return kept, nil
}

// storeWait is how long a request waits for the store. It holds one of the places of the door meanwhile.
const storeWait = 10 * time.Second

// storeFailed is the answer when the store did not do what it was asked. The context is the caller's: that he went away is no
// failure of the store.
func (d *Door) storeFailed(ctx context.Context, err error) error {
	if errors.As(err, new(*record.CursorError)) {
		return huma.Error400BadRequest(err.Error(), &huma.ErrorDetail{Location: "query.after", Message: "is no place in a list"})
	}
	if ctx.Err() == nil {
		d.o.Logger.LogAttrs(ctx, slog.LevelError, "the store does not answer", slog.Any("error", err))
	}
	return huma.Error503ServiceUnavailable("the store does not answer")
}

type auditInput struct {
	Tool      string `query:"tool" doc:"A tool, or Tool.Command."`
	Command   string `query:"command"`
	Status    string `query:"status" enum:"success,accepted,partial,error,cancelled,timeout"`
	Actor     string `query:"actor" doc:"The actor's id."`
	RequestID string `query:"requestId"`
	From      string `query:"from" format:"date-time" doc:"Ended at this time or later."`
	To        string `query:"to" format:"date-time" doc:"Ended before this time."`
	After     string `query:"after" doc:"The next of the page before."`
	Limit     int    `query:"limit" default:"50" minimum:"1" maximum:"1000"`
}

// timeOf reads a time that huma has checked, zero where there is none.
func timeOf(text string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, text)
	return t
}

// audit lists digests. A digest holds nothing of what a tool said, so the scope is one of its own.
func (d *Door) audit(ctx context.Context, in *auditInput) (*shown, error) {
	c := callerOf(ctx)
	if !c.Has(token.AuditRead) {
		return nil, insufficient(token.AuditRead)
	}
	from, to := timeOf(in.From), timeOf(in.To)
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return nil, huma.Error400BadRequest("validation failed", &huma.ErrorDetail{Location: "query.to", Message: "is not after from, so nothing can have ended between them", Value: in.To})
	}
	page := record.Page{}
	if d.o.Records != nil {
		limited, cancel := context.WithTimeout(ctx, storeWait)
		defer cancel()
		var err error
		page, err = record.ListNamed(limited, d.o.Records, in.Tool, record.Query{
			Command: in.Command, Status: call.Status(in.Status), Actor: in.Actor, RequestID: in.RequestID,
			From: from, To: to, After: in.After, Limit: in.Limit,
		})
		if err != nil {
			return nil, d.storeFailed(ctx, err)
		}
	}
	list := make([]json.RawMessage, 0, len(page.Records))
	for i := range page.Records {
		if digest := page.Records[i].Digest; digest != "" {
			list = append(list, json.RawMessage(digest))
		}
	}
	var next *string
	if page.Next != "" {
		next = &page.Next
	}
	return inJSON(struct {
		Records []json.RawMessage `json:"records"`
		Next    *string           `json:"next"`
	}{list, next})
}
