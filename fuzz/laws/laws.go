// Package laws holds types that the compiler generated to what the compiler promises about them. It is meant
// to be imported: an author's own tests run the same laws on his types as this project runs on its own.
//
//	laws.Check(t, laws.Options{}, laws.Of("Schedule", schema, DecodeSchedule, ValidateSchedule))
//
// Data flow: a [Type], that is a raw schema and the functions that were generated from it -> documents of
// gen/sample -> the five laws of [All] -> a [Report]. A document that breaks a law is made smaller as long as
// it still does (sample.Shrink), and is reported with the seed that made it.
//
// The package never generates code, never judges by a rule of its own (live does), and never calls a law
// held that no document was there for.
package laws

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"

	"vcp.core/gen/sample"
)

// Type is a generated type with what it was generated from.
type Type struct {
	// Name is the name in reports, such as "ScheduleManager.CreateSchedule input".
	Name string
	// Schema is the raw schema, a whole document: `#` in it is its root.
	Schema []byte
	// URI is its base where it has no `$id`. The default is "laws:schema".
	URI string
	// Documents are other documents that it refers to, by absolute URI. Those of the protocol are there anyway.
	Documents map[string][]byte
	// Draft07 says that documents without `$schema` are draft-07; the default is 2020-12.
	Draft07 bool
	// FormatAssertion must be as it was for the compiler.
	FormatAssertion bool
	// Examples are valid documents to begin with, for schemas that gen/sample finds hard.
	Examples [][]byte

	// Decode decodes a document and gives a function that appends the value as JSON. The document belongs to
	// it. The error is that of the generated function.
	Decode func(src []byte) (encode func(dst []byte) []byte, err error)
	// Validate judges a document. The error is that of the generated function.
	Validate func(src []byte) error
}

// Of describes a generated type by its two functions.
func Of[T interface{ AppendJSON(dst []byte) []byte }](name string, schema []byte, decode func(src []byte) (T, error), validate func(src []byte) error) Type {
	return Type{
		Name: name, Schema: schema, Validate: validate,
		Decode: func(src []byte) (func(dst []byte) []byte, error) {
			v, err := decode(src)
			if err != nil {
				return nil, err // v may be an interface that holds nothing
			}
			return v.AppendJSON, nil
		},
	}
}

// Options say how much is tried. The zero Options are usable.
type Options struct {
	// Seed makes all documents; the same seed makes the same ones. The default is 1.
	Seed int64
	// Documents is how many there are for each type. Four of nine are made to be valid, four to be beside the
	// border, one breaks an ingest rule. By default there are as many as it takes to break every rule of the
	// schema once, but at least 90 and at most 900.
	Documents int
	// Shrinks is how often a document that breaks a law is made smaller. The default is 1,000.
	Shrinks int
}

func (o Options) filled() Options {
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Shrinks <= 0 {
		o.Shrinks = 1000
	}
	return o
}

// Report says how the laws fared with one type.
type Report struct {
	Type  string
	Rows  []Row    // one for each law, in the order of All
	Fault string   // why no law could be tried: a schema that is refused, or without any valid document
	Wrong []Breach // at most one for each law
}

// Row counts the documents that a law was tried on.
type Row struct {
	Law       Law
	Documents int
	// Relevant is how many of them the law says something about: those that decode, for the laws of
	// encoding, those called valid, for the law of samples, all of them otherwise.
	Relevant int
}

// Breach is a document that breaks a law.
type Breach struct {
	Law      Law
	Document Document // as small as it got
	Original Document // as it was made
	Reason   string   // what differs, for the small one
}

// Ok reports whether every law held.
func (r *Report) Ok() bool { return r.Fault == "" && len(r.Wrong) == 0 }

// String is a line of counts, and some more for each law that was broken.
func (r *Report) String() string {
	var b strings.Builder
	b.WriteString(r.Type + ":")
	for i, row := range r.Rows {
		if i == 0 {
			fmt.Fprintf(&b, " %d documents:", row.Documents)
		}
		fmt.Fprintf(&b, " %s on %d", row.Law.Name, row.Relevant)
		if i < len(r.Rows)-1 {
			b.WriteByte(',')
		}
	}
	if r.Fault != "" {
		fmt.Fprintf(&b, " %s", r.Fault)
	}
	for _, w := range r.Wrong {
		fmt.Fprintf(&b, "\n  broken: %s: %s\n  %s\n  document %s\n  shrunk from %s", w.Law.Name, w.Law.Statement, w.Reason, w.Document, w.Original)
	}
	return b.String()
}

// Check runs the laws on all types, logs a line of counts for each, and fails the test for each one that
// breaks a law or that no law could be tried on.
func Check(t testing.TB, opts Options, types ...Type) {
	t.Helper()
	for _, r := range Run(opts, types...) {
		if r.Ok() {
			t.Log(r.String())
		} else {
			t.Error(r.String())
		}
	}
}

// Run runs the laws on all types and says how they fared, in the order of the types.
func Run(opts Options, types ...Type) []*Report {
	opts = opts.filled()
	var reports []*Report
	for _, typ := range types {
		reports = append(reports, run(opts, typ))
	}
	return reports
}

func run(opts Options, typ Type) *Report {
	r := &Report{Type: typ.Name}
	s, err := prepare(typ)
	if err != nil {
		r.Fault = err.Error()
		return r
	}
	if opts.Documents <= 0 {
		// Three of four near documents break the next rule.
		opts.Documents = min(max(s.source.Rules()*4/3*9/4, 90), 900)
	}
	for _, law := range All() {
		row := Row{Law: law}
		var breach *Breach
		property := prop.ForAll(func(d Document) string {
			relevant, reason := law.try(s, d)
			row.Documents++
			if relevant {
				row.Relevant++
			}
			if reason != "" {
				breach = &Breach{Law: law, Document: d, Original: d, Reason: reason}
			}
			return reason
		}, s.documents(uint64(opts.Seed)))

		p := gopter.DefaultTestParametersWithSeed(opts.Seed)
		p.MinSuccessfulTests, p.Workers = opts.Documents, 1
		result := property.Check(p)
		r.Rows = append(r.Rows, row)
		switch {
		case breach != nil:
			breach.shrink(s, opts.Shrinks)
			r.Wrong = append(r.Wrong, *breach)
		case !result.Passed():
			r.Fault = fmt.Sprintf("gopter: %s: %v", result.Status, result.Error)
		case row.Relevant == 0:
			r.Fault = fmt.Sprintf("no document for the law of %s: %s", law.Name, s.why())
		}
	}
	return r
}

// shrink makes the document smaller as long as it breaks the law, in so many tries. That of a sample stays: a
// smaller one was called valid by nobody.
func (b *Breach) shrink(s *subject, tries int) {
	if b.Law.Name == "samples" {
		return
	}
	sample.Shrink(b.Original.Bytes, tries, func(doc []byte) bool {
		d := Document{doc, b.Original.Seed, "smaller", false}
		_, reason := b.Law.try(s, d)
		if reason != "" {
			b.Document, b.Reason = d, reason
		}
		return reason != ""
	})
}
