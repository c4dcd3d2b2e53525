package plugintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Decode reads JSON, numbers as json.Number.
func Decode(t testing.TB, src []byte) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return v
}

// Lookup follows a JSON Pointer without escapes.
func Lookup(v any, pointer string) any {
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch at := v.(type) {
		case map[string]any:
			v = at[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// expand replaces ${name} in strings and writes out {"$repeat": [text, times]}.
func expand(v any, saved map[string]string) any {
	switch v := v.(type) {
	case string:
		return os.Expand(v, func(name string) string { return saved[name] })
	case []any:
		for i := range v {
			v[i] = expand(v[i], saved)
		}
	case map[string]any:
		if r, ok := v["$repeat"].([]any); ok {
			times, _ := strconv.Atoi(r[1].(json.Number).String())
			return strings.Repeat(r[0].(string), times)
		}
		for name := range v {
			v[name] = expand(v[name], saved)
		}
	}
	return v
}

// Mismatch compares a value with what a case expects, and returns the first difference, "" for none.
func Mismatch(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		if pattern, ok := want["$match"].(string); ok {
			text, isText := got.(string)
			if !isText || !regexp.MustCompile(pattern).MatchString(text) {
				return fmt.Sprintf("%s: %v does not match %s", at, got, pattern)
			}
			return ""
		}
		object, ok := got.(map[string]any)
		if !ok || len(object) != len(want) {
			return fmt.Sprintf("%s: %v, want %v", at, got, want)
		}
		for name, w := range want {
			if d := Mismatch(object[name], w, at+"/"+name); d != "" {
				return d
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%s: %v, want %v", at, got, want)
		}
		for i := range want {
			if d := Mismatch(list[i], want[i], at+"/"+strconv.Itoa(i)); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%s: %v, want %v", at, got, want)
	}
	return ""
}
