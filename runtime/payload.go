package runtime

import (
	"context"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/protocol"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/resource"
)

// payload is a scanned payload with the places of its members; -1 is an absent one.
type payload struct {
	tape   *wire.Tape
	status call.Status

	data, resources, warnings, err, task, presentation, advice, extensions int

	found []call.Warning // what the core has to say about the resources
}

// judgePayload accepts a payload or says what is wrong with it. The order is from the syntax to the
// meaning, so that the error names the first thing that its author has to repair.
func (r *Runtime) judgePayload(ctx context.Context, x *run, src []byte, s *scratch) (p payload, f *failure) {
	spec := x.spec
	t := &s.payload
	if err := x.scanPayload(t, src, r.limits.Payload); err != nil {
		return p, unscannable(errcode.InvalidToolResult, "the payload", err)
	}
	if f := forged(t); f != nil {
		return p, f
	}
	if v1.JudgePayload(t) != nil {
		return p, mismatch(subject{"payload member", "the payload"}, "", pathless(protocol.Validator(schema.Payload).Violations(t)))
	}
	p = openPayload(t)
	if f := fitsKind(spec, p.status); f != nil {
		return p, f
	}
	plan, refusal := r.publisher.Read(t, resource.Places{Data: p.data, Resources: p.resources, Presentation: p.presentation, Advice: p.advice}, x.started)
	if refusal != nil {
		return p, refused(refusal)
	}
	if f := r.judgeData(x, &p, plan, s); f != nil {
		return p, f
	}
	if plan == nil {
		return p, nil
	}
	return r.publish(ctx, x, &p, plan, s)
}

// judgeData holds data of success and partial against the manifest, as it will be when the plan is done.
func (r *Runtime) judgeData(x *run, p *payload, plan *resource.Plan, s *scratch) *failure {
	if p.status != call.Success && p.status != call.Partial {
		return nil
	}
	spec := x.spec
	if f := outputs(spec, p, plan); f != nil {
		return f
	}
	if j, ok := spec.Output.(call.NodeJudge); ok && plan == nil && j.VerdictAt(p.tape, p.data) == wire.Valid {
		return nil
	}
	// Other judges know whole documents only, and violations are told as if data were one.
	d, src := &s.data, p.tape.Raw(p.data)
	if plan != nil {
		src = plan.Data()
	}
	if err := d.Scan(src, unlimited(src)); err != nil { // the payload was within the limits
		return unscannable(errcode.InvalidToolResult, "data", err)
	}
	if spec.Output.Verdict(d) == wire.Valid {
		return nil
	}
	list := x.plan.explain.output(spec, d)
	if plan != nil {
		if f := undeclared(spec, plan, list, d); f != nil {
			return f
		}
	}
	return mismatch(subject{"data member", "data"}, "/data", list)
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
