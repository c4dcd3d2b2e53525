//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// pluginVerb makes this program a plugin: its arguments are a mark, and for the grandchild "stay".
const pluginVerb = "plugin"

// The tools that are programs.
const (
	once     = "Once"
	keptTool = "Kept"
	keptHang = "Hang" // kept as well, and called by nobody but to hang
)

// hang is the argument that makes a call hang.
const hang = -1

func manifestOf(tool, mark, workers string) string {
	const schema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	return fmt.Sprintf(`{"name":%q,"displayName":%q,"version":"1.0.0","description":"Has an effect and will not go.","pluginType":"synchronous",
"entryPoint":{"argv":["./chaos",%q,%q]},"communication":{"protocol":"stdio","timeoutMs":10000,"graceMs":200%s},
"toolResultProtocol":{"name":"vcp.tool-result","version":"1.0"},
"capabilities":{"invocationCommands":[{"commandIdentifier":"Do","description":"Notes its call.","effect":"write","inputSchema":%s,"outputSchema":%s,"examples":[{"n":1}]}]}}
`, tool, tool, pluginVerb, mark, workers, schema, schema)
}

// plugin answers call frames, one at a time. Each call is noted in the data folder before it is answered: that is the effect.
func plugin(args []string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	if len(args) > 1 { // the grandchild
		time.Sleep(10 * time.Minute)
		return 0
	}
	var grandchild sync.Once
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var frame struct {
			ID      string
			Payload struct{ Arguments struct{ N *int } }
		}
		if json.Unmarshal(in.Bytes(), &frame) != nil || frame.Payload.Arguments.N == nil {
			continue
		}
		grandchild.Do(func() {
			child := exec.Command(os.Args[0], pluginVerb, args[0], "stay")
			child.Stdout, child.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
			if err := child.Start(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
		if *frame.Payload.Arguments.N == hang {
			time.Sleep(10 * time.Minute)
		}
		if err := note(frame.ID); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Printf(`{"vcp":"tool-result","version":"1.0","id":%q,"payload":{"status":"success","data":{"n":%d},"resources":[],"warnings":[],"extensions":{}}}`+"\n",
			frame.ID, *frame.Payload.Arguments.N)
	}
	return 0
}

// effects is the file in a plugin's data folder.
const effects = "effects"

// note appends an invocation id. A line is written at once, so a kill leaves whole lines.
func note(id string) error {
	f, err := os.OpenFile(filepath.Join(os.Getenv("VCP_PLUGIN_DATA"), effects), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	return joined(err, f.Close())
}

func joined(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
