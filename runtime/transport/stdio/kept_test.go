//go:build unix

package stdio_test

import (
	"testing"
	"time"

	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio"
	"vcp.core/runtime/transport/stdio/kept"
	"vcp.core/runtime/transport/transporttest"
)

// Kept workers keep the contract of transports, one call at a time or several.
func TestSuiteOfKeptWorkers(t *testing.T) {
	for name, b := range map[string]kept.Bounds{
		"one":     {Max: 1, Idle: time.Minute},
		"four":    {Min: 2, Max: 4, Idle: time.Minute, MaxCalls: 10},
		"sharing": {Max: 2, Idle: time.Minute, InFlight: 8},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Test(t, func(t *testing.T) transport.Transport {
				return stdio.New(map[string]stdio.Program{transporttest.Tool: acting(t, "probe")}, stdio.Keep(transporttest.Tool, b))
			})
		})
	}
}
