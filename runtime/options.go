package runtime

import (
	"context"
	"log/slog"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/id"
	"vcp.core/runtime/resource"
	"vcp.core/runtime/transport"
)

// Option changes what [New] makes.
type Option interface{ apply(r *Runtime) }

type option func(*Runtime)

func (o option) apply(r *Runtime) { o(r) }

// Binding says how plugins are reached. It is an option of [New] and of [Runtime.Swap].
type Binding func(l *links)

func (b Binding) apply(r *Runtime) { b(&r.links) }

// Bind links the handler of a direct tool. A later Bind of the same tool replaces it, nil takes it away.
func Bind(tool string, h call.Handler) Binding { return func(l *links) { l.bind(tool, h) } }

// Use sets the transport for a protocol, as manifests name it (communication.protocol); nil takes it away. The
// runtime closes it. The transport "direct" is made of the handlers of [Bind] unless it is set here.
func Use(protocol string, t transport.Transport) Binding {
	return func(l *links) { l.use(protocol, t) }
}

// Hooks that are nil are as good as not set. Those that every result needs, clock and ids, are contained: where
// one panics or gives what no result can hold, the default steps in.

// Clock sets the clock; the default is time.Now. It stamps results and feeds ids. Deadlines do not use it.
func Clock(now func() time.Time) Option {
	return option(func(r *Runtime) {
		if now == nil {
			return
		}
		r.clock = func() (t time.Time) {
			defer func() {
				if year := t.UTC().Year(); t.IsZero() || year < 0 || year > 9999 {
					t = time.Now()
				}
			}()
			defer r.contain(context.Background(), "the clock panicked")
			return now()
		}
	})
}

// IDs sets the source of ids; the default is a fresh [vcp.core/runtime/id.Source]. The source must be safe
// for concurrent use and return the prefix followed by a ULID.
func IDs(mint func(prefix string, now time.Time) string) Option {
	return option(func(r *Runtime) {
		if mint == nil {
			return
		}
		spare := new(id.Source)
		r.ids = func(prefix string, now time.Time) (made string) {
			defer func() {
				if !id.Valid(prefix, made) {
					made = spare.New(prefix, now)
				}
			}()
			defer r.contain(context.Background(), "the source of ids panicked")
			return mint(prefix, now)
		}
	})
}

// Logger sets where the runtime speaks; the default is silence. Panics and errors of handlers are logged
// there in full and nowhere else.
func Logger(l *slog.Logger) Option {
	return option(func(r *Runtime) {
		if l != nil {
			r.log = slog.New(calm{l.Handler()})
		}
	})
}

// calm is a log that nothing comes back from: a record that its handler cannot take is lost.
type calm struct{ slog.Handler }

// Enabled implements slog.Handler.
func (c calm) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	defer func() { _ = recover() }()
	return c.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (c calm) Handle(ctx context.Context, record slog.Record) error {
	defer func() { _ = recover() }()
	return c.Handler.Handle(ctx, record)
}

// Config sets the source of the tools' configurations: one JSON object for each tool, nil for {}. The
// bytes are handed to handlers as they are, each call its own copy. One that breaks the tool's configSchema ends
// its calls with INTERNAL_ERROR, and the log says what is wrong.
func Config(of func(tool string) []byte) Option {
	return option(func(r *Runtime) {
		if of != nil {
			r.config = of
		}
	})
}

// Secrets sets a source of what must not leave the runtime beside the settings that a configSchema marks as
// writeOnly: for each tool values that are secret. They are masked in what the tool returns.
func Secrets(of func(tool string) [][]byte) Option {
	return option(func(r *Runtime) {
		if of != nil {
			r.secrets = of
		}
	})
}

// DataDir sets the folder under which each tool gets a folder of its own, plugins/TOOL, made at the
// tool's first call. Without it handlers see an empty [call.Invocation.DataDir].
func DataDir(root string) Option { return option(func(r *Runtime) { r.dataDir = root }) }

// Resources sets where the resources of results are kept. Without it a payload that brings any is refused. The
// store is of an adapter's package, such as [vcp.core/runtime/blob/disk]: which one is linked is for programs
// to say.
func Resources(store resource.Store) Option {
	return option(func(r *Runtime) { r.publisher.Store = store })
}

// Limits bound what one call may carry. A zero field means the default of DESIGN §9.
type Limits struct {
	Arguments wire.Limits // 4 MiB, else the defaults of a scan
	Payload   wire.Limits // the defaults of a scan: 16 MiB
	Resources resource.Limits
}

// Limit sets the limits.
func Limit(l Limits) Option { return option(func(r *Runtime) { r.limits = l }) }
