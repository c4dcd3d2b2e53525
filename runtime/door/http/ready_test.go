package http_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	door "vcp.core/runtime/door/http"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/record"
)

// failing is a store that reads as it is told.
type failing struct {
	record.Store
	asked atomic.Int64
	list  atomic.Pointer[func(context.Context) error]
}

func (f *failing) List(ctx context.Context, _ record.Query) (record.Page, error) {
	f.asked.Add(1)
	return record.Page{}, (*f.list.Load())(ctx)
}

func (f *failing) does(list func(context.Context) error) { f.list.Store(&list) }

// /readyz says within a second that the store cannot be read, asks it once a second at most, and recovers by itself.
func TestReadyWithoutStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var words bytes.Buffer
		var mu sync.Mutex
		s := &failing{}
		tokens := &forgetful{}
		tokens.err.Store(new(error))
		d := door.New(door.Options{Records: s, Tokens: tokens, Logger: slog.New(slog.NewTextHandler(writer(func(p []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return words.Write(p)
		}), nil))})
		get := func() (int, string, time.Duration) {
			start := time.Now()
			w := httptest.NewRecorder()
			d.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
			return w.Code, w.Body.String(), time.Since(start)
		}
		expect := func(code int, body string, took time.Duration, asked int64) {
			t.Helper()
			if c, b, d := get(); c != code || b != body+"\n" || d != took {
				t.Errorf("it is %d %q after %v, expected %d %q after %v", c, b, d, code, body, took)
			}
			if n := s.asked.Load(); n != asked {
				t.Errorf("the store was asked %d times, expected %d", n, asked)
			}
		}
		const unreadable, slow = "the store cannot be read", "the store did not answer within 1s"
		fine := func(context.Context) error { return nil }

		s.does(fine)
		expect(200, "ready", 0, 1)
		for range 100 {
			expect(200, "ready", 0, 1)
		}
		s.does(func(context.Context) error {
			return &record.UnavailableError{Err: errors.New("at postgres://user@secret")}
		})
		expect(200, "ready", 0, 1) // for a moment
		time.Sleep(time.Second)
		for range 100 {
			expect(503, unreadable, 0, 2)
		}
		s.does(fine)
		time.Sleep(time.Second)
		expect(200, "ready", 0, 3)

		// A store that heeds the end of its context.
		s.does(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		time.Sleep(time.Second)
		expect(503, slow, time.Second, 4)
		s.does(fine)
		time.Sleep(time.Second)
		expect(200, "ready", 0, 5)

		s.does(func(context.Context) error { panic("broken") })
		time.Sleep(time.Second)
		expect(503, unreadable, 0, 6)
		s.does(fine)
		time.Sleep(time.Second)
		expect(200, "ready", 0, 7)

		// One that hangs: many ask, it is asked once, and not again before it answers.
		release := make(chan struct{})
		s.does(func(context.Context) error { <-release; return nil })
		time.Sleep(time.Second)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { expect(503, slow, time.Second, 8) })
		}
		all.Wait()
		time.Sleep(time.Minute)
		expect(503, slow, 0, 8)
		close(release)
		synctest.Wait()
		s.does(fine)
		expect(200, "ready", 0, 8)

		if text := words.String(); strings.Count(text, "the service is not ready") != 4 || strings.Count(text, "the service is ready again") != 4 || !strings.Contains(text, "secret") {
			t.Errorf("log\n%s", text)
		}
		d.Drain()
		expect(503, "closing", 0, 8)
	})
}

// forgetful is a file of tokens that cannot be read as long as it has an error, and hangs as long as it is held.
type forgetful struct {
	asked atomic.Int64
	err   atomic.Pointer[error]
	held  atomic.Pointer[chan struct{}] // until it is closed
}

func (f *forgetful) Check(string) (token.Token, bool, error) {
	f.asked.Add(1)
	if held := f.held.Load(); held != nil {
		<-*held
	}
	return token.Token{}, false, *f.err.Load()
}

// Nobody is let in as long as tokens cannot be read, so the service is not ready either.
func TestReadyWithoutTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{}
		var fine error
		broken := error(&token.FormatError{Path: "tokens.json", Err: errors.New("no JSON")})
		d := door.New(door.Options{Tokens: f})
		expect := func(err *error, code int, body string, asked int64) {
			t.Helper()
			f.err.Store(err)
			w := httptest.NewRecorder()
			d.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
			if w.Code != code || w.Body.String() != body+"\n" || f.asked.Load() != asked {
				t.Errorf("it is %d %q after %d questions, expected %d %q after %d", w.Code, w.Body, f.asked.Load(), code, body, asked)
			}
		}
		expect(&fine, 200, "ready", 1)
		expect(&broken, 200, "ready", 1)
		time.Sleep(time.Second)
		expect(&broken, 503, "tokens cannot be read", 2)
		time.Sleep(time.Second)
		expect(&fine, 200, "ready", 3)
		time.Sleep(time.Second)
		expect(nil, 503, "tokens cannot be read", 4) // it panics

		// A file that hangs is not taken for a store that does.
		held := make(chan struct{})
		f.held.Store(&held)
		time.Sleep(time.Second)
		expect(&fine, 503, "tokens did not answer within 1s", 5)
		close(held)
		synctest.Wait()
		expect(&fine, 200, "ready", 5)
	})
}

// writer is a function that writes.
type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// stuck is a store that does not answer.
type stuck struct{ record.Store }

func (stuck) List(ctx context.Context, _ record.Query) (record.Page, error) {
	<-ctx.Done()
	return record.Page{}, ctx.Err()
}

func (stuck) Result(ctx context.Context, _ string) (record.Record, error) {
	<-ctx.Done()
	return record.Record{}, ctx.Err()
}

func (stuck) Resource(ctx context.Context, _ string) (record.Resource, error) {
	<-ctx.Done()
	return record.Resource{}, ctx.Err()
}

// anybody may do everything.
type anybody struct{}

func (anybody) Check(string) (token.Token, bool, error) {
	return token.Token{ID: "1", Scopes: []string{token.Call, token.ResultsAll, token.AuditRead}}, true, nil
}

// Who reads while the store does not answer is told so, and does not hold his place in the door for ever. Who goes away
// is nothing to be logged.
func TestReadingFromStuckStore(t *testing.T) {
	for _, path := range []string{"/v1/audit", "/v1/audit?tool=A.B", "/v1/results/tr_1", "/v1/resources/res_1"} {
		synctest.Test(t, func(t *testing.T) {
			var words bytes.Buffer
			d := door.New(door.Options{Records: stuck{}, Tokens: anybody{}, Logger: slog.New(slog.NewTextHandler(&words, nil))})
			get := func(ctx context.Context) (int, string, time.Duration) {
				start := time.Now()
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
				r.Header.Set("Authorization", "Bearer x")
				w := httptest.NewRecorder()
				d.ServeHTTP(w, r)
				return w.Code, w.Body.String(), time.Since(start)
			}
			limited, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			if code, body, took := get(limited); code != 503 || !strings.Contains(body, "the store does not answer") || took != 10*time.Second {
				t.Errorf("%s: %d %s after %v", path, code, body, took)
			}
			if n := strings.Count(words.String(), "level=ERROR"); n != 1 {
				t.Errorf("%s: log\n%s", path, &words)
			}
			words.Reset()
			gone, leave := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, leave)
			if _, _, took := get(gone); took != time.Second || words.Len() > 0 {
				t.Errorf("%s: after %v\n%s", path, took, &words)
			}
		})
	}
}
