package manifest

import (
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
)

func TestGoPackage(t *testing.T) {
	for name, want := range map[string]string{
		"ScheduleManager":             "schedulemanager",
		"Wan2.1VideoGen":              "wan21videogen",
		"File-Operator":               "fileoperator",
		"file_operator":               "fileoperator",
		"3D":                          "p3d",
		"日程":                          "u65e5u7a0b",
		"Ärger":                       "ue4rger",
		"ÄRGER":                       "ue4rger",
		"型2":                          "u578b2",
		"type":                        "ptype",
		"Func":                        "pfunc",
		"internal":                    "pinternal",
		"Vendor":                      "pvendor",
		"testdata":                    "ptestdata",
		"main":                        "pmain",
		"CON":                         "pcon",
		"com-1":                       "pcom1",
		"Console":                     "console",
		"lpt":                         "lpt",
		"...":                         "",
		"-_.":                         "",
		"":                            "",
		"\u0661\u0662" /* digits */ :  "u661u662",
		"K" /* KELVIN SIGN, not K */ : "k",
	} {
		if got := GoPackage(name); got != want {
			t.Errorf("GoPackage(%q) = %q, want %q", name, got, want)
		}
	}
}

// The folder of a package has a name that every system takes, and different plugins have different ones.
func TestLongGoPackages(t *testing.T) {
	a, b := GoPackage(strings.Repeat("\u65e5", 64)), GoPackage(strings.Repeat("\u65e5", 63)+"\u7a0b")
	if len(a) != 128 || len(b) != 128 || a == b || a[:112] != b[:112] || a[:112] != strings.Repeat("u65e5", 23)[:112] {
		t.Errorf("%s and %s", a, b)
	}
}

func TestInsert(t *testing.T) {
	one := []member{{"b", []byte("1.10")}}
	two := []member{one[0], {"c\"d", []byte("[ ]")}}
	for _, c := range []struct {
		object  string
		members []member
		want    string
	}{
		{`{}`, nil, `{}`},
		{`{}`, one, `{"b":1.10}`},
		{"{ \n}", one, "{ \n\"b\":1.10}"},
		{`{"a":"}"}`, two, `{"a":"}","b":1.10,"c\"d":[ ]}`},
		{"{\"a\": {} \t}", one, "{\"a\": {} \t,\"b\":1.10}"},
	} {
		if got := string(insert([]byte(c.object), c.members)); got != c.want {
			t.Errorf("insert(%q) = %q, want %q", c.object, got, c.want)
		}
		var tape wire.Tape
		if err := tape.Scan(insert([]byte(c.object), c.members), wire.Limits{}); err != nil {
			t.Errorf("insert(%q): %v", c.object, err)
		}
	}
	object := []byte(`{"a":1}tail`)[:7]
	insert(object, one)
	if got := string(object[:11]); got != `{"a":1}tail` {
		t.Errorf("insert wrote behind its argument: %q", got)
	}
}

