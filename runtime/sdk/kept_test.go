package sdk

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
)

// session is a program that is kept, as its runtime sees it.
type session struct {
	in    *io.PipeWriter
	lines *bufio.Reader
	code  chan int
	log   *locked
}

func begin(ctx context.Context, h call.HandlerFunc) *session {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	s := &session{in: inWrite, lines: bufio.NewReader(outRead), code: make(chan int, 1), log: &locked{out: io.Discard}}
	go func() {
		s.code <- serve(ctx, h, inRead, outWrite, s.log)
		_ = outWrite.Close()
	}()
	return s
}

func (s *session) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(s.in, text+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (s *session) call(t *testing.T, id, command string) {
	t.Helper()
	s.send(t, strings.ReplaceAll(strings.Replace(head+`{}`+tail, `"Run"`, `"`+command+`"`, 1), callID, id))
}

func (s *session) hear(t *testing.T, want string) {
	t.Helper()
	line, err := s.lines.ReadString('\n')
	if err != nil || !strings.Contains(line, want) {
		t.Errorf("%q, %v, want %s", line, err, want)
	}
}

func (s *session) ends(t *testing.T, want int) {
	t.Helper()
	select {
	case code := <-s.code:
		if code != want {
			t.Errorf("exit code %d, want %d", code, want)
		}
	case <-time.After(30 * time.Second):
		t.Error("it does not end")
	}
}

func handle(ctx context.Context, in call.Invocation) ([]byte, error) {
	switch in.Command {
	case "Wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "Panic":
		panic("a mistake")
	}
	return []byte(`{"status":"success","data":"` + in.InvocationID + `"}`), nil
}

// Calls that come while another one is at work are answered, a cancel ends the one that it names and no other, and the
// program ends with its input when it has answered all.
func TestKept(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := begin(ctx, handle)
	s.call(t, "a", "Wait")
	for i := range 5 {
		s.call(t, fmt.Sprint("b", i), "Run")
		s.hear(t, fmt.Sprintf(`"data":"b%d"`, i))
	}
	s.call(t, "c", "Wait")
	s.call(t, "p", "Panic")
	s.hear(t, `"reason":"PANIC"`)
	const cancel = `{"vcp":"tool-cancel","version":"1.0","id":"%s","payload":{"reason":"enough"}}`
	s.send(t, fmt.Sprintf(cancel, "gone"))
	s.send(t, fmt.Sprintf(cancel, "c"))
	s.hear(t, `"id":"c","payload":{"status":"cancelled"`)
	_ = s.in.Close()
	select {
	case <-s.code:
		t.Error("it ended with a call at work")
	case <-time.After(50 * time.Millisecond):
	}
	stop() // a is still at work
	s.hear(t, `"id":"a","payload":{"status":"cancelled"`)
	s.ends(t, exitAnswered)
}

// The end of the process' context ends the calls that are at work, and the program, though its input is open.
func TestKeptIsTerminated(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := begin(ctx, handle)
	s.call(t, "a", "Wait")
	s.call(t, "b", "Run")
	s.hear(t, `"data":"b"`)
	stop()
	s.hear(t, `"id":"a","payload":{"status":"cancelled"`)
	s.ends(t, exitAnswered)
}

// Many calls at once are answered each with a line of its own.
func TestKeptAnswersAll(t *testing.T) {
	s := begin(t.Context(), handle)
	const calls = 200
	var sender sync.WaitGroup
	sender.Go(func() {
		for i := range calls {
			s.call(t, fmt.Sprint("n", i), "Run")
		}
		_ = s.in.Close()
	})
	seen := map[string]bool{}
	for range calls {
		line, err := s.lines.ReadString('\n')
		if err != nil || !strings.HasSuffix(line, "\"}}\n") {
			t.Fatalf("%q, %v", line, err)
		}
		_, id, _ := strings.Cut(line, `"data":"`)
		seen[id] = true
	}
	sender.Wait()
	s.ends(t, exitAnswered)
	if len(seen) != calls {
		t.Errorf("%d calls were answered", len(seen))
	}
}
