//go:build unix

package stdio_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport/stdio"
)

// accepting is a judge that accepts everything.
type accepting struct{}

func (accepting) Verdict(*wire.Tape) wire.Verdict { return wire.Valid }

// tool is the name of the plugin of the table.
const tool = "Tab"

// run executes Tab.Run, which is the given program, and returns the result.
func run(t testing.TB, ctx context.Context, p stdio.Program, change func(*call.Spec), options ...stdio.Option) *result.Sealed {
	t.Helper()
	spec := &call.Spec{
		Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read,
		Timeout: time.Minute, Grace: time.Second, Discriminator: "command", Input: accepting{}, Output: accepting{}, ErrorCodes: []string{"TAB.NO"},
	}
	if change != nil {
		change(spec)
	}
	if p.Dir == "" {
		p.Dir = t.TempDir()
	}
	r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Use("stdio", opened(map[string]stdio.Program{tool: p}, options...)))
	res := r.Execute(ctx, call.Call{Tool: tool, Command: "Run", Arguments: []byte(`{"a":"` + strings.Repeat("x", 100_000) + `"}`)})
	if err := r.Close(context.WithoutCancel(ctx)); err != nil {
		t.Errorf("Close = %v", err)
	}
	return res.(*result.Sealed)
}

// sh is a program of the shell.
func sh(script string) stdio.Program { return stdio.Program{Argv: []string{"sh", "-c", script}} }

// line is a shell command that writes a text and a line feed.
func line(text string) string { return "printf '%s\\n' '" + text + "'\n" }

// okFrame answers with data that has braces and quotes in strings, large numbers, and characters of all lengths.
const (
	okData  = `{"t":"}{\"]é世😀\u00e9","n":[9007199254740993,1.10,1e400]}`
	okFrame = `{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":` + okData + `,"resources":[],"warnings":[],"extensions":{}}}`
	noFrame = `{"vcp":"tool-result","version":"1.0","payload":{"status":"error","data":null,"resources":[],"warnings":[],"error":{"code":"TAB.NO","message":"no"},"extensions":{}}}`
	noError = `{"code":"TAB.NO","message":"no","category":"domain","retryable":false,"target":null,"details":null,"cause":null}`
)

// expected is what the table looks at.
type expected struct {
	status         call.Status
	data, err, own string // members of the result; own are the warnings
}

func good() expected { return expected{call.Success, okData, "null", "[]"} }

// bad is an error of the core.
func bad(code, category, message, details string) expected {
	return expected{call.Error, "null", fmt.Sprintf(`{"code":"%s","message":"%s","category":"%s","retryable":false,"target":null,"details":%s,"cause":null}`,
		code, message, category, details), "[]"}
}

func protocol(message, details string) expected {
	return bad("INVALID_TOOL_RESULT", "protocol", "the plugin Tab "+message, details)
}

func carrier(message, details string) expected {
	return bad("TRANSPORT_FAILURE", "transport", "the plugin Tab "+message, details)
}

// exited adds the warning of a process that failed after its answer.
func (e expected) exited(how, detail string) expected {
	e.own = fmt.Sprintf(`[{"code":"NONZERO_EXIT","message":"the plugin %s after its result","details":{%s}}]`, how, detail)
	return e
}

// checkKilled is check for a call that ends with its plugin's being killed. One that is not seen to be dead a second after
// that, as on a machine that stands still, is told as running; whether it is dead in the end is for the caller to see. It began to
// end after the given moment.
func checkKilled(t *testing.T, s *result.Sealed, want expected, after time.Time) {
	t.Helper()
	const running = `"details":{"handlerRunning":true}`
	if time.Since(after) >= time.Second && strings.Contains(s.Member(result.Error), running) {
		want.err = strings.Replace(want.err, `"details":null`, running, 1)
	}
	check(t, s, want)
}