func TestReach(t *testing.T) {
	for _, c := range []struct {
		schema, pointer string
		want            answer
	}{
		{`true`, "/a", open},
		{`{}`, "/a", open},
		{`false`, "/a", closed},
		{`{"type":"string"}`, "/a", closed},
		{`{"type":["string","object"]}`, "/a", open},
		{`{"properties":{"a":{"type":"object"}}}`, "/a", declared},
		{`{"properties":{"a":true}}`, "/a", declared},
		{`{"properties":{"a":{}}}`, "/a", declared},
		{`{"properties":{"a":{}}}`, "/a/b", open},
		{`{"properties":{"a":false}}`, "/a", closed},
		{`{"properties":{"a":{}}}`, "/b", open},
		{`{"properties":{"a":{}},"additionalProperties":false}`, "/b", closed},
		{`{"additionalProperties":{"type":"object"}}`, "/b", declared},
		{`{"additionalProperties":true}`, "/b", open},
		{`{"patternProperties":{"^p":{"type":"object"}},"additionalProperties":false}`, "/p1", declared},
		{`{"patternProperties":{"^p":{"type":"object"}},"additionalProperties":false}`, "/q1", closed},
		{`{"patternProperties":{"^p":false},"properties":{"p":{}}}`, "/p", closed},
		{`{"properties":{"a/b~c":{"type":"object"}}}`, "/a~1b~0c", declared},
		{`{"type":"array","items":{"type":"object"}}`, "/0", declared},
		{`{"type":"array","items":{"properties":{"x":{}}}}`, "/12/x", declared},
		{`{"type":"array"}`, "/0", open},
		{`{"type":"array"}`, "/00", closed},
		{`{"type":"array"}`, "/-1", closed},
		{`{"type":"array"}`, "/-", closed},
		{`{"type":"array","prefixItems":[{},{"type":"object"}],"items":false}`, "/1", declared},
		{`{"type":"array","prefixItems":[{},{}],"items":false}`, "/2", closed},
		{`{"type":"object"}`, "/0", open},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{"type":"object"}}}}}`, "/a", declared},
		{`{"allOf":[{"properties":{"a":{"type":"object"}}},{"additionalProperties":false}]}`, "/a", closed},
		{`{"allOf":[{"properties":{"a":{"type":"object"}}},{"properties":{"b":{}}}]}`, "/a", declared},
		{`{"anyOf":[{"properties":{"a":{"type":"object"}}},{"type":"string"}]}`, "/a", declared},
		{`{"oneOf":[{"properties":{"b":{}},"additionalProperties":false},{"type":"string"}]}`, "/a", closed},
		{`{"oneOf":[{"type":"string"},{}]}`, "/a", open},
		{`{"if":{"required":["k"]},"then":{"properties":{"a":{"type":"object"}}}}`, "/a", declared},
		{`{"if":{"required":["k"]},"then":{"properties":{"a":false}}}`, "/a", open},
		{`{"dependentSchemas":{"k":{"properties":{"a":{"type":"object"}}}}}`, "/a", declared},
		{`{"properties":{"next":{"$ref":"#"},"leaf":{"type":"object"}},"additionalProperties":false}`, "/next/next/next/leaf", declared},
		{`{"properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, "/next/next/other", closed},
	} {
		file, list := load.Parse("s.json", []byte(c.schema), wire.Limits{})
		if len(list) > 0 {
			t.Fatal(c.schema, list)
		}
		root, list := resolve.Resolve(file, nil, resolve.Options{Registry: protocol.Registry()})
		if list.HasErrors() {
			t.Fatal(c.schema, list)
		}
		tokens, _ := load.SplitPointer(c.pointer)
		if got := reach(root, tokens); got != c.want {
			t.Errorf("reach(%s, %s) = %d, want %d", c.schema, c.pointer, got, c.want)
		}
	}
}

// TestReachIsLinear: a schema that doubles at every step has one answer for each schema and depth.
func TestReachIsLinear(t *testing.T) {
	src := `{"$defs":{"s":{"anyOf":[{"properties":{"a":{"$ref":"#/$defs/s"}}},{"properties":{"a":{"$ref":"#/$defs/s"}}}]}},"$ref":"#/$defs/s"}`
	file, _ := load.Parse("s.json", []byte(src), wire.Limits{})
	root, list := resolve.Resolve(file, nil, resolve.Options{})
	if root == nil {
		t.Fatal(list)
	}
	r := reacher{tokens: strings.Split(strings.Repeat("a", 200), "")[:200], known: map[reachKey]answer{}}
	if got := r.from(root, 0); got != declared {
		t.Errorf("answer %d", got)
	}
	if len(r.known) > 201*6 {
		t.Errorf("%d answers for 200 tokens", len(r.known))
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, pointer string
		want             bool
	}{
		{"/a", "/a", true}, {"/a", "/a/b", false}, {"/a", "", false}, {"/*", "/x", true}, {"/*", "/x/y", false},
		{"/a/**", "/a", true}, {"/a/**", "/a/b/c", true}, {"/a/**", "/ab", false}, {"/a/*/c", "/a/7/c", true}, {"/a/*/c", "/a/7/d", false},
	} {
		if got := match(c.pattern, c.pointer); got != c.want {
			t.Errorf("match(%q, %q) = %v", c.pattern, c.pointer, got)
		}
	}
}
