package runtime_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing that a call, a swap or a close started is left behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
