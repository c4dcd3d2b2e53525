package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/storetest"
)

// The test program is also the program that is killed: with these in its environment it runs storetest.Load on the file,
// and nothing else.
const (
	loadFile    = "VCP_STORE_LOAD" // path of the file
	loadCallers = "VCP_STORE_CALLERS"
	loadRounds  = "VCP_STORE_ROUNDS"
	loadSync    = "VCP_STORE_SYNCHRONOUS" // OFF: nothing is flushed
	loadRetries = "VCP_STORE_RETRIES"     // not "": callers do again what failed
	loadPrune   = "VCP_STORE_PRUNE"       // how many bytes of results are kept, "" for all

	listFile = "VCP_STORE_LIST" // or it lists the results of this file
)

func TestMain(m *testing.M) {
	if path := os.Getenv(loadFile); path != "" {
		os.Exit(load(path))
	}
	if path := os.Getenv(listFile); path != "" {
		os.Exit(list(path))
	}
	os.Exit(m.Run())
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func load(path string) int {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{unsafe: os.Getenv(loadSync) == "OFF"})
	if err == nil {
		fmt.Println("open")
		if keep := number(loadPrune, 0); keep > 0 {
			fmt.Println("prunes")
			go func() {
				for range time.Tick(2 * time.Millisecond) {
					_, _ = s.Prune(ctx, record.Retention{ResultBytes: int64(keep)})
				}
			}()
		}
		var under record.Store = s
		if os.Getenv(loadRetries) != "" {
			under = storetest.Retrying(s)
		}
		err = storetest.Load(new(testing.T), under, rand.Uint64N(1<<40), number(loadCallers, 8), number(loadRounds, 0), os.Stdout)
	}
	if err == nil {
		fmt.Println("transactions", s.Stats().Transactions)
		err = s.Close(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// list prints the ids of the results in a file, and that nothing can be written to it.
func list(path string) int {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	var page record.Page
	if err == nil {
		page, err = s.List(ctx, record.Query{Limit: 1000})
	}
	if err != nil {
		fmt.Println(err)
		if denied, ok := errors.AsType[*AccessError](err); ok {
			fmt.Println(denied.Lack)
		}
		return 1
	}
	for i := range page.Records {
		fmt.Println(page.Records[i].ResultID)
	}
	if _, err := s.Begin(ctx, storetest.NewRows(99).Intent()); errors.As(err, new(*record.ReadOnlyError)) {
		fmt.Println("read only")
	}
	if err := s.Close(ctx); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// loader is this program as the one that is killed.
func loader(t testing.TB, path string, environment ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(append(os.Environ(), loadFile+"="+path), environment...)
	return cmd
}

// check opens the file and holds it against what was said.
func check(t testing.TB, path string, said *bytes.Buffer) *storetest.Log {
	t.Helper()
	log, err := storetest.ReadLog(said)
	if err != nil {
		t.Fatal(err)
	}
	f := &file{path: path}
	s := f.Open(t)
	log.Check(t, s)
	var verdict string
	if err := s.(*Store).db.Readers().DB.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s, %v", verdict, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	return log
}

// A process is killed at any moment, again and again on one file.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.db")
	stored := 0
	for round := range 5 {
		var said bytes.Buffer
		cmd := loader(t, path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		reader := bufio.NewReader(out)
		if line, err := reader.ReadString('\n'); err != nil || line != "open\n" {
			t.Fatal(line, err)
		}
		for acknowledged := round > 0; !acknowledged; { // one round at least shows something
			line, err := reader.ReadString('\n')
			if err != nil {
				t.Fatal(line, err)
			}
			said.WriteString(line)
			acknowledged = strings.HasPrefix(line, "stored ")
		}
		go func() {
			time.Sleep(time.Duration(50+rand.IntN(200)) * time.Millisecond)
			_ = cmd.Process.Kill()
		}()
		_, _ = said.ReadFrom(reader)
		_ = cmd.Wait()
		stored += len(check(t, path, &said).Stored)
	}
	t.Logf("%d results were acknowledged", stored)
	if stored == 0 {
		t.Error("nothing was ever acknowledged: this shows nothing")
	}
}

// Two processes write the same file, and a third reads it: nothing is lost, and none takes the other's intents for orphans.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.db")
	var said [2]bytes.Buffer
	var wg sync.WaitGroup
	for i := range said {
		cmd := loader(t, path, loadRounds+"=100", loadCallers+"=4")
		cmd.Stdout, cmd.Stderr = &said[i], os.Stderr
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	s := (&file{path: path}).Open(t).(*Store)
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		// Those that live have no orphans; one that has just ended has resolved all of its intents.
		if orphans := storetest.Orphans(t, s); len(orphans) > 0 {
			t.Fatalf("%d orphans while everybody lives", len(orphans))
		}
	}
	for i := range said {
		if log := check(t, path, &said[i]); len(log.Stored) != 400 || len(log.Begun) != 0 {
			t.Errorf("process %d: %d stored, %d not resolved", i, len(log.Stored), len(log.Begun))
		}
	}
}

// traced runs a loader below strace, which makes a trace of its flushes, and returns what it said.
func traced(t *testing.T, trace string, cmd *exec.Cmd, options ...string) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace here: ", err)
	}
	// Without --seccomp-bpf every call into the system stops the program, of which there are a hundred times as many.
	cmd.Args = append(append([]string{strace, "-f", "--seccomp-bpf", "-y", "-e", "trace=fsync,fdatasync", "-o", trace}, options...), cmd.Path)
	cmd.Path = strace
	out, err := cmd.Output()
	if err != nil {
		if bytes.Contains(out, []byte("open")) || !isPtraceRefused(err) {
			t.Fatalf("%v: %s", err, out)
		}
		t.Skip("strace cannot trace here: ", err)
	}
	return string(out)
}

// What is acknowledged was flushed: with one caller every transaction is at least one flush of the file. When nothing is
// flushed the count has to fall short, or it counts something else.
func TestFlushes(t *testing.T) {
	count := func(synchronous string) (flushes, transactions int) {
		dir := t.TempDir()
		trace := filepath.Join(dir, "trace")
		out := traced(t, trace, loader(t, filepath.Join(dir, "records.db"), loadRounds+"=50", loadCallers+"=2", loadSync+"="+synchronous))
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "sync(") && strings.Contains(line, "records.db-wal") {
				flushes++
			}
		}
		_, rest, _ := strings.Cut(out, "transactions ")
		if transactions, err = strconv.Atoi(strings.TrimSpace(rest)); err != nil {
			t.Fatal(err)
		}
		return flushes, transactions
	}
	flushes, transactions := count("")
	t.Logf("%d flushes of the log for %d transactions", flushes, transactions)
	if transactions == 0 || flushes < transactions {
		t.Errorf("%d transactions were acknowledged with %d flushes", transactions, flushes)
	}
	flushes, transactions = count("OFF")
	if flushes >= transactions {
		t.Errorf("nothing is flushed, and %d flushes are counted for %d transactions", flushes, transactions)
	}
}

// A disk that refuses every seventh flush of a thread: what it held is written again, and flushed. That may be refused, too, which is all that
// callers see.
func TestFlushRefused(t *testing.T) {
	dir := t.TempDir()
	path, trace := filepath.Join(dir, "records.db"), filepath.Join(dir, "trace")
	out := traced(t, trace, loader(t, path, loadRounds+"=60", loadCallers+"=8", loadRetries+"=yes"), "-e", "inject=fdatasync:error=EIO:when=3+7")
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	refused := strings.Count(string(text), "EIO")
	if refused < 5 {
		t.Skipf("only %d flushes could be refused", refused)
	}
	if log := check(t, path, bytes.NewBufferString(out)); len(log.Stored) != 480 || len(log.Begun) != 0 {
		t.Errorf("%d stored, %d not resolved, with %d flushes refused", len(log.Stored), len(log.Begun), refused)
	}
	t.Logf("%d flushes were refused", refused)
}

func isPtraceRefused(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && strings.Contains(string(exit.Stderr), "ptrace")
}
