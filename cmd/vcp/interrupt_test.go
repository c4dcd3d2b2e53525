//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"vcp.core/contract/call"
)

const slowManifest = `{"name":"Slow","version":"1.0.0","description":"Waits.","pluginType":"synchronous","entryPoint":{"direct":true},
	"communication":{"protocol":"direct"},"toolResultProtocol":{"name":"vcp.tool-result","version":"1.0"},
	"capabilities":{"invocationCommands":[{"commandIdentifier":"Wait","description":"Waits.","effect":"read",
	"inputSchema":{"type":"object"},"outputSchema":{}}]}}`

// interrupted sends this process the signal of Ctrl-C as soon as it is called, and waits for its end.
type interrupted struct{ closed bool }

func (h *interrupted) Handle(ctx context.Context, _ call.Invocation) ([]byte, error) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		return nil, err
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (h *interrupted) Close() error {
	h.closed = true
	return nil
}

func TestInterruptCancelsTheCall(t *testing.T) {
	h := &interrupted{}
	before := linkedPlugins
	t.Cleanup(func() { linkedPlugins = before })
	linkedPlugins = []linked{{"Slow", func() (call.Handler, io.Closer) { return h, h }}}
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("plugins/Slow", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("plugins/Slow/plugin-manifest.json", []byte(slowManifest), 0o600); err != nil {
		t.Fatal(err)
	}

	var stdout, stderr bytes.Buffer
	code := run([]string{"call", "Slow.Wait"}, strings.NewReader(""), &stdout, &stderr)
	if code != exitFindings || !strings.Contains(stdout.String(), `"status":"cancelled"`) || !strings.Contains(stdout.String(), `"code":"TOOL_CANCELLED"`) {
		t.Errorf("exit %d, %s%s", code, stdout.String(), stderr.String())
	}
	if !h.closed {
		t.Error("the plugin was not closed")
	}
}

// started is this program in a process of its own, in a group as a shell would give it. Its plugin has begun.
func started(t *testing.T, args ...string) (program *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	program = &exec.Cmd{Path: self, Args: append([]string{"vcp"}, args...), Stdout: stdout, Stderr: stderr, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Process.Kill() })
	eventually(t, "the plugin begins", func() bool {
		_, err := os.Stat(filepath.Join("plugins", "Shell", "child"))
		return err == nil
	})
	return program, stdout, stderr
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("in vain: %s", what)
}

// over says that the process whose number the plugin left in a file is gone, or dead and not yet buried.
func over(t *testing.T, file string) {
	t.Helper()
	number, err := os.ReadFile(filepath.Join("plugins", "Shell", file))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the "+file+" ends", func() bool {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(number)) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

const waiting = "cat > /dev/null; trap 'echo > interrupted' INT\n"

// Ctrl-C at a terminal goes to the whole group of the foreground: the program is to hear it and the plugin
// not, which is asked to end by the program, in its own way, with its children.
func TestCtrlCOfATerminal(t *testing.T) {
	shellPlugin(t, waiting+"echo $$ > leader; sleep 60 & echo $! > new; mv new child; wait; wait", `{"type":"object"}`, `{}`, "")
	program, stdout, stderr := started(t, "call", "Shell.Run")
	if err := syscall.Kill(-program.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := program.Wait()
	if code := program.ProcessState.ExitCode(); code != exitFindings || stderr.Len() > 0 {
		t.Errorf("exit %d, %v: %s", code, err, stderr)
	}
	for _, want := range []string{`"status":"cancelled"`, `"code":"TOOL_CANCELLED"`, `"message":"the call was cancelled"`} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %s in %s", want, stdout)
		}
	}
	over(t, "leader")
	over(t, "child")
	if _, err := os.Stat(filepath.Join("plugins", "Shell", "interrupted")); err == nil {
		t.Error("the plugin heard the signal of the terminal")
	}
}

// A second Ctrl-C ends the program at once, and a plugin that hears nothing with it.
func TestSecondCtrlC(t *testing.T) {
	if goruntime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	shellPlugin(t, "trap 'echo > asked' TERM\n echo $$ > leader; echo > child; while :; do sleep 0.01; done", `{"type":"object"}`, `{}`, `,"graceMs":60000`)
	program, stdout, _ := started(t, "call", "Shell.Run")
	interrupt := func() {
		if err := syscall.Kill(-program.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	interrupt()
	eventually(t, "the plugin is asked to end", func() bool {
		_, err := os.Stat(filepath.Join("plugins", "Shell", "asked"))
		return err == nil
	})
	start := time.Now()
	interrupt()
	_ = program.Wait()
	status, _ := program.ProcessState.Sys().(syscall.WaitStatus)
	if took := time.Since(start); !status.Signaled() || status.Signal() != syscall.SIGINT || took > 30*time.Second { // half of what the plugin may take to end
		t.Errorf("%v after %v, %s", program.ProcessState, took, stdout)
	}
	over(t, "leader")
}

func init() { programs["vcp-impatient"] = impatient }

// impatient is a program that sends itself a second Ctrl-C as soon as it may know that the first was heard.
func impatient() {
	ctx, cancel := untilInterrupted()
	defer cancel()
	for range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			panic(err)
		}
		<-ctx.Done()
	}
	time.Sleep(time.Minute) // a signal to oneself need not have come when kill returns
}

// The second signal ends the program however soon after the end of the context it comes.
func TestSecondSignalAtOnce(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		program := &exec.Cmd{Path: self, Args: []string{"vcp-impatient"}}
		_ = program.Run()
		if status, _ := program.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
			t.Fatalf("%v: the second signal was swallowed", program.ProcessState)
		}
	}
}
