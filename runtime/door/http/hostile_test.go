package http_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	door "vcp.core/runtime/door/http"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/record"
)

// serving is the address of a server as the program runs it.
func serving(t *testing.T, h *house) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := h.door.Server()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// A body that is promised and does not come keeps neither an answer nor a connection, with a token or without.
func TestBodyThatDoesNotCome(t *testing.T) {
	h := open(t)
	addr := serving(t, h)
	bearer := "Authorization: Bearer " + h.token(t, "a", token.Call) + "\r\n"
	// All at once: nothing happens in most of that time, and the parallel tests of a machine are as few as its processors.
	var all sync.WaitGroup
	for _, c := range []struct{ line, headers, want string }{
		{"POST /v1/human/tool", "", "401"}, {"OPTIONS *", "", "401"}, {"GET /healthz", "", "200"}, {"GET /openapi.json", "", "200"},
		{"POST /healthz", "", "405"}, {"GET /v1/tools", bearer, "200"}, {"PUT /nothing", bearer, "404"}, {"POST /nothing", bearer, "404"},
	} {
		for _, body := range []string{"Content-Length: 10\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nab", "Content-Length: 10\r\n\r\nabc"} {
			all.Go(func() {
				conn, err := net.Dial("tcp", addr) //nolint:noctx // as a client would
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()                                         //nolint:errcheck // it was only read
				_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // only a hang lasts so long
				var got []byte
				if _, err = io.WriteString(conn, c.line+" HTTP/1.1\r\nHost: x\r\n"+c.headers+body); err == nil {
					got, err = io.ReadAll(conn)
				}
				if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 "+c.want) {
					t.Errorf("%s, then %q: %.80q, %v", c.line, body, got, err)
				}
			})
		}
	}
	all.Wait()
}

// slow is a response that notes the time limits of its pieces.
type slow struct {
	*httptest.ResponseRecorder
	limit, read time.Time
	longest     int
	free        int // pieces without a limit, or with one that began before
}

func (s *slow) SetWriteDeadline(t time.Time) error { s.limit = t; return nil }
func (s *slow) SetReadDeadline(t time.Time) error  { s.read = t; return nil }

func (s *slow) Write(src []byte) (int, error) {
	s.longest = max(s.longest, len(src))
	if time.Until(s.limit) < 25*time.Second {
		s.free++
	}
	return s.ResponseRecorder.Write(src)
}

func (s *slow) WriteString(src string) (int, error) { return s.Write([]byte(src)) }

