package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/direct"
)

// failure is why a call did not get a result from its tool. It becomes the error of the canonical result.
type failure struct {
	status    call.Status
	code      errcode.Code
	message   string // one sentence, lower case, no period; names no path, no secret, no stack
	target    *string
	retryable bool
	begun     bool // the command was started
	details   object
}

// fail is a failure with status error.
func fail(code errcode.Code, format string, args ...any) *failure {
	return &failure{status: call.Error, code: code, message: fmt.Sprintf(format, args...)}
}

// at sets the target, a JSON Pointer.
func (f *failure) at(pointer string) *failure {
	pointer = nearest(pointer)
	f.target = &pointer
	return f
}

// because adds a reason of the closed set.
func (f *failure) because(reason errcode.Reason) *failure {
	f.details.text("reason", string(reason))
	return f
}

// unsure adds that the command may have had its effect all the same. It goes with every failure of a
// command that was started and does more than read (DESIGN §4, durability).
func (f *failure) unsure(spec *call.Spec) *failure {
	f.begun = true
	if spec.Effect != call.Read {
		f.details.text("effect", "unknown")
	}
	return f
}

// part completes the failure as specification §6.1 has it.
func (f *failure) part() *result.ErrorPart {
	category, _ := errcode.CategoryOf(f.code)
	p := &result.ErrorPart{
		Code: f.code, Message: result.Text(f.message), Category: category, Retryable: f.retryable,
	}
	if f.target != nil {
		p.Target = result.Text(*f.target)
	}
	if !f.details.empty() {
		p.Details = result.Bytes(f.details.bytes())
	}
	return p
}

// unscannable is the failure of bytes that broke the ingest rules. what names them.
func unscannable(code errcode.Code, what string, err error) *failure {
	var refused *wire.Error
	if !errors.As(err, &refused) {
		return fail(errcode.InternalError, "%s cannot be read", what)
	}
	reason := refused.Reason
	if code == errcode.InvalidToolResult && reason == errcode.LimitBytes {
		reason = errcode.ResultTooLarge
	}
	f := fail(code, "%s: %s, at byte %d", what, refused.Detail, refused.Offset).because(reason)
	f.details.int("offset", int64(refused.Offset))
	if refused.Limit > 0 {
		f.details.int("limit", int64(refused.Limit))
	}
	return f
}

// maxListed bounds the violations that an error carries; violationCount tells how many there are.
const maxListed = 20

// addViolations lists violations under prefix, a JSON Pointer that theirs continue. File names stay out:
// they are the operator's paths.
func (f *failure) addViolations(list []call.Violation, prefix string) {
	f.details.int("violationCount", int64(len(list)))
	f.details.name("violations")
	f.details.buf = append(f.details.buf, '[')
	for i, v := range list[:min(len(list), maxListed)] {
		if i > 0 {
			f.details.buf = append(f.details.buf, ',')
		}
		var o object
		o.text("pointer", prefix+nearest(v.Pointer))
		o.textIf("member", v.Missing)
		o.text("keyword", v.Keyword)
		o.text("schemaPointer", v.SchemaPointer)
		o.text("expected", v.Expected)
		o.text("got", v.Got)
		o.text("message", v.Message)
		o.textIf("hint", v.Hint)
		o.textIf("reason", string(v.Reason))
		f.details.buf = append(f.details.buf, o.bytes()...)
	}
	f.details.buf = append(f.details.buf, ']')
}

// subject names what was judged: a part ("argument") and the whole ("the arguments").
type subject struct{ part, whole string }

// explain says what violations found, for somebody who can correct it: what, where, expected, got. It is
// about one of them, which it returns, and counts the others.
//
// That one is the first, with an exception: an optional object is a union of the object and null, and when
// something inside it is wrong, the union says little. So a union steps back for a violation that lies
// deeper. A union that says it all is explained by the violation that comes with it.
func (s subject) explain(list []call.Violation) (string, *call.Violation) {
	for len(list) > 1 && union(&list[0]) && strings.HasPrefix(list[1].Pointer, list[0].Pointer+"/") {
		list = list[1:]
	}
	text, told := s.clause(&list[0]), 1
	if union(&list[0]) && len(list) > 1 {
		text += "; in the closest of them, " + s.clause(&list[1])
		told = 2
	}
	switch more := len(list) - told; more {
	case 0:
	case 1:
		text += "; 1 more violation in details"
	default:
		text += fmt.Sprintf("; %d more violations in details", more)
	}
	return text, &list[0]
}

func union(v *call.Violation) bool { return v.Keyword == "anyOf" || v.Keyword == "oneOf" }

