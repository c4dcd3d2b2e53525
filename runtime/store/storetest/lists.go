package storetest

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/record"
	"vcp.core/runtime/result"
)

var statuses = []call.Status{call.Success, call.Accepted, call.Partial, call.Error, call.Cancelled, call.Timeout}

// varied makes a record with keys of a few values each.
func (m *Rows) varied(t testing.TB) record.Record {
	p := m.Parts()
	pick := func(list ...string) string { return list[m.rng.IntN(len(list))] }
	p.Tool.Name = pick("Meteo", "日程", "a.b", "%")
	p.Tool.Command = wire.OrNull(pick("", "Get", "Set"))
	if m.rng.IntN(2) == 0 {
		p.Status = statuses[m.rng.IntN(len(statuses))]
	}
	if who := pick("", "u1", "u2"); who == "" {
		p.Actor = nil
	} else {
		p.Actor = &call.Actor{Type: "human", ID: who}
	}
	return RecordOf(t, p)
}

// fill commits n varied records from several goroutines.
func fill(t testing.TB, s record.Store, m *Rows, n int) []record.Record {
	all := make([]record.Record, n)
	for i := range all {
		all[i] = m.varied(t)
		if i > 0 && m.rng.IntN(3) == 0 {
			all[i].RequestID = all[i-1].RequestID
		}
	}
	var wg sync.WaitGroup
	for part := range slices.Chunk(all, (n+15)/16) {
		wg.Go(func() {
			for i := range part {
				if err := s.Commit(context.Background(), record.Entry{Record: &part[i]}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return all
}

func newest(a, b record.Record) int {
	return cmp.Or(b.Created.Compare(a.Created), strings.Compare(b.ID, a.ID))
}

// walk reads all pages of a list.
func walk(t testing.TB, s record.Store, q record.Query) []record.Record {
	t.Helper()
	var out []record.Record
	for pages := 0; ; pages++ {
		page, err := s.List(ctx(t), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Records) > q.Rows() || page.Next != "" && len(page.Records) < q.Rows() {
			t.Fatalf("%d records on a page of %d, the next is %q", len(page.Records), q.Rows(), page.Next)
		}
		out = append(out, page.Records...)
		if page.Next == "" {
			return out
		}
		if pages > 10_000 {
			t.Fatal("the list has no end")
		}
		q.After = page.Next
	}
}

// Every combination of filters selects what the filter says, in order, whatever the size of a page.
func testLists(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(20)
	all := fill(t, s, m, 400)
	slices.SortFunc(all, newest)
	for i := range 150 {
		some := all[m.rng.IntN(len(all))]
		q := record.Query{Limit: 1 + m.rng.IntN(100)}
		set := m.rng.IntN(256)
		if i < 16 {
			set = 1 << (i % 8)
		}
		for bit, apply := range []func(){
			func() { q.Tool = some.Tool }, func() { q.Command = some.Command }, func() { q.Status = some.Status }, func() { q.Actor = some.Actor },
			func() { q.RequestID = some.RequestID }, func() { q.From = some.Created.Add(-time.Duration(m.rng.IntN(100)) * time.Millisecond) },
			func() { q.To = some.Created.Add(time.Duration(m.rng.IntN(100_000)) * time.Microsecond) }, func() { q.Stored = true },
		} {
			if set&(1<<bit) != 0 {
				apply()
			}
		}
		var want []record.Record
		for _, r := range all {
			if (q.Tool == "" || r.Tool == q.Tool) && (q.Command == "" || r.Command == q.Command) && (q.Status == "" || r.Status == q.Status) &&
				(q.Actor == "" || r.Actor == q.Actor) && (q.RequestID == "" || r.RequestID == q.RequestID) &&
				(q.From.IsZero() || !r.Created.Before(q.From)) && (q.To.IsZero() || r.Created.Before(q.To)) {
				r = r.Kept()
				r.Result = nil
				want = append(want, r)
			}
		}
		if got := walk(t, s, q); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v: %d records, want %d", q, len(got), len(want))
		}
	}
	for _, after := range []string{"x", "-", "1-\x00", "'; DROP TABLE records"} {
		if _, err := s.List(ctx(t), record.Query{After: after}); !is[*record.CursorError](err) {
			t.Errorf("after %q: %v", after, err)
		}
	}
	if page, err := s.List(ctx(t), record.Query{Limit: 1 << 30}); err != nil || len(page.Records) != len(all) {
		t.Errorf("%d records, %v", len(page.Records), err)
	}
}

// What was there before the first page was read is on one page each, whatever is committed meanwhile.
func testPagesUnderInserts(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(21)
	before := map[string]bool{}
	for _, r := range fill(t, s, m, 200) {
		before[r.ID] = true
	}
	later := make([]record.Record, 200)
	for i := range later {
		later[i] = m.varied(t)
		if i%2 == 0 { // a clock of another machine
			later[i].Created = epoch.Add(time.Duration(m.rng.IntN(300)) * time.Millisecond)
		}
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range later {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.Commit(context.Background(), record.Entry{Record: &later[i]}); err != nil {
				t.Error(err)
			}
		}
	})
	list := walk(t, s, record.Query{Limit: 7})
	close(stop)
	wg.Wait()
	if !slices.IsSortedFunc(list, newest) {
		t.Error("the pages are not in order")
	}
	seen := map[string]int{}
	for _, r := range list {
		seen[r.ID]++
	}
	for id, n := range seen {
		if n > 1 {
			t.Errorf("%s is on %d pages", id, n)
		}
	}
	for id := range before {
		if seen[id] == 0 {
			t.Errorf("%s is on no page", id)
		}
	}
}

func testRetentionByAge(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(22)
	all := fill(t, s, m, 500)
	slices.SortFunc(all, newest)
	in := m.Intent()
	in.Key = &record.IdempotencyKey{Owner: "o", Name: "k"}
	begin(t, s, in)
	last := m.Ending(t, in)
	commit(t, s, last)
	pending := m.Intent()
	pending.Key = &record.IdempotencyKey{Owner: "o", Name: "pending"}
	pending.Started = epoch.Add(-time.Hour)
	begin(t, s, pending)

	border := all[250].Created
	var old int
	var bytes int64
	for _, r := range all {
		if r.Created.Before(border) {
			old++
			bytes += int64(r.Size)
		}
	}
	got, err := s.Prune(ctx(t), record.Retention{ResultsBefore: border})
	if want := (record.Pruned{Results: old, Bytes: bytes}); err != nil || got != want {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
	for _, r := range all {
		whole, err := s.Record(ctx(t), r.ID)
		_, gone := s.Result(ctx(t), r.ResultID)
		if err != nil || (whole.Result == nil) != r.Created.Before(border) || is[*record.NotFoundError](gone) != r.Created.Before(border) || whole.Size != r.Size {
			t.Fatalf("record of %v, border %v: result %v, %v, %v", r.Created, border, whole.Result != nil, err, gone)
		}
	}
	if stored := walk(t, s, record.Query{Stored: true}); len(stored) != len(all)+1-old {
		t.Errorf("%d are stored, want %d", len(stored), len(all)+1-old)
	}
	got, err = s.Prune(ctx(t), record.Retention{RecordsBefore: border})
	if want := (record.Pruned{Records: old}); err != nil || got != want {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
	if left := walk(t, s, record.Query{}); len(left) != len(all)+1-old {
		t.Errorf("%d are left, want %d", len(left), len(all)+1-old)
	}
	same := func(k *record.IdempotencyKey) record.Claim {
		again := m.Intent()
		again.Key = k
		return begin(t, s, again)
	}
	if claim := same(in.Key); claim.State != record.Done || claim.ResultID != last.Record.ResultID {
		t.Errorf("the key of a record that stays: %+v", claim)
	}
	if got, err = s.Prune(ctx(t), record.Retention{RecordsBefore: epoch.Add(24 * time.Hour)}); err != nil || got.Records != len(all)+1-old || got.Results != got.Records {
		t.Errorf("%+v, %v", got, err)
	}
	if claim := same(in.Key); claim.State != record.Fresh {
		t.Errorf("the key of a record that went: %+v", claim)
	}
	if claim := same(pending.Key); claim.State != record.InFlight {
		t.Errorf("the key of a call that runs: %+v", claim)
	}
}

func testRetentionBySize(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(23)
	all := fill(t, s, m, 120)
	slices.SortFunc(all, newest)
	for _, limit := range []int64{1 << 60, 60_000, 59_999, 1000, 1} {
		if _, err := s.Prune(ctx(t), record.Retention{ResultBytes: limit}); err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		var want []string
		for _, r := range all {
			if sum += int64(r.Size); sum > limit {
				break
			}
			want = append(want, r.ID)
		}
		var got []string
		for _, r := range walk(t, s, record.Query{Stored: true}) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %d results are left, want the newest %d", limit, len(got), len(want))
		}
	}
	if left := walk(t, s, record.Query{}); len(left) != len(all) {
		t.Errorf("%d records are left of %d", len(left), len(all))
	}
}

func testResources(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(24)
	first, second := m.Record(t), m.Record(t)
	second.Result.Resources[0].SHA256 = first.Result.Resources[0].SHA256
	for _, r := range []record.Record{first, second} {
		commit(t, s, record.Entry{Record: &r})
		for _, x := range r.Result.Resources {
			if got, err := s.Resource(ctx(t), x.ID); err != nil || got != x {
				t.Errorf("%+v, %v, want %+v", got, err, x)
			}
		}
	}
	named := func(want bool) {
		t.Helper()
		sum := first.Result.Resources[0].SHA256
		got, err := s.Named(ctx(t), []string{"00", sum, "", "\x00"})
		if err != nil || want != slices.Equal(got, []string{sum}) || !want && len(got) > 0 {
			t.Errorf("%v, %v", got, err)
		}
	}
	named(true)
	if _, err := s.Prune(ctx(t), record.Retention{ResultBytes: int64(second.Size)}); err != nil {
		t.Fatal(err)
	}
	named(true) // the second names it, too
	if _, err := s.Resource(ctx(t), first.Result.Resources[0].ID); !is[*record.NotFoundError](err) {
		t.Errorf("a resource of a pruned result: %v", err)
	}
	if _, err := s.Prune(ctx(t), record.Retention{RecordsBefore: epoch.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	named(false)
}

// Texts that somebody chose come back as Key writes them, and find what they stand for.
func testTexts(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(25)
	for _, text := range []string{"a\x00b", "\xff\xfe", "'; DROP TABLE records; --", `"`, `\`, "%_", "日程", strings.Repeat("長", 5000), " ", "NULL", "$1", "\u2028\ufeff"} {
		p := m.Parts()
		p.Tool.Name, p.Tool.Command, p.Actor, p.Origin.Source = text, wire.OrNull(text), &call.Actor{Type: "human", Name: text}, text
		p.Status, p.Error = call.Error, &result.ErrorPart{Code: errcode.Code(text)}
		said := RecordOf(t, p)
		commit(t, s, record.Entry{Record: &said})
		holds(t, s, said)

		// The record of a result that cannot be read back from its text is looked up.
		r := m.Record(t)
		r.Tool, r.Command, r.Actor, r.Source, r.Code = text, text, text, text, text
		if other := m.Record(t); len(text)%2 == 0 {
			r.Result.Text, r.Result.Index, r.Size = other.Result.Text, other.Result.Index, other.Size
		} else {
			r.Result.Index = record.Index{}
		}
		commit(t, s, record.Entry{Record: &r})
		holds(t, s, r)
		if list := walk(t, s, record.Query{Tool: text, Command: text, Actor: text}); len(list) != 2 || list[0].ID != r.ID || list[1].ID != said.ID {
			t.Errorf("%.20q finds %d records", text, len(list))
		}
		in := m.Intent()
		in.Tool, in.Command, in.Source, in.Actor, in.NodeID, in.RequestIP = text, text, text, &call.Actor{Type: text, Name: text}, text, text
		begin(t, s, in)
		if got := intents(t, s, record.IntentQuery{}); len(got) != 1 || !reflect.DeepEqual(got[0], in.Kept()) {
			t.Errorf("%.20q came back as %+v", text, got)
		}
		commit(t, s, m.Ending(t, in))
	}
}

func testLarge(t *testing.T, db Database) {
	s := db.Open(t)
	m := NewRows(26)
	p := m.Parts()
	p.Data = result.Text(strings.Repeat("0123456789abcde\u2028", 200_000))
	large := RecordOf(t, p)
	small := make([]record.Record, 40)
	for i := range small {
		small[i] = m.Record(t)
	}
	var wg sync.WaitGroup
	for _, r := range append(small, large) {
		wg.Go(func() {
			if err := s.Commit(context.Background(), record.Entry{Record: &r}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	holds(t, s, large)
}
