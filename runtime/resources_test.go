package runtime_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/resource"
	"vcp.core/runtime/result"
)

// picture is a PNG of 3 by 2 pixels.
var picture = func() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		panic(err)
	}
	return b.Bytes()
}()

// reference is a schema that admits nothing but a reference.
const reference = `{"$ref":"https://vcp.core/schema/v1/resource-reference.schema.json"}`

// keeping are the options of a runtime with a data folder and a store, and the folder.
func keeping(t testing.TB) (dir string, store *disk.Store, options []runtime.Option) {
	t.Helper()
	dir = t.TempDir()
	store, err := disk.New(filepath.Join(dir, "resources"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, store, []runtime.Option{runtime.DataDir(dir), runtime.Resources(store)}
}

// chart writes a picture and refers to it everywhere.
var chart = call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
	draft, err := in.Resources.Write(call.Draft{ID: "ch\"art", Kind: "image", MIMEType: "image/png", FileName: "chart.png"}, bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	return []byte(payloadOf("success", `"data":{ "n" : 1.50,"image":{"\u0024resource":"ch\u0022art"},"t":"\/"}`, `"resources":[`+string(draft)+`]`,
		`"presentation":{"primaryResourceId":"ch\"art","title":"\u0054"}`, `"aiAdvice":{"resourceIds":["ch\"art","ch\u0022art"],"intent":"display_resource","priority":"low"}`)), nil
})

func TestResources(t *testing.T) {
	dir, store, options := keeping(t)
	s := spec(t, `true`, `{"type":"object","properties":{"image":`+reference+`},"required":["image"]}`, func(s *call.Spec) {
		s.ResourceOutputs = []call.ResourceOutput{{Field: "/image", Kind: "image", Role: "output"}}
	})
	r := runtime.New(registry{s}, append(options, runtime.Bind("T", chart))...)
	res := execute(t, r, call.Call{Tool: "T", Command: "Run"})
	if res.Status() != call.Success {
		t.Fatal(res)
	}
	id := at(t, res, "/resources/0/id")
	for member, want := range map[result.Member]string{
		result.Data:         `{"n":1.50,"image":{"\u0024resource":` + id + `},"t":"\/"}`,
		result.Presentation: `{"primaryResourceId":` + id + `,"title":"\u0054"}`,
		result.AIAdvice:     `{"resourceIds":[` + id + `,` + id + `],"intent":"display_resource","priority":"low"}`,
		result.Warnings:     `[]`,
	} {
		if got := res.Member(member); got != want {
			t.Errorf("%v: got  %s\nwant %s", member, got, want)
		}
	}
	hash := clean(at(t, res, "/resources/0/sha256"))
	want := `[{"id":` + id + `,"kind":"image","role":"output","mimeType":"image/png","fileName":"chart.png","sizeBytes":` + itoa(len(picture)) +
		`,"sha256":"` + hash + `","url":null,"source":null,"dimensions":{"width":3,"height":2},"durationMs":null,"metadata":{},` +
		`"access":{"type":"managed","expiresAt":null,"requiresAuth":true}}]`
	if got := res.Member(result.Resources); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	content, err := r.Resource(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(content)
	if err := errors.Join(err, content.Close()); err != nil || !bytes.Equal(got, picture) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if path, err := store.Path(hash); err != nil || !strings.HasPrefix(path, dir) {
		t.Errorf("%q, %v", path, err)
	}
	if left := below(t, filepath.Join(dir, "plugins")); len(left) != 0 {
		t.Errorf("left in the plugin's folder: %v", left)
	}
	if _, err := runtime.New(registry{s}).Resource(t.Context(), hash); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a store: %v", err)
	}
}

func itoa(n int) string { return slog.IntValue(n).String() }

// below lists the files below a folder.
func below(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

// Files that stand in data as text.
func TestMediaInData(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString(picture)
	uri := `data:image\/png;base64,` + strings.ReplaceAll(encoded, "/", `\/`)
	padded := append(slices.Clone(picture), make([]byte, 300)...) // long enough to be looked at
	plain := base64.StdEncoding.EncodeToString(padded)
	html := `"<img src=\"` + strings.ReplaceAll(uri, `\/`, "/") + `\">"`
	text := `{"type":"object","properties":{"image":{"type":"string"}},"required":["image"]}`
	free := spec(t, `true`, `true`)
	const ref = `{"$resource":ID}`
	tests := []struct {
		name   string
		spec   *call.Spec
		data   string
		want   string // of data, with ID for the id of the one resource; "" for a refusal
		reason string
		target string
	}{
		{"admitted", spec(t, `true`, `{"properties":{"image":`+reference+`}}`), `{"image":"` + uri + `"}`, `{"image":` + ref + `}`, "", ""},
		{"admitted by a schema that says nothing", free, `[1.0,"` + uri + `"]`, `[1.0,` + ref + `]`, "", ""},
		{"data itself", free, `"` + uri + `"`, ref, "", ""},
		{"base64 alone", free, `{"a":"` + plain + `"}`, `{"a":` + ref + `}`, "", ""},
		{"a text member", spec(t, `true`, text), `{"image":"` + uri + `"}`, "", "UNDECLARED_MEDIA", "/data/image"},
		{"base64 in a text member", spec(t, `true`, text), `{"image":"` + plain + `"}`, "", "UNDECLARED_MEDIA", "/data/image"},
		{"one admitted, one not", spec(t, `true`, `{"properties":{"a":`+reference+`,"b":{"type":"string"}}}`), `{"a":"` + uri + `","b":"` + uri + `"}`, "", "UNDECLARED_MEDIA", "/data/b"},
		{"a form of several", spec(t, `true`, `{"oneOf":[{"properties":{"k":{"const":1},"x":{"type":"string"}}},{"properties":{"k":{"const":2},"x":{"type":"string"}}}]}`), `{"k":1,"x":"` + uri + `"}`, "", "UNDECLARED_MEDIA", "/data/x"},
		{"a rule about the whole", spec(t, `true`, `{"if":{"properties":{"x":{"type":"object"}}},"then":false}`), `{"x":"` + uri + `"}`, "", "UNDECLARED_MEDIA", "/data/x"},
		{"another fault", spec(t, `true`, `{"required":["n"]}`), `{"image":"` + uri + `"}`, "", "SCHEMA_MISMATCH", "/data/n"},
		{"inside of text", free, html, html, "", ""},
		{"a name", free, `{"` + uri + `":1}`, `{"` + uri + `":1}`, "", ""},
		{"prose", free, `"data: the results, of which there are many, follow"`, `"data: the results, of which there are many, follow"`, "", ""},
		{"a data URI of nothing", free, `"data:,hello, this is a string of some length"`, `"data:,hello, this is a string of some length"`, "", ""},
		{"broken base64", free, `"data:image/png;base64,iVBORw0KGgo!!!!!!!!!!!!"`, `"data:image/png;base64,iVBORw0KGgo!!!!!!!!!!!!"`, "", ""},
		{"base64 of text", free, `"` + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("text "), 100)) + `"`, `"` + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("text "), 100)) + `"`, "", ""},
		{"a long text", free, `"` + strings.Repeat("UEsDB and so on ", 100) + `"`, `"` + strings.Repeat("UEsDB and so on ", 100) + `"`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, options := keeping(t)
			r := runtime.New(registry{tt.spec}, append(options, runtime.Bind("T", answer(ok(tt.data))))...)
			s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
			if tt.reason != "" {
				if s.Code() != "INVALID_TOOL_RESULT" || clean(at(t, s, "/error/details/reason")) != tt.reason || clean(at(t, s, "/error/target")) != tt.target {
					t.Errorf("got %s, want %s at %s", s.Member(result.Error), tt.reason, tt.target)
				}
				if strings.Contains(s.String(), plain[:100]) {
					t.Error("the refusal repeats the file")
				}
				return
			}
			id := at(t, s, "/resources/0/id")
			if got, want := s.Member(result.Data), strings.ReplaceAll(tt.want, "ID", id); got != want || strings.Contains(tt.want, "ID") != (id != "") {
				t.Errorf("got  %s\nwant %s\n%s", got, want, s)
			}
			if id != "" && (at(t, s, "/resources/0/mimeType") != `"image/png"` || at(t, s, "/resources/0/dimensions/width") != "3" || at(t, s, "/resources/0/kind") != `"image"`) {
				t.Errorf("got %s", s.Member(result.Resources))
			}
		})
	}
	// Without a store nothing can be kept, so nothing is accepted either.
	s := execute(t, runtime.New(registry{free}, runtime.Bind("T", answer(ok(`"`+uri+`"`)))), call.Call{Tool: "T", Command: "Run"})
	if reason := at(t, s, "/error/details/reason"); reason != `"LIMIT_RESOURCES"` {
		t.Errorf("without a store: %s", s)
	}
}