// A client that reads nothing is not waited for without end.
func TestEveryPieceHasALimit(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "a", token.Call)
	long := `{"tool":"T","command":"Echo","arguments":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodGet, "/openapi.json", nil), httptest.NewRequest(http.MethodGet, "/healthz", nil),
		httptest.NewRequest(http.MethodGet, "/nothing", nil), httptest.NewRequest(http.MethodPost, "/v1/human/tool", strings.NewReader(long)),
	} {
		if r.Method == http.MethodPost {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		w := &slow{ResponseRecorder: httptest.NewRecorder()}
		h.door.ServeHTTP(w, r)
		if w.free > 0 || w.longest > 64<<10 || w.Body.Len() == 0 {
			t.Errorf("%s: %d pieces without a limit, the longest has %d bytes, %d in all", r.URL.Path, w.free, w.longest, w.Body.Len())
		}
	}
}

// A piece that comes late has as much time as the first one.
func TestLatePieceHasALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := door.New(door.Options{OpenMetrics: true, Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			for range 100 {
				time.Sleep(7 * time.Second)
				_, _ = io.WriteString(w, "a")
				time.Sleep(900 * time.Millisecond)
				_, _ = w.Write([]byte("b"))
			}
		})})
		w := &slow{ResponseRecorder: httptest.NewRecorder()}
		d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if w.free > 0 || w.Body.Len() != 200 {
			t.Errorf("%d pieces had less than their time", w.free)
		}
	})
}

// asked is a body that tells of its first byte being asked for.
type asked struct {
	io.Reader
	first func()
}

func (a *asked) Read(p []byte) (int, error) {
	a.first()
	a.first = func() {}
	return a.Reader.Read(p)
}

// A body is read within a limit. The limit of the answer before does not hold for what is written to get the body.
func TestBodyHasALimit(t *testing.T) {
	h := open(t)
	bearer := h.token(t, "a", token.Call)
	for _, path := range []string{shortWay, longWay} {
		for _, expect := range []string{"", "100-continue"} {
			w := &slow{ResponseRecorder: httptest.NewRecorder(), limit: time.Now().Add(-time.Second)}
			read := 0
			r := httptest.NewRequest(http.MethodPost, path, &asked{strings.NewReader(`{"tool":"T","command":"Echo"}`), func() {
				read++
				if left := time.Until(w.read); left < 25*time.Second || left > 30*time.Second {
					t.Errorf("%s: the body has %v", path, left)
				}
				if expect != "" && !w.limit.IsZero() {
					t.Errorf("%s: the limit of the answer before is still there", path)
				}
			}})
			r.Header.Set("Authorization", "Bearer "+bearer)
			if expect != "" {
				r.Header.Set("Expect", expect)
			}
			h.door.ServeHTTP(w, r)
			if w.Code != http.StatusOK || read != 1 || w.free > 0 {
				t.Errorf("%s: %d, %d reads, %d pieces without their time: %s", path, w.Code, read, w.free, w.Body)
			}
		}
	}
}

// Whether a resource is there is told to nobody who may not read results.
func TestResourceWithoutScope(t *testing.T) {
	h := open(t)
	bearer, none := h.token(t, "a", token.Call, token.ResultsRead), h.token(t, "b", token.Call)
	id := unquoted(at(t, h.post(t, bearer, `{"tool":"T","command":"Picture"}`).body, "/resources/0/id"))
	there, not := h.do(t, none, http.MethodGet, "/v1/resources/"+id, ""), h.do(t, none, http.MethodGet, "/v1/resources/res_01J8Z6Q4M2X7C9V3K5T1W0R001", "")
	if there.StatusCode != http.StatusForbidden || there.StatusCode != not.StatusCode || there.body != not.body {
		t.Errorf("%s %s, %s %s", there.Status, there.body, not.Status, not.body)
	}
}

// An answer that breaks off does not look like a whole one; one that has not begun is a problem.
func TestDoorThatBreaks(t *testing.T) {
	for _, begun := range []bool{false, true} {
		d := door.New(door.Options{OpenMetrics: true, Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if begun {
				_, _ = fmt.Fprint(w, "calls 1\n")
			}
			panic("broken")
		})})
		s := httptest.NewServer(d)
		got, err := s.Client().Get(s.URL + "/metrics") //nolint:noctx // of a test
		if err == nil {
			_, err = io.ReadAll(got.Body)
			_ = got.Body.Close()
		}
		if begun && err == nil {
			t.Error("half an answer was taken for a whole one")
		}
		if !begun && (err != nil || got.StatusCode != http.StatusInternalServerError) {
			t.Error(got, err)
		}
		s.Close()
	}
}

// Draining twice is draining.
func TestDrainTwice(t *testing.T) {
	h := open(t)
	h.door.Drain()
	h.door.Drain()
}

// The bytes of a resource are hidden from whom its result hides them.
func TestHiddenResource(t *testing.T) {
	h := open(t)
	bearer, cleared := h.token(t, "a", token.Call, token.ResultsAll), h.token(t, "b", token.ResultsAll, "results:restricted")
	got := h.post(t, bearer, `{"tool":"T","command":"Picture"}`)
	kept, err := h.store.Result(t.Context(), unquoted(at(t, got.body, "/id")))
	if err != nil {
		t.Fatal(err)
	}
	id := kept.Result.Resources[0].ID
	other := func(id string) string {
		return id[:len(id)-1] + map[bool]string{true: "1", false: "0"}[id[len(id)-1] == '0']
	}
	text := strings.NewReplacer(kept.ID, other(kept.ID), kept.ResultID, other(kept.ResultID), id, other(id), `"classification":"internal"`, `"classification":"restricted"`).Replace(kept.Result.Text)
	again := kept.Kept()
	again.ID, again.ResultID, again.Result.Text = other(kept.ID), other(kept.ResultID), text
	again.Result.Resources = []record.Resource{{ID: other(id), SHA256: kept.Result.Resources[0].SHA256, ResultID: again.ResultID}}
	if err := h.store.Commit(t.Context(), record.Entry{Record: &again}); err != nil || !strings.Contains(text, "restricted") {
		t.Fatal(err, text)
	}
	for bearer, want := range map[string]int{bearer: http.StatusNotFound, cleared: http.StatusOK} {
		if got := h.do(t, bearer, http.MethodGet, "/v1/resources/"+other(id), ""); got.StatusCode != want {
			t.Errorf("%s, want %d", got.Status, want)
		}
	}
}

// A body that breaks off or is spelled wrong is the client's fault.
func TestBrokenBody(t *testing.T) {
	h := open(t)
	addr := serving(t, h)
	head := "POST /v1/human/tool HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + h.token(t, "a", token.Call) + "\r\n"
	for _, rest := range []string{"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nab", "Content-Length: 9\r\n\r\nabc"} {
		conn, err := net.Dial("tcp", addr) //nolint:noctx // as a client would
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(conn, head+rest)
		_ = conn.(*net.TCPConn).CloseWrite()
		got, readErr := io.ReadAll(conn)
		_ = conn.Close()
		if err != nil || readErr != nil || !strings.HasPrefix(string(got), "HTTP/1.1 400") || !strings.Contains(string(got), `"status":400`) {
			t.Errorf("%q: %v %v %s", rest, err, readErr, got)
		}
	}
	if h.calls.Load() != 0 {
		t.Error("something ran")
	}
}
