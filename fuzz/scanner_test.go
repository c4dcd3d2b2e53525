package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// hostile are documents that break naive readers. Some are accepted.
var hostile = []string{
	``, ` `, `null`, `nul`, `true false`, `[1,]`, `{"a":1,}`, `[1 2]`, `{"a" 1}`, `{,}`, `[}`, `{]`, `NaN`, `-Infinity`, `'a'`, `// x`,
	`0`, `-0`, `00`, `-01`, `1.`, `.5`, `1e`, `1e+`, `+1`, `1.10`, `1e400`, `1e-400`, `9007199254740993`, `1e99999999999999999999`, `0x10`,
	`""`, `"`, `"\"`, `"\\"`, `"\x"`, `"\u"`, `"\u00g0"`, `"\ud800"`, `"\udc00"`, `"\ud83d\ude00"`, `"\ud83d\ud83d\ude00"`, `"\ud83dx"`, `"\ud83d`,
	"\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\t\"", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe4\xb8\"", "\"\xe4", "\ufeff1", "\xff\xfe1\x00", "\u2028", "\"\u2028\"",
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"":1,"":2}`, `{"a":{"a":1}}`, `[{"a":1},{"a":1}]`, `{"\ud83d\ude00":1,"😀":2}`, `{"__proto__":1}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17,"a":18}`,
	`{"01234567a76543210":1,"01234567b76543210":2,"01234567a76543210":3}`,
	` { "b" : [ 1.0 , -0 , 10e-1 ] , "a" : { "é" : "\u00e9" , "中" : "x y" } } `,
	`{"a":[{"b":[{"c":[]}]}],"\/~":{"":{"0":null}}}`,
	strings.Repeat("[", 1024) + strings.Repeat("]", 1024), strings.Repeat("[", 1025) + strings.Repeat("]", 1025), strings.Repeat("[", 100_000),
	strings.Repeat(`{"a":`, 1024) + "0" + strings.Repeat("}", 1024), strings.Repeat(`{"":[`, 600),
	`"` + strings.Repeat("é日😀a", 40) + `"`, `["` + strings.Repeat(`\n`, 100) + `"]`, `[` + strings.Repeat("0,", 300) + `0]`,
}

// events lists what a document holds, in order: brackets, "k" and a name, "s" and a string, "n" and the
// spelling of a number, literals. ok is false when encoding/json refuses the document, or when two names of
// one object are equal.
func events(src []byte) (list []string, depth, values int, ok bool) {
	if !json.Valid(src) {
		return nil, 0, 0, false
	}
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	type container struct {
		names map[string]bool // nil for an array
		value bool            // a name was read, its value comes next
	}
	var stack []container
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list, depth, values, true
		}
		if err != nil {
			return nil, 0, 0, false
		}
		if delim, isDelim := token.(json.Delim); isDelim && (delim == '}' || delim == ']') {
			list = append(list, delim.String())
			stack = stack[:len(stack)-1]
			continue
		}
		if n := len(stack); n > 0 && stack[n-1].names != nil {
			if !stack[n-1].value {
				name := token.(string)
				if stack[n-1].names[name] {
					return nil, 0, 0, false
				}
				stack[n-1].names[name], stack[n-1].value = true, true
				list = append(list, "k"+name)
				continue
			}
			stack[n-1].value = false
		}
		values++
		switch v := token.(type) {
		case json.Delim:
			c := container{}
			if v == '{' {
				c.names = map[string]bool{}
			}
			list = append(list, v.String())
			stack = append(stack, c)
			depth = max(depth, len(stack))
		case string:
			list = append(list, "s"+v)
		case json.Number:
			list = append(list, "n"+v.String())
		case bool:
			list = append(list, strconv.FormatBool(v))
		case nil:
			list = append(list, "null")
		}
	}
}

// tapeEvents lists the same of a tape.
func tapeEvents(t *wire.Tape) (list []string) {
	var ends []int // of open containers
	var closers []string
	for i := 0; i <= t.Len(); i++ {
		for len(ends) > 0 && ends[len(ends)-1] == i {
			list = append(list, closers[len(closers)-1])
			ends, closers = ends[:len(ends)-1], closers[:len(closers)-1]
		}
		if i == t.Len() {
			break
		}
		switch n := t.Node(i); n.Kind {
		case wire.KindObject:
			list = append(list, "{")
			ends, closers = append(ends, t.Next(i)), append(closers, "}")
		case wire.KindArray:
			list = append(list, "[")
			ends, closers = append(ends, t.Next(i)), append(closers, "]")
		case wire.KindString:
			if n.Flags&wire.Name != 0 {
				list = append(list, "k"+t.String(i))
			} else {
				list = append(list, "s"+t.String(i))
			}
		case wire.KindNumber:
			list = append(list, "n"+string(t.Raw(i)))
		default:
			list = append(list, string(t.Raw(i)))
		}
	}
	return list
}

// loneSurrogate reports whether a valid JSON text escapes half of a surrogate pair.
func loneSurrogate(src []byte) bool {
	high := false // the unit before was a high half
	inString := false
	for i := 0; i < len(src); i++ {
		unit := -1
		switch {
		case !inString:
			inString = src[i] == '"'
			continue
		case src[i] == '"':
			inString = false
		case src[i] == '\\' && src[i+1] == 'u':
			v, _ := strconv.ParseUint(string(src[i+2:i+6]), 16, 16)
			unit = int(v)
			i += 5
		case src[i] == '\\':
			i++
		}
		low := unit >= 0xdc00 && unit <= 0xdfff
		if high != low {
			return true
		}
		high = unit >= 0xd800 && unit <= 0xdbff
	}
	return false
}

// FuzzScan: wire accepts exactly what encoding/json accepts, less what the ingest rules take away; the tape
// says what encoding/json reads; what a tape says about itself holds.
func FuzzScan(f *testing.F) {
	for _, src := range hostile {
		f.Add([]byte(src))
	}
	var tape wire.Tape // warm: nothing may leak from one document into the next
	f.Fuzz(func(t *testing.T, src []byte) {
		err := tape.Scan(src, wire.Limits{})
		want, depth, values, valid := events(src)
		valid = valid && utf8.Valid(src) && !loneSurrogate(src) && depth <= 1024 && values <= 1_000_000
		if valid != (err == nil) {
			t.Fatalf("%q: scan says %v, encoding/json and the ingest rules say accepted %v", src, err, valid)
		}
		if err != nil {
			var e *wire.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(src) || e.Reason == "" || !utf8.ValidString(e.Detail) || len(e.Detail) > 300 {
				t.Fatalf("%q: a bad error: %#v", src, err)
			}
			if json.Valid(src) && utf8.Valid(src) && e.Reason == errcode.NotJSON {
				t.Fatalf("%q is JSON, the error is %v", src, err)
			}
			return
		}
		if got := tapeEvents(&tape); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\ntape %q\njson %q", src, got, want)
		}
		checkNodes(t, &tape, values)
		checkLimits(t, src, &tape, depth, values)
		checkCompact(t, src, &tape, want)
	})
}

// checkNodes checks counts, flags, ranges and pointers.
func checkNodes(t *testing.T, tape *wire.Tape, values int) {
	seen := 0
	for i := range tape.Len() {
		n := tape.Node(i)
		if n.Flags&wire.Name == 0 {
			seen++
			if i < 200 { // a pointer costs a walk
				if j, ok := tape.Lookup(tape.Pointer(i)); !ok || j != i {
					t.Fatalf("%q: node %d has pointer %q, which names %d", tape.Source(), i, tape.Pointer(i), j)
				}
			}
		}
		raw := tape.Raw(i)
		switch n.Kind {
		case wire.KindString:
			text := tape.String(i)
			ascii := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
			if tape.Count(i) != utf8.RuneCountInString(text) || (n.Flags&wire.Escaped != 0) != bytes.ContainsRune(raw, '\\') || (n.Flags&wire.NonASCII == 0) != ascii {
				t.Fatalf("%q: count %d, flags %b", raw, tape.Count(i), n.Flags)
			}
			if !tape.NameEqual(i, text) || string(tape.Text(i, nil)) != text || string(tape.AppendString(nil, i)) != text {
				t.Fatalf("%q: readers of the text disagree", raw)
			}
		case wire.KindNumber:
			if (n.Flags&wire.Fraction != 0) != bytes.ContainsAny(raw, ".eE") || tape.Decimal(i).String() != string(raw) {
				t.Fatalf("%q: flags %b, decimal %s", raw, n.Flags, tape.Decimal(i))
			}
		case wire.KindObject:
			count := 0
			for m := tape.Members(i); m.Next(); count++ {
				if count < 50 {
					if v, ok := tape.Find(i, tape.String(m.Name)); !ok || v != m.Value {
						t.Fatalf("%q: member %q is not found", raw, tape.String(m.Name))
					}
				}
			}
			if count != tape.Count(i) {
				t.Fatalf("%q: %d members, counted %d", raw, tape.Count(i), count)
			}
		case wire.KindArray:
			count := 0
			for e := tape.FirstChild(i); e < tape.Next(i); e = tape.Next(e) {
				count++
			}
			if count != tape.Count(i) {
				t.Fatalf("%q: %d elements, counted %d", raw, tape.Count(i), count)
			}
		}
	}
	if seen != values {
		t.Fatalf("%q: %d values on the tape, want %d", tape.Source(), seen, values)
	}
}

// checkLimits scans again with limits that the document just keeps, and just breaks.
func checkLimits(t *testing.T, src []byte, tape *wire.Tape, depth, values int) {
	members := 0
	for i := range tape.Len() {
		if tape.Kind(i) == wire.KindObject {
			members = max(members, tape.Count(i))
		}
	}
	exact := wire.Limits{Bytes: len(src), Depth: max(depth, 1), Nodes: values, Members: max(members, 1)}
	var other wire.Tape
	if err := other.Scan(src, exact); err != nil {
		t.Fatalf("%q with limits %+v: %v", src, exact, err)
	}
	for reason, lim := range map[errcode.Reason]wire.Limits{
		errcode.LimitBytes:   {Bytes: len(src) - 1},
		errcode.LimitDepth:   {Depth: depth - 1},
		errcode.LimitNodes:   {Nodes: values - 1},
		errcode.LimitMembers: {Members: members - 1},
	} {
		if lim.Bytes+lim.Depth+lim.Nodes+lim.Members <= 0 {
			continue // a limit of 0 is the default
		}
		var e *wire.Error
		if err := other.Scan(src, lim); !errors.As(err, &e) || e.Reason != reason {
			t.Fatalf("%q with limits %+v: %v", src, lim, err)
		}
	}
}

// checkCompact: compact changes no event, is its own fixed point, and both ways to it agree.
func checkCompact(t *testing.T, src []byte, tape *wire.Tape, want []string) {
	compact := tape.AppendCompact(nil, tape.Root())
	if bytewise := wire.AppendCompact(nil, src); !bytes.Equal(compact, bytewise) {
		t.Fatalf("%q: compact by tape %q, by bytes %q", src, compact, bytewise)
	}
	var std bytes.Buffer
	if err := json.Compact(&std, src); err != nil || !bytes.Equal(std.Bytes(), compact) {
		t.Fatalf("%q: compact %q, encoding/json %q, %v", src, compact, std.Bytes(), err)
	}
	if got, _, _, ok := events(compact); !ok || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: compact %q holds something else", src, compact)
	}
	var second wire.Tape
	if err := second.Scan(compact, wire.Limits{}); err != nil {
		t.Fatalf("%q: compact %q: %v", src, compact, err)
	}
	if again := second.AppendCompact(nil, second.Root()); !bytes.Equal(again, compact) {
		t.Fatalf("%q: compact %q, then %q", src, compact, again)
	}
}
