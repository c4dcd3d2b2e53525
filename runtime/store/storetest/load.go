package storetest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"vcp.core/runtime/record"
)

// This file deals with processes that are killed. One runs [Load] and says on a stream what was acknowledged; when it
// is gone, another reads that and calls [Log.Check].

// Load commits with so many callers, rounds calls each (0: until the end of the world), and writes a line for each
// thing that was acknowledged. Every second call has an intent. It returns the first error.
func Load(t testing.TB, s record.Store, seed uint64, callers, rounds int, out io.Writer) error {
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(out, format+"\n", args...) // one write: a line is there or is not
	}
	errs := make(chan error, callers)
	for caller := range callers {
		go func() {
			errs <- func() error {
				rows := NewRows(seed*1000 + uint64(caller))
				for i := 0; rounds == 0 || i < rounds; i++ {
					r := rows.Record(t)
					e := record.Entry{Record: &r}
					if i%2 == 0 {
						in := rows.Intent()
						say("wants %s", in.InvocationID)
						if _, err := s.Begin(context.Background(), in); err != nil {
							return err
						}
						say("begun %s", in.InvocationID)
						e = rows.Ending(t, in)
					}
					if err := s.Commit(context.Background(), e); err != nil {
						return err
					}
					say("stored %s %s %s", e.Record.ResultID, sum(e.Record.Result.Text), e.Resolves)
				}
				return nil
			}()
		}()
	}
	var first error
	for range callers {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// Log is what a process said before it ended.
type Log struct {
	Begun    map[string]bool   // invocation ids of intents that were acknowledged and not resolved
	Resolved map[string]bool   // those whose result was acknowledged
	Stored   map[string]string // result id -> hash of the text
	Pruned   bool              // results may have been taken away
}

// ReadLog reads what Load wrote. A last line that was cut off says nothing.
func ReadLog(in io.Reader) (*Log, error) {
	l := &Log{Begun: map[string]bool{}, Resolved: map[string]bool{}, Stored: map[string]string{}}
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return nil, err
		}
		switch f := strings.Fields(line); {
		case len(f) == 2 && f[0] == "begun":
			l.Begun[f[1]] = true
		case len(f) == 1 && f[0] == "prunes":
			l.Pruned = true
		case len(f) >= 3 && f[0] == "stored":
			l.Stored[f[1]] = f[2]
			if len(f) == 4 {
				l.Resolved[f[3]] = true
				delete(l.Begun, f[3])
			}
		}
	}
}

// Check holds a store against what a process said that is gone: everything that was acknowledged is there, every
// intent that was not resolved is an orphan unless its result is there, too, and can be resolved once.
func (l *Log) Check(t testing.TB, s record.Store) {
	t.Helper()
	for id, want := range l.Stored {
		r, err := s.Result(ctx(t), id)
		if l.Pruned && is[*record.NotFoundError](err) {
			continue
		}
		if err != nil {
			t.Errorf("%s was acknowledged: %v", id, err)
		} else if sum(r.Result.Text) != want {
			t.Errorf("%s was acknowledged with other bytes", id)
		}
	}
	all, orphans := everyIntent(t, s, false), everyIntent(t, s, true)
	if len(all) != len(orphans) {
		t.Errorf("%d intents are open, and only %d of them are orphans", len(all), len(orphans))
	}
	results := map[string]bool{}
	for q := (record.Query{Limit: 1000}); ; {
		page, err := s.List(ctx(t), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			results[r.InvocationID] = true
			if whole, err := s.Record(ctx(t), r.ID); err != nil {
				t.Error(err)
			} else if _, err := s.Result(ctx(t), r.ResultID); is[*record.NotFoundError](err) != (whole.Result == nil) {
				t.Errorf("record %s has a result: %v, and the result is read with %v", r.ID, whole.Result != nil, err)
			}
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	for id := range l.Begun {
		if !orphans[id] && !results[id] {
			t.Errorf("the intent of %s was acknowledged, and there is neither intent nor result", id)
		}
	}
	rows := NewRows(77)
	for id := range orphans {
		if l.Resolved[id] || results[id] {
			t.Errorf("%s has a result and is an orphan", id)
		}
		in := rows.Intent()
		in.InvocationID = id
		commit(t, s, rows.Ending(t, in))
	}
	if left := everyIntent(t, s, false); len(left) > 0 {
		t.Errorf("%d intents are open after all were resolved", len(left))
	}
}

// Orphans returns the ids of the intents whose process is gone.
func Orphans(t testing.TB, s record.Store) map[string]bool {
	t.Helper()
	return everyIntent(t, s, true)
}

func everyIntent(t testing.TB, s record.Store, orphaned bool) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for q := (record.IntentQuery{Orphaned: orphaned, Limit: 1000}); ; {
		page := intents(t, s, q)
		for _, in := range page {
			out[in.InvocationID] = true
			q.After = in.InvocationID
		}
		if len(page) < q.Limit {
			return out
		}
	}
}