func check(t *testing.T, s *result.Sealed, want expected) {
	t.Helper()
	got := expected{s.Status(), s.Member(result.Data), s.Member(result.Error), s.Member(result.Warnings)}
	if len(got.data) > 1000 {
		got.data = fmt.Sprintf("%d bytes", len(got.data))
	}
	if got != want {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestTable(t *testing.T) {
	const stray = "wrote a line that is no frame to its standard output"
	big := func(n int) expected { return expected{call.Success, fmt.Sprintf("%d bytes", n), "null", "[]"} }
	writes := func(s *call.Spec) { s.Effect = call.Write }
	tests := []struct {
		name    string
		program stdio.Program
		want    expected
		change  func(*call.Spec)
	}{
		{"a frame", sh(line(okFrame)), good(), nil},
		{"without a line feed", sh("printf %s '" + okFrame + "'"), good(), nil},
		{"byte by byte", acting(t, "bytewise", okFrame+"\n"), good(), nil},
		{"in pieces that split characters", acting(t, "pieces", okFrame+"\n"), good(), nil},
		{"10 MB of errors first", acting(t, "stderr", okFrame+"\n"), good(), nil},
		{"reads nothing", acting(t, "say", okFrame+"\n"), good(), nil},
		{"an error of the plugin", sh(line(noFrame)), expected{call.Error, "null", noError, "[]"}, nil},

		// A library that greets (K06 of the shared fault kinds), and more of what does not belong there.
		{"banner", sh(line("◇ injected env (11) from config.env") + line(okFrame)), protocol(stray, `{"reason":"STRAY_OUTPUT","quote":"◇ injected env (11) from config.env","line":1}`), nil},
		{"banner after", sh(line(okFrame) + "echo done"), protocol(stray, `{"reason":"STRAY_OUTPUT","quote":"done","line":2}`), nil},
		{"long banner", acting(t, "say", strings.Repeat("世", 1000)+"\n"+okFrame), protocol(stray, `{"reason":"STRAY_OUTPUT","quote":"`+strings.Repeat("世", 200)+`","line":1}`), nil},
		{"two frames", sh(line(okFrame) + line(okFrame)), protocol("wrote a second result frame", `{"reason":"TWO_FRAMES","line":2}`), nil},
		{"two frames and a failure", sh(line(okFrame) + line(okFrame) + "exit 3"), protocol("wrote a second result frame", `{"reason":"TWO_FRAMES","line":2}`), nil},
		{"nothing", sh(":"), protocol("ended without a result frame", `{"reason":"NO_FRAME"}`), nil},
		{"nothing, by a command that writes", sh(":"), protocol("ended without a result frame", `{"reason":"NO_FRAME","effect":"unknown"}`), writes},
		{"an unflushed write", acting(t, "unflushed", okFrame), protocol("ended without a result frame", `{"reason":"NO_FRAME"}`), nil},
		{"half a frame", sh(`printf '{"vcp":"tool-res'`), protocol("ended in the middle of a frame, after 16 bytes of it", `{"reason":"TRUNCATED_FRAME","quote":"{\"vcp\":\"tool-res","line":1}`), nil},
		{"not UTF-8", acting(t, "say", "{\"vcp\":\"\xff\"}\n"), protocol("wrote a frame that is no UTF-8, at byte 8", `{"reason":"NOT_UTF8","quote":"{\"vcp\":\"�\"}","line":1}`), nil},
		{"no JSON", sh(line(`{"vcp":}`)), protocol("wrote a frame that is no JSON: expected a value, found '}', at byte 7", `{"reason":"NOT_JSON","quote":"{\"vcp\":}","line":1}`), nil},
		{"a member twice", sh(line(`{"vcp":"tool-result","vcp":1}`)), protocol(`wrote a frame that is refused: the object has a second member \"vcp\", at byte 21`, `{"reason":"DUPLICATE_KEY","quote":"{\"vcp\":\"tool-result\",\"vcp\":1}","line":1}`), nil},
		{"another version", sh(line(`{"vcp":"tool-result","version":"0.9","payload":{}}`)), protocol(`wrote a frame of version \"0.9\", expected version \"1.0\"`, `{"reason":"WRONG_VERSION","quote":"{\"vcp\":\"tool-result\",\"version\":\"0.9\",\"payload\":{}}","line":1}`), nil},

		// Lines of any length up to the limit (K03).
		{"64 KB", acting(t, "big", "65536"), big(65536), nil},
		{"1 MB", acting(t, "big", "1048576"), big(1 << 20), nil},
		{"at the limit", acting(t, "line", fmt.Sprint(16<<20)), big(16<<20 - envelope), nil},
		{"one over the limit", acting(t, "line", fmt.Sprint(16<<20+1)), protocol("wrote a line of more than 16777216 bytes", `{"reason":"RESULT_TOO_LARGE","line":1,"limit":16777216}`), nil},
		{"without end", acting(t, "endless"), protocol("wrote a line of more than 16777216 bytes", `{"reason":"RESULT_TOO_LARGE","line":1,"limit":16777216}`), nil},

		{"exit 3 with an error", sh(line(noFrame) + "exit 3"), expected{status: call.Error, data: "null", err: noError}.exited("ended with exit code 3", `"exitCode":3`), nil},
		{"exit 3 with a success", sh(line(okFrame) + "exit 3"), good().exited("ended with exit code 3", `"exitCode":3`), nil},
		{"exit 3 with nothing", sh("exit 3"), carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","exitCode":3}`), nil},
		{"exit 3 with a banner", sh("echo oops; exit 3"), carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","quote":"oops","exitCode":3}`), nil},
		{"exit 3 with half a frame", sh(`printf '{"vcp":'; exit 3`), carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","quote":"{\"vcp\":","exitCode":3}`), nil},
		{"killed with a success", sh(line(okFrame) + "kill -KILL $$"), good().exited("was ended by SIGKILL", `"signal":"SIGKILL"`), nil},
		{"killed with nothing", sh("kill -SEGV $$"), carrier("was ended by SIGSEGV and gave no result", `{"reason":"SIGNALLED","signal":"SIGSEGV"}`), nil},
		{"killed after a command that writes", sh("kill -KILL $$"), carrier("was ended by SIGKILL and gave no result", `{"reason":"SIGNALLED","signal":"SIGKILL","effect":"unknown"}`), writes},

		{"a child holds the pipes", sh("sleep 60 &\n" + line(okFrame)), good(), nil},
		{"a child that left the group holds the pipes", acting(t, "daemon", okFrame+"\n"), good(), nil},
		{"a child holds the pipes, no frame", sh("sleep 60 &"), protocol("ended without a result frame", `{"reason":"NO_FRAME"}`), nil},
		{"stays after its answer", sh(line(okFrame) + "sleep 60"), good(), nil},
		{"stays after a banner", sh("echo oops; sleep 60"), protocol(stray, `{"reason":"STRAY_OUTPUT","quote":"oops","line":1}`), nil},
		{"stays without output", sh("exec >&-; sleep 60"), carrier("closed its output without a result and did not end", `{"reason":"PIPE_CLOSED"}`), nil},

		{"no program", stdio.Program{}, carrier("cannot be started: the program has no name", `{"reason":"SPAWN_FAILED"}`), writes},
		{"an unknown program", stdio.Program{Argv: []string{"no-such-program"}}, carrier("cannot be started: no-such-program was not found on the search path", `{"reason":"SPAWN_FAILED"}`), nil},
		{"no such file", stdio.Program{Argv: []string{"./run"}}, carrier("cannot be started: ./run does not exist", `{"reason":"SPAWN_FAILED"}`), nil},
		{"out of the folder", stdio.Program{Argv: []string{"../run"}}, carrier("cannot be started: ../run leads out of the plugin's folder", `{"reason":"SPAWN_FAILED"}`), nil},
		{"no folder", stdio.Program{Dir: "gone", Argv: []string{"sh"}}, carrier("cannot be started: the plugin's folder is not there", `{"reason":"SPAWN_FAILED"}`), nil},
	}
	run(t, t.Context(), sh(line(okFrame)), nil) // opens what stays open
	before := open(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start, linger := time.Now(), 10*time.Second
			if strings.HasPrefix(tt.name, "stays") {
				linger = 200 * time.Millisecond
			}
			check(t, run(t, t.Context(), tt.program, tt.change, stdio.Linger(linger)), tt.want)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	within(t, fmt.Sprintf("%d descriptors", before), func() bool { return open(t) <= before })
	within(t, "no children", func() bool { return children(t) == nil })
}

// open counts the descriptors of this process. A keeper may keep some rulesets, of which its tests know.
func open(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("no /proc to count descriptors in: %v", err)
	}
	n := 0
	for _, entry := range list {
		if target, _ := os.Readlink("/proc/self/fd/" + entry.Name()); !strings.Contains(target, "landlock") {
			n++
		}
	}
	return n
}
