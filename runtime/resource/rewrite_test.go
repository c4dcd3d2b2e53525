package resource

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/id"
)

// forgetful is a store that keeps nothing.
type forgetful struct{}

func (forgetful) Put(_ context.Context, r io.Reader, limit int64) (Blob, error) {
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, limit+1))
	if n > limit {
		return Blob{}, &TooLargeError{Limit: limit}
	}
	return Blob{SHA256: hex.EncodeToString(h.Sum(nil)), Size: n}, err
}

func (forgetful) Open(_ context.Context, sha256 string) (io.ReadSeekCloser, error) {
	return nil, &NotStoredError{SHA256: sha256}
}

// numbered mints res_…1, res_…2.
func numbered() func(string, time.Time) string {
	n := 0
	return func(prefix string, _ time.Time) string { n++; return fmt.Sprintf("%s%026d", prefix, n) }
}

func placesOf(t *wire.Tape) Places {
	at := Places{-1, -1, -1, -1}
	for _, m := range []struct {
		name string
		at   *int
	}{{"data", &at.Data}, {"resources", &at.Resources}, {"presentation", &at.Presentation}, {"aiAdvice", &at.Advice}} {
		if v, ok := t.Find(t.Root(), m.name); ok {
			*m.at = v
		}
	}
	return at
}

// rewrite runs a payload through. plan is nil when it has nothing to do with resources.
func rewrite(src string, limits Limits) (t *wire.Tape, plan *Plan, out *Published, err error) {
	t = new(wire.Tape)
	if err := t.Scan([]byte(src), wire.Limits{}); err != nil {
		return nil, nil, nil, err
	}
	if err := v1.JudgePayload(t); err != nil {
		return nil, nil, nil, err
	}
	p := &Publisher{Store: forgetful{}, Limits: limits.Filled(), IDs: numbered()}
	plan, refusal := p.Read(t, placesOf(t), time.Time{})
	if refusal != nil {
		return t, nil, nil, refusal
	}
	if plan == nil {
		return t, nil, nil, nil
	}
	out, err = plan.Publish(context.Background(), "")
	return t, plan, out, err
}

