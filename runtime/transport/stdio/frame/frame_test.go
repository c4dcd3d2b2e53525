package frame

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

const id = "ti_01K0000000000000000000000A"

// payload has braces in strings, a number beyond 2^53, escapes and characters of two to four bytes.
const payload = `{"status":"success","data":{"a":"}{\"]","n":[9007199254740993,1.10,1e400],"s":"é\u00e9 世 😀 \ud83d\ude00"},"resources":[],"warnings":[],"extensions":{}}`

func result(payload string) string {
	return `{"vcp":"tool-result","version":"1.0","payload":` + payload + `}`
}

const progress = `{"vcp":"tool-progress","version":"1.0","payload":{"stage":"half","progress":0.50,"message":null}}`

// outcome is everything that a reader says.
type outcome struct {
	payload  string
	fault    Fault
	progress string
	dropped  int
	decided  int
}

// read reads an output whole, by single bytes, by halves, and with data that comes together with the end. They
// must agree.
func read(t *testing.T, output string, limit int) outcome {
	t.Helper()
	var first outcome
	for i, src := range []io.Reader{
		strings.NewReader(output), iotest.OneByteReader(strings.NewReader(output)),
		iotest.HalfReader(strings.NewReader(output)), iotest.DataErrReader(strings.NewReader(output)),
	} {
		var o outcome
		r := &Reader{ID: id, Limits: wire.Limits{Bytes: limit}, Decided: func() { o.decided++ }, Progress: func(p call.Progress) {
			o.progress += fmt.Sprintf("%s %s %s;", p.Stage, p.Share.Or(wire.NumberOf(-1)), p.Message)
		}}
		err := r.Read(src)
		r.End()
		o.payload, o.dropped = string(r.Payload()), r.Dropped()
		if r.Fault() != nil {
			o.fault = *r.Fault()
		}
		if over := o.fault.Limit == limit && o.fault.Reason == "RESULT_TOO_LARGE"; (err != nil) != over {
			t.Errorf("Read = %v", err)
		}
		if i == 0 {
			first = o
		} else if !reflect.DeepEqual(o, first) {
			t.Errorf("cut in way %d:\n%+v\ninstead of\n%+v", i, o, first)
		}
	}
	return first
}

