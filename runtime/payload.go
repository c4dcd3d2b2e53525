package runtime

import (
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/protocol"
	v1 "vcp.core/generated/protocol/v1"
)

// payload is a scanned payload with the places of its members; -1 is an absent one.
type payload struct {
	tape   *wire.Tape
	status call.Status

	data, resources, warnings, err, task, presentation, advice, extensions int
}

// judgePayload accepts a payload or says what is wrong with it. The order is from the syntax to the
// meaning, so that the error names the first thing that its author has to repair.
func (r *Runtime) judgePayload(x *run, src []byte, s *scratch) (p payload, f *failure) {
	spec := x.spec
	t := &s.payload
	if err := x.scanPayload(t, src, r.limits.Payload); err != nil {
		return p, unscannable(errcode.InvalidToolResult, "the payload", err)
	}
	if f := forged(t); f != nil {
		return p, f
	}
	if v1.JudgePayload(t) != nil {
		return p, mismatch(subject{"payload member", "the payload"}, "", protocol.Validator(schema.Payload).Violations(t))
	}
	p = openPayload(t)
	if f := fitsKind(spec, p.status); f != nil {
		return p, f
	}
	if f := resourcesOf(&p); f != nil {
		return p, f
	}
	if p.status != call.Success && p.status != call.Partial {
		return p, nil
	}
	if f := outputs(spec, &p); f != nil {
		return p, f
	}
	if j, ok := spec.Output.(call.NodeJudge); ok && j.VerdictAt(t, p.data) == wire.Valid {
		return p, nil
	}
	// Other judges know whole documents only, and violations are told as if data were one.
	d := &s.data
	if err := d.Scan(t.Raw(p.data), r.limits.Payload); err != nil {
		return p, unscannable(errcode.InvalidToolResult, "data", err)
	}
	if spec.Output.Verdict(d) != wire.Valid {
		return p, mismatch(subject{"data member", "data"}, "/data", x.plan.explain.output(spec, d))
	}
	return p, nil
}

// forged looks for members that only the core may write (specification §5.1). The payload schema refuses
// them too; looking first gives the failure its own reason.
func forged(t *wire.Tape) *failure {
	if t.Kind(t.Root()) != wire.KindObject {
		return nil
	}
	var found []string
	var buf [16]byte
	for m := t.Members(t.Root()); m.Next(); {
		switch string(t.Text(m.Name, buf[:0])) {
		case "id", "protocol", "tool", "execution", "actor", "origin", "record", "policy":
			found = append(found, t.String(m.Name))
		}
	}
	if found == nil {
		return nil
	}
	f := fail(errcode.InvalidToolResult, "the payload brings %s, which only the core writes", strings.Join(found, ", "))
	f.at("/" + found[0]).because(errcode.ForgedField)
	f.details.texts("members", found)
	return f
}

// mismatch is the failure of a payload or of data that breaks its schema.
func mismatch(s subject, prefix string, list []call.Violation) *failure {
	if len(list) == 0 {
		return fail(errcode.InvalidToolResult, "%s breaks its schema", s.whole).at(prefix).because(errcode.SchemaMismatch)
	}
	text, first := s.explain(list)
	reason := first.Reason
	if reason == "" {
		reason = reasonOf(list)
	}
	f := fail(errcode.InvalidToolResult, "%s", text).at(prefix + target(first)).because(reason)
	f.addViolations(list, prefix)
	return f
}

// reasonOf tells a broken status matrix from every other mismatch. The matrix of specification §5.5 is
// the allOf of the payload schema; when nothing else is broken, it is the matrix.
func reasonOf(list []call.Violation) errcode.Reason {
	for i := range list {
		v := &list[i]
		if v.SchemaFile != schema.Payload+".schema.json" || !strings.HasPrefix(v.SchemaPointer, "/allOf/") {
			return errcode.SchemaMismatch
		}
	}
	return errcode.StatusMatrix
}

