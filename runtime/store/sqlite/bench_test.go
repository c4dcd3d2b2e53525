package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/record"
	"vcp.core/runtime/result"
	"vcp.core/runtime/store/storetest"
)

// What the store costs over a loop that only inserts: one goroutine, the same tables, rows, settings and group size,
// nothing to wait for and nobody to answer. The ratio is the loop's time by the store's, the median of rounds that
// take turns, so that a busy machine slows both.
func BenchmarkCommit(b *testing.B) {
	for _, intents := range []bool{false, true} {
		for _, callers := range []int{1, 64} {
			name := fmt.Sprintf("callers=%d", callers)
			if intents {
				name += "/intents"
			}
			b.Run(name, func(b *testing.B) { benchCommit(b, callers, intents) })
		}
	}
}

func benchCommit(b *testing.B, callers int, intents bool) {
	s := (&file{path: filepath.Join(b.TempDir(), "store.db")}).Open(b).(*Store)
	bare := newBare(b)
	rows := storetest.NewRows(1)
	size := 4 * 64
	if callers > 1 {
		size = 64 * 64
	}
	var ours, theirs []float64
	fresh := func() (list []work) {
		for range size {
			var w work
			if w.entry.Record = new(benchRecord(b, rows)); intents {
				w.intent = rows.Intent()
				w.entry.Resolves = w.intent.InvocationID
			}
			list = append(list, w)
		}
		return list
	}
	for b.Loop() {
		list := fresh()
		theirs = append(theirs, seconds(func() { bare.insert(b, list, callers, intents) }))
		list = fresh()
		ours = append(ours, seconds(func() {
			var wg sync.WaitGroup
			for caller := range callers {
				wg.Go(func() {
					for i := caller; i < len(list); i += callers { // so that ids arrive nearly in order, as they are made
						w := &list[i]
						if intents {
							if _, err := s.Begin(context.Background(), w.intent); err != nil {
								b.Error(err)
							}
						}
						if err := s.Commit(context.Background(), w.entry); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
		}))
	}
	ratios := ratiosOf(ours, theirs)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ours)/float64(size)*1e6, "µs/commit")
	b.ReportMetric(median(theirs)/float64(size)*1e6, "µs/bare")
	b.ReportMetric(median(ratios), "bare/store")
	if len(ratios) >= 5 && median(ratios) < slowest {
		b.Errorf("the store takes %.2f times as long as the loop", 1/median(ratios))
	}
	stats := s.Stats()
	b.ReportMetric(float64(stats.Requests)/float64(stats.Transactions), "requests/transaction")
}

// slowest is the least that a ratio may be on a machine that is busy with other things; 0.8 is what it should be.
const slowest = 0.5

type work struct {
	intent record.Intent
	entry  record.Entry
}

func ratiosOf(ours, theirs []float64) (ratios []float64) {
	for i := range ours {
		ratios = append(ratios, theirs[i]/ours[i])
	}
	return ratios
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

func seconds(do func()) float64 {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}

// benchRecord is a record of the usual size: 2 KB of result, 500 bytes of digest.
func benchRecord(b *testing.B, rows *storetest.Rows) record.Record {
	p := rows.Parts()
	p.Resources = result.Value{}
	p.Data = result.Text(strings.Repeat("0123456789abcdef", 75))
	r := storetest.RecordOf(b, p)
	r.Digest = strings.Repeat(`{"type":"vcp_audit"}`, 25)
	return r
}

// bare is the loop that is compared with.
type bare struct {
	conn *sql.Conn
	stmt [4]*sql.Stmt
}

func newBare(b *testing.B) *bare {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bare.db")
	if err := (&file{path: path}).Open(b).Close(b.Context()); err != nil { // the tables
		b.Fatal(err)
	}
	d := &database{path: path}
	pool, err := sql.Open("sqlite", d.source("busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-16384)"))
	if err != nil {
		b.Fatal(err)
	}
	l := &bare{}
	if l.conn, err = pool.Conn(b.Context()); err != nil {
		b.Fatal(err)
	}
	for i, text := range []string{
		`INSERT INTO records VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		`INSERT INTO results VALUES ($1, $2, $3, $4, $5)`,
		`INSERT INTO intents VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		`DELETE FROM intents WHERE invocation_id = $1`,
	} {
		if l.stmt[i], err = l.conn.PrepareContext(context.Background(), text); err != nil { //nolint:sqlclosecheck // by Cleanup
			b.Fatal(err)
		}
	}
	b.Cleanup(func() {
		for _, st := range l.stmt {
			_ = st.Close()
		}
		_ = l.conn.Close()
		_ = pool.Close()
	})
	return l
}

func (l *bare) insert(b *testing.B, list []work, group int, intents bool) {
	ctx := context.Background()
	exec := func(i int, args ...any) {
		if _, err := l.stmt[i].ExecContext(ctx, args...); err != nil {
			b.Fatal(err)
		}
	}
	transaction := func(do func()) {
		if _, err := l.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			b.Fatal(err)
		}
		do()
		if _, err := l.conn.ExecContext(ctx, "COMMIT"); err != nil {
			b.Fatal(err)
		}
	}
	for part := range slices.Chunk(list, group) {
		if intents {
			transaction(func() {
				for i := range part {
					in := &part[i].intent
					exec(2, in.InvocationID, "owner", "", in.RequestID, in.TaskID, in.Tool, in.DisplayName, in.Version, in.Command, string(in.Effect), in.Source, int64(1),
						in.Actor.Type, in.Actor.ID, in.Actor.Name, in.Actor.Maid, in.RequestIP, in.NodeID, in.Started.UnixMilli(), in.Timeout.Milliseconds(), strings.Repeat("0", 64))
				}
			})
		}
		transaction(func() {
			for i := range part {
				r := part[i].entry.Record
				if intents {
					exec(3, part[i].entry.Resolves)
				}
				exec(0, r.ID, r.ResultID, r.InvocationID, r.RequestID, r.TaskID, r.Tool, r.Command, string(r.Status), r.Code, r.Actor, r.Source, r.Protocol,
					r.Created.UnixMilli(), int64(r.Size), int64(r.Size), r.Digest)
				exec(1, r.ResultID, r.ID, int64(0), r.Result.Index.String(), r.Result.Text)
			}
		})
	}
}

// rowsVariable says up to how many rows BenchmarkRows goes; make bench-rows sets it to 1,000,000.
const rowsVariable = "VCP_BENCH_ROWS"

// Reading costs the same, however much is stored. The metrics are the median times at the largest size by those at
// 10,000 rows, of three rounds in turns; the log has the times.
//
// What is read is any of all rows. A few hundred records read again and again would lie in the readers' caches (8 MB each) when there
// are 10,000 rows, and not when there are 1,000,000, where each has its pages for itself. get and page-busy
// read while others write: after a commit, which takes away what readers have in their caches. get-idle and the other lists
// read what nobody writes to.
func BenchmarkRows(b *testing.B) {
	most := 100_000
	if n, err := strconv.Atoi(os.Getenv(rowsVariable)); err == nil {
		most = n
	}
	small, large := newStock(b), newStock(b)
	small.fill(b, 10_000)
	ratios := map[string]float64{}
	for size := 100_000; size <= most; size *= 10 {
		large.fill(b, size)
		line := fmt.Sprintf("median µs at 10000 and %d rows:", size)
		for _, name := range slices.Sorted(maps.Keys(reads)) {
			var times [2][]float64
			for range 3 {
				for at, stock := range []*stock{small, large} {
					times[at] = append(times[at], stock.time(b, reads[name])...)
				}
			}
			before, after := median(times[0])*1e6, median(times[1])*1e6
			line += fmt.Sprintf(" %s %.0f %.0f", name, before, after)
			ratios[name] = after / before
		}
		b.Log(line)
	}
	for b.Loop() { // the work is done; the metrics are ratios
	}
	b.ReportMetric(0, "ns/op")
	for name, ratio := range ratios {
		b.ReportMetric(ratio, name+"×")
		if ratio > steepest {
			b.Errorf("%s takes %.2f times as long as at 10,000 rows", name, ratio)
		}
	}
}

// steepest is what reading may take at many rows, by 10,000: less than the logarithm would allow, and far from what a
// scan of the rows takes, which is 10 and more.
const steepest = 4

// stock is a store with many records.
type stock struct {
	*Store
	path string
	rows *storetest.Rows
	rng  *rand.Rand
	have []known
}

// known is what a reader knows of a record. There are a million of them.
type known struct {
	resultID, recordID [ulid]byte
	requestID          [ulid]byte
	created            int64
	tool, actor        uint8
}

// ulid is how long an id is without its prefix.
const ulid = 26

func newStock(b *testing.B) *stock {
	b.Helper()
	s := &stock{path: filepath.Join(b.TempDir(), "records.db"), rows: storetest.NewRows(1), rng: rand.New(rand.NewPCG(1, 5))}
	s.open(b)
	b.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func (s *stock) open(b *testing.B) {
	b.Helper()
	var err error
	if s.Store, err = Open(b.Context(), s.path, Options{unsafe: true}); err != nil {
		b.Fatal(err)
	}
}

// fill brings the store to a number of records: of 20 tools and 50 actors, one of 20 failed.
func (s *stock) fill(b *testing.B, size int) {
	b.Helper()
	for len(s.have) < size {
		s.add(b, len(s.have) != size-1)
	}
	// A writer that has filled its cache takes the readers' away, in which case they read all pages anew. Here that would be at one
	// of the two sizes.
	if err := s.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	s.open(b)
}

func (s *stock) add(b *testing.B, relaxed bool) {
	p := s.rows.Parts()
	k := known{tool: uint8(s.rng.IntN(20)), actor: uint8(s.rng.IntN(50))}
	p.Tool.Name, p.Actor, p.Resources = k.toolName(), &call.Actor{Type: "human", ID: k.actorID()}, result.Value{}
	if s.rng.IntN(20) == 0 {
		p.Status = call.Error
	}
	r := storetest.RecordOf(b, p)
	if err := s.Commit(b.Context(), record.Entry{Record: &r, Relaxed: relaxed}); err != nil {
		b.Fatal(err)
	}
	for id, into := range map[string]*[ulid]byte{r.ResultID: &k.resultID, r.ID: &k.recordID, r.RequestID: &k.requestID} {
		copy(into[:], id[len(id)-ulid:])
	}
	k.created = r.Created.UnixMilli()
	s.have = append(s.have, k)
}

func (k *known) toolName() string { return fmt.Sprintf("Tool%d", k.tool) }
func (k *known) actorID() string  { return fmt.Sprintf("u%d", k.actor) }

// some is any of the records.
func (s *stock) some() *known { return &s.have[s.rng.IntN(len(s.have))] }

// reading is a way of reading.
type reading struct {
	do     func(b *testing.B, s *stock)
	busy   bool // there is a commit before each
	warmUp int  // how often it is done before it is timed, 500 times
}

// time returns how long each of some readings took.
func (s *stock) time(b *testing.B, r reading) (times []float64) {
	b.Helper()
	for i := range r.warmUp + 500 {
		if r.busy {
			s.add(b, false)
		}
		taken := seconds(func() { r.do(b, s) })
		if i >= r.warmUp {
			times = append(times, taken)
		}
	}
	return times
}

func (s *stock) get(b *testing.B) {
	if _, err := s.Result(b.Context(), "tr_"+string(s.some().resultID[:])); err != nil {
		b.Fatal(err)
	}
}

// pages are lists of 50 records where there are as many.
func pages(query func(k *known) record.Query) reading {
	return reading{warmUp: 300, do: func(b *testing.B, s *stock) {
		if page, err := s.List(b.Context(), query(s.some())); err != nil || len(page.Records) == 0 {
			b.Fatal(len(page.Records), err)
		}
	}}
}

// beside is a reading while others write.
func beside(r reading) reading {
	r.busy = true
	return r
}

// reads are the ways of reading that must not depend on the number of rows. All readers of a process share the room of their
// caches, so whoever reads a store that is idle fills his part of it again first.
var reads = map[string]reading{
	"get":        {do: func(b *testing.B, s *stock) { s.get(b) }, busy: true, warmUp: 100},
	"get-idle":   {do: func(b *testing.B, s *stock) { s.get(b) }, warmUp: 6000},
	"page-busy":  beside(pages(func(*known) record.Query { return record.Query{} })),
	"page-first": pages(func(*known) record.Query { return record.Query{} }),
	"page-inside": pages(func(k *known) record.Query {
		return record.Query{After: record.Cursor{Created: k.created + 1000, ID: "tcr_" + string(k.recordID[:])}.String()}
	}),
	"page-tool": pages(func(k *known) record.Query { return record.Query{Tool: k.toolName()} }),
	"page-tool-failed": pages(func(k *known) record.Query { // 10,000 rows have some 25 of them, so a full page would compare 25 with 50
		return record.Query{Tool: k.toolName(), Status: call.Error, Limit: 10}
	}),
	"page-failed": pages(func(*known) record.Query { return record.Query{Status: call.Error} }),
	"page-actor":  pages(func(k *known) record.Query { return record.Query{Actor: k.actorID()} }),
	"page-time": pages(func(k *known) record.Query {
		at := time.UnixMilli(k.created)
		return record.Query{From: at.Add(-time.Minute), To: at.Add(time.Minute)}
	}),
	"page-request": pages(func(k *known) record.Query { return record.Query{RequestID: "req_" + string(k.requestID[:])} }),
}
