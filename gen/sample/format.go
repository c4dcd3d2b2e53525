package sample

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// formatRule is what is known of a format. The checks are on the safe side: a string that passes has the
// format, one that does not may have it in a form that nobody writes.
type formatRule struct {
	make  func(rng *rand.Rand, low int) string // of low characters or more where the format has room for that
	check func(s string) bool
	wrong []string // strings that surely do not have the format, each by one fault
}

// formats are the ones that the package knows, by name. All others say nothing.
var formats = map[string]formatRule{
	"date-time": {makeDateTime, isDateTime, []string{
		"2025-01-31", "2025-01-31T08:00:00", "2025-13-31T08:00:00Z", "2025-02-30T08:00:00Z", "2025-01-31T24:00:00Z", "2025-01-31T08:60:00Z", "2025-01-31T08:00:00.Z", "2025-01-31T08:00:00+2400",
	}},
	"date":                  {makeDate, isDate, []string{"2025-1-31", "2025-02-30", "2025-13-01", "2025-01-31T"}},
	"time":                  {makeTime, isTime, []string{"08:00:00", "24:00:00Z", "08:60:00Z", "8:00:00Z"}},
	"duration":              {makeDuration, duration.MatchString, []string{"", "P", "PT", "1D", "P1S", "P1D2W"}},
	"email":                 {makeEmail, email.MatchString, []string{"", "a", "@example.org", "a@", "a b@example.org"}},
	"idn-email":             {makeEmail, email.MatchString, []string{"", "a", "@example.org", "a@"}},
	"hostname":              {makeHost, host.MatchString, []string{"", "-a", "a..b", "a_b"}},
	"idn-hostname":          {makeHost, host.MatchString, []string{"", "-a", "a..b"}},
	"ipv4":                  {makeIPv4, isIPv4, []string{"", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5"}},
	"ipv6":                  {makeIPv6, isIPv6, []string{"", ":", "1::2::3", "12345::", "1.2.3.4", "fe80::1%eth0"}},
	"uri":                   {makeURI, isURI, []string{"", "//example.org/a", "a b:c", "http://[::1", "http:\\x"}},
	"uri-reference":         {makeReference, isReference, []string{"\\a", "a b", "http://[::1"}},
	"iri":                   {makeURI, isURI, []string{"", "//example.org/a", "http://[::1"}},
	"iri-reference":         {makeReference, isReference, []string{"\\a", "http://[::1"}},
	"uri-template":          {makeTemplate, template.MatchString, []string{"{", "http://example.org/{a"}},
	"uuid":                  {makeUUID, uuid.MatchString, []string{"", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g"}},
	"json-pointer":          {makePointer, pointer.MatchString, []string{"a", "/~", "/~2"}},
	"relative-json-pointer": {makeRelative, relative.MatchString, []string{"", "/a", "01", "-1"}},
	"regex":                 {makeRegex, isRegex, []string{"(", "[a", "a{2,1}", "*"}},
}

var (
	rfc3339  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`)
	clock    = regexp.MustCompile(`^\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`)
	duration = regexp.MustCompile(`^P(\d+W|\d+Y(\d+M(\d+D)?)?(T\d+H)?|\d+M(\d+D)?|\d+D|T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))$`)
	email    = regexp.MustCompile(`^[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$`)
	host     = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$`)
	address  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:([A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$`)
	relation = regexp.MustCompile(`^([A-Za-z0-9._~!$&'()*+,;=@/?#-]|%[0-9A-Fa-f]{2})*$`)
	template = regexp.MustCompile(`^([A-Za-z0-9._~:/?-]|\{[a-z]+(,[a-z]+)*\})*$`)
	uuid     = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	pointer  = regexp.MustCompile(`^(/([^/~]|~[01])*)*$`)
	relative = regexp.MustCompile(`^(0|[1-9]\d*)(#|(/([^/~]|~[01])*)*)$`)
)

func isDateTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil && rfc3339.MatchString(s)
}

func isDate(s string) bool {
	_, err := time.Parse("2006-01-02", s)
	return err == nil
}

func isTime(s string) bool { return clock.MatchString(s) && isDateTime("2024-02-29T"+s) }

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && address.MatchString(s) && strings.Count(s, "#") <= 1
}

func isReference(s string) bool {
	_, err := url.Parse(s)
	return isURI(s) || err == nil && relation.MatchString(s) && strings.Count(s, "#") <= 1
}

func isRegex(s string) bool { return !parsePattern(s).beyond }

// letters returns n letters and digits.
func letters(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[rng.IntN(36)]
	}
	return string(b)
}

// filled appends what next makes until s has low characters.
func filled(s string, low int, next func() string) string {
	for utf8.RuneCountInString(s) < low {
		s += next()
	}
	return s
}

func makeDate(rng *rand.Rand, _ int) string {
	if rng.IntN(4) == 0 {
		return pick(rng, "2024-02-29", "1970-01-01", "9999-12-31", "0001-01-01")
	}
	return time.Unix(rng.Int64N(4e9), 0).UTC().Format("2006-01-02")
}

func makeTime(rng *rand.Rand, low int) string {
	offset := pick(rng, "Z", "+08:00", "-00:30", "+00:00", "-11:59", "+23:59")
	s := fmt.Sprintf("%02d:%02d:%02d", rng.IntN(24), rng.IntN(60), rng.IntN(60))
	if n := max(rng.IntN(8)-3, low-len(s)-1-len(offset)); n > 0 {
		s += "." + filled("", n, func() string { return string(rune('0' + rng.IntN(10))) })
	}
	return s + offset
}

func makeDateTime(rng *rand.Rand, low int) string {
	return makeDate(rng, 0) + "T" + makeTime(rng, low-11)
}

func makeDuration(rng *rand.Rand, _ int) string {
	return pick(rng, "P1D", "PT36H", "P3Y6M4DT12H", "PT0S", "P4W", "PT1M30S", "P1M")
}

func makeEmail(rng *rand.Rand, low int) string {
	domain := pick(rng, "@example.org", "@a.example.com", "@mail-1.example.net")
	return filled(pick(rng, "a", "first.last", "x+tag", "n_1"), low-len(domain), func() string { return letters(rng, 1) }) + domain
}

func makeHost(rng *rand.Rand, low int) string {
	return filled(pick(rng, "localhost", "example.org", "a-1.example.com"), low, func() string { return "." + letters(rng, 1) })
}

func makeIPv4(rng *rand.Rand, _ int) string {
	return fmt.Sprintf("%d.%d.%d.%d", rng.IntN(256), rng.IntN(256), rng.IntN(256), rng.IntN(256))
}

func makeIPv6(rng *rand.Rand, _ int) string {
	return pick(rng, "::1", "::", "2001:db8::ff00:42:8329", "fe80:0:0:0:1:2:3:4", "::ffff:192.0.2.1", fmt.Sprintf("2001:db8::%x", rng.IntN(65536)))
}

func makeURI(rng *rand.Rand, low int) string {
	s := pick(rng, "https://example.org/", "http://example.org:8080/a?b=c&d=", "urn:example:a", "mailto:a@example.org", "https://example.org/a%20b/", "file:///tmp/")
	return filled(s, low, func() string { return letters(rng, 1) })
}

func makeReference(rng *rand.Rand, low int) string {
	if rng.IntN(3) == 0 {
		return makeURI(rng, low)
	}
	return filled(pick(rng, "", "#a", "../b", "/c?d=e", "//example.org/f"), low, func() string { return letters(rng, 1) })
}

func makeTemplate(rng *rand.Rand, low int) string {
	return filled(pick(rng, "http://example.org/{id}", "/a/{b,c}", "plain"), low, func() string { return "/{x}" })
}

func makeUUID(rng *rand.Rand, _ int) string {
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", rng.Uint32(), rng.IntN(1<<16), 0x4000+rng.IntN(1<<12), 0x8000+rng.IntN(1<<14), rng.Uint64()&(1<<48-1))
}

func makePointer(rng *rand.Rand, low int) string {
	return filled(pick(rng, "", "/a", "/a~1b/0", "/~0/名"), low, func() string { return "/" + letters(rng, 2) })
}

func makeRelative(rng *rand.Rand, low int) string {
	return filled(pick(rng, "0", "1/a", "2"), low, func() string { return "/a" })
}

func makeRegex(rng *rand.Rand, low int) string {
	return filled(pick(rng, "^[a-z]+$", "a|b", "", "^\\d{2,4}$"), low, func() string { return "a?" })
}
