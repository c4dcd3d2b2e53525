package format

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"vcp.core/fuzz/shared"
)

// hostile are long strings that stay plausible for long: a start, what is repeated, and an end that spoils it.
var hostile = map[string][][3]string{
	"date-time":             {{"2024-02-29T23:59:59.", "0", "x"}},
	"date":                  {{"", "2024-02-29", ""}},
	"time":                  {{"23:59:59.", "9", "+"}},
	"duration":              {{"P", "1", "Y1X"}, {"PT", "1H1M1S", ""}},
	"email":                 {{"", "a.", "@b"}, {`"`, `\"`, "@b"}, {"a@", "b-", "b."}, {"a@", "b.", ""}, {"a@[IPv6:", "0:", "]"}, {"a@[t:", ":", "]]"}, {"", "@", ""}},
	"idn-email":             {{"", "é.", "@b"}, {"a@", "é.", ""}, {"a@", "é", ""}, {"a@א.", "b.", "1"}, {"a@", "ب\u200c", ""}, {"a@", "ا٠۰", ""}, {"a@", "e\u0301\u0323.", "é"}, {"a@", "中・", ""}},
	"hostname":              {{"", "a.", "-"}, {"", "a-", "a."}, {"xn--", "a", ""}, {"", "xn--", ""}},
	"idn-hostname":          {{"", "é.", ""}, {"", "é。", ""}, {"", "é", ""}, {"xn--", "9", ""}, {"א.", "b.", "1"}, {"", "ب\u200c", ""}, {"", "e\u0323\u0301", ""}},
	"ipv4":                  {{"", "1.", ""}, {"", "0", ""}},
	"ipv6":                  {{"::", "0:", ""}, {"", "0", ":"}, {"", ":", ""}},
	"uri":                   {{"a://", "%41", "%"}, {"a://", "a@", ""}, {"a://h:", "1", "x"}, {"a:", "/", "["}, {"a?", "?", "#"}, {"a://[v1.", ":", ""}, {"a://", ":", "@"}},
	"uri-reference":         {{"", "a", ":"}, {"", "//", "["}, {"", "/:", "\\"}},
	"iri":                   {{"a://", "é", "\ufffe"}, {"a:?", "\ue000", "#\ue000"}},
	"iri-reference":         {{"", "é", ":"}, {"//", "é@", ""}},
	"uuid":                  {{"", "00000000-", ""}},
	"uri-template":          {{"", "{a}", "{"}, {"{a", ",a:1", ""}, {"{", "a.", "}"}, {"{", "{", ""}, {"{a:", "1", "}"}},
	"json-pointer":          {{"", "/~0", "~"}, {"", "/", "~2"}},
	"relative-json-pointer": {{"", "1", "#/"}, {"0", "/~1", "~"}, {"0+", "9", "x"}},
	"regex":                 {{"", "(", ""}, {"", "[a-", ""}, {"(?<a>b)", `\1`, ")"}, {"", "a{1,", ""}, {"", "(?:a|b)*", "("}, {"", "(?=a)", ""}, {`[\u{`, "0", "}]"}},
}

// size is what a hostile string of a format is made to have at most: longer patterns are refused unread.
func size(name string, n int) int {
	if name == "regex" {
		return min(n, 30_000)
	}
	return n
}

func (h hostileShape) of(n int) []byte {
	return []byte(h[0] + strings.Repeat(h[1], n/len(h[1])) + h[2])
}

type hostileShape [3]string

// Room grows with a string, never with its square, and not at all where nothing need be kept.
func TestHostileRoom(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector allocates")
	}
	for _, name := range Names() {
		if len(hostile[name]) == 0 {
			t.Errorf("%s has no hostile strings", name)
		}
		check, _ := Lookup(name)
		for _, h := range hostile[name] {
			s := hostileShape(h).of(size(name, 100_000))
			check(s)
			per := float64(room(func() { check(s) })) / float64(len(s))
			most := 0.1
			switch name {
			case "idn-email", "idn-hostname":
				most = 100 // a slice for each label, and what it is encoded as
			case "regex":
				most = 2000 // the tree and what matches it
			}
			if per > most {
				t.Errorf("%s: %.60q…: %.0f bytes of room for each of the string", name, s, per)
			}
		}
	}
}

func room(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkHostile tells how time grows with hostile strings: ten times the string is ten times the time, growth 1.
func BenchmarkHostile(b *testing.B) {
	for _, name := range Names() {
		check, _ := Lookup(name)
		for i, h := range hostile[name] {
			b.Run(fmt.Sprintf("%s/%d", name, i), func(b *testing.B) {
				n := size(name, 100_000)
				long, short := hostileShape(h).of(n), hostileShape(h).of(n/10)
				least := [2]time.Duration{time.Hour, time.Hour}
				for b.Loop() {
					for j, s := range [][]byte{long, short} {
						start := time.Now()
						for range 1 + 9*j { // as many bytes either way
							check(s)
						}
						least[j] = min(least[j], time.Since(start))
					}
				}
				b.ReportMetric(float64(least[0])/float64(least[1]), "growth")
				b.ReportMetric(float64(least[0].Nanoseconds())/float64(len(long)), "ns/byte")
			})
		}
	}
}