func TestOutput(t *testing.T) {
	good := result(payload)
	fault := func(reason, detail string, line int, quote string) outcome {
		return outcome{fault: Fault{Reason: errcode.Reason(reason), Detail: detail, Line: line, Quote: quote}, decided: 1}
	}
	answered := func(o outcome) outcome { o.payload = payload; return o }
	const stray = "wrote a line that is no frame to its standard output"
	tests := []struct {
		name, output string
		want         outcome
	}{
		{"a frame", good + "\n", outcome{payload: payload, decided: 1}},
		{"no line feed at the end", good, outcome{payload: payload, decided: 1}},
		{"crlf", good + "\r\n", outcome{payload: payload, decided: 1}},
		{"empty lines", "\n \t\r\n" + good + "\n\n", outcome{payload: payload, decided: 1}},
		{"its id", `{"id":"` + id + `","payload":` + payload + `,"version":"1.0","vcp":"tool-\u0072esult"}`, outcome{payload: payload, decided: 1}},
		{"space is kept inside a payload", result(`{ "a" : 1 }`), outcome{payload: `{ "a" : 1 }`, decided: 1}},
		{"a payload that is none is the runtime's business", result(`null`), outcome{payload: `null`, decided: 1}},
		{"progress", progress + "\n" + good + "\n" + progress, outcome{payload: payload, progress: "half 0.50 ;", decided: 1}},
		{"progress without a stage", strings.Replace(progress, `"stage":"half",`, "", 1) + "\n" + good, outcome{payload: payload, dropped: 1, decided: 1}},
		{"nothing", "", outcome{}},
		{"white space", " \r\n\n", outcome{}},

		{"banner", "◇ injected env (11) from config.env\n" + good + "\n", answered(fault("STRAY_OUTPUT", stray, 1, "◇ injected env (11) from config.env"))},
		{"banner after", good + "\n\nbye", answered(fault("STRAY_OUTPUT", stray, 3, "bye"))},
		{"long banner", strings.Repeat("世", 300) + "\n", fault("STRAY_OUTPUT", stray, 1, strings.Repeat("世", 200))},
		{"another JSON object", `{"status":"success"}`, fault("STRAY_OUTPUT", `wrote an object with no vcp to its standard output, expected vcp "tool-progress" or "tool-result"`, 1, `{"status":"success"}`)},
		{"JSON, but no object", "[]\n", fault("STRAY_OUTPUT", stray, 1, "[]")},
		{"a frame of the other side", `{"vcp":"tool-call","version":"1.0","id":"x","payload":{}}`, fault("STRAY_OUTPUT", `wrote an object with vcp "tool-call" to its standard output, expected vcp "tool-progress" or "tool-result"`, 1, `{"vcp":"tool-call","version":"1.0","id":"x","payload":{}}`)},
		{"two frames", good + "\n" + good + "\n", answered(fault("TWO_FRAMES", "wrote a second result frame", 2, ""))},
		{"two frames in one line", good + good, fault("NOT_JSON", fmt.Sprintf("wrote a frame that is no JSON: expected the end of the document, found '{', at byte %d", len(good)), 1, wire.FirstPoints(good+good, 200))},
		{"version 2.0", `{"vcp":"tool-result","version":"2.0","payload":{}}`, fault("WRONG_VERSION", `wrote a frame of version "2.0", expected version "1.0"`, 1, `{"vcp":"tool-result","version":"2.0","payload":{}}`)},
		{"no version", `{"vcp":"tool-result","payload":{}}`, fault("WRONG_VERSION", `wrote a frame of no version, expected version "1.0"`, 1, `{"vcp":"tool-result","payload":{}}`)},
		{"another id", `{"vcp":"tool-result","version":"1.0","id":"ti_x","payload":{}}`, fault("WRONG_ID", `wrote a frame of id "ti_x", expected "`+id+`"`, 1, `{"vcp":"tool-result","version":"1.0","id":"ti_x","payload":{}}`)},
		{"id null", `{"vcp":"tool-progress","version":"1.0","id":null,"payload":{}}`, fault("WRONG_ID", `wrote a frame of id null, expected "`+id+`"`, 1, `{"vcp":"tool-progress","version":"1.0","id":null,"payload":{}}`)},
		{"no payload", `{"vcp":"tool-result","version":"1.0"}`, fault("SCHEMA_MISMATCH", "wrote a frame without a payload", 1, `{"vcp":"tool-result","version":"1.0"}`)},
		{"unknown member", `{"vcp":"tool-result","version":"1.0","payload":{},"x":1}`, fault("SCHEMA_MISMATCH", `wrote a frame with the unknown member "x"`, 1, `{"vcp":"tool-result","version":"1.0","payload":{},"x":1}`)},
		{"two payloads", `{"vcp":"tool-result","version":"1.0","payload":1,"payl\u006fad":2}`, fault("DUPLICATE_KEY", `wrote a frame that is refused: the object has a second member "payload", at byte 49`, 1, `{"vcp":"tool-result","version":"1.0","payload":1,"payl\u006fad":2}`)},
		{"pretty printed", "{\n  \"vcp\": \"tool-result\"\n}\n", fault("NOT_JSON", "wrote a frame that is no JSON: expected a member name or '}', found the end of the document, at byte 1", 1, "{")},
		{"not UTF-8", "{\"vcp\":\"\xff\"}\n", fault("NOT_UTF8", "wrote a frame that is no UTF-8, at byte 8", 1, "{\"vcp\":\"\ufffd\"}")},
		{"not UTF-8, no frame", "caf\xe9\n", fault("NOT_UTF8", "wrote a line that is no UTF-8, at byte 3", 1, "caf\ufffd")},
		{"UTF-16", "\xff\xfe{\x00\n", fault("NOT_UTF8", "wrote a line that is no UTF-8, at byte 0", 1, "\ufffd{\x00")},
		{"byte order mark", "\ufeff" + good + "\n", fault("NOT_JSON", "wrote a frame that is no JSON: the document starts with a byte order mark, at byte 0", 1, wire.FirstPoints("\ufeff"+good, 200))},
		{"half a surrogate pair", result(`"\ud800"`), fault("NOT_UTF8", `wrote a frame that is refused: the escape \ud800 is half of a surrogate pair, at byte 48`, 1, result(`"\ud800"`))},
		{"unterminated and wrong", `{"vcp" 1`, fault("NOT_JSON", "wrote a frame that is no JSON: expected ':' after a member name, found '1', at byte 7", 1, `{"vcp" 1`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(t, tt.output, 0); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", got, tt.want)
			}
		})
	}
}

