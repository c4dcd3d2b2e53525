package policy

import (
	"encoding/base64"
	"strings"
)

// finder finds parts of texts by their shape. It looks only at places whose byte can be a part's first or a
// part's telling one, so a text without them costs a table lookup a byte. Most parts begin where a word does: inside of
// one its own characters could go on from for ever, and most letters of a text stand there.
type finder struct {
	classes [256]class
	// at looks at a trigger at i and returns the part, start == end for none. Parts of one text do not
	// have to come in order.
	at func(text []byte, i int) (start, end int)
}

// class says what a byte is to a finder.
type class uint8

const (
	starts  class = 1 << iota // a trigger where it does not go on a word
	inWord                    // it goes on a word: see joined
	trigger                   // a trigger anywhere
)

// finderOf makes a finder of the triggers anywhere and those that begin a word.
func finderOf(anywhere, beginnings string, at func(text []byte, i int) (start, end int)) finder {
	f := finder{at: at}
	for c := range f.classes {
		if isWordDash(byte(c)) {
			f.classes[c] |= inWord
		}
	}
	for _, c := range []byte(anywhere) {
		f.classes[c] |= trigger
	}
	for _, c := range []byte(beginnings) {
		f.classes[c] |= starts
	}
	return f
}

// span is a range of bytes of a text.
type span struct{ start, end int }

// find appends the parts of a text.
func (f *finder) find(text []byte, spans []span) []span {
	before := class(0)
	for i := 0; i < len(text); i++ {
		c := f.classes[text[i]]
		if c&(trigger|starts)&^(before>>1) == 0 { // inWord before takes starts away
			before = c
			continue
		}
		before = c
		if start, end := f.at(text, i); start < end {
			spans = append(spans, span{start, end})
			if end > i+1 {
				i = end - 1
				before = f.classes[text[i]]
			}
		}
	}
	return spans
}

// run returns where a run of bytes of a class that begins at i ends.
func run(text []byte, i int, class func(byte) bool) int {
	for i < len(text) && class(text[i]) {
		i++
	}
	return i
}

func isWordDash(c byte) bool  { return isAlnum(c) || c == '_' || c == '-' }
func isUpperNum(c byte) bool  { return isUpper(c) || c-'0' <= 9 }
func isURLSafe(c byte) bool   { return isWordDash(c) || c == '.' || c == '~' }
func isTokenChar(c byte) bool { return isURLSafe(c) || c == '+' || c == '/' || c == '=' }

// hasPrefix compares without making a string.
func hasPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix
}

