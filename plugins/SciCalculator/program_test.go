// Package scicalculator_test holds the program of the plugin against its manifest. The program is JavaScript; Go
// has a part here only as its judge. Without Node the tests say so and are skipped.
package scicalculator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/manifest"
	"vcp.core/gen/protocol"
	contract "vcp.core/generated/plugins/scicalculator"
)

// needsNode skips a test where there is no Node, or one that is too old.
func needsNode(t testing.TB) {
	t.Helper()
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		t.Skipf("the program of SciCalculator needs Node 18 or later: %v", err)
	}
	var major int
	if _, err := fmt.Sscanf(string(out), "v%d.", &major); err != nil || major < 18 {
		t.Skipf("the program of SciCalculator needs Node 18 or later, this is %s", bytes.TrimSpace(out))
	}
}

// ended is how a run of the program ended.
type ended struct {
	stdout, stderr string
	code           int
}

// start runs the program as the manifest says, on an input.
func start(t testing.TB, input []byte) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "main.js")
	cmd.Env = []string{}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	err := cmd.Run()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		t.Fatal(err)
	}
	return ended{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// The manifest starts what the tests start.
func TestEntryPoint(t *testing.T) {
	p := live(t).Plugin(contract.Tool)
	if got := strings.Join(p.Argv, " "); got != "node main.js" || p.Transport != manifest.Stdio || p.Kind != call.Synchronous {
		t.Errorf("the manifest starts %q, transport %q, kind %q", got, p.Transport, p.Kind)
	}
}

const invocation = "ti_01K0000000000000000000000A"

// frame is a call frame for a command.
func frame(t testing.TB, id, command string, arguments []byte) []byte {
	t.Helper()
	context := map[string]any{
		"invocationId": id, "requestId": "req_01K0000000000000000000000A", "taskId": nil, "callback": nil, "actor": nil,
		"source": "test", "requestIp": nil, "config": map[string]any{}, "dataDir": nil, "deadline": nil,
	}
	out, err := json.Marshal(map[string]any{
		"vcp": "tool-call", "version": "1.0", "id": id,
		"payload": map[string]any{"command": command, "arguments": json.RawMessage(arguments), "context": context},
	})
	if err != nil {
		t.Fatal(err)
	}
	conforms(t, schema.FrameToolCall, out)
	return append(out, '\n')
}

// conforms holds a document against one of the protocol's.
func conforms(t testing.TB, name string, doc []byte) {
	t.Helper()
	verdict, violations, err := protocol.Validator(name).Check(doc, wire.Limits{})
	if err != nil || verdict != wire.Valid {
		t.Fatalf("the %s breaks its schema: %v %+v\n%.2000s", name, err, violations, doc)
	}
}

// answer is the payload that the program gives to a call: one frame that conforms, exit code 0, nothing on stderr.
func answer(t testing.TB, id, command string, arguments []byte) []byte {
	t.Helper()
	run := start(t, frame(t, id, command, arguments))
	line, more, complete := strings.Cut(run.stdout, "\n")
	if !complete || more != "" || run.code != 0 || run.stderr != "" {
		t.Fatalf("%s: exit code %d, stderr %q, stdout %.2000q", command, run.code, run.stderr, run.stdout)
	}
	conforms(t, schema.FrameToolResult, []byte(line))
	var result struct {
		ID      string
		Payload json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &result); err != nil || result.ID != id {
		t.Fatalf("%s: %v, id %q, want %q", command, err, result.ID, id)
	}
	return result.Payload
}

// live is the registry that is made of the manifest at run time.
func live(t testing.TB) *manifest.Catalog {
	t.Helper()
	catalog, list := manifest.Load(manifest.FileName)
	if len(list) > 0 {
		t.Fatalf("findings: %v", list)
	}
	return catalog
}

// The program has tests of its own, in its own language.
func TestInNode(t *testing.T) {
	needsNode(t)
	files, err := filepath.Glob(filepath.Join("test", "*.test.js"))
	if err != nil || len(files) == 0 {
		t.Fatal("no tests", err)
	}
	out, err := exec.Command("node", append([]string{"--test", "--test-reporter=tap"}, files...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, failures(string(out)))
	}
	passed := strings.Count(string(out), "\nok ") + strings.Count(string(out), "\n    ok ")
	if passed < 5 {
		t.Errorf("%d tests passed, which is too few to be all of them\n%s", passed, out)
	}
	t.Logf("%d tests in %d files", passed, len(files))
}

// failures cuts out what failed of a report.
func failures(report string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(report, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "not ok") || strings.HasPrefix(trimmed, "error:") || strings.HasPrefix(trimmed, "expected:") || strings.HasPrefix(trimmed, "actual:") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