func TestPromisedResources(t *testing.T) {
	s := spec(t, `true`, `true`, func(s *call.Spec) {
		s.ResourceOutputs = []call.ResourceOutput{{Field: "/image", Kind: "image", Role: "output"}}
	})
	html := `data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte("<html><body>upstream error</body></html>"))
	draft := func(kind, role, uri string) string {
		return `"resources":[{"id":"a","kind":"` + kind + `","role":"` + role + `","dataUri":"` + uri + `"}]`
	}
	good := `data:;base64,` + base64.StdEncoding.EncodeToString(picture)
	tests := []struct{ name, payload, message string }{
		{"there", payloadOf("success", `"data":{"image":{"$resource":"a"}}`, draft("image", "output", good)), ""},
		{"as text", ok(`{"image":"` + good + `"}`), ""},
		{"absent", payloadOf("success", `"data":{}`, draft("image", "output", good)), `data "image" must refer to a resource`},
		{"an id alone", payloadOf("success", `"data":{"image":"a"}`, draft("image", "output", good)), `data "image" must refer to a resource`},
		{"another kind", payloadOf("success", `"data":{"image":{"$resource":"a"}}`, draft("text", "output", good)), `data "image" must refer to a resource of kind image and role output, and refers to one of kind text and role output`},
		{"another role", payloadOf("success", `"data":{"image":{"$resource":"a"}}`, draft("image", "log", good)), `data "image" must refer to a resource of kind image and role output, and refers to one of kind image and role log`},
		{"bytes of another kind", payloadOf("success", `"data":{"image":{"$resource":"a"}}`, draft("image", "output", html)), `data "image" must refer to a resource of kind image and role output, and refers to one of kind text and role output`},
		{"a partial result may lack it", payloadOf("partial", `"data":{}`), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, options := keeping(t)
			res := execute(t, runtime.New(registry{s}, append(options, runtime.Bind("T", answer(tt.payload)))...), call.Call{Tool: "T", Command: "Run"})
			if tt.message == "" {
				if res.Code() != "" {
					t.Error(res)
				}
				return
			}
			if got := strings.ReplaceAll(clean(at(t, res, "/error/message")), `\"`, `"`); got != tt.message || at(t, res, "/error/details/reason") != `"MISSING_RESOURCE_OUTPUT"` || at(t, res, "/error/target") != `"/data/image"` {
				t.Errorf("got %s", res.Member(result.Error))
			}
		})
	}
}

// A draft's local path stands in no refusal and no log that people read by default.
func TestLocalPathsStay(t *testing.T) {
	const path = "hidden/way/to.png"
	drafts := []string{
		`{"id":"a","kind":"image","role":"output","localPath":"hidden/way/to.png"}`,
		`{"id":"a","kind":"image","role":"output","localPath":"/hidden/way/to.png"}`,
		`{"id":"a","kind":"image","role":"output","localPath":"../hidden/way/to.png"}`,
		`{"id":"a","kind":"image","role":"output","localPath":"hidden/way/to.png","url":"http://x"}`,
		`{"id":"a","kind":"image","role":"output","url":"hidden/way/to.png"}`,
		`{"id":"a","kind":"image","role":"output","localPath":"x","fileName":"hidden/way/to.png"}`,
		`{"id":"a","kind":"image","role":"output","path":"hidden/way/to.png"}`,
		`{"id":"a","kind":"hidden/way/to.png","role":"output","localPath":"x"}`,
		`"hidden/way/to.png"`,
	}
	for _, draft := range drafts {
		_, _, options := keeping(t)
		var log bytes.Buffer
		r := runtime.New(registry{spec(t, `true`, `true`)}, append(options, runtime.Bind("T", answer(payloadOf("success", `"resources":[`+draft+`]`))),
			runtime.Logger(slog.New(slog.NewTextHandler(&log, nil))))...)
		s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if s.Code() != "INVALID_TOOL_RESULT" || strings.Contains(s.String(), path) || strings.Contains(log.String(), path) {
			t.Errorf("%s: %s %s", draft, s.Member(result.Error), log.String())
		}
	}
}

// What must not be quoted of a draft is told by its type.
func TestUnquotedDrafts(t *testing.T) {
	for _, tt := range []struct{ draft, got string }{
		{`"way/to.png"`, `"a string"`},
		{`["way/to.png"]`, `"an array"`},
		{`{"id":"a","kind":{"is":"image"},"role":"output","localPath":"x"}`, `"an object"`},
		{`7`, `"7"`},
	} {
		_, _, options := keeping(t)
		r := runtime.New(registry{spec(t, `true`, `true`)}, append(options, runtime.Bind("T", answer(payloadOf("success", `"resources":[`+tt.draft+`]`))))...)
		s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
		if got := at(t, s, "/error/details/violations/0/got"); got != tt.got {
			t.Errorf("%s: %s, want %s", tt.draft, got, tt.got)
		}
	}
}

// However a call ends, nothing of what its handler wrote is left, and a handler that goes on is told.
func TestWhatHandlersLeave(t *testing.T) {
	write := func(in call.Invocation) (string, error) {
		raw, err := in.Resources.Write(call.Draft{ID: "a", Kind: "text"}, strings.NewReader("content"))
		return string(raw), err
	}
	var late chan error
	tests := []struct {
		name    string
		handler call.HandlerFunc
		code    string
	}{
		{"error", func(_ context.Context, in call.Invocation) ([]byte, error) {
			_, _ = write(in)
			return nil, errors.New("broken")
		}, "INTERNAL_ERROR"},
		{"panic", func(_ context.Context, in call.Invocation) ([]byte, error) { _, _ = write(in); panic("broken") }, "INTERNAL_ERROR"},
		{"refused", func(_ context.Context, in call.Invocation) ([]byte, error) {
			draft, _ := write(in)
			return []byte(payloadOf("success", `"data":{"$resource":"b"}`, `"resources":[`+draft+`]`)), nil
		}, "INVALID_TOOL_RESULT"},
		{"breaks its schema", func(_ context.Context, in call.Invocation) ([]byte, error) {
			draft, _ := write(in)
			return []byte(payloadOf("success", `"data":7`, `"resources":[`+draft+`]`)), nil
		}, "INVALID_TOOL_RESULT"},
		{"late", func(ctx context.Context, in call.Invocation) ([]byte, error) {
			_, _ = write(in)
			<-ctx.Done()
			time.Sleep(200 * time.Millisecond)
			_, err := write(in)
			late <- err
			return nil, err
		}, "TOOL_TIMEOUT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := spec(t, `true`, `{"type":["object","null"]}`, func(s *call.Spec) { s.Grace = time.Millisecond })
			synctest.Test(t, func(t *testing.T) { // so that the limit is over for none but the handler that waits for it
				late = make(chan error, 1)
				dir, _, options := keeping(t)
				r := runtime.New(registry{s}, append(options, runtime.Bind("T", tt.handler))...)
				res := execute(t, r, call.Call{Tool: "T", Command: "Run", Timeout: 100 * time.Millisecond})
				if res.Code() != tt.code {
					t.Errorf("%s", res)
				}
				if tt.name == "late" {
					if _, closed := errors.AsType[*resource.ClosedError](<-late); !closed {
						t.Error("the late handler was not told")
					}
				}
				for _, folder := range []string{"plugins", "resources"} {
					if left := below(t, filepath.Join(dir, folder)); len(left) != 0 {
						t.Errorf("left in %s: %v", folder, left)
					}
				}
			})
		})
	}
}

// stuck is a store that does not come to an end.
type stuck struct{ resource.Store }

func (stuck) Put(ctx context.Context, _ io.Reader, _ int64) (resource.Blob, error) {
	<-ctx.Done()
	return resource.Blob{}, ctx.Err()
}

// full is a store without room.
type full struct{ resource.Store }

func (full) Put(context.Context, io.Reader, int64) (resource.Blob, error) {
	return resource.Blob{}, &os.PathError{Op: "write", Path: "/disk/store", Err: errors.New("no room")}
}

func TestStoresThatFail(t *testing.T) {
	payload := payloadOf("success", `"resources":[{"id":"a","kind":"text","role":"output","dataUri":"data:,x"}]`)
	tests := []struct {
		name    string
		store   resource.Store
		timeout time.Duration
		code    string
		details string
	}{
		{"full", full{}, time.Minute, "INTERNAL_ERROR", `{"effect":"unknown"}`},
		{"slow", stuck{}, 50 * time.Millisecond, "TOOL_TIMEOUT", `{"effect":"unknown"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := spec(t, `true`, `true`, func(s *call.Spec) { s.Effect = call.Write })
			synctest.Test(t, func(t *testing.T) { // so that the limit is over for the store alone
				r := runtime.New(registry{s}, runtime.Resources(tt.store), runtime.Bind("T", answer(payload)))
				res := execute(t, r, call.Call{Tool: "T", Command: "Run", Timeout: tt.timeout})
				if res.Code() != tt.code || at(t, res, "/error/details") != tt.details || strings.Contains(res.String(), "/disk") {
					t.Errorf("%s", res)
				}
			})
		})
	}
}

