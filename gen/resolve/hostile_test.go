package resolve_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"vcp.core/gen/diag"
	"vcp.core/gen/resolve"
)

// doubling is a bomb: every definition uses the one before it twice.
func doubling(levels int, level string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d` + strconv.Itoa(levels) + `","$defs":{"d0":{"type":"null"}`)
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, `,"d%d":`, i)
		b.WriteString(strings.ReplaceAll(level, "@", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i-1)))
	}
	b.WriteString("}}")
	return b.String()
}

// list repeats a unit, "%d" in it numbered, up to n times.
func list(head string, n int, unit, tail string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(unit, "%d", strconv.Itoa(i)))
	}
	b.WriteString(tail)
	return b.String()
}

// chain nests a unit n times around a core; "@" in the unit is the inside.
func chain(n int, unit, core string) string {
	before, after, _ := strings.Cut(unit, "@")
	return strings.Repeat(before, n) + core + strings.Repeat(after, n)
}

var hostile = []struct {
	name   string
	schema func() string
	code   diag.Code // of the first error; empty when the schema is legal
	says   string
}{
	{"2^20 anyOf", func() string { return doubling(20, `{"anyOf":[@,@]}`) }, resolve.CodeLimit, "composition arms"},
	{"2^15 anyOf is within", func() string { return doubling(15, `{"anyOf":[@,@]}`) }, "", ""},
	{"2^64 allOf", func() string { return doubling(64, `{"allOf":[@,@]}`) }, resolve.CodeLimit, "composition arms"},
	{"2^1000 oneOf", func() string { return doubling(500, `{"oneOf":[@,@,@,@]}`) }, resolve.CodeLimit, "composition arms"},
	{"2^40 if and then", func() string { return doubling(40, `{"if":@,"then":@}`) }, resolve.CodeLimit, "composition arms"},
	{"2^40 not and dependentSchemas", func() string { return doubling(40, `{"not":@,"dependentSchemas":{"a":@}}`) }, resolve.CodeLimit, "composition arms"},
	{"2^40 $ref and else", func() string { return doubling(40, `{"$ref":"#/$defs/d0","if":true,"else":@,"then":@}`) }, resolve.CodeLimit, "composition arms"},
	{"doubling below items multiplies nothing", func() string { return doubling(40, `{"items":@,"contains":@}`) }, "", ""},
	{"100,000 arms", func() string { return list(`{"anyOf":[`, 100_000, `true`, `]}`) }, "", ""},
	{"100,001 arms", func() string { return list(`{"anyOf":[`, 100_001, `true`, `]}`) }, resolve.CodeLimit, "100,001 composition arms"},
	{"300 arms of 400 arms", func() string {
		return list(`{"oneOf":[`, 300, `{"$ref":"#/$defs/a"}`, list(`],"$defs":{"a":{"anyOf":[`, 400, `{"minLength":%d}`, `]}}}`))
	}, resolve.CodeLimit, "120,300 composition arms"},

	{"nested to the limit", func() string { return chain(1023, `{"not":@}`, `{}`) }, "", ""},
	{"chain of references to the limit", func() string { return referenceChain(1023) }, "", ""},
	{"chain of references over the limit", func() string { return referenceChain(1024) }, resolve.CodeLimit, "deeper than 1024"},
	{"chain of 60,000 references", func() string { return referenceChain(60_000) }, resolve.CodeLimit, "deeper than 1024"},
	{"cycle of 60,000 references", func() string { return referenceRing(60_000) }, resolve.CodeCycle, "-> … ->"},
	{"60,000 cycles", func() string { return list(`{"$defs":{`, 60_000, `"d%d":{"$ref":"#/$defs/d%d"}`, `}}`) }, resolve.CodeCycle, "#/$defs/d0 -> #/$defs/d0"},
	{"a clique of 300", clique, resolve.CodeCycle, "#/$defs/d0 -> #/$defs/d0/anyOf/0 -> #/$defs/d0"},

	{"2^30 dynamic scopes", func() string { return anchored(30, 1, "") }, resolve.CodeLimit, "1000 dynamic scopes"},
	{"2^9 dynamic scopes are within", func() string { return anchored(9, 1, "") }, "", ""},
	{"2^9 dynamic scopes of large schemas", func() string { return anchored(9, 400, "") }, resolve.CodeLimit, "copies of schemas"},
	{"2^9 dynamic scopes of many anchors", func() string {
		return anchored(9, 1, list(`,"allOf":[`, 20_000, `{"$dynamicAnchor":"x%d","minLength":1}`, `]`))
	}, resolve.CodeLimit, "anchors together"},
	{"40,000 dynamic anchors and references", func() string {
		return list(`{"allOf":[`, 40_000, `{"$dynamicAnchor":"x%d","items":{"$dynamicRef":"#x%d"}}`, `]}`)
	}, "", ""},

	{"required of 200,000", func() string { return list(`{"required":[`, 200_000, `"name%d"`, `]}`) }, "", ""},
	{"required of 200,000 equal", func() string { return list(`{"required":[`, 200_000, `"name"`, `]}`) }, resolve.CodeValue, "listed twice"},
	{"enum of 300,000", func() string { return list(`{"enum":[`, 300_000, `{"%d":[]}`, `]}`) }, "", ""},
	{"60,000 properties", func() string {
		return list(`{"properties":{`, 60_000, `"property%d":{"type":"string","minLength":%d}`, `}}`)
	}, "", ""},
	{"type of 300,000", func() string { return list(`{"type":[`, 300_000, `"tring"`, `]}`) }, resolve.CodeValue, "is not a type"},

	{"9,000 patterns", func() string { return list(`{"patternProperties":{`, 9000, `"^x%d":{}`, `}}`) }, "", ""},
	{"60,000 patterns", func() string { return list(`{"patternProperties":{`, 60_000, `"^x%d":{}`, `}}`) }, resolve.CodeLimit, "more than 10000 different patterns"},
	{"60,000 equal patterns", func() string { return list(`{"$defs":{`, 60_000, `"d%d":{"pattern":"^(a+)+$"}`, `}}`) }, "", ""},
	{"a long pattern", func() string { return `{"pattern":"` + strings.Repeat(`(a|b)*`, 20_000) + `"}` }, resolve.CodeLimit, "pattern"},
	{"patterns that expand", func() string { return list(`{"patternProperties":{`, 9000, `"((x{1000}){1000})%d":{}`, `}}`) }, resolve.CodeLimit, "compiling the patterns"},
	{"patterns of large classes", func() string {
		return list(`{"patternProperties":{`, 2000, `"\\p{L}\\p{Lu}\\P{M}[^\\p{N}]%d":{}`, `}}`)
	}, resolve.CodeLimit, "compiling the patterns"},
	{"patterns of repetitions", func() string { return list(`{"patternProperties":{`, 9000, `"[ab]{1000}%d":{}`, `}}`) }, resolve.CodeLimit, "compiling the patterns"},
	{"patterns that do not compile", func() string { return list(`{"patternProperties":{`, 9000, `"(%d":{}`, `}}`) }, resolve.CodePattern, "does not compile"},

	{"600,000 schemas", func() string { return list(`{"$defs":{"a":{"prefixItems":[`, 600_000, `{}`, `]}}}`) }, resolve.CodeLimit, "more than 500000 schemas"},
	{"400,000 schemas", func() string { return list(`{"$defs":{"a":{"prefixItems":[`, 400_000, `true`, `]}}}`) }, "", ""},
	{"schemas below a long name", func() string {
		return list(`{"properties":{"`+strings.Repeat("n", 1<<20)+`":{"prefixItems":[`, 5000, `{}`, `]}}}`)
	}, resolve.CodeLimit, "JSON Pointers"},
	{"references to unknown keywords below a long name", func() string {
		return list(`{"`+strings.Repeat("n", 1<<20)+`":[`, 500, `{"items":{}}`, list(`],"allOf":[`, 500, `{"$ref":"#/`+"nn"+`/%d"}`, `]}`))
	}, resolve.CodeReference, "leads nowhere"},
	{"unknown keywords", func() string { return list(`{`, 200_000, `"requird%d":1`, `}`) }, "", ""},
	{"dangling references", func() string {
		return list(`{"$defs":{`, 500, `"definition%d":{}`, list(`},"prefixItems":[`, 60_000, `{"$ref":"#/$defs/definitoin%d"}`, `]}`))
	}, resolve.CodeReference, "leads nowhere"},
	{"dangling anchors", func() string {
		return list(`{"$defs":{`, 20_000, `"d%d":{"$anchor":"anchor%d"}`, list(`},"prefixItems":[`, 60_000, `{"$ref":"#ankor%d"}`, `]}`))
	}, resolve.CodeReference, "no anchor"},
	{"60,000 $ids", func() string { return list(`{"$defs":{`, 60_000, `"d%d":{"$id":"i%d"}`, `}}`) }, "", ""},
	{"60,000 equal $ids", func() string { return list(`{"$defs":{`, 60_000, `"d%d":{"$id":"i"}`, `}}`) }, resolve.CodeID, "two schemas"},
	{"60,000 equal anchors", func() string { return list(`{"$defs":{`, 60_000, `"d%d":{"$anchor":"i"}`, `}}`) }, resolve.CodeID, "two schemas"},
	{"60,000 unsupported dialects", func() string {
		return list(`{"$defs":{`, 30_000, `"d%d":{"$id":"i%d","$schema":"https://example.com/%d"}`, `}}`)
	}, resolve.CodeDialect, "was not given"},
	{"a long $id", func() string { return `{"$id":"https://example.com/` + strings.Repeat("a/", 1<<20) + `"}` }, resolve.CodeLimit, "URI"},
	{"a long reference of dots", func() string { return `{"$ref":"` + strings.Repeat("a/", 1<<20) + strings.Repeat("../", 1<<19) + `"}` }, resolve.CodeLimit, "URI"},
	{"$ids that grow", func() string { return chain(900, `{"$id":"`+strings.Repeat("a", 100)+`/","not":@}`, `{}`) }, resolve.CodeLimit, "URI"},
	{"references below a long $id", func() string {
		return list(`{"$id":"https://example.com/`+strings.Repeat("a", 2000)+`/","$defs":{"x":{"$id":"x"}},"prefixItems":[`, 100_000, `{"$ref":"x"},{"$ref":"#"}`, `]}`)
	}, "", ""},
	{"a pointer of many tokens", func() string { return `{"$ref":"#` + strings.Repeat("/a", 1<<20) + `"}` }, resolve.CodeReference, "leads nowhere"},
	{"a long pointer that leads somewhere", func() string {
		return `{"$ref":"#/x` + strings.Repeat("/"+strings.Repeat("n", 1000), 900) + `","x":` + chain(900, `{"`+strings.Repeat("n", 1000)+`":@}`, `{}`) + `}`
	}, "", ""},
}

