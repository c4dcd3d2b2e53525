package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	door "vcp.core/runtime/door/http"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/meter/prometheus"
	"vcp.core/runtime/record"
)

type serveCmd struct {
	Addr      string        `help:"Where to listen. Default: 127.0.0.1:8717, for this machine only: there is no TLS here, put a proxy in front." default:"127.0.0.1:8717" placeholder:"HOST:PORT" env:"VCP_ADDR"`
	Try       bool          `help:"Make a token for this run, and print it with three curl lines to try."`
	Drain     time.Duration `help:"How long calls may go on after SIGTERM before they are cancelled. Default: 30s." default:"30s" placeholder:"DURATION"`
	KeepFor   time.Duration `help:"Remove results that are older; their audit records stay. Default: keep them." placeholder:"DURATION"`
	KeepBytes int64         `help:"Remove the oldest results beyond so many bytes. Default: keep them." placeholder:"N"`
	MaxCalls  int           `help:"How many requests are at work at a time; more are answered with 503. Default: 256." default:"256" placeholder:"N"`
	LogJSON   bool          `name:"log-json" help:"Log in JSON."`
	Log       bool          `help:"Log more: what plugins wrote to their standard error, too."`
}

// Help is the long help of the verb.
func (serveCmd) Help() string {
	return `Serves the tools over HTTP until it is interrupted: POST /v1/human/tool runs a command, GET /v1/tools lists them,
/v1/results/ID?view=, /v1/resources/ID and /v1/audit read what was recorded; /healthz, /readyz, /metrics and
/openapi.json are for machines. Every request needs a token of vcp token create, but for the last four (metrics are
open on an address of this machine only).

Every call is recorded before it is answered. A command that needs the approval of a human is refused here:
whoever works on this machine can run it, by vcp call.
SIGTERM or Ctrl-C: new calls and /readyz are answered with 503, those in flight get --drain; the second one ends the
program at once. Plugins are read at the start: start the server anew when one was added or changed.

Examples:
  vcp serve --try
  vcp token create --name ann > token && vcp serve
  vcp serve --addr 0.0.0.0:8717 --data /var/lib/vcp --keep-for 720h

Exit code: 0 it was stopped, 1 it could not start or could not stop cleanly, 2 wrong use.`
}

// chores is how often records are cleaned up and intents of dead processes ended.
const chores = time.Minute

// Run runs the verb.
func (c *serveCmd) Run(a *app) (err error) {
	host, _, splitErr := net.SplitHostPort(c.Addr)
	if splitErr != nil {
		return wrongUse("write it as HOST:PORT, such as 127.0.0.1:8717", "%q is no address: %v", c.Addr, splitErr)
	}
	if c.Drain < 0 || c.KeepFor < 0 || c.KeepBytes < 0 {
		return wrongUse("", "durations and sizes are not negative")
	}
	if c.MaxCalls < 1 {
		return wrongUse("", "--max-calls is at least 1")
	}
	a.everything = c.Log
	log := c.logger(a)
	known, missing, err := a.catalog()
	if err != nil {
		return err
	}
	a.tell(missing)
	ctx, cancel := untilInterrupted()
	defer cancel()
	store, err := a.openRecords(ctx, a.dataDir())
	if err != nil {
		return &stop{code: exitFindings, message: fmt.Sprintf("the store cannot be opened: %v", err), hint: a.storeHint()}
	}
	defer func() { err = errors.Join(err, closeStore(store)) }()
	meter := prometheus.New(true)
	e := a.start(known, a.dataDir(), runtime.Records(store), runtime.Measure(meter), runtime.Authorize(door.Authorize(nil)), runtime.Logger(log),
		runtime.ApprovedElsewhere("whoever works on the machine of the server can run it there, by vcp call"))
	defer func() { err = errors.Join(err, e.stop()) }()
	ended, err := e.Recover(ctx)
	if err != nil {
		a.sayf("vcp: calls that a crash cut off are not recorded yet: %v", err)
	}
	if ended > 0 {
		a.sayf("vcp: a crash cut off %s; whether the effect happened is not known, vcp results --status error lists them", count(ended, "call"))
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &stop{code: exitFindings, message: fmt.Sprintf("%s cannot be listened on: %v", c.Addr, err), hint: addressHint(err)}
	}
	local := loopback(listener.Addr())
	tokens := a.tokens()
	d := door.New(door.Options{
		Runtime: e, Registry: func() call.Registry { return known }, Tokens: tokens, Records: store,
		Metrics: meter.Handler(), OpenMetrics: local, Logger: log, Version: versionText(),
		MaxRequests: c.MaxCalls,
	})
	a.sayf("vcp: listening on http://%s", listener.Addr())
	if !local {
		a.sayf("vcp: this is no address of this machine alone, and there is no TLS: tokens can be read on the way (host %q)", host)
	}
	a.offer(known, unwritable(ctx, store))
	if a.unkept != nil && a.flags.Keeper != off {
		a.sayf("vcp: plugins run outside of a sandbox, and may live on when this program is killed: %v", a.unkept)
	}
	if c.Try {
		if err := a.welcome(tokens, listener.Addr()); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	known.stdio.Warm(a.pluginData)
	go c.keepHouse(ctx, e, store, log)
	return c.serve(ctx, a, d, listener)
}

// serve answers requests until the context ends, then drains.
func (c *serveCmd) serve(ctx context.Context, a *app, d *door.Door, listener net.Listener) error {
	base, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	server := d.Server()
	server.BaseContext = func(net.Listener) context.Context { return base }
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	a.sayf("vcp: closing; calls in flight have %v", c.Drain)
	d.Drain()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Drain)
	defer cancel()
	_ = d.Idle(limited) // who asks meanwhile is told; the context ends Shutdown as well
	if err := server.Shutdown(limited); err == nil {
		return nil
	}
	abort() // the results of calls that are cancelled now still go out
	limited, cancel = context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := server.Shutdown(limited); err != nil {
		return errors.Join(&stop{code: exitFindings, message: "a request was cut off"}, server.Close())
	}
	return nil
}

