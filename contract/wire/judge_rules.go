package wire

import (
	"strconv"
	"strings"
	"sync"
)

// Rule says where in the schemas a rule stands.
type Rule struct {
	File    string // name of the schema document
	Pointer string // JSON Pointer of the keyword in it, or of a schema that is false
	Keyword string // name of the keyword in draft 2020-12, "" for a schema as a whole
}

// Rules is the table of rules of a generated package. It is read when it is first needed, safe for
// concurrent use, and must not be copied then.
type Rules struct {
	// Text has a line for each rule, in the order of their numbers, from 1: number, file, pointer and
	// keyword, with tabs between them. In a file or pointer with characters that would disturb the table
	// (see [RuleLine]) those are percent-encoded.
	Text string

	once  sync.Once
	rules []Rule
}

// Rule returns the rule of a number, the zero Rule for a number that is none.
func (r *Rules) Rule(number int) Rule {
	r.once.Do(r.read)
	if number < 1 || number > len(r.rules) {
		return Rule{}
	}
	return r.rules[number-1]
}

func (r *Rules) read() {
	for line := range strings.Lines(strings.TrimLeft(r.Text, "\n")) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) == 4 {
			r.rules = append(r.rules, Rule{File: cell(fields[1]), Pointer: cell(fields[2]), Keyword: fields[3]})
		}
	}
}

// RuleLine returns the line of a rule in [Rules.Text], line feed included. It is what the emitter writes.
func RuleLine(number int, r Rule) string {
	return strconv.Itoa(number) + "\t" + encodedCell(r.File) + "\t" + encodedCell(r.Pointer) + "\t" + r.Keyword + "\n"
}

// encodedCell writes control characters, percent signs and back quotes, which would end the literal that
// the table stands in, as % and two hexadecimal digits. U+FEFF may not stand in Go source either.
func encodedCell(text string) string {
	disturbs := func(r rune) bool { return r < ' ' || r == '%' || r == '`' || r == 0x7f || r == '\ufeff' }
	if strings.IndexFunc(text, disturbs) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !disturbs(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			b.WriteString("%" + hexByte(c))
		}
	}
	return b.String()
}

func cell(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			b.WriteByte(byte(hexValue(text[i+1])<<4 | hexValue(text[i+2])))
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
