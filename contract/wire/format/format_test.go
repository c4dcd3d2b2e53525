package format

import (
	"strings"
	"testing"
)

// cases lists strings that are of a format and strings that are not, beside those of the official
// suite: the edges of each grammar.
var cases = map[string]struct{ good, bad []string }{
	"date-time": {
		good: []string{
			"2016-12-31T23:59:60Z", "2017-01-01T05:29:60.5+05:30", "2024-02-29t00:00:00z",
			"1972-06-30T23:59:60Z", "2016-02-29T23:59:60Z", "2017-02-28T23:59:60Z", "2017-01-01T00:59:60+01:00", "2016-12-31T22:59:60-01:00", "2016-12-31T00:00:59Z",
			"2000-03-01T23:58:60+23:59", "2000-02-29T00:00:60-23:59",
			"0000-01-01T00:00:00-00:00", "9999-12-31T23:59:59.000000001+23:59",
		},
		bad: []string{
			"", "T", "2024-02-29", "2024-02-29 00:00:00Z", "2024-02-29T00:00:00", "2023-02-29T00:00:00Z",
			"2024-02-29T00:00:00.Z", "2024-02-29T00:00Z", "2024-02-29T00:00:00+0100", "2024-02-29T00:00:00Zx",
			"2016-12-31T23:59:60+01:00", "2016-12-30T23:59:60Z", "2017-01-01T23:59:60Z", "2016-02-28T23:59:60Z", "2016-12-31T00:59:60+01:00", "2017-01-02T00:59:60+01:00",
			"2016-12-30T22:59:60-01:00", "2024-02-29TT00:00:00Z", "2024-02-29T-1:00:00Z",
		},
	},
	"date": {
		good: []string{"0000-02-29", "2000-02-29", "1900-02-28", "9999-12-31"},
		bad:  []string{"1900-02-29", "2024-13-01", "2024-1-01", "2024-04-31", "24-04-30", "2024/04/30", "2024-04-3a", "٢٠٢٤-04-30"},
	},
	"time": {
		good: []string{"00:00:00Z", "23:59:59.9z", "23:59:60Z", "00:00:60+00:01", "23:58:60-00:01"},
		bad:  []string{"", "00:00:00", "24:00:00Z", "23:59:60+00:01", "00:00:60Z", "1:00:00Z", "00:00:00+1:00", "00:00:00 Z", "00-00-00Z", "00:00:00,5Z"},
	},
	"duration": {
		good: []string{"P1Y", "P1Y2M", "P1Y2M3D", "P2M3D", "P3D", "PT1H", "PT1M", "PT1S", "PT1H2M3S", "PT2M3S", "P1DT1S", "P0W", "P00012W", "p1d", "P1yT2h"},
		bad:  []string{"", "P", "PT", "P1", "P1H", "PT1Y", "P1YT", "P1Y3D", "PT1H3S", "P1M1Y", "P1W1D", "P1DT", "T1H", "PTP1H", "\x101D", "P1\x04", "P-1D", "P1.5D", "PT1H1H", "P1Y1Y", "TP1H"},
	},
	"email": {
		good: []string{"a@b", "a.b.c@d-e.f1", "!#$%&'*+-/=?^_`{|}~@x.y", `""@x`, `"\""@x`, `"a\ b@c"@x`, "a@[1.2.3.4]", "a@[IPv6:::]", "a@[ipv6:1::]", "a@[IPv6:1:2:3:4:5:6::]", "a@[IPv6:1:2:3:4:5:6:7:8]", "a@[IPv6:1:2:3:4:5:6:1.2.3.4]", "a@[tag:any!thing]"},
		bad: []string{
			"", "@", "a", "a@", "@b", "a@b@c", "a..b@c", ".a@b", "a.@b", "a b@c", "a@b.", "a@.b", "a@b..c", "a@-b", "a@b-", "a@b_c",
			`"a@b`, `"a"b@c`, `"a\"@b`, "\"\x7f\"@b", "é@b", "a@é", "a@[1.2.3]", "a@[IPv6:1]", "a@[IPv6:1:2:3:4:5:6:7::]", "a@[IPv6:1::3:4:5:6:1.2.3.4]", "a@[IPv6:::8:]", "a@[]", "a@[:x]", "a@[tag:]", "a@[tag-:x]", "a@[1.2.3.4", "a@[tag:a]b]", "a@b\n",
		},
	},
	"idn-email": {
		good: []string{
			"a@b", "a.b.c@d-e.f1", `"\""@x`, "a@[1.2.3.4]", "a@[IPv6:::]", "a@[tag:any!thing]", "é@b", `"é"@b`, "\u0080.\uffff@b", "a@é", "é.ü@b.é.c", "\U0010FFFF@b",
			"a@xn--a.é", "a@cafe\u0301", "a@l·l", "a@א.ב", "a@" + strings.Repeat("é.", 300) + "é", "a@" + strings.Repeat("b", 100) + ".é",
		},
		bad: []string{
			"", "@", "é", "é@", "@é", "é@b@c", "é..b@c", ".é@b", "é.@b", "é é@b", "a@é.", "a@.é", "a@-é", "a@é-", "a@é_c", `"\é"@b`, "a＠b", "a@b。é", "a@É", "a@Aé", "a@\u0301e",
			"a@[é]", "a@[tag:é]", "a@bü--c", "a@b\u00ade", "a@①", "a@1.א", "a@a.אa", "a@" + strings.Repeat("ü", 60), "a@é\n", "\xff@b", "a@\xff", "a@\xc3", "\xed\xa0\x80@b",
		},
	},
	"hostname": {
		good: []string{"a", "A", "1", "a.b", "3com.example", "xn--bcher-kva.example", "XN--BCHER-KVA", "ab--cd", "1.2.3", "1.2.3.4.5", "1.2.3.a", "1.2.3.4a", "ab--cd.xn--bcher-kva", strings.Repeat("a.", 126) + "a"},
		bad: []string{
			"", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "a b", "é", "a.b\n", "127.0.0.1", "999.0.00.1", "xn--", "xn--a", "xn--bcher-kvb9", "xn--bcher-KVA-", "xn--a-", "a.xn--", strings.Repeat("a.", 127) + "a",
			"xn--cafe-yvc", // café with a combining accent: not in Normalization Form C
		},
	},
	"idn-hostname": {
		good: []string{"bücher.example", "xn--bcher-kva。example", "\u65e5\u672c\u8a9e", "ليبيا", "a-b.א", "नेपाल", "l·l", "ab--cd", "ab--cd。xn--bcher-kva", "1。2.3"},
		bad: []string{
			"", "。", "Bücher", "ab--cd.ü", "ü.ab--cd", "1.2。3．4", "cafe\u0301", "\u0301a", "bü--cher", "-ü", "ü-", "ß\u00AD", "①", "ﬁ", "a\u200Db", "1.א", "a.אa", "ü b", "☃", "😀",
			strings.Repeat("ü", 60), strings.Repeat("ü", 64), "א1٣", "\u0378",
		},
	},
	"ipv4": {
		good: []string{"0.0.0.0", "255.255.255.255", "1.20.100.9"},
		bad:  []string{"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.00", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4 ", "1.2.3.0x4", "1.2.3.1000"},
	},
	"ipv6": {
		good: []string{"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "ABCD:ef01::"},
		bad: []string{
			"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1::", "1:::2", ":1::2", "1::2:", "12345::", "g::", "::1.2.3", "::1.2.3.4.5",
			"1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4:5", "::%lo", "[::]", "::/0", " ::",
		},
	},
	"uri": {
		good: []string{
			"a:", "a:b", "a:/b", "a:/", "a://", "a:///b", "a://b:", "a://b:80", "a://u:p@h:1/p?q#f", "a://[::1]:80/", "a://[v1.a:b]/", "urn:a:b", "a:?", "a:#", "a:b?c?d/e#f?g/h",
			"A+-.9:b", "a:%00", "a://%41", "a:b//c", "data:,x", "a:@:", "file:///etc", "a://h//p",
		},
		bad: []string{
			"", "a", ":a", "1a:b", "a b:c", "a:b c", "a:%", "a:%4", "a:%4g", "a:#b#c", "a:[", "a:\\", "a:é", "a://u@v@w", "a://h:8a", "a://[::1", "a://[::1]x", "a://[1.2.3.4]", "a://[v.a]/",
			"a://[vg.a]", "a://[v1.]", "a:<b>", "a:{b}", "a:|", "a:^", "a:`", "a:\"", "a:\x00", "a:\x7f", "//h", "a://[::1%25lo]",
		},
	},
	"uri-reference": {
		good: []string{"", "a", "a/b:c", "./a:b", "/a:b", "?a:b", "#a:b", "//h", "//", "///", "..", "a?b#c", "*"},
		bad:  []string{"1a:b", ":", "a b", "é", "%", "#a#b", "[a]", "//[", "/[a]", "?[a]", "a_b:c"},
	},
	"iri": {
		good: []string{"a:é", "a://é/é?é#é", "a:?\uE000", "http://\u4f8b\u3048.jp/パス", "a:\U0001F600", "a:\U000E1000"},
		bad:  []string{"", "é", "é:a", "a:\uE000", "a:#\uE000", "a://\uE000", "a:\uFFFD", "a:\uFFFE", "a:\uFDD0", "a:\U0001FFFE", "a:\U000E0001", "a:\U000F0000", "a:\x80", "a:\u0085", "a:é é"},
	},
	"iri-reference": {
		good: []string{"", "é", "//é", "?\uE000", "é/é:é"},
		bad:  []string{"é:é", "é é", "#\uE000", "é<"},
	},
	"uri-template": {
		good: []string{"", "a", "{a}", "{+a,b}", "{a:1}", "{a:9999}", "{a*}", "{a.b}", "{%41%42}", "{=a}", "{|a}", "x{a}y{b}z", "é", "\uE000", "%41", "'", "{a_1}", "{?a*,b:3}"},
		bad:  []string{"{", "}", "{}", "{a", "a}", "{{a}}", "{a b}", "{a-b}", "{.}", "{+}", "{a:0}", "{a:10000}", "{a:}", "{a*:1}", "{a:1*}", "{.a.}", "{a..b}", "{é}", "%", "%4", "\"", "<", ">", "\\", "^", "`", "|", " ", "\x00"},
	},
	"uuid": {
		good: []string{"00000000-0000-0000-0000-000000000000", "ffffffff-FFFF-ffff-FFFF-ffffffffffff"},
		bad:  []string{"", "00000000000000000000000000000000", "{00000000-0000-0000-0000-00000000000}", "0000000-00000-0000-0000-000000000000", "g0000000-0000-0000-0000-000000000000"},
	},
	"json-pointer": {
		good: []string{"", "/", "//", "/a", "/~0~1", "/é", "/\x00", "/a/0/-"},
		bad:  []string{"a", "#/a", "/~", "/~2", "/a~", "~0", " "},
	},
	"relative-json-pointer": {
		good: []string{"0", "10", "0#", "0/a", "1/~0", "0+1", "0-1/a", "12+34/b", "0+0"},
		bad:  []string{"", "#", "/a", "00", "01", "-1", "+1", "0a", "0##", "0#/a", "0+", "0-", "0+01", "0+1#", "0/~", " 0", "0 "},
	},
	"regex": {
		good: []string{"", "a|b", `^\p{L}+$`, `(?<a>.)\k<a>`, `(?<!a)b`, `\-`},
		bad:  []string{"(", "[", `\`, "*", "(?i)a", `\Z`, "a{2,1}", "(?P<a>b)"},
	},
}

func TestFormats(t *testing.T) {
	for name, c := range cases {
		check, ok := Lookup(name)
		if !ok {
			t.Errorf("no format %s", name)
			continue
		}
		for _, s := range c.good {
			if !check([]byte(s)) {
				t.Errorf("%s: %q is refused", name, s)
			}
		}
		for _, s := range c.bad {
			if check([]byte(s)) {
				t.Errorf("%s: %q is accepted", name, s)
			}
		}
	}
	for name := range checks {
		if _, ok := cases[name]; !ok {
			t.Errorf("%s has no cases", name)
		}
	}
}

func TestLookupUnknown(t *testing.T) {
	for _, name := range []string{"", "unknown", "Date", "date ", "uint32"} {
		if _, ok := Lookup(name); ok {
			t.Errorf("%q is a format", name)
		}
	}
}

// TestChecksAllocateNothing covers the formats that tools' schemas name; regex and internationalized
// names need memory.
func TestChecksAllocateNothing(t *testing.T) {
	for name, c := range cases {
		if name == "regex" || name == "idn-hostname" || name == "hostname" {
			continue
		}
		check, _ := Lookup(name)
		for _, s := range c.good {
			if name == "idn-email" && !isASCII([]byte(s[strings.LastIndexByte(s, '@'):])) {
				continue // the domain is one of those names
			}
			b := []byte(s)
			if n := testing.AllocsPerRun(10, func() { check(b) }); n != 0 {
				t.Errorf("%s: %q: %v allocations", name, s, n)
			}
		}
	}
	plain := []byte("www.example.com")
	if n := testing.AllocsPerRun(10, func() { isHostname(plain) }); n != 0 {
		t.Errorf("hostname: %v allocations", n)
	}
}

// TestPunycode encodes and decodes the samples of RFC 3492 §7.1 in lower case, and refuses what no
// label encodes to.
func TestPunycode(t *testing.T) {
	for _, c := range []struct{ text, code string }{
		{"ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"},
		{"\u4ed6\u4eec\u4e3a\u4ec0\u4e48\u4e0d\u8bf4\u4e2d\u6587", "ihqwcrb4cv8a8dqg056pqjye"},
		{"למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"},
		{"почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"},
		{"3\u5e74b\u7d44\u91d1\u516b\u5148\u751f", "3b-ww4c5e180e575a65lsy2b"},
		{"bücher", "bcher-kva"},
		{"ü", "tda"},
		{"a", "a-"},
	} {
		if got := string(encodePunycode([]rune(c.text))); got != c.code {
			t.Errorf("%s: encoded as %s, want %s", c.text, got, c.code)
		}
		if got, ok := decodePunycode([]byte(c.code)); !ok || string(got) != c.text {
			t.Errorf("%s: decoded as %s, want %s", c.code, string(got), c.text)
		}
	}
	for _, code := range []string{"x", "é", "A-é", "99999999", "tda!", strings.Repeat("9", 63), strings.Repeat("z", 63)} {
		if got, ok := decodePunycode([]byte(code)); ok {
			t.Errorf("%s: decoded as %q", code, string(got))
		}
	}
}

// TestNormalizationFormC lists labels in the form and labels that composing would change.
func TestNormalizationFormC(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"abc", true},
		{"é", true},
		{"e\u0301", false},
		{"q\u0301", true}, // nothing composes with q
		{"ậ", true},
		{"a\u0323\u0302", false},
		{"â\u0323", false},       // the dot goes below first
		{"a\u0302\u0323", false}, // likewise
		{"q\u0323\u0307", true},
		{"q\u0307\u0323", false}, // marks out of order
		{"e\u0334\u0301", false}, // the overlay does not block the accent
		{"q\u0301\u0301", true},
		{"é\u0301", true}, // the second accent is blocked by nothing, and composes with nothing
		{"が", true},
		{"か\u3099", false},
		{"한글", true},
		{"\u0301e", true},
		{"के\u093F", true},
	} {
		if got := normal().isNFC([]rune(c.text)); got != c.want {
			t.Errorf("%+q: %v, want %v", c.text, got, c.want)
		}
	}
}