// openPayload finds the members of a valid payload.
func openPayload(t *wire.Tape) payload {
	p := payload{tape: t, data: -1, resources: -1, warnings: -1, err: -1, task: -1, presentation: -1, advice: -1, extensions: -1}
	var buf [16]byte
	for m := t.Members(t.Root()); m.Next(); {
		switch string(t.Text(m.Name, buf[:0])) {
		case "status":
			p.status = statusOf(t, m.Value)
		case "data":
			p.data = m.Value
		case "resources":
			p.resources = m.Value
		case "warnings":
			p.warnings = m.Value
		case "error":
			p.err = m.Value
		case "task":
			p.task = m.Value
		case "presentation":
			p.presentation = m.Value
		case "aiAdvice":
			p.advice = m.Value
		case "extensions":
			p.extensions = m.Value
		}
	}
	return p
}

// statusOf reads one of the six statuses without making a new string of it.
func statusOf(t *wire.Tape, at int) call.Status {
	for _, s := range [...]call.Status{call.Success, call.Error, call.Accepted, call.Partial, call.Cancelled, call.Timeout} {
		if t.NameEqual(at, string(s)) {
			return s
		}
	}
	return ""
}

// object reports whether a member is present and not null.
func (p *payload) object(at int) bool { return at >= 0 && p.tape.Kind(at) == wire.KindObject }

// fitsKind refuses statuses that do not fit how the command answers (DESIGN §4, kinds and statuses).
func fitsKind(spec *call.Spec, status call.Status) *failure {
	switch {
	case spec.Kind == call.Synchronous && status == call.Accepted:
	case spec.Kind == call.Asynchronous && status != call.Accepted && status != call.Error:
	default:
		return nil
	}
	return fail(errcode.InvalidToolResult, "%s.%s is %s and must not answer with status %q", spec.Tool, spec.Command, spec.Kind, status).
		at("/status").because(errcode.KindMismatch)
}

// resourcesOf refuses resources and references to them: this runtime has no store to publish into, and a
// result must not name what nobody can fetch.
func resourcesOf(p *payload) *failure {
	t := p.tape
	if n := t.Count(p.resources); n > 0 {
		f := fail(errcode.InvalidToolResult, "the payload brings %d resources, but no resource store is configured for this transport", n).
			at("/resources").because(errcode.LimitResources)
		f.details.int("limit", 0)
		return f
	}
	dangling := func(at int, id string) *failure {
		f := fail(errcode.InvalidToolResult, "%s refers to the resource %q, which the payload does not bring", quotePointer(t.Pointer(at)), short(id)).
			at(t.Pointer(at)).because(errcode.DanglingResource)
		f.details.text("resource", short(id))
		return f
	}
	for at := p.data; at < t.Next(p.data); at++ {
		if t.Kind(at) != wire.KindObject {
			continue
		}
		if ref, ok := wire.RefAt(t, at); ok {
			return dangling(at, ref.ID)
		}
	}
	if p.object(p.presentation) {
		if at, ok := t.Find(p.presentation, "primaryResourceId"); ok && t.Kind(at) == wire.KindString {
			return dangling(at, t.String(at))
		}
	}
	if p.object(p.advice) {
		if at, ok := t.Find(p.advice, "resourceIds"); ok && t.Count(at) > 0 {
			return dangling(t.FirstChild(at), t.String(t.FirstChild(at)))
		}
	}
	return nil
}

// outputs demands the references that the manifest promises. A partial result may lack some of them.
func outputs(spec *call.Spec, p *payload) *failure {
	if p.status != call.Success {
		return nil
	}
	for _, o := range spec.ResourceOutputs {
		at, there := p.tape.Lookup("/data" + o.Field)
		if there {
			if _, ok := wire.RefAt(p.tape, at); ok {
				continue
			}
		}
		return fail(errcode.InvalidToolResult, "data %s must refer to a resource", quotePointer(o.Field)).
			at("/data" + o.Field).because(errcode.MissingResourceOutput)
	}
	return nil
}
