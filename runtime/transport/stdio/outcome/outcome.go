// Package outcome words how a program failed its call: a fault of its output, the end of its process, or a start that
// did not succeed goes in, a [transport.Failure] comes out. The process of one call and the kept worker share it, so
// that one mistake of a plugin has one name.
//
// It decides nothing: which of several facts counts is the business of its callers.
package outcome

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"vcp.core/contract/errcode"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/frame"
)

// Faulty is the failure of an output that breaks the rules. The line is left out where it is 0.
func Faulty(tool string, fault *frame.Fault) *transport.Failure {
	f := &transport.Failure{
		Code: errcode.InvalidToolResult, Reason: fault.Reason, Message: "the plugin " + tool + " " + fault.Detail, Quote: fault.Quote, Started: true,
	}
	if fault.Line > 0 {
		f.Details = append(f.Details, transport.Detail{Name: "line", Number: int64(fault.Line)})
	}
	if fault.Limit > 0 {
		f.Details = append(f.Details, transport.Detail{Name: "limit", Number: int64(fault.Limit)})
	}
	return f
}

// Crashed is the failure of a process that failed before its answer. What was wrong with its output before, nil for
// nothing, is only quoted.
func Crashed(tool string, e process.Ending, fault *frame.Fault) *transport.Failure {
	f := &transport.Failure{
		Code: errcode.TransportFailure, Reason: errcode.Crashed, Message: "the plugin " + tool + " " + e.String() + " and gave no result",
		Details: []transport.Detail{Detail(e)}, Started: true,
	}
	if e.Signal != "" {
		f.Reason = errcode.Signalled
	}
	if fault != nil {
		f.Quote = fault.Quote
	}
	return f
}

// Lost is the failure of a process whose end is not known.
func Lost(tool string, err error) *transport.Failure {
	return &transport.Failure{Code: errcode.TransportFailure, Message: "the plugin " + tool + " was lost", Err: err, Started: true}
}

// PipeClosed is the failure of a process that closed its "output" or "input" and stayed.
func PipeClosed(tool, stream string) *transport.Failure {
	return &transport.Failure{
		Code: errcode.TransportFailure, Reason: errcode.PipeClosed, Started: true,
		Message: "the plugin " + tool + " closed its " + stream + " without a result and did not end",
	}
}

// NoFrame is the failure of a process that ended well and did not answer. More is a clause that says more, or "".
func NoFrame(tool, more string) *transport.Failure {
	return &transport.Failure{
		Code: errcode.InvalidToolResult, Reason: errcode.NoFrame, Message: "the plugin " + tool + " ended without a result frame" + more, Started: true,
	}
}

// Detail is how a process ended, as a member of the details.
func Detail(e process.Ending) transport.Detail {
	if e.Signal != "" {
		return transport.Detail{Name: "signal", Text: e.Signal}
	}
	return transport.Detail{Name: "exitCode", Number: int64(e.Code)}
}

// advice says what is behind errors of the system that name something else than what is wrong.
var advice = map[syscall.Errno]string{
	syscall.ENOEXEC: "; a script begins with #! and its interpreter",
	syscall.ENOENT:  "; the file is there, what its first line names may not be",
}

// NotStarted is the failure of a program that could not be started. The system's error names the file, so
// only its number is told.
func NotStarted(tool string, err error) *transport.Failure {
	why, passing := "", false
	if e, ok := errors.AsType[*process.UnavailableError](err); ok {
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
