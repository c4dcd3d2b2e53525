package laws

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
)

const pointSchema = `{
	"type": "object",
	"properties": {
		"x": {"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807},
		"name": {"type": "string", "minLength": 1},
		"list": {"type": "array", "items": {"type": "number"}},
		"kind": {"$ref": "https://vcp.core/schema/v1/result.schema.json#/$defs/status"}
	},
	"required": ["x", "list"]
}`

// point is what a generated type may look like for that schema, written by hand, with a place for one
// fault at a time.
type point struct {
	x     int64
	list  []wire.Number
	rest  []wire.Raw // names and values of the other members, in order
	fault string
}

func (p point) AppendJSON(dst []byte) []byte {
	switch p.fault {
	case "encoder starts anew":
		dst = dst[:0]
	case "encoder panics":
		if len(p.list) == 0 {
			panic("no list")
		}
	}
	dst = append(dst, `{"x":`...)
	if p.fault == "integers as floats" {
		dst = strconv.AppendFloat(dst, float64(p.x), 'f', -1, 64)
	} else {
		dst = strconv.AppendInt(dst, p.x, 10)
	}
	dst = append(dst, `,"list":`...)
	if len(p.list) == 0 && p.fault == "empty lists as null" {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, '[')
		for i, n := range p.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, n.String()...)
		}
		dst = append(dst, ']')
	}
	for i := 0; i < len(p.rest); i += 2 {
		dst = append(append(dst, ','), p.rest[i]...)
		dst = append(append(dst, ':'), p.rest[i+1]...)
	}
	return append(dst, '}')
}

// fake makes the description of a type that has a fault, none for "".
func fake(t *testing.T, fault string) Type {
	t.Helper()
	s, err := prepare(Type{Schema: []byte(pointSchema), FormatAssertion: true})
	if err != nil {
		t.Fatal(err)
	}
	decode := func(src []byte) (point, error) {
		p := point{fault: fault}
		var tape wire.Tape
		if err := tape.Scan(src, wire.Limits{}); err != nil {
			if fault == "broken documents decode" {
				return p, nil
			}
			return p, err
		}
		err := judge(s.live, src)
		switch {
		case fault == "decoder panics" && tape.Count(0) > 3:
			panic("too many")
		case err != nil && fault == "decoder gives another reason":
			return p, &wire.Rejection{Offset: 0, Number: 99}
		case err != nil && fault == "decoder takes points without a list" && tape.Kind(0) == wire.KindObject:
			if _, ok := tape.Find(0, "list"); !ok {
				return p, nil
			}
			return p, err
		case err != nil:
			return p, err
		}
		for m := tape.Members(0); m.Next(); {
			switch {
			case tape.NameEqual(m.Name, "x"):
				i, ok := tape.Decimal(m.Value).Int64()
				if !ok {
					t.Errorf("no int64: %s", src)
				}
				p.x = i
			case tape.NameEqual(m.Name, "list"):
				for e := tape.FirstChild(m.Value); e < tape.Next(m.Value); e = tape.Next(e) {
					n, ok := wire.ParseNumber(string(tape.Raw(e)))
					if !ok {
						t.Errorf("no number: %s", src)
					}
					p.list = append(p.list, n)
				}
			case fault == "unknown members are lost" && !tape.NameEqual(m.Name, "name") && !tape.NameEqual(m.Name, "kind"):
			default:
				p.rest = append(p.rest, slices.Clone(tape.Raw(m.Name)), slices.Clone(tape.Raw(m.Value)))
			}
		}
		return p, nil
	}
	validate := func(src []byte) error {
		err := judge(s.live, src)
		var tape wire.Tape
		broken := tape.Scan(src, wire.Limits{}) != nil
		switch {
		case broken && fault == "broken documents are invalid":
			return &wire.Rejection{}
		case broken:
			return err
		case fault == "validator takes everything":
			return nil
		case fault == "validator refuses names" && err == nil:
			if _, ok := tape.Find(0, "name"); ok {
				return &wire.Rejection{Number: 1}
			}
		case fault == "validator writes" && len(src) > 30:
			src[0] = ' '
		case fault == "validator is undecided" && err != nil:
			return &wire.Rejection{Reason: errcode.LimitPattern}
		case fault == "validator panics" && err != nil:
			panic(err)
		}
		return err
	}
	typ := Of("point", []byte(pointSchema), decode, validate)
	typ.FormatAssertion = true
	return typ
}

