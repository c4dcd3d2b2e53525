package result

import (
	"errors"
	"strings"
	"testing"

	"vcp.core/contract/wire"
)

// valid is a result with ids that the result schema takes.
func valid() Parts {
	p := full()
	const ulid = "01J2XQ3Z5K8N7P4R6T9V0W1Y2Z"
	p.ID = "tr_" + ulid
	p.Execution.InvocationID, p.Execution.RequestID, p.Execution.RecordID = "ti_"+ulid, "req_"+ulid, "tcr_"+ulid
	p.Origin.RequestIP = wire.Nullable[string]{}
	p.Resources, p.Warnings, p.Presentation, p.AIAdvice = Value{}, Value{}, Value{}, Value{}
	p.Task = nil
	return p
}

func TestParse(t *testing.T) {
	want := Seal(valid())
	text := want.String()
	spaced := strings.ReplaceAll(text, `,"`, ",\n\t\"")
	// The first member last.
	const protocol = `"protocol":{"name":"vcp.tool-result","version":"1.0"}`
	turned := "{" + strings.TrimPrefix(text, "{"+protocol+",")
	turned = strings.TrimSuffix(turned, "}") + "," + protocol + "}"
	for _, src := range []string{text, spaced, turned} {
		got, err := Parse([]byte(src))
		if err != nil {
			t.Fatalf("Parse(%s): %v", src, err)
		}
		if got.String() != text || got.ID() != want.ID() || got.Status() != want.Status() || got.Code() != want.Code() || got.spans != want.spans {
			t.Errorf("Parse gives %+v\nwant %+v", got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	text := Seal(valid()).String()
	var scan *wire.Error
	if _, err := Parse([]byte(text + text)); !errors.As(err, &scan) {
		t.Errorf("two results: %v", err)
	}
	var judged *wire.Rejection
	for _, src := range []string{`{}`, strings.Replace(text, `"partial"`, `"done"`, 1), strings.Replace(text, `"policy":`, `"polity":`, 1)} {
		if _, err := Parse([]byte(src)); !errors.As(err, &judged) {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// Bytes that are no JSON value are the fault of whoever seals them. They must not take the members of a result for others.
func TestOpenRefusesOtherMembers(t *testing.T) {
	for _, tt := range []struct{ data, extensions, want string }{
		{`{},"more":[]`, `{}`, "next member"},
		{`{}`, `{},"more":[]`, "next member"},
		{`{"in":{}`, `{}}`, "missing"},
		{`1},{"a":2`, `{}`, ""},
		{`1,"data":2`, `{}`, ""},
	} {
		p := valid()
		p.Data, p.Extensions = Bytes([]byte(tt.data)), Bytes([]byte(tt.extensions))
		for _, s := range []*Sealed{Seal(p), SealOpen(p)} {
			v, err := Open(s)
			if broken := new(wire.Error); v != nil || !errors.As(err, &broken) || !strings.Contains(broken.Detail, tt.want) {
				t.Errorf("data %s, extensions %s: %v", tt.data, tt.extensions, err)
			}
		}
	}
}

// What policy left has the members in their order, or is shown to nobody.
func TestRestrictRefusesOtherOrder(t *testing.T) {
	text := Seal(valid()).String()
	if v, err := Restrict([]byte(text), nil); err != nil || v.String() != text || v.ID() != valid().ID || v.Member(Data) != Seal(valid()).Member(Data) {
		t.Errorf("Restrict gives %v, %v", v, err)
	}
	const first = `"protocol":{"name":"vcp.tool-result","version":"1.0"},`
	turned := strings.TrimSuffix(strings.Replace(text, first, "", 1), "}") + "," + strings.TrimSuffix(first, ",") + "}"
	if v, err := Restrict([]byte(turned), nil); v != nil || err == nil || !strings.Contains(err.Error(), "next member") {
		t.Errorf("members in another order: %v", err)
	}
}

func TestVisibleOfEverything(t *testing.T) {
	s := Seal(valid())
	v, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	if v.String() != s.String() || v.Len() != s.Len() || v.ID() != s.ID() {
		t.Errorf("a visible that hides nothing differs: %s", v)
	}
	for m := Protocol; m < memberCount; m++ {
		if got := string(v.Tape().Raw(v.At(m))); got != s.Member(m) {
			t.Errorf("At(%v) leads to %s", m, got)
		}
	}
	if v.At(0) != -1 || v.At(memberCount) != -1 {
		t.Error("At of no member is a node")
	}
}
