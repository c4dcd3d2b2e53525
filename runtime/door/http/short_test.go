package http_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/call"
	door "vcp.core/runtime/door/http"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/result"
)

// The two ways of a call: the second spells the path so that only huma takes it for the same.
const (
	shortWay = "/v1/human/tool"
	longWay  = "/v1/hum%61n/tool"
)

// givenID is a request id that a caller may give.
const givenID = "req_01J8Z6Q4M2X7C9V3K5T1W0R001"

// masked are ids, times and lengths of them, hashes of results, and the first character of keys.
var masked = regexp.MustCompile(`"[0-9a-f]{64}"|"value":"[12]|(tr|ti|req|tcr|res)_[0-9A-Z]{26}|\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)|"durationMs":\d+|\d+ ms`)

// ask sends a request as it is and returns the answer: status, headers, body, without what differs from call to call.
func ask(t *testing.T, addr, head, body string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr) //nolint:noctx // as a client would
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()                                     //nolint:errcheck // it was only read
	_ = conn.SetDeadline(time.Now().Add(time.Minute))      // only a hang lasts so long
	go func() { _, _ = io.WriteString(conn, head+body) }() // the answer may come before the whole is sent
	in := bufio.NewReader(conn)
	r, err := http.ReadResponse(in, nil)
	if err == nil && r.StatusCode == http.StatusContinue {
		r, err = http.ReadResponse(in, nil)
	}
	if err != nil {
		t.Fatalf("%.200q: %v", head, err)
	}
	defer r.Body.Close() //nolint:errcheck // read whole
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("%.200q: %v", head, err)
	}
	r.Header.Del("Date")
	r.Header.Del("Content-Length") // of durations
	var b strings.Builder
	fmt.Fprintf(&b, "%s close=%v %v\n", r.Status, r.Close, r.TransferEncoding)
	_ = r.Header.Write(&b)
	// The search takes ten times as long as all the rest, of which nearly all is for bodies of one letter.
	short := strings.NewReplacer(givenID, "the given id", strings.Repeat("x", 100), "(100 x)").Replace(b.String() + "\n" + string(text))
	return masked.ReplaceAllString(short, "~")
}