// judge says what generated code would: the scan's refusal, or a rejection.
func judge(live *ours.Judge, src []byte) error {
	v, err := live.Document(src)
	switch {
	case err != nil:
		return err
	case v == wire.Valid:
		return nil
	}
	for _, violation := range live.Violations(src) {
		return &wire.Rejection{Offset: len(violation.Pointer), Number: len(violation.SchemaPointer)}
	}
	return &wire.Rejection{}
}

func TestLawsHold(t *testing.T) {
	r := Run(Options{Documents: 400}, fake(t, ""))[0]
	if !r.Ok() || len(r.Rows) != 5 {
		t.Fatal(r)
	}
	t.Log(r)
	for _, row := range r.Rows {
		least := map[string]int{"round trip": 150, "agreement": 400, "closed": 150, "live": 400, "samples": 150}[row.Law.Name]
		if row.Documents != 400 || row.Relevant < least {
			t.Errorf("%s: %d documents, %d of them relevant, want at least %d", row.Law.Name, row.Documents, row.Relevant, least)
		}
	}
}

// Each law must fail on a type that breaks it, and on no other account; the document that shows it must be
// small.
func TestEachLawCanFail(t *testing.T) {
	for _, c := range []struct {
		fault string
		laws  string
		size  int // of the document that is reported, at most
	}{
		{"unknown members are lost", "round trip", 30},
		{"integers as floats", "round trip, closed", 45},
		{"empty lists as null", "round trip, closed", 20},
		{"encoder starts anew", "round trip", 20},
		{"encoder panics", "round trip, closed", 20},
		{"decoder panics", "round trip, agreement, closed", 45},
		{"decoder gives another reason", "agreement", 4},
		{"decoder takes points without a list", "round trip, agreement", 12},
		{"broken documents decode", "round trip, agreement", 200},
		{"broken documents are invalid", "agreement, live", 200},
		{"validator takes everything", "agreement, live", 4},
		{"validator refuses names", "agreement, closed, live, samples", 400},
		{"validator writes", "agreement", 60},
		{"validator is undecided", "agreement, live", 4},
		{"validator panics", "agreement, live", 4},
	} {
		r := Run(Options{}, fake(t, c.fault))[0]
		var broken []string
		for _, w := range r.Wrong {
			broken = append(broken, w.Law.Name)
			if w.Reason == "" || w.Law.Statement == "" || len(w.Document.Bytes) > c.size {
				t.Errorf("%s: %s is shown by %s: %s", c.fault, w.Law.Name, w.Document, w.Reason)
			}
		}
		if got := strings.Join(broken, ", "); got != c.laws || r.Fault != "" {
			t.Errorf("%s breaks %s, want %s: %s", c.fault, got, c.laws, r)
		}
	}
}

// recorder is a testing.TB that keeps what it is told.
type recorder struct {
	testing.TB
	logs, errors []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Log(args ...any)   { r.logs = append(r.logs, args[0].(string)) }
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, args[0].(string)) }

func TestCheck(t *testing.T) {
	rec := &recorder{TB: t}
	Check(rec, Options{Documents: 50}, fake(t, ""), fake(t, "unknown members are lost"))
	if len(rec.logs) != 1 || !strings.HasPrefix(rec.logs[0], "point: 50 documents: round trip on ") {
		t.Errorf("logged %q", rec.logs)
	}
	if len(rec.errors) != 1 || !strings.Contains(rec.errors[0], "broken: round trip: A document that is decoded") || !strings.Contains(rec.errors[0], "seed ") {
		t.Errorf("reported %q", rec.errors)
	}
}

