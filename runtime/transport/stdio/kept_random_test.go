//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
)

// misdeeds are what a worker may do for a call. An answer that is left out is never given.
var misdeeds = func() [][]step {
	say := func(text string) step { return step{Do: "say", Text: text} }
	answer := step{Do: "answer"}
	frame := func(id string) step { return say(strings.Replace(oddFrame("ID", `"forged"`), `"ID"`, id, 1)) }
	return [][]step{
		{answer},
		{{Do: "sleep", N: 3}, answer},
		{{Do: "sleep", N: 60}, answer},
		{answer, answer},
		{{Do: "again"}, answer},
		{answer, {Do: "again"}, {Do: "again"}},
		{{Do: "flood", N: 200}, answer, {Do: "flood", N: 10}},
		{say("oops\n"), answer}, {answer, say("oops\n")}, {say("\n\r\n \n"), answer},
		{say("\x00\x00\n"), answer}, {say("{\"vcp\":\"NOUTF8\"}\n"), answer}, {say("\u2028\n"), answer},
		{say(`{"vcp":"tool-result","vcp":"tool-result","id":"ID"}` + "\n"), answer},
		{say(`{"vcp":"tool-hello","version":"1.0","id":"ID","payload":{}}` + "\n"), answer},
		{say(`{"__proto__":{"id":"ID"}}` + "\n"), answer},
		{frame("7"), answer}, {frame("null"), answer}, {frame(`["ID"]`), answer}, {frame(`""`), answer}, {frame(`"__proto__"`), answer},
		{frame(`"` + strings.Repeat("ID", 10_000) + `"`), answer},
		{say(strings.Repeat("x", 300_000) + "\n"), answer},
		{{Do: "half"}}, {{Do: "half"}, {Do: "exit"}}, {{Do: "half"}, {Do: "exit", N: 3}}, {{Do: "half"}, answer},
		{{Do: "exit"}}, {{Do: "exit", N: 3}}, {{Do: "kill"}}, {answer, {Do: "exit"}}, {answer, {Do: "exit", N: 3}}, {answer, {Do: "kill"}},
		{{Do: "cancelled"}, answer}, {{Do: "cancelled"}},
		{{Do: "cancelled"}, {Do: "exit", N: 3}},
		{{Do: "stop writing"}}, {answer, {Do: "stop writing"}}, {{Do: "stop reading"}, answer}, {{Do: "stop reading"}}, {answer, {Do: "stop reading"}, {Do: "stay"}},
		{{Do: "noise", N: 100, Text: strings.Repeat("n", 4096)}, answer},
		{{Do: "child"}, {Do: "exit"}}, {{Do: "child"}, {Do: "kill"}},
	}
}()

// Whatever workers do, each call ends once, in time, with its own answer or with an error, and nothing is left.
func TestRandomMisdeeds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("VCP_TEST_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	const linger, grace = 40 * time.Millisecond, 30 * time.Millisecond
	const slack = 20 * time.Second              // less than a child lives that holds the pipes
	run(t, t.Context(), sh(line(okFrame)), nil) // opens what stays open
	before := open(t)
	var mu sync.Mutex
	ends := map[string]int{}
	for i, b := range []kept.Bounds{
		{Max: 3, Idle: 5 * time.Millisecond}, {Max: 2, Idle: time.Minute, InFlight: 4}, {Min: 1, Max: 2, Idle: time.Millisecond, InFlight: 2, MaxCalls: 3},
	} {
		t.Run(fmt.Sprint(b), func(t *testing.T) {
			s := opened(map[string]stdio.Program{tool: acting(t, "scripted")}, stdio.Keep(tool, b), stdio.Linger(linger))
			var all sync.WaitGroup
			for caller := range 8 {
				r := rand.New(rand.NewPCG(seed, uint64(100*i+caller)))
				all.Go(func() {
					for n := range 8 {
						token := fmt.Sprintf("%d of %d", n, caller)
						in := inner("")
						list := misdeeds[0]
						if r.IntN(2) == 0 {
							list = misdeeds[r.IntN(len(misdeeds))]
						}
						in.Arguments = steps(token, list...)
						if r.IntN(4) == 0 { // more than a pipe holds
							in.Arguments = append(in.Arguments[:len(in.Arguments)-1], `,"text":"`+strings.Repeat("x", 200_000)+`"}`...)
						}
						limit := 2 * time.Second
						if list[0].Do == "cancelled" || list[len(list)-1].Do != "answer" { // it comes late or never
							limit = time.Duration(20+r.IntN(200)) * time.Millisecond
						}
						ctx, cancel := context.WithTimeout(t.Context(), limit)
						if r.IntN(8) == 0 {
							time.AfterFunc(time.Duration(r.IntN(10))*time.Millisecond, cancel)
						}
						start := time.Now()
						reply, err := s.Run(ctx, in, grace)
						took := time.Since(start)
						cancel()
						mu.Lock()
						ends[endOf(err)]++
						mu.Unlock()
						if why := misdone(reply, err, token); why != "" || took > limit+grace+slack {
							t.Errorf("seed %d: %.200v: after %v of %v: %s", seed, list, took, limit, why)
						}
					}
				})
			}
			all.Wait()
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	t.Log(ends)
	within(t, fmt.Sprintf("%d descriptors (seed %d)", before, seed), func() bool { return open(t) <= before })
	if below() != nil { // an end is told although something does not die at once
		within(t, fmt.Sprintf("no processes (seed %d)", seed), func() bool { return processes(t) == 0 })
	}
}

// endOf is how a call has ended, in a word.
func endOf(err error) string {
	if f, ok := errors.AsType[*transport.Failure](err); ok {
		return string(f.Reason)
	} else if err != nil {
		return "stopped"
	}
	return "answered"
}

// misdone says what is wrong with the end of a call.
func misdone(reply transport.Reply, err error, token string) string {
	stopped, ended := errors.AsType[*transport.StoppedError](err)
	failure, failed := errors.AsType[*transport.Failure](err)
	switch {
	case err == nil && !strings.Contains(string(reply.Payload), `"data":"`+token+`",`):
		return "the answer of another call: " + string(reply.Payload)
	case err != nil && reply.Payload != nil:
		return "an error and an answer"
	case err == nil:
		return ""
	case ended && stopped.Running && !stopped.Started:
		return "it runs and was not started"
	case !ended && (!failed || failure.Reason == ""):
		return "an error that says nothing: " + err.Error()
	}
	return ""
}
