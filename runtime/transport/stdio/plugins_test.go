//go:build unix

package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/sdk"
	"vcp.core/runtime/transport/transporttest"
)

// envelope is the length of a frame beside its data.
const envelope = len(`{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":,"resources":[],"warnings":[],"extensions":{}}}`)

// success is a frame with the given data, without a line feed.
func success(data string) string {
	return `{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":` + data + `,"resources":[],"warnings":[],"extensions":{}}}`
}

// act plays a plugin and does not return. Most of them do not even read their call.
func act(name string, args []string) {
	out := os.Stdout
	say := func(text string) { _, _ = out.WriteString(text) }
	number := func() int {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			panic(err)
		}
		return n
	}
	switch name {
	case "probe":
		sdk.Main(transporttest.Handler())
	case "chatty":
		sdk.Main(call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
			fmt.Println("a stray print")
			return []byte(`{"status":"success","data":` + okData + `,"resources":[],"warnings":[],"extensions":{}}`), nil
		}))
	case "echoing":
		sdk.Main(call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
			payload := append(make([]byte, 0, len(in.Arguments)+128), `{"status":"success","data":`...)
			payload = append(payload, in.Arguments...)
			return append(payload, `,"resources":[],"warnings":[],"extensions":{}}`...), nil
		}))
	case "ndjson":
		for in := bufio.NewReader(os.Stdin); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				break
			}
			var heard message
			if err := json.Unmarshal(line, &heard); err != nil {
				panic(err)
			}
			if line, err = json.Marshal(heard); err != nil {
				panic(err)
			}
			_, _ = out.Write(append(line, '\n'))
		}
	case "bare":
		for in := bufio.NewReader(os.Stdin); ; {
			line, err := in.ReadSlice('\n')
			if err != nil {
				break
			}
			_, _ = out.Write(line)
		}
	case "single":
		line, _ := bufio.NewReader(os.Stdin).ReadBytes('\n')
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			os.Exit(97)
		}
		say(oddFrame(r.ID, "1"))
	case "odd":
		odd(args)
	case "scripted":
		scripted()
	case "hasty":
		hasty()
	case "alone":
		alone()
	case "polite":
		polite()
	case "say":
		say(args[0])
	case "bytewise":
		for i := range len(args[0]) {
			say(args[0][i : i+1])
		}
	case "pieces":
		for i, text := 0, args[0]; len(text) > 0; i++ {
			n := min(len(text), 1+i*7%13)
			say(text[:n])
			text = text[n:]
			time.Sleep(time.Millisecond)
		}
	case "stderr":
		noise := bytes.Repeat([]byte("noise {\"vcp\":\"tool-result\"}\n"), 1000)
		for written := 0; written < 10<<20; written += len(noise) {
			_, _ = os.Stderr.Write(noise)
		}
		_, _ = os.Stderr.WriteString("the last words")
		say(args[0])
	case "unflushed":
		_, _ = bufio.NewWriter(out).WriteString(args[0])
	case "big":
		say(success(`"`+strings.Repeat("x", number()-2)+`"`) + "\n")
	case "line":
		say(success(`"`+strings.Repeat("x", number()-envelope-2)+`"`) + "\n")
	case "endless":
		for block := bytes.Repeat([]byte("x"), 1<<16); ; {
			if _, err := out.Write(block); err != nil {
				break
			}
		}
	case "daemon":
		self, _ := os.Executable()
		child := exec.Command(self, role+"hold")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		child.SysProcAttr = session()
		if err := child.Start(); err != nil {
			panic(err)
		}
		say(args[0])
	case "hold":
		time.Sleep(30 * time.Second)
	case "flood":
		// A descendant that left the group and writes blank lines: to the end of the pipe, or for much longer than anybody may
		// wait for it. It says that it is at it.
		for start := time.Now(); time.Since(start) < 2*time.Minute; {
			if _, err := out.WriteString(strings.Repeat("\n", 1<<16)); err != nil {
				break
			}
			_ = os.WriteFile("flooding", nil, 0o600)
		}
	case "surroundings":
		list := os.Environ()
		slices.Sort(list)
		dir, _ := os.Getwd()
		data := append(wire.AppendQuoted([]byte("["), dir), ']')
		for _, entry := range slices.Backward(list) {
			data = append(append(wire.AppendQuoted([]byte("["), entry), ','), data[1:]...)
		}
		say(success(string(data)))
	case "descriptors":
		list, _ := os.ReadDir("/proc/self/fd")
		var open []string
		for _, entry := range list {
			target, err := os.Readlink("/proc/self/fd/" + entry.Name())
			// Go itself has a poller and looks at its share of the processor.
			if err == nil && !strings.HasPrefix(target, "anon_inode:") && !strings.HasPrefix(target, "/sys/") {
				kind, _, _ := strings.Cut(target, ":")
				open = append(open, entry.Name()+" "+kind)
			}
		}
		say(success(`"` + strings.Join(open, ", ") + `"`))
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		_ = os.WriteFile(args[0]+".new", []byte(strconv.Itoa(os.Getpid())), 0o600)
		_ = os.Rename(args[0]+".new", args[0]) // so that whoever sees it sees the number
		time.Sleep(2 * time.Minute)
	case "emigrant":
		if args[1] == "deaf" {
			signal.Ignore(syscall.SIGTERM)
		}
		if ours, err := syscall.Getpgid(os.Getppid()); err != nil || syscall.Setpgid(0, ours) != nil {
			os.Exit(98)
		}
		_ = os.WriteFile(args[0]+".new", []byte(strconv.Itoa(os.Getpid())), 0o600)
		_ = os.Rename(args[0]+".new", args[0])
		time.Sleep(2 * time.Minute)
	case "heir":
		heir()
	case "runtime":
		// A runtime that calls a plugin and is killed meanwhile.
		lonely(args[0])
	default:
		fmt.Fprintln(os.Stderr, "no such role")
		os.Exit(99)
	}
	os.Exit(0)
}
