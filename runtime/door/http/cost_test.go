package http_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	door "vcp.core/runtime/door/http"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/record"
)

// careless is a store that answers at once, so that what a call costs besides its disk can be seen.
type careless struct{ record.Store }

// Commit implements record.Store.
func (careless) Commit(context.Context, record.Entry) error { return nil }

// echoing is a tool that answers with its arguments, and a bearer who may call it.
func echoing(b *testing.B) (tools registry, echo call.Handler, tokens *token.File, bearer string) {
	b.Helper()
	tools = registry{&call.Spec{
		Tool: "T", Command: "Echo", Kind: call.Synchronous, Protocol: "direct", Effect: call.Read, Timeout: time.Minute,
		Discriminator: "command", Input: compile(b, `{"type":"object","properties":{"text":{"type":"string"}}}`), Output: compile(b, `{"type":"object"}`),
	}}
	tokens = token.Open(filepath.Join(b.TempDir(), "tokens.json"))
	bearer, _, err := tokens.Create("bench", []string{token.Call}, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	return tools, call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		return fmt.Appendf(nil, `{"status":"success","data":%s,"resources":[],"warnings":[],"extensions":{}}`, in.Arguments), nil
	}), tokens, bearer
}

// stubDoor is a door whose calls leave nothing.
func stubDoor(b *testing.B) (handler http.Handler, server *http.Server, bearer string) {
	b.Helper()
	tools, echo, tokens, bearer := echoing(b)
	rt := runtime.New(tools, runtime.Bind("T", echo), runtime.Records(careless{}), runtime.Authorize(door.Authorize(nil)))
	b.Cleanup(func() { _ = rt.Close(context.Background()) })
	d := door.New(door.Options{Runtime: rt, Registry: func() call.Registry { return tools }, Tokens: tokens})
	return d, d.Server(), bearer
}

const callBody = `{"tool":"T","command":"Echo","arguments":{"text":"lorem ipsum dolor sit amet "}}`

// nobody is a response that is thrown away.
type nobody struct {
	header http.Header
	status int
}

// Header implements http.ResponseWriter.
func (n *nobody) Header() http.Header { return n.header }

// WriteHeader implements http.ResponseWriter.
func (n *nobody) WriteHeader(status int) { n.status = status }

// Write implements http.ResponseWriter.
func (n *nobody) Write(src []byte) (int, error) { return len(src), nil }

// WriteString implements io.StringWriter, as the response of net/http does.
func (n *nobody) WriteString(src string) (int, error) { return len(src), nil }

// SetReadDeadline is for http.ResponseController.
func (n *nobody) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is for http.ResponseController.
func (n *nobody) SetWriteDeadline(time.Time) error { return nil }

// whole is a body that tells its end with its last byte, as one of net/http does.
type whole struct{ left string }

// Read implements io.Reader.
func (w *whole) Read(p []byte) (n int, err error) {
	if n = copy(p, w.left); n == len(w.left) {
		err = io.EOF
	}
	w.left = w.left[n:]
	return n, err
}

// Close implements io.Closer.
func (*whole) Close() error { return nil }

// BenchmarkDoor is a call without a disk: the door and the runtime behind it, without sockets.
func BenchmarkDoor(b *testing.B) {
	h, _, bearer := stubDoor(b)
	template := httptest.NewRequest(http.MethodPost, "/v1/human/tool", nil)
	template.Header.Set("Authorization", "Bearer "+bearer)
	template.Header.Set("Content-Type", "application/json")
	template.ContentLength = int64(len(callBody))
	w := &nobody{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		r := *template
		r.Body = &whole{callBody}
		h.ServeHTTP(w, &r)
		if w.status != http.StatusOK {
			b.Fatal(w.status)
		}
	}
}

// BenchmarkDoorSockets is the same over a connection that is kept, beside a bare huma handler that answers with as many bytes,
// and beside one of net/http alone: processor time of the whole process, with a client that costs next to nothing. The
// figures are the least of the rounds, the ratio is their median.
func BenchmarkDoorSockets(b *testing.B) {
	_, s, bearer := stubDoor(b)
	answer := []byte(strings.Repeat("x", 900))
	mux := http.NewServeMux()
	type out struct {
		ContentType string `header:"Content-Type"`
		Body        []byte
	}
	huma.Register(humago.New(mux, huma.DefaultConfig("bare", "1")), huma.Operation{OperationID: "call", Method: http.MethodPost, Path: "/v1/human/tool", SkipValidateBody: true},
		func(context.Context, *struct {
			RawBody []byte `contentType:"application/json"`
		},
		) (*out, error) {
			return &out{"application/json", answer}, nil
		})
	servers := []*http.Server{s, {ReadHeaderTimeout: time.Second, Handler: mux}, {ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})}}
	var lines []*line
	for _, s := range servers {
		lines = append(lines, dial(b, s, bearer))
	}
	const calls = 400
	least := []float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}
	var ratios []float64
	for b.Loop() {
		for range 15 {
			var took [3]float64
			for i, l := range lines {
				before := spent()
				for range calls {
					l.call(b)
				}
				took[i] = float64((spent() - before).Nanoseconds()) / 1000 / calls
				least[i] = min(least[i], took[i])
			}
			ratios = append(ratios, took[0]/took[1])
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "door/bare")
	for i, name := range []string{"door", "bare", "net/http"} {
		b.ReportMetric(least[i], name+"-cpu-µs")
	}
}

// line is a connection to a server.
type line struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

func dial(b *testing.B, s *http.Server, bearer string) *line {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = s.Serve(l) }()
	conn, err := net.Dial("tcp", l.Addr().String()) //nolint:noctx // of a benchmark
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = conn.Close(), s.Close() })
	request := fmt.Appendf(nil, "POST /v1/human/tool HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", bearer, len(callBody), callBody)
	return &line{conn, bufio.NewReader(conn), request}
}

// call sends the request and waits for its answer.
func (l *line) call(b *testing.B) {
	if _, err := l.conn.Write(l.request); err != nil {
		b.Fatal(err)
	}
	if err := passOver(l.in); err != nil {
		b.Fatal(err)
	}
}

// passOver reads an answer with a Content-Length and keeps nothing of it.
func passOver(in *bufio.Reader) error {
	length, first := 0, true
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && string(line) != "HTTP/1.1 200 OK\r\n" {
			return fmt.Errorf("the answer is %s", line)
		}
		first = false
		if len(line) == 2 {
			_, err = in.Discard(length)
			return err
		}
		const name = "Content-Length: "
		if len(line) > len(name) && string(line[:len(name)]) == name {
			for _, c := range line[len(name) : len(line)-2] {
				length = 10*length + int(c-'0')
			}
		}
	}
}
