package golang

import (
	"crypto/sha256"
	"encoding/hex"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vcp.core/gen/ir"
	"vcp.core/gen/load"
)

// scope hands out identifiers, each once.
type scope map[string]bool

// take returns want if it is free, else want with the smallest number from 2 that is.
func (s scope) take(want string) string {
	name := want
	for i := 2; s[name]; i++ {
		name = want + strconv.Itoa(i)
	}
	s[name] = true
	return name
}

// maxName bounds what names are made of, in bytes. The name of a place grows with its depth and stands in the code
// wherever the place does: schemas 480 deep inside each other made 40 MB of names out of 4 KB.
const maxName = 128

// keptOfName is what is kept of a name that is longer.
const keptOfName = 64

// bounded returns a name of at most maxName bytes: of a longer one the beginning and a hash of the whole, so that
// different names stay different and none depends on the order of things.
func bounded(name string) string {
	if len(name) <= maxName {
		return name
	}
	cut := keptOfName
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	sum := sha256.Sum256([]byte(name))
	return name[:cut] + "X" + hex.EncodeToString(sum[:6])
}

// initialisms are words that Go spells in capitals.
var initialisms = map[string]string{
	"ai": "AI", "api": "API", "html": "HTML", "http": "HTTP", "https": "HTTPS", "id": "ID", "ids": "IDs", "ip": "IP",
	"json": "JSON", "mcp": "MCP", "sha256": "SHA256", "sql": "SQL", "ui": "UI", "uri": "URI", "url": "URL", "uuid": "UUID",
	"xml": "XML",
}

// words splits text into words: runs of letters and digits, cut before a capital that follows another kind of
// letter. What cannot stand in an identifier only separates.
func words(text string) []string {
	var list []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			list = append(list, word.String())
			word.Reset()
		}
	}
	var last rune
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLetter(last) && !unicode.IsUpper(last):
			flush()
			word.WriteRune(r)
		default:
			word.WriteRune(r)
		}
		last = r
	}
	flush()
	return list
}

// exported returns an exported Go identifier for any text: "task-id" becomes TaskID. Letters without case
// cannot make a name exported, nor can digits, so such a name gets an X in front: X日程. Text without any
// letter or digit becomes X.
func exported(text string) string {
	var b strings.Builder
	for _, w := range words(text) {
		if s, ok := initialisms[strings.ToLower(w)]; ok {
			b.WriteString(s)
			continue
		}
		r, size := utf8.DecodeRuneInString(w)
		b.WriteRune(unicode.ToUpper(r))
		b.WriteString(w[size:])
	}
	name := b.String()
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) {
		name = "X" + name
	}
	return bounded(name)
}

// unexported returns a Go identifier that starts with a small letter: "Task-ID" becomes taskID. It is
// never a keyword or a predeclared name.
func unexported(text string) string {
	var b strings.Builder
	for i, w := range words(text) {
		if i == 0 {
			w = lowerFirst(w)
		} else {
			w = exported(w)
		}
		b.WriteString(w)
	}
	name := b.String()
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(r) {
		name = "x" + name
	}
	if token.IsKeyword(name) || predeclared[name] {
		name += "_"
	}
	return bounded(name)
}

// lowerFirst lowers the capitals at the start of a word: ID becomes id, Task becomes task.
func lowerFirst(w string) string {
	if w == strings.ToUpper(w) {
		return strings.ToLower(w)
	}
	r, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToLower(r)) + w[size:]
}

// predeclared are the identifiers of Go's universe block.
var predeclared = map[string]bool{
	"any": true, "bool": true, "byte": true, "comparable": true, "complex64": true, "complex128": true, "error": true,
	"float32": true, "float64": true, "int": true, "int8": true, "int16": true, "int32": true, "int64": true, "rune": true,
	"string": true, "uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true,
	"true": true, "false": true, "iota": true, "nil": true, "append": true, "cap": true, "clear": true, "close": true,
	"complex": true, "copy": true, "delete": true, "imag": true, "len": true, "make": true, "max": true, "min": true,
	"new": true, "panic": true, "print": true, "println": true, "real": true, "recover": true,
}

