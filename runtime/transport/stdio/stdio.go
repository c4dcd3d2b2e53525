// Package stdio runs a plugin as a process of its own, one for each call: the call goes to its standard input as
// one frame, its standard output is read as frames, and its exit code has a say (specification §11). An
// invocation goes in, a payload or an error comes out. For tools that [Keep] names, processes serve many calls; what is
// different then stands in package kept.
//
// The package reads no manifest, no environment and no configuration of its own accord, judges no payload,
// looks for no JSON in other text, and never shows a plugin's standard error to anybody but the logger.
//
// # What a process sees
//
// Its folder is the plugin's. Its environment is what [process.NewSurroundings] picks from [Environment], the variables of the
// program, and VCP_PLUGIN_DATA. Nothing else of ours is inherited: no variable, no descriptor. Its standard
// input is the frame of the call, then the end.
//
// # What counts
//
//	exit code  answer         outcome
//	0          one            the payload
//	other      one            the payload, and the warning NONZERO_EXIT
//	0          none           INVALID_TOOL_RESULT, NO_FRAME or TRUNCATED_FRAME
//	other      none           TRANSPORT_FAILURE, CRASHED or SIGNALLED; a fault of the output is only quoted
//	any        one and fault  INVALID_TOOL_RESULT with the reason of the fault
//	0          fault          the same
//	any        line too long  INVALID_TOOL_RESULT, RESULT_TOO_LARGE; the process is killed at once
//
// A fault other than a line that is too long does not end the process: it has [Linger] to end by itself, so
// that its exit code is known, and is killed then. The same time is given after the answer, and after the
// standard output was closed without one (PIPE_CLOSED).
//
// # How a process ends
//
// The process leads a process group. When the context ends, the group gets SIGTERM, and SIGKILL when the grace
// is over. When the leader has ended, for whatever reason, what the [Launcher] reaches of its descendants is killed,
// and what the leader wrote is read from the pipes without waiting for whoever else holds them open. Which that
// are, and what happens when the runtime dies, depends on the launcher: see package process.
package stdio

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/kept"
	"vcp.core/runtime/transport/stdio/outcome"
)

// Stdio is the transport to plugins that are programs. It is safe for concurrent use.
type Stdio struct {
	programs map[string]prepared
	around   *process.Surroundings
	launcher process.Launcher
	running  transport.Tracker

	log     *slog.Logger
	environ []string
	extra   []string
	limits  wire.Limits
	stderr  int
	linger  time.Duration
	slots   *slots

	bounds map[string]kept.Bounds // of tools whose processes are kept
	mu     sync.RWMutex
	pools  map[home]*kept.Pool
	closed bool
}

// home is what the calls of a pool have in common. The data folder is part of a worker's environment.
type home struct{ tool, dataDir string }

var _ transport.Transport = (*Stdio)(nil)

// prepared is a program with its environment.
type prepared struct {
	Program
	env []string
}

// Program is how a plugin is started.
type Program = process.Program

// UnavailableError says why a program cannot be started.
type UnavailableError = process.UnavailableError

// DataVariable names the environment variable that holds the plugin's data folder (DESIGN §9).
const DataVariable = process.DataVariable

// Option changes what [New] makes.
type Option func(*Stdio)

// Logger sets where the end of a plugin's standard error goes; the default is silence.
func Logger(l *slog.Logger) Option { return func(s *Stdio) { s.log = l } }

// Environment sets the environment that [process.NewSurroundings] picks a few variables from, as os.Environ gives
// it. Without this option there is a PATH of the system's usual folders, and LANG.
func Environment(environ []string) Option { return func(s *Stdio) { s.environ = environ } }

// Folders adds folders that programs are looked for in by their plain name, before the search path. They
// must be absolute.
func Folders(dirs ...string) Option { return func(s *Stdio) { s.extra = append(s.extra, dirs...) } }

