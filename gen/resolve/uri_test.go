package resolve

import (
	"testing"
)

// The examples of RFC 3986 §5.4, and the references that schemas add to them.
func TestResolveURI(t *testing.T) {
	for _, c := range []struct {
		base  string
		pairs [][2]string
	}{
		{"http://a/b/c/d;p?q", [][2]string{
			{"g:h", "g:h"}, {"g", "http://a/b/c/g"}, {"./g", "http://a/b/c/g"}, {"g/", "http://a/b/c/g/"}, {"/g", "http://a/g"}, {"//g", "http://g"},
			{"?y", "http://a/b/c/d;p?y"}, {"g?y", "http://a/b/c/g?y"}, {"#s", "http://a/b/c/d;p?q"}, {"g#s", "http://a/b/c/g"}, {"g?y#s", "http://a/b/c/g?y"},
			{";x", "http://a/b/c/;x"}, {"g;x", "http://a/b/c/g;x"}, {"g;x?y#s", "http://a/b/c/g;x?y"}, {"", "http://a/b/c/d;p?q"}, {".", "http://a/b/c/"},
			{"./", "http://a/b/c/"}, {"..", "http://a/b/"}, {"../", "http://a/b/"}, {"../g", "http://a/b/g"}, {"../..", "http://a/"}, {"../../", "http://a/"},
			{"../../g", "http://a/g"},
			{"../../../g", "http://a/g"}, {"../../../../g", "http://a/g"}, {"/./g", "http://a/g"}, {"/../g", "http://a/g"}, {"g.", "http://a/b/c/g."},
			{".g", "http://a/b/c/.g"}, {"g..", "http://a/b/c/g.."}, {"..g", "http://a/b/c/..g"}, {"./../g", "http://a/b/g"}, {"./g/.", "http://a/b/c/g/"},
			{"g/./h", "http://a/b/c/g/h"}, {"g/../h", "http://a/b/c/h"}, {"g;x=1/./y", "http://a/b/c/g;x=1/y"}, {"g;x=1/../y", "http://a/b/c/y"},
			{"g?y/./x", "http://a/b/c/g?y/./x"}, {"g?y/../x", "http://a/b/c/g?y/../x"}, {"g#s/../x", "http://a/b/c/g"}, {"http:g", "http:g"},
		}},
		{"http://a", [][2]string{{"g", "http://a/g"}, {"", "http://a"}, {"?q", "http://a?q"}}},
		{"urn:example:root", [][2]string{{"#x", "urn:example:root"}, {"", "urn:example:root"}, {"urn:other", "urn:other"}, {"x", "urn:x"}}},
		{"tag:example.com,2024:a/b", [][2]string{{"c", "tag:example.com,2024:a/c"}}},
		{"HTTP://User@EXAMPLE.com:80/Path", [][2]string{{"", "http://User@example.com:80/Path"}, {"资源.json", "http://User@example.com:80/资源.json"}}},
		{"file://./a/b.json", [][2]string{
			{"c.json", "file://./a/c.json"}, {"../c.json", "file://./c.json"}, {"../../c.json", "file://./%2E%2E/c.json"},
			{"../../../d/../c.json", "file://./%2E%2E/%2E%2E/c.json"}, {"./x/./c.json", "file://./a/x/c.json"}, {"/c.json", "file://./c.json"},
		}},
		{"file://./%2E%2E/a.json", [][2]string{{"b.json", "file://./%2E%2E/b.json"}, {"../b.json", "file://./%2E%2E/%2E%2E/b.json"}}},
		{"file:///a/b.json", [][2]string{{"../../c.json", "file:///c.json"}}},
	} {
		base, ok := parseURI(c.base)
		if !ok {
			t.Fatal(c.base)
		}
		for _, p := range c.pairs {
			ref, ok := parseURI(p[0])
			if got := base.resolve(ref).document(); !ok || got != p[1] {
				t.Errorf("%s + %q: got %s, want %s", c.base, p[0], got, p[1])
			}
		}
	}
}

func TestParseURIRefuses(t *testing.T) {
	for _, s := range []string{"a b", "a\tb", "%", "%1", "%g0", "#%", "<a>", "a|b", "a\\b", "a\x00", "#\n", "a\"", "{x}"} {
		if u, ok := parseURI(s); ok {
			t.Errorf("%q became %+v", s, u)
		}
	}
	for _, s := range []string{"#a b", "#/\"|<>{}\\^`", "#资 源", "a%2Fb", "1a:b", ":x", "资源"} {
		if _, ok := parseURI(s); !ok {
			t.Errorf("%q is refused", s)
		}
	}
	if u, _ := parseURI("1a:b"); u.scheme != "" || u.path != "1a:b" {
		t.Errorf("1a:b has scheme %q", u.scheme)
	}
}

func TestFileURI(t *testing.T) {
	for name, want := range map[string]string{
		"a.json":           "file://./a.json",
		"./x/../a.json":    "file://./a.json",
		"../x/a.json":      "file://./%2E%2E/x/a.json",
		"../../a.json":     "file://./%2E%2E/%2E%2E/a.json",
		"/tmp/a b#?%.json": "file:///tmp/a%20b%23%3F%25.json",
		"资源/%2E%2E.json":   "file://./资源/%252E%252E.json",
	} {
		if got := FileURI(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if u, ok := parseURI(want); !ok || u.document() != want {
			t.Errorf("%s is not its own name: %+v", want, u)
		}
	}
	u, _ := parseURI(FileURI("../x/a.json"))
	if u.localName() != "../x/a.json" {
		t.Errorf("local name %s", u.localName())
	}
}

func TestClosest(t *testing.T) {
	names := sortedKeys(vocabulary[Draft2020])
	for name, want := range map[string]string{
		"requierd": "required", "REQUIRED": "required", "id": "$id", "defs": "$defs", "$def": "$defs", "$Ref": "$ref",
		"addtionalPropertie": "additionalProperties", "addtionalPropertys": "additionalProperties", "enumNames": "", "maxlen": "", "xyz": "", "i": "", "nnot": "not", "anof": "anyOf", "tpye": "type",
		"someVeryLongWordOfSomebodyElsesVocabulary": "", "minLenght": "minLength", "oneof": "oneOf", "unevaluatedProps": "",
	} {
		if got := closest(name, names); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestCountText(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1048576: "1,048,576"} {
		if got := count(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// Target spells what it finds as FileURI spells the file's name, wherever the working folder is.
func TestTarget(t *testing.T) {
	for _, c := range []struct{ base, reference, want string }{
		{FileURI("a.json"), "b.json#/x", FileURI("b.json")},
		{FileURI("a.json"), "../b.json", FileURI("../b.json")},
		{FileURI("../x/a.json"), "../../b.json", FileURI("../../b.json")},
		{FileURI("d/a.json"), "名.json", FileURI("d/名.json")},
		{"https://example.org/s/a.json", "b.json", "https://example.org/s/b.json"},
		{"https://example.org/s/a.json", "#x", "https://example.org/s/a.json"},
	} {
		if got, ok := Target(c.base, c.reference); !ok || got != c.want {
			t.Errorf("Target(%q, %q) = %q, %t, want %q", c.base, c.reference, got, ok, c.want)
		}
	}
	for _, c := range [][2]string{{"a b", "x"}, {"x", "a b"}, {"x", "%zz"}} {
		if got, ok := Target(c[0], c[1]); ok {
			t.Errorf("Target(%q, %q) = %q", c[0], c[1], got)
		}
	}
}
