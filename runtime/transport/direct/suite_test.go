package direct_test

import (
	"testing"

	"vcp.core/contract/call"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/direct"
	"vcp.core/runtime/transport/transporttest"
)

func TestSuite(t *testing.T) {
	transporttest.Test(t, func(*testing.T) transport.Transport {
		return direct.New(map[string]call.Handler{transporttest.Tool: transporttest.Handler()})
	})
}