func (s subject) clause(v *call.Violation) string {
	var b strings.Builder
	if pointer := target(v); pointer == "" {
		b.WriteString(s.whole)
	} else if len(pointer) > maxPointer {
		b.WriteString(s.part + " " + strconv.Quote(short(pointer)))
	} else {
		b.WriteString(s.part + " " + quotePointer(pointer))
	}
	switch {
	case v.Missing != "":
		b.WriteString(" is missing")
	case v.Keyword == "additionalProperties":
		b.WriteString(" is not known")
	default:
		fmt.Fprintf(&b, ": expected %s, got %s", v.Expected, v.Got)
	}
	if v.Hint != "" {
		b.WriteString(" (" + v.Hint + ")")
	}
	return b.String()
}

// quotePointer writes /time as "time" and keeps longer pointers as they are.
func quotePointer(pointer string) string {
	if rest := strings.TrimPrefix(pointer, "/"); rest != pointer && !strings.ContainsAny(rest, "/~") {
		return strconv.Quote(rest)
	}
	return strconv.Quote(pointer)
}

// maxPointer is the longest pointer, in bytes, that an error tells. A name may be as long as a document.
const maxPointer = 1024

// nearest returns a pointer, or where it is too long the one of the closest value around that is not.
func nearest(pointer string) string {
	if len(pointer) <= maxPointer {
		return pointer
	}
	return pointer[:max(strings.LastIndexByte(pointer[:maxPointer+1], '/'), 0)]
}

// target is the pointer of a violation, of the missing member where one is missing.
func target(v *call.Violation) string {
	if v.Missing == "" {
		return v.Pointer
	}
	return string(wire.AppendPointer([]byte(v.Pointer), v.Missing))
}

// stopped is the failure of a call whose context ended: timeout when a deadline did it, else cancelled. limit is
// 0 when the command's time had not begun.
func stopped(cause error, limit time.Duration) *failure {
	if errors.Is(cause, context.DeadlineExceeded) {
		f := fail(errcode.ToolTimeout, "the call did not end within its limit of %v", limit)
		if limit <= 0 {
			f.message = "the caller's time was over before the command began"
		}
		f.status = call.Timeout
		f.retryable = true
		return f
	}
	f := fail(errcode.ToolCancelled, "the call was cancelled")
	f.status = call.Cancelled
	f.retryable = true
	return f
}

// fromFailure turns what a transport says about its failure into one of ours. Transports are other people's code,
// too: a code, a reason or a detail that the result's schema would refuse is left out.
func fromFailure(broken *transport.Failure, spec *call.Spec) *failure {
	f := fail(broken.Code, "%s", broken.Message)
	reason := broken.Reason
	if !reason.Known() {
		reason = ""
	}
	if !broken.Code.Valid() || broken.Code == errcode.InvalidToolResult && reason == "" {
		f.code = errcode.TransportFailure
	}
	if f.message == "" {
		f.message = "the plugin " + spec.Tool + " could not be reached"
	}
	f.retryable = broken.Passing && !broken.Started
	taken := []string{"reason", "effect", "quote"}
	if reason != "" {
		f.because(reason)
	}
	f.details.textIf("quote", broken.Quote)
	for _, d := range broken.Details {
		if slices.Contains(taken, d.Name) {
			continue
		}
		taken = append(taken, d.Name)
		if d.Text != "" {
			f.details.text(d.Name, d.Text)
		} else {
			f.details.int(d.Name, d.Number)
		}
	}
	if broken.Started {
		f.unsure(spec)
	}
	return f
}

// fromTransport turns an error of a transport into a failure.
func fromTransport(err error, spec *call.Spec, limit time.Duration) *failure {
	var end *transport.StoppedError
	var panicked *direct.PanicError
	var broken *transport.Failure
	var own *direct.HandlerError
	switch {
	case errors.As(err, &own):
		// A handler may return the error of a transport that it used itself; that one says nothing about this call.
		return fail(errcode.InternalError, "%s.%s failed and gave no payload", spec.Tool, spec.Command).unsure(spec)
	case errors.As(err, &broken):
		return fromFailure(broken, spec)
	case errors.As(err, &end):
		f := stopped(end.Cause, limit)
		if !end.Started {
			return f
		}
		f.retryable = spec.Effect == call.Read || spec.Effect == call.Idempotent
		if end.Running {
			f.details.raw("handlerRunning", []byte("true"))
		}
		return f.unsure(spec)
	case errors.As(err, &panicked):
		return fail(errcode.InternalError, "%s.%s broke down", spec.Tool, spec.Command).because(errcode.Panic).unsure(spec)
	default:
		return fail(errcode.InternalError, "%s.%s failed and gave no payload", spec.Tool, spec.Command).unsure(spec)
	}
}
