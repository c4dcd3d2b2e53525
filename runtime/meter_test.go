package runtime_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
)

// meter writes down what it is told.
type meter struct {
	mu    sync.Mutex
	began int
	list  []runtime.Measured
}

func (m *meter) Began() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began++
}

func (m *meter) Ended(x runtime.Measured) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, x)
}

// Labels come from manifests and closed sets, whatever callers and plugins write.
func TestMeter(t *testing.T) {
	payloads := map[string]string{
		"Run":      ok("1"),
		"Declared": payloadOf("error", `"error":{"code":"SHOP.SOLD_OUT","message":"m"}`),
		"Invented": payloadOf("error", `"error":{"code":"SHOP.CODE_4711","message":"m"}`),
		"Standard": payloadOf("error", `"error":{"code":"UPSTREAM_ERROR","message":"m"}`),
		"Broken":   `{`,
	}
	handler := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) { return []byte(payloads[in.Command]), nil })
	m := &meter{}
	var known registry
	for command := range payloads {
		known = append(known, spec(t, `true`, `true`, func(s *call.Spec) { s.Command, s.ErrorCodes = command, []string{"SHOP.SOLD_OUT"} }))
	}
	r := runtime.New(known, runtime.Bind("T", handler), runtime.Measure(m))
	tests := []struct {
		tool, command, arguments string
		want                     runtime.Measured
	}{
		{"T", "Run", `{ }`, runtime.Measured{Tool: "T", Command: "Run", Protocol: "direct", Status: call.Success, Arguments: 3, Payload: len(payloads["Run"])}},
		{"T", "", `{"command":"Run"}`, runtime.Measured{Tool: "T", Command: "Run", Protocol: "direct", Status: call.Success, Arguments: 17, Payload: len(payloads["Run"])}},
		{"T", "Declared", `{}`, runtime.Measured{Tool: "T", Command: "Declared", Protocol: "direct", Status: call.Error, Code: "SHOP.SOLD_OUT", Arguments: 2, Payload: len(payloads["Declared"])}},
		{"T", "Invented", `{}`, runtime.Measured{Tool: "T", Command: "Invented", Protocol: "direct", Status: call.Error, Code: "other", Arguments: 2, Payload: len(payloads["Invented"])}},
		{"T", "Standard", `{}`, runtime.Measured{Tool: "T", Command: "Standard", Protocol: "direct", Status: call.Error, Code: "UPSTREAM_ERROR", Arguments: 2, Payload: len(payloads["Standard"])}},
		{"T", "Broken", `{}`, runtime.Measured{Tool: "T", Command: "Broken", Protocol: "direct", Status: call.Error, Code: "INVALID_TOOL_RESULT", Arguments: 2, Payload: 1}},
		{"T", "Nope", `{}`, runtime.Measured{Tool: "T", Status: call.Error, Code: "UNKNOWN_COMMAND", Arguments: 2}},
		{"Nope-4711", "Run", `{}`, runtime.Measured{Status: call.Error, Code: "TOOL_NOT_FOUND", Arguments: 2}},
	}
	for i, tt := range tests {
		s := execute(t, r, call.Call{Tool: tt.tool, Command: tt.command, Arguments: []byte(tt.arguments)})
		if len(m.list) != i+1 || m.began != i+1 {
			t.Fatalf("%d calls began, %d ended", m.began, len(m.list))
		}
		got := m.list[i]
		if got.Took < 0 || (got.Transport > 0) != (tt.want.Payload > 0) || got.Result != s.Len() {
			t.Errorf("%s: measured %+v", tt.command, got)
		}
		got.Took, got.Transport, got.Result = 0, 0, 0
		if got != tt.want {
			t.Errorf("%s.%s: measured %+v\nwant %+v", tt.tool, tt.command, got, tt.want)
		}
	}
}

func TestMeasuredTimes(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) { s.Approval = call.Always })
	synctest.Test(t, func(t *testing.T) {
		m := &meter{}
		r := runtime.New(registry{s}, runtime.Measure(m), runtime.Bind("T", call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
			time.Sleep(2 * time.Second)
			return []byte(ok("1")), nil
		})), runtime.Approve(runtime.ApproverFunc(func(context.Context, runtime.Question) (runtime.Decision, error) {
			time.Sleep(3 * time.Second)
			return runtime.Decision{Approved: true}, nil
		})))
		execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if got := m.list[0]; got.Took != 5*time.Second || got.Approval != 3*time.Second || got.Transport != 2*time.Second {
			t.Errorf("measured %+v", got)
		}
	})
}

// panicky is a meter that breaks down.
type panicky struct{}

func (panicky) Began()                 { panic("no gauge") }
func (panicky) Ended(runtime.Measured) { panic("no counter") }

func TestMeterIsContained(t *testing.T) {
	r := runtime.New(registry{spec(t, `true`, `true`)}, runtime.Bind("T", echo), runtime.Measure(panicky{}))
	if s := execute(t, r, call.Call{Tool: "T", Command: "Run", Arguments: []byte(`{"a":1}`)}); !strings.Contains(s.String(), `"data":{"a":1}`) {
		t.Errorf("%s", s)
	}
}
