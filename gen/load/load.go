// Package load is the compiler's first phase: it reads bytes and keeps where everything stands. It
// turns a document into a tree of [Node] with byte positions and a [File] that maps offsets to lines
// and columns. It knows no keyword, no manifest field, no meaning.
//
// Data flow: bytes -> wire's strict scan -> tree. A document that breaks the ingest rules yields
// diagnostics and no tree. Only this package (and the commands) read the file system; every later
// phase is a pure function of what load returns.
package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
)

// File is a loaded document. It is immutable.
type File struct {
	Name string // as the user named it; slash-separated, used in diagnostics and generated headers
	Src  []byte
	Root *Node

	lines lines
}

// Node is a positioned JSON value. The tree keeps member order, number spelling and duplicates
// cannot occur.
type Node struct {
	Kind       wire.Kind
	Start, End int      // byte range in the file
	Str        string   // decoded text of a String; spelling of a Number
	Members    []Member // of an Object, in source order
	Elems      []*Node  // of an Array

	index map[string]int // position of a name in Members; only objects above indexFrom have one
}

// Member is a name with its value.
type Member struct {
	Name               string // decoded
	NameStart, NameEnd int    // byte range of the name, quotes included
	Value              *Node
}

// The codes of this package's diagnostics. CodeSyntax covers every ingest rule about form (JSON
// grammar, UTF-8, surrogates), CodeDuplicateName the one about names, CodeLimit the limits.
const (
	CodeRead          diag.Code = "load/read"
	CodeSyntax        diag.Code = "load/syntax"
	CodeDuplicateName diag.Code = "load/duplicate-name"
	CodeLimit         diag.Code = "load/limit"
)

// Limits are the limits for files of schemas and manifests: 4 MiB, depth 1,024, 10^6 nodes. Members
// are limited by nothing else than nodes, since a schema may hold one long list of properties or
// constants.
func Limits() wire.Limits {
	lim := wire.DefaultLimits()
	lim.Bytes = 4 << 20
	lim.Members = lim.Nodes
	return lim
}

// Parse turns src into a File. A zero field of lim takes its value from [Limits]. A document that
// breaks an ingest rule gives no File and one diagnostic at the byte that broke it. The file keeps
// src, which must not change any more.
func Parse(name string, src []byte, lim wire.Limits) (*File, diag.List) {
	lim = withDefaults(lim)
	file := &File{Name: name, Src: src, lines: indexLines(src)}
	var tape wire.Tape
	if err := tape.Scan(src, lim); err != nil {
		return nil, diag.List{file.scanFault(err)}
	}
	file.Root = buildTree(&tape, src)
	return file, nil
}

func withDefaults(lim wire.Limits) wire.Limits {
	def := Limits()
	if lim.Bytes == 0 {
		lim.Bytes = def.Bytes
	}
	if lim.Depth == 0 {
		lim.Depth = def.Depth
	}
	if lim.Nodes == 0 {
		lim.Nodes = def.Nodes
	}
	if lim.Members == 0 {
		lim.Members = def.Members
	}
	return lim
}

// ReadFile loads the file at path, which may be relative to the working folder. The File is named as
// the caller spelled the path, with slashes. A file that cannot be read gives one diagnostic about the
// file as a whole; one that is larger than the limit is not read to its end.
func ReadFile(path string, lim wire.Limits) (*File, diag.List) {
	name := filepath.ToSlash(path)
	src, err := readCapped(path, withDefaults(lim).Bytes)
	if err != nil {
		return nil, diag.List{readFault(name, err)}
	}
	return Parse(name, src, lim)
}

// readCapped reads at most one byte more than the limit: enough for the scan to refuse the document
// by its own rule.
func readCapped(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if stat, err := f.Stat(); err == nil && stat.IsDir() {
		return nil, &os.PathError{Op: "read", Path: path, Err: errIsFolder}
	}
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}

var errIsFolder = errors.New("is a folder")

