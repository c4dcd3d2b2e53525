package generate_test

import (
	"io"
	"runtime/debug"
	"testing"

	"vcp.core/cmd/internal/generate"
	"vcp.core/fuzz/shared"
)

// The collector is as it was when a run is over: the program around it may go on.
func TestRunRestoresTheCollector(t *testing.T) {
	t.Chdir(shared.Root(t))
	const percent = 73
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	options := generate.Defaults()
	options.Check = true
	if code := generate.Run(options, io.Discard, io.Discard); code != 0 {
		t.Errorf("exit code %d: generated/ is not what its inputs make", code)
	}
	if got := debug.SetGCPercent(percent); got != percent {
		t.Errorf("left at %d", got)
	}
}
