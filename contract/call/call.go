// Package call holds what both sides of a call agree on: the request ([Call]), what a handler sees
// of it ([Invocation]), what comes back ([Result]), and how a tool is described to whoever runs it
// ([Spec], [Registry]). It is the seam between the runtime, generated code, doors and plugins.
//
// It holds shapes and small pure functions only. It never executes, validates or transports
// anything, and it imports only its siblings in contract and the standard library.
package call

import (
	"context"
	"io"
	"time"

	"vcp.core/contract/wire"
)

// Call is one request to run a command, as a door hands it to an [Executor].
type Call struct {
	Tool      string        // the plugin's name; may contain dots
	Command   string        // the command's identifier; "" when it stands inside Arguments (specification §9.1)
	Arguments []byte        // one JSON object; nil means {}
	Source    string        // where the call came from: "cli", "ai-loop", "human-tool", …
	Actor     *Actor        // nil when unknown
	RequestIP string        // "" when unknown; kept out of every projection but the audit record
	NodeID    string        // "" for this runtime
	RequestID string        // "" lets the executor mint one (req_…)
	Timeout   time.Duration // 0 means the manifest's
	// IdempotencyKey makes calls one: the second call of an actor with the same key is not run, but answered with
	// the result of the first. "" for none; at most 255 bytes.
	IdempotencyKey string
	Options        Options
}

// Options are the switches of specification §14.1, with the safe side as zero value.
type Options struct {
	SkipApproval bool // only for callers that asked a human already
	SkipRecord   bool
	Relaxed      bool // acknowledge before the result is durable
}

// Actor is who asked (specification §5.3).
type Actor struct {
	Type string // "agent", "human", "workflow", "system", …
	ID   string // "" when unknown
	Name string
	Maid string
}

// Executor runs calls. The result is never nil: every failure is a result too.
type Executor interface {
	Execute(ctx context.Context, c Call) Result
}

// Result is a sealed Canonical Tool Result. It is immutable and safe for concurrent use; no method
// hands out the inner slice.
type Result interface {
	ID() string     // "tr_…"
	Status() Status // one of the six statuses
	// Code is error.code, "" when there is no error.
	Code() string
	// WriteTo writes the canonical bytes: one JSON object, no trailing newline.
	io.WriterTo
	String() string
}

// Status is the closed set of specification §5.5.
type Status string

// The six statuses.
const (
	Success   Status = "success"
	Accepted  Status = "accepted"
	Partial   Status = "partial"
	Error     Status = "error"
	Cancelled Status = "cancelled"
	Timeout   Status = "timeout"
)

// Handler is the untyped entry point of a direct plugin: it gets validated arguments with defaults
// applied and returns a plugin result payload (specification §5.2), both as JSON. A returned error or
// a panic becomes INTERNAL_ERROR; an expected failure is a payload with status "error". The payload belongs
// to the runtime once it is returned: a handler must not keep or change it.
type Handler interface {
	Handle(ctx context.Context, in Invocation) (payload []byte, err error)
}

// HandlerFunc lets a function be a Handler.
type HandlerFunc func(ctx context.Context, in Invocation) ([]byte, error)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, in Invocation) ([]byte, error) { return f(ctx, in) }

// Invocation is what a direct handler sees of a call. Cancellation is the context's.
type Invocation struct {
	Tool, Command string
	Arguments     []byte // valid by the command's input schema; the handler must not keep or change it
	InvocationID  string // "ti_…"
	RequestID     string // "req_…"
	Source        string
	Actor         *Actor
	RequestIP     string
	Config        []byte    // the plugin's configuration, one JSON object
	DataDir       string    // a folder of the plugin's own, which exists; "" when the runtime has no data folder
	Now           time.Time // the runtime's clock at the start of the call
	Deadline      time.Time // when the call ends, whatever happens
	TaskID        string    // the id that a task of this call should take, "task_…"; "" for a synchronous command
	// Resources takes files that the command makes; nil when the runtime has nowhere to keep them.
	Resources ResourceWriter
	// Progress tells listeners how far the work is. It may be called from any goroutine, returns at once, and
	// does nothing after the call has ended. nil when nobody listens.
	Progress func(Progress)
}

// Judge decides about scanned documents by one schema. Generated judges are no more than that: what a
// document does wrong is explained by whoever can read the schema ([Spec.InputSchema]). Implementations
// are immutable and safe for concurrent use.
type Judge interface {
	// Verdict decides and allocates nothing in steady state.
	Verdict(t *wire.Tape) wire.Verdict
}

// NodeJudge is a judge that decides about a part of a document as well, as if it stood alone. Judges that were
// generated and those of gen/live do.
type NodeJudge interface {
	Judge
	VerdictAt(t *wire.Tape, n int) wire.Verdict
}

// Validator is a judge that explains, too.
type Validator interface {
	Judge
	// Violations explains: every violation in stable order, empty when the verdict is Valid. An
	// Undecided verdict yields at least one violation whose Reason is a LIMIT_ reason.
	Violations(t *wire.Tape) []Violation
}

// Generated makes a [Judge] of a generated judge.
type Generated wire.JudgeFunc

// Verdict implements [Judge].
func (g Generated) Verdict(t *wire.Tape) wire.Verdict { return wire.VerdictOf(t, wire.JudgeFunc(g)) }

// VerdictAt implements [NodeJudge].
func (g Generated) VerdictAt(t *wire.Tape, n int) wire.Verdict {
	return wire.VerdictAt(t, n, wire.JudgeFunc(g))
}

var _ NodeJudge = Generated(nil)
