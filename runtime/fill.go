package runtime

import (
	"context"
	"log/slog"
	"slices"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/id"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/result"
)

// maxAdvice is the longest advice in code points (specification §5.9).
const maxAdvice = 500

// fill completes a judged payload: what its author may leave out and the manifest or the protocol says
// (DESIGN §4, manifest defaults; §6.1; §10.3). Everything the author did say goes into the result as it is.
//
// beside are the warnings of the transport.
func (r *Runtime) fill(ctx context.Context, x *run, p *payload, beside []call.Warning) {
	var own warnings
	for _, w := range beside {
		if w.Code.Valid() && w.Message != "" {
			own.append(x.maskWarning(w))
		}
	}
	for _, w := range p.found {
		own.append(w)
	}
	parts, spec, t := &x.parts, x.spec, p.tape
	d := x.plan.defaultsOf(spec)
	parts.Status = p.status
	parts.Data = result.At(t, p.data)
	parts.Resources = result.At(t, p.resources)
	parts.Extensions = result.At(t, p.extensions)
	parts.Presentation = merge(t, p.presentation, d.presentation)
	parts.AIAdvice = advice(t, p.advice, d.advice, &own)
	if p.object(p.err) {
		parts.Error = errorOf(t, p.err)
		if !declared(spec, parts.Error.Code) {
			own.add(errcode.UndeclaredErrorCode, "the manifest does not declare the error code "+string(parts.Error.Code), "/error/code")
		}
	}
	if p.object(p.task) {
		parts.Task = r.taskOf(ctx, x, t, p.task)
	}
	if x.masked != nil {
		told := x.told
		if told == nil {
			told = secret.Pointers(t, x.masked, maxTold)
		}
		tellMasked(&parts.Policy, &own, len(x.masked), told)
	}
	parts.Warnings = own.after(t, p.warnings)
}

// defaultsOf returns the split defaults of a spec. A registry is immutable, so they were split by New; a
// registry that makes a spec at each lookup still gets them.
func (s *snapshot) defaultsOf(spec *call.Spec) defaults {
	if known := s.tools[spec.Tool]; known != nil {
		if d, ok := known.defaults[spec]; ok {
			return d
		}
	}
	return defaultsOf(spec)
}

// merge returns the object at the given place, completed by defaults for members that it does not have.
// An explicit null is an answer and stays null. at is -1 for an absent member.
func merge(t *wire.Tape, at int, missing completion) result.Value {
	if at < 0 {
		return result.Bytes(missing.whole)
	}
	if t.Kind(at) != wire.KindObject || !lacks(t, at, missing.members) {
		return result.At(t, at)
	}
	return result.Bytes(appendMissing(reopen(t, at), t, at, missing.members).bytes())
}

// reopen starts an object with the members of another.
func reopen(t *wire.Tape, at int) object {
	if t.Count(at) == 0 {
		return object{}
	}
	buf := t.AppendCompact(nil, at)
	return object{buf: buf[:len(buf)-1]}
}

func lacks(t *wire.Tape, at int, list []member) bool {
	for i := range list {
		if _, there := t.Find(at, list[i].name); !there {
			return true
		}
	}
	return false
}

// appendMissing adds the members that object at (-1: none) does not have.
func appendMissing(o object, t *wire.Tape, at int, list []member) *object {
	for i := range list {
		if at >= 0 {
			if _, there := t.Find(at, list[i].name); there {
				continue
			}
		}
		o.raw(list[i].name, list[i].value)
	}
	return &o
}

// advice is merge, with a message that is too long cut and the cut told (DESIGN §4: not refused).
func advice(t *wire.Tape, at int, missing completion, own *warnings) result.Value {
	if at < 0 || t.Kind(at) != wire.KindObject {
		return merge(t, at, missing)
	}
	message, there := t.Find(at, "message")
	if !there || t.Kind(message) != wire.KindString || t.Count(message) <= maxAdvice {
		return merge(t, at, missing)
	}
	var o object
	for m := t.Members(at); m.Next(); {
		if m.Value == message {
			o.text("message", wire.FirstPoints(t.String(message), maxAdvice))
			continue
		}
		o.raw(t.String(m.Name), t.AppendCompact(nil, m.Value))
	}
	var details object
	details.int("originalCharacters", int64(t.Count(message)))
	details.int("returnedCharacters", maxAdvice)
	own.append(call.Warning{
		Code: errcode.AdviceCleaned, Message: "the advice was longer than 500 characters and was cut",
		Target: "/aiAdvice/message", Details: details.bytes(),
	})
	return result.Bytes(appendMissing(o, t, at, missing.members).bytes())
}

