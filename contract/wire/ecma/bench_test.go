package ecma

import (
	"regexp"
	"strings"
	"testing"
)

// BenchmarkMatch prints what each way costs beside package regexp on the pattern's RE2 spelling, where
// there is one.
func BenchmarkMatch(b *testing.B) {
	for _, c := range []struct{ name, pattern, re2, subject string }{
		{"scan", `^[a-z][a-z0-9_]+$`, `\A[a-z][a-z0-9_]+\z`, "created_at"},
		{"scan prefix", `^x-`, `\Ax-`, "description"},
		{"re2", `^(?:json|yaml|toml)$`, `\A(?:json|yaml|toml)\z`, "yaml"},
		{"re2 words", `^[a-z0-9]+(-[a-z0-9]+)*$`, `\A[a-z0-9]+(-[a-z0-9]+)*\z`, "generic-object"},
		{"re2 wide", `^[a-z0-9]+(-[a-z0-9]+)*$`, `\A[a-z0-9]+(-[a-z0-9]+)*\z`, "generic-objéct"},
		{"conjunction", `^(?=[^!*]+$)(?=.*\w).+$`, ``, "en,en-US"},
		{"simulation", `^(?:(?!--)[a-z-])+$`, ``, "some-name"},
		{"simulation long", `^(?:(?!--)[a-z-])+$`, ``, strings.Repeat("some-name", 1000)},
		{"backtracking", `^(["']).*\1$`, ``, `"quoted"`},
	} {
		r, err := Compile(c.pattern)
		if err != nil {
			b.Fatal(err)
		}
		s := []byte(c.subject)
		b.Run(c.name+"/ecma", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				r.Match(s)
			}
		})
		if c.re2 == "" {
			continue
		}
		re := regexp.MustCompile(c.re2)
		b.Run(c.name+"/regexp", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				re.Match(s)
			}
		})
	}
}
