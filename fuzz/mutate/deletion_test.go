package mutate

import (
	"slices"
	"testing"
)

func TestOccurrences(t *testing.T) {
	const doc = `{"$id":"urn:a","$schema":"x","title":"t","type":"object","format":"email","unknown":{"type":"null"},
		"properties":{"type":{"const":{"minLength":1}},"a/b":{"format":"date-time","default":{"type":1}}},
		"items":[{"minimum":1},true],"dependencies":{"a":["b"],"c":{"required":["d"]}},
		"$defs":{"x":{"anyOf":[{"pattern":"p"}],"not":{"enum":[{"type":2}]}}}}`
	occurrences, err := Occurrences([]byte(doc), []string{"date-time"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range occurrences {
		got = append(got, o.Pointer)
	}
	want := []string{
		"/type", "/properties", "/properties/type/const", "/properties/a~1b/format", "/items", "/items/0/minimum",
		"/dependencies", "/dependencies/c/required", "/$defs/x/anyOf", "/$defs/x/anyOf/0/pattern", "/$defs/x/not", "/$defs/x/not/enum",
	}
	if !slices.Equal(got, want) {
		t.Errorf("occurrences\n%v, want\n%v", got, want)
	}
}

func TestDeletion(t *testing.T) {
	const doc = `{"a":1,"properties":{"a/b":{"type":"null","minLength":1.0}},"allOf":[{"\u0069f":true}]}`
	for _, c := range []struct{ pointer, keyword, want string }{
		{"/properties", "properties", `{"a":1,"allOf":[{"\u0069f":true}]}`},
		{"/properties/a~1b/type", "type", `{"a":1,"properties":{"a/b":{"minLength":1.0}},"allOf":[{"\u0069f":true}]}`},
		{"/allOf/0/if", "if", `{"a":1,"properties":{"a/b":{"type":"null","minLength":1.0}},"allOf":[{}]}`},
	} {
		got, err := Occurrence{c.pointer, c.keyword}.Without([]byte(doc))
		if err != nil || string(got) != c.want {
			t.Errorf("without %s: %s, %v; want %s", c.pointer, got, err, c.want)
		}
	}
	if got, err := (Occurrence{"/properties/x/type", "type"}).Without([]byte(doc)); err == nil {
		t.Errorf("deleting what is not there gave %s", got)
	}
}
