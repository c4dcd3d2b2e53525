//go:build unix

package stdio_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/transport/stdio"
)

// logged is a log that several goroutines write.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) option() stdio.Option {
	return stdio.Logger(slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})))
}

// within waits for something to come true.
func within(t *testing.T, what string, f func() bool) {
	t.Helper()
	for start := time.Now(); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Since(start) > soon {
			t.Errorf("not within %v: %s", soon, what)
			return
		}
	}
}

// Where a call is that was given to kept workers, as the goroutine says that carries it. Nothing else tells how far it has got.
const (
	assign = "kept.(*Pool).assign("  // it was taken, and waits for a worker
	await  = "kept.(*worker).await(" // its worker has it, and did not close its input before
)

// inside lists the goroutines that are in a function, as far as the buffer goes.
func inside(function string) []string {
	buf := make([]byte, 1<<20)
	buf = buf[:goruntime.Stack(buf, true)]
	var found []string
	for goroutine := range strings.SplitSeq(string(buf), "\n\n") {
		if strings.Contains(goroutine, function) {
			found = append(found, goroutine)
		}
	}
	return found
}

// onceInside calls f when so many goroutines are in a function, after a while in any case.
func onceInside(n int, function string, f func()) {
	for start := time.Now(); len(inside(function)) != n && time.Since(start) < soon; {
		time.Sleep(time.Millisecond)
	}
	f()
}

// workers lists the processes that play plugins below this program, with or without a keeper in between, by the numbers
// that are seen from here.
func workers(t *testing.T) []int {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	parents := map[int]int{}
	for _, name := range list {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			parents[pid], _ = strconv.Atoi(fields[1])
		}
	}
	var found []int
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up != os.Getpid() {
				continue
			}
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.Contains(line, []byte("\x00"+role)) {
				found = append(found, pid)
			}
			break
		}
	}
	slices.Sort(found)
	return found
}

// processes counts them.
func processes(t *testing.T) int { t.Helper(); return len(workers(t)) }

// dead reports whether all threads of a process are. The first one is a zombie earlier, and one that waits for input takes what
// comes although it was killed.
func dead(pid int) bool {
	threads, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
	if err != nil || len(threads) == 0 {
		return true
	}
	at := state(strconv.Itoa(pid))
	return len(threads) == 1 && (at == "" || at == "Z" || at == "X")
}

// release lets the calls of odd workers end that are held.
func release(t *testing.T, p stdio.Program) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.Dir, "go"), nil, 0o600); err != nil {
		t.Error(err)
	}
}

// inner is an invocation of the odd worker.
func inner(do string, more ...string) call.Invocation {
	return call.Invocation{
		Tool: tool, Command: "Run", Arguments: fmt.Appendf(nil, `{"do":%q%s}`, do, strings.Join(more, "")), Config: []byte("{}"),
		InvocationID: fmt.Sprintf("ti_%026d", rand.Uint64()), RequestID: invocation,
	}
}