// keepHouse prunes records and ends intents of processes that are gone.
func (c *serveCmd) keepHouse(ctx context.Context, e *engine, store record.Store, log *slog.Logger) {
	tick := time.NewTicker(chores)
	defer tick.Stop()
	for {
		if keep := (record.Retention{ResultBytes: c.KeepBytes}); c.KeepFor > 0 || c.KeepBytes > 0 {
			if c.KeepFor > 0 {
				keep.ResultsBefore = time.Now().Add(-c.KeepFor)
			}
			gone, err := store.Prune(ctx, keep)
			if err != nil && ctx.Err() == nil {
				log.LogAttrs(ctx, slog.LevelError, "old results were not removed", slog.Any("error", err))
			}
			if gone.Results > 0 {
				log.LogAttrs(ctx, slog.LevelInfo, "old results were removed", slog.Int("results", gone.Results), slog.Int64("bytes", gone.Bytes))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := e.Recover(ctx); err != nil && ctx.Err() == nil {
			log.LogAttrs(ctx, slog.LevelError, "intents of processes that are gone were not ended", slog.Any("error", err))
		}
	}
}

// logger is for people at a terminal, or with --log-json for programs; calls are logged as well.
func (c *serveCmd) logger(a *app) *slog.Logger {
	level := slog.LevelInfo
	if c.Log {
		level = slog.LevelDebug
	}
	o := &slog.HandlerOptions{Level: level}
	if c.LogJSON {
		return slog.New(slog.NewJSONHandler(a.stderr, o))
	}
	return slog.New(&terminal{slog.NewTextHandler(a.stderr, o), a.stderr})
}

// pluginData is the data folder of a plugin, as the runtime names and makes it; "" where that cannot be done, which the
// first call tells.
func (a *app) pluginData(tool string) string {
	dir, err := filepath.Abs(filepath.Join(a.dataDir(), "plugins", tool))
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	return dir
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// addressHint says what to do about an address that cannot be listened on.
func addressHint(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "--addr 127.0.0.1:0 takes any port that is free"
	case errors.As(err, new(*os.SyscallError)):
		return "--addr names another address of this machine"
	default:
		return "write it as HOST:PORT, such as 127.0.0.1:8717"
	}
}

// offer says what is served, what of it cannot run here, and where calls are recorded or why they are not.
func (a *app) offer(c *catalog, unwritable error) {
	tools := map[string]bool{}
	for _, s := range c.Specs() {
		if tools[s.Tool] {
			continue
		}
		tools[s.Tool] = true
		if why := c.unavailable(s); why != "" {
			a.sayf("vcp: %s cannot run here: %s", s.Tool, why)
		}
	}
	if unwritable != nil {
		a.sayf("vcp: %s; calls cannot be recorded: %v", count(len(tools), "tool"), unwritable)
		return
	}
	where := filepath.Join(a.dataDir(), recordFile)
	if a.flags.Store != "" {
		where = "the database of --store" // its URL may hold a password
	}
	a.sayf("vcp: %s; calls are recorded in %s", count(len(tools), "tool"), where)
}

// welcome makes a token for this run and says how to use it.
func (a *app) welcome(tokens *token.File, addr net.Addr) error {
	text, _, err := tokens.Lend(fmt.Sprintf("try-%d", os.Getpid()), []string{token.Call, token.ResultsRead, token.AuditRead}, time.Now())
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nA token for this run:\n  %s\n\nTry:\n", text)
	for _, line := range []string{
		`--json '{"tool":"ScheduleManager","command":"CreateSchedule","arguments":{"time":"2026-07-12T10:00:00+08:00","content":"meeting"}}' http://%[2]s/v1/human/tool`,
		`--json '{"tool":"ScheduleManager","command":"ListSchedules","options":{"view":"ai"}}' http://%[2]s/v1/human/tool`,
		`'http://%[2]s/v1/audit?limit=2'`,
	} {
		fmt.Fprintf(&b, "  curl -H 'Authorization: Bearer %[1]s' "+line+"\n", text, addr)
	}
	_, err = fmt.Fprintln(a.stdout, b.String())
	return err
}
