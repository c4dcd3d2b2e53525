//go:build unix

package stdio_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// request is a frame as the odd worker reads it.
type request struct {
	VCP     string
	ID      string
	Payload struct {
		Reason    string
		Arguments struct {
			Do   string
			MS   int
			Text string
		}
	}
}

// odd is a kept worker that does what its calls ask for, in the argument do. It shares no code with the sdk. Its data
// is how many calls the process had. It begins with a text on its standard output, and has several calls at a time
// when it is told so.
func odd(args []string) {
	if len(args) > 0 {
		_, _ = os.Stdout.WriteString(args[0])
	}
	signal.Ignore(syscall.SIGTERM)
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	var waits sync.Map
	for n := 0; ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			os.Exit(97)
		}
		if r.VCP == "tool-cancel" {
			if _, ok := waits.LoadAndDelete(r.ID); ok {
				_, _ = os.Stdout.WriteString(oddFrame(r.ID, `"`+r.Payload.Reason+`"`))
			}
			continue
		}
		n++
		answer := oddFrame(r.ID, fmt.Sprint(n))
		run := func() {
			if oddly(&r, answer) {
				waits.Store(r.ID, true)
			}
		}
		if len(args) > 1 {
			go run()
		} else {
			run()
		}
	}
}

// oddFrame is an answer.
func oddFrame(id, data string) string {
	return `{"vcp":"tool-result","version":"1.0","id":"` + id + `","payload":{"status":"success","data":` + data + `,"resources":[],"warnings":[],"extensions":{}}}` + "\n"
}

// hold waits until it is released.
func hold() {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		if _, err := os.Stat("go"); err == nil {
			return
		}
	}
}

// oddly carries one call out, and reports whether it goes on until it is cancelled.
func oddly(r *request, answer string) bool {
	say := func(text string) { _, _ = os.Stdout.WriteString(text) }
	id := `"id":"` + r.ID + `"`
	report := `{"vcp":"tool-progress","version":"1.0",` + id + `,"payload":{"stage":"s","progress":0.5,"message":null}}` + "\n"
	switch r.Payload.Arguments.Do {
	case "":
		say(answer)
	case "sleep":
		time.Sleep(time.Duration(r.Payload.Arguments.MS) * time.Millisecond)
		say(answer)
	case "held":
		hold()
		say(answer)
	case "mutters":
		say("oops\n")
		hold()
		fmt.Fprintln(os.Stderr, "the last words")
		_ = os.WriteFile("muttered", nil, 0o600)
	case "stray":
		say("oops\n" + answer)
	case "says":
		fmt.Fprintln(os.Stderr, r.Payload.Arguments.Text)
		say(r.Payload.Arguments.Text + "\n")
		return true
	case "stray, no answer":
		say("oops\n")
	case "stray, crash":
		say("oops\n")
		os.Exit(3)
	case "stray after":
		say(answer)
		time.Sleep(50 * time.Millisecond)
		say("done\n")
	case "crash":
		os.Exit(3)
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "quit":
		os.Exit(0)
	case "answer, quit":
		say(answer)
		os.Exit(0)
	case "half":
		say(answer[:40])
		os.Exit(0)
	case "half, crash":
		say(answer[:40])
		os.Exit(3)
	case "unended, quit":
		say(answer[:len(answer)-1])
		os.Exit(0)
	case "twice":
		say(answer + answer)
	case "another id":
		say(strings.Replace(answer, r.ID, "ti_01K0000000000000000000000Z", 1) + answer)
	case "no id":
		say(strings.Replace(answer, id+",", "", 1) + answer)
	case "id is a number":
		say(strings.Replace(answer, id, `"id":7`, 1) + answer)
	case "another version":
		say(strings.Replace(answer, `"1.0"`, `"0.9"`, 1) + answer)
	case "another kind":
		say(strings.Replace(answer, "tool-result", "tool-call", 1) + answer)
	case "unknown member":
		say(strings.Replace(answer, id, id+`,"extra":1`, 1) + answer)
	case "no payload":
		say(`{"vcp":"tool-result","version":"1.0",` + id + "}\n" + answer)
	case "no JSON":
		say("{\"vcp\":}\n" + answer)
	case "not UTF-8":
		say("{\"vcp\":\"\xff\"}\n" + answer)
	case "over lines":
		say("{\n" + answer)
	case "too long":
		long := oddFrame(r.ID, `"`+strings.Repeat("x", 16<<20)+`"`)
		say(long)
		say(answer)
	case "at the limit":
		long := oddFrame(r.ID, `""`)
		say(oddFrame(r.ID, `"`+strings.Repeat("x", 16<<20+1-len(long))+`"`))
	case "endless":
		for block := strings.Repeat("x", 1<<16); ; {
			say(block)
		}
	case "reports":
		say(report + strings.Replace(report, "0.5", "7", 1) + answer + report)
	case "waits":
		say(report)
		return true
	case "hangs":
		say(report)
	case "deaf":
		say(report)
		time.Sleep(time.Hour)
	case "closes output":
		_ = os.Stdout.Close()
	case "closes input":
		say(answer)
		_ = os.Stdin.Close()
		time.Sleep(time.Minute)
	case "stderr":
		fmt.Fprintln(os.Stderr, "the last words")
		os.Exit(3)
	case "whisper":
		fmt.Fprintln(os.Stderr, "in passing")
		time.Sleep(20 * time.Millisecond)
		say(answer)
	default:
		os.Exit(96)
	}
	return false
}