// Who asks in the usual way gets what huma would give him, whether it is right or wrong what he asks.
func TestShortWayGivesTheSame(t *testing.T) {
	h := open(t)
	addr := serving(t, h)
	good, none := h.token(t, "a", token.Call, "garden"), h.token(t, "b", token.ResultsRead)
	const echo = `{"tool":"T","command":"Echo","arguments":{"a":"<&>\u00e9"}}`
	long := func(n int) string {
		return `{"tool":"T","command":"Echo","arguments":{"a":"` + strings.Repeat("x", n) + `"}}`
	}
	const most = 4<<20 + 64<<10
	type request struct{ name, headers, body string }
	var all []request
	add := func(name, body string, headers ...string) {
		all = append(all, request{name, strings.Join(headers, "\r\n"), body})
	}
	add("as it should be", echo, "Content-Type: application/json")
	add("no media type", echo)
	for _, media := range []string{"", "application/json; charset=utf-8", "Application/JSON", "application/json;", "application/json ", "text/plain", ";;", "application/problem+json", "application/json, text/plain"} {
		add("media type "+media, echo, "Content-Type: "+media)
	}
	for _, name := range []string{"canonical", "human", "ai", "bridge", "audit", "poster", ""} {
		add("view "+name, `{"tool":"T","command":"Echo","options":{"view":"`+name+`"}}`)
	}
	for _, options := range []string{`{}`, `null`, `[]`, `{"timeoutMs":50000}`, `{"timeoutMs":1e99}`, `{"timeoutMs":0}`, `{"timeoutMs":-1}`, `{"timeoutMs":1.5}`, `{"veiw":"ai"}`, `{"view":3}`} {
		add("options "+options, `{"tool":"T","command":"Echo","options":`+options+`}`)
	}
	for _, body := range []string{
		``, ` `, `{`, `{}`, `[]`, `null`, `"T"`, `{"tool":"T"}`, `{"tool":1}`, `{"tool":""}`, `{"tool":"T","command":"Echo"} x`, `{"tool":"T","tool":"T"}`, "{\"tool\":\"\xff\"}", `{"tool":"T","command":null}`,
		`{"tool":"T","arguments":{"command":"Echo","b":1}}`, `{"tool":"T","command":"Echo","arguments":[]}`, `{"tool":"T","command":"Echo","arguments":{"a":1,"a":2}}`, "\ufeff" + echo, "\n\t " + echo + "\r\n",
		`{"t\u006fol":"T","comm\u0061nd":"Echo","arguments":{"\u0061":[1.50,1e400,-0]}}`, `{"tool":"T","command":"Echo","more":1}`, strings.Repeat(`[`, 3000), `{"tool":"` + strings.Repeat("n", 300) + `"}`,
		`{"tool":"T","command":"Fail"}`, `{"tool":"T","command":"Nothing"}`, `{"tool":"Nobody","command":"Nothing"}`, `{"tool":"T","command":"Admin"}`, `{"tool":"T","command":"Scoped"}`,
		`{"tool":"T","command":"Picture"}`, `{"tool":"T","command":"Picture","options":{"view":"ai"}}`, `{"tool":"T","command":"Slow","options":{"timeoutMs":5}}`,
	} {
		add(fmt.Sprintf("body %.40q", body), body)
	}
	for _, n := range []int{400, 2 << 10, 5 << 10, 70 << 10, 300 << 10, 1 << 20} {
		add(fmt.Sprintf("a body of %d bytes", n), long(n))
	}
	for _, n := range []int{most - 1, most, most + 1} {
		add(fmt.Sprintf("a body of %d bytes that is no call", n), strings.Repeat(" ", n))
		add(fmt.Sprintf("a body of %d bytes that is a call", n), echo+strings.Repeat(" ", n-len(echo)))
	}
	for _, id := range []string{givenID, "x", "", strings.Repeat("x", 5000)} {
		add(fmt.Sprintf("request id %.9s", id), echo, "X-Request-Id: "+id)
	}
	for name, key := range map[string]string{"short": "k", "long": strings.Repeat("k", 254), "too long": strings.Repeat("k", 255), "of letters": strings.Repeat("é", 200), "of too many letters": strings.Repeat("é", 256)} {
		add("a key that is "+name, echo, "Idempotency-Key: "+key)
	}
	for _, accept := range []string{"text/html", "application/cbor", "application/json;q=0", "*/*"} {
		add("wants "+accept, echo, "Accept: "+accept)
		add("wants "+accept+" of a mistake", `{`, "Accept: "+accept)
	}
	add("waits to be asked", echo, "Expect: 100-continue")
	for _, coding := range []string{"gzip", "identity", "", "Identity", "gzip, identity"} {
		add("packed "+coding, echo, "Content-Encoding: "+coding)
	}
	add("two media types", echo, "Content-Type: application/json", "Content-Type: text/plain")
	add("closes", echo, "Connection: close")

	got := func(t *testing.T, version, bearer, path, key, headers, body string) string {
		t.Helper()
		if headers != "" {
			headers += "\r\n"
		}
		headers = strings.Replace(headers, "Idempotency-Key: ", "Idempotency-Key: "+key, 1)
		if !strings.Contains(headers, "Transfer-Encoding") {
			headers += fmt.Sprintf("Content-Length: %d\r\n", len(body))
		}
		return ask(t, addr, "POST "+path+" HTTP/"+version+"\r\nHost: x\r\nAuthorization: Bearer "+bearer+"\r\n"+headers+"\r\n", body)
	}
	statuses := map[string]int{}
	same := func(t *testing.T, version, bearer, headers, body string) {
		t.Helper()
		one, two := got(t, version, bearer, shortWay, "1", headers, body), got(t, version, bearer, longWay, "2", headers, body)
		if one != two {
			t.Errorf("the short way:\n%.2000s\n\nthe long way:\n%.2000s", one, two)
		}
		statuses[one[:3]]++
	}
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			same(t, "1.1", good, r.headers, r.body)
			if len(r.body) < 1<<20 {
				same(t, "1.0", good, r.headers, r.body)
				same(t, "1.1", none, r.headers, r.body)
			}
			if len(r.body) > 0 && !strings.Contains(r.headers, "Expect") {
				headers := strings.TrimPrefix(r.headers+"\r\nTransfer-Encoding: chunked", "\r\n")
				half := len(r.body) / 2
				chunks := fmt.Sprintf("%x\r\n%s\r\n", len(r.body)-half, r.body[half:])
				if half > 0 {
					chunks = fmt.Sprintf("%x\r\n%s\r\n", half, r.body[:half]) + chunks
				}
				same(t, "1.1", good, headers, chunks+"0\r\n\r\n")
			}
		})
	}
	t.Run("broken chunks", func(t *testing.T) {
		before := h.calls.Load()
		for _, body := range []string{"zz\r\nabc", "5\r\nab}}}zz", "3\r\n{}\n\r\nx\r\n", fmt.Sprintf("%x\r\n%s\r\nzz\r\n", len(echo), echo)} {
			same(t, "1.1", good, "Transfer-Encoding: chunked", body)
		}
		if h.calls.Load() != before {
			t.Error("something ran")
		}
	})
	for _, want := range []string{"200", "400", "403", "413", "415"} {
		if statuses[want] == 0 {
			t.Errorf("no answer was %s: %v", want, statuses)
		}
	}
}

