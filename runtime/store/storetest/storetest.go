// Package storetest is the suite that every [record.Store] has to pass. An adapter's test calls [Run] with a way to make
// databases; so does the test of the store in memory, and the one of a store with faults put under it.
//
// The suite knows nothing but the interface: what it holds against a store is in the comments of package record.
// Only tests import it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/id"
	"vcp.core/runtime/record"
	"vcp.core/runtime/result"
)

// Database is an empty database that several stores may be opened on.
type Database interface {
	// Open opens another store. The test ends when it cannot.
	Open(t testing.TB) record.Store
	// Crash ends a store as the end of its process would: nothing is waited for.
	Crash(s record.Store)
}

// Run runs the suite; fresh makes an empty database.
func Run(t *testing.T, fresh func(t testing.TB) Database) { run(t, fresh, "") }

// RunFaulty runs the suite on stores that are [Retrying]. What is relaxed cannot be tried again, so that is left out.
func RunFaulty(t *testing.T, fresh func(t testing.TB) Database) { run(t, fresh, "relaxed") }

func run(t *testing.T, fresh func(t testing.TB) Database, without string) {
	for _, tt := range []struct {
		name string
		test func(t *testing.T, db Database)
	}{
		{"what was committed is read back", testReadBack},
		{"the same again changes nothing", testSameAgain},
		{"ids stand for one thing", testConflicts},
		{"intents end with their result", testIntents},
		{"intents of a crashed process are orphans", testOrphans},
		{"keys", testKeys},
		{"keys are linearizable", testLinearizable},
		{"lists are what a filter says", testLists},
		{"pages under inserts", testPagesUnderInserts},
		{"a bad entry spoils no other", testBadNeighbours},
		{"one of many resolves an intent", testRace},
		{"results go, records stay", testRetentionByAge},
		{"the oldest results go", testRetentionBySize},
		{"resources", testResources},
		{"texts of any kind", testTexts},
		{"a large result", testLarge},
		{"relaxed", testRelaxed},
		{"closed", testClosed},
		{"contexts that ended", testContexts},
	} {
		if tt.name != without {
			t.Run(tt.name, func(t *testing.T) { tt.test(t, fresh(t)) })
		}
	}
}

// epoch is when the first call of a test happened.
var epoch = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// Rows makes what is committed in tests. Its ids are in order, like those of a program.
type Rows struct {
	ids id.Source
	rng *rand.Rand
	now time.Time
}

// NewRows returns rows of a seed.
func NewRows(seed uint64) *Rows {
	return &Rows{rng: rand.New(rand.NewPCG(seed, 1)), now: epoch}
}

func (m *Rows) id(prefix string) string { return m.ids.New(prefix, m.now) }

// Parts are those of a result that succeeds, with two resources.
func (m *Rows) Parts() result.Parts {
	m.now = m.now.Add(time.Duration(m.rng.IntN(3)) * time.Millisecond)
	p := result.Parts{ID: m.id(id.Result), Status: call.Success, Actor: &call.Actor{Type: "human", ID: "u1", Name: "Ann"}}
	p.Tool.Name = "Meteo"
	p.Origin.Source = "cli"
	p.Execution = result.ExecutionPart{InvocationID: m.id(id.Invocation), RequestID: m.id(id.Request), RecordID: m.id(id.Record),
		StartedAt: m.now, FinishedAt: m.now, Attempt: 1}
	p.Data = result.Bytes(fmt.Appendf(nil, `{"n":%d,"text":"日程 <&>"}`, m.rng.IntN(1000)))
	p.Resources = result.Bytes(fmt.Appendf(nil, `[{"id":%q,"sha256":"%064x"},{"id":%q,"sha256":null}]`, m.id(id.Resource), m.rng.Uint64(), m.id(id.Resource)))
	return p
}

