package live

import (
	"cmp"
	"slices"
	"strconv"

	"vcp.core/contract/wire"
)

// Form is one of the standard output forms of JSON Schema (2020-12 core §12.4). The form verbose is not made: it repeats
// what every schema said of every value, and has a use only for annotations, which nobody gathers here.
type Form string

// The forms.
const (
	Flag     Form = "flag"     // the verdict alone
	Basic    Form = "basic"    // a list of errors
	Detailed Form = "detailed" // a tree of errors, after the structure of the schema
)

// Unit is an output unit (2020-12 core §12.3).
type Unit struct {
	Valid bool
	// KeywordLocation is the way that evaluation took to the keyword, references included, as a JSON Pointer.
	KeywordLocation string
	// AbsoluteKeywordLocation is the URI of the keyword in the schema that it stands in.
	AbsoluteKeywordLocation string
	// InstanceLocation is a JSON Pointer into the document.
	InstanceLocation string
	Error            string // one sentence for people, with a hint where there is one; "" for a unit that only holds others
	Errors           []Unit
}

// Output judges the document and returns the result in a standard form. [Unit.AppendJSON] writes it. A document that is
// Undecided is not valid; the error says which limit decided.
//
// In the form basic, Errors is a flat list in the order of the document. In the form detailed it is a tree: a unit
// with one unit below it and nothing to say itself is replaced by that one, except the outermost. Unlike
// [Validator.Violations], both tell of every arm of a union that no discriminator rules out. At most
// [Options.Violations] errors are listed; one more then says that there are others.
func (v *Validator) Output(t *wire.Tape, form Form) Unit {
	if form == Flag {
		return Unit{Valid: v.Verdict(t) == wire.Valid}
	}
	rec := &recorder{}
	list := v.explain(t, rec)
	root := Unit{Valid: len(list) == 0, AbsoluteKeywordLocation: absolute(v.schema.Origin.URI, "")}
	if root.Valid {
		return root
	}
	for i := rec.reported; i < len(list); i++ { // about the whole
		rec.root.inside = append(rec.root.inside, &frame{absolute: root.AbsoluteKeywordLocation, violation: i + 1})
	}
	if form == Detailed {
		root.Errors = rec.root.tree(list)
		return root
	}
	leaves := rec.root.leaves(nil)
	// Those about the whole come last and have no place in the document.
	named := leaves[:len(leaves)-(len(list)-rec.reported)]
	slices.SortStableFunc(named, func(a, b *frame) int { return cmp.Compare(list[a.violation-1].Offset, list[b.violation-1].Offset) })
	for _, f := range leaves {
		root.Errors = append(root.Errors, f.unit(list))
	}
	return root
}

// AppendJSON appends the unit as JSON: {"valid":…} alone in the form flag, and else with every location.
func (u *Unit) AppendJSON(dst []byte, form Form) []byte {
	dst = strconv.AppendBool(append(dst, `{"valid":`...), u.Valid)
	if form == Flag {
		return append(dst, '}')
	}
	member := func(name, text string) {
		dst = append(append(append(dst, `,"`...), name...), `":`...)
		dst = wire.AppendQuoted(dst, text)
	}
	member("keywordLocation", u.KeywordLocation)
	if u.AbsoluteKeywordLocation != "" {
		member("absoluteKeywordLocation", u.AbsoluteKeywordLocation)
	}
	member("instanceLocation", u.InstanceLocation)
	if u.Error != "" {
		member("error", u.Error)
	}
	for i := range u.Errors {
		if i == 0 {
			dst = append(dst, `,"errors":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = u.Errors[i].AppendJSON(dst, form)
	}
	if len(u.Errors) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}
