package main

import (
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// anything accepts every document.
type anything struct{}

func (anything) Verdict(*wire.Tape) wire.Verdict        { return wire.Valid }
func (anything) Violations(*wire.Tape) []call.Violation { return nil }

func TestLinesOfAnyLength(t *testing.T) {
	long := strings.Repeat("x", 200_000) // more than the reader's buffer
	r := &violationReport{schema: anything{}, lim: wire.Limits{Bytes: 250_000}}
	in := `"` + long + `"` + "\r\n\n  \n" + `"` + long + long + "\"\n" + `[]` + "\n" + `{`
	if err := r.lines(strings.NewReader(in), "f"); err != nil {
		t.Fatal(err)
	}
	if r.documents != 4 || r.refused != 2 || len(r.list) != 2 {
		t.Fatalf("%d documents, %d refused: %+v", r.documents, r.refused, r.list)
	}
	if l := r.list[0]; l.Line != 4 || l.Reason != errcode.LimitBytes {
		t.Errorf("the long line: %+v", l)
	}
	if l := r.list[1]; l.Line != 6 || l.Col != 2 || l.Reason != errcode.NotJSON {
		t.Errorf("the line that ends early: %+v", l)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("unplugged") }

func TestUnreadableLines(t *testing.T) {
	r := &violationReport{schema: anything{}}
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