// A frame that is cut anywhere is a truncated frame, and says how much came.
func TestTruncated(t *testing.T) {
	whole := result(`{"a":"é😀\ud83d\ude00\n","b":[-1.5e+3,true,false,null,{}]}`)
	for n := 1; n < len(whole); n++ {
		want := Fault{Reason: "TRUNCATED_FRAME", Detail: fmt.Sprintf("ended in the middle of a frame, after %d bytes of it", n), Line: 1, Quote: quote([]byte(whole[:n]))}
		r := &Reader{}
		if err := r.Read(strings.NewReader(whole[:n])); err != nil {
			t.Fatal(err)
		}
		r.End()
		if r.Fault() == nil || *r.Fault() != want || r.Payload() != nil {
			t.Fatalf("cut after %d bytes, %q: %+v, want %+v", n, whole[:n], r.Fault(), want)
		}
	}
}

func TestLimit(t *testing.T) {
	head, tail := `{"vcp":"tool-result","version":"1.0","payload":"`, `"}`
	line := func(size int) string { return head + strings.Repeat("x", size-len(head)-len(tail)) + tail }
	const limit = 5000
	over := outcome{decided: 1, fault: Fault{Reason: "RESULT_TOO_LARGE", Detail: "wrote a line of more than 5000 bytes", Line: 1, Limit: limit}}
	at := outcome{decided: 1, payload: line(limit)[len(head)-1 : limit-1]}
	tests := []struct {
		name, output string
		want         outcome
	}{
		{"at the limit", line(limit) + "\n", at},
		{"at the limit, crlf", line(limit) + "\r\n", at},
		{"at the limit, unterminated", line(limit), at},
		{"at the limit, with half an end", line(limit) + "\r", at},
		{"one more", line(limit+1) + "\n", over},
		{"one more, unterminated", line(limit + 1), over},
		{"one more, of space", line(limit) + " \n", over},
		{"white space", strings.Repeat(" ", limit+1) + "\n", over},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(t, tt.output, limit); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%.300v\nwant\n%.300v", got, tt.want)
			}
		})
	}
}

// A payload may have just as much depth as a document of its own.
func TestPayloadLimits(t *testing.T) {
	nested := func(n int) string { return result(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for _, tt := range []struct {
		output, reason string
		limits         wire.Limits
	}{
		{nested(1024), "", wire.Limits{}}, {nested(1025), "LIMIT_DEPTH", wire.Limits{}}, {nested(1025), "", wire.Limits{Depth: 1025}},
		{result("[1,2]"), "", wire.Limits{Nodes: 3}}, {result("[1,2,3]"), "LIMIT_NODES", wire.Limits{Nodes: 2}},
		{result(`{"a":1,"b":2,"c":3,"d":4,"e":5}`), "LIMIT_MEMBERS", wire.Limits{Members: 4}},
	} {
		r := &Reader{Limits: tt.limits}
		if err := r.Read(strings.NewReader(tt.output)); err != nil {
			t.Fatal(err)
		}
		r.End()
		got := ""
		if r.Fault() != nil {
			got = string(r.Fault().Reason)
		}
		if got != tt.reason {
			t.Errorf("%.80s with %+v: %s, want %s", tt.output, tt.limits, got, tt.reason)
		}
	}
}

// dribble gives little at a time.
type dribble struct {
	rest  []byte
	piece int
}

func (d *dribble) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), d.piece)], d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// Time is linear in the bytes: short lines before a long one, single bytes of a long line, empty lines without
// end. A reader that copies what is left for each line, or looks for the line feed from the start, takes
// minutes here.
func TestLinear(t *testing.T) {
	long := result(`"` + strings.Repeat("x", 8<<20) + `"`)
	short := strings.Repeat(progress+"\n", 20_000)
	for _, output := range []string{strings.Repeat("\n", 8<<20) + long, short + long, long} {
		for _, piece := range []int{7, 1 << 16, 1 << 30} {
			start := time.Now()
			r := &Reader{}
			if err := r.Read(&dribble{[]byte(output), piece}); err != nil {
				t.Fatal(err)
			}
			r.End()
			if r.Fault() != nil || len(r.Payload()) != 8<<20+2 {
				t.Fatalf("%v, %d bytes", r.Fault(), len(r.Payload()))
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%d bytes in pieces of %d took %v", len(output), piece, took)
			}
		}
	}
}

