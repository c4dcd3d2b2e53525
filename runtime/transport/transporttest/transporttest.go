// Package transporttest holds a transport to its contract (package transport): one suite for all of them. A
// transport to a plugin whose code is [Handler] goes in; failed tests come out.
//
// The suite knows nothing of how a transport works: it calls Run and Close, and looks at payloads byte for byte,
// at errors, at the time and at files that the plugin leaves. It is imported by tests only.
package transporttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/transport"
)

const (
	invocation = "ti_01K0000000000000000000000A"
	request    = "req_01K0000000000000000000000A"
	task       = "task_01K0000000000000000000000A"
)

// hang is what takes longer hangs: far more than anything here takes on a machine that is busy, or stands still for seconds.
const hang = 30 * time.Second

// suite is one transport under test.
type suite struct {
	transport.Transport
	dir string
}

// Test runs the suite. open makes a fresh transport that knows the plugin [Tool] and nothing else; the suite
// closes it.
func Test(t *testing.T, open func(t *testing.T) transport.Transport) {
	tests := []struct {
		name string
		run  func(t *testing.T, s *suite)
	}{
		{"bytes", testBytes}, {"statuses", testStatuses}, {"surroundings", testSurroundings}, {"bare call", testBare},
		{"progress", testProgress}, {"big payload", testBig}, {"big arguments", testBigArguments}, {"resources", testResources},
		{"broken handlers", testBroken}, {"unknown tool", testUnknown}, {"ended before", testEndedBefore}, {"cancel", testCancel},
		{"time limit", testTimeLimit}, {"too late", testLate}, {"ignored end", testDeaf}, {"many at once", testMany}, {"close", testClose},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &suite{Transport: open(t), dir: t.TempDir()}
			tt.run(t, s)
			ctx, cancel := context.WithTimeout(context.Background(), hang)
			defer cancel()
			if err := s.Close(ctx); err != nil {
				t.Errorf("Close = %v", err)
			}
		})
	}
}

// call is a call of a command.
func (s *suite) call(command, arguments string) call.Invocation {
	return call.Invocation{
		Tool: Tool, Command: command, Arguments: []byte(arguments), InvocationID: invocation, RequestID: request,
		Source: "test", Config: []byte("{}"), DataDir: s.dir, Now: time.Now(), Deadline: time.Now().Add(time.Minute),
	}
}

// data runs a command and returns the data of its payload.
func (s *suite) data(t *testing.T, in call.Invocation) string {
	t.Helper()
	reply, err := s.Run(t.Context(), in, time.Second)
	if err != nil {
		t.Fatalf("%s: %v", in.Command, err)
	}
	if len(reply.Warnings) > 0 {
		t.Errorf("%s: warnings %v", in.Command, reply.Warnings)
	}
	var tape wire.Tape
	if err := tape.Scan(reply.Payload, wire.Limits{Bytes: 1 << 26}); err != nil {
		t.Fatalf("%s: %v in %.200q", in.Command, err, reply.Payload)
	}
	at, ok := tape.Lookup("/data")
	if !ok {
		t.Fatalf("%s: no data in %.200s", in.Command, reply.Payload)
	}
	return string(tape.Raw(at))
}

// Numbers, escapes, the order of members and characters of every length arrive as they were sent.
func testBytes(t *testing.T, s *suite) {
	const document = `{"z":9007199254740993,"a":[1.10,1e400,-0.0,1E+2],"s":"\u00e9é\/\ud83d\ude00😀\u0000","":{"}":"{\"]"},"世界":null}`
	if got := s.data(t, s.call(echo, document)); got != document {
		t.Errorf("got  %s\nwant %s", got, document)
	}
}

// A payload is handed on whatever it says, nonsense included: judging is the runtime's work.
func testStatuses(t *testing.T, s *suite) {
	for _, payload := range []string{
		`{"status":"error","data":null,"resources":[],"warnings":[],"error":{"code":"PROBE.BROKEN","message":"m","details":{"n":1.0}},"extensions":{}}`,
		`{"status":"partial","data":[1],"resources":[],"warnings":[{"code":"A.B","message":"w"}],"error":{"code":"PROBE.HALF","message":"m"},"extensions":{}}`,
		`{"status":"accepted","data":null,"task":{"id":"t-1","state":"queued"},"resources":[],"warnings":[],"extensions":{}}`,
		`{ "status" : 7 }`, `[]`, `"\ud83d\ude00"`,
	} {
		reply, err := s.Run(t.Context(), s.call(answer, `{"payload":`+payload+`}`), time.Second)
		if err != nil || string(reply.Payload) != payload || len(reply.Warnings) > 0 {
			t.Errorf("got  %s, %v, %v\nwant %s", reply.Payload, reply.Warnings, err, payload)
		}
	}
}

