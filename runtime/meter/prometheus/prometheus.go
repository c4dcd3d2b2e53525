// Package prometheus counts what a runtime does, for Prometheus (specification §18.1, as far as a runtime measures
// it): a [runtime.Meter] whose numbers a handler shows.
//
//	vcp_calls_total{tool,command,status,code}            calls that have ended; code is "" without an error
//	vcp_calls_in_flight                                  calls that have not
//	vcp_call_seconds{tool,command}                       histogram: the whole call
//	vcp_transport_seconds{tool,command}                  histogram: of it, in the plugin
//	vcp_approval_seconds{tool,command}                   histogram: of it, waiting for a human; only calls that waited
//	vcp_argument_bytes_total, vcp_payload_bytes_total, vcp_result_bytes_total{tool,command}
//
// Labels come from registries and closed sets, never from callers. The package has a registry of its own and registers
// nothing in the library's global one. It is linked by programs, never by the runtime.
package prometheus

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"vcp.core/runtime"
)

// Meter counts. It is safe for concurrent use.
type Meter struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	inFlight prometheus.Gauge
	whole    *prometheus.HistogramVec
	carried  *prometheus.HistogramVec
	waited   *prometheus.HistogramVec
	in       *prometheus.CounterVec
	payload  *prometheus.CounterVec
	out      *prometheus.CounterVec
}

var _ runtime.Meter = (*Meter)(nil)

// New makes a meter. With process it shows those of this process and of the Go runtime as well.
func New(process bool) *Meter {
	command := []string{"tool", "command"}
	counter := func(name, help string, labels []string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: seconds}, command)
	}
	m := &Meter{
		registry: prometheus.NewRegistry(),
		calls:    counter("vcp_calls_total", "Calls that have ended.", []string{"tool", "command", "status", "code"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "vcp_calls_in_flight", Help: "Calls that have not ended."}),
		whole:    histogram("vcp_call_seconds", "How long calls took."),
		carried:  histogram("vcp_transport_seconds", "How long calls were in their plugin."),
		waited:   histogram("vcp_approval_seconds", "How long calls waited for a human."),
		in:       counter("vcp_argument_bytes_total", "Bytes of arguments that callers sent.", command),
		payload:  counter("vcp_payload_bytes_total", "Bytes of payloads that plugins sent.", command),
		out:      counter("vcp_result_bytes_total", "Bytes of canonical results.", command),
	}
	m.registry.MustRegister(m.calls, m.inFlight, m.whole, m.carried, m.waited, m.in, m.payload, m.out)
	if process {
		m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	return m
}

// seconds are the bounds of the histograms: from a call of a linked plugin to one that takes minutes.
var seconds = []float64{.0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5, 10, 60, 300}

// Began implements [runtime.Meter].
func (m *Meter) Began() { m.inFlight.Inc() }

// Ended implements [runtime.Meter].
func (m *Meter) Ended(c runtime.Measured) {
	m.inFlight.Dec()
	m.calls.WithLabelValues(c.Tool, c.Command, string(c.Status), c.Code).Inc()
	m.whole.WithLabelValues(c.Tool, c.Command).Observe(c.Took.Seconds())
	if c.Transport > 0 {
		m.carried.WithLabelValues(c.Tool, c.Command).Observe(c.Transport.Seconds())
	}
	if c.Approval > 0 {
		m.waited.WithLabelValues(c.Tool, c.Command).Observe(c.Approval.Seconds())
	}
	m.in.WithLabelValues(c.Tool, c.Command).Add(float64(c.Arguments))
	m.payload.WithLabelValues(c.Tool, c.Command).Add(float64(c.Payload))
	m.out.WithLabelValues(c.Tool, c.Command).Add(float64(c.Result))
}

// Handler shows the numbers.
func (m *Meter) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