func referenceChain(n int) string {
	var b strings.Builder
	b.WriteString(`{"$defs":{"d0":{}`)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `,"d%d":{"$ref":"#/$defs/d%d"}`, i, i-1)
	}
	b.WriteString("}}")
	return b.String()
}

// clique is 300 definitions that refer to each other.
func clique() string {
	all := list("[", 300, `{"$ref":"#/$defs/d%d"}`, "]")
	var b strings.Builder
	b.WriteString(`{"$defs":{"z":{}`)
	for i := range 300 {
		fmt.Fprintf(&b, `,"d%d":{"anyOf":%s}`, i, all)
	}
	b.WriteString("}}")
	return b.String()
}

func referenceRing(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"$defs":{"d0":{"$ref":"#/$defs/d%d"}`, n-1)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `,"d%d":{"$ref":"#/$defs/d%d"}`, i, i-1)
	}
	b.WriteString("}}")
	return b.String()
}

// Hostile schemas are settled at a cost that is linear in their size: counted in bytes allocated, since
// work that allocates nothing is bounded by the same walks. Time is only a backstop.
func TestHostile(t *testing.T) {
	const (
		perByte  = 400      // bytes allocated for a byte of schema
		constant = 64 << 20 // what the patterns of one document may cost
		deadline = time.Minute
	)
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			src := c.schema()
			root := parse(t, "hostile.json", []byte(src))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			started := time.Now()
			schema, findings := resolve.Resolve(root, nil, resolve.Options{})
			took := time.Since(started)
			runtime.ReadMemStats(&after)
			cost := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d bytes: %v, %d bytes allocated, %.0f a byte, %d findings", len(src), took.Round(time.Millisecond), cost, float64(cost)/float64(len(src)), len(findings))
			if cost > uint64(perByte*len(src)+constant) {
				t.Errorf("allocated %d bytes for %d", cost, len(src))
			}
			if took > deadline {
				t.Errorf("took %v", took)
			}
			if (schema == nil) != (c.code != "") {
				t.Fatalf("resolved: %v", schema != nil)
			}
			if len(findings) > 2*resolve.DefaultLimits().Findings+2 {
				t.Errorf("%d findings", len(findings))
			}
			if c.code == "" {
				return
			}
			for _, d := range findings {
				if d.Severity == diag.Error && d.Code == c.code && strings.Contains(d.Message, c.says) {
					return
				}
			}
			show(t, findings[:min(len(findings), 5)])
			t.Errorf("no finding of %s that says %q", c.code, c.says)
		})
	}
}

// anchored is n resources that lead to each other, each with a dynamic anchor of its own and so many items; rest
// stands in the root, which has a dynamic anchor as well.
func anchored(n, items int, rest string) string {
	var refs strings.Builder
	for i := range n {
		fmt.Fprintf(&refs, `"p%d":{"$ref":"r%d"},`, i, i)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"$id":"https://example.com/","$dynamicAnchor":"root","properties":{%s"q":true}%s,"$defs":{`, refs.String(), rest)
	for i := range n {
		fmt.Fprintf(&b, `"r%d":{"$id":"r%d","$dynamicAnchor":"a%d","properties":{%s"q":{"$dynamicRef":"#a%d"}},"prefixItems":[{}%s]},`,
			i, i, i, refs.String(), i, strings.Repeat(",{}", items))
	}
	return b.String() + `"end":true}}`
}
