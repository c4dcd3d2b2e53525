//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

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
