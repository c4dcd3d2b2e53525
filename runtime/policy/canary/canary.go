// Package canary makes results that carry a secret in every form that masking answers for, and looks for it
// in whatever was made of them. It is for tests: those of masking and policy, and those of presenters, whose
// law it is that nothing masked appears in a projection.
//
// A secret goes in, a payload with it in all forms comes out; a text goes in, the ways in which it reveals
// the secret come out. The search is slow and shares no code with package secret, or both would make the same
// mistake.
package canary

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Secret is a canary: every sort of character that some encoding treats in a special way.
const Secret = `cnry/9f+K2 "Zq\x7%é-_~end`

// Form is one way to write a secret into a document.
type Form struct {
	Name string
	// Write returns JSON that carries the secret: a value.
	Write func(secret string) string
}

// Forms are the ways that masking answers for.
func Forms() []Form {
	text := func(f func(s string) string) func(string) string {
		return func(s string) string { return Quote(f(s)) }
	}
	std, safe := base64.StdEncoding, base64.URLEncoding
	return []Form{
		{"raw", Quote},
		{"inside a text", text(func(s string) string { return "Invalid key " + s + ", see the manual." })},
		{"unicode escapes", func(s string) string { return `"` + unicode(s) + `"` }},
		{"escaped slash", func(s string) string { return strings.ReplaceAll(Quote(s), "/", `\/`) }},
		{"JSON inside a string", text(func(s string) string { return `{"key":` + strings.ReplaceAll(Quote(s), "/", `\/`) + `}` })},
		{"unicode escapes inside a string", text(unicode)},
		{"base64", text(func(s string) string { return std.EncodeToString([]byte(s)) })},
		{"base64 for URLs", text(func(s string) string { return safe.EncodeToString([]byte(s)) })},
		{"base64 without padding", text(func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) })},
		{"base64 after one byte", text(func(s string) string { return std.EncodeToString([]byte(":" + s + "|")) })},
		{"base64 after two bytes", text(func(s string) string { return safe.EncodeToString([]byte("u:" + s + "||")) })},
		{"base64 inside of more", text(func(s string) string { return "Basic " + std.EncodeToString([]byte("user:"+s+" and more")) + "." })},
		{"base64 over lines", text(func(s string) string {
			b := std.EncodeToString([]byte("0123456789" + s))
			return b[:len(b)/2] + "\r\n  " + b[len(b)/2:]
		})},
		{"base64, percent-encoded", text(func(s string) string { return url.QueryEscape(std.EncodeToString([]byte(s))) })},
		{"hexadecimal", text(func(s string) string { return hex.EncodeToString([]byte(s)) })},
		{"upper hexadecimal", text(func(s string) string { return "0x" + strings.ToUpper(hex.EncodeToString([]byte(s))) })},
		{"query", text(func(s string) string { return "https://example.com/?q=1&key=" + url.QueryEscape(s) + "&z=1" })},
		{"path", text(func(s string) string { return "https://example.com/a/" + url.PathEscape(s) + "/b" })},
		{"lower percent", text(func(s string) string { return percent(s, "%%%02x") })},
		{"upper percent", text(func(s string) string { return percent(s, "%%%02X") })},
		{"percent twice", text(func(s string) string { return url.PathEscape(url.PathEscape(s)) })},
		{"over lines", text(func(s string) string {
			a, b := Cut(s, 5)
			return a + "\n    " + b
		})},
		{"property name", func(s string) string { return `{` + Quote(s) + `:1}` }},
		{"part of a property name", func(s string) string { return `{` + Quote("x-"+s) + `:null,` + Quote("x-"+s+"2") + `:2}` }},
		{"two fields", func(s string) string {
			a, b := Cut(s, 6)
			return `{"first":` + Quote(a) + `,"n":1,"second":` + Quote(b) + `}`
		}},
		{"two elements", func(s string) string {
			a, b := Cut(s, 7)
			return `[` + Quote("token "+a) + `,` + Quote(b+" end") + `]`
		}},
		{"name and value", func(s string) string {
			a, b := Cut(s, 3)
			return `{` + Quote(a) + `:` + Quote(b) + `}`
		}},
		{"two names", func(s string) string {
			a, b := Cut(s, 4)
			return `{` + Quote(a) + `:1,` + Quote(b) + `:2}`
		}},
		{"characters", func(s string) string {
			var list []string
			for _, r := range s {
				list = append(list, Quote(string(r)))
			}
			return `[` + strings.Join(list, ",") + `]`
		}},
	}
}

// Data is a value that carries the secret in all forms.
func Data(secret string) string {
	var b strings.Builder
	b.WriteString(`{"kept":"\u0041\/","forms":[`)
	for i, f := range Forms() {
		if i > 0 {
			b.WriteString(`,"next",`) // so that two forms do not meet
		}
		b.WriteString(f.Write(secret))
	}
	b.WriteString(`]}`)
	return b.String()
}

// Payloads are payloads of a plugin that carry the secret in all forms, wherever a plugin has a word: one that
// went well, one that went wrong, and one in between.
func Payloads(secret string) []string {
	q := func(format string) string { return Quote(fmt.Sprintf(format, secret)) }
	data := Data(secret)
	rest := `,"resources":[],"warnings":[{"code":"A.B","message":` + q("warned of %s") + `,"target":` + q("/%s") + `,"details":` + data + `}],` +
		`"presentation":{"summary":` + q("made with %s") + `,"title":` + q("%s") + `,"preferredView":"table"},` +
		`"aiAdvice":{"intent":"relay","message":` + q("tell %s") + `,"resourceIds":[],"priority":"low"},` +
		`"extensions":{"a.b":` + data + `}}`
	failure := `,"error":{"code":"UPSTREAM_ERROR","message":` + q("Invalid key %s") + `,"target":` + q("%s") + `,"details":` + data +
		`,"cause":{"code":` + q("%s") + `,"message":` + q("%s") + `}}`
	return []string{
		`{"status":"success","data":` + data + rest,
		`{"status":"error","data":` + data + failure + rest,
		`{"status":"partial","data":[` + data + `]` + failure + rest,
	}
}

// Quote writes a JSON string, with no more escapes than there must be.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Cut cuts a text in two, after at bytes or where the character that stands there ends. Both pieces have
// something when the text has two characters and at is less than its length.
func Cut(s string, at int) (string, string) {
	_, last := utf8.DecodeLastRuneInString(s)
	at = min(at, len(s)-last)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[:at], s[at:]
}

// unicode writes every character as \uXXXX.
func unicode(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

func percent(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}