// The payload is the caller's: reading on does not change it.
func TestPayloadStays(t *testing.T) {
	r := &Reader{}
	output := result(payload) + "\n" + strings.Repeat("x", 3*chunk) + "\n" + strings.Repeat("y\n", 3*chunk)
	if err := r.Read(iotest.OneByteReader(strings.NewReader(output))); err != nil {
		t.Fatal(err)
	}
	r.End()
	if string(r.Payload()) != payload || r.Fault().Reason != "STRAY_OUTPUT" {
		t.Errorf("the payload became %q, fault %v", r.Payload(), r.Fault())
	}
}

func TestAppendCall(t *testing.T) {
	full := call.Invocation{
		Command: "Run", Arguments: []byte("{\n\"a\":1.10}"), InvocationID: id, RequestID: "req_01K0000000000000000000000A",
		TaskID: "task_01K0000000000000000000000A", Source: "cli", Actor: &call.Actor{Type: "agent", ID: "a\"", Name: "n"},
		RequestIP: "::1", Config: []byte(" {\r\n \"k\": [1,\n2] } "), DataDir: "/d",
	}
	bare := call.Invocation{Command: "Run", Arguments: []byte("{}"), Config: []byte("{}"), InvocationID: id, RequestID: full.RequestID, Actor: &call.Actor{}}
	deadline := time.Date(2030, 1, 2, 3, 4, 5, 6_999_999, time.FixedZone("", 3600))
	for _, tt := range []struct {
		in       call.Invocation
		deadline time.Time
		want     string
	}{
		{full, deadline, `{"vcp":"tool-call","version":"1.0","id":"` + id + `","payload":{"command":"Run","arguments":{"a":1.10},"context":{"invocationId":"` + id +
			`","requestId":"req_01K0000000000000000000000A","taskId":"task_01K0000000000000000000000A","callback":null,"actor":{"type":"agent","id":"a\"","name":"n","maid":null},` +
			`"source":"cli","requestIp":"::1","config":{"k":[1,2]},"dataDir":"/d","deadline":"2030-01-02T02:04:05.006Z"}}}`},
		{bare, time.Time{}, `{"vcp":"tool-call","version":"1.0","id":"` + id + `","payload":{"command":"Run","arguments":{},"context":{"invocationId":"` + id +
			`","requestId":"req_01K0000000000000000000000A","taskId":null,"callback":null,"actor":{"type":"unknown","id":null,"name":null,"maid":null},` +
			`"source":"unknown","requestIp":null,"config":{},"dataDir":null,"deadline":null}}}`},
	} {
		got := string(AppendCall(nil, &tt.in, tt.deadline))
		if got != tt.want+"\n" {
			t.Errorf("got  %swant %s", got, tt.want)
		}
		if err := v1.ValidateFrameToolCall([]byte(got)); err != nil {
			t.Errorf("%v: %s", err, got)
		}
	}
}

// What the appenders write is what the reader reads.
func TestAppendAnswers(t *testing.T) {
	lines := AppendProgress(nil, id, call.Progress{Stage: "s\n", Message: "m"})
	if err := v1.ValidateFrameToolProgress(bytes.TrimSpace(lines)); err != nil {
		t.Errorf("%v: %s", err, lines)
	}
	half, _ := wire.ParseNumber("0.5")
	lines = AppendProgress(lines, "", call.Progress{Stage: "t", Share: wire.Some(half)})
	lines = AppendResult(lines, id, []byte("{\"status\":\r\n\"success\"}"))
	got := read(t, string(lines), 0)
	want := outcome{payload: `{"status":"success"}`, progress: "s\n -1 m;t 0.5 ;", decided: 1}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
