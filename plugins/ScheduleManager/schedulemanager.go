// Package schedulemanager is the plugin ScheduleManager: it keeps a user's schedules and creates,
// lists, updates and deletes them. It implements the handler that was generated from its manifest
// (generated/plugins/schedulemanager); whoever links it binds it with that package's Bind.
//
// Data flow: typed input -> command -> SQLite file in the plugin's data folder -> typed output. What the
// user wrote is what he gets back, offset and fraction of a time included; only the order of a list
// comes from the moment that a time names.
//
// The package never talks to a network, never reads a clock or the environment, and never words
// anything for a particular reader: facts are in data, and the two hints (presentation, advice) come
// from the manifest, the summary apart.
package schedulemanager

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	contract "vcp.core/generated/plugins/schedulemanager"
	"vcp.core/runtime/id"
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

var _ contract.Handler = (*Plugin)(nil)

// ClosedError is what a call after [Plugin.Close] gets.
type ClosedError struct{}

// Error says it in a sentence.
func (*ClosedError) Error() string { return "the plugin " + contract.Tool + " is closed" }

// in runs a command in the store of a call. Its error is a [*call.Failure] for what the plugin expects to go
// wrong: a file that cannot be used is a dependency that failed (specification §6.2). The text of SQLite
// stays inside, because it may name a path.
func in[Out call.Encoder](ctx context.Context, p *Plugin, at *contract.Invocation, run func(*store) (call.Answer[Out], error)) (call.Answer[Out], error) {
	s, err := p.open(ctx, at.DataDir)
	if err == nil {
		var answer call.Answer[Out]
		if answer, err = run(s); err == nil {
			return answer, nil
		}
	}
	var broken *sqlite.Error
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.As(err, &broken):
		err = &call.Failure{
			Code: errcode.DependencyUnavailable, Message: "the schedule database cannot be used", Retryable: !lasting(broken.Code()),
			Details: wire.Raw(`{"sqliteCode":` + strconv.Itoa(broken.Code()) + `}`),
		}
	}
	return call.Answer[Out]{}, err
}

// lasting tells the failures that the same call meets again: the file is damaged, is no database, or may not
// be written. The low byte of a code is the kind of failure, the rest says more about it.
func lasting(code int) bool {
	switch code & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return true
	}
	return false
}

// open returns the store of a data folder.
func (p *Plugin) open(ctx context.Context, dir string) (*store, error) {
	if dir == "" {
		return nil, &call.Failure{Code: errcode.DependencyUnavailable, Message: "the runtime gives plugins no folder to keep data in"}
	}
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