// Everything that surrounds a call reaches the handler; the deadline to the millisecond.
func testSurroundings(t *testing.T, s *suite) {
	in := s.call(surround, `{}`)
	in.TaskID, in.Source, in.RequestIP = task, "工作流", "2001:db8::1"
	in.Actor = &call.Actor{Type: "agent", ID: "a-1", Name: "Nova \"N\"", Maid: "小克"}
	in.Config = []byte(`{"limit":1.0,"names":["\u00e9"]}`)
	in.Deadline = time.Now().Add(time.Hour).Truncate(time.Millisecond)
	want := fmt.Sprintf(`["%s","%s","%s","工作流","agent","a-1","Nova \"N\"","小克","2001:db8::1",%s,"true","%s",{"limit":1.0,"names":["\u00e9"]}]`,
		invocation, request, task, wire.AppendQuoted(nil, s.dir), in.Deadline.UTC().Format(time.RFC3339Nano))
	if got := s.data(t, in); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What a call does not have is empty for the handler, too. The source is a word that the protocol demands.
func testBare(t *testing.T, s *suite) {
	in := s.call(surround, `{}`)
	in.DataDir, in.Deadline = "", time.Time{}
	want := fmt.Sprintf(`["%s","%s","","test","","","","","","","false","0001-01-01T00:00:00Z",{}]`, invocation, request)
	if got := s.data(t, in); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Reports arrive in order, before Run returns.
func testProgress(t *testing.T, s *suite) {
	in := s.call(progress, `{}`)
	var mu sync.Mutex
	var told []string
	in.Progress = func(p call.Progress) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf("%s %s %s", p.Stage, p.Share.Or(wire.NumberOf(-1)), p.Message))
	}
	s.data(t, in)
	mu.Lock()
	defer mu.Unlock()
	if got, want := strings.Join(told, "; "), `start -1 ; work 0.50 half "done"; end 1 `; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func testBig(t *testing.T, s *suite) {
	for _, n := range []int{64 << 10, 1 << 20, 15 << 20} {
		if got := s.data(t, s.call(big, fmt.Sprintf(`{"n":%d}`, n))); len(got) != n+2 || strings.Count(got, "x") != n {
			t.Errorf("%d characters came back as %d bytes", n, len(got))
		}
	}
}

func testBigArguments(t *testing.T, s *suite) {
	document := `{"s":"` + strings.Repeat("é", 2<<20) + `"}`
	if got := s.data(t, s.call(echo, document)); got != document {
		t.Errorf("%d bytes came back as %d", len(document), len(got))
	}
}

// keeper is the resource writer of the suite, for transports that hand one on. Others bring their own, with
// the same outcome.
type keeper struct{ dir string }

// Write implements call.ResourceWriter.
func (k keeper) Write(d call.Draft, r io.Reader) (wire.Raw, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(k.dir, "kept"), content, 0o600); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"id":%q,"kind":%q,"role":"output","fileName":%q,"localPath":"kept"}`, d.ID, d.Kind, d.FileName), nil
}

// A resource lies where its draft says, counted from the data folder.
func testResources(t *testing.T, s *suite) {
	in := s.call(file, `{}`)
	in.Resources = keeper{s.dir}
	reply, err := s.Run(t.Context(), in, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var tape wire.Tape
	if err := tape.Scan(reply.Payload, wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	member := func(name string) string {
		at, ok := tape.Lookup("/resources/0/" + name)
		if !ok {
			return ""
		}
		return tape.String(at)
	}
	content, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(member("localPath"))))
	if err != nil || string(content) != "content" {
		t.Errorf("%s: %q, %v", member("localPath"), content, err)
	}
	if got := member("id") + member("kind") + member("role") + member("fileName"); got != "ftextoutputa.txt" {
		t.Errorf("the draft says %s", reply.Payload)
	}
}

// A handler that fails or panics brings no success and nothing of what it said. Where the plugin is another
// process, it says so itself by a payload.
func testBroken(t *testing.T, s *suite) {
	for _, command := range []string{fails, panics} {
		reply, err := s.Run(t.Context(), s.call(command, `{}`), time.Second)
		text := string(reply.Payload)
		if err == nil && !strings.Contains(text, `"code":"INTERNAL_ERROR"`) || strings.Contains(text, "the probe") {
			t.Errorf("%s: %s, %v", command, text, err)
		}
	}
	if got := s.data(t, s.call(echo, `{}`)); got != `{}` {
		t.Errorf("afterwards Echo gives %s", got)
	}
}

func testUnknown(t *testing.T, s *suite) {
	in := s.call(echo, `{}`)
	in.Tool = "Nobody"
	_, err := s.Run(t.Context(), in, time.Second)
	f, ok := errors.AsType[*transport.Failure](err)
	if !ok || f.Code != errcode.TransportFailure || f.Started || !strings.Contains(f.Message, "Nobody") {
		t.Errorf("Run = %v", err)
	}
}

func testEndedBefore(t *testing.T, s *suite) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Run(ctx, s.call(wait, `{}`), time.Second)
	end, ok := errors.AsType[*transport.StoppedError](err)
	if !ok || end.Started || !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, began)); err == nil {
		t.Error("the command ran")
	}
}

// stopped runs a command whose context ends once the command has begun, and returns Run's error.
func (s *suite) stopped(t *testing.T, ctx context.Context, command string) {
	t.Helper()
	reply, err := s.Run(ctx, s.call(command, `{}`), hang)
	end, ok := errors.AsType[*transport.StoppedError](err)
	if !ok || !end.Started || end.Running || !errors.Is(err, ctx.Err()) || reply.Payload != nil {
		t.Errorf("Run = %s, %v", reply.Payload, err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, ended)); err != nil {
		t.Errorf("the command was not asked to end: %v", err)
	}
}

// whenBegun calls f when the command is at work, unless the context has ended by then.
func (s *suite) whenBegun(ctx context.Context, t *testing.T, f func()) {
	t.Helper()
	for start := time.Now(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(s.dir, began)); err == nil {
			f()
			return
		}
		if time.Since(start) > hang {
			t.Error("the command did not begin")
			f()
			return
		}
	}
}

func testCancel(t *testing.T, s *suite) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.whenBegun(ctx, t, cancel)
	s.stopped(t, ctx, wait)
}

// timed is a context that ends as by a time limit, whenever it is cancelled.
type timed struct{ context.Context }

// Err implements context.Context.
func (t timed) Err() error {
	if t.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func testTimeLimit(t *testing.T, s *suite) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.whenBegun(ctx, t, cancel)
	s.stopped(t, timed{ctx}, wait)
}

// An answer during the grace is dropped: by then the call was promised to have ended.
func testLate(t *testing.T, s *suite) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.whenBegun(ctx, t, cancel)
	s.stopped(t, ctx, late)
}

// Run does not wait for a command that ignores its end, and Close does.
func testDeaf(t *testing.T, s *suite) {
	const grace = 100 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked time.Time // to end; written before the context ends, and read after
	go s.whenBegun(ctx, t, func() { asked = time.Now(); cancel() })
	release := func() {
		if err := os.WriteFile(filepath.Join(s.dir, released), nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	waited := time.AfterFunc(hang, release) // for a Run that waits for the command
	reply, err := s.Run(timed{ctx}, s.call(deaf, `{}`), grace)
	if !waited.Stop() {
		t.Error("Run waits for the command")
	}
	if end, ok := errors.AsType[*transport.StoppedError](err); !ok || !end.Started || !errors.Is(err, context.DeadlineExceeded) || reply.Payload != nil {
		t.Errorf("Run = %s, %v", reply.Payload, err)
	}
	if ctx.Err() == nil {
		t.Error("Run did not wait for the end of the call")
	} else if took := time.Since(asked); took < grace {
		t.Errorf("Run took %v with a grace of %v", took, grace)
	}
	release()
}

func testMany(t *testing.T, s *suite) {
	const calls = 64
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			in := s.call(echo, fmt.Sprintf(`{"n":%d}`, i))
			reply, err := s.Run(t.Context(), in, time.Second)
			if want := string(success(in.Arguments)); err != nil || string(reply.Payload) != want {
				t.Errorf("call %d: %s, %v", i, reply.Payload, err)
			}
		})
	}
	all.Wait()
}

// Close waits for what runs, and no longer than it may.
func testClose(t *testing.T, s *suite) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.Run(ctx, s.call(wait, `{}`), hang)
	}()
	s.whenBegun(ctx, t, func() {})
	short, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if err := s.Close(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close of a busy transport = %v", err)
	}
	cancel()
	<-done
}
