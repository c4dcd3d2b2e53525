package resource_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/resource"
)

// publisher keeps what it publishes in a folder of the test.
func publisher(t testing.TB, limits resource.Limits) (*resource.Publisher, *disk.Store) {
	t.Helper()
	store, err := disk.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &resource.Publisher{Store: store, Limits: limits.Filled(), IDs: new(counter).next}, store
}

// counter mints ids that are easy to read: res_…1, res_…2.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) next(prefix string, _ time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return fmt.Sprintf("%s%026d", prefix, c.n)
}

// places finds the members of a payload.
func places(t *wire.Tape) resource.Places {
	at := resource.Places{Data: -1, Resources: -1, Presentation: -1, Advice: -1}
	for m := t.Members(t.Root()); m.Next(); {
		switch t.String(m.Name) {
		case "data":
			at.Data = m.Value
		case "resources":
			at.Resources = m.Value
		case "presentation":
			at.Presentation = m.Value
		case "aiAdvice":
			at.Advice = m.Value
		}
	}
	return at
}

// payload writes a success of the given data and drafts.
func payload(data string, drafts ...string) string {
	return `{"status":"success","data":` + data + `,"resources":[` + strings.Join(drafts, ",") + `],"warnings":[],"extensions":{}}`
}

// read scans and judges a payload and plans what happens to it.
func read(t testing.TB, p *resource.Publisher, src string) (*resource.Plan, *resource.Refusal) {
	t.Helper()
	tape := scanned(t, src)
	return p.Read(tape, places(tape), time.Time{})
}

func scanned(t testing.TB, src string) *wire.Tape {
	t.Helper()
	tape := new(wire.Tape)
	if err := tape.Scan([]byte(src), wire.Limits{}); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	if err := v1.JudgePayload(tape); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return tape
}

// publish does it all. err is a [*resource.Refusal] in most cases.
func publish(t testing.TB, p *resource.Publisher, dir, src string) (*resource.Published, error) {
	t.Helper()
	plan, refusal := read(t, p, src)
	if refusal != nil {
		return nil, refusal
	}
	if plan == nil {
		t.Fatalf("%s needs no plan", src)
	}
	return plan.Publish(context.Background(), dir)
}

// descriptor is a resource as a result has it.
type descriptor struct {
	ID, Kind, Role, MimeType string
	FileName, SHA256, URL    *string
	SizeBytes, DurationMs    *int64
	Source, Dimensions       json.RawMessage
	Metadata, Access         json.RawMessage
}

// descriptors reads the resources of a published payload and holds each against the protocol.
func descriptors(t testing.TB, p *resource.Published) []descriptor {
	t.Helper()
	var parsed struct{ Resources []json.RawMessage }
	if err := json.Unmarshal(p.Payload, &parsed); err != nil {
		t.Fatalf("%s: %v", p.Payload, err)
	}
	list := make([]descriptor, len(parsed.Resources))
	for i, raw := range parsed.Resources {
		if err := v1.ValidateResourceDescriptor(raw); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if err := json.Unmarshal(raw, &list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func write(t testing.TB, dir, name string, content []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func stored(t testing.TB, s resource.Store, hash string) []byte {
	t.Helper()
	r, err := s.Open(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// refusalOf makes sure that an error is one.
func refusalOf(t testing.TB, err error) *resource.Refusal {
	t.Helper()
	r, ok := errors.AsType[*resource.Refusal](err)
	if !ok {
		t.Fatalf("%v (%T) is no refusal", err, err)
	}
	return r
}