// Launcher sets what starts the processes; the default is [process.Groups]. The transport does not close it.
func Launcher(l process.Launcher) Option { return func(s *Stdio) { s.launcher = l } }

// Limits sets the longest line of output, 16 MiB by default, and how deep and large a payload may be, by
// default what a scan allows (DESIGN §9).
func Limits(l wire.Limits) Option { return func(s *Stdio) { s.limits = l } }

// Stderr sets how many bytes of a plugin's standard error are kept, the last ones; the default is 64 KiB.
func Stderr(bytes int) Option { return func(s *Stdio) { s.stderr = bytes } }

// Linger sets how long a process may go on after its answer; the default is 2 s.
func Linger(d time.Duration) Option { return func(s *Stdio) { s.linger = d } }

// Processes sets how many processes may run at once, 512 by default. A call that is one more waits for another's
// end, and its time limit goes on meanwhile. Each process takes four descriptors and a thread of the runtime, and
// Go ends a program that needs 10,000 threads.
//
// Kept workers count as well. One that is idle ends when its place is needed.
func Processes(n int) Option { return func(s *Stdio) { s.slots = newSlots(n) } }

// Keep lets processes of a tool serve many calls (package kept).
func Keep(tool string, b kept.Bounds) Option { return func(s *Stdio) { s.bounds[tool] = b } }

// New makes a transport to programs by the names of their tools. Folders of programs that are relative count
// from the working directory of this moment.
func New(programs map[string]Program, options ...Option) *Stdio {
	s := &Stdio{
		programs: make(map[string]prepared, len(programs)),
		log:      slog.New(slog.DiscardHandler),
		stderr:   64 << 10,
		linger:   2 * time.Second,
		launcher: process.Groups{},
		slots:    newSlots(512),
		bounds:   map[string]kept.Bounds{},
		pools:    map[home]*kept.Pool{},
	}
	for _, option := range options {
		option(s)
	}
	s.slots.yield = s.yield
	s.around = process.NewSurroundings(s.environ, s.extra)
	for tool, p := range programs {
		if dir, err := filepath.Abs(p.Dir); err == nil {
			p.Dir = dir
		}
		s.programs[tool] = prepared{Program: p, env: s.around.Env(&p)}
	}
	return s
}

// Check says why the program of a tool cannot be started, by an [*UnavailableError]; nil when nothing speaks
// against it. Nothing is started. A tool without a program is unavailable.
func (s *Stdio) Check(tool string) error {
	p, ok := s.programs[tool]
	if !ok {
		return &UnavailableError{Why: "the program of " + tool + " is not known"}
	}
	_, err := s.around.File(&p.Program)
	return err
}

// Warm starts the workers that are kept although idle, of all tools, for calls without a data folder or with the
// given one. Without it they are started by the first call.
func (s *Stdio) Warm(dataDir func(tool string) string) {
	for tool, b := range s.bounds {
		if p, ok := s.programs[tool]; ok && b.Min > 0 {
			s.pool(&p, tool, dataDir(tool)).Warm()
		}
	}
}

// Close ends the workers that are kept, and waits until the processes of all calls have ended.
func (s *Stdio) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for _, p := range s.pools {
		p.Close()
	}
	s.mu.Unlock()
	return s.running.Wait(ctx)
}

// afterKill is how long a killed process is waited for. It ends at once, unless the system itself hangs.
const afterKill = time.Second