func readFault(name string, err error) diag.Diagnostic {
	d := diag.Diagnostic{
		Position: diag.Position{File: name},
		Severity: diag.Error,
		Code:     CodeRead,
		Message:  "cannot read the file",
	}
	// The name stands before the message already; the path inside the error may be another spelling.
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	d.Message = fmt.Sprintf("cannot read the file: %v", err)
	if errors.Is(err, os.ErrNotExist) {
		d.Hint = "check the spelling; relative names start at the working folder"
	}
	return d
}

// scanFault makes a diagnostic of the refusal of a scan. Offsets that lie beyond the document's last
// byte (it ended too early, or it is too long) are shown at its end.
func (f *File) scanFault(err error) diag.Diagnostic {
	d := diag.Diagnostic{
		Position: diag.Position{File: f.Name},
		Severity: diag.Error,
		Code:     CodeSyntax,
		Message:  err.Error(),
	}
	var refusal *wire.Error
	if !errors.As(err, &refusal) {
		return d
	}
	d.Message = refusal.Detail
	if refusal.Limit > 0 {
		d.Code = CodeLimit
		d.Message = fmt.Sprintf("%s: %s", refusal.Reason, refusal.Detail)
	}
	if refusal.Reason == errcode.LimitBytes {
		return d // the document was not looked at, so no place in it is to blame
	}
	d.Position = f.Position(refusal.Offset)
	way := follow(f.Src, refusal.Offset)
	d.Pointer = way.pointer()
	switch refusal.Reason {
	case errcode.DuplicateKey:
		d.Code = CodeDuplicateName
		if offset, name, ok := way.first(); ok {
			first := f.Position(offset)
			d.Pointer = Child(d.Pointer, name)
			d.Hint = fmt.Sprintf("the first one stands at line %d, column %d; keep one of them", first.Line, first.Col)
		}
	case errcode.NotUTF8:
		d.Hint = "save the file as UTF-8; a character outside the basic plane is one escaped pair"
	default:
		d.Hint = syntaxHint(f.Src, refusal.Offset)
	}
	return d
}

// syntaxHint knows the habits that JSON does not share with its neighbours.
func syntaxHint(src []byte, offset int) string {
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return "save the file without a byte order mark"
	}
	before := bytes.TrimRight(src[:offset], " \t\r\n")
	switch {
	case offset >= len(src) && len(before) == 0:
		return "the document is empty"
	case offset >= len(src):
		return "a bracket or quote is not closed"
	}
	switch c := src[offset]; {
	case c == '/' || c == '#':
		return "JSON has no comments; use a \"$comment\" or \"description\" member"
	case c == '\'':
		return "JSON strings stand in double quotes"
	case (c == '}' || c == ']') && bytes.HasSuffix(before, []byte(",")):
		return "remove the comma before the closing bracket"
	case c == ',' && bytes.HasSuffix(before, []byte(",")):
		return "remove one of the commas"
	case c == '"' && len(before) > 0 && !bytes.ContainsAny(before[len(before)-1:], "{[,:"):
		return "a comma is missing before this"
	}
	return bareHint(src, offset)
}

// bareHint is for words without quotes. The scanner stops at the letter where a word ceases to be true, false or
// null, so the word begins before that.
func bareHint(src []byte, offset int) string {
	isLetter := func(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
	begin, end := offset, offset
	for begin > 0 && isLetter(src[begin-1]) {
		begin--
	}
	for end < len(src) && isLetter(src[end]) {
		end++
	}
	before := bytes.TrimRight(src[:begin], " \t\r\n")
	if begin == end || len(before) > 0 && !bytes.ContainsAny(before[len(before)-1:], "{[,:") {
		return ""
	}
	word := string(src[begin:end])
	if bytes.HasPrefix(bytes.TrimLeft(src[end:], " \t\r\n"), []byte(":")) {
		word = "" // a name, whatever it looks like
	}
	switch word {
	case "True", "TRUE", "False", "FALSE":
		return "write " + strings.ToLower(word)
	case "None", "Null", "NULL", "nil", "undefined":
		return "write null"
	case "NaN", "Infinity", "inf":
		return "JSON has no such number; leave the member out, or write null"
	}
	return "names and strings stand in double quotes"
}
