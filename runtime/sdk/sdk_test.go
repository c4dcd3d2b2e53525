package sdk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
)

const (
	callID = "ti_01K0000000000000000000000A"
	head   = `{"vcp":"tool-call","version":"1.0","id":"` + callID + `","payload":{"command":"Run","arguments":`
	tail   = `,"context":{"invocationId":"` + callID + `","requestId":"req_01K0000000000000000000000A","taskId":null,"callback":null,"actor":null,"source":"cli","requestIp":null,"config":{"a":1.0},"dataDir":null,"deadline":null}}}`
)

func frameOf(payload string) string {
	return `{"vcp":"tool-result","version":"1.0","id":"` + callID + `","payload":` + payload + "}\n"
}

func failed(status, code, message, details string) string {
	return frameOf(`{"status":"` + status + `","data":null,"resources":[],"warnings":[],"error":{"code":"` + code + `","message":"` + message +
		`","retryable":false,"target":null,"details":` + details + `},"extensions":{}}`)
}

func TestServe(t *testing.T) {
	const ok = `{"status":"success"}`
	handlers := map[string]call.HandlerFunc{
		"echo":   func(_ context.Context, in call.Invocation) ([]byte, error) { return in.Arguments, nil },
		"config": func(_ context.Context, in call.Invocation) ([]byte, error) { return in.Config, nil },
		"pretty": func(context.Context, call.Invocation) ([]byte, error) { return []byte("{\r\n\t\"a\": [\n]\n}\n"), nil },
		"error":  func(context.Context, call.Invocation) ([]byte, error) { return []byte(ok), errors.New("secret") },
		"panic":  func(context.Context, call.Invocation) ([]byte, error) { panic("secret") },
		"goexit": func(context.Context, call.Invocation) ([]byte, error) { runtime.Goexit(); return nil, nil },
		"wait":   func(ctx context.Context, _ call.Invocation) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() },
		"progress": func(_ context.Context, in call.Invocation) ([]byte, error) {
			in.Progress(call.Progress{Stage: "s", Share: wire.Some(wire.NumberOf(1)), Message: "\n"})
			return []byte(ok), nil
		},
	}
	const none = "no call on the standard input: EOF\n"
	tests := []struct {
		name, handler, in, out, log string
		code                        int
	}{
		{"echo", "echo", head + `{"n":9007199254740993}` + tail + "\n", frameOf(`{"n":9007199254740993}`), "", exitAnswered},
		{"no line feed", "echo", head + `{}` + tail, frameOf(`{}`), "", exitAnswered},
		{"a blank line first, more after", "echo", "\r\n \n" + head + `{}` + tail + "\r\n{}\n", frameOf(`{}`), "the line on the standard input is no call: /vcp is not \"tool-call\"\n", exitAnswered},
		{"config", "config", head + `{}` + tail, frameOf(`{"a":1.0}`), "", exitAnswered},
		{"a payload of many lines", "pretty", head + `{}` + tail, frameOf(`{"a":[]}`), "", exitAnswered},
		{"progress", "progress", head + `{}` + tail, `{"vcp":"tool-progress","version":"1.0","id":"` + callID + `","payload":{"stage":"s","progress":1,"message":"\n"}}` + "\n" + frameOf(ok), "", exitAnswered},
		{"error", "error", head + `{}` + tail, failed("error", "INTERNAL_ERROR", "Run failed and gave no payload", "null"), "Run failed: secret\n", exitAnswered},
		{"deadline", "wait", head + `{}` + strings.Replace(tail, `"deadline":null`, `"deadline":"2020-01-01T00:00:00.000Z"`, 1), failed("timeout", "TOOL_TIMEOUT", "the call did not end before its deadline", "null"), "", exitAnswered},
		{"nothing", "echo", "", "", none, exitNoCall},
		{"blank lines", "echo", "\n\n", "", none, exitNoCall},
		{"no JSON", "echo", "hello\n", "", "the line on the standard input is no call: offset 0: NOT_JSON: expected a value, found 'h'\n", exitNoCall},
		{"another frame", "echo", frameOf(ok), "", "the line on the standard input is no call: /vcp is not \"tool-call\"\n", exitNoCall},
		{"another version", "echo", strings.Replace(head, "1.0", "2.0", 1) + `{}` + tail, "", "the line on the standard input is no call: /version is not \"1.0\"\n", exitNoCall},
		{"no object", "echo", head + `[]` + tail, "", "the line on the standard input is no call: /payload/arguments is not an object\n", exitNoCall},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, log bytes.Buffer
			code := serve(t.Context(), handlers[tt.handler], strings.NewReader(tt.in), &out, &log)
			if code != tt.code || out.String() != tt.out || log.String() != tt.log {
				t.Errorf("code %d, out\n%slog\n%swant %d\n%s%s", code, &out, &log, tt.code, tt.out, tt.log)
			}
		})
	}
	for _, name := range []string{"panic", "goexit"} {
		var out, log bytes.Buffer
		code := serve(t.Context(), handlers[name], strings.NewReader(head+`{}`+tail), &out, &log)
		if want := failed("error", "INTERNAL_ERROR", "Run broke down", `{"reason":"PANIC"}`); code != exitAnswered || out.String() != want || !strings.Contains(log.String(), "sdk_test.go") {
			t.Errorf("%s: code %d, %s\n%s", name, code, &out, &log)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	waits := call.HandlerFunc(func(ctx context.Context, in call.Invocation) ([]byte, error) {
		cancel()
		return handlers["wait"](ctx, in)
	})
	code := serve(ctx, waits, strings.NewReader(head+`{}`+tail), &out, io.Discard)
	if want := failed("cancelled", "TOOL_CANCELLED", "the call was cancelled", "null"); code != exitAnswered || out.String() != want {
		t.Errorf("cancelled: code %d, %s", code, &out)
	}
}

// unread is a standard output that nobody reads.
type unread struct{}

func (unread) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestUnheard(t *testing.T) {
	h := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { return []byte("{}"), nil })
	if code := serve(t.Context(), h, strings.NewReader(head+`{}`+tail), unread{}, io.Discard); code != exitUnheard {
		t.Errorf("code %d", code)
	}
}

