package schedulemanager

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/runtime/id"
)

func open(t *testing.T, dir string) *store {
	t.Helper()
	s, err := openStore(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close() })
	return s
}

func entry(t *testing.T, id, at, content string) schedule {
	t.Helper()
	when, err := parseInstant(at)
	if err != nil {
		t.Fatal(err)
	}
	return schedule{ID: idPrefix + id, Time: at, Content: content, at: when}
}

func insert(t *testing.T, s *store, entries ...schedule) {
	t.Helper()
	for _, e := range entries {
		if err := s.insert(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// walk reads a range page by page and returns the ids in order.
func walk(t *testing.T, s *store, from, to instant, limit int) (ids []string, total int64) {
	t.Helper()
	var after cursor
	for {
		p, err := s.list(t.Context(), from, to, after, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.schedules {
			ids = append(ids, e.ID)
		}
		if !p.more {
			return ids, p.total
		}
		last := p.schedules[len(p.schedules)-1]
		if after, err = parseCursor(cursor{at: last.at, id: last.ID}.String()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDurabilitySettings(t *testing.T) {
	s := open(t, t.TempDir())
	for _, want := range []struct{ pragma, value string }{
		{"journal_mode", "wal"}, {"synchronous", "2"}, {"busy_timeout", "5000"},
	} {
		for name, db := range map[string]*sql.DB{"writer": s.write, "reader": s.read} {
			var got string
			if err := db.QueryRowContext(t.Context(), "PRAGMA "+want.pragma).Scan(&got); err != nil || got != want.value {
				t.Errorf("%s: %s = %q, %v, want %q", name, want.pragma, got, err, want.value)
			}
		}
	}
	if _, err := s.read.ExecContext(t.Context(), "DELETE FROM schedule"); err == nil {
		t.Error("a reading connection can write")
	}
}

func TestEntriesSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	// What a user can write must come back unchanged, the odd cases first.
	contents := []string{"项目会议", "a\x00b", "'; DROP TABLE schedule; --", "line\nbreak\r\n\ttab", "<b>&amp;</b>", "\u2028\U0001F4C5", strings.Repeat("長", 2000)}
	first := open(t, dir)
	var want []schedule
	for i, content := range contents {
		e := entry(t, fmt.Sprintf("%02d", i), fmt.Sprintf("2026-07-12t10:00:%02d.50+08:00", i), content)
		insert(t, first, e)
		want = append(want, e)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	p, err := open(t, dir).list(t.Context(), beforeAll, afterAll, cursor{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.schedules, want) || p.total != int64(len(want)) || p.more {
		t.Errorf("after reopening: %+v\nwant %+v", p, want)
	}
}

func TestPathsWithOddCharacters(t *testing.T) {
	for _, name := range []string{"日程", "with space", "50%25", "a?b=c", "a#b", "a&_pragma=x", "quote'\""} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		insert(t, open(t, dir), entry(t, "1", "2026-07-12T10:00:00Z", "x"))
		if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
			t.Errorf("folder %q: the database is elsewhere: %v", name, err)
		}
	}
}

func TestRangesAndOrder(t *testing.T) {
	s := open(t, t.TempDir())
	insert(t, s,
		entry(t, "d", "2026-07-12T10:00:00.5+08:00", ""),
		entry(t, "c", "2026-07-12T02:00:00Z", ""),      // the same moment as b, a larger id
		entry(t, "b", "2026-07-12T10:00:00+08:00", ""), // text order would put it last
		entry(t, "a", "2026-07-11T23:59:59-04:00", ""),
	)
	at := func(text string) instant { return entry(t, "", text, "").at }
	tests := []struct {
		name     string
		from, to instant
		want     []string
	}{
		{"all", beforeAll, afterAll, []string{"sch_b", "sch_c", "sch_d", "sch_a"}},
		{"from is inside", at("2026-07-12T02:00:00Z"), afterAll, []string{"sch_b", "sch_c", "sch_d", "sch_a"}},
		{"to is outside", beforeAll, at("2026-07-12T10:00:00.500+08:00"), []string{"sch_b", "sch_c"}},
		{"a fraction after", at("2026-07-12T02:00:00.0000001Z"), afterAll, []string{"sch_d", "sch_a"}},
		{"empty", at("2026-07-12T02:00:00Z"), at("2026-07-12T02:00:00Z"), nil},
		{"nothing there", at("2030-01-01T00:00:00Z"), afterAll, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for limit := 1; limit <= 5; limit++ {
				got, total := walk(t, s, tt.from, tt.to, limit)
				if !slices.Equal(got, tt.want) || total != int64(len(tt.want)) {
					t.Errorf("pages of %d: %v of %d, want %v", limit, got, total, tt.want)
				}
			}
		})
	}
}

// A page boundary names a place, so that changes elsewhere never repeat or skip an entry.
func TestPagesStayRightWhileEntriesChange(t *testing.T) {
	s := open(t, t.TempDir())
	for i := range 10 {
		insert(t, s, entry(t, fmt.Sprint(i), fmt.Sprintf("2026-01-01T00:00:%02dZ", i), ""))
	}
	first, err := s.list(t.Context(), beforeAll, afterAll, cursor{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	last := first.schedules[3]
	if _, found, err := s.remove(t.Context(), "sch_1"); !found || err != nil {
		t.Fatal(found, err)
	}
	if _, found, err := s.remove(t.Context(), last.ID); !found || err != nil { // the very entry of the cursor
		t.Fatal(found, err)
	}
	insert(t, s, entry(t, "new", "2026-01-01T00:00:00.5Z", ""))
	rest, err := s.list(t.Context(), beforeAll, afterAll, cursor{at: last.at, id: last.ID}, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range rest.schedules {
		got = append(got, e.ID)
	}
	if want := []string{"sch_4", "sch_5", "sch_6", "sch_7", "sch_8", "sch_9"}; !slices.Equal(got, want) {
		t.Errorf("second page %v, want %v", got, want)
	}
}

func TestChangeAndRemove(t *testing.T) {
	s := open(t, t.TempDir())
	e := entry(t, "1", "2026-07-12T10:00:00+08:00", "meeting")
	insert(t, s, e)
	text, later := "dinner", entry(t, "", "2026-07-13T10:00:00+02:00", "")

	for range 2 { // an update done twice is an update done once
		got, found, err := s.change(t.Context(), e.ID, nil, "", &text)
		if err != nil || !found || got.Time != e.Time || got.Content != text {
			t.Fatalf("content changed: %+v, %v, %v", got, found, err)
		}
	}
	if p, err := s.list(t.Context(), e.at, e.at+"0", cursor{}, 10); err != nil || len(p.schedules) != 1 {
		t.Errorf("an update of the content moved the entry: %+v, %v", p, err)
	}
	got, found, err := s.change(t.Context(), e.ID, &later.Time, later.at, nil)
	if err != nil || !found || got.Time != later.Time || got.Content != text {
		t.Fatalf("time changed: %+v, %v, %v", got, found, err)
	}
	if p, err := s.list(t.Context(), later.at, afterAll, cursor{}, 10); err != nil || len(p.schedules) != 1 {
		t.Errorf("the new time does not order the entry: %+v, %v", p, err)
	}
	if _, found, err := s.change(t.Context(), "sch_none", nil, "", &text); found || err != nil {
		t.Errorf("change of an unknown id: found=%v, %v", found, err)
	}
	if got, found, err := s.remove(t.Context(), e.ID); err != nil || !found || got.Content != text {
		t.Errorf("remove: %+v, %v, %v", got, found, err)
	}
	if _, found, err := s.remove(t.Context(), e.ID); found || err != nil {
		t.Errorf("second remove: found=%v, %v", found, err)
	}
}

// Two stores on one file are two processes in miniature: both open it at once, both write.
func TestConcurrentStores(t *testing.T) {
	dir := t.TempDir()
	const stores, each = 4, 25
	var ids id.Source
	var wg, opened sync.WaitGroup
	errs := make(chan error, stores*(2*each+2))
	opened.Add(stores)
	for n := range stores {
		wg.Go(func() {
			s, err := openStore(t.Context(), dir)
			opened.Done()
			if err != nil {
				errs <- fmt.Errorf("open: %w", err)
				return
			}
			defer func() { errs <- s.close() }()
			// SQLite lets those that wait for a lock overtake each other: on a slow disk one may wait until all others are
			// done, which is longer than the plugin's patience.
			_, err = s.write.ExecContext(t.Context(), "PRAGMA busy_timeout = 120000")
			errs <- err
			opened.Wait()
			for i := range each {
				errs <- s.insert(t.Context(), schedule{ID: ids.New(idPrefix, time.UnixMilli(1)), Time: "t", Content: fmt.Sprint(n, i), at: "0000000000001"})
				_, err := s.list(t.Context(), beforeAll, afterAll, cursor{}, 5)
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	got, total := walk(t, open(t, dir), beforeAll, afterAll, 7)
	if len(got) != stores*each || total != stores*each || !slices.IsSorted(got) {
		t.Errorf("%d entries of %d, want %d in order", len(got), total, stores*each)
	}
}

// A file that is locked while it is opened is waited for: SQLite itself does not wait there.
func TestOpeningWaits(t *testing.T) {
	refused, busy := locked(t), 3
	err := patiently(t.Context(), func(context.Context) error {
		if busy--; busy >= 0 {
			return refused
		}
		return nil
	})
	if err != nil || busy != -1 {
		t.Errorf("%v, %d attempts left", err, busy)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tries := 0
	refuse := func(context.Context) error {
		tries++
		return refused
	}
	if err := patiently(ended, refuse); err == nil || tries != 1 {
		t.Errorf("%d attempts after the context's end, %v", tries, err)
	}
	other := errors.New("other")
	if err := patiently(t.Context(), func(context.Context) error { return other }); !errors.Is(err, other) {
		t.Errorf("another error becomes %v", err)
	}
}

// locked returns a real SQLITE_BUSY.
func locked(t *testing.T) error {
	t.Helper()
	s := open(t, t.TempDir())
	tx, err := s.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if _, err := s.read.ExecContext(t.Context(), "PRAGMA busy_timeout = 0; PRAGMA query_only = 0; BEGIN IMMEDIATE"); err != nil {
		return err
	}
	t.Fatal("two connections write at once")
	return nil
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := s.write.ExecContext(t.Context(), "PRAGMA user_version = 7"); err != nil {
		t.Fatal(err)
	}
	_, err := openStore(t.Context(), dir)
	var version *VersionError
	if !errors.As(err, &version) || version.Found != 7 || version.Known != schemaVersion {
		t.Errorf("opening a newer database: %v, want a VersionError", err)
	}
}

func TestUnusableFolder(t *testing.T) {
	if _, err := openStore(t.Context(), filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("a store opened in a folder that does not exist")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), []byte(strings.Repeat("not a database ", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(t.Context(), dir); err == nil {
		t.Error("a store opened on a file that is no database")
	}
}

func TestCursors(t *testing.T) {
	c := cursor{at: "0000000000001123", id: "sch_01J"}
	if got, err := parseCursor(c.String()); err != nil || got != c {
		t.Errorf("parseCursor(%q) = %+v, %v, want %+v", c.String(), got, err, c)
	}
	for _, s := range []string{"", "x", "%%%", "c2No", cursor{at: "1", id: "sch_1"}.String(), cursor{at: c.at, id: "other"}.String(), cursor{at: "00000000000x1", id: "sch_1"}.String()} {
		_, err := parseCursor(s)
		var wrong *CursorError
		if !errors.As(err, &wrong) || wrong.Text != s {
			t.Errorf("parseCursor(%q): %v, want a CursorError", s, err)
		}
	}
}