// isExported reports whether name is an exported Go identifier.
func isExported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

// naming gives every schema one base name, from which all that is generated for it takes its name: type
// Task, judgeTask, readTask, appendTask. A root has the name that the caller gave it. Any other schema is
// named by its place: a definition by its own name, a part by the name of the whole and the word for its
// position (TaskOwner, TasksItem). A name that is taken goes on with the schema's document (ResultStatus),
// then with a number.
type naming struct {
	taken scope
	base  map[int]string // by schema ID
	root  map[place]string
}

// place is a schema's position in the input.
type place struct{ file, pointer string }

func newNaming() *naming {
	return &naming{taken: newScope(), base: map[int]string{}, root: map[place]string{}}
}

// newScope returns the scope of a package with what every package declares.
func newScope() scope {
	return scope{"Schemas": true, "FormatAssertion": true, "InputHash": true, "rules": true, "emitted": true}
}

// rootNames are all names that a root takes.
func rootNames(name string) []string {
	return []string{name, "Decode" + name, "Validate" + name, "Judge" + name}
}

// takeRoot is take for a root that nobody named.
func (s scope) takeRoot(want string) string {
	for i := 1; ; i++ {
		name := want
		if i > 1 {
			name += strconv.Itoa(i)
		}
		if !slices.ContainsFunc(rootNames(name), func(n string) bool { return s[n] }) {
			for _, n := range rootNames(name) {
				s[n] = true
			}
			return name
		}
	}
}

// nameOf returns the base name of the schema that judges for s.
func (n *naming) nameOf(s *ir.Schema) string {
	s = s.Target()
	if name, ok := n.base[s.ID]; ok {
		return name
	}
	want := n.natural(s.Origin.Pos.File, s.Origin.Pointer)
	if n.taken[want] {
		if longer := stem(s.Origin.Pos.File) + want; !strings.HasPrefix(want, stem(s.Origin.Pos.File)) {
			want = longer
		}
	}
	name := n.taken.take(want)
	n.base[s.ID] = name
	return name
}

// natural names a place without regard to clashes. It reads the pointer from its end.
func (n *naming) natural(file, pointer string) string { return bounded(n.byPlace(file, pointer)) }

func (n *naming) byPlace(file, pointer string) string {
	if name, ok := n.root[place{file, pointer}]; ok {
		return name
	}
	tokens, ok := load.SplitPointer(pointer)
	if !ok || len(tokens) == 0 {
		return stem(file)
	}
	parent := func(up int) string {
		cut := pointer
		for range up {
			cut = cut[:strings.LastIndexByte(cut, '/')]
		}
		return n.natural(file, cut)
	}
	last := tokens[len(tokens)-1]
	if len(tokens) > 1 {
		switch keyword := tokens[len(tokens)-2]; keyword {
		case "$defs", "definitions":
			return exported(last)
		case "properties":
			return parent(2) + exported(last)
		case "patternProperties":
			return parent(2) + "Value"
		case "dependentSchemas", "dependencies":
			return parent(2) + "With" + exported(last)
		case "allOf", "anyOf", "oneOf", "prefixItems", "items":
			if i, err := strconv.Atoi(last); err == nil {
				return parent(2) + positions[keyword] + strconv.Itoa(i+1)
			}
		}
	}
	if word, ok := positions[last]; ok {
		return parent(1) + word
	}
	return parent(1) + exported(last)
}

// positions are the words for what is part of a schema by position.
var positions = map[string]string{
	"items": "Item", "prefixItems": "Item", "additionalItems": "Item", "contains": "Contained", "additionalProperties": "Value",
	"propertyNames": "Name", "allOf": "Rule", "anyOf": "Choice", "oneOf": "Choice", "not": "Not", "if": "If", "then": "Then",
	"else": "Else",
}

// stem names a document by its file: v1/tool-call.schema.json is ToolCall.
func stem(file string) string {
	name := path.Base(file)
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return exported(name)
}