// The same options give the same report, down to the document that a law is broken by.
func TestReportsAreReproducible(t *testing.T) {
	first := Run(Options{Seed: 7}, fake(t, "unknown members are lost"))[0].String()
	if again := Run(Options{Seed: 7}, fake(t, "unknown members are lost"))[0].String(); first != again {
		t.Errorf("%s\nthen\n%s", first, again)
	}
	if other := Run(Options{Seed: 8}, fake(t, ""))[0].String(); other == first {
		t.Error("another seed changes nothing")
	}
}

// A law that no document was there for does not hold.
func TestNothingToJudge(t *testing.T) {
	for _, c := range []struct {
		typ   Type
		fault string
	}{
		{Type{Name: "refused", Schema: []byte(`{"type":"strin"}`)}, "schema/value"},
		{Type{Name: "broken", Schema: []byte(`{`)}, "load/syntax"},
		{Type{Name: "nowhere", Schema: []byte(`{"$ref":"https://elsewhere.test/x"}`)}, "schema/network"},
		{Of("never", []byte(`{"type":"string","minLength":100000}`), decodeRaw, func([]byte) error { return &wire.Rejection{} }), "give examples"},
		{Of("none", []byte(`true`), func([]byte) (raw, error) { return nil, &wire.Rejection{} }, func([]byte) error { return &wire.Rejection{} }), "none was accepted"},
	} {
		if r := Run(Options{Documents: 20}, c.typ)[0]; r.Ok() || !strings.Contains(r.Fault, c.fault) {
			t.Errorf("%s: %s, want %s", c.typ.Name, r, c.fault)
		}
	}
}

// raw keeps the document.
type raw []byte

func (r raw) AppendJSON(dst []byte) []byte { return append(dst, r...) }

func decodeRaw(src []byte) (raw, error) { return src, nil }

// Examples stand in where no sample is found, and are held against the law of samples as well.
func TestExamples(t *testing.T) {
	const schema = `{"type":"string","minLength":70000}`
	long := []byte(`"` + strings.Repeat("a", 70_000) + `"`)
	validate := func(src []byte) error {
		var tape wire.Tape
		if err := tape.Scan(src, wire.Limits{}); err != nil {
			return err
		}
		if tape.Kind(0) != wire.KindString || tape.Count(0) < 70_000 {
			return &wire.Rejection{}
		}
		return nil
	}
	typ := Of("long", []byte(schema), func(src []byte) (raw, error) { return src, validate(src) }, validate)
	typ.Examples = [][]byte{long}
	if r := Run(Options{}, typ)[0]; !r.Ok() {
		t.Error(r)
	}
	typ.Examples = [][]byte{[]byte(`"short"`)}
	if r := Run(Options{}, typ)[0]; len(r.Wrong) != 1 || r.Wrong[0].Law.Name != "samples" || r.Wrong[0].Document.Origin != "example" {
		t.Error(r)
	}
}

// Hostile documents are refused by the scan, each for another reason.
func TestHostile(t *testing.T) {
	reasons := map[errcode.Reason]int{}
	for seed := range uint64(300) {
		doc := []byte(`{"a":[1,{"b":"c"}],"d":null}`)
		out := hostile(doc, seed)
		_, err := canonical(out)
		var refusal *wire.Error
		if !errors.As(err, &refusal) {
			t.Fatalf("%s is accepted", out)
		}
		reasons[refusal.Reason]++
		if !bytes.Equal(doc, []byte(`{"a":[1,{"b":"c"}],"d":null}`)) {
			t.Fatal("the document was changed in place")
		}
	}
	for _, r := range []errcode.Reason{errcode.NotJSON, errcode.NotUTF8, errcode.DuplicateKey} {
		if reasons[r] < 10 {
			t.Errorf("%v", reasons)
		}
	}
}
