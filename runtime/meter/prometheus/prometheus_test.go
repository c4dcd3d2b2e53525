package prometheus_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/meter/prometheus"
)

func TestMeter(t *testing.T) {
	m := prometheus.New(true)
	for range 3 {
		m.Began()
	}
	m.Ended(runtime.Measured{Tool: "T", Command: "Run", Status: call.Success, Took: 2 * time.Millisecond, Transport: time.Millisecond, Arguments: 10, Payload: 20, Result: 300})
	m.Ended(runtime.Measured{Status: call.Error, Code: "TOOL_NOT_FOUND", Took: time.Microsecond, Result: 200, Approval: time.Second})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := w.Body.String()
	for _, line := range []string{
		`vcp_calls_total{code="",command="Run",status="success",tool="T"} 1`,
		`vcp_calls_total{code="TOOL_NOT_FOUND",command="",status="error",tool=""} 1`,
		`vcp_calls_in_flight 1`,
		`vcp_call_seconds_bucket{command="Run",tool="T",le="0.001"} 0`,
		`vcp_call_seconds_bucket{command="Run",tool="T",le="0.005"} 1`,
		`vcp_transport_seconds_count{command="Run",tool="T"} 1`,
		`vcp_approval_seconds_sum{command="",tool=""} 1`,
		`vcp_argument_bytes_total{command="Run",tool="T"} 10`,
		`vcp_payload_bytes_total{command="Run",tool="T"} 20`,
		`vcp_result_bytes_total{command="Run",tool="T"} 300`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	if strings.Contains(text, `vcp_transport_seconds_count{command="",tool=""}`) || !strings.Contains(text, "go_goroutines ") {
		t.Errorf("%s", text)
	}
}