// A report that comes after the answer is not written.
func TestProgressEnds(t *testing.T) {
	var report func(call.Progress)
	h := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		report = in.Progress
		return []byte("{}"), nil
	})
	var out bytes.Buffer
	serve(t.Context(), h, strings.NewReader(head+`{}`+tail), &out, io.Discard)
	report(call.Progress{Stage: "late"})
	if out.String() != frameOf("{}") {
		t.Errorf("out %s", &out)
	}
}

func TestReadCall(t *testing.T) {
	line := head + `{"\u0061": [1] }` + `,"context":{"invocationId":"` + callID + `","requestId":"r","taskId":"task_1","callback":null,"actor":{"type":"agent","id":null,"name":"n","maid":"m"},` +
		`"source":"cli","requestIp":"::1","config":{},"dataDir":"/d","deadline":"2030-01-02T03:04:05.006Z"}}}`
	f, err := readFrame(new(wire.Tape), []byte(line))
	in := f.in
	if err != nil {
		t.Fatal(err)
	}
	if *in.Actor != (call.Actor{Type: "agent", Name: "n", Maid: "m"}) || string(in.Arguments) != `{"\u0061": [1] }` || in.TaskID != "task_1" ||
		in.RequestIP != "::1" || in.DataDir != "/d" || !in.Deadline.Equal(time.Date(2030, 1, 2, 3, 4, 5, 6e6, time.UTC)) {
		t.Errorf("%+v", in)
	}
}

func TestResources(t *testing.T) {
	dir := t.TempDir()
	w := &resources{dir: dir, call: callID}
	tests := []struct {
		draft call.Draft
		want  string
	}{
		{call.Draft{ID: "a", Kind: "image", MIMEType: "image/png", FileName: "chart.png"}, `{"id":"a","kind":"image","role":"output","mimeType":"image/png","fileName":"chart.png","localPath":"out/` + callID + `/1"}`},
		{call.Draft{ID: "b", Kind: "other", Role: "attachment"}, `{"id":"b","kind":"other","role":"attachment","localPath":"out/` + callID + `/2"}`},
		{call.Draft{ID: "c", Kind: "text", FileName: "../x.p/ng"}, `{"id":"c","kind":"text","role":"output","fileName":"../x.p/ng","localPath":"out/` + callID + `/3"}`},
	}
	for _, tt := range tests {
		got, err := w.Write(tt.draft, strings.NewReader("content"))
		if err != nil || string(got) != tt.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, "out", callID, "1"))
	if err != nil || string(content) != "content" {
		t.Errorf("%q, %v", content, err)
	}
	if _, err := w.Write(call.Draft{ID: "d"}, iotest.ErrReader(io.ErrUnexpectedEOF)); err == nil {
		t.Error("a reader that fails makes a resource")
	}
	if _, err := os.Stat(filepath.Join(dir, "out", callID, "4")); err == nil {
		t.Error("half a resource is left behind")
	}
}
