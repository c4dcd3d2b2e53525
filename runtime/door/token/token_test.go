package token_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/runtime/door/token"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestCreateCheckRevoke(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "tokens.json")
	f := token.Open(path)
	if list, err := f.List(); err != nil || len(list) != 0 {
		t.Fatalf("a file that is not there: %v, %v", list, err)
	}
	text, made, err := f.Create("Ann", []string{"call", "a:b", "call"}, now)
	if err != nil {
		t.Fatal(err)
	}
	other := token.Open(path) // another process
	got, ok, err := other.Check(text)
	if err != nil || !ok || fmt.Sprint(got) != fmt.Sprint(made) || got.Name != "Ann" || !got.Created.Equal(now) {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if !got.Has("call") || !got.Has("a:b") || got.Has("admin") || got.Has("") || len(got.Scopes) != 2 {
		t.Errorf("scopes %v", got.Scopes)
	}
	src, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(src), text) || strings.Contains(string(src), text[len(text)-20:]) {
		t.Errorf("the token is kept: %s, %v", src, err)
	}
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
	for _, wrong := range []string{"", "vcp_", text + "x", text[:len(text)-1], strings.ToUpper(text), " " + text, "vcp_" + got.ID + "_", strings.Replace(text, got.ID, "000000000000", 1), got.ID} {
		if _, ok, err := other.Check(wrong); ok || err != nil {
			t.Errorf("%q proves something: %v", wrong, err)
		}
	}
	if err := f.Revoke("Bob"); !errors.As(err, new(*token.UnknownError)) {
		t.Error(err)
	}
	if err := f.Revoke("Ann"); err != nil {
		t.Error(err)
	}
	if _, ok, err := other.Check(text); ok || err != nil {
		t.Errorf("a revoked token is good: %v", err)
	}
}

