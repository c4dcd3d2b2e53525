package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/errcode"
)

// members returns an object with n members whose names are made by name.
func members(n int, name func(k int) string) string {
	parts := make([]string, n)
	for k := range n {
		parts[k] = `"` + name(k) + `":0`
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func numbered(k int) string { return fmt.Sprintf("name%d", k) }

func TestLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name, src string
		lim       Limits
		reason    errcode.Reason // "" when accepted
		offset    int
		limit     int
	}{
		{"bytes", `[1,2]`, Limits{Bytes: 5}, "", 0, 0},
		{"bytes over", `[1,2]`, Limits{Bytes: 4}, errcode.LimitBytes, 4, 4},
		{"depth of a scalar", `1`, Limits{Depth: 1}, "", 0, 0},
		{"depth", `[{"a":1},[]]`, Limits{Depth: 2}, "", 0, 0},
		{"depth over", `[{"a":1},[{}]]`, Limits{Depth: 2}, errcode.LimitDepth, 10, 2},
		{"depth by default", deep(1024), Limits{}, "", 0, 0},
		{"depth over by default", deep(1025), Limits{}, errcode.LimitDepth, 1024, 1024},
		{"depth by option", deep(100_000), Limits{Depth: 100_000}, "", 0, 0},
		{"depth is not the number of containers", `[[],[],[],{},{}]`, Limits{Depth: 2}, "", 0, 0},
		{"nodes", `{"a":1,"b":[2]}`, Limits{Nodes: 4}, "", 0, 0},
		{"nodes over", `{"a":1,"b":[2,3]}`, Limits{Nodes: 4}, errcode.LimitNodes, 14, 4},
		{"nodes by default", "[" + strings.Repeat("0,", 999_998) + "0]", Limits{}, "", 0, 0},
		{"nodes over by default", "[" + strings.Repeat("0,", 999_999) + "0]", Limits{}, errcode.LimitNodes, 1 + 2*999_999, 1_000_000},
		{"members", `{"a":1,"b":{"a":1,"b":2}}`, Limits{Members: 2}, "", 0, 0},
		{"members over", `{"a":1,"b":{"a":1,"b":2,"c":3}}`, Limits{Members: 2}, errcode.LimitMembers, 24, 2},
		{"members of an array do not count", `[1,2,3,4,5]`, Limits{Members: 2}, "", 0, 0},
		{"members by default", members(65_536, numbered), Limits{}, "", 0, 0},
		{"members over by default", members(65_537, numbered), Limits{}, errcode.LimitMembers, strings.LastIndex(members(65_537, numbered), `"name`), 65_536},
		{"a negative limit is the default", `[1]`, Limits{Bytes: -1, Depth: -1, Nodes: -1, Members: -1}, "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tape Tape
			err := tape.Scan([]byte(c.src), c.lim)
			var e *Error
			switch {
			case c.reason == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.reason != "" && !errors.As(err, &e):
				t.Errorf("accepted")
			case e != nil && (e.Reason != c.reason || e.Offset != c.offset || e.Limit != c.limit):
				t.Errorf("got %v (limit %d), want %s at %d (limit %d)", err, e.Limit, c.reason, c.offset, c.limit)
			}
		})
	}
	e := overLimit(7, errcode.LimitDepth, "nested arrays and objects", 3)
	if got := e.Error(); got != "offset 7: LIMIT_DEPTH: more than 3 nested arrays and objects" {
		t.Errorf("text: %s", got)
	}
}

