package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Format is a way to print diagnostics. The zero Format is none; [ParseFormat] makes one from a flag.
type Format string

// The formats.
//
// Text is for people: `file:line:col: /json/pointer: message`, with `warning: ` before the message of
// a warning and an indented `hint: ` line below where there is a hint. Parts that a finding lacks (the
// position of a finding about a whole file, the pointer of the document itself) are left out.
//
// JSON is one array, one diagnostic a line, `[]` when there is none: a complete JSON document for
// programs, still readable by line-based tools. Fields are those of [Diagnostic].
//
// GitHub is the workflow-command form that code hosts turn into annotations, one line a finding.
const (
	Text   Format = "text"
	JSON   Format = "json"
	GitHub Format = "github"
)

// Formats lists every format, in the order in which usage texts name them.
func Formats() []Format { return []Format{Text, JSON, GitHub} }

// FormatError is returned for the name of no format.
type FormatError struct{ Name string }

// Error says it in a sentence.
func (e *FormatError) Error() string {
	return fmt.Sprintf("unknown format %q, want text, json or github", e.Name)
}

// ParseFormat returns the format of that name, or a [*FormatError]. Names are lower case.
func ParseFormat(name string) (Format, error) {
	for _, f := range Formats() {
		if string(f) == name {
			return f, nil
		}
	}
	return "", &FormatError{Name: name}
}

// UnmarshalText implements encoding.TextUnmarshaler, so that a flag parser can fill a Format.
func (f *Format) UnmarshalText(text []byte) error {
	parsed, err := ParseFormat(string(text))
	if err != nil {
		return err
	}
	*f = parsed
	return nil
}

// Write prints the list in the order it has. The error is that of w, or a [*FormatError].
//
// What a document says (names in pointers, quoted values in messages) is not trusted: control
// characters are written as escapes, so that a finding stays on its line and a terminal stays sane.
func Write(w io.Writer, format Format, list List) error {
	var out bytes.Buffer
	switch format {
	case Text:
		for _, d := range list {
			writeText(&out, d)
		}
	case JSON:
		if err := writeJSON(&out, list); err != nil {
			return err
		}
	case GitHub:
		for _, d := range list {
			writeGitHub(&out, d)
		}
	default:
		return &FormatError{Name: string(format)}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// String is the text form of the finding without its hint.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(printable(d.File))
		if d.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", d.Line, d.Col)
		}
		b.WriteString(": ")
	}
	if d.Pointer != "" {
		b.WriteString(printable(d.Pointer))
		b.WriteString(": ")
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(printable(d.Message))
	return b.String()
}

func writeText(out *bytes.Buffer, d Diagnostic) {
	out.WriteString(d.String())
	out.WriteByte('\n')
	if d.Hint != "" {
		out.WriteString("    hint: ")
		out.WriteString(printable(d.Hint))
		out.WriteByte('\n')
	}
}

// writeJSON does not escape <, > and &: the output is read by programs, and messages quote schemas.
func writeJSON(out *bytes.Buffer, list List) error {
	var row bytes.Buffer
	enc := json.NewEncoder(&row)
	enc.SetEscapeHTML(false)
	out.WriteByte('[')
	for i, d := range list {
		row.Reset()
		if err := enc.Encode(d); err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.Write(bytes.TrimRight(row.Bytes(), "\n"))
	}
	if len(list) > 0 {
		out.WriteByte('\n')
	}
	out.WriteString("]\n")
	return nil
}

// The workflow-command grammar gives ':' and ',' a meaning in properties, and line ends everywhere; the
// percent sign is the escape character of both.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func writeGitHub(out *bytes.Buffer, d Diagnostic) {
	command := "error"
	if d.Severity == Warning {
		command = "warning"
	}
	out.WriteString("::" + command + " ")
	if d.File != "" {
		out.WriteString("file=" + propertyEscapes.Replace(d.File) + ",")
		if d.Line > 0 {
			out.WriteString("line=" + strconv.Itoa(d.Line) + ",col=" + strconv.Itoa(d.Col) + ",")
		}
	}
	out.WriteString("title=" + propertyEscapes.Replace(string(d.Code)) + "::")
	text := d.Message
	if d.Pointer != "" {
		text = d.Pointer + ": " + text
	}
	if d.Hint != "" {
		text += "\nhint: " + d.Hint
	}
	out.WriteString(dataEscapes.Replace(text))
	out.WriteByte('\n')
}

// printable writes control characters, line separators and broken UTF-8 as Go escapes, and leaves
// everything else alone.
func printable(s string) string {
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unprintable(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unprintable covers C0 and C1 controls, the line and paragraph separators, and the bidirectional
// format characters, with which a name could make a line read as something else.
func unprintable(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		unicode.Is(unicode.Bidi_Control, r)
}