func TestNamesAndScopes(t *testing.T) {
	f := token.Open(filepath.Join(t.TempDir(), "tokens.json"))
	for _, name := range []string{"", " a", "a\n", "a/b", strings.Repeat("x", 65), "a\x00"} {
		if _, _, err := f.Create(name, nil, now); !errors.As(err, new(*token.NameError)) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, scope := range []string{"", "a b", "a\"", ":a", strings.Repeat("x", 65)} {
		if _, _, err := f.Create("n", []string{scope}, now); !errors.As(err, new(*token.ScopeError)) {
			t.Errorf("%q: %v", scope, err)
		}
	}
	for _, name := range []string{"日程", "a.b@c-d_e f", "1"} {
		if _, _, err := f.Create(name, nil, now); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, _, err := f.Create("1", nil, now); !errors.As(err, new(*token.NameError)) {
		t.Errorf("a name that is taken: %v", err)
	}
}

// A file that holds something else proves nothing and is left alone.
func TestBrokenFile(t *testing.T) {
	for _, src := range []string{"", "{", `{"version":2}`, `[]`, `{"version":1,"tokens":3}`} {
		path := filepath.Join(t.TempDir(), "tokens.json")
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		f := token.Open(path)
		if _, ok, err := f.Check("vcp_1_2"); ok || !errors.As(err, new(*token.FormatError)) {
			t.Errorf("%q: %v %v", src, ok, err)
		}
		if _, _, err := f.Create("a", nil, now); !errors.As(err, new(*token.FormatError)) {
			t.Errorf("%q: %v", src, err)
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != src {
			t.Errorf("%q became %q, %v", src, left, err)
		}
	}
}

// What several processes do at the same time all happens.
func TestConcurrentChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			f := token.Open(path)
			text, _, err := f.Create(fmt.Sprint("t", i), []string{"call"}, now)
			for err != nil && strings.Contains(err.Error(), "is locked") { // the others take longer than it waits: a slow disk
				text, _, err = f.Create(fmt.Sprint("t", i), []string{"call"}, now)
			}
			if err != nil {
				t.Error(err)
				return
			}
			if _, ok, err := f.Check(text); !ok || err != nil {
				t.Errorf("token %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	list, err := token.Open(path).List()
	if err != nil || len(list) != 20 {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}

// A file that a killed process left beside the tokens locks nobody out, whatever time it says.
func TestLockThatWasLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(path+".lock", later, later); err != nil {
		t.Fatal(err)
	}
	f := token.Open(path)
	if _, _, err := f.Create("a", nil, now); err != nil {
		t.Error(err)
	}
	if err := f.Revoke("a"); err != nil {
		t.Error(err)
	}
}

// A token that was lent is good for the File that lent it, and for nobody else; it stands in no file.
func TestLend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	f := token.Open(path)
	text, made, err := f.Lend("a", []string{token.Call, token.Call}, time.Now())
	if err != nil || len(made.Scopes) != 1 {
		t.Fatal(made, err)
	}
	if got, ok, err := f.Check(text); err != nil || !ok || got.ID != made.ID || !got.Has(token.Call) || got.Has(token.Admin) {
		t.Errorf("%v %v %v", got, ok, err)
	}
	if _, ok, _ := f.Check(text + "x"); ok {
		t.Error("another text proves it")
	}
	if _, ok, err := token.Open(path).Check(text); err != nil || ok {
		t.Errorf("somebody else takes it: %v %v", ok, err)
	}
	if list, err := f.List(); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there is a file:", err)
	}
	if _, _, err := f.Lend("a/b", nil, time.Now()); !errors.As(err, new(*token.NameError)) {
		t.Error(err)
	}
	if _, _, err := f.Lend("b", []string{"a b"}, time.Now()); !errors.As(err, new(*token.ScopeError)) {
		t.Error(err)
	}
}

// A look at the file is good for a while, and no longer: what was taken out of it by hand is refused then, what was put
// into it is good at once, and nobody takes what Revoke has taken away when it returns.
func TestLag(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	synctest.Test(t, func(t *testing.T) {
		here, there := token.Open(path), token.Open(path)
		good := func(text string) bool {
			t.Helper()
			_, ok, err := here.Check(text)
			if err != nil {
				t.Error(err)
			}
			return ok
		}
		first, _, err := there.Create("a", nil, now)
		if err != nil || !good(first) {
			t.Fatal("a token is not good:", err)
		}
		second, _, err := there.Create("b", nil, now)
		if err != nil || !good(second) {
			t.Error("a token that was made after the last look is not good at once:", err)
		}
		time.Sleep(token.Lag)
		if !good(second) {
			t.Error("it is not good any more")
		}
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(token.Lag - 1)
		if !good(first) || good(first+"x") || good("vcp_"+strings.Repeat("0", 12)+"_x") {
			t.Error("the last look is not remembered, or for anybody")
		}
		// The wrong ones were looked for, so that the file is known to be gone.
		if good(first) {
			t.Error("a token is good that the last look did not find")
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		if !good(first) {
			t.Error("a token is not good at once")
		}
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(token.Lag)
		if good(first) {
			t.Error("the last look is remembered for too long")
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		if !good(first) {
			t.Error("a token is not good at once")
		}
		if err := there.Revoke("a"); err != nil || good(first) || !good(second) {
			t.Error("a revoked token is good, or another is not:", err)
		}
	})
}

// A file that breaks is told, whatever was known before.
func TestLagOfABrokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	synctest.Test(t, func(t *testing.T) {
		f := token.Open(path)
		text, _, err := f.Create("a", nil, now)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := f.Check(text); !ok || err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{text + "x", text, text} { // the first makes it look
			if _, ok, err := f.Check(text); ok || !errors.As(err, new(*token.FormatError)) {
				t.Error(ok, err)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	f := token.Open(filepath.Join(b.TempDir(), "tokens.json"))
	text, _, err := f.Create("a", []string{token.Call}, now)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := f.Check(text); !ok || err != nil {
			b.Fatal(err)
		}
	}
}