// A secret of a payload that also brings a resource is told where it stands in the result.
func TestSecretsBesideResources(t *testing.T) {
	_, _, options := keeping(t)
	payload := payloadOf("success", `"resources":[{"id":"a","kind":"text","role":"output","dataUri":"data:,x","metadata":{"k":"hush-hush-hush"}},{"id":"b","kind":"text","role":"output","dataUri":"data:,hush-hush-hush"}]`,
		`"data":{"a":{"$resource":"a"},"k":"hush-hush-hush"}`)
	r := runtime.New(registry{spec(t, `true`, `true`)}, append(options, runtime.Bind("T", answer(payload)),
		runtime.Secrets(func(string) [][]byte { return [][]byte{[]byte("hush-hush-hush")} }))...)
	s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
	if strings.Contains(s.String(), "hush") {
		t.Error(s)
	}
	for i, want := range []string{`"/resources/0/metadata/k"`, `"/data/k"`, ""} {
		if got := at(t, s, "/policy/redactionsApplied/"+itoa(i)+"/target"); got != want {
			t.Errorf("place %d: %s, want %s: %s", i, got, want, s.Member(result.Policy))
		}
	}
}

// Faults that users of such systems reported (shared cases K12, K22, K41, K44), as far as they are the runtime's.
func TestReportedFaults(t *testing.T) {
	_, _, options := keeping(t)
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(i * i >> 3)
	}
	large := append(slices.Clone(picture), noise...)
	draw := call.HandlerFunc(func(_ context.Context, in call.Invocation) ([]byte, error) {
		draft, err := in.Resources.Write(call.Draft{ID: "r", Kind: "image"}, bytes.NewReader(large))
		return []byte(payloadOf("success", `"data":{"$resource":"r"}`, `"resources":[`+string(draft)+`]`)), err
	})
	// K22: the output schema of an image describes the reference, and data that is nothing else satisfies it.
	r := runtime.New(registry{spec(t, `true`, reference, func(s *call.Spec) {
		s.ResourceOutputs = []call.ResourceOutput{{Field: "", Kind: "image", Role: "output"}}
	})}, append(options, runtime.Bind("T", draw))...)
	s := execute(t, r, call.Call{Tool: "T", Command: "Run"})
	if s.Member(result.Data) != `{"$resource":`+at(t, s, "/resources/0/id")+`}` {
		t.Fatal(s)
	}
	// K12: a picture of a megabyte is a reference in the result, and stays one.
	if s.Len() > 2000 {
		t.Errorf("the result has %d bytes", s.Len())
	}
	// K44: what a reader without eyes needs stands in the descriptor.
	if at(t, s, "/resources/0/mimeType") != `"image/png"` || at(t, s, "/resources/0/sizeBytes") != itoa(len(large)) || at(t, s, "/resources/0/dimensions") != `{"width":3,"height":2}` {
		t.Error(s.Member(result.Resources))
	}
	// K41: a result that is nothing but a resource is not lost.
	only := runtime.New(registry{spec(t, `true`, `true`)}, append(options, runtime.Bind("T", answer(payloadOf("success", `"resources":[{"id":"r","kind":"text","role":"output","dataUri":"data:,x"}]`))))...)
	if s := execute(t, only, call.Call{Tool: "T", Command: "Run"}); s.Status() != call.Success || s.Member(result.Data) != "null" || at(t, s, "/resources/0/sizeBytes") != "1" {
		t.Error(s)
	}
}
