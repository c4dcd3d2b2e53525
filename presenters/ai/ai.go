// Package ai presents a result to a model: as Markdown, with the images that the model may look at beside it,
// within a budget (specification §8).
//
// A visible and options go in, a [Projection] comes out. The text says, in this order: how the call went and
// what the error is, the plugin's own summary, data in a view that fits it, resources, warnings, the plugin's
// advice on delivering the result, and facts about the execution when they are asked for. What a model reads is
// chosen by the meaning of the result, never by the tool that made it.
//
// # Budget
//
// MaxCharacters counts characters, that is Unicode code points, not bytes. A text that fits is never cut. With
// a budget of 80 or more the text never has more characters than the budget, and every cut is named in the text
// with the original count ("[first 37 of 1200 characters]", "[… 12 of 300 rows]") and in Omitted. With less
// than 80 there is no room for such notes: the text is the beginning of the text for 80, and the cuts stand in
// Omitted alone. A cut never falls into the middle of a character, nor, where that is cheap, of what people
// take for one. The cost follows what is shown, not the size of the result.
//
// # What a plugin writes stays in its place
//
// Strings keep their Markdown and cannot leave their place with it. Behind a label a string stays on its line;
// one with several lines, or one that could be taken for a mark of ours at the front of a line, is quoted line by
// line; names that are no plain words stand in code spans; cells of tables are escaped. So headings of level one
// and two at the front of a line, and notes in brackets at the front of a line, are the presenter's. Characters
// that work without being seen (controls, overrides of the writing direction, tag characters) are spelled out.
// < > & are literal, numbers have the digits that they came with.
//
// # What it never does
//
// It reads no clock, no file and no network, follows no advice, asks no tool, and knows no model's message
// format: an image is named by its resource id, and whoever talks to the model fetches it (specification §8.6).
// It never looks at anything but the visible, so it cannot show what policy has hidden.
package ai

import (
	"time"
	"unicode/utf8"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// Options say how a result is presented. The zero Options are usable.
type Options struct {
	// MaxCharacters is the budget of the text. The default is 30,000; less than 0 counts as 0.
	MaxCharacters wire.Opt[int]
	// MaxResources is how many resources are shown. The default is 4.
	MaxResources wire.Opt[int]
	// Depth is how many levels of objects and arrays are opened; deeper ones are shown as JSON when they are
	// short, and counted otherwise. The default is 4.
	Depth wire.Opt[int]
	// IncludeExecutionMetadata adds ids, times and the like.
	IncludeExecutionMetadata bool
	// Vision and Audio say what the model can take in beside text.
	Vision, Audio bool
	// Location, when not nil, adds the time of that place to times in the data, which stay as they are.
	Location *time.Location
	// Outputs are what the command's schema says about data (call.Spec.Outputs): titles and units for labels.
	// Nil is nothing.
	Outputs []call.Port
}

// Projection is what a model gets to see (specification §8.1).
type Projection struct {
	Text    string // Markdown
	Content []Part // the text first
	Omitted Omitted
}

// Part is one piece of a message, in no model's format.
type Part struct {
	Type       string // "text", "image" or "audio"
	Text       string // of a text
	ResourceID string // of everything else
}

// Omitted names what the text does not show whole.
type Omitted struct {
	Fields    []string // JSON Pointers into the result
	Resources []string // ids
}

// The defaults (specification §8.5).
const (
	DefaultMaxCharacters = 30_000
	DefaultMaxResources  = 4
	DefaultDepth         = 4
)

// LeastWithNotes is the smallest budget within which cuts are named in the text.
const LeastWithNotes = 80

// settings are options with the defaults filled in.
type settings struct {
	resources, depth int
	metadata         bool
	vision, audio    bool
	location         *time.Location
	outputs          []call.Port
}

// Present makes the projection. It is total: every visible has one, within every budget.
func Present(v *result.Visible, o Options) Projection {
	budget := max(o.MaxCharacters.Or(DefaultMaxCharacters), 0)
	w := &work{v: v, budget: max(budget, LeastWithNotes)}
	w.painter = painter{t: v.Tape(), settings: settings{
		resources: max(o.MaxResources.Or(DefaultMaxResources), 0), depth: max(o.Depth.Or(DefaultDepth), 0), metadata: o.IncludeExecutionMetadata,
		vision: o.Vision, audio: o.Audio, location: o.Location, outputs: o.Outputs,
	}}
	text := w.compose()
	if short, isCut := prefix(text, budget); isCut {
		text = short
		w.omitSections()
	}
	p := Projection{Text: text, Content: append([]Part{{Type: "text", Text: text}}, w.parts...)}
	p.Omitted = Omitted{Fields: w.fields, Resources: w.hidden}
	return p
}

// prefix returns the first n characters of s.
func prefix(s string, n int) (short string, isCut bool) {
	if utf8.RuneCountInString(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// AppendJSON appends the projection as specification §8.1 shows it.
func (p Projection) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"text":`...)
	dst = wire.AppendQuoted(dst, p.Text)
	dst = append(dst, `,"content":[`...)
	for i, part := range p.Content {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"type":`...)
		dst = wire.AppendQuoted(dst, part.Type)
		if part.Type == "text" {
			dst = append(dst, `,"text":`...)
			dst = wire.AppendQuoted(dst, part.Text)
		} else {
			dst = append(dst, `,"resourceId":`...)
			dst = wire.AppendQuoted(dst, part.ResourceID)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, `],"omitted":{"fields":`...)
	dst = appendTexts(dst, p.Omitted.Fields)
	dst = append(dst, `,"resources":`...)
	dst = appendTexts(dst, p.Omitted.Resources)
	return append(dst, `}}`...)
}

func appendTexts(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.AppendQuoted(dst, s)
	}
	return append(dst, ']')
}
