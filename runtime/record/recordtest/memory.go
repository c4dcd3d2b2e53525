// Package recordtest brings a [record.Store] in memory, for tests of those who use one. It keeps every promise of
// the interface but durability, and passes the suite that the real stores pass.
//
// A [Database] outlives its stores, so that a test can crash one and look at what the next one finds:
//
//	var db recordtest.Database
//	store := db.Open()
//	…
//	store.Crash()
//	orphans, err := db.Open().Intents(ctx, record.IntentQuery{Orphaned: true})
//
// Only tests import it.
package recordtest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vcp.core/runtime/record"
)

// Database is what stores in memory share. The zero Database is empty.
type Database struct {
	mu      sync.Mutex
	records map[string]*record.Record // by id
	results map[string]*record.Record // by result id, bytes still there
	intents map[string]*intent        // by invocation id
	keys    map[name]*key
}

type intent struct {
	record.Intent
	key   *record.IdempotencyKey
	owner *Memory
}

type name struct{ owner, name string }

type key struct {
	digest       record.Digest
	invocationID string
	resultID     string // "" while in flight
}

// Memory is a store on a database. It implements [record.Store].
type Memory struct {
	// Fail is called first by every method but Close, with the method's name. What it returns the method returns,
	// without having done anything. nil fails nothing.
	Fail func(method string) error

	db   *Database
	gone bool // closed or crashed; guarded by db.mu
}

var _ record.Store = (*Memory)(nil)

// Open returns a store on the database.
func (d *Database) Open() *Memory {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.records == nil {
		d.records, d.results = map[string]*record.Record{}, map[string]*record.Record{}
		d.intents, d.keys = map[string]*intent{}, map[name]*key{}
	}
	return &Memory{db: d}
}

// Crash ends the store as the end of its process would: its open intents are orphans.
func (m *Memory) Crash() {
	m.db.mu.Lock()
	defer m.db.mu.Unlock()
	m.gone = true
}

// Close implements [record.Store].
func (m *Memory) Close(context.Context) error {
	m.Crash()
	return nil
}

// enter locks the database, or says why the method cannot be done.
func (m *Memory) enter(ctx context.Context, method string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.Fail != nil {
		if err := m.Fail(method); err != nil {
			return err
		}
	}
	m.db.mu.Lock()
	if m.gone {
		m.db.mu.Unlock()
		return &record.ClosedError{}
	}
	return nil
}

// Begin implements [record.Store].
func (m *Memory) Begin(ctx context.Context, in record.Intent) (record.Claim, error) {
	if err := m.enter(ctx, "Begin"); err != nil {
		return record.Claim{}, err
	}
	defer m.db.mu.Unlock()
	if m.db.intents[in.InvocationID] != nil {
		return record.Claim{State: record.Fresh}, nil // the same again
	}
	if k := in.Key; k != nil {
		if had := m.db.keys[name{k.Owner, k.Name}]; had != nil {
			claim := record.Claim{State: record.InFlight, InvocationID: had.invocationID, ResultID: had.resultID}
			switch {
			case had.digest != k.Digest:
				return record.Claim{State: record.Mismatch}, nil
			case had.resultID != "":
				claim.State = record.Done
			}
			return claim, nil
		}
	}
	if k := in.Key; k != nil {
		m.db.keys[name{k.Owner, k.Name}] = &key{digest: k.Digest, invocationID: in.InvocationID}
	}
	m.db.intents[in.InvocationID] = &intent{in.Kept(), in.Key, m}
	return record.Claim{State: record.Fresh}, nil
}

// Commit implements [record.Store].
func (m *Memory) Commit(ctx context.Context, e record.Entry) error {
	if err := m.enter(ctx, "Commit"); err != nil {
		return err
	}
	defer m.db.mu.Unlock()
	if r := e.Record; r != nil {
		had, stored := m.db.records[r.ID], m.db.results[r.ResultID]
		switch {
		case had != nil && had.ResultID != r.ResultID:
			return &record.ConflictError{What: "record", ID: r.ID}
		case had != nil && (had.Result == nil || r.Result != nil && had.Result.Text == r.Result.Text):
			return nil // the same again
		case had != nil || stored != nil:
			return &record.ConflictError{What: "result", ID: r.ResultID}
		}
	}
	if e.Resolves != "" {
		switch in := m.db.intents[e.Resolves]; {
		case in != nil:
			m.db.end(in, e)
		case e.Record != nil:
			return &record.ConflictError{What: "intent", ID: e.Resolves}
		}
	}
	if e.Record != nil {
		r := e.Record.Kept()
		m.db.records[r.ID] = &r
		if r.Result != nil {
			m.db.results[r.ResultID] = &r
		}
	}
	return nil
}

// end removes an intent and settles its key.
func (d *Database) end(in *intent, e record.Entry) {
	delete(d.intents, in.InvocationID)
	if in.key == nil {
		return
	}
	at := name{in.key.Owner, in.key.Name}
	if e.Record == nil || e.FreeKey {
		delete(d.keys, at)
		return
	}
	d.keys[at].resultID = e.Record.ResultID
}

