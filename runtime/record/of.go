package record

import (
	"sync"
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
	r, err := keysOf(t, v.At)
	if err != nil {
		return Record{}, err
	}
	r.Size, r.Digest = v.Len(), digest
	r.Result = &Result{Text: v.String(), Index: indexOf(v), Resources: resourcesOf(v, r.ResultID)}
	return r, nil
}

// keysOf reads what a record is found by. at says where on the tape a member of the result is.
func keysOf(t *wire.Tape, at func(result.Member) int) (Record, error) {
	object := func(m result.Member) result.Object { return result.ObjectAt(t, at(m)) }
	execution, tool, actor := object(result.Execution), object(result.Tool), object(result.Actor)
	task, origin, protocol, failure := object(result.Task), object(result.Origin), object(result.Protocol), object(result.Error)
	r := Record{
		ResultID:     text(t, at(result.ID)),
		InvocationID: member(t, &execution, "invocationId"),
		RequestID:    member(t, &execution, "requestId"),
		ID:           member(t, &execution, "recordId"),
		TaskID:       member(t, &task, "id"),
		Tool:         Key(member(t, &tool, "name")),
		Command:      Key(member(t, &tool, "command")),
		Status:       call.Status(text(t, at(result.Status))),
		Code:         Key(member(t, &failure, "code")),
		Actor:        ActorKey(&call.Actor{ID: member(t, &actor, "id"), Name: member(t, &actor, "name"), Maid: member(t, &actor, "maid")}),
		Source:       Key(member(t, &origin, "source")),
		Protocol:     Key(member(t, &protocol, "version")),
	}
	if r.ID == "" {
		return Record{}, &NoIDError{ResultID: r.ResultID}
	}
	finished, err := time.Parse(time.RFC3339, member(t, &execution, "finishedAt"))
	if err != nil {
		return Record{}, err
	}
	r.Created = finished.UTC().Truncate(time.Millisecond)
	return r, nil
}

// text is the string at a node, "" when there is none.
func text(t *wire.Tape, at int) string {
	if at >= 0 && t.Kind(at) == wire.KindString {
		return t.Label(at)
	}
	return ""
}

// member is the string that a member of an object is, "" when there is none.
func member(t *wire.Tape, o *result.Object, name string) string { return text(t, o.Find(name)) }

// keyed are the members of a result that keysOf reads.
var keyed = [...]result.Member{result.Protocol, result.ID, result.Status, result.Tool, result.Execution, result.Actor, result.Origin, result.Error, result.Task}

// tapes are tapes with scratch from earlier scans.
var tapes = sync.Pool{New: func() any { return new(wire.Tape) }}

// FromText reads the record of a result back from the text that a store kept of it: the record that [Of] made, without
// its digest and without the result. The index saves scanning the whole of the text. It is false when the index
// is of another text, or when the text is of a version of the protocol that this program does not know: the store
// then has to look up the record that it keeps.
func FromText(canonical string, x *Index) (Record, bool) {
	// The members become the elements of one list, which is scanned at once.
	size := len(keyed) + 1
	for _, m := range keyed {
		size += len(x.Member(canonical, m))
	}
	list := make([]byte, 0, size)
	for i, m := range keyed {
		list = append(list, "[,"[min(i, 1)])
		list = append(list, x.Member(canonical, m)...)
	}
	list = append(list, ']')
	t := tapes.Get().(*wire.Tape)
	defer func() {
		t.Reset()
		tapes.Put(t)
	}()
	if err := t.Scan(list, wire.Limits{Bytes: size}); err != nil || t.Count(t.Root()) != len(keyed) {
		return Record{}, false
	}
	var nodes [members + 1]int
	at := t.FirstChild(t.Root())
	for _, m := range keyed {
		nodes[m], at = at, t.Next(at)
	}
	r, err := keysOf(t, func(m result.Member) int { return nodes[m] })
	r.Size = len(canonical)
	return r, err == nil && r.Protocol == protocol
}

func resourcesOf(v *result.Visible, id string) []Resource {
	t, list := v.Tape(), v.At(result.Resources)
	if list < 0 || t.Kind(list) != wire.KindArray {
		return nil
	}
	var out []Resource
	for c := t.FirstChild(list); c < t.Next(list); c = t.Next(c) {
		o := result.ObjectAt(t, c)
		out = append(out, Resource{ID: member(t, &o, "id"), SHA256: member(t, &o, "sha256"), ResultID: id})
	}
	return out
}

// NoIDError says that a result names no record, so that it cannot be kept.
type NoIDError struct{ ResultID string }

// Error names the result.
func (e *NoIDError) Error() string { return "result " + e.ResultID + " has no recordId" }

// protocol is the version of the protocol that results are written in.
const protocol = "1.0"

// Sealed reads a stored result back. Every version of the protocol that was ever released is known here; the
// error is a [*ProtocolError] for one of a newer program, or what [result.Parse] says.
func (r *Record) Sealed() (*result.Sealed, error) {
	if r.Result == nil {
		return nil, &NotFoundError{ID: r.ResultID}
	}
	switch r.Protocol {
	case protocol:
		return result.Parse([]byte(r.Result.Text))
	default:
		return nil, &ProtocolError{ResultID: r.ResultID, Version: r.Protocol}
	}
}
