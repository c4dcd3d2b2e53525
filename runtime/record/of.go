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
	execution, tool, actor := v.Object(result.Execution), v.Object(result.Tool), v.Object(result.Actor)
	task, origin, protocol := v.Object(result.Task), v.Object(result.Origin), v.Object(result.Protocol)
	r := Record{
		ResultID:     v.ID(),
		InvocationID: textOf(t, &execution, "invocationId"),
		RequestID:    textOf(t, &execution, "requestId"),
		ID:           textOf(t, &execution, "recordId"),
		TaskID:       textOf(t, &task, "id"),
		Tool:         Key(textOf(t, &tool, "name")),
		Command:      Key(textOf(t, &tool, "command")),
		Status:       v.Status(),
		Code:         Key(v.Code()),
		Actor:        ActorKey(&call.Actor{ID: textOf(t, &actor, "id"), Name: textOf(t, &actor, "name"), Maid: textOf(t, &actor, "maid")}),
		Source:       Key(textOf(t, &origin, "source")),
		Protocol:     Key(textOf(t, &protocol, "version")),
		Size:         v.Len(),
		Digest:       digest,
	}
	if r.ID == "" {
		return Record{}, &NoIDError{ResultID: r.ResultID}
	}
	finished, err := time.Parse(time.RFC3339, textOf(t, &execution, "finishedAt"))
	if err != nil {
		return Record{}, err
	}
	r.Created = finished.UTC().Truncate(time.Millisecond)
	r.Result = &Result{Text: v.String(), Index: indexOf(v), Resources: resourcesOf(v, r.ResultID)}
	return r, nil
}

// textOf is the text of a member, "" when there is none.
func textOf(t *wire.Tape, o *result.Object, name string) string {
	if at := o.Find(name); at >= 0 && t.Kind(at) == wire.KindString {
		return t.Label(at)
	}
	return ""
}

func resourcesOf(v *result.Visible, id string) []Resource {
	t, list := v.Tape(), v.At(result.Resources)
	if list < 0 || t.Kind(list) != wire.KindArray {
		return nil
	}
	var out []Resource
	for c := t.FirstChild(list); c < t.Next(list); c = t.Next(c) {
		o := result.ObjectAt(t, c)
		out = append(out, Resource{ID: textOf(t, &o, "id"), SHA256: textOf(t, &o, "sha256"), ResultID: id})
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