// Which requests go the short way: nearly all that are right.
func TestWhoGoesTheShortWay(t *testing.T) {
	d := door.New(door.Options{})
	for _, tt := range []struct {
		method, target string
		header         [2]string
		plain          bool
	}{
		{"POST", shortWay, [2]string{}, true}, {"POST", shortWay, [2]string{"Content-Type", "application/json"}, true}, {"POST", shortWay, [2]string{"Content-Type", "application/json; charset=utf-8"}, true},
		{"POST", shortWay, [2]string{"Idempotency-Key", "k"}, true}, {"POST", shortWay + "?", [2]string{}, true}, {"POST", "http://elsewhere" + shortWay, [2]string{}, true},
		{"POST", longWay, [2]string{}, false}, {"POST", shortWay + "?a=1", [2]string{}, false}, {"POST", shortWay + "/", [2]string{}, false}, {"POST", "/v1/../v1/human/tool", [2]string{}, false}, {"POST", "//v1/human/tool", [2]string{}, false},
		{"GET", shortWay, [2]string{}, false}, {"PUT", shortWay, [2]string{}, false}, {"POST", shortWay, [2]string{"Content-Type", "text/plain"}, false}, {"POST", shortWay, [2]string{"Expect", "100-continue"}, false},
		{"POST", shortWay, [2]string{"Idempotency-Key", strings.Repeat("k", 256)}, false}, {"POST", shortWay, [2]string{"Content-Encoding", "gzip"}, false}, {"POST", "/v1/tools", [2]string{}, false},
	} {
		r := httptest.NewRequest(tt.method, tt.target, nil)
		if tt.header[0] != "" {
			r.Header.Set(tt.header[0], tt.header[1])
		}
		if d.IsPlain(r) != tt.plain {
			t.Errorf("%s %s %v: %v", tt.method, tt.target, tt.header, !tt.plain)
		}
	}
	r := httptest.NewRequest(http.MethodPost, shortWay, nil)
	if r.ContentLength = 4<<20 + 64<<10; d.IsPlain(r) {
		t.Error("a body that is too large is read before anybody says so")
	}
}

// odd is a runtime that does what it must not.
type odd struct{ answer func() call.Result }

// Execute implements call.Executor.
func (o odd) Execute(context.Context, call.Call) call.Result { return o.answer() }

// Resource implements door.Runtime.
func (odd) Resource(context.Context, string) (io.ReadSeekCloser, error) { return nil, io.EOF }

// What a runtime must not do is told on both ways alike, and ends neither the process nor the others' requests.
func TestShortWayOfOddResults(t *testing.T) {
	for name, answer := range map[string]func() call.Result{
		"none":       func() call.Result { return nil },
		"not sealed": func() call.Result { return (*result.Sealed)(nil) },
		"not valid": func() call.Result {
			return result.Seal(result.Parts{ID: "x", Data: result.Bytes([]byte(`{"a":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`))})
		},
		"panic": func() call.Result { panic("broken") },
	} {
		h := open(t)
		h.door = door.New(door.Options{Runtime: odd{answer}, Registry: func() call.Registry { return h.tools }, Tokens: h.tokens})
		addr, bearer := serving(t, h), h.token(t, "a", token.Call)
		var both [2]string
		for i, path := range []string{shortWay, longWay} {
			const body = `{"tool":"T","command":"Echo"}`
			both[i] = ask(t, addr, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", path, bearer, len(body)), body)
		}
		if both[0] != both[1] || !strings.HasPrefix(both[0], "500") {
			t.Errorf("%s: the short way:\n%s\n\nthe long way:\n%s", name, both[0], both[1])
		}
	}
}

// Two calls share nothing that one of them could still hold when it is over.
func TestArgumentsOfOthers(t *testing.T) {
	var mu sync.Mutex
	kept := map[string][]byte{}
	h := open(t)
	h.door = door.New(door.Options{Runtime: keeper{h.runtime, func(c call.Call) {
		mu.Lock()
		defer mu.Unlock()
		kept[string(slices.Clone(c.Arguments))] = c.Arguments
	}}, Registry: func() call.Registry { return h.tools }, Tokens: h.tokens})
	s := httptest.NewServer(h.door)
	defer s.Close()
	bearer := h.token(t, "a", token.Call)
	for i := range 60 {
		path := []string{shortWay, longWay}[i%2]
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(fmt.Sprintf(`{"tool":"T","command":"Echo","arguments":{"n":%d}}`, i)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+bearer)
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	if len(kept) != 60 {
		t.Errorf("%d calls", len(kept))
	}
	for was, is := range kept {
		if was != string(is) {
			t.Errorf("%s became %s", was, is)
		}
	}
}

// keeper is a runtime whose calls are looked at first.
type keeper struct {
	door.Runtime
	look func(call.Call)
}

// Execute implements call.Executor.
func (k keeper) Execute(ctx context.Context, c call.Call) call.Result {
	k.look(c)
	return k.Runtime.Execute(ctx, c)
}
