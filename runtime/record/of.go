package record

import (
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// Of makes the record of a result, with the result below it. v is the whole of it, as [result.Open] gives it, not what
// policy left for a reader; digest is what the audit presenter made of it, with the caller's address. The id
// is the result's execution.recordId, which must be there: the error is a [*NoIDError].
func Of(v *result.Visible, digest string) (Record, error) {
	t := v.Tape()
	execution, tool, actor := v.At(result.Execution), v.At(result.Tool), v.At(result.Actor)
	text := func(object int, name string) string {
		if object >= 0 && t.Kind(object) == wire.KindObject {
			if at, ok := t.Find(object, name); ok && t.Kind(at) == wire.KindString {
				return t.Label(at)
			}
		}
		return ""
	}
	r := Record{
		ID:           text(execution, "recordId"),
		ResultID:     v.ID(),
		InvocationID: text(execution, "invocationId"),
		RequestID:    text(execution, "requestId"),
		TaskID:       text(v.At(result.Task), "id"),
		Tool:         Key(text(tool, "name")),
		Command:      Key(text(tool, "command")),
		Status:       v.Status(),
		Code:         Key(v.Code()),
		Actor:        ActorKey(&call.Actor{ID: text(actor, "id"), Name: text(actor, "name"), Maid: text(actor, "maid")}),
		Source:       Key(text(v.At(result.Origin), "source")),
		Protocol:     Key(text(v.At(result.Protocol), "version")),
		Size:         v.Len(),
		Digest:       digest,
	}
	if r.ID == "" {
		return Record{}, &NoIDError{ResultID: r.ResultID}
	}
	finished, err := time.Parse(time.RFC3339, text(execution, "finishedAt"))
	if err != nil {
		return Record{}, err
	}
	r.Created = finished.UTC().Truncate(time.Millisecond)
	r.Result = &Result{Text: v.String(), Index: indexOf(v), Resources: resourcesOf(v, r.ResultID, text)}
	return r, nil
}

func resourcesOf(v *result.Visible, id string, text func(int, string) string) []Resource {
	t, list := v.Tape(), v.At(result.Resources)
	if list < 0 || t.Kind(list) != wire.KindArray {
		return nil
	}
	var out []Resource
	for c := t.FirstChild(list); c < t.Next(list); c = t.Next(c) {
		out = append(out, Resource{ID: text(c, "id"), SHA256: text(c, "sha256"), ResultID: id})
	}
	return out
}

// NoIDError says that a result names no record, so that it cannot be kept.
type NoIDError struct{ ResultID string }

// Error names the result.
func (e *NoIDError) Error() string { return "result " + e.ResultID + " has no recordId" }

// Sealed reads a stored result back. Every version of the protocol that was ever released is known here; the
// error is a [*ProtocolError] for one of a newer program, or what [result.Parse] says.
func (r *Record) Sealed() (*result.Sealed, error) {
	if r.Result == nil {
		return nil, &NotFoundError{ID: r.ResultID}
	}
	switch r.Protocol {
	case "1.0":
		return result.Parse([]byte(r.Result.Text))
	default:
		return nil, &ProtocolError{ResultID: r.ResultID, Version: r.Protocol}
	}
}