// hasPrefixFold is hasPrefix for a prefix in lower case and a text in any.
func hasPrefixFold(text []byte, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(text[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// family is a sort of keys: a prefix and then at least min characters of a class.
type family struct {
	prefix string
	min    int
	class  func(byte) bool
	// exact: the key has just min characters. mixed: it holds a digit and letters of both cases, or else it
	// could be a hyphenated name.
	exact, mixed bool
}

var families = []family{
	{prefix: "sk-", min: 20, class: isWordDash, mixed: true},
	{prefix: "sk_live_", min: 16, class: isAlnum}, {prefix: "sk_test_", min: 16, class: isAlnum}, {prefix: "rk_live_", min: 16, class: isAlnum},
	{prefix: "ghp_", min: 36, class: isAlnum}, {prefix: "gho_", min: 36, class: isAlnum}, {prefix: "ghu_", min: 36, class: isAlnum},
	{prefix: "ghs_", min: 36, class: isAlnum}, {prefix: "ghr_", min: 36, class: isAlnum}, {prefix: "github_pat_", min: 22, class: isWordDash},
	{prefix: "glpat-", min: 20, class: isWordDash}, {prefix: "npm_", min: 36, class: isAlnum}, {prefix: "hf_", min: 30, class: isAlnum},
	{prefix: "xoxb-", min: 20, class: isWordDash}, {prefix: "xoxp-", min: 20, class: isWordDash}, {prefix: "xoxa-", min: 20, class: isWordDash},
	{prefix: "xoxr-", min: 20, class: isWordDash}, {prefix: "xoxs-", min: 20, class: isWordDash},
	{prefix: "AKIA", min: 16, class: isUpperNum, exact: true}, {prefix: "ASIA", min: 16, class: isUpperNum, exact: true},
	{prefix: "AIza", min: 35, class: isWordDash, exact: true},
}

// secretParameters are names in the query of a URL whose values are credentials.
var secretParameters = []string{
	"access_token", "refresh_token", "id_token", "auth_token", "token", "api_key", "apikey", "client_secret", "password", "secret",
	"sig", "signature", "x-amz-signature", "x-amz-security-token", "x-goog-signature",
}

var credentials = finderOf("-:?&#", "srgnhxAeBb", func(text []byte, i int) (int, int) {
	rest := text[i:]
	switch c := text[i]; {
	case c == ':':
		return userPassword(text, i)
	case c == '?' || c == '&' || c == '#':
		return parameter(text, i+1)
	case c == '-':
		if hasPrefix(rest, "-----BEGIN ") {
			return pem(text, i)
		}
		return 0, 0
	case c == 'e':
		if hasPrefix(rest, "eyJ") {
			return webToken(text, i)
		}
	case c|0x20 == 'b':
		return authorization(text, i)
	}
	for k := range families {
		f := &families[k]
		if f.prefix[0] != text[i] || !hasPrefix(rest, f.prefix) {
			continue
		}
		from := i + len(f.prefix)
		end := run(text, from, f.class)
		if end-from < f.min || f.exact && end-from != f.min || f.mixed && !isMixed(text[from:end]) {
			continue
		}
		return i, end
	}
	return 0, 0
})

func isMixed(text []byte) bool {
	digit, up, low := false, false, false
	for _, c := range text {
		digit = digit || c-'0' <= 9
		up = up || isUpper(c)
		low = low || c >= 'a' && c <= 'z'
	}
	return digit && up && low
}

// webToken is a JSON Web Token: two parts of base64 that are objects, and a signature.
func webToken(text []byte, i int) (int, int) {
	head := run(text, i, isWordDash)
	if head-i < 10 || !hasPrefix(text[head:], ".eyJ") {
		return 0, 0
	}
	body := run(text, head+1, isWordDash)
	if body-head < 11 {
		return 0, 0
	}
	if body < len(text) && text[body] == '.' {
		body = run(text, body+1, isWordDash)
	}
	return i, body
}

// pem is a private key, up to its end or that of the text.
func pem(text []byte, i int) (int, int) {
	const begin, label, block, fin = "-----BEGIN ", "PRIVATE KEY", " BLOCK", "-----END "
	from := i + len(begin)
	line := text[from:min(len(text), from+64)]
	at := strings.Index(string(line), label)
	if at < 0 || strings.Contains(string(line[:at]), "-") {
		return 0, 0
	}
	from += at + len(label)
	if hasPrefix(text[from:], block) { // of PGP
		from += len(block)
	}
	if !hasPrefix(text[from:], "-----") {
		return 0, 0
	}
	for k := from; k < len(text); k++ {
		if text[k] == '-' && hasPrefix(text[k:], fin) {
			if stop := run(text, k+len(fin), func(c byte) bool { return c != '-' && c != '\n' }); hasPrefix(text[stop:], "-----") {
				return i, stop + len("-----")
			}
		}
	}
	return i, len(text)
}

// authorization is what follows Bearer or Basic in a header.
func authorization(text []byte, i int) (int, int) {
	rest := text[i:]
	switch {
	case hasPrefixFold(rest, "bearer "):
		from := i + len("bearer ")
		end := run(text, from, isTokenChar)
		for _, c := range text[from:end] {
			if c-'0' <= 9 && end-from >= 16 {
				return from, end
			}
		}
	case hasPrefixFold(rest, "basic "):
		from := i + len("basic ")
		end := run(text, from, isTokenChar)
		if end-from < 8 {
			return 0, 0
		}
		plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(text[from:end]), "="))
		if err == nil && strings.Contains(string(plain), ":") {
			return from, end
		}
	}
	return 0, 0
}

// userPassword is the password in scheme://user:password@host. A password that holds an @ itself ends before the
// last one, as readers of URLs have it.
func userPassword(text []byte, i int) (int, int) {
	if !hasPrefix(text[i:], "://") {
		return 0, 0
	}
	colon, at := -1, -1
	for k := i + 3; k < len(text); k++ {
		c := text[k]
		if c <= ' ' || strings.IndexByte(`/?#[]<>"'`, c) >= 0 {
			break
		}
		switch {
		case c == ':' && colon < 0:
			if at >= 0 { // of a port: there is a user without a password
				return 0, 0
			}
			colon = k
		case c == '@':
			at = k
		}
	}
	if colon < 0 || at <= colon+1 {
		return 0, 0
	}
	return colon + 1, at
}

// parameter is the value of a parameter at i that is a credential by its name.
func parameter(text []byte, i int) (int, int) {
	for _, name := range secretParameters {
		if hasPrefixFold(text[i:], name) && i+len(name) < len(text) && text[i+len(name)] == '=' {
			from := i + len(name) + 1
			end := run(text, from, func(c byte) bool { return isURLSafe(c) || c == '%' || c == '+' || c == '/' || c == '=' })
			if end-from >= 8 {
				return from, end
			}
		}
	}
	return 0, 0
}