// The ids of the plugin become those of the core, and not one other byte changes.
func TestRewriting(t *testing.T) {
	const (
		draft = `{"id":"a","kind":"text","role":"output","dataUri":"data:,x"}`
		other = `{ "dataUri" : "data:,x", "role":"log","kind":"text","id":"\u0062\"\/\ud83d\ude00" }`
		tail  = `,"warnings":[ ],"extensions":{"x.y" : {"$resource":"a"}}}`
	)
	one, two, three := `"`+id.Resource+fmt.Sprintf("%026d", 1)+`"`, `"`+id.Resource+fmt.Sprintf("%026d", 2)+`"`, `"`+id.Resource+fmt.Sprintf("%026d", 3)+`"`
	// In want, RESOURCES stands for the descriptors.
	tests := []struct{ name, src, want string }{
		{"a reference", `{"status":"success","data":{"$resource":"a"},"resources":[` + draft + `]` + tail, `{"status":"success","data":{"$resource":` + one + `},"resources":RESOURCES` + tail},
		{"none", `{"status":"success","data": [1.0e5] ,"resources":[` + draft + `]` + tail, `{"status":"success","data": [1.0e5] ,"resources":RESOURCES` + tail},
		{"many, of two", `{"resources":[` + draft + `,` + other + `],"data":[{"$resource":"a"},{"x":{ "$resource" : "b\"/😀" },"y":{"\u0024resource":"\u0061"}}],"status":"success"` + tail,
			`{"resources":RESOURCES,"data":[{"$resource":` + one + `},{"x":{ "$resource" : ` + two + ` },"y":{"\u0024resource":` + one + `}}],"status":"success"` + tail},
		{"what only resembles one", `{"status":"success","data":["a",{"$resource":1},{"$resource":"z","b":1},{"resource":"a"},{"$resource":{"$resource":"a"}},{"a":"$resource"}],"resources":[` + draft + `]` + tail,
			`{"status":"success","data":["a",{"$resource":1},{"$resource":"z","b":1},{"resource":"a"},{"$resource":{"$resource":` + one + `}},{"a":"$resource"}],"resources":RESOURCES` + tail},
		{"presentation and advice", `{"aiAdvice":{"priority":"low","resourceIds":[ "a" , "a" ],"message":"a","intent":"relay"},"presentation":{"primaryResourceId" : "\u0061","title":"a"},"status":"success","data":"a","resources":[` + draft + `]` + tail,
			`{"aiAdvice":{"priority":"low","resourceIds":[ ` + one + ` , ` + one + ` ],"message":"a","intent":"relay"},"presentation":{"primaryResourceId" : ` + one + `,"title":"a"},"status":"success","data":"a","resources":RESOURCES` + tail},
		{"an id of the core's form is a name like any", `{"status":"success","data":{"$resource":` + two + `},"resources":[` + strings.Replace(draft, `"a"`, two, 1) + `]` + tail,
			`{"status":"success","data":{"$resource":` + one + `},"resources":RESOURCES` + tail},
		{"numbers, escapes, order, space", `{"status":"success","data":{"z":9007199254740993,"a":[1.10,-0,1E+2],"s":"\u0041\/\n\ud83d\ude00" , "r":{"$resource":"a"} , "e":{ },"l":[ ]},"resources":[` + draft + `]` + tail,
			`{"status":"success","data":{"z":9007199254740993,"a":[1.10,-0,1E+2],"s":"\u0041\/\n\ud83d\ude00" , "r":{"$resource":` + one + `} , "e":{ },"l":[ ]},"resources":RESOURCES` + tail},
		{"a file in data", `{"status":"success","data":[{"$resource":"b\"/😀"}, "data:text/csv;base64,YSxiCjEsMgozLDQKNSw2Cg==" ,{"$resource":"a"}],"resources":[` + draft + `,` + other + `]` + tail,
			`{"status":"success","data":[{"$resource":` + two + `}, {"$resource":` + three + `} ,{"$resource":` + one + `}],"resources":RESOURCES` + tail},
		{"of an error", `{"status":"error","data":{"$resource":"a"},"error":{"code":"UPSTREAM_ERROR","message":"a"},"resources":[` + draft + `]` + tail,
			`{"status":"error","data":{"$resource":` + one + `},"error":{"code":"UPSTREAM_ERROR","message":"a"},"resources":RESOURCES` + tail},
	}
	for _, tt := range tests {
		_, plan, out, err := rewrite(tt.src, Limits{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var u wire.Tape
		if err := u.Scan(out.Payload, wire.Limits{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		at := placesOf(&u)
		want := strings.Replace(tt.want, "RESOURCES", string(u.Raw(at.Resources)), 1)
		if string(out.Payload) != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, out.Payload, want)
		}
		if got := plan.Data(); !bytes.Equal(got, u.Raw(at.Data)) {
			t.Errorf("%s: data %s", tt.name, got)
		}
	}
}

func TestRefusedReferences(t *testing.T) {
	const draft = `{"id":"a","kind":"text","role":"output","dataUri":"data:,x"}`
	long := strings.Repeat("x", 100)
	tests := []struct{ name, members, reason, pointer, message string }{
		{"dangling", `"data":{"a/b":[0,{"$resource":"b"}]},"resources":[` + draft + `]`, "DANGLING_RESOURCE", "/data/a~1b/1", `"/data/a~1b/1" refers to the resource "b", which the payload does not bring`},
		{"dangling, none there", `"data":{"$resource":"` + long + `"},"resources":[]`, "DANGLING_RESOURCE", "/data", `"/data" refers to the resource "` + long[:63] + `…", which the payload does not bring`},
		{"case", `"data":{"$resource":"A"},"resources":[` + draft + `]`, "DANGLING_RESOURCE", "/data", `"/data" refers to the resource "A", which the payload does not bring`},
		{"primary", `"data":null,"presentation":{"primaryResourceId":"b"},"resources":[` + draft + `]`, "DANGLING_RESOURCE", "/presentation/primaryResourceId", `"/presentation/primaryResourceId" refers to the resource "b", which the payload does not bring`},
		{"advice", `"data":null,"aiAdvice":{"intent":"none","priority":"low","resourceIds":["a","b"]},"resources":[` + draft + `]`, "DANGLING_RESOURCE", "/aiAdvice/resourceIds/1", `"/aiAdvice/resourceIds/1" refers to the resource "b", which the payload does not bring`},
		{"twice", `"data":null,"resources":[` + draft + `,` + strings.Replace(draft, `"a"`, `"\u0061"`, 1) + `]`, "DUPLICATE_RESOURCE", "/resources/1/id", `two resources have the id "a"`},
		{"not base64", `"data":null,"resources":[` + strings.Replace(draft, "data:,x", "data:;base64,!", 1) + `]`, "SCHEMA_MISMATCH", "/resources/0/dataUri", `the data URI of a resource cannot be decoded`},
		{"not escaped well", `"data":null,"resources":[` + strings.Replace(draft, "data:,x", "data:,%zz", 1) + `]`, "SCHEMA_MISMATCH", "/resources/0/dataUri", `the data URI of a resource cannot be decoded`},
		{"another hash", `"data":null,"resources":[` + strings.Replace(draft, `"kind"`, `"sha256":"`+strings.Repeat("0", 64)+`","kind"`, 1) + `]`, "DANGLING_RESOURCE", "/resources/0/sha256", `the bytes of a resource are not those that its sha256 names`},
		{"too many with those in data", `"data":["data:image/png;base64,iVBORw0KGgoAAAAN","data:image/png;base64,iVBORw0KGgoAAAAN","data:image/png;base64,iVBORw0KGgoAAAAN"],"resources":[` + draft + `]`, "LIMIT_RESOURCES", "/data/2", `the payload brings more than 3 resources`},
	}
	for _, tt := range tests {
		_, _, _, err := rewrite(`{"status":"success",`+tt.members+`,"warnings":[],"extensions":{}}`, Limits{Count: 3})
		r, ok := errors.AsType[*Refusal](err)
		if !ok || string(r.Reason) != tt.reason || r.Pointer != tt.pointer || r.Message != tt.message || r.Code != "INVALID_TOOL_RESULT" {
			t.Errorf("%s: got %v, want %s: %s", tt.name, err, tt.reason, tt.message)
		}
	}
}

// What a descriptor takes over, what it does not, and what is somebody else's.
func TestDescriptors(t *testing.T) {
	const none = `"source":null,"dimensions":null,"durationMs":null,"metadata":{}`
	hash := `"` + hex.EncodeToString(func() []byte { s := sha256.Sum256([]byte("x")); return s[:] }()) + `"`
	managed := `"access":{"type":"managed","expiresAt":null,"requiresAuth":true}`
	tests := []struct{ name, draft, want, warning string }{
		{"the shortest", `{"id":"a","kind":"text","role":"output","dataUri":"data:,x"}`,
			`"kind":"text","role":"output","mimeType":"text/plain","fileName":null,"sizeBytes":1,"sha256":` + hash + `,"url":null,` + none + `,` + managed, ""},
		{"everything", `{"id":"a","kind":"video","role":"preview","dataUri":"data:video/x-own,%00","fileName":"名前.x","sizeBytes":7,"source":{"type":"generated"},"dimensions":{"width":1e1,"height":2},"durationMs":3.0,"metadata":{"k":[1.10]},"access":{"type":"external","expiresAt":null,"requiresAuth":false}}`,
			`"kind":"video","role":"preview","mimeType":"video/x-own","fileName":"名前.x","sizeBytes":1,"sha256":"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d","url":null,"source":{"type":"generated"},"dimensions":{"width":1e1,"height":2},"durationMs":3.0,"metadata":{"k":[1.10]},` + managed, ""},
		{"a wrong type and a wrong kind", `{"id":"a","kind":"image","role":"output","mimeType":"image/png","dataUri":"data:,x","dimensions":{"width":1,"height":2}}`,
			`"kind":"text","role":"output","mimeType":"text/plain","fileName":null,"sizeBytes":1,"sha256":` + hash + `,"url":null,` + none + `,` + managed,
			`MIME_MISMATCH /resources/0 a resource was declared as image/png, its bytes are text/plain {"resource":"ID","declared":"image/png","found":"text/plain","declaredKind":"image","kind":"text"}`},
		{"a wrong kind", `{"id":"a","kind":"image","role":"output","dataUri":"data:,x"}`,
			`"kind":"text","role":"output","mimeType":"text/plain","fileName":null,"sizeBytes":1,"sha256":` + hash + `,"url":null,` + none + `,` + managed,
			`MIME_MISMATCH /resources/0 a resource was declared as image, its bytes are text/plain {"resource":"ID","found":"text/plain","declaredKind":"image","kind":"text"}`},
		{"names of folders", `{"id":"a","kind":"text","role":"output","dataUri":"data:,x","fileName":".."}`,
			`"kind":"text","role":"output","mimeType":"text/plain","fileName":null,"sizeBytes":1,"sha256":` + hash + `,"url":null,` + none + `,` + managed, ""},
		{"its name says what it is", `{"id":"a","kind":"text","role":"output","dataUri":"data:,x","fileName":"A.CSV"}`,
			`"kind":"text","role":"output","mimeType":"text/csv","fileName":"A.CSV","sizeBytes":1,"sha256":` + hash + `,"url":null,` + none + `,` + managed, ""},
		{"somebody else's", `{"id":"a","kind":"image","role":"output","url":"https://example.org/a.png?x=1","mimeType":"Image/PNG","sizeBytes":5,"sha256":` + hash + `}`,
			`"kind":"image","role":"output","mimeType":"image/png","fileName":null,"sizeBytes":null,"sha256":null,"url":"https://example.org/a.png?x=1",` + none + `,"access":{"type":"external","expiresAt":null,"requiresAuth":false}`, ""},
		{"somebody else's, said to be ours", `{"id":"a","kind":"directory","role":"output","url":"http://example.org/","access":{"type":"managed","expiresAt":null,"requiresAuth":true}}`,
			`"kind":"directory","role":"output","mimeType":"application/octet-stream","fileName":null,"sizeBytes":null,"sha256":null,"url":"http://example.org/",` + none + `,"access":{"type":"external","expiresAt":null,"requiresAuth":true}`, ""},
		{"for a while", `{"id":"a","kind":"image","role":"output","url":"http://example.org/a","access":{"type":"ephemeral","expiresAt":"2030-01-02T03:04:05Z","requiresAuth":false}}`,
			`"kind":"image","role":"output","mimeType":"application/octet-stream","fileName":null,"sizeBytes":null,"sha256":null,"url":"http://example.org/a",` + none + `,"access":{"type":"ephemeral","expiresAt":"2030-01-02T03:04:05Z","requiresAuth":false}`, ""},
	}
	for _, tt := range tests {
		_, _, out, err := rewrite(`{"status":"success","data":null,"resources":[`+tt.draft+`],"warnings":[],"extensions":{}}`, Limits{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var u wire.Tape
		if err := u.Scan(out.Payload, wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		first := id.Resource + fmt.Sprintf("%026d", 1)
		got := string(u.Raw(placesOf(&u).Resources))
		if want := `[{"id":"` + first + `",` + tt.want + `}]`; got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, want)
		}
		if err := v1.ValidateResourceDescriptor([]byte(got[1 : len(got)-1])); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		warned := ""
		for _, w := range out.Warnings {
			warned += fmt.Sprintf("%s %s %s %s", w.Code, w.Target, w.Message, strings.ReplaceAll(string(w.Details), first, "ID"))
		}
		if warned != tt.warning {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, warned, tt.warning)
		}
	}
}

// restored undoes a rewriting: it walks both documents side by side and puts back what differs, which may be
// nothing but ids, files in data, and the list of resources. ok is false when anything else differs.
func restored(t *testing.T, before, after *wire.Tape, known map[string]bool) []byte {
	t.Helper()
	var edits []edit
	back := func(b, a int) {
		n := after.Node(a)
		edits = append(edits, edit{n.Start, n.End, before.Raw(b)})
	}
	at := placesOf(before)
	to := placesOf(after)
	back(at.Resources, to.Resources)
	var walk func(b, a int)
	walk = func(b, a int) {
		kb, ka := before.Kind(b), after.Kind(a)
		if ref, ok := wire.RefAt(after, a); ok && known[ref.ID] {
			if was, ok := wire.RefAt(before, b); ok && was.ID != ref.ID {
				back(b+2, a+2)
				return
			}
			if kb == wire.KindString {
				back(b, a)
				return
			}
		}
		if kb != ka || before.Count(b) != after.Count(a) && kb >= wire.KindArray {
			return // seen when the bytes are compared
		}
		if kb < wire.KindArray {
			return
		}
		for x, y := before.FirstChild(b), after.FirstChild(a); x < before.Next(b); {
			if kb == wire.KindObject {
				x, y = x+1, y+1
			}
			walk(x, y)
			x, y = before.Next(x), after.Next(y)
		}
	}
	walk(at.Data, to.Data)
	if at.Presentation >= 0 && before.Kind(at.Presentation) == wire.KindObject {
		if b, ok := before.Find(at.Presentation, "primaryResourceId"); ok && before.Kind(b) == wire.KindString {
			a, _ := after.Find(to.Presentation, "primaryResourceId")
			back(b, a)
		}
	}
	if at.Advice >= 0 && before.Kind(at.Advice) == wire.KindObject {
		if b, ok := before.Find(at.Advice, "resourceIds"); ok {
			a, _ := after.Find(to.Advice, "resourceIds")
			x, y := before.FirstChild(b), after.FirstChild(a)
			for ; x < before.Next(b); x, y = before.Next(x), after.Next(y) {
				back(x, y)
			}
		}
	}
	root := after.Node(0)
	return splice(after.Source(), root.Start, root.End, edits)
}

func FuzzRewrite(f *testing.F) {
	for _, s := range []string{
		`{"status":"success","data":{"a":[{"$resource":"a"},{ "\u0024resource" : "\u0061" }],"b":1.10},"resources":[{"id":"a","kind":"text","role":"output","dataUri":"data:,x"}],"warnings":[],"extensions":{}}`,
		`{"status":"success","data":"data:image\/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB","resources":[ ],"warnings":[],"extensions":{}}`,
		`{"aiAdvice":{"intent":"relay","resourceIds":["a","b"],"priority":"low"},"presentation":{"primaryResourceId":"b"},"status":"success","data":[{"$resource":"b"},{"$resource":7}],"resources":[{"id":"a","kind":"image","role":"log","url":"http://x"},{"id":"b","kind":"binary","role":"log","dataUri":"data:;base64,AAAA"}],"warnings":[],"extensions":{}}`,
		`{"status":"success","data":"dAtA:/0;BAse64,000000000000000A","resources":[],"warnings":[],"extensions":{}}`,
		`{"status":"partial","data":{"$resource":"x"},"resources":[{"id":"x","kind":"text","role":"output","localPath":"a"}],"warnings":[],"extensions":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before, plan, out, err := rewrite(string(src), Limits{Count: 20, Size: 1 << 16, Total: 1 << 18})
		if err != nil || plan == nil {
			if r, ok := errors.AsType[*Refusal](err); ok && (r.Message == "" || !r.Reason.Known() || r.Pointer == "") {
				t.Fatalf("%q: %#v", src, r)
			}
			return
		}
		var after wire.Tape
		if err := after.Scan(out.Payload, wire.Limits{Bytes: len(out.Payload), Depth: 2000}); err != nil {
			t.Fatalf("%q became %q: %v", src, out.Payload, err)
		}
		known := map[string]bool{}
		list := placesOf(&after).Resources
		for c := after.FirstChild(list); c < after.Next(list); c = after.Next(c) {
			if err := v1.ValidateResourceDescriptor(after.Raw(c)); err != nil {
				t.Fatalf("%q: the descriptor %s: %v", src, after.Raw(c), err)
			}
			at, _ := after.Find(c, "id")
			known[after.String(at)] = true
		}
		if len(known) != len(plan.items) {
			t.Fatalf("%q: %d ids for %d resources", src, len(known), len(plan.items))
		}
		root := before.Node(0)
		if got := restored(t, before, &after, known); !bytes.Equal(got, src[root.Start:root.End]) {
			t.Fatalf("more than ids changed:\n%q\nbecame\n%q", src, out.Payload)
		}
		for _, part := range []int{placesOf(&after).Data} {
			for at := part; at < after.Next(part); at++ {
				if ref, ok := wire.RefAt(&after, at); ok && !known[ref.ID] {
					t.Fatalf("%q: %q is a resource of nobody", src, ref.ID)
				}
			}
		}
	})
}
