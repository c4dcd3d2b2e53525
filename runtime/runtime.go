// Package runtime runs commands: [Runtime.Execute] takes a call and always gives a canonical result, for
// every failure too.
//
// Data flow, in this order:
//
//	call -> registry -> arguments (scan, discriminator, defaults, input schema)
//	     -> handler, through its transport
//	     -> payload (scan, forged members, payload schema, kind, resources, output schema)
//	     -> what the manifest fills in -> sealed result
//
// Arguments and data are bytes all the way: nothing is decoded and written again, so numbers, escapes and
// member order arrive as they were sent. Verdicts come from compiled schemas: the command's own through
// [call.Spec], the protocol's from generated/protocol. What a refused document does wrong is found by gen/live
// from the same schemas, when there is something to explain.
//
// The package never reads flags, environment or files of its own accord, holds no global state, and never
// words anything for a particular reader: projections are the presenters' work. It knows no tool by name.
//
// # What this runtime has no part for
//
// It has no resource store: a payload that brings resources, or refers to one, is refused with
// INVALID_TOOL_RESULT (LIMIT_RESOURCES: the limit is none; DANGLING_RESOURCE), never cut. It keeps no
// record, so recordId is null, and no tasks: an accepted result names its task, and nobody here will
// finish it. A command of a protocol that no transport was set for fails with TRANSPORT_FAILURE. It asks
// nobody for permission: requiresAdmin, scopes, requiresApproval and [call.Options] have no reader yet, and a
// configuration is handed on without a look at the configSchema.
//
// # The leak rule
//
// Execute returns when the deadline and the command's grace are over, whether or not the handler did (see
// package direct). [Runtime.Close] waits for such handlers.
package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/id"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/direct"
)

// Runtime executes the commands of one registry. It is safe for concurrent use.
type Runtime struct {
	registry call.Registry
	tools    map[string]*tool
	explain  explainers

	clock    func() time.Time
	ids      func(prefix string, now time.Time) string
	log      *slog.Logger
	handlers map[string]call.Handler
	// transports by the protocol that a manifest names.
	transports map[string]transport.Transport
	config     func(tool string) []byte
	limits     Limits
	dataDir    string

	scratch sync.Pool         // of *scratch
	active  transport.Tracker // calls

	mu     sync.Mutex
	closed bool
	dirs   map[string]string // tool -> its data folder, which exists
}

var _ call.Executor = (*Runtime)(nil)

// Limits bound what one call may carry. A zero field means the default of DESIGN §9.
type Limits struct {
	Arguments wire.Limits // 4 MiB, else the defaults of a scan
	Payload   wire.Limits // the defaults of a scan: 16 MiB
}

// defaultTimeout is the limit of a call when neither the call nor its spec sets one.
const defaultTimeout = time.Minute

// Option changes what [New] makes.
type Option func(*Runtime)

// Clock sets the clock; the default is time.Now. It stamps results and feeds ids. Deadlines do not use it.
func Clock(now func() time.Time) Option { return func(r *Runtime) { r.clock = now } }

// IDs sets the source of ids; the default is a fresh [id.Source]. The source must be safe for concurrent
// use and return the prefix followed by a ULID.
func IDs(mint func(prefix string, now time.Time) string) Option {
	return func(r *Runtime) { r.ids = mint }
}

// Logger sets where the runtime speaks; the default is silence. Panics and errors of handlers are logged
// there in full and nowhere else.
func Logger(l *slog.Logger) Option { return func(r *Runtime) { r.log = l } }

// Bind links the handler of a direct tool. A later Bind of the same tool replaces it.
func Bind(tool string, h call.Handler) Option { return func(r *Runtime) { r.handlers[tool] = h } }

// Use sets the transport for a protocol, as manifests name it (communication.protocol). The runtime closes it.
// The transport "direct" is made of the handlers of [Bind] unless it is set here.
func Use(protocol string, t transport.Transport) Option {
	return func(r *Runtime) { r.transports[protocol] = t }
}

// Config sets the source of the tools' configurations: one JSON object for each tool, nil for {}. The
// bytes are handed to handlers as they are, each call its own copy.
func Config(of func(tool string) []byte) Option { return func(r *Runtime) { r.config = of } }

// DataDir sets the folder under which each tool gets a folder of its own, plugins/TOOL, made at the
// tool's first call. Without it handlers see an empty [call.Invocation.DataDir].
func DataDir(root string) Option { return func(r *Runtime) { r.dataDir = root } }

// Limit sets the limits.
func Limit(l Limits) Option { return func(r *Runtime) { r.limits = l } }

// New returns a runtime for the commands of a registry. The registry must not change.
func New(registry call.Registry, options ...Option) *Runtime {
	r := &Runtime{
		registry:   registry,
		tools:      indexTools(registry),
		clock:      time.Now,
		ids:        new(id.Source).New,
		log:        slog.New(slog.DiscardHandler),
		handlers:   map[string]call.Handler{},
		transports: map[string]transport.Transport{},
		config:     func(string) []byte { return nil },
		dirs:       map[string]string{},
	}
	r.scratch.New = func() any { return new(scratch) }
	for _, option := range options {
		option(r)
	}
	if r.transports["direct"] == nil {
		r.transports["direct"] = direct.New(r.handlers)
	}
	if r.limits.Arguments.Bytes <= 0 {
		r.limits.Arguments.Bytes = 4 << 20
	}
	return r
}

// Close refuses calls from now on, waits until those in flight have ended, and closes the transports, which
// wait for what ignored its end. It returns the context's error when that ends first; then something still runs.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	err := r.active.Wait(ctx)
	for _, t := range r.transports {
		err = errors.Join(err, t.Close(ctx))
	}
	return err
}

// enter counts a call in, unless the runtime is closed. leave with r.active.Done.
func (r *Runtime) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.active.Add()
	return true
}

// FolderError says that a tool's name cannot be a folder's.
type FolderError struct{ Tool string }

func (e *FolderError) Error() string {
	return fmt.Sprintf("the tool name %q cannot name a data folder", e.Tool)
}

// folder returns the data folder of a tool and makes it when it is not there yet.
func (r *Runtime) folder(tool string) (string, error) {
	if r.dataDir == "" {
		return "", nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
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
	r.dirs[tool] = dir
	return dir, nil
}

// scratch is what a call needs only while Execute runs.
type scratch struct {
	arguments wire.Tape
	payload   wire.Tape
	data      wire.Tape
}

func (s *scratch) reset() {
	s.arguments.Reset()
	s.payload.Reset()
	s.data.Reset()
}
