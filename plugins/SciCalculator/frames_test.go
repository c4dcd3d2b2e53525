package scicalculator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/schema"
)

// What is no call gets no frame: the program ends with 2 and a word on stderr, which is a transport failure by
// the table of specification §11.3. The ways to be no call are in test/frame.test.js.
func TestInputThatIsNoCall(t *testing.T) {
	needsNode(t)
	good := string(frame(t, invocation, "Evaluate", []byte(`{"expression":"1"}`)))
	tests := []struct{ name, input, stderr string }{
		{"nothing", "", "there is no frame on standard input"},
		{"an empty line", "\n" + good, "there is no frame on standard input"},
		{"a cut frame", good[:len(good)/2], "the frame is no JSON: "},
		{"not UTF-8", strings.Replace(good, "test", "\xff", 1), "the frame is not UTF-8"},
		{"another version", strings.Replace(good, `"1.0"`, `"2.0"`, 1), "the frame has not version 1.0"},
		{"16 MiB and a byte", strings.Repeat(" ", 16<<20+1), "a line of more than 16777216 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := start(t, []byte(tt.input))
			if run.stdout != "" || run.code != 2 {
				t.Errorf("exit code %d, stdout %.200q", run.code, run.stdout)
			}
			if !strings.HasPrefix(run.stderr, "SciCalculator: "+tt.stderr) || strings.Count(run.stderr, "\n") != 1 {
				t.Errorf("stderr %q, want %q", run.stderr, tt.stderr)
			}
		})
	}
}

// A call that cannot be carried out is answered.
func TestCallsThatAreRefused(t *testing.T) {
	needsNode(t)
	tests := []struct{ command, arguments, code, target string }{
		{"Divine", `{}`, "UNKNOWN_COMMAND", ""},
		{"Evaluate", `{"expression":"1","a/b~":1}`, "INVALID_ARGUMENT", "/a~1b~0"},
	}
	for _, tt := range tests {
		t.Run(tt.code, func(t *testing.T) {
			var payload struct {
				Status string
				Error  struct{ Code, Message, Target string }
			}
			if err := json.Unmarshal(answer(t, invocation, tt.command, []byte(tt.arguments)), &payload); err != nil {
				t.Fatal(err)
			}
			if payload.Status != "error" || payload.Error.Code != tt.code || payload.Error.Target != tt.target {
				t.Errorf("%+v", payload)
			}
		})
	}
}

// The program answers when it has read a line: it does not look behind the line, and the end of the input stands
// for the newline.
func TestTheLineIsEnough(t *testing.T) {
	needsNode(t)
	call := frame(t, invocation, "Evaluate", []byte(`{"expression":"6*7"}`))
	for name, input := range map[string][]byte{"end of input": bytes.TrimSpace(call), "more lines": append(bytes.Clone(call), "whatever\n"...)} {
		t.Run(name, func(t *testing.T) {
			run := start(t, input)
			if run.code != 0 || !strings.Contains(run.stdout, `"value":42,`) {
				t.Fatalf("%+v", run)
			}
			conforms(t, schema.FrameToolResult, []byte(strings.TrimSpace(run.stdout)))
		})
	}
}

// A program that is kept gets call after call, and is asked to end calls that it has answered.
func TestManyCalls(t *testing.T) {
	needsNode(t)
	cancel := `{"vcp":"tool-cancel","version":"1.0","id":"` + invocation + `","payload":{"reason":"the call was cancelled"}}` + "\n"
	conforms(t, schema.FrameToolCancel, []byte(strings.TrimSpace(cancel)))
	long := strings.Repeat("1+", 2000) + "1"
	input := bytes.Join([][]byte{
		frame(t, invocation, "Evaluate", []byte(`{"expression":"6*7"}`)), []byte(cancel),
		frame(t, strings.Replace(invocation, "A", "B", 1), "Evaluate", []byte(`{"expression":"`+long+`"}`)),
		frame(t, invocation, "Divine", []byte(`{"x":"`+strings.Repeat("é", 100_000)+`"}`)),
		frame(t, invocation, "Evaluate", []byte(`{"expression":"1/3"}`)),
	}, nil)
	run := start(t, input)
	lines := strings.Split(strings.TrimSpace(run.stdout), "\n")
	wants := []string{`"value":42,`, `"value":2001,`, `"UNKNOWN_COMMAND"`, `"status":"success"`}
	if run.code != 0 || run.stderr != "" || len(lines) != len(wants) {
		t.Fatalf("exit code %d, stderr %q, %d lines", run.code, run.stderr, len(lines))
	}
	for i, want := range wants {
		conforms(t, schema.FrameToolResult, []byte(lines[i]))
		if !strings.Contains(lines[i], want) {
			t.Errorf("answer %d has no %s: %.300s", i, want, lines[i])
		}
	}
}

// An answer that no pipe holds at once arrives whole.
func TestLongAnswers(t *testing.T) {
	needsNode(t)
	values := make([]string, 0, 10_000)
	for i := range 5000 {
		values = append(values, fmt.Sprintf("%de300", i), fmt.Sprintf("%de300", i)) // twice, so that each is a mode
	}
	payload := answer(t, invocation, "Statistics", []byte(`{"values":[`+strings.Join(values, ",")+`]}`))
	if len(payload) < 1<<20 || !bytes.Contains(payload, []byte(`"count":10000,`)) {
		t.Errorf("%d bytes: %.200s", len(payload), payload)
	}
}
