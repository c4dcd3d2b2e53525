package resolve

import (
	"bytes"
	"path"
	"strings"
)

// uri is a URI reference split into its five components (RFC 3986 §3). Components keep their spelling,
// with two exceptions that make equal references equal strings: scheme and host are lower case, and
// characters outside ASCII are taken as they are (an IRI, RFC 3987), since schemas have names in every
// script.
//
// net/url is not used: it re-encodes what it prints, and refuses references that are harmless here.
type uri struct {
	scheme    string
	authority string
	path      string
	query     string
	fragment  string

	hasAuthority, hasQuery, hasFragment bool
}

// parseURI splits by the delimiters of RFC 3986 appendix B. ok is false for text that no reading makes a
// reference: white space or control characters, one of <>"\^`{|} outside the fragment, a '%' that two
// hexadecimal digits do not follow. A fragment may hold anything else, because JSON Pointers are written
// there unencoded by hand all the time.
func parseURI(s string) (u uri, ok bool) {
	rest := s
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		u.fragment, u.hasFragment = rest[i+1:], true
		rest = rest[:i]
	}
	if strings.ContainsFunc(rest, notInURI) || strings.ContainsFunc(u.fragment, isControl) || !percentOK(s) {
		return uri{}, false
	}
	if i := strings.IndexByte(rest, '?'); i >= 0 {
		u.query, u.hasQuery = rest[i+1:], true
		rest = rest[:i]
	}
	if i := strings.IndexAny(rest, ":/"); i > 0 && rest[i] == ':' && isScheme(rest[:i]) {
		u.scheme = strings.ToLower(rest[:i])
		rest = rest[i+1:]
	}
	if after, found := strings.CutPrefix(rest, "//"); found {
		u.hasAuthority = true
		u.authority, rest = after, ""
		if i := strings.IndexByte(after, '/'); i >= 0 {
			u.authority, rest = after[:i], after[i:]
		}
		u.authority = lowerHost(u.authority)
	}
	u.path = rest
	return u, true
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func notInURI(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("<>\"\\^`{|}", r) }

