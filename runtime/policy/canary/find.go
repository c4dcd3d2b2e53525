package canary

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vcp.core/contract/wire"
)

// depth is how many encodings above each other are undone.
const depth = 3

// Find returns the ways in which a text reveals a secret, none when it does not: the names of the encodings
// that have to be undone to read it. A text that is JSON is also read string by string, and its strings put
// together.
func Find(text, secret string) []string {
	var ways []string
	tell := func(way string) {
		if !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	var t wire.Tape
	if t.Scan([]byte(text), wire.Limits{Depth: 4096}) != nil {
		look(text, secret, "text", depth, tell)
		return ways
	}
	// The escapes of JSON are undone at once: the digits of one are no text, so that `\u00000000` tells four zeros and not eight.
	look(unescape(text), secret, "text", depth, tell)
	var all, names, values strings.Builder
	for i := range t.Len() {
		if t.Kind(i) != wire.KindString {
			continue
		}
		s := t.String(i)
		look(s, secret, "string", depth, tell)
		all.WriteString(s)
		if t.Node(i).Flags&wire.Name != 0 {
			names.WriteString(s)
		} else {
			values.WriteString(s)
		}
	}
	for _, joined := range []struct{ way, text string }{{"all strings", all.String()}, {"names", names.String()}, {"values", values.String()}} {
		look(joined.text, secret, joined.way, 0, tell)
	}
	return ways
}

// look searches one text, and what it is when an encoding is undone.
func look(text, secret, way string, left int, tell func(string)) {
	if strings.Contains(text, secret) {
		tell(way)
		return
	}
	for _, hidden := range inner(text) {
		if strings.Contains(hidden, secret) {
			tell(way + ", base64 or hexadecimal")
		}
	}
	if left == 0 {
		return
	}
	for _, u := range undoings {
		if plain := u.undo(text); plain != text {
			look(plain, secret, way+", "+u.name, left-1, tell)
		}
	}
}

var undoings = []struct {
	name string
	undo func(string) string
}{
	{"percent", func(s string) string {
		return percents.ReplaceAllStringFunc(s, func(m string) string {
			plain, err := url.PathUnescape(m)
			if err != nil {
				return m
			}
			return plain
		})
	}},
	{"plus", func(s string) string { return strings.ReplaceAll(s, "+", " ") }},
	{"escapes", unescape},
	{"lines", func(s string) string { return breaks.ReplaceAllString(s, "") }},
}

var (
	percents = regexp.MustCompile(`(%[0-9a-fA-F]{2})+`)
	escapes  = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\["\\/bfnrt]`)
	breaks   = regexp.MustCompile(`[\r\n]+[ \t\r\n]*`)
	runs     = regexp.MustCompile(`[A-Za-z0-9+/_-]{8,}`)
	digits   = regexp.MustCompile(`[0-9a-fA-F]{8,}`)
)

// unescape undoes the escapes of JSON, and the \x of other languages. It reads from left to right, so that an escaped
// backslash begins no other escape.
func unescape(s string) string {
	return escapes.ReplaceAllStringFunc(s, func(m string) string {
		if m == `\/` {
			return "/"
		}
		plain, err := strconv.Unquote(`"` + m + `"`)
		if err != nil {
			return m
		}
		return plain
	})
}

// inner returns what the runs of base64 and hexadecimal in a text say, read from each place where they may
// begin.
func inner(text string) []string {
	var list []string
	for _, run := range runs.FindAllString(text, -1) {
		run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
		for start := range 4 {
			for end := len(run); end > len(run)-4 && end > start; end-- {
				if plain, err := base64.RawStdEncoding.DecodeString(run[start:end]); err == nil {
					list = append(list, string(plain))
					break
				}
			}
		}
	}
	for _, run := range digits.FindAllString(text, -1) {
		for start := range 2 {
			even := run[start : start+(len(run)-start)/2*2]
			if plain, err := hex.DecodeString(even); err == nil {
				list = append(list, string(plain))
			}
		}
	}
	return list
}
