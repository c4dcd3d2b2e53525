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
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
	"vcp.core/runtime/transport/transporttest"
)

// Kept workers keep the contract of transports, one call at a time or several.
func TestSuiteOfKeptWorkers(t *testing.T) {
	for name, b := range map[string]kept.Bounds{
		"one":     {Max: 1, Idle: time.Minute},
		"four":    {Min: 2, Max: 4, Idle: time.Minute, MaxCalls: 10},
		"sharing": {Max: 2, Idle: time.Minute, InFlight: 8},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Test(t, func(t *testing.T) transport.Transport {
				return opened(map[string]stdio.Program{transporttest.Tool: acting(t, "probe")}, stdio.Keep(transporttest.Tool, b))
			})
		})
	}
}

// keeping is a runtime whose tool Tab has kept workers.
type keeping struct {
	*runtime.Runtime
	stdio *stdio.Stdio
}

func keep(t testing.TB, p stdio.Program, b kept.Bounds, change func(*call.Spec), options ...stdio.Option) *keeping {
	t.Helper()
	spec := &call.Spec{
		Tool: tool, Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "stdio", Effect: call.Read,
		Timeout: time.Minute, Grace: time.Second, Discriminator: "command", Input: accepting{}, Output: accepting{}, ErrorCodes: []string{"TAB.NO"},
	}
	if change != nil {
		change(spec)
	}
	s := opened(map[string]stdio.Program{tool: p}, append(options, stdio.Keep(tool, b))...)
	k := &keeping{runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Use("stdio", s)), s}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := k.Close(ctx); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return k
}

// do makes the odd worker do something.
func (k *keeping) do(ctx context.Context, what string, more ...string) *result.Sealed {
	arguments := fmt.Sprintf(`{"do":%q%s}`, what, strings.Join(more, ""))
	return k.Execute(ctx, call.Call{Tool: tool, Command: "Run", Arguments: []byte(arguments)}).(*result.Sealed)
}

const invocation = "ti_01K0000000000000000000000A"

func served(n int) expected { return expected{call.Success, fmt.Sprint(n), "null", "[]"} }