func percentOK(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isScheme(s string) bool {
	for i, c := range []byte(strings.ToLower(s)) {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

// lowerHost leaves user information, which is case-sensitive, alone.
func lowerHost(authority string) string {
	at := strings.LastIndexByte(authority, '@') + 1
	return authority[:at] + strings.ToLower(authority[at:])
}

// resolve gives the target of reference r in a document whose base is u, by RFC 3986 §5.2.2.
func (u uri) resolve(r uri) uri {
	t := uri{fragment: r.fragment, hasFragment: r.hasFragment}
	switch {
	case r.scheme != "":
		t.scheme = r.scheme
		t.authority, t.hasAuthority = r.authority, r.hasAuthority
		t.path = removeDots(r.path)
		t.query, t.hasQuery = r.query, r.hasQuery
		return t
	case r.hasAuthority:
		t.authority, t.hasAuthority = r.authority, true
		t.path = removeDots(r.path)
		t.query, t.hasQuery = r.query, r.hasQuery
	default:
		t.authority, t.hasAuthority = u.authority, u.hasAuthority
		t.query, t.hasQuery = r.query, r.hasQuery
		switch {
		case r.path == "":
			t.path = u.path
			if !r.hasQuery {
				t.query, t.hasQuery = u.query, u.hasQuery
			}
		case strings.HasPrefix(r.path, "/"):
			t.path = removeDots(r.path)
		case u.isLocal():
			t.path = climbDots(u.merge(r.path))
		default:
			t.path = removeDots(u.merge(r.path))
		}
	}
	t.scheme = u.scheme
	return t
}

// merge is RFC 3986 §5.2.3.
func (u uri) merge(reference string) string {
	if u.hasAuthority && u.path == "" {
		return "/" + reference
	}
	return u.path[:strings.LastIndexByte(u.path, '/')+1] + reference
}

// removeDots is RFC 3986 §5.2.4.
func removeDots(in string) string {
	if !strings.Contains(in, ".") {
		return in
	}
	var out []byte
	for in != "" {
		switch {
		case strings.HasPrefix(in, "../"):
			in = in[3:]
		case strings.HasPrefix(in, "./"):
			in = in[2:]
		case strings.HasPrefix(in, "/./"):
			in = in[2:]
		case in == "/.":
			in = "/"
		case strings.HasPrefix(in, "/../"), in == "/..":
			if in = in[3:]; in == "" {
				in = "/"
			}
			out = out[:max(bytes.LastIndexByte(out, '/'), 0)]
		case in == ".", in == "..":
			in = ""
		default:
			end := strings.IndexByte(in[1:], '/') + 1
			if end == 0 {
				end = len(in)
			}
			out = append(out, in[:end]...)
			in = in[end:]
		}
	}
	return string(out)
}

// isLocal tells the URIs that [FileURI] makes of relative names.
func (u uri) isLocal() bool { return u.scheme == "file" && u.authority == "." }

// up is the path segment of a local URI that leads above the working folder. It is no dot segment of RFC
// 3986, where a path cannot climb above its root.
const up = "%2E%2E"

// climbDots resolves the dots of a local path as a file system does.
func climbDots(in string) string {
	var out []string
	for segment := range strings.SplitSeq(strings.TrimPrefix(in, "/"), "/") {
		switch {
		case segment == ".":
		case segment != "..":
			out = append(out, segment)
		case len(out) == 0 || out[len(out)-1] == up:
			out = append(out, up)
		default:
			out = out[:len(out)-1]
		}
	}
	return "/" + strings.Join(out, "/")
}

// localName is the file name that a local URI was made of, or the URI itself.
func (u uri) localName() string {
	switch {
	case u.isLocal():
		return strings.ReplaceAll(strings.TrimPrefix(u.path, "/"), up, "..")
	case u.scheme == "file" && u.authority == "":
		return u.path
	}
	return u.document()
}

// document is the URI without its fragment: the name of a schema resource.
func (u uri) document() string {
	var b strings.Builder
	b.Grow(len(u.scheme) + len(u.authority) + len(u.path) + len(u.query) + len(":///?"))
	if u.scheme != "" {
		b.WriteString(u.scheme + ":")
	}
	if u.hasAuthority {
		b.WriteString("//" + u.authority)
	}
	b.WriteString(u.path)
	if u.hasQuery {
		b.WriteString("?" + u.query)
	}
	return b.String()
}

// decodePercent decodes a fragment. The caller has checked that every '%' is followed by two digits.
func decodePercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			out = append(out, hexValue(s[i+1])<<4|hexValue(s[i+2]))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

func hexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	default:
		return c - '0'
	}
}

// FileURI is the URI under which a file is known that the user named: the base of relative references
// in a schema without `$id`, and the name by which its neighbours refer to it. A relative name stands
// under "file://./", where "." is the working folder, so that no machine's paths get into what the
// compiler prints; an absolute one under "file:///". A name that climbs above the working folder keeps
// its dots, encoded.
func FileURI(name string) string {
	if path.IsAbs(name) {
		return "file://" + encodePath(path.Clean(name))
	}
	segments := strings.Split(path.Clean(name), "/")
	for i, segment := range segments {
		segments[i] = encodePath(segment)
		if segment == ".." {
			segments[i] = up
		}
	}
	return "file://./" + strings.Join(segments, "/")
}

// Target is the URI, without fragment, of the document that a reference in a document with that base leads
// to, spelt as [Resolve] looks it up. ok is false when one of the two is no URI reference. It is for those
// who collect documents for a [Registry]; net/url spells names outside ASCII and names that climb above the
// working folder in another way.
func Target(base, reference string) (target string, ok bool) {
	b, ok1 := parseURI(base)
	r, ok2 := parseURI(reference)
	if !ok1 || !ok2 {
		return "", false
	}
	return b.resolve(r).document(), true
}

// encodePath escapes what would end a path or be no character of a URI.
func encodePath(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '%' || c == '?' || c == '#' || c < 0x80 && notInURI(rune(c)):
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
