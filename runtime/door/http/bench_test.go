package http_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	door "vcp.core/runtime/door/http"
	"vcp.core/runtime/id"
	"vcp.core/runtime/record"
	"vcp.core/runtime/store/sqlite"
)

// BenchmarkHumanTool compares the door with two bare huma handlers that read the same body, insert the same rows and answer
// with the same bytes: durable all, by 1 and by 32 clients, in turns. The first commits through a store of ours, so its
// clients share flushes, the second by a transaction of its own through database/sql. door/bare and door/plain are the
// ratios of throughputs, cpu-bare/door that of the processor time of the process for a call, the client's with it, which a
// busy machine disturbs less: the medians of the rounds.
func BenchmarkHumanTool(b *testing.B) {
	const body = `{"tool":"T","command":"Echo","arguments":{"text":"` + "lorem ipsum dolor sit amet " + `"}}`
	ours, bearer := durableDoor(b)
	answer, kept := oneAnswer(b, ours.URL, bearer, body)
	bare := bareHandler(b, answer, kept, shared(b))
	plain := bareHandler(b, answer, kept, alone(b))
	for _, clients := range []int{1, 32} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			var bares, plains, costs []float64
			var rate, cost [3]float64
			for range 7 {
				for i, url := range []string{ours.URL, bare.URL, plain.URL} {
					before := spent()
					rate[i] = throughput(b, url, bearer, body, clients, 700*time.Millisecond)
					cost[i] = float64((spent() - before).Microseconds()) / (rate[i] * 0.7)
				}
				bares, plains, costs = append(bares, rate[0]/rate[1]), append(plains, rate[0]/rate[2]), append(costs, cost[1]/cost[0])
			}
			sort.Float64s(bares)
			sort.Float64s(plains)
			sort.Float64s(costs)
			b.ReportMetric(costs[len(costs)/2], "cpu-bare/door")
			b.ReportMetric(cost[0], "door-cpu-µs")
			b.ReportMetric(bares[len(bares)/2], "door/bare")
			b.ReportMetric(plains[len(plains)/2], "door/plain")
			b.ReportMetric(rate[0], "door-calls/s")
			b.ReportMetric(rate[1], "bare-calls/s")
			b.ReportMetric(rate[2], "plain-calls/s")
		})
	}
}

func openStore(b *testing.B) *sqlite.Store {
	b.Helper()
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "records.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close(context.Background()) })
	return store
}

func durableDoor(b *testing.B) (*httptest.Server, string) {
	b.Helper()
	tools, echo, tokens, bearer := echoing(b)
	store := openStore(b)
	rt := runtime.New(tools, runtime.Bind("T", echo), runtime.Records(store))
	server := httptest.NewServer(door.New(door.Options{Runtime: rt, Registry: func() call.Registry { return tools }, Tokens: tokens, Records: store}))
	b.Cleanup(func() {
		server.Close()
		_ = rt.Close(context.Background())
	})
	return server, bearer
}

// shared inserts through a store.
func shared(b *testing.B) func(context.Context, record.Record) error {
	store := openStore(b)
	return func(ctx context.Context, r record.Record) error { return store.Commit(ctx, record.Entry{Record: &r}) }
}

// alone inserts into the same tables, one transaction a row.
func alone(b *testing.B) func(context.Context, record.Record) error {
	path := filepath.Join(b.TempDir(), "plain.db")
	store, err := sqlite.Open(b.Context(), path, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := store.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1) // or they would wait for each other's locks, which is slower
	return func(ctx context.Context, r record.Record) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		_, one := tx.ExecContext(ctx, `INSERT INTO records VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
			r.ID, r.ResultID, r.InvocationID, r.RequestID, r.TaskID, r.Tool, r.Command, string(r.Status), r.Code, r.Actor, r.Source, r.Protocol,
			r.Created.UnixMilli(), int64(r.Size), int64(r.Size), r.Digest)
		_, two := tx.ExecContext(ctx, `INSERT INTO results VALUES ($1, $2, $3, $4, $5)`, r.ResultID, r.ID, int64(0), r.Result.Index.String(), r.Result.Text)
		if err := errors.Join(one, two); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	}
}

// bareHandler inserts what a call leaves and answers what a call answers.
func bareHandler(b *testing.B, answer []byte, kept record.Record, insert func(context.Context, record.Record) error) *httptest.Server {
	b.Helper()
	mux := http.NewServeMux()
	api := humago.New(mux, huma.DefaultConfig("bare", "1"))
	ids := new(id.Source)
	huma.Register(api, huma.Operation{OperationID: "call", Method: http.MethodPost, Path: "/v1/human/tool", SkipValidateBody: true},
		func(ctx context.Context, _ *struct {
			RawBody []byte `contentType:"application/json"`
		},
		) (*struct {
			ContentType string `header:"Content-Type"`
			Body        []byte
		}, error,
		) {
			now := time.Now()
			row := kept
			row.Created, row.ID, row.ResultID, row.InvocationID, row.RequestID = now, ids.New(id.Record, now), ids.New(id.Result, now), ids.New(id.Invocation, now), ids.New(id.Request, now)
			if err := insert(ctx, row); err != nil {
				return nil, err
			}
			return &struct {
				ContentType string `header:"Content-Type"`
				Body        []byte
			}{"application/json", answer}, nil
		})
	server := httptest.NewServer(mux)
	b.Cleanup(server.Close)
	return server
}

func oneAnswer(b *testing.B, url, bearer, body string) ([]byte, record.Record) {
	b.Helper()
	text, err := send(b.Context(), http.DefaultClient, url, bearer, body)
	if err != nil {
		b.Fatal(err)
	}
	return text, record.Record{
		Tool: "T", Command: "Echo", Status: call.Success, Actor: "token:0123456789ab", Source: "human-tool", Protocol: "1.0", Size: len(text),
		Digest: strings.Repeat("d", 1000), Result: &record.Result{Text: string(text)},
	}
}

func send(ctx context.Context, client *http.Client, url, bearer, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/human/tool", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	r.Header.Set("Content-Type", "application/json")
	res, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // read whole
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, text)
	}
	return text, err
}

// throughput is calls a second.
func throughput(b *testing.B, url, bearer, body string, clients int, span time.Duration) float64 {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	var mu sync.Mutex
	total, begun := 0, time.Now()
	for range clients {
		wg.Go(func() {
			n := 0
			for time.Since(begun) < span {
				if _, err := send(b.Context(), client, url, bearer, body); err != nil {
					b.Error(err)
					break
				}
				n++
			}
			mu.Lock()
			total += n
			mu.Unlock()
		})
	}
	wg.Wait()
	return float64(total) / time.Since(begun).Seconds()
}
