// Package bridge presents a result to another node or to a client of a bridge: in the envelope of
// specification §12.3.
//
// A visible goes in, an envelope comes out, with the result in it byte for byte. A failure travels inside the
// result as well: the envelope never says how the call went, and a result is never wrapped twice (§12.2).
package bridge

import (
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// Present returns the envelope as compact JSON. Its requestId is the one of the result, so that whoever asked
// finds the answer without looking inside.
func Present(v *result.Visible) string {
	request := requestID(v)
	var b strings.Builder
	b.Grow(len(head) + len(request) + len(middle) + v.Len() + 1)
	b.WriteString(head)
	b.WriteString(request)
	b.WriteString(middle)
	b.WriteString(v.String())
	b.WriteByte('}')
	return b.String()
}

const (
	head   = `{"type":"vcp_tool_result","protocolVersion":"1.0","requestId":`
	middle = `,"result":`
)

// requestID returns execution.requestId as JSON.
func requestID(v *result.Visible) string {
	t, at := v.Tape(), v.At(result.Execution)
	if at >= 0 && t.Kind(at) == wire.KindObject {
		if id, ok := t.Find(at, "requestId"); ok {
			return string(t.Raw(id))
		}
	}
	return "null" // no result is without one
}
