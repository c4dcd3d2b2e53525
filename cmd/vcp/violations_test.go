package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

// anything accepts every document.
func anything(t *testing.T) *live.Validator {
	t.Helper()
	file, list := load.Parse("true.json", []byte(`true`), wire.Limits{})
	root, more := resolve.Resolve(file, nil, resolve.Options{})
	program, last := ir.Lower([]*resolve.Schema{root}, ir.Options{})
	if list = slices.Concat(list, more, last); len(list) > 0 {
		t.Fatal(list)
	}
	return live.Compile(program).Root(0)
}

func TestLinesOfAnyLength(t *testing.T) {
	long := strings.Repeat("x", 200_000) // more than the reader's buffer
	var out bytes.Buffer
	r := &violationReport{schema: anything(t), lim: wire.Limits{Bytes: 250_000}, out: bufio.NewWriter(&out)}
	in := `"` + long + `"` + "\r\n\n  \n" + `"` + long + long + "\"\n" + `[]` + "\n" + `{`
	if err := r.lines(strings.NewReader(in), "f"); err != nil {
		t.Fatal(err)
	}
	if err := r.end(); err != nil {
		t.Fatal(err)
	}
	const want = "f:4:250001: LIMIT_BYTES: more than 250000 bytes\nf:6:2: NOT_JSON: expected a member name or '}', found the end of the document\n    hint: a bracket or quote is not closed\n"
	if r.documents != 4 || r.refused != 2 || r.found != 2 || out.String() != want {
		t.Fatalf("%d documents, %d refused, %d violations:\n%s", r.documents, r.refused, r.found, out.String())
	}
}

// wrongLines gives a line that is no JSON as often as it is asked, left times.
type wrongLines struct {
	left int
	asks func()
}

func (w *wrongLines) Read(p []byte) (int, error) {
	w.asks()
	if w.left == 0 {
		return 0, io.EOF
	}
	w.left--
	return copy(p, "]\n"), nil
}

// What is found is printed before the input ends, in every form, and not kept.
func TestViolationsDoNotPile(t *testing.T) {
	for _, form := range []string{"text", "json", "flag", "basic", "detailed"} {
		line := len("f:100:1: NOT_JSON: expected a value, found ']'\n")
		if form == "flag" {
			line = len("{\"valid\":false}\n")
		}
		var out bytes.Buffer
		r := &violationReport{schema: anything(t), out: bufio.NewWriter(&out), form: form}
		in := &wrongLines{left: 10_000}
		in.asks = func() {
			if behind := r.documents*line - out.Len(); behind > 32<<10 {
				t.Fatalf("%s: %d documents are read and %d bytes written", form, r.documents, out.Len())
			}
		}
		if err := r.lines(in, "f"); err != nil {
			t.Fatal(err)
		}
		if err := r.end(); err != nil {
			t.Fatal(err)
		}
		if form == "json" {
			var list []located
			if err := json.Unmarshal(out.Bytes(), &list); err != nil || len(list) != 10_000 || list[9_999].Line != 10_000 {
				t.Errorf("%d violations, %v", len(list), err)
			}
		} else if n := strings.Count(out.String(), "\n"); n != 10_000 {
			t.Errorf("%d lines", n)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space") }

// A broken output ends the work.
func TestViolationsToNowhere(t *testing.T) {
	for _, form := range []string{"text", "json", "flag", "basic", "detailed"} {
		r := &violationReport{schema: anything(t), out: bufio.NewWriterSize(fullDisk{}, 16), form: form}
		if err := r.lines(&wrongLines{left: 1000, asks: func() {}}, "f"); err == nil || r.documents > 2 {
			t.Errorf("%s: %v after %d documents", form, err, r.documents)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("unplugged") }

func TestUnreadableLines(t *testing.T) {
	r := &violationReport{schema: anything(t), out: bufio.NewWriter(io.Discard)}
	err := r.lines(io.MultiReader(strings.NewReader("{}\n{"), brokenReader{}), "f")
	var s *stop
	if !errors.As(err, &s) || s.code != exitUse || !strings.Contains(s.message, "unplugged") {
		t.Errorf("lines: %v", err)
	}
}

func TestPlaces(t *testing.T) {
	p := place{src: []byte("aé\n長b\r\n\xffc"), line: 7, col: 1}
	for _, want := range []struct{ offset, line, col int }{{0, 7, 1}, {1, 7, 2}, {3, 7, 3}, {4, 8, 1}, {7, 8, 2}, {10, 9, 1}, {11, 9, 2}, {99, 9, 3}} {
		if p.advance(want.offset); p.line != want.line || p.col != want.col {
			t.Errorf("offset %d is %d:%d, want %d:%d", want.offset, p.line, p.col, want.line, want.col)
		}
	}
}

func TestVersionTellsNoTime(t *testing.T) {
	b := &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260711073000-0123456789ab"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-07-11T07:30:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	if version, commit := describe(b); version != "devel" || commit != " (0123456789ab, modified)" {
		t.Errorf("describe = %q, %q", version, commit)
	}
	b.Main.Version, b.Settings = "v1.2.3", nil
	if version, commit := describe(b); version != "v1.2.3" || commit != "" {
		t.Errorf("describe = %q, %q", version, commit)
	}
}
