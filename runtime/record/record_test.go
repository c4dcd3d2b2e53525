package record_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/record"
	"vcp.core/runtime/result"
)

// stored are results as the protocol's own tests have them, by file name.
func stored(t *testing.T) map[string]*result.Sealed {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "contract", "schema", "testdata", "result", "valid", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal("no results", err)
	}
	out := map[string]*result.Sealed{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if out[filepath.Base(name)], err = result.Parse(src); err != nil {
			t.Fatal(name, err)
		}
	}
	return out
}

// What stands in a result stands in its record, the index finds every member, and the bytes come back.
func TestOf(t *testing.T) {
	withID := 0
	for name, s := range stored(t) {
		v, err := result.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := record.Of(v, `{"type":"vcp_audit"}`)
		if strings.Contains(s.Member(result.Execution), `"recordId":null`) {
			if missing := new(record.NoIDError); !errors.As(err, &missing) || missing.ResultID != s.ID() {
				t.Errorf("%s: %v, want a NoIDError", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		withID++
		if r.ResultID != s.ID() || r.Status != s.Status() || r.Code != s.Code() || r.Size != s.Len() || r.Result.Text != s.String() {
			t.Errorf("%s: the record is of another result: %+v", name, r)
		}
		for _, want := range []string{r.ID, r.InvocationID, r.RequestID} {
			if want == "" || !strings.Contains(s.Member(result.Execution), `"`+want+`"`) {
				t.Errorf("%s: id %q is not in %s", name, want, s.Member(result.Execution))
			}
		}
		index := record.ParseIndex(r.Result.Index.String())
		if index != r.Result.Index {
			t.Errorf("%s: the index came back as %v, want %v", name, index, r.Result.Index)
		}
		for m := result.Protocol; m <= result.Extensions; m++ {
			if got := index.Member(r.Result.Text, m); got != s.Member(m) {
				t.Errorf("%s: %s is %q by the index, want %q", name, m, got, s.Member(m))
			}
		}
		back, err := r.Sealed()
		if err != nil || back.String() != s.String() {
			t.Errorf("%s: came back as %v, %v", name, back, err)
		}
	}
	if withID < 5 {
		t.Errorf("only %d results have a record id", withID)
	}
}

func TestOfReadsKeys(t *testing.T) {
	v, err := result.Open(stored(t)["success.json"])
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Of(v, "{}")
	if err != nil {
		t.Fatal(err)
	}
	const ulid = "01J8Z6Q4M2X7C9V3K5T1W0R00"
	want := record.Record{
		ID: "tcr_" + ulid + "4", ResultID: "tr_" + ulid + "1", InvocationID: "ti_" + ulid + "2", RequestID: "req_" + ulid + "3", TaskID: "task_" + ulid + "7",
		Tool: "Meteo", Command: "Radar", Status: call.Success, Actor: "a-7", Source: "ai-loop",
		Created: time.Date(2026, 10, 1, 1, 30, 0, 42_000_000, time.UTC), Protocol: "1.0", Size: v.Len(), Digest: "{}",
		Result: &record.Result{
			Text: v.String(), Index: r.Result.Index,
			Resources: []record.Resource{
				{ID: "res_" + ulid + "5", ResultID: "tr_" + ulid + "1", SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
				{ID: "res_" + ulid + "6", ResultID: "tr_" + ulid + "1"},
			},
		},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got  %+v, %+v\nwant %+v, %+v", r, r.Result.Resources, want, want.Result.Resources)
	}
	if want := (record.Counts{Values: 4, LongestText: 30}); r.Result.Index.Counts != want {
		t.Errorf("counts %+v, want %+v", r.Result.Index.Counts, want)
	}
}

// Names that callers chose are cut to what a column holds.
func TestOfCutsNames(t *testing.T) {
	long := strings.Repeat("長", 1000)
	p := result.Parts{ID: "tr_1", Status: call.Error, Error: &result.ErrorPart{Code: errcode.Code(long)}, Actor: &call.Actor{Maid: long}}
	p.Tool.Name, p.Tool.Command, p.Origin.Source = long, wire.NotNull(long), long
	p.Execution.RecordID = "tcr_1"
	v, err := result.Open(result.Seal(p))
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Of(v, "")
	if err != nil {
		t.Fatal(err)
	}
	want := record.Key(long)
	for name, got := range map[string]string{"tool": r.Tool, "command": r.Command, "code": r.Code, "actor": r.Actor, "source": r.Source} {
		if got != want || got == long {
			t.Errorf("%s has %d bytes, want %d", name, len(got), len(want))
		}
	}
}

// What Of made of a result is made of its text again, and of no other text.
func TestFromText(t *testing.T) {
	p := result.Parts{ID: "tr_1", Status: call.Error, Error: &result.ErrorPart{Code: "a.\x00\"\\日"}, Actor: &call.Actor{Name: strings.Repeat("長", 300)}}
	p.Tool.Name, p.Origin.Source = "\xff\u2028", "] , [\"\\"
	p.Execution.RecordID, p.Execution.FinishedAt = "tcr_1", time.UnixMilli(1790818200042)
	all := stored(t)
	all["hostile"] = result.Seal(p)
	var records []record.Record
	for name, s := range all {
		v, err := result.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := record.Of(v, `{"type":"vcp_audit"}`)
		if err != nil {
			continue // has no record
		}
		records = append(records, want)
		got, ok := record.FromText(want.Result.Text, &want.Result.Index)
		want.Digest, want.Result = "", nil
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %v, %+v\nwant %+v", name, ok, got, want)
		}
	}
	if len(records) < 6 {
		t.Fatalf("only %d results have a record", len(records))
	}
	text, index := records[0].Result.Text, records[0].Result.Index
	several := index
	several.Members[result.Task-1] = record.Span{Start: uint32(len(text)), End: uint32(len(text) + len(`null,1`))}
	for name, tt := range map[string]struct {
		text string
		x    record.Index
	}{
		"no index":     {text, record.Index{}},
		"two for one":  {text + `null,1`, several},
		"another text": {text[1:], index},
		"no text":      {"", index},
		"a newer one":  {strings.Replace(text, `"version":"1.0"`, `"version":"9.0"`, 1), index},
	} {
		if got, ok := record.FromText(tt.text, &tt.x); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCounts(t *testing.T) {
	p := result.Parts{ID: "tr_1", Status: call.Success, Data: result.Bytes([]byte(`{"a":[1,[2,3,{"b":"` + strings.Repeat("x", 257) + `"}],[]],"c":"` + strings.Repeat("y", 256) + `"}`))}
	p.Execution.RecordID = "tcr_1"
	v, err := result.Open(result.Seal(p))
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Of(v, "")
	if err != nil {
		t.Fatal(err)
	}
	want := record.Counts{Values: 10, Arrays: 3, Elements: 6, LongestArray: 3, LongStrings: 1, LongestText: 257}
	if got := r.Result.Index.Counts; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestANewerProtocolIsAnErrorOfItsOwn(t *testing.T) {
	r := record.Record{ResultID: "tr_1", Protocol: "9.0", Result: &record.Result{Text: "{}"}}
	_, err := r.Sealed()
	if unknown := new(record.ProtocolError); !errors.As(err, &unknown) || unknown.Version != "9.0" {
		t.Errorf("%v", err)
	}
	r.Result = nil
	if _, err := r.Sealed(); !errors.As(err, new(*record.NotFoundError)) {
		t.Errorf("%v", err)
	}
}

func TestIndexOfAnotherTextGivesNothing(t *testing.T) {
	// The last ones would be 0 and 3 if they were cut to 32 bits.
	for _, s := range []string{"", "x", "5 1", "2 1", "0 99999", "-3 2", strings.Repeat("7 ", 100), "0 4294967299", "4294967296 3", "-4294967296 3", "0 3 0 x"} {
		x := record.ParseIndex(s)
		for m := result.Member(-1); m < 20; m++ {
			if got := x.Member("abc", m); got != "" {
				t.Errorf("%q, member %d: %q", s, m, got)
			}
		}
	}
}

func TestKey(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""}, {"日程", "日程"}, {"a\x00b", "a\uFFFDb"}, {"\xff", "\uFFFD"}, {strings.Repeat("日", 201), strings.Repeat("日", 200)},
		{strings.Repeat("\xff", 1000), strings.Repeat("\uFFFD", 200)},
	} {
		got := record.Key(tt.in)
		if got != tt.want || !utf8.ValidString(got) || record.Key(got) != got {
			t.Errorf("Key(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestActorKey(t *testing.T) {
	for want, a := range map[string]*call.Actor{"": nil, "i": {ID: "i", Name: "n", Maid: "m"}, "n": {Name: "n", Maid: "m"}, "m": {Maid: "m"}} {
		if got := record.ActorKey(a); got != want {
			t.Errorf("%+v is %q, want %q", a, got, want)
		}
	}
}

func TestCursor(t *testing.T) {
	for _, c := range []record.Cursor{{0, "tcr_1"}, {-5, "a-b"}, {1 << 45, "tcr_01J8Z6Q4M2X7C9V3K5T1W0R004"}} {
		got, err := record.ParseCursor(c.String())
		if err != nil || got != c {
			t.Errorf("%v came back as %v, %v", c, got, err)
		}
	}
	for _, s := range []string{"", "-", "--", "x", "x-", "!-a", "1-a\x00", strings.Repeat("z", 30) + "-a"} {
		if _, err := record.ParseCursor(s); !errors.As(err, new(*record.CursorError)) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// What is kept can be kept again, and shares nothing that could change.
func TestKept(t *testing.T) {
	r := record.Record{Tool: strings.Repeat("x", 300), Created: time.Date(2026, 1, 2, 3, 4, 5, 6_999_999, time.FixedZone("", 3600)), Result: &record.Result{Resources: []record.Resource{{ID: "a"}}}}
	kept := r.Kept()
	if again := kept.Kept(); !reflect.DeepEqual(again, kept) {
		t.Errorf("%+v, want %+v", again, kept)
	}
	r.Result.Resources[0].ID = "b"
	if kept.Result.Resources[0].ID != "a" || len(kept.Tool) != 200 || kept.Created.Nanosecond() != 6_000_000 {
		t.Errorf("%+v", kept)
	}
	in := record.Intent{Tool: "a\x00", Actor: &call.Actor{Name: "n"}, Key: &record.IdempotencyKey{Name: "k"}, Timeout: time.Millisecond + 1}
	k := in.Kept()
	in.Actor.Name = "m"
	if k.Key != nil || k.Actor.Name != "n" || k.Tool != "a\uFFFD" || k.Timeout != time.Millisecond {
		t.Errorf("%+v", k)
	}
}
