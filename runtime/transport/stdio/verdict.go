package stdio

import (
	"context"
	"strconv"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/outcome"
)

// verdict is the table of the package comment, for a process that has ended.
func (w *work) verdict(ctx context.Context) (transport.Reply, error) {
	payload, fault := w.reader.Payload(), w.reader.Fault()
	failed := w.ending.Failed() && !(w.killed.Load() && w.ending.Killed())
	positive := fault != nil && fault.Reason != errcode.TruncatedFrame // not merely what a crash leaves behind
	if payload == nil && !positive && ctx.Err() != nil {
		return transport.Reply{}, &transport.StoppedError{Cause: ctx.Err(), Started: true}
	}
	tool := w.in.Tool
	switch {
	case w.lost != nil && payload == nil && !positive: // an answer stands, whatever its process ended with
		return transport.Reply{}, outcome.Lost(tool, w.lost)
	case fault != nil && (payload != nil || !failed || fault.Reason == errcode.ResultTooLarge):
		return transport.Reply{}, outcome.Faulty(tool, fault)
	case payload != nil && failed:
		return transport.Reply{Payload: payload, Warnings: []call.Warning{warningOf(w.ending)}}, nil
	case payload != nil:
		return transport.Reply{Payload: payload}, nil
	case failed:
		return transport.Reply{}, outcome.Crashed(tool, w.ending, fault)
	case w.killed.Load():
		return transport.Reply{}, outcome.PipeClosed(tool, "output")
	default:
		return transport.Reply{}, outcome.NoFrame(tool, "")
	}
}

// warningOf says that a process failed after its answer.
func warningOf(e process.Ending) call.Warning {
	d := outcome.Detail(e)
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
