package grammar

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire/format"
)

func parse(t *testing.T, source string) *Grammar {
	t.Helper()
	g, err := Parse(source, map[string]Prose{"vowel": oneOf(func(r rune) bool { return strings.ContainsRune("aeiou", r) }, "aeiou")})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Each form of ABNF, with strings of it and strings beside it.
func TestRecognise(t *testing.T) {
	for _, c := range []struct {
		source    string
		good, bad []string
	}{
		{`s = "ab" / %x63`, []string{"ab", "AB", "aB", "c"}, []string{"", "a", "C", "abc", "ab "}},
		{`s = %s"aB" %d33-34 %x41.42`, []string{`aB!AB`, `aB"AB`}, []string{"ab!AB", "aB!ab", "aB#AB"}},
		{`s = 2DIGIT [ "x" ] *"y" 1*2"z"`, []string{"00z", "12xyyzz"}, []string{"1z", "123z", "00xxz", "00", "00zzz"}},
		{"s = a ; a comment \"\n  *( \";\" a ) ; another\na = 1*ALPHA", []string{"a", "a;b", "Ab;c;d"}, []string{"", ";", "a;", "a;;b"}},
		{"S = \"a\"\ns =/ \"b\"\ns =/ \"c\" \"d\"", []string{"a", "b", "cd"}, []string{"c", "ab"}},
		{`s = <vowel> 1*<vowel>`, []string{"ae", "aeiou"}, []string{"a", "ab", ""}},
		{`s = !"ab" 2ALPHA`, []string{"ba", "aa"}, []string{"ab", "AB"}},
		{`s = *( "a" / "aa" ) "a"`, []string{"a", "aa", "aaaaaaa"}, []string{"", "b", "ab"}},
		{`s = *( *"a" *"b" )`, []string{"", "a", "bbaab"}, []string{"c"}},
		{`s = "(" *s ")"`, []string{"()", "(()(()))"}, []string{"", "(", "())"}},
		{`s = 0*1"é" %x10FFFF`, []string{"\U0010ffff", "é\U0010ffff"}, []string{"é", "éé\U0010ffff"}},
	} {
		g := parse(t, c.source)
		for _, s := range c.good {
			if !g.Recognise("s", s) {
				t.Errorf("%s: %q is refused", c.source, s)
			}
		}
		for _, s := range c.bad {
			if g.Recognise("s", s) {
				t.Errorf("%s: %q is accepted", c.source, s)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, source := range []string{
		`s`, `s = `, `s = "a`, `s = (`, `s = ( "a" ]`, `s = %q1`, `s = %x`, `s = %x5-4`, `s = <nobody>`, `s = t`, `s = "a" )`, `s = %s1`, `s = / "a"`,
		"s = \"a\"\ns = \"b\"", `s = s "a"`, "s = [ \"b\" ] t\nt = *\"c\" s", `s t = "a"`, `s = !s`,
	} {
		_, err := Parse(source, nil)
		if _, is := errors.AsType[*SyntaxError](err); !is {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// The maker makes strings of the rule, all ways of it, and the same ones again.
func TestMaker(t *testing.T) {
	g := parse(t, "s = a *( \",\" a )\na = 1*3DIGIT / \"(\" s \")\" / %s\"kelvin\" / <vowel>")
	made := func(seed uint64) []string {
		m := NewMaker(g, "s", seed)
		var out []string
		for range 300 {
			s := m.Make()
			if !g.Recognise("s", s) {
				t.Fatalf("%q is made and not recognised", s)
			}
			m.Keep()
			out = append(out, s)
		}
		if missing := m.Missing(); len(missing) > 0 {
			t.Error(missing)
		}
		return out
	}
	if !slices.Equal(made(1), made(1)) || slices.Equal(made(1), made(2)) {
		t.Error("a seed does not settle what is made")
	}
	if m := NewMaker(g, "s", 1); !slices.ContainsFunc(m.Missing(), func(s string) bool { return strings.Contains(s, "choice of 4") }) {
		t.Error("nothing is missing before anything was made")
	}
}

func TestMutant(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	longer, shorter, same := 0, 0, 0
	for range 1000 {
		switch got := len([]rune(Mutant(rng, "añb", []rune("xyz")))); got {
		case 4:
			longer++
		case 2:
			shorter++
		case 3:
			same++
		default:
			t.Fatalf("%d characters", got)
		}
	}
	if longer < 200 || shorter < 200 || same < 200 {
		t.Errorf("%d insertions, %d deletions, %d others", longer, shorter, same)
	}
}

// The comparison sees faults that checks have had: each is planted, and each is found.
func TestPlantedFaults(t *testing.T) {
	lookup := func(name string) func([]byte) bool {
		check, ok := format.Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		return check
	}
	trimmed := func(name string) func([]byte) bool {
		check := lookup(name)
		return func(s []byte) bool { return check(bytes.TrimRight(s, "\n")) }
	}
	without := func(name, part string) func([]byte) bool {
		check := lookup(name)
		return func(s []byte) bool { return check(s) && !strings.Contains(strings.ToLower(string(s)), part) }
	}
	for _, c := range []struct {
		format, fault string
		check         func([]byte) bool
	}{
		{"date", "any day", func(s []byte) bool { return len(s) == 10 && s[4] == '-' && s[7] == '-' }},
		{"date-time", "no lower case", func(s []byte) bool { return lookup("date-time")(s) && !bytes.ContainsAny(s, "tz") }},
		{"time", "a leap second in any minute", func(s []byte) bool { return lookup("time")(bytes.Replace(s, []byte(":60"), []byte(":59"), 1)) }},
		{"duration", "a newline at the end", trimmed("duration")},
		{"email", "no quoted local part", without("email", `"`)},
		{"idn-email", "no code points above the BMP", func(s []byte) bool {
			return lookup("idn-email")(s) && !strings.ContainsFunc(string(s), func(r rune) bool { return r > 0xFFFF })
		}},
		{"hostname", "A-labels that are not decoded", func(s []byte) bool {
			return lookup("hostname")(bytes.ReplaceAll(bytes.ToLower(s), []byte("xn--"), []byte("xx--")))
		}},
		{"idn-hostname", "one dot only", func(s []byte) bool { return lookup("idn-hostname")(s) && !bytes.ContainsRune(s, 0x3002) }},
		{"ipv4", "leading zeros", func(s []byte) bool {
			return lookup("ipv4")(bytes.ReplaceAll(append([]byte{'.'}, s...), []byte(".0"), []byte("."))[1:])
		}},
		{"ipv6", "no dotted quad", without("ipv6", ".")},
		{"uri", "no IPvFuture", without("uri", "[v")},
		{"uri-reference", "as a uri", lookup("uri")},
		{"iri", "as a uri", lookup("uri")},
		{"iri-reference", "as a uri-reference", lookup("uri-reference")},
		{"uuid", "upper case only", func(s []byte) bool { return lookup("uuid")(s) && !bytes.ContainsAny(s, "abcdef") }},
		{"uri-template", "no explode", without("uri-template", "*}")},
		{"json-pointer", "any tilde", func(s []byte) bool { return len(s) == 0 || s[0] == '/' }},
		{"relative-json-pointer", "no index manipulation", without("relative-json-pointer", "+")},
		{"regex", "ranges in any order", func(s []byte) bool { return lookup("regex")(bytes.ReplaceAll(s, []byte("-"), []byte("_"))) }},
	} {
		t.Run(c.format, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(Formats, func(f *Format) bool { return f.Name == c.format })
			if got := run(Formats[i], c.check, 300, *seed); len(got.wrong) == 0 {
				t.Errorf("%s: %s: nobody notices", c.format, c.fault)
			}
		})
	}
}

// The grammars know what the texts give as examples, and what they refuse.
func TestExamplesOfTheTexts(t *testing.T) {
	for name, examples := range map[string][]string{
		"date-time":             {"1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00", "1990-12-31T23:59:60Z", "1990-12-31T15:59:60-08:00", "1937-01-01T12:00:27.87+00:20"},                                                                                                                         // RFC 3339 §5.8
		"ipv6":                  {"ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", "2001:DB8:0:0:8:800:200C:417A", "FF01::101", "::1", "::", "::13.1.68.3", "::FFFF:129.144.52.38"},                                                                                                                          // RFC 4291 §2.2
		"uri":                   {"ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2"}, // RFC 3986 §1.1.2
		"uri-reference":         {"g:h", "g", "./g", "g/", "/g", "//g", "?y", "g?y", "#s", "g#s", "g?y#s", ";x", "g;x", "", ".", "../../g"},                                                                                                                                                            // RFC 3986 §5.4
		"iri":                   {"http://www.example.org/D%C3%BCrst", "http://www.example.org/D\u00FCrst", "http://r\u00e9sum\u00e9.example.org"},                                                                                                                                                     // RFC 3987 §3
		"uri-template":          {"http://example.com/~{username}/", "http://example.com/search{?q,lang}", "{+path,x}/here", "{#path:6}here", "X{.list*}", "{/var:1,var}", "{;keys*}", "{&x,y,empty}"},                                                                                                 // RFC 6570 §1
		"json-pointer":          {"", "/foo", "/foo/0", "/", "/a~1b", "/c%d", "/e^f", "/g|h", "/i\\j", "/k\"l", "/ ", "/m~0n"},                                                                                                                                                                         // RFC 6901 §5
		"relative-json-pointer": {"0", "1/0", "0-1", "2/highly/nested/objects", "0#", "1#"},                                                                                                                                                                                                            // draft §5.1
		"uuid":                  {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},                                                                                                                                                                                                                              // RFC 4122 §3
		"email":                 {"smith@example.com", `"Joe.\Blow"@example.com`, "a@[192.0.2.1]", "a@[IPv6:2001:db8::1]"},
		"hostname":              {"3com.com", "xn--bcher-kva.example"},
		"idn-hostname":          {"b\u00fccher.example"},
		"regex":                 {"^a+(?<year>\\d{4})-\\k<year>$", `\p{Script=Greek}`, "[^]"},
		"duration":              {"P1Y", "P4W", "PT1H30M"},
		"ipv4":                  {"192.0.2.1"}, "date": {"1985-04-12"}, "time": {"23:20:50.52Z"}, "idn-email": {"\u03b4@\u03c0.example"}, "iri-reference": {"\u00e9"},
	} {
		i := slices.IndexFunc(Formats, func(f *Format) bool { return f.Name == name })
		for _, s := range examples {
			if !Formats[i].Has(s) {
				t.Errorf("%s: the grammar refuses %q", name, s)
			}
		}
		for _, s := range []string{" ", "\n", "~", "a b\x00", "[", "\\"} {
			if Formats[i].Has(s) && name != "regex" && name != "uri-reference" && name != "iri-reference" && name != "uri-template" {
				t.Errorf("%s: the grammar accepts %q", name, s)
			}
		}
	}
	if len(Formats) != len(format.Names()) {
		t.Errorf("%d grammars for %d formats", len(Formats), len(format.Names()))
	}
}

// Each code point in a label, alone and after letters and digits of both directions: what the derived property of RFC
// 5892, its contextual rules and the Bidi classes say, of the formats' tables and of those of golang.org/x/text.
func TestCodePointsOfLabels(t *testing.T) {
	check, _ := format.Lookup("idn-hostname")
	i := slices.IndexFunc(Formats, func(f *Format) bool { return f.Name == "idn-hostname" })
	rng := rand.New(rand.NewPCG(*seed, 3))
	asked, wrong := 0, 0
	for r := rune(0x80); r <= 0x10FFFF; r++ {
		step := 1
		switch {
		case 0x3400 <= r && r < 0xA000, 0xAC00 <= r && r < 0xF900, 0x17000 <= r && r < 0x1AF00, r >= 0x1F000:
			step = 400 // ideographs, syllables, private use: long stretches of one kind
		case *count <= 1000:
			step = 4
		}
		if r += rune(rng.IntN(step)); 0xD800 <= r && r <= 0xDFFF || r > 0x10FFFF {
			continue
		}
		for _, before := range []string{"", "a", "א", "א1", "ب٠", "a."} {
			s := before + string(r)
			asked++
			if has := Formats[i].Has(s); has != check([]byte(s)) {
				if wrong++; wrong < 20 {
					t.Errorf("%+q: the check says %v", s, !has)
				}
			}
		}
	}
	t.Logf("%d labels, %d disagreements", asked, wrong)
}
