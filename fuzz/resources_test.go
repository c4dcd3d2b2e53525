package fuzz

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/id"
	"vcp.core/runtime/resource"
	"vcp.core/runtime/result"
)

// shelf runs payloads that bring resources through a runtime that keeps them.
type shelf struct {
	runtime *runtime.Runtime
	store   *disk.Store
	payload []byte
}

func (s *shelf) Handle(context.Context, call.Invocation) ([]byte, error) { return s.payload, nil }

// lying is a folder with a few files in it, and a way out of it.
var lying = map[string]string{
	"private/notes.txt":  "plain text\n",
	"private/table.csv":  "a,b\n1,2\n",
	"private/page.html":  "<!DOCTYPE html><html></html>",
	"private/empty.file": "",
	"private/image.png":  "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x03\x00\x00\x00\x02\x08\x06\x00\x00\x00\x9d\x74\x66\x1a",
}

func newShelf(t testing.TB) *shelf {
	t.Helper()
	dir := t.TempDir()
	store, err := disk.New(filepath.Join(dir, "resources"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "plugins", "T", "private")
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(dir, "outside-secret"), []byte("outside"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, content := range lying {
		if err := os.WriteFile(filepath.Join(dir, "plugins", "T", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../../outside-secret", filepath.Join(folder, "way-out")); err != nil {
		t.Logf("no symbolic links here: %v", err)
	}
	s := &shelf{store: store}
	spec := &call.Spec{
		Tool: "T", Version: "1.0.0", Command: "Run", Kind: call.Synchronous, Protocol: "direct", Effect: call.Read,
		Timeout: time.Minute, Discriminator: "command", Input: accepting{}, Output: accepting{},
	}
	s.runtime = runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Bind("T", s), runtime.DataDir(dir), runtime.Resources(store),
		runtime.Limit(runtime.Limits{Payload: wire.Limits{Bytes: 1 << 16, Depth: 100}, Resources: resource.Limits{Count: 16, Size: 1 << 16}}))
	return s
}

// run holds a payload against the laws of resources: the result is canonical; every reference in it leads to one
// of its resources; what is managed is in the store, with the hash and the size that its descriptor states; no
// local path stands anywhere.
func (s *shelf) run(t testing.TB, payload []byte) *result.Sealed {
	t.Helper()
	s.payload = payload
	res := lawful(t, s.runtime.Execute(context.Background(), call.Call{Tool: "T", Command: "Run"}))
	var tape wire.Tape
	if err := tape.Scan([]byte(res.String()), wire.Limits{Bytes: 1 << 26, Depth: 2000}); err != nil {
		t.Fatal(err)
	}
	if res.Code() == "INTERNAL_ERROR" && res.Member(result.Data) == "null" && strings.Contains(res.Member(result.Error), "could not be stored") {
		t.Fatalf("%q: %s", payload, res)
	}
	known := s.descriptors(t, &tape, payload)
	refer := func(at int, name string) {
		if !known[name] {
			t.Fatalf("%q: %q at %s is no resource of %s", payload, name, tape.Pointer(at), res)
		}
	}
	data, _ := tape.Lookup("/data")
	for at := data; at < tape.Next(data); at++ {
		if ref, ok := wire.RefAt(&tape, at); ok {
			refer(at, ref.ID)
		}
	}
	if at, ok := tape.Lookup("/presentation/primaryResourceId"); ok && tape.Kind(at) == wire.KindString {
		refer(at, tape.String(at))
	}
	if list, ok := tape.Lookup("/aiAdvice/resourceIds"); ok {
		for at := tape.FirstChild(list); at < tape.Next(list); at = tape.Next(at) {
			refer(at, tape.String(at))
		}
	}
	s.pathless(t, payload, res, &tape)
	return res
}

// descriptors checks the resources of a result and returns their ids.
func (s *shelf) descriptors(t testing.TB, tape *wire.Tape, payload []byte) map[string]bool {
	known := map[string]bool{}
	list, _ := tape.Lookup("/resources")
	text := func(at int, name string) string {
		if v, ok := tape.Find(at, name); ok && tape.Kind(v) == wire.KindString {
			return tape.String(v)
		}
		return ""
	}
	for c := tape.FirstChild(list); c < tape.Next(list); c = tape.Next(c) {
		name := text(c, "id")
		if known[name] || !id.Valid(id.Resource, name) {
			t.Fatalf("%q: the id %q", payload, name)
		}
		known[name] = true
		access, _ := tape.Find(c, "access")
		hash := text(c, "sha256")
		if managed := text(access, "type") == "managed"; managed != (hash != "") || managed != (text(c, "url") == "") {
			t.Fatalf("%q: the descriptor %s", payload, tape.Raw(c))
		}
		if hash == "" {
			continue
		}
		r, err := s.runtime.Resource(context.Background(), hash)
		if err != nil {
			t.Fatalf("%q: %v", payload, err)
		}
		content, err := io.ReadAll(r)
		_ = r.Close()
		size, _ := tape.Find(c, "sizeBytes")
		n, _ := tape.Decimal(size).Int64()
		if sum := sha256.Sum256(content); err != nil || hex.EncodeToString(sum[:]) != hash || int64(len(content)) != n {
			t.Fatalf("%q: %d bytes under %s, %v", payload, len(content), tape.Raw(c), err)
		}
		if string(content) == "outside" && !strings.Contains(string(payload), "data:") {
			t.Fatalf("%q published a file from outside", payload)
		}
	}
	return known
}

// pathless makes sure that no localPath of the payload is in the result, unless the plugin also wrote it
// somewhere else.
func (s *shelf) pathless(t testing.TB, payload []byte, res *result.Sealed, out *wire.Tape) {
	var in wire.Tape
	if in.Scan(payload, wire.Limits{}) != nil {
		return
	}
	list, ok := in.Lookup("/resources")
	if !ok || in.Kind(list) != wire.KindArray {
		return
	}
	paths, own := map[int]string{}, ""
	for c := in.FirstChild(list); c < in.Next(list); c = in.Next(c) {
		if in.Kind(c) != wire.KindObject {
			continue
		}
		if at, ok := in.Find(c, "localPath"); ok && in.Kind(at) == wire.KindString && len(in.String(at)) > 8 {
			paths[at] = in.String(at)
		}
	}
	for at := range in.Len() {
		if _, is := paths[at]; !is && in.Kind(at) == wire.KindString {
			own += in.String(at) + "\n"
		}
	}
	for _, path := range paths {
		if strings.Contains(own, path) {
			continue
		}
		for at := range out.Len() {
			if out.Kind(at) == wire.KindString && strings.Contains(out.String(at), path) {
				t.Fatalf("%q: the path %q stands in %s: %s", payload, path, out.Pointer(at), res)
			}
		}
	}
}

// shelved are payloads that bring resources, and what becomes of them.
var shelved = []struct{ payload, code string }{
	{`{"status":"success","data":{"image":{"$resource":"a"}},"resources":[{"id":"a","kind":"image","role":"output","localPath":"private/image.png","mimeType":"image/png"}],"warnings":[],"extensions":{}}`, ""},
	{`{"status":"success","data":[{"$resource":"a"},{"$resource":"b"},{"$resource":"c"}],"resources":[{"id":"a","kind":"text","role":"log","localPath":"private/notes.txt"},{"id":"b","kind":"document","role":"output","localPath":"private/table.csv","fileName":"t.csv"},{"id":"c","kind":"image","role":"preview","url":"https://example.org/a.png"}],"warnings":[],"presentation":{"primaryResourceId":"b"},"aiAdvice":{"intent":"relay","resourceIds":["a","c"],"priority":"low"},"extensions":{}}`, ""},
	{`{"status":"success","data":{"a":"data:image\/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAAC"},"resources":[{"id":"e","kind":"other","role":"input","localPath":"private/empty.file","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}],"warnings":[],"extensions":{}}`, ""},
	{`{"status":"success","data":null,"resources":[{"id":"h","kind":"image","role":"output","mimeType":"image/png","localPath":"private/page.html"}],"warnings":[],"extensions":{}}`, ""},
	{`{"status":"success","data":null,"resources":[{"id":"h","kind":"text","role":"output","localPath":"private/way-out"}],"warnings":[],"extensions":{}}`, "INVALID_TOOL_RESULT"},
	{`{"status":"success","data":null,"resources":[{"id":"h","kind":"text","role":"output","localPath":"private/../../../outside-secret"}],"warnings":[],"extensions":{}}`, "INVALID_TOOL_RESULT"},
	{`{"status":"success","data":{"$resource":"g"},"resources":[{"id":"h","kind":"text","role":"output","localPath":"private/notes.txt"}],"warnings":[],"extensions":{}}`, "INVALID_TOOL_RESULT"},
	{`{"status":"success","data":null,"resources":[{"id":"h","kind":"text","role":"output","localPath":"private/notes.txt","url":"http://x"}],"warnings":[],"extensions":{}}`, "INVALID_TOOL_RESULT"},
	{`{"status":"success","data":null,"resources":[{"id":"h","kind":"text","role":"output","localPath":"private/not-there"}],"warnings":[],"extensions":{}}`, "INVALID_TOOL_RESULT"},
}

func TestResourcesAreLawful(t *testing.T) {
	s := newShelf(t)
	for _, tt := range shelved {
		if res := s.run(t, []byte(tt.payload)); res.Code() != tt.code {
			t.Errorf("%s: %s", tt.payload, res)
		}
	}
}

// FuzzResources brings anything as a payload.
func FuzzResources(f *testing.F) {
	for _, tt := range shelved {
		f.Add([]byte(tt.payload))
	}
	s := newShelf(f)
	f.Fuzz(func(t *testing.T, payload []byte) { s.run(t, payload) })
}