// RecordOf makes the record of a result.
func RecordOf(t testing.TB, p result.Parts) record.Record {
	t.Helper()
	v, err := result.Open(result.Seal(p))
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Of(v, `{"type":"vcp_audit","resultId":"`+p.ID+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Record makes a record with a result and two resources.
func (m *Rows) Record(t testing.TB) record.Record { return RecordOf(t, m.Parts()) }

// Intent makes an intent without a key.
func (m *Rows) Intent() record.Intent {
	return record.Intent{
		InvocationID: m.id(id.Invocation), RequestID: m.id(id.Request), TaskID: m.id(id.Task), Tool: "Meteo", DisplayName: "Weather", Version: "1.2.3",
		Command: "Set", Effect: call.Write, Source: "cli", Actor: &call.Actor{Type: "human", ID: "u1", Name: "Ann", Maid: "M"}, RequestIP: "192.0.2.7",
		NodeID: "n1", Started: m.now, Timeout: 1500 * time.Millisecond, Arguments: record.Digest{1, 2, 3},
	}
}

// Ending makes an entry with a result for an intent.
func (m *Rows) Ending(t testing.TB, in record.Intent) record.Entry {
	t.Helper()
	p := m.Parts()
	p.Execution.InvocationID, p.Execution.RequestID = in.InvocationID, in.RequestID
	r := RecordOf(t, p)
	return record.Entry{Record: &r, Resolves: in.InvocationID}
}

func ctx(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return c
}

func commit(t testing.TB, s record.Store, e record.Entry) {
	t.Helper()
	if err := s.Commit(ctx(t), e); err != nil {
		t.Fatal(err)
	}
}

func begin(t testing.TB, s record.Store, in record.Intent) record.Claim {
	t.Helper()
	claim, err := s.Begin(ctx(t), in)
	if err != nil {
		t.Fatal(err)
	}
	return claim
}

// is says whether an error is of a type.
func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func wantConflict(t testing.TB, what string, err error) {
	t.Helper()
	var c *record.ConflictError
	if !errors.As(err, &c) || c.What != what {
		t.Errorf("got %v, want a conflict about the %s", err, what)
	}
}

// holds says that the store has exactly this record, by both ids and in lists.
func holds(t testing.TB, s record.Store, want record.Record) {
	t.Helper()
	want = want.Kept()
	for by, get := range map[string]func() (record.Record, error){
		"result": func() (record.Record, error) { return s.Result(ctx(t), want.ResultID) },
		"record": func() (record.Record, error) { return s.Record(ctx(t), want.ID) },
	} {
		got, err := get()
		want := want
		if by == "result" {
			want.Digest = ""
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("by %s: got %s, %v\nwant %s", by, show(got), err, show(want))
		}
	}
	page, err := s.List(ctx(t), record.Query{RequestID: want.RequestID})
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("list: %d records, %v", len(page.Records), err)
	}
	want.Result = nil
	if !reflect.DeepEqual(page.Records[0], want) {
		t.Fatalf("list: got %s\nwant %s", show(page.Records[0]), show(want))
	}
}

func show(r record.Record) string {
	text := fmt.Sprintf("%+v", r)
	if r.Result != nil {
		text += fmt.Sprintf(" %+v", *r.Result)
	}
	return text[:min(len(text), 2000)]
}

func testReadBack(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(1)
	var all []record.Record
	for range 20 {
		r := m.Record(t)
		commit(t, s, record.Entry{Record: &r})
		holds(t, s, r)
		all = append(all, r)
	}
	bare := m.Record(t)
	bare.Result, bare.Digest, bare.Size = nil, "", 77
	commit(t, s, record.Entry{Record: &bare})
	if got, err := s.Record(ctx(t), bare.ID); err != nil || !reflect.DeepEqual(got, bare.Kept()) {
		t.Errorf("a record without a result came back as %s, %v", show(got), err)
	}
	if err := s.Close(ctx(t)); err != nil {
		t.Fatal(err)
	}
	s = db.Open(t)
	for _, r := range all {
		holds(t, s, r)
		back, err := r.Sealed()
		if err == nil && back.String() != r.Result.Text {
			t.Errorf("%s came back as %s", r.Result.Text, back)
		}
	}
	for _, missing := range []string{"", "tr_x", all[0].ID, "tr_\x00", "' OR 1=1 --"} {
		if _, err := s.Result(ctx(t), missing); !is[*record.NotFoundError](err) {
			t.Errorf("result %q: %v", missing, err)
		}
	}
	if _, err := s.Record(ctx(t), all[0].ResultID); !is[*record.NotFoundError](err) {
		t.Errorf("a result's id found a record: %v", err)
	}
}

func testSameAgain(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(2)
	in := m.Intent()
	for range 3 {
		if claim := begin(t, s, in); claim.State != record.Fresh {
			t.Fatalf("%+v", claim)
		}
	}
	e := m.Ending(t, in)
	for range 3 {
		commit(t, s, e)
	}
	holds(t, s, *e.Record)
	keyed := m.Intent()
	keyed.Key = &record.IdempotencyKey{Owner: "o", Name: "n"}
	for range 3 {
		if claim := begin(t, s, keyed); claim.State != record.Fresh {
			t.Fatalf("%+v", claim)
		}
	}
	nothing := record.Entry{Resolves: keyed.InvocationID}
	for range 3 {
		commit(t, s, nothing)
	}
	page, err := s.List(ctx(t), record.Query{})
	if err != nil || len(page.Records) != 1 {
		t.Errorf("%d records, %v", len(page.Records), err)
	}
	if _, err := s.Prune(ctx(t), record.Retention{ResultsBefore: epoch.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	commit(t, s, e) // that the bytes have gone does not make it new
	if _, err := s.Result(ctx(t), e.Record.ResultID); !is[*record.NotFoundError](err) {
		t.Errorf("a pruned result came back: %v", err)
	}
}

func testConflicts(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(3)
	had := m.Record(t)
	commit(t, s, record.Entry{Record: &had})

	other := m.Record(t)
	other.ID = had.ID
	wantConflict(t, "record", s.Commit(ctx(t), record.Entry{Record: &other}))

	other = m.Record(t)
	other.ResultID = had.ResultID
	wantConflict(t, "result", s.Commit(ctx(t), record.Entry{Record: &other}))

	changed := had.Kept()
	changed.Result.Text = strings.Replace(changed.Result.Text, "日", "月", 1)
	wantConflict(t, "result", s.Commit(ctx(t), record.Entry{Record: &changed}))

	unopened := m.Ending(t, m.Intent())
	wantConflict(t, "intent", s.Commit(ctx(t), unopened))

	in := m.Intent()
	begin(t, s, in)
	spoiled := m.Ending(t, in)
	spoiled.Record.ID = had.ID
	wantConflict(t, "record", s.Commit(ctx(t), spoiled))
	open, err := s.Intents(ctx(t), record.IntentQuery{})
	if err != nil || len(open) != 1 {
		t.Errorf("a commit that failed left %d intents, %v", len(open), err)
	}
	holds(t, s, had)
	page, err := s.List(ctx(t), record.Query{})
	if err != nil || len(page.Records) != 1 {
		t.Errorf("%d records, %v", len(page.Records), err)
	}
}
