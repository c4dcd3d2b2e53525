// Package frame is the language that a stdio plugin and the runtime speak: NDJSON, one frame a line
// (specification §11, DESIGN §4). An invocation goes in and becomes the line of a call; the bytes of a plugin's
// standard output go in and become one payload, or the first fault.
//
// It never starts a process, never judges a payload, and never repairs a line: there is no search for JSON
// between other text.
//
// # What a line may be
//
//   - A line ends with a line feed. A carriage return before it belongs to the end. The last line may lack its
//     end: a frame that is whole is whole.
//   - A line of white space alone says nothing and is passed over.
//   - A line is at most 16 MiB long, its end not counted, unless [Reader.Limits] says otherwise.
//   - A tool-result frame is the answer. There is exactly one.
//   - A tool-progress frame before the answer is told to the listener. After it, it is dropped: there is
//     nothing left to wait for. One whose payload breaks its schema is dropped too and counted, because
//     progress promises nothing about the end (specification §10.6).
//   - Everything else is a fault: other text, frames of other kinds, another version or invocation, a byte
//     order mark.
//
// The outcome depends on the bytes alone, never on how they were cut into reads.
package frame

import (
	"bytes"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

// Version is the version of the frames.
const Version = "1.0"

// The kinds of frames.
const (
	ToolCall     = "tool-call"
	ToolResult   = "tool-result"
	ToolProgress = "tool-progress"
	ToolCancel   = "tool-cancel"
)

// maxQuote is how many characters of a line at fault are repeated (DESIGN §9).
const maxQuote = 200

// Fault is what is wrong with a plugin's output.
type Fault struct {
	Reason errcode.Reason
	Detail string // what happened, a clause that goes after "the plugin X"; quotes little or nothing
	Line   int    // counted from 1
	Quote  string // the line at fault, at most 200 characters of it; "" where it would say nothing
	Limit  int    // the limit that was exceeded, 0 for none
}

// Error returns "REASON in line N: detail".
func (f *Fault) Error() string {
	return string(f.Reason) + ": it " + f.Detail
}

// AppendCall appends the line of a call, its line feed included. The generated type of the frame would take
// arguments and configuration apart; here they go in as they are, byte for byte. Arguments and configuration are one JSON
// object each; a deadline that is zero is none.
func AppendCall(dst []byte, in *call.Invocation, deadline time.Time) []byte {
	dst = append(dst, `{"vcp":"`+ToolCall+`","version":"`+Version+`","id":`...)
	dst = wire.AppendQuoted(dst, in.InvocationID)
	dst = append(dst, `,"payload":{"command":`...)
	dst = wire.AppendQuoted(dst, in.Command)
	dst = append(dst, `,"arguments":`...)
	dst = appendLine(dst, in.Arguments)
	dst = append(dst, `,"context":{"invocationId":`...)
	dst = wire.AppendQuoted(dst, in.InvocationID)
	dst = append(dst, `,"requestId":`...)
	dst = wire.AppendQuoted(dst, in.RequestID)
	dst = append(dst, `,"taskId":`...)
	dst = appendText(dst, in.TaskID)
	dst = append(dst, `,"callback":null,"actor":`...)
	if a := in.Actor; a == nil {
		dst = append(dst, "null"...)
	} else {
		dst = v1.Actor{Type: orUnknown(a.Type), ID: wire.OrNull(a.ID), Name: wire.OrNull(a.Name), Maid: wire.OrNull(a.Maid)}.AppendJSON(dst)
	}
	dst = append(dst, `,"source":`...)
	dst = wire.AppendQuoted(dst, orUnknown(in.Source))
	dst = append(dst, `,"requestIp":`...)
	dst = appendText(dst, in.RequestIP)
	dst = append(dst, `,"config":`...)
	dst = appendLine(dst, in.Config)
	dst = append(dst, `,"dataDir":`...)
	dst = appendText(dst, in.DataDir)
	dst = append(dst, `,"deadline":`...)
	if deadline.IsZero() {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, '"')
		dst = deadline.UTC().AppendFormat(dst, timeLayout)
		dst = append(dst, '"')
	}
	return append(dst, "}}}\n"...)
}

// timeLayout is RFC 3339 in UTC with milliseconds, rounded down: a deadline is never told too late.
const timeLayout = "2006-01-02T15:04:05.000Z"

// AppendResult appends the line of an answer.
func AppendResult(dst []byte, id string, payload []byte) []byte {
	dst = appendHead(dst, ToolResult, id)
	dst = appendLine(dst, payload)
	return append(dst, "}\n"...)
}

// AppendCancel appends the line that asks a worker to end a call. The reason is a sentence for its log.
func AppendCancel(dst []byte, id, reason string) []byte {
	dst = appendHead(dst, ToolCancel, id)
	dst = append(dst, `{"reason":`...)
	dst = wire.AppendQuoted(dst, reason)
	return append(dst, "}}\n"...)
}

// AppendProgress appends the line of a progress report.
func AppendProgress(dst []byte, id string, p call.Progress) []byte {
	dst = appendHead(dst, ToolProgress, id)
	dst = append(dst, `{"stage":`...)
	dst = wire.AppendQuoted(dst, p.Stage)
	dst = append(dst, `,"progress":`...)
	if share, told := p.Share.Get(); told {
		dst = share.AppendJSON(dst)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"message":`...)
	dst = appendText(dst, p.Message)
	return append(dst, "}}\n"...)
}

func appendHead(dst []byte, kind, id string) []byte {
	dst = append(dst, `{"vcp":`...)
	dst = wire.AppendQuoted(dst, kind)
	dst = append(dst, `,"version":"`+Version+`"`...)
	if id != "" {
		dst = append(dst, `,"id":`...)
		dst = wire.AppendQuoted(dst, id)
	}
	return append(dst, `,"payload":`...)
}

// appendLine appends a JSON value without line ends. They can only stand between tokens, where they mean
// nothing. Other space stays.
func appendLine(dst, value []byte) []byte {
	if bytes.IndexByte(value, '\n') >= 0 || bytes.IndexByte(value, '\r') >= 0 {
		return wire.AppendCompact(dst, value)
	}
	return append(dst, value...)
}

func appendText(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return wire.AppendQuoted(dst, s)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