// Intents implements [record.Store].
func (m *Memory) Intents(ctx context.Context, q record.IntentQuery) ([]record.Intent, error) {
	if err := m.enter(ctx, "Intents"); err != nil {
		return nil, err
	}
	defer m.db.mu.Unlock()
	var out []record.Intent
	for _, id := range slices.Sorted(maps.Keys(m.db.intents)) {
		in := m.db.intents[id]
		if id > q.After && (in.owner.gone || !q.Orphaned) && len(out) < q.Rows() {
			out = append(out, in.Intent)
		}
	}
	return out, nil
}

// Result implements [record.Store].
func (m *Memory) Result(ctx context.Context, id string) (record.Record, error) {
	if err := m.enter(ctx, "Result"); err != nil {
		return record.Record{}, err
	}
	defer m.db.mu.Unlock()
	r, err := found(m.db.results[id], id)
	r.Digest = ""
	return r, err
}

// Record implements [record.Store].
func (m *Memory) Record(ctx context.Context, id string) (record.Record, error) {
	if err := m.enter(ctx, "Record"); err != nil {
		return record.Record{}, err
	}
	defer m.db.mu.Unlock()
	return found(m.db.records[id], id)
}

func found(r *record.Record, id string) (record.Record, error) {
	if r == nil {
		return record.Record{}, &record.NotFoundError{ID: id}
	}
	return r.Kept(), nil
}

// List implements [record.Store].
func (m *Memory) List(ctx context.Context, q record.Query) (record.Page, error) {
	if err := m.enter(ctx, "List"); err != nil {
		return record.Page{}, err
	}
	defer m.db.mu.Unlock()
	var after *record.Record
	if q.After != "" {
		at, err := record.ParseCursor(q.After)
		if err != nil {
			return record.Page{}, err
		}
		after = &record.Record{ID: at.ID, Created: time.UnixMilli(at.Created)}
	}
	var page record.Page
	for _, r := range slices.SortedFunc(maps.Values(m.db.records), newest) {
		switch {
		case after != nil && newest(r, after) <= 0, !matches(q, r):
			continue
		case len(page.Records) == q.Rows():
			last := page.Records[q.Rows()-1]
			page.Next = record.Cursor{Created: last.Created.UnixMilli(), ID: last.ID}.String()
			return page, nil
		}
		row := *r
		row.Result = nil
		page.Records = append(page.Records, row)
	}
	return page, nil
}

func newest(a, b *record.Record) int {
	return cmp.Or(b.Created.Compare(a.Created), strings.Compare(b.ID, a.ID))
}

func matches(q record.Query, r *record.Record) bool {
	is := func(want, got string) bool { return want == "" || record.Key(want) == got }
	return is(q.Tool, r.Tool) && is(q.Command, r.Command) && is(string(q.Status), string(r.Status)) && is(q.Actor, r.Actor) &&
		is(q.RequestID, r.RequestID) && (q.From.IsZero() || !r.Created.Before(q.From)) && (q.To.IsZero() || r.Created.Before(q.To)) &&
		(!q.Stored || r.Result != nil)
}

// Resource implements [record.Store].
func (m *Memory) Resource(ctx context.Context, id string) (record.Resource, error) {
	if err := m.enter(ctx, "Resource"); err != nil {
		return record.Resource{}, err
	}
	defer m.db.mu.Unlock()
	for _, r := range m.db.results {
		for _, resource := range r.Result.Resources {
			if resource.ID == id {
				return resource, nil
			}
		}
	}
	return record.Resource{}, &record.NotFoundError{ID: id}
}

// Named implements [record.Store].
func (m *Memory) Named(ctx context.Context, sha256 []string) ([]string, error) {
	if err := m.enter(ctx, "Named"); err != nil {
		return nil, err
	}
	defer m.db.mu.Unlock()
	named := map[string]bool{}
	for _, r := range m.db.results {
		for _, resource := range r.Result.Resources {
			named[resource.SHA256] = true
		}
	}
	var out []string
	for _, sum := range sha256 {
		if named[sum] && sum != "" {
			out = append(out, sum)
		}
	}
	return out, nil
}

// Prune implements [record.Store].
func (m *Memory) Prune(ctx context.Context, keep record.Retention) (record.Pruned, error) {
	if err := m.enter(ctx, "Prune"); err != nil {
		return record.Pruned{}, err
	}
	defer m.db.mu.Unlock()
	var out record.Pruned
	var kept int64
	for _, r := range slices.SortedFunc(maps.Values(m.db.records), newest) {
		if r.Result != nil {
			kept += int64(r.Size)
		}
		old := r.Created.Before(keep.RecordsBefore)
		if r.Result != nil && (old || r.Created.Before(keep.ResultsBefore) || keep.ResultBytes > 0 && kept > keep.ResultBytes) {
			out.Results++
			out.Bytes += int64(r.Size)
			r.Result = nil
			delete(m.db.results, r.ResultID)
		}
		if old {
			out.Records++
			delete(m.db.records, r.ID)
			maps.DeleteFunc(m.db.keys, func(_ name, k *key) bool { return k.resultID == r.ResultID })
		}
	}
	return out, nil
}
