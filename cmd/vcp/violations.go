package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
)

// located is a violation with its place in a file.
type located struct {
	File          string         `json:"file"`
	Line          int            `json:"line"`
	Col           int            `json:"col"`
	Pointer       string         `json:"pointer"`
	Missing       string         `json:"missing,omitempty"`
	Keyword       string         `json:"keyword"` // "" for a document that broke the ingest rules
	SchemaFile    string         `json:"schemaFile"`
	SchemaPointer string         `json:"schemaPointer"`
	Expected      string         `json:"expected"`
	Got           string         `json:"got"`
	Message       string         `json:"message"`
	Hint          string         `json:"hint,omitempty"`
	Reason        errcode.Reason `json:"reason,omitempty"`
}

// violationReport validates documents and prints what it finds in each before it looks at the next: a file of
// JSON Lines may be longer than memory, and every line of it wrong.
type violationReport struct {
	schema    *live.Validator
	lim       wire.Limits
	tape      wire.Tape
	out       *bufio.Writer
	form      string // text; json: one JSON array, one violation a line; or a live.Form: one result a line
	documents int
	refused   int // documents that are not valid
	found     int // violations
}

// file validates a file of one document, or of one a line.
func (r *violationReport) file(a *app, name string, lines bool) error {
	in, name, err := a.open(name)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // nothing was written
	if lines || isLines(name) {
		return r.lines(in, name)
	}
	// One byte over the limit is enough for the scan to refuse the document by its own rule.
	src, err := io.ReadAll(io.LimitReader(in, int64(r.lim.Bytes)+1))
	if err != nil {
		return wrongUse("", "%s cannot be read: %v", name, err)
	}
	return r.document(name, 1, src)
}

// lines validates each line that is not blank. A line over the limit is not kept in memory.
func (r *violationReport) lines(in io.Reader, name string) error {
	reader := bufio.NewReaderSize(in, 1<<16)
	var line []byte
	for number := 1; ; {
		part, err := reader.ReadSlice('\n')
		line = append(line, part[:min(len(part), r.lim.Bytes+2-len(line))]...)
		last := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !last:
			return wrongUse("", "%s cannot be read: %v", name, err)
		}
		if doc := bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(doc)) > 0 {
			if err := r.document(name, number, doc); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		line = line[:0]
		number++
	}
}

// document validates one document that begins in the given line. The error is that of the output.
func (r *violationReport) document(name string, line int, src []byte) error {
	r.documents++
	at := place{src: src, line: line, col: 1}
	if err := r.tape.Scan(src, r.lim); err != nil {
		r.refused++
		l := located{File: name, Message: err.Error()}
		if refusal, ok := errors.AsType[*wire.Error](err); ok {
			at.advance(refusal.Offset)
			l.Reason, l.Message = refusal.Reason, refusal.Detail
			l.Hint = r.hint(src, refusal.Offset)
		}
		l.Line, l.Col = at.line, at.col
		if r.standard() {
			return r.unit(live.Unit{Errors: []live.Unit{{Error: l.sentence()}}})
		}
		return r.print([]located{l})
	}
	if r.standard() {
		u := r.schema.Output(&r.tape, live.Form(r.form))
		if !u.Valid {
			r.refused++
		}
		return r.unit(u)
	}
	if r.schema.Verdict(&r.tape) == wire.Valid {
		return nil
	}
	r.refused++
	var list []located
	for _, v := range r.schema.Violations(&r.tape) { // in order of offsets
		at.advance(v.Offset)
		list = append(list, located{
			File: name, Line: at.line, Col: at.col, Pointer: v.Pointer, Missing: v.Missing, Keyword: v.Keyword,
			SchemaFile: v.SchemaFile, SchemaPointer: v.SchemaPointer, Expected: v.Expected, Got: v.Got,
			Message: v.Message, Hint: v.Hint, Reason: v.Reason,
		})
	}
	return r.print(list)
}

// hint is for a document that the scan refused at an offset. What follows a whole document in a later line makes
// the file one of JSON Lines; in a file that was taken as such no document has a second line. The loader
// knows the other slips.
func (r *violationReport) hint(src []byte, offset int) string {
	before := src[:min(offset, len(src))]
	blank := before[len(bytes.TrimRight(before, " \t\r\n")):]
	if bytes.ContainsRune(blank, '\n') && r.tape.Scan(before, r.lim) == nil {
		return "--lines takes a file with one document a line"
	}
	if _, list := load.Parse("", src, r.lim); len(list) > 0 {
		return list[0].Hint
	}
	return ""
}

// place walks through a document and knows line and column, both from 1; columns count code points.
type place struct {
	src       []byte
	offset    int
	line, col int
}

// advance moves forward to an offset; it never moves back.
func (p *place) advance(offset int) {
	offset = min(offset, len(p.src))
	for p.offset < offset {
		if p.src[p.offset] == '\n' {
			p.line++
			p.col = 1
			p.offset++
			continue
		}
		_, size := utf8.DecodeRune(p.src[p.offset:])
		p.offset += size
		p.col++
	}
}

// standard tells whether results are printed in a form of the specification, of which a document has one.
func (r *violationReport) standard() bool {
	switch live.Form(r.form) {
	case live.Flag, live.Basic, live.Detailed:
		return true
	}
	return false
}

// unit prints the result of one document in a line.
func (r *violationReport) unit(u live.Unit) error {
	r.found += len(u.Errors)
	_, err := r.out.Write(append(u.AppendJSON(nil, live.Form(r.form)), '\n'))
	return err
}

// print prints the violations of one document.
func (r *violationReport) print(list []located) error {
	if r.form == "json" {
		return r.printJSON(list)
	}
	r.found += len(list)
	found := make(diag.List, len(list))
	for i, l := range list {
		found[i] = diag.Diagnostic{
			Position: diag.Position{File: l.File, Line: l.Line, Col: l.Col}, Pointer: l.Pointer,
			Severity: diag.Error, Message: l.sentence(), Hint: l.Hint,
		}
	}
	return diag.Write(r.out, diag.Text, found)
}

// printJSON continues the array, which its first line begins and [violationReport.end] ends.
func (r *violationReport) printJSON(list []located) error {
	for _, l := range list {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(l); err != nil {
			return err
		}
		separator := ",\n"
		if r.found == 0 {
			separator = "[\n"
		}
		r.found++
		_, _ = r.out.WriteString(separator) // the writer keeps its first error
		if _, err := r.out.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n"))); err != nil {
			return err
		}
	}
	return nil
}

// end completes the output.
func (r *violationReport) end() error {
	if r.form == "json" {
		closing := "\n]\n"
		if r.found == 0 {
			closing = "[]\n"
		}
		_, _ = r.out.WriteString(closing) // the writer keeps its first error
	}
	return r.out.Flush()
}

// sentence is the message with its keyword, what was expected and what came.
func (l *located) sentence() string {
	if l.Keyword == "" {
		if l.Reason != "" {
			return string(l.Reason) + ": " + l.Message
		}
		return l.Message
	}
	return fmt.Sprintf("%s: %s (expected %s, got %s)", l.Keyword, l.Message, l.Expected, l.Got)
}
