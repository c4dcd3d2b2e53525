package http_test

import (
	"context"
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
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/id"
	"vcp.core/runtime/record"
	"vcp.core/runtime/store/sqlite"
)

// BenchmarkHumanTool compares the door with a bare huma handler that reads the same body, commits a row of the same size to
// a store of the same kind, and answers with the same bytes: durable both, by 1 and by 32 clients, in turns. door/bare is
// the ratio of throughputs, the median of the rounds.
func BenchmarkHumanTool(b *testing.B) {
	const body = `{"tool":"T","command":"Echo","arguments":{"text":"` + "lorem ipsum dolor sit amet " + `"}}`
	ours, bearer := durableDoor(b)
	answer, kept := oneAnswer(b, ours.URL, bearer, body)
	bare := bareHandler(b, answer, kept)
	for _, clients := range []int{1, 32} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			var ratios []float64
			var rate [2]float64
			for range 7 {
				for i, url := range []string{ours.URL, bare.URL} {
					rate[i] = throughput(b, url, bearer, body, clients, 700*time.Millisecond)
				}
				ratios = append(ratios, rate[0]/rate[1])
			}
			sort.Float64s(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "door/bare")
			b.ReportMetric(rate[0], "door-calls/s")
			b.ReportMetric(rate[1], "bare-calls/s")
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
	spec := &call.Spec{
		Tool: "T", Command: "Echo", Kind: call.Synchronous, Protocol: "direct", Effect: call.Read, Timeout: time.Minute,
		Discriminator: "command", Input: compile(b, `{"type":"object","properties":{"text":{"type":"string"}}}`), Output: compile(b, `{"type":"object"}`),
	}
	tools := registry{spec}
	echo := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		return fmt.Appendf(nil, `{"status":"success","data":%s,"resources":[],"warnings":[],"extensions":{}}`, in.Arguments), nil
	})
	tokens := token.Open(filepath.Join(b.TempDir(), "tokens.json"))
	bearer, _, err := tokens.Create("bench", []string{token.Call}, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	store := openStore(b)
	rt := runtime.New(tools, runtime.Bind("T", echo), runtime.Records(store))
	server := httptest.NewServer(door.New(door.Options{Runtime: rt, Registry: func() call.Registry { return tools }, Tokens: tokens, Records: store}))
	b.Cleanup(func() {
		server.Close()
		_ = rt.Close(context.Background())
	})
	return server, bearer
}

// bareHandler commits what a call leaves and answers what a call answers.
func bareHandler(b *testing.B, answer []byte, kept record.Record) *httptest.Server {
	b.Helper()
	store := openStore(b)
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
			if err := store.Commit(ctx, record.Entry{Record: &row}); err != nil {
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
