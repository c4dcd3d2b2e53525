package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// changing finds what is another at each run: ids, names of temporary files.
var changing = regexp.MustCompile(`(sch|res)_[0-9A-Z]{26}|\S*vcp-demo-[0-9]+`)

// The transcript of the README is what vcp demo prints: every line, in order; "…" stands for lines that are left
// out, and for what changes.
func TestTranscriptOfTheReadme(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("the demo runs a Node program: %v", err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```text\n")
	transcript, _, closed := strings.Cut(rest, "```\n")
	if !closed {
		t.Fatal("the README has no transcript")
	}

	programs := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(programs, "chartmaker"), "./plugins/ChartMaker")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(t.TempDir())
	var out, words bytes.Buffer
	if code := run([]string{"demo", "--plugins", filepath.Join(root, "plugins")}, nil, &out, &words); code != 0 || words.Len() > 0 {
		t.Fatalf("vcp demo: exit %d\n%s", code, &words)
	}
	printed := strings.Split(changing.ReplaceAllString(out.String(), "${1}…"), "\n")

	at, gap := 0, true
	for line := range strings.Lines(transcript) {
		line = changing.ReplaceAllString(strings.TrimSuffix(line, "\n"), "${1}…")
		if line == "…" {
			gap = true
			continue
		}
		line = strings.ReplaceAll(line, "_…", "…")
		from := at
		for at < len(printed) && strings.ReplaceAll(printed[at], "_…", "…") != line && gap {
			at++
		}
		if at == len(printed) || strings.ReplaceAll(printed[at], "_…", "…") != line {
			t.Fatalf("the README shows %q, and after line %d the demo prints\n%s", line, from, strings.Join(printed[min(from, len(printed)-1):min(from+8, len(printed))], "\n"))
		}
		at, gap = at+1, false
	}
}
