package runtime_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/result"
	"vcp.core/runtime/transport"
)

// carry is a transport that answers with the configuration it was given.
type carry struct{}

func (carry) Run(_ context.Context, in call.Invocation, _ time.Duration) (transport.Reply, error) {
	return transport.Reply{Payload: []byte(ok(string(in.Config)))}, nil
}

func (carry) Close(context.Context) error { return nil }

// A plugin gets no configuration that breaks its schema. The caller learns nothing of it, the operator what and
// where, but no secret.
func TestConfigurations(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) {
		s.Protocol = "stdio"
		s.ConfigSchema = []byte(`{"type":"object","properties":{"key":{"type":"string","writeOnly":true,"maxLength":30},"region":{"enum":["eu","us"]}},"required":["region"],"additionalProperties":false}`)
	})
	var config string
	var log bytes.Buffer
	r := runtime.New(registry{s}, runtime.Use("stdio", carry{}), runtime.Config(func(string) []byte {
		if config == "" {
			return nil
		}
		return []byte(config)
	}), runtime.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))))
	for _, tt := range []struct{ config, data, logged string }{
		{`{"region":"eu"}`, `{"region":"eu"}`, ""},
		{`{"region":"eu"}`, `{"region":"eu"}`, ""}, // remembered
		{`{"region":"moon"}`, "", `"/region"`},
		{`{"region":"moon"}`, "", `"/region"`},
		{``, "", "region"},
		{`{"region":"us","color":1}`, "", "color"},
		{`{"region":"us"`, "", "is no JSON"},
		{`{"region":"us","key":"` + strings.Repeat("very-secret-", 5) + `"}`, "", `"/key"`},
		{`{"region":"us","key":"short-secret"}`, `{"region":"us","key":"[redacted]"}`, ""},
	} {
		config = tt.config
		log.Reset()
		got := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if tt.data != "" {
			if got.Member(result.Data) != tt.data || log.Len() > 0 {
				t.Errorf("%s: data %s, log %s", tt.config, got.Member(result.Data), &log)
			}
			continue
		}
		if got.Code() != "INTERNAL_ERROR" || at(t, got, "/error/message") != `"the configuration of T does not fit its schema"` {
			t.Errorf("%s: %s", tt.config, got)
		}
		if text := strings.ReplaceAll(log.String(), `\"`, `"`); !strings.Contains(text, tt.logged) || strings.Contains(text, "very-secret") {
			t.Errorf("%s: the log says %s", tt.config, text)
		}
	}
}
