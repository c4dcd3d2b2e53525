package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"
	"unsafe"
)

func TestReadScalars(t *testing.T) {
	tape := scanned(t, `["plain","esc\"aped\u00e9",true,false,null,-12,1e2,9223372036854775807,-9223372036854775808,1.10,`+
		`123456789012345678901234567890,{"$resource":"res_1"}]`)
	at := map[int]int{}
	for e := tape.FirstChild(0); e < tape.Next(0); e = tape.Next(e) {
		at[len(at)] = e
	}
	var text string
	type word string
	var w word
	for i, want := range map[int]string{0: "plain", 1: `esc"apedé`} {
		ReadString(&text, tape, at[i])
		ReadText(&w, tape, at[i])
		if text != want || string(w) != want || tape.Label(at[i]) != want {
			t.Errorf("element %d: %q, %q", i, text, w)
		}
	}
	for i, want := range map[int]bool{2: true, 3: false} {
		got := !want
		if ReadBool(&got, tape, at[i]); got != want {
			t.Errorf("element %d: %v", i, got)
		}
	}
	for i, want := range map[int]int64{5: -12, 6: 100, 7: math.MaxInt64, 8: math.MinInt64} {
		var got int64
		if ReadInt64(&got, tape, at[i]); got != want {
			t.Errorf("element %d: %d, want %d", i, got, want)
		}
	}
	var number Number
	if ReadNumber(&number, tape, at[9]); number.String() != "1.10" {
		t.Errorf("number %s", number)
	}
	var integer Int
	if ReadInt(&integer, tape, at[10]); integer.String() != "123456789012345678901234567890" {
		t.Errorf("integer %s", integer)
	}
	var ref Ref
	if ReadRef(&ref, tape, at[11]); ref.ID != "res_1" {
		t.Errorf("reference %+v", ref)
	}
	var null Null
	ReadNull(&null, tape, at[4])
}

// Strings alias the document exactly where it has no escapes.
func TestReadAliases(t *testing.T) {
	src := []byte(`["plain","a\tb",{"a":1},{"a": 1}]`)
	var tape Tape
	if err := tape.Scan(src, Limits{}); err != nil {
		t.Fatal(err)
	}
	inSource := func(p *byte) bool {
		offset := uintptr(unsafe.Pointer(p)) - uintptr(unsafe.Pointer(&src[0]))
		return offset < uintptr(len(src))
	}
	var got []bool
	i := -1
	for e := tape.FirstChild(0); e < tape.Next(0); e = tape.Next(e) {
		i++
		if i < 2 {
			var s string
			ReadString(&s, &tape, e)
			got = append(got, inSource(unsafe.StringData(s)))
			continue
		}
		var raw Raw
		ReadRaw(&raw, &tape, e)
		if raw.String() != `{"a":1}` {
			t.Errorf("raw %s", raw)
		}
		got = append(got, inSource(&raw[0]))
	}
	if want := []bool{true, false, true, false}; !reflect.DeepEqual(got, want) {
		t.Errorf("aliases: %v, want %v", got, want)
	}
}

func TestReadRawDropsWhitespace(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{` [ ] `, `[]`}, {`[]`, `[]`}, {"{\n}", `{}`}, {`{"a b": "c d"}`, `{"a b":"c d"}`}, {`[1 ,2]`, `[1,2]`}, {`[[1],[2 ]]`, `[[1],[2]]`},
		{` "x y" `, `"x y"`}, {`{"a":{"b":[ ]}}`, `{"a":{"b":[]}}`},
	} {
		tape := scanned(t, c.src)
		var raw Raw
		if ReadRaw(&raw, tape, 0); string(raw) != c.want {
			t.Errorf("%q: %q, want %q", c.src, raw, c.want)
		}
	}
}