// errorOf completes a plugin's error (specification §6.1): the category follows from the code unless it
// is stated, retryable is false, the rest null.
func errorOf(t *wire.Tape, at int) *result.ErrorPart {
	p := &result.ErrorPart{}
	for m := t.Members(at); m.Next(); {
		switch t.String(m.Name) {
		case "code":
			p.Code = errcode.Code(t.String(m.Value))
		case "message":
			p.Message = result.At(t, m.Value)
		case "category":
			p.Category = errcode.Category(t.String(m.Value))
		case "retryable":
			p.Retryable = t.Kind(m.Value) == wire.KindTrue
		case "target":
			p.Target = result.At(t, m.Value)
		case "details":
			p.Details = result.At(t, m.Value)
		case "cause":
			p.Cause = result.At(t, m.Value)
		}
	}
	if p.Category == "" {
		p.Category, _ = errcode.CategoryOf(p.Code)
	}
	return p
}

// declared reports whether a command may answer with the code. Any may break down: the sdk says so for a handler
// that panicked, as the runtime does for a linked one.
func declared(spec *call.Spec, code errcode.Code) bool {
	return code == errcode.InternalError || slices.Contains(spec.ErrorCodes, string(code))
}

// taskOf gives a plugin's task its identity in the runtime and its placeholder (specification §10.3,
// §10.5). The identity is the one that the call offered, whatever the plugin calls the task among its own: an
// id that the plugin chose could be that of another call.
func (r *Runtime) taskOf(ctx context.Context, x *run, t *wire.Tape, at int) *result.TaskPart {
	p := &result.TaskPart{ID: x.taskID}
	theirs := ""
	for m := t.Members(at); m.Next(); {
		switch t.String(m.Name) {
		case "id":
			theirs = t.String(m.Value)
		case "state":
			p.State = t.String(m.Value)
		case "progress":
			p.Progress = result.At(t, m.Value)
		case "pollAfterMs":
			p.PollAfterMs = result.At(t, m.Value)
		}
	}
	if p.ID == "" { // a synchronous command that tells of a task
		p.ID = r.ids(id.Task, x.started)
	}
	if theirs != p.ID {
		r.log.LogAttrs(ctx, slog.LevelDebug, "the plugin has another id for the task",
			slog.String("tool", x.spec.Tool), slog.String("theirs", short(x.secrets.Text(theirs))), slog.String("taskId", p.ID))
	}
	p.Placeholder = "{{VCP_ASYNC_RESULT::" + x.spec.Tool + "::" + p.ID + "}}"
	return p
}

// warnings collects what the core has to say beside the plugin.
type warnings struct{ buf []byte }

func (w *warnings) add(code errcode.Warning, message, target string) {
	w.append(call.Warning{Code: code, Message: message, Target: target})
}

func (w *warnings) addDetails(code errcode.Warning, message, target string, details []byte) {
	w.append(call.Warning{Code: code, Message: message, Target: target, Details: details})
}

func (w *warnings) append(warning call.Warning) {
	if len(w.buf) > 0 {
		w.buf = append(w.buf, ',')
	}
	var o object
	o.text("code", string(warning.Code))
	o.text("message", warning.Message)
	o.textIf("target", warning.Target)
	if isObject(warning.Details) {
		o.raw("details", warning.Details)
	}
	w.buf = append(w.buf, o.bytes()...)
}

// isObject reports whether raw is a JSON object, as details have to be.
func isObject(raw []byte) bool {
	var t wire.Tape
	return len(raw) > 0 && t.Scan(raw, unlimited(raw)) == nil && t.Kind(t.Root()) == wire.KindObject
}

// list returns the core's warnings alone.
func (w *warnings) list() result.Value {
	return result.Bytes(append(append([]byte{'['}, w.buf...), ']'))
}

// after returns the plugin's warnings followed by the core's.
func (w *warnings) after(t *wire.Tape, at int) result.Value {
	if len(w.buf) == 0 {
		return result.At(t, at)
	}
	buf := t.AppendCompact(nil, at)
	buf = buf[:len(buf)-1]
	if t.Count(at) > 0 {
		buf = append(buf, ',')
	}
	return result.Bytes(append(append(buf, w.buf...), ']'))
}
