package fuzz

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"vcp.core/contract/wire/format"
)

// FuzzFormat asks for what must hold of any string: no check panics or changes it, and the laws between
// formats that JSON Schema 2020-12 §7.3 and the RFCs state.
func FuzzFormat(f *testing.F) {
	for _, s := range []string{
		"", "2016-12-31T23:59:60Z", "23:59:60+00:00", "P1Y2M3DT4H5M6S", `"a b"@[IPv6:::1]`, `"é".ü@ü.xn--bcher-kva`, "xn--bcher-kva.example",
		"ليبيا.a。b", "cafe\u0301", "127.0.0.1", "::ffff:1.2.3.4", "http://u:p@[::1]:8/é?q=\uE000#%41", "//", "{+a*,b:12}é",
		"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "/~0~1", "0+1/a", "^(?<!a)b$", "\xff\xfe",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		before := bytes.Clone(s)
		is := map[string]bool{}
		for _, name := range format.Names() {
			check, ok := format.Lookup(name)
			if !ok {
				t.Fatalf("no format %s", name)
			}
			is[name] = check(s)
		}
		if !bytes.Equal(s, before) {
			t.Fatalf("a check changed %q", before)
		}
		for _, law := range []struct{ narrow, wide string }{
			{"uri", "uri-reference"}, {"uri", "iri"}, {"uri-reference", "iri-reference"}, {"iri", "iri-reference"},
			{"hostname", "idn-hostname"}, {"email", "idn-email"},
		} {
			if is[law.narrow] && !is[law.wide] {
				t.Errorf("%q is a %s and no %s", s, law.narrow, law.wide)
			}
		}
		if len(s) > 11 {
			date, _ := format.Lookup("date")
			time, _ := format.Lookup("time")
			whole := date(s[:10]) && (s[10] == 'T' || s[10] == 't') && time(s[11:])
			leap := whole && string(s[17:19]) == "60" // which the date has a say in
			if whole != is["date-time"] && !leap || is["date-time"] && !whole {
				t.Errorf("%q: date-time %v, its parts %v", s, is["date-time"], whole)
			}
		}
		literal := append(append([]byte("a://["), s...), ']')
		uri, _ := format.Lookup("uri")
		if is["ipv6"] && !uri(literal) {
			t.Errorf("%q is an ipv6 and no host of a uri", s)
		}
		pointer, _ := format.Lookup("relative-json-pointer")
		if is["json-pointer"] && !pointer(append([]byte("0"), s...)) {
			t.Errorf("%q is a json-pointer and 0%s is not relative", s, s)
		}
		if !utf8.Valid(s) && (is["iri-reference"] || is["idn-email"] || is["idn-hostname"] || is["uri-template"] || is["regex"]) {
			t.Errorf("%q is no UTF-8 and accepted: %v", s, is)
		}
	})
}