func TestReadContainers(t *testing.T) {
	tape := scanned(t, `{"list":["a","b"],"none":[],"map":{"x":1,"y\n":2},"empty":{}}`)
	var lists [][]string
	var maps []Entries[int64]
	var extra Entries[Raw]
	for m := tape.Members(0); m.Next(); {
		if tape.Kind(m.Value) == KindArray {
			var v []string
			ReadList(&v, tape, m.Value, ReadString)
			lists = append(lists, v)
		} else {
			var v Entries[int64]
			ReadEntries(&v, tape, m.Value, ReadInt64)
			maps = append(maps, v)
		}
		ReadEntry(&extra, tape, m.Name, ReadRaw)
	}
	if got, want := fmt.Sprintf("%q %v", lists, maps), `[["a" "b"] []] [[{x 1} {y`+"\n"+` 2}] []]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(extra), `[{list ["a","b"]} {none []} {map {"x":1,"y\n":2}} {empty {}}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEntries(t *testing.T) {
	var list Entries[int]
	if _, ok := list.Get("a"); ok {
		t.Error("no entries have a member")
	}
	list.Set("a", 1)
	list.Set("b", 2)
	list.Set("a", 3)
	if v, ok := list.Get("a"); v != 3 || !ok || fmt.Sprint(list) != "[{a 3} {b 2}]" {
		t.Errorf("%v", list)
	}
}

func TestFill(t *testing.T) {
	var o Opt[Nullable[string]]
	*o.Fill().Fill() = "x"
	if v, ok := o.Get(); !ok || v != NotNull("x") {
		t.Errorf("%v %v", v, ok)
	}
}

func TestCaseOf(t *testing.T) {
	constants := ConstantsOf(`"a"`, `1`, `null`)
	for src, want := range map[string]int{
		`{"k":"a"}`: 0, `{"k":"\u0061"}`: 0, `{"k":1.0}`: 1, `{"x":0,"k":null}`: 2, `{"k":"b"}`: Other, `{"K":"a"}`: Absent, `{}`: Absent,
	} {
		if got := CaseOf(scanned(t, src), 0, "k", constants); got != want {
			t.Errorf("%s: %d, want %d", src, got, want)
		}
	}
	var level string
	tape := scanned(t, `1.0`)
	if ReadConstant(&level, tape, 0, constants); level != "1" {
		t.Errorf("constant %q", level)
	}
}

func TestDecode(t *testing.T) {
	isString := func(j *Judge, n int) bool { return j.Is(n, AString, 0) }
	var rules Rules
	decode := func(src []byte) (v string, err error) {
		err = Decode(src, isString, &rules, func(t *Tape) { ReadString(&v, t, 0) })
		return v, err
	}
	if v, err := decode([]byte(`"x"`)); v != "x" || err != nil {
		t.Errorf("%q %v", v, err)
	}
	var rejection *Rejection
	if v, err := decode([]byte(`1`)); v != "" || !errors.As(err, &rejection) {
		t.Errorf("%q %v", v, err)
	}
	var refusal *Error
	if v, err := decode([]byte(`"`)); v != "" || !errors.As(err, &refusal) {
		t.Errorf("%q %v", v, err)
	}

	// Unmarshal leaves *x alone when it fails, and does not keep what it was given.
	src := []byte(`"abc"`)
	var x string
	if err := Unmarshal(&x, src, decode); x != "abc" || err != nil {
		t.Errorf("%q %v", x, err)
	}
	copy(src, `"---"`)
	if err := Unmarshal(&x, []byte("?"), decode); x != "abc" || err == nil {
		t.Errorf("%q %v", x, err)
	}
}

// What Decode is given belongs to the value: its strings alias it. A caller with a buffer of its own gives a
// copy, and may then overwrite the buffer at once, while others use the judges and tapes that were given
// back. Under the race detector this also shows that nothing of a value lies in what is pooled.
func TestDecodeOwnsItsInput(t *testing.T) {
	anything := func(j *Judge, n int) bool { return true }
	decode := func(src []byte) (v Entries[Raw], err error) {
		err = Decode(src, anything, new(Rules), func(t *Tape) { ReadEntries(&v, t, 0, ReadRaw) })
		return v, err
	}
	src := []byte(`{"name":"value"}`)
	v, err := decode(src)
	if err != nil {
		t.Fatal(err)
	}
	copy(src, `{"NAME":"VALUE"}`)
	if v[0].Name != "NAME" || v[0].Value.String() != `"VALUE"` {
		t.Errorf("the value %v does not alias its input", v)
	}

	buffers := sync.Pool{New: func() any { return new([]byte) }}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			var kept []Entries[Raw]
			for i := range 200 {
				buffer := buffers.Get().(*[]byte)
				*buffer = fmt.Appendf((*buffer)[:0], `{"n%d":[%d, "e\u0041"]}`, worker, i)
				v, err := decode(bytes.Clone(*buffer))
				clear(*buffer)
				buffers.Put(buffer)
				if err != nil {
					t.Error(err)
					return
				}
				kept = append(kept, v)
			}
			for i, v := range kept {
				if want := fmt.Sprintf(`[{n%d [%d,"e\u0041"]}]`, worker, i); fmt.Sprint(v) != want {
					t.Errorf("got %v, want %s", v, want)
				}
			}
		})
	}
	group.Wait()
}

func TestAppendParts(t *testing.T) {
	for _, c := range []struct {
		got  []byte
		want string
	}{
		{Comma([]byte("{")), "{"}, {Comma([]byte("[")), "["}, {Comma([]byte("[1")), "[1,"}, {Comma([]byte("[[]")), "[[],"},
		{AppendName([]byte("{"), "a\"b"), `{"a\"b":`}, {AppendName([]byte(`{"a":1`), ""), `{"a":1,"":`},
		{AppendValue([]byte("x"), nil), "xnull"}, {AppendValue(nil, NumberOf(7)), "7"}, {AppendValue(nil, Null{}), "null"},
		{AppendInt(nil, math.MinInt64), "-9223372036854775808"}, {AppendBool([]byte("["), true), "[true"},
	} {
		if string(c.got) != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	if out, err := json.Marshal([]Null{{}}); string(out) != "[null]" || err != nil {
		t.Errorf("%s %v", out, err)
	}
}

func TestRawText(t *testing.T) {
	for raw, want := range map[string]string{`"a\nb"`: "a\nb", `""`: ""} {
		if got, ok := Raw(raw).Text(); got != want || !ok {
			t.Errorf("%s: %q %v", raw, got, ok)
		}
	}
	for _, raw := range []string{`1`, `"`, `"a" `[:2], ``, `["a"]`} {
		if got, ok := Raw(raw).Text(); ok {
			t.Errorf("%s: %q", raw, got)
		}
	}
}