// Run starts the program of the tool, gives it the call and takes its answer. Its errors are
// [*transport.Failure] and [*transport.StoppedError].
func (s *Stdio) Run(ctx context.Context, in call.Invocation, grace time.Duration) (transport.Reply, error) {
	p, ok := s.programs[in.Tool]
	if !ok {
		return transport.Reply{}, &transport.Failure{
			Code: errcode.TransportFailure, Message: "the program of the tool " + in.Tool + " is not known",
		}
	}
	if err := ctx.Err(); err != nil {
		return transport.Reply{}, &transport.StoppedError{Cause: err}
	}
	if _, many := s.bounds[in.Tool]; many {
		return s.pool(&p, in.Tool, in.DataDir).Run(ctx, in, grace)
	}
	file, err := s.around.File(&p.Program)
	if err != nil {
		return transport.Reply{}, outcome.NotStarted(in.Tool, err)
	}
	if !s.slots.Take(ctx.Done()) {
		return transport.Reply{}, &transport.StoppedError{Cause: ctx.Err()}
	}
	w := s.begin(ctx, &p, file, in)
	if err := w.begun(ctx, grace); err != nil {
		if stopped, ok := errors.AsType[*transport.StoppedError](err); ok {
			return transport.Reply{}, stopped
		}
		return transport.Reply{}, outcome.NotStarted(in.Tool, err)
	}
	reply, err := w.attend(ctx, grace, s.linger)
	s.report(ctx, w, err)
	return reply, err
}

// attend watches over a process until it has ended.
func (w *work) attend(ctx context.Context, grace, linger time.Duration) (transport.Reply, error) {
	decided, silent := w.decided, w.silent
	var patience <-chan time.Time
	for {
		select {
		case <-w.done:
			return w.verdict(ctx)
		case <-decided:
			decided, silent = nil, nil
			patience = time.After(linger)
		case <-silent:
			silent = nil
			patience = time.After(linger)
		case <-patience:
			patience = nil
			if !w.over() { // after a moment in which the machine stood still it may be
				w.end()
			}
		case <-ctx.Done():
			if !w.isDecided() {
				return transport.Reply{}, w.stop(ctx, grace)
			}
			// The answer was there in time.
			w.end()
			if !w.within(afterKill) {
				return transport.Reply{}, &transport.StoppedError{Cause: ctx.Err(), Started: true, Running: true}
			}
			return w.verdict(ctx)
		}
	}
}

// stop ends a process whose call has ended.
func (w *work) stop(ctx context.Context, grace time.Duration) error {
	stopped := &transport.StoppedError{Cause: ctx.Err(), Started: true}
	w.process.Terminate()
	if w.within(grace) {
		return stopped
	}
	w.end()
	stopped.Running = !w.within(afterKill)
	return stopped
}

// within waits for the end of everything for some time.
func (w *work) within(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-w.done:
		return true
	case <-t.C:
		return w.over()
	}
}

// over reports whether everything has ended.
func (w *work) over() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// report logs what a result must not tell, above all the standard error. It waits for nothing: what a process
// that does not end has to say is never known.
func (s *Stdio) report(ctx context.Context, w *work, err error) {
	select {
	case <-w.done:
	default:
		return
	}
	text := w.errors.String()
	level := slog.LevelDebug
	if err != nil && !cancelled(err) {
		level = slog.LevelWarn
	}
	if text == "" && w.reader.Dropped() == 0 && err == nil || !s.log.Enabled(ctx, level) {
		return
	}
	secrets := secret.FromContext(ctx)
	attrs := []slog.Attr{
		slog.String("tool", w.in.Tool), slog.String("command", w.in.Command), slog.String("invocationId", w.in.InvocationID),
		slog.String("ended", w.ending.String()), slog.String("stderr", secrets.Quote(text)),
	}
	if w.errors.Lost() > 0 {
		attrs = append(attrs, slog.Int64("stderrLost", w.errors.Lost()))
	}
	if n := w.reader.Dropped(); n > 0 {
		attrs = append(attrs, slog.Int("progressDropped", n))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	secrets.Logger(s.log).LogAttrs(ctx, level, "a plugin's process", attrs...)
}

// cancelled reports whether a process has ended as whoever cancelled its call wanted it to.
func cancelled(err error) bool {
	stopped, ok := errors.AsType[*transport.StoppedError](err)
	return ok && !stopped.Running && errors.Is(stopped.Cause, context.Canceled)
}
