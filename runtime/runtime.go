// Package runtime runs commands: [Runtime.Execute] takes a call and always gives a canonical result, for
// every failure too.
//
// Data flow, in this order:
//
//	call -> registry (unknown, switched off)
//	     -> arguments (scan, discriminator, defaults, input schema)
//	     -> permission: the [Authorizer]
//	     -> approval: the [Approver], where the command needs it
//	     -> intent, durable, where the command does more than read; idempotency key
//	     -> handler, through its transport, within the time limit
//	     -> payload (scan, secrets masked, forged members, payload schema, kind, resources, output schema)
//	     -> resources published, what the manifest leaves to defaults filled in -> sealed result
//	     -> record, durable; the end of the intent
//
// Arguments and data are bytes all the way: nothing is decoded and written again, so numbers, escapes and
// member order arrive as they were sent. Verdicts come from compiled schemas: the command's own through
// [call.Spec], the protocol's from generated/protocol. What a refused document does wrong is found by gen/live
// from the same schemas, when there is something to explain.
//
// The package never reads flags, environment or files of its own accord, holds no global state, and never
// words anything for a particular reader: projections are the presenters' work. It knows no tool by name.
//
// # What is open and what is shut
//
// A runtime without options runs what asks for nothing. A command that asks for an administrator, for scopes or
// for approval is refused until an option says who decides; see [Authorize] and [Approve].
//
// # Tools may change
//
// [Runtime.Swap] replaces the registry, handlers and transports while calls run. A call sees the tools from
// before or those from after.
//
// # What this runtime has no part for
//
// Without [Records] it keeps no record: recordId is null, and nothing survives the process. It
// keeps no tasks: an accepted result names its task, and nobody here will finish it; a call that waits for approval
// is held, not queued. A command of a protocol that no transport was set for fails with TRANSPORT_FAILURE.
//
// # The leak rule
//
// Execute returns when the deadline and the command's grace are over, whether or not the handler did (see
// package direct). [Runtime.Close] waits for such handlers.
package runtime

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/id"
	"vcp.core/runtime/resource"
	"vcp.core/runtime/transport"
)

// Runtime executes the commands of a registry, which [Runtime.Swap] may replace. It is safe for concurrent use.
type Runtime struct {
	// Set by New.
	clock        func() time.Time
	ids          func(prefix string, now time.Time) string
	log          *slog.Logger
	meter        Meter
	listener     func(ProgressEvent)
	config       func(tool string) []byte
	secrets      func(tool string) [][]byte
	vault        vault
	authorizer   Authorizer
	approver     Approver
	elsewhere    string
	approvalWait time.Duration
	askFrom      call.Effect
	limits       Limits
	dataDir      string
	publisher    resource.Publisher
	records      records
	links        links // of the first snapshot

	current  atomic.Pointer[snapshot] // nil when closed
	swapping sync.Mutex               // held by whoever replaces current
	last     *snapshot                // that Close retired
	carriers []*carrier               // in use

	scratch sync.Pool         // of *scratch
	late    transport.Tracker // goroutines that outlive the call that started them

	folders sync.Mutex
	dirs    map[string]string // tool -> its data folder, which exists
}

var _ call.Executor = (*Runtime)(nil)

// defaultTimeout is the limit of a call when neither the call nor its spec sets one.
const defaultTimeout = time.Minute

// New returns a runtime for the commands of a registry. The registry must not change.
func New(registry call.Registry, options ...Option) *Runtime {
	r := &Runtime{
		clock:        time.Now,
		ids:          new(id.Source).New,
		log:          slog.New(slog.DiscardHandler),
		config:       func(string) []byte { return nil },
		secrets:      func(string) [][]byte { return nil },
		approvalWait: defaultApprovalWait,
		askFrom:      call.Destructive,
		dirs:         map[string]string{},
		records:      records{closing: make(chan struct{})},
	}
	r.scratch.New = func() any { return new(scratch) }
	for _, option := range options {
		option.apply(r)
	}
	if r.limits.Arguments.Bytes <= 0 {
		r.limits.Arguments.Bytes = 4 << 20
	}
	r.publisher.Limits, r.publisher.IDs = r.limits.Resources.Filled(), r.ids
	r.current.Store(r.snapshotOf(registry, r.links))
	return r
}

// FolderError says that a tool's name cannot be a folder's.
type FolderError struct{ Tool string }

// Error says it in a sentence.
func (e *FolderError) Error() string {
	return fmt.Sprintf("the tool name %q cannot name a data folder", e.Tool)
}

// folder returns the data folder of a tool and makes it when it is not there yet.
func (r *Runtime) folder(ctx context.Context, tool string) (string, error) {
	if r.dataDir == "" {
		return "", nil
	}
	r.folders.Lock()
	defer r.folders.Unlock()
	if dir, ok := r.dirs[tool]; ok {
		return dir, nil
	}
	if tool == "." || !filepath.IsLocal(tool) || filepath.Base(tool) != tool {
		return "", &FolderError{Tool: tool}
	}
	dir, err := filepath.Abs(filepath.Join(r.dataDir, "plugins", tool))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if stat, err := os.Lstat(dir); err != nil || !stat.IsDir() {
		return "", cmp.Or(err, error(&resource.FolderError{Folder: dir, Why: "the plugin's folder is a link"}))
	}
	r.dirs[tool] = dir
	r.late.Add()
	go func() { // no other call waits for what this plugin has left
		defer r.late.Done()
		if err := resource.Sweep(dir, time.Now()); err != nil {
			r.log.LogAttrs(ctx, slog.LevelWarn, "files of ended calls were not removed", slog.String("tool", tool), slog.Any("error", err))
		}
	}()
	return dir, nil
}

// forget lets the next call look at the data folder of a tool again: something happened to it.
func (r *Runtime) forget(tool string) {
	r.folders.Lock()
	defer r.folders.Unlock()
	delete(r.dirs, tool)
}

// scratch is what a call needs only while Execute runs.
type scratch struct {
	run       run
	arguments wire.Tape
	payload   wire.Tape
	data      wire.Tape
}

func (s *scratch) reset() {
	s.run = run{}
	s.arguments.Reset()
	s.payload.Reset()
	s.data.Reset()
}

// stack is the attribute of a log that tells where a panic came from.
func stack() slog.Attr { return slog.String("stack", string(debug.Stack())) }