// TestDuplicateInLargeObject puts the second name at the ends and in the middle of objects of sizes around
// the change from comparing one by one to the table.
func TestDuplicateInLargeObject(t *testing.T) {
	const prefix = `[{"name0":1},`
	for _, n := range []int{2, 3, linearNames - 1, linearNames, linearNames + 1, linearNames + 2, 100, 5000} {
		for _, pair := range [][2]int{{0, n - 1}, {0, 1}, {n - 2, n - 1}, {n / 2, n - 1}} {
			for _, spelling := range []string{`name%d`, `\u006eame%d`} {
				first, second := pair[0], pair[1]
				if first >= second {
					continue
				}
				src := members(n, func(k int) string {
					if k == second {
						return fmt.Sprintf(spelling, first)
					}
					return numbered(k)
				})
				src = prefix + src + `]`
				var tape Tape
				err := tape.Scan([]byte(src), Limits{})
				var e *Error
				if !errors.As(err, &e) || e.Reason != errcode.DuplicateKey {
					t.Fatalf("%d members, names %d and %d equal: %v", n, first, second, err)
				}
				// The names before it, and a comma in the place of the closing brace.
				if want := len(prefix) + len(members(second, numbered)); e.Offset != want {
					t.Errorf("%d members, names %d and %d equal: offset %d, want %d", n, first, second, e.Offset, want)
				}
				if want := fmt.Sprintf(`the object has a second member "name%d"`, first); e.Detail != want {
					t.Errorf("detail %s", e.Detail)
				}
			}
		}
	}
	long := strings.Repeat("中", 200)
	var tape Tape
	err := tape.Scan([]byte(`{"`+long+`":1,"`+long+`":2}`), Limits{})
	if want := `offset 606: DUPLICATE_KEY: the object has a second member "` + strings.Repeat("中", 21) + `…"`; err == nil || err.Error() != want {
		t.Errorf("a long name: %v", err)
	}
}

// TestKeysOfShortNames: names of at most seven bytes have keys of their own.
func TestKeysOfShortNames(t *testing.T) {
	seen := map[uint64]string{}
	names := []string{""}
	for len(names[0]) < 7 {
		var longer []string
		for _, name := range names {
			longer = append(longer, name+"a", name+"b", name+"\x00")
		}
		names = longer
		for _, name := range names {
			if other, ok := seen[nameKey([]byte(name))]; ok {
				t.Fatalf("%q and %q have one key", name, other)
			}
			seen[nameKey([]byte(name))] = name
		}
	}
}

// TestNamesOfNestedObjects mixes large and small open objects, so that keys of an outer object must survive an inner one.
func TestNamesOfNestedObjects(t *testing.T) {
	inner := members(40, numbered)
	var outer strings.Builder
	outer.WriteString(`{"v":` + inner)
	for k := range 40 {
		fmt.Fprintf(&outer, `,"name%d":{"name%[1]d":%s}`, k, inner)
	}
	good := outer.String() + "}"
	bad := outer.String() + `,"name3":0}`
	var tape Tape
	if err := tape.Scan([]byte(good), Limits{}); err != nil {
		t.Fatal(err)
	}
	if v, ok := tape.Lookup("/name39/name39/name39"); !ok || tape.Kind(v) != KindNumber {
		t.Error("a member of the last object is not found")
	}
	if len(tape.keys) != 0 {
		t.Errorf("%d words are left on the stack of keys", len(tape.keys))
	}
	if err := tape.Scan([]byte(bad), Limits{}); err == nil {
		t.Error("a duplicate of the outer object is not found")
	}
	few := `{"a":{"a":{"b":1,"c":2},"b":3},"b":{"a":1},"a":0}`
	err := tape.Scan([]byte(few), Limits{})
	if e := new(Error); !errors.As(err, &e) || e.Offset != strings.LastIndex(few, `"a"`) {
		t.Errorf("few members: %v", err)
	}
}

