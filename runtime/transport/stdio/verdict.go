package stdio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"syscall"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/frame"
)

// detailOf says how a process ended as a fact about a failure.
func detailOf(e process.Ending) transport.Detail {
	if e.Signal != "" {
		return transport.Detail{Name: "signal", Text: e.Signal}
	}
	return transport.Detail{Name: "exitCode", Number: int64(e.Code)}
}

// verdict is the table of the package comment, for a process that has ended.
func (w *work) verdict(ctx context.Context) (transport.Reply, error) {
	payload, fault := w.reader.Payload(), w.reader.Fault()
	failed := w.ending.Failed() && !(w.killed.Load() && w.ending.Killed())
	positive := fault != nil && fault.Reason != errcode.TruncatedFrame // not merely what a crash leaves behind
	if payload == nil && !positive && ctx.Err() != nil {
		return transport.Reply{}, &transport.StoppedError{Cause: ctx.Err(), Started: true}
	}
	plugin := "the plugin " + w.in.Tool + " "
	switch {
	case w.lost != nil:
		return transport.Reply{}, &transport.Failure{
			Code: errcode.TransportFailure, Message: plugin + "was lost", Err: w.lost, Started: true,
		}
	case fault != nil && (payload != nil || !failed || fault.Reason == errcode.ResultTooLarge):
		return transport.Reply{}, faulty(plugin, fault)
	case payload != nil && failed:
		return transport.Reply{Payload: payload, Warnings: []call.Warning{warningOf(w.ending)}}, nil
	case payload != nil:
		return transport.Reply{Payload: payload}, nil
	case failed:
		f := &transport.Failure{
			Code: errcode.TransportFailure, Reason: errcode.Crashed, Message: plugin + w.ending.String() + " and gave no result",
			Details: []transport.Detail{detailOf(w.ending)}, Started: true,
		}
		if w.ending.Signal != "" {
			f.Reason = errcode.Signalled
		}
		if fault != nil {
			f.Quote = fault.Quote
		}
		return transport.Reply{}, f
	case w.killed.Load():
		return transport.Reply{}, &transport.Failure{
			Code: errcode.TransportFailure, Reason: errcode.PipeClosed, Message: plugin + "closed its output without a result and did not end", Started: true,
		}
	default:
		return transport.Reply{}, &transport.Failure{
			Code: errcode.InvalidToolResult, Reason: errcode.NoFrame, Message: plugin + "ended without a result frame", Started: true,
		}
	}
}

// faulty is the failure of an output that breaks the rules.
func faulty(plugin string, fault *frame.Fault) *transport.Failure {
	f := &transport.Failure{
		Code: errcode.InvalidToolResult, Reason: fault.Reason, Message: plugin + fault.Detail, Quote: fault.Quote,
		Details: []transport.Detail{{Name: "line", Number: int64(fault.Line)}}, Started: true,
	}
	if fault.Limit > 0 {
		f.Details = append(f.Details, transport.Detail{Name: "limit", Number: int64(fault.Limit)})
	}
	return f
}

// warningOf says that a process failed after its answer.
func warningOf(e process.Ending) call.Warning {
	d := detailOf(e)
	details := append(wire.AppendQuoted([]byte("{"), d.Name), ':')
	if d.Text != "" {
		details = wire.AppendQuoted(details, d.Text)
	} else {
		details = strconv.AppendInt(details, d.Number, 10)
	}
	return call.Warning{
		Code: errcode.NonzeroExit, Message: "the plugin " + e.String() + " after its result", Details: append(details, '}'),
	}
}

// advice says what is behind errors of the system that name something else than what is wrong.
var advice = map[syscall.Errno]string{
	syscall.ENOEXEC: "; a script begins with #! and its interpreter",
	syscall.ENOENT:  "; the file is there, what its first line names may not be",
}

// notStarted is the failure of a program that could not be started. The system's error names the file, so
// only its number is told.
func notStarted(tool string, err error) *transport.Failure {
	why, passing := "", false
	if e, ok := errors.AsType[*UnavailableError](err); ok {
		why = ": " + e.Error()
	} else if e, ok := errors.AsType[syscall.Errno](err); ok {
		why = ": " + e.Error() + advice[e]
		passing = slices.Contains([]syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE}, e)
	}
	return &transport.Failure{
		Code: errcode.TransportFailure, Reason: errcode.SpawnFailed, Err: err, Passing: passing,
		Message: fmt.Sprintf("the plugin %s cannot be started%s", tool, why),
	}
}
