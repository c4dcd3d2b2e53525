package resource

import (
	"fmt"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// Refusal says why a payload's resources are not published. It names no local path.
type Refusal struct {
	Code     errcode.Code // INVALID_TOOL_RESULT or RESOURCE_TOO_LARGE
	Reason   errcode.Reason
	Pointer  string // the place in the payload
	Message  string // one sentence, lower case, no period
	Resource string // the plugin's id of the resource, "" when it is about none
	// Limit and Size are what was allowed and what was brought; Limit is -1 when it is about neither, Size when
	// it is not known.
	Limit, Size int64
	Err         error // the cause, for logs only: it may name a path
}

// Error returns "CODE (REASON): message".
func (r *Refusal) Error() string { return fmt.Sprintf("%s (%s): %s", r.Code, r.Reason, r.Message) }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

func refuse(reason errcode.Reason, pointer, format string, args ...any) *Refusal {
	return &Refusal{Code: errcode.InvalidToolResult, Reason: reason, Pointer: pointer, Message: fmt.Sprintf(format, args...), Limit: -1, Size: -1}
}

// of adds the resource that it is about.
func (r *Refusal) of(id string) *Refusal {
	r.Resource = short(id)
	return r
}

// over adds a limit and what exceeds it.
func (r *Refusal) over(limit, size int64) *Refusal {
	r.Limit, r.Size = limit, size
	return r
}

// short cuts an id of a plugin for a message.
func short(id string) string { return wire.Shorten(id, 64) }
