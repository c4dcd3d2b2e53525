//go:build unix

package stdio_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/transport/stdio"
)

// What a plugin writes to its standard error is logged without the secrets of the call, also where the ring cut
// one in two.
func TestStandardErrorIsMasked(t *testing.T) {
	const key = "sk_live_SECRET/1"
	p := sh("printf '" + strings.Repeat(".", 50) + key + " is wrong, ?key=sk_live_SECRET%%2F1\\n' >&2\n" + line(okFrame))
	p.Dir = t.TempDir()
	for size, want := range map[int]string{1000: ".[redacted] is wrong, ?key=[redacted]", 48: `"[redacted] is wrong, ?key=[redacted]`} {
		var log bytes.Buffer
		s := opened(map[string]stdio.Program{tool: p}, stdio.Stderr(size),
			stdio.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		ctx := secret.NewContext(t.Context(), secret.New(key))
		if _, err := s.Run(ctx, call.Invocation{Tool: tool, Arguments: []byte("{}"), Config: []byte("{}")}, time.Second); err != nil {
			t.Fatal(err)
		}
		if text := log.String(); !strings.Contains(text, want) || strings.Contains(text, "SECRET") {
			t.Errorf("%d bytes: %s", size, text)
		}
	}
}