// hostile documents, each scanned on a warm tape.
func hostileDocuments() map[string]string {
	r := rand.New(rand.NewPCG(3, 4))
	var mixed strings.Builder
	mixed.WriteByte('[')
	for k := range 2000 {
		if k > 0 {
			mixed.WriteByte(',')
		}
		fmt.Fprintf(&mixed, `{"id":%d,"\u006eame":"中文 text %d","v":[%d.5,true,null,{"x":"%s"}]}`, k, k, r.IntN(1000), strings.Repeat("é", k%50))
	}
	mixed.WriteByte(']')
	return map[string]string{
		"mixed":          mixed.String(),
		"deep":           strings.Repeat(`[`, 1000) + strings.Repeat(`]`, 1000),
		"deep objects":   strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat(`}`, 1000),
		"65,536 members": members(65_536, numbered),
		"escaped names":  members(60_000, func(k int) string { return fmt.Sprintf(`\u4e2d%d`, k) }),
		"equal keys":     "[" + strings.Repeat(members(linearNames, func(k int) string { return fmt.Sprintf(`01234567%04d76543210`, k) })+",", 2000) + "0]",
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	for name, src := range hostileDocuments() {
		doc := []byte(src)
		var tape Tape
		if n := testing.AllocsPerRun(5, func() {
			if err := tape.Scan(doc, Limits{}); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestReadersAllocateNothing covers what validators call in steady state.
func TestReadersAllocateNothing(t *testing.T) {
	tape := scanned(t, `{"s":"text","e":"\u0065","n":123.50,"o":{"b":1,"a":[1,2,{"x":"y"}]},"p":{"a":[1.0,2,{"x":"y"}],"b":1}}`)
	o, _ := tape.Lookup("/o")
	p, _ := tape.Lookup("/p")
	n, _ := tape.Lookup("/n")
	e, _ := tape.Lookup("/e")
	buf := make([]byte, 0, 1024)
	for name, f := range map[string]func(){
		"find":      func() { tape.Find(0, "p") },
		"members":   func() { m := tape.Members(0); m.Next() },
		"text":      func() { tape.Text(e, buf) },
		"decimal":   func() { tape.Decimal(n).Cmp(tape.Decimal(n)) },
		"hash":      func() { Hash(tape, 0) },
		"equal":     func() { Equal(tape, o, tape, p) },
		"canonical": func() { AppendCanonical(buf, tape, o) },
		"compact":   func() { tape.AppendCompact(buf, 0) },
		"quoted":    func() { AppendQuoted(buf, "a\tb中") },
		"pointer":   func() { tape.AppendPointer(buf, n) },
		"lookup":    func() { tape.Lookup("/p/a/2/x") },
	} {
		if a := testing.AllocsPerRun(100, f); a != 0 {
			t.Errorf("%s: %v allocations", name, a)
		}
	}
}

func TestScratchIsGivenBack(t *testing.T) {
	var tape Tape
	many := []byte(members(65_536, numbered))
	level := strings.TrimSuffix(members(linearNames-1, numbered), "}") + `,"last":`
	for _, src := range []string{
		`{"\u0061` + strings.Repeat("b", 2*keptText) + `":0}`,
		strings.Repeat(level, 2000) + "0" + strings.Repeat("}", 2000),
		string(many),
		"[" + strings.Repeat("0,", 999_998) + "0]",
	} {
		if err := tape.Scan([]byte(src), Limits{Depth: 2000}); err != nil {
			t.Fatal(err)
		}
	}
	grown := func() bool {
		return cap(tape.nodes) > keptNodes || cap(tape.keys) > keptSlots || cap(tape.table) > keptSlots || cap(tape.text) > keptText
	}
	sizes := func() string {
		return fmt.Sprintf("%d nodes, %d keys, %d slots, %d bytes of text", cap(tape.nodes), cap(tape.keys), cap(tape.table), cap(tape.text))
	}
	if cap(tape.nodes) <= keptNodes || cap(tape.keys) <= keptSlots || cap(tape.table) <= keptSlots || cap(tape.text) <= keptText {
		t.Fatalf("the test does not test: %s", sizes())
	}
	if err := tape.Scan([]byte(`{"a":1}`), Limits{}); err != nil {
		t.Fatal(err)
	}
	if grown() {
		t.Errorf("a small document keeps %s", sizes())
	}
	if err := tape.Scan(many, Limits{}); err != nil || !grown() {
		t.Fatalf("%v, %s", err, sizes())
	}
	tape.Reset()
	if tape.Len() != 0 || tape.Source() != nil || grown() {
		t.Errorf("after Reset: %s", sizes())
	}
	if err := tape.Scan([]byte(`[1]`), Limits{}); err != nil || tape.Len() != 2 {
		t.Errorf("a scan after Reset: %v", err)
	}
}

// fastest returns the shortest of several runs of f.
func fastest(f func()) time.Duration {
	best := time.Hour
	for range 7 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// growth is how much larger the second of two sizes is. Quadratic cost would take growth² times as long; a
// test fails at a quarter of that, which leaves a factor of 16 for caches, allocation and a noisy machine.
const growth = 64

// checkLinear compares the times for two sizes, growth apart.
func checkLinear(t *testing.T, name string, small, large time.Duration) {
	t.Helper()
	if large > growth*growth/4*max(small, time.Microsecond) {
		t.Errorf("%s: %v, then %v for %d times as much", name, small, large, growth)
	}
}

// TestScanIsLinear scans documents of one shape in two sizes.
func TestScanIsLinear(t *testing.T) {
	shapes := map[string]func(n int) string{
		"members": func(n int) string { return members(n, numbered) },
		"members with equal beginnings and ends": func(n int) string {
			return members(n, func(k int) string { return fmt.Sprintf("01234567%06d76543210", k) })
		},
		"escaped members":           func(n int) string { return members(n, func(k int) string { return fmt.Sprintf(`\u0061%06d`, k) }) },
		"depth":                     func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) },
		"object depth":              func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) },
		"digits":                    func(n int) string { return strings.Repeat("7", n) },
		"escapes":                   func(n int) string { return `"` + strings.Repeat(`\ud83d\ude00`, n) + `"` },
		"space":                     func(n int) string { return strings.Repeat(" ", n) + "1" },
		"alternating ASCII and not": func(n int) string { return `"` + strings.Repeat("aé", n) + `"` },
	}
	for name, shape := range shapes {
		var times [2]time.Duration
		for k, n := range []int{1024, 1024 * growth} {
			src := []byte(shape(n))
			var tape Tape
			times[k] = fastest(func() {
				if err := tape.Scan(src, Limits{Depth: n, Members: n}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			})
		}
		checkLinear(t, name, times[0], times[1])
	}
}

// TestEqualIsLinear compares and hashes an object and the same in reverse order.
func TestEqualIsLinear(t *testing.T) {
	var times [2]time.Duration
	for k, n := range []int{512, 512 * growth} {
		a := scanned(t, members(n, numbered))
		b := scanned(t, members(n, func(k int) string { return numbered(n - 1 - k) }))
		times[k] = fastest(func() {
			if !Equal(a, 0, b, 0) || Hash(a, 0) != Hash(b, 0) {
				t.Fatal("reversed objects are not equal")
			}
		})
	}
	checkLinear(t, "equal", times[0], times[1])
}

// TestDecimalIsLinear does the same for numbers: digits, and exponents beyond any machine word.
func TestDecimalIsLinear(t *testing.T) {
	for name, shape := range map[string]func(n int) string{
		"digits":   func(n int) string { return strings.Repeat("7", n) + ".5" },
		"exponent": func(n int) string { return "1e" + strings.Repeat("7", n) },
		"zeros":    func(n int) string { return "0." + zeros(n) + "1" },
	} {
		var times [2]time.Duration
		for k, n := range []int{1 << 12, 1 << 12 * growth} {
			text := shape(n)
			other := text[:len(text)-1] + "3"
			times[k] = fastest(func() {
				a, ok := ParseDecimal(text)
				b, ok2 := ParseDecimal(other)
				if !ok || !ok2 || a.Cmp(b) == 0 {
					t.Fatal(name)
				}
				_ = a.Canonical()
				a.Multiple(Decimal{})
				a.Multiple(DecimalOf(7))
			})
		}
		checkLinear(t, name, times[0], times[1])
	}
}

// TestScanCutAnywhere cuts a document at every byte and changes every byte: no panic, no read beyond the
// end, and whatever is accepted has a tape that covers it.
func TestScanCutAnywhere(t *testing.T) {
	doc := []byte(`{"a":[1.5e+3,-0,true,false,null],"\u0062\ud83d\ude00":"x\n中é😀 plain text beyond a word","c":{"d":{}, "e":[] }}`)
	var tape Tape
	for i := range doc {
		cut := bytes.Clone(doc[:i]) // a read beyond the end is a panic
		if err := tape.Scan(slices.Clip(cut), Limits{}); err == nil {
			t.Errorf("the first %d bytes are accepted", i)
		}
	}
	changed := bytes.Clone(doc)
	for i := range doc {
		for b := range 256 {
			changed[i] = byte(b)
			if tape.Scan(changed, Limits{}) == nil && (tape.Next(0) != tape.Len() || tape.Node(0).Start != 0 || int(tape.Node(0).End) != len(doc)) {
				t.Errorf("byte %d as %#x: the tape does not cover the document", i, b)
			}
		}
		changed[i] = doc[i]
	}
}
