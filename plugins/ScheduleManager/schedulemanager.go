// Package schedulemanager is the plugin ScheduleManager: it keeps a user's schedules and creates,
// lists, updates and deletes them. It is a direct plugin: the runtime calls [Plugin.Handle] in its
// own process with arguments that the command's input schema accepts, and gets a payload back.
//
// Data flow: arguments -> command -> SQLite file in the plugin's data folder -> payload. What the
// user wrote is what he gets back, offset and fraction of a time included; only the order of a list
// comes from the moment that a time names.
//
// The package never talks to a network, never reads a clock or the environment, and never words
// anything for a particular reader: facts are in data, and the two hints (presentation, advice) come
// from the manifest, the summary apart.
package schedulemanager

import (
	"context"
	_ "embed"
	"errors"
	"sync"

	"modernc.org/sqlite"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/runtime/id"
)

// Name is the tool's name, as in the manifest.
const Name = "ScheduleManager"

// Manifest is the plugin's manifest, plugin-manifest.json, as it was written.
//
//go:embed plugin-manifest.json
var Manifest []byte

// The codes of the manifest's errorCodes.
const (
	// NotFound: no schedule has the given id.
	NotFound errcode.Code = "SCHEDULE.NOT_FOUND"
)

// idPrefix starts every schedule's id (specification §13.4).
const idPrefix = "sch_"

// Plugin handles the four commands. It opens one database per data folder at the first call that
// names the folder, and is safe for concurrent use. The zero Plugin is ready.
type Plugin struct {
	ids id.Source

	mu     sync.Mutex
	stores map[string]*store
	closed bool
}

// ClosedError is what a call after [Plugin.Close] gets.
type ClosedError struct{}

func (*ClosedError) Error() string { return "the plugin " + Name + " is closed" }

// Handle implements [call.Handler]. Its error is never an expected failure: those are payloads.
func (p *Plugin) Handle(ctx context.Context, in call.Invocation) ([]byte, error) {
	run, ok := commands[in.Command]
	if !ok {
		return encode(failure(errcode.UnknownCommand, "/command", "there is no command "+in.Command, nil))
	}
	if in.DataDir == "" {
		return encode(failure(errcode.DependencyUnavailable, "", "the runtime gives plugins no folder to keep data in", nil))
	}
	s, err := p.open(ctx, in.DataDir)
	if err == nil {
		var answer payload
		if answer, err = run(p, ctx, s, in); err == nil {
			return encode(answer)
		}
	}
	return p.failed(ctx, err)
}

// commands maps identifiers of the manifest to code.
var commands = map[string]func(*Plugin, context.Context, *store, call.Invocation) (payload, error){
	"CreateSchedule": (*Plugin).create,
	"ListSchedules":  (*Plugin).list,
	"UpdateSchedule": (*Plugin).update,
	"DeleteSchedule": (*Plugin).remove,
}

// failed turns an error of the database into a payload: a file that cannot be used is a dependency
// that failed (specification §6.2). The text of SQLite stays inside, because it may name a path.
func (p *Plugin) failed(ctx context.Context, err error) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var broken *sqlite.Error
	if !errors.As(err, &broken) {
		return nil, err
	}
	answer := failure(errcode.DependencyUnavailable, "", "the schedule database cannot be used right now",
		map[string]any{"sqliteCode": broken.Code()})
	answer.Error.Retryable = true
	return encode(answer)
}

// open returns the store of a data folder.
func (p *Plugin) open(ctx context.Context, dir string) (*store, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, &ClosedError{}
	}
	if s := p.stores[dir]; s != nil {
		return s, nil
	}
	s, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	if p.stores == nil {
		p.stores = map[string]*store{}
	}
	p.stores[dir] = s
	return s, nil
}

// Close closes the databases. Call it after the runtime has drained: a call in flight fails, and a
// later one gets a [*ClosedError].
func (p *Plugin) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var failures []error
	for _, s := range p.stores {
		failures = append(failures, s.close())
	}
	p.stores = nil
	return errors.Join(failures...)
}