// What a worker may do wrong, what the call gets that is in flight, and what becomes of the worker.
func TestTableOfKeptWorkers(t *testing.T) {
	const stray = "wrote a line that is no frame to its standard output"
	const overdue = "the call did not end within its limit of 1m0s"
	writes := func(s *call.Spec) { s.Effect = call.Write }
	const ends = "ended without a result frame; a kept worker goes on until its input ends"
	quoted := func(change func(string) string) string {
		return strings.ReplaceAll(change(strings.TrimSuffix(oddFrame("ID", "2"), "\n")), `"`, `\"`)
	}
	tests := []struct {
		do    string
		want  expected
		lives bool // the worker goes on
		spec  func(*call.Spec)
	}{
		{"", served(2), true, nil},
		{"at the limit", expected{call.Success, fmt.Sprintf("%d bytes", 16<<20+3-len(oddFrame(invocation, `""`))), "null", "[]"}, true, nil},
		{"reports", served(2), true, nil},
		{"twice", served(2), true, nil},
		{"stray after", served(2), true, nil},

		{"stray", protocol(stray, `{"reason":"STRAY_OUTPUT","quote":"oops"}`), true, nil},
		{"stray, no answer", protocol(stray, `{"reason":"STRAY_OUTPUT","quote":"oops"}`), false, nil},
		{"stray, crash", carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","quote":"oops","exitCode":3}`), false, nil},
		{"another id", protocol(`answered a call that it does not have, \"ti_01K0000000000000000000000Z\"`, `{"reason":"WRONG_ID"}`), true, nil},
		{"no id", protocol(`wrote a frame with no id, expected that of a call`, `{"reason":"WRONG_ID","quote":"`+quoted(func(s string) string { return strings.Replace(s, `"id":"ID",`, "", 1) })+`"}`), true, nil},
		{"id is a number", protocol(`wrote a frame with id 7, expected that of a call`, `{"reason":"WRONG_ID","quote":"`+quoted(func(s string) string { return strings.Replace(s, `"ID"`, "7", 1) })+`"}`), true, nil},
		{"another version", protocol(`wrote a frame of version \"0.9\", expected version \"1.0\"`, `{"reason":"WRONG_VERSION","quote":"`+quoted(func(s string) string { return strings.Replace(s, "1.0", "0.9", 1) })+`"}`), true, nil},
		{"another kind", protocol(`wrote an object with vcp \"tool-call\" to its standard output, expected vcp \"tool-progress\" or \"tool-result\"`, `{"reason":"STRAY_OUTPUT","quote":"`+quoted(func(s string) string { return strings.Replace(s, "tool-result", "tool-call", 1) })+`"}`), true, nil},
		{"unknown member", protocol(`wrote a frame with the unknown member \"extra\"`, `{"reason":"SCHEMA_MISMATCH","quote":"`+quoted(func(s string) string { return strings.Replace(s, `"ID"`, `"ID","extra":1`, 1) })+`"}`), true, nil},
		{"no payload", protocol(`wrote a frame without a payload`, `{"reason":"SCHEMA_MISMATCH","quote":"{\"vcp\":\"tool-result\",\"version\":\"1.0\",\"id\":\"ID\"}"}`), true, nil},
		{"no JSON", protocol("wrote a frame that is no JSON: expected a value, found '}', at byte 7", `{"reason":"NOT_JSON","quote":"{\"vcp\":}"}`), true, nil},
		{"not UTF-8", protocol("wrote a frame that is no UTF-8, at byte 8", `{"reason":"NOT_UTF8","quote":"{\"vcp\":\"�\"}"}`), true, nil},
		{"over lines", protocol("wrote a frame that is no JSON: expected a member name or '}', found the end of the document, at byte 1", `{"reason":"NOT_JSON","quote":"{"}`), true, nil},
		{"too long", protocol("wrote a line of more than 16777216 bytes", `{"reason":"RESULT_TOO_LARGE","limit":16777216}`), false, nil},
		{"endless", protocol("wrote a line of more than 16777216 bytes", `{"reason":"RESULT_TOO_LARGE","limit":16777216}`), false, nil},

		{"crash", carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","exitCode":3}`), false, nil},
		{"crash", carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","exitCode":3,"effect":"unknown"}`), false, writes},
		{"killed", carrier("was ended by SIGKILL and gave no result", `{"reason":"SIGNALLED","signal":"SIGKILL"}`), false, nil},
		{"quit", protocol(ends, `{"reason":"NO_FRAME"}`), false, nil},
		{"quit", protocol(ends, `{"reason":"NO_FRAME","effect":"unknown"}`), false, writes},
		{"answer, quit", served(2), false, nil},
		{"unended, quit", served(2), false, nil},
		{"half", protocol("ended in the middle of a frame, after 40 bytes of it", `{"reason":"TRUNCATED_FRAME","quote":"{\"vcp\":\"tool-result\",\"version\":\"1.0\",\"id"}`), false, nil},
		{"half, crash", carrier("ended with exit code 3 and gave no result", `{"reason":"CRASHED","quote":"{\"vcp\":\"tool-result\",\"version\":\"1.0\",\"id","exitCode":3}`), false, nil},
		{"closes output", carrier("closed its output without a result and did not end", `{"reason":"PIPE_CLOSED"}`), false, nil},
		{"closes input", served(2), false, nil},

		{"waits", ended(call.Timeout, "TOOL_TIMEOUT", overdue), true, func(s *call.Spec) { s.Grace = soon }},
		{"hangs", ended(call.Timeout, "TOOL_TIMEOUT", overdue), false, func(s *call.Spec) { s.Grace = 200 * time.Millisecond }},
		{"deaf", ended(call.Timeout, "TOOL_TIMEOUT", overdue), false, func(s *call.Spec) { s.Grace = 200 * time.Millisecond }},
	}
	run(t, t.Context(), sh(line(okFrame)), nil) // opens what stays open
	before := open(t)
	for _, tt := range tests {
		t.Run(tt.do, func(t *testing.T) {
			linger := soon
			if tt.do == "stray, no answer" || strings.HasPrefix(tt.do, "closes") { // nothing else ends these
				linger = 300 * time.Millisecond
			}
			k := keep(t, acting(t, "odd"), kept.Bounds{Max: 1, Idle: time.Minute}, tt.spec, stdio.Linger(linger))
			defer func() { _ = k.Close(context.Background()) }()
			check(t, k.do(t.Context(), ""), served(1))
			pid := workers(t)[0]
			ctx, over := limitless(t.Context())
			var asked time.Time
			if tt.want.status == call.Timeout {
				go onceInside(1, await, func() { asked = time.Now(); over() })
			}
			s := k.do(ctx, tt.do)
			id := invocationOf(s)
			want := tt.want
			want.err = strings.ReplaceAll(want.err, `\"ID\"`, `\"`+id+`\"`)
			if _, quote, ok := strings.Cut(want.err, `"quote":"`); ok && strings.Contains(want.err, id) && len([]rune(quote)) > 200 {
				want.err = cutQuote(want.err)
			}
			if tt.want.status == call.Timeout {
				checkKilled(t, s, want, asked)
			} else {
				check(t, s, want)
			}
			switch tt.do { // the worker is still about to do it
			case "closes input":
				within(t, "it has closed its input", func() bool {
					target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", pid)) // the number may be another's
					return !strings.HasPrefix(target, "pipe:")
				})
			case "stray after":
				within(t, "it has written more", func() bool { return unread(t, pid, 1) > 0 })
			}
			next := served(1)
			if tt.lives {
				next = served(3)
			}
			check(t, k.do(t.Context(), ""), next)
		})
	}
	within(t, fmt.Sprintf("%d descriptors", before), func() bool { return open(t) <= before })
	within(t, "no processes", func() bool { return processes(t) == 0 })
}

// invocationOf reads the id of a result's invocation.
func invocationOf(s *result.Sealed) string {
	_, id, _ := strings.Cut(s.Member(result.Execution), `"invocationId":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// cutQuote cuts a quotation as the transport does: to 200 characters before they are escaped.
func cutQuote(text string) string {
	begin, quote, _ := strings.Cut(text, `"quote":"`)
	quote, end, _ := strings.Cut(quote, `"}`+",\"cause\"")
	plain := []rune(strings.ReplaceAll(quote, `\"`, `"`))
	return begin + `"quote":"` + strings.ReplaceAll(string(plain[:min(len(plain), 200)]), `"`, `\"`) + `"}` + ",\"cause\"" + end
}
