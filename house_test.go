package vcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Only cmd and doors read the environment or flags; only cmd prints; nobody panics on input. The
// patterns are looked for in the Go files that ship, tests excepted.
var house = []struct {
	pattern *regexp.Regexp
	allowed []string // path prefixes
	why     string
}{
	{regexp.MustCompile(`\bos\.(Getenv|LookupEnv|Environ)\(`), []string{"cmd/", "runtime/door/", "fuzz/", knockout}, "only cmd and doors read the environment"},
	{regexp.MustCompile(`\bfmt\.Print(f|ln)?\(`), []string{"cmd/", "fuzz/"}, "only commands print"},
	{regexp.MustCompile(`\blog\.(Print|Fatal|Panic)`), nil, "slog through an option, never the global logger"},
	{regexp.MustCompile(`"encoding/json"`), []string{"cmd/", "fuzz/", "plugins/", "docs/examples/", "runtime/plugintest/", "runtime/door/", "gen/diag/", "gen/metacheck/"}, "bytes are read by contract/wire; what a door writes of its own is not"},
}

// knockout reads the environment because the test programs of two packages are told by it which keyword to
// forget (make knockout). It is part of builds with that tag alone, which TestKnockoutIsNoPartOfTheBuild sees to.
const knockout = "gen/ir/knockout.go"

// absolute finds paths that only exist on somebody's machine.
var absolute = regexp.MustCompile(`(?:^|[\s"'=(` + "`" + `])/(?:home|Users|root|tmp/[a-z])[/\w]`)

func files(t *testing.T, pattern ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"ls-files"}, pattern...)...).Output()
	if err != nil {
		t.Skipf("git ls-files: %v (not a git checkout)", err)
	}
	return strings.Fields(string(out))
}

func TestHouseRules(t *testing.T) {
	for _, name := range files(t, "*.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			continue // deleted in the working tree
		}
		if strings.HasPrefix(string(src), "//go:build ignore") {
			continue // a program of its own, run by go generate
		}
		for _, h := range house {
			if hasPrefix(name, h.allowed) {
				continue
			}
			if at := h.pattern.FindIndex(src); at != nil {
				t.Errorf("%s:%d: %s: %s", name, 1+strings.Count(string(src[:at[0]]), "\n"), src[at[0]:at[1]], h.why)
			}
		}
	}
}

// Outside of fuzz, where the program is that asks, only files behind the tag speak of the switch.
func TestKnockoutIsNoPartOfTheBuild(t *testing.T) {
	found := false
	for _, name := range files(t, "*.go") {
		src, err := os.ReadFile(name)
		if err != nil || strings.HasPrefix(name, "fuzz/") || name == "house_test.go" || !strings.Contains(string(src), "VCP_KNOCKOUT") {
			continue
		}
		found = found || name == knockout
		if !strings.HasPrefix(string(src), "//go:build knockout\n") {
			t.Errorf("%s knows of the switch and has no build tag", name)
		}
	}
	if !found {
		t.Errorf("%s does not read the switch", knockout)
	}
}

func TestNoMachineSpecificPaths(t *testing.T) {
	for _, name := range files(t) {
		src, err := os.ReadFile(name)
		if err != nil || strings.HasSuffix(name, ".sum") || name == "house_test.go" {
			continue
		}
		if at := absolute.FindIndex(src); at != nil {
			t.Errorf("%s:%d: absolute path %q", name, 1+strings.Count(string(src[:at[0]]), "\n"), src[at[0]:at[1]])
		}
	}
}

// The first build compiles SQLite, for minutes and without a word: who waits is told before.
func TestBuildSaysThatItTakesLong(t *testing.T) {
	src, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(src), "\nbuild:")
	_, recipe, _ = strings.Cut(recipe, "\n")
	if first, _, _ := strings.Cut(recipe, "\n"); !strings.HasPrefix(first, "\t@echo '") || !strings.Contains(first, "minutes") || !strings.HasSuffix(first, " >&2") {
		t.Errorf("make build begins with %q", first)
	}
}

// exported finds declarations of exported names at the beginning of a line, in programs that stand as texts in others, too, with the
// line before.
var exported = regexp.MustCompile(`(?m)^(.*)\n((?:type|func) [A-Z]\w*|func \(\w* ?\*?[A-Z]\w*(?:\[.*?\])?\) [A-Z]\w*)`)

// Every exported type, function and method says what it is. In generated packages, what encodes and judges has one comment for several.
func TestEveryNameIsExplained(t *testing.T) {
	found := 0
	for _, name := range files(t, "*.go") {
		src, err := os.ReadFile(name)
		if err != nil || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") || strings.Contains(name, "testdata/") {
			continue
		}
		for _, m := range exported.FindAllSubmatchIndex(src, -1) {
			found++
			if before := string(src[m[2]:m[3]]); !strings.HasPrefix(before, "//") && !strings.Contains(before, "`// ") {
				t.Errorf("%s:%d: %s has no comment", name, 1+strings.Count(string(src[:m[4]]), "\n"), src[m[4]:m[5]])
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d names: the pattern finds too few", found)
	}
}

// link finds the targets of Markdown links.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// No merge was left half done.
func TestNoConflictMarkers(t *testing.T) {
	marker := regexp.MustCompile(`(?m)^(<{7}|>{7}) `)
	for _, name := range files(t) {
		src, err := os.ReadFile(name)
		if err != nil {
			continue // deleted in the working tree
		}
		if at := marker.FindIndex(src); at != nil {
			t.Errorf("%s:%d: a conflict of a merge", name, 1+strings.Count(string(src[:at[0]]), "\n"))
		}
	}
}

// Links between the pages lead to files that are there.
func TestLinks(t *testing.T) {
	found := 0
	for _, name := range files(t, "*.md") {
		page, err := os.ReadFile(name)
		if err != nil {
			continue // deleted in the working tree
		}
		for _, m := range link.FindAllStringSubmatch(string(page), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), target)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if found == 0 {
		t.Error("no page has a link: the pattern finds none")
	}
}
