// Package sample makes documents from a raw schema: ones that are valid, and ones that are nearly so.
// Tests feed them to decoders and validators; authors look at them to see what their schema means.
//
// Data flow: a loaded schema -> [New] -> [Source] -> documents, a function of the seed alone. The same
// schema, options and seed give the same bytes, on every machine.
//
// # How a document is made
//
// A value is built from the list of all schemas that apply to it. Their rules are first laid over each
// other (shape.go); what leaves a choice (unions, conditions, negations, dependent members) is settled one
// choice after the other, with a way back when the rest no longer fits (choose.go). Only then is the value
// made, and its members and elements by the same steps (build.go). A pattern is walked, not guessed
// (pattern_make.go). So a document is valid because it was made so.
//
// A second, plain reading of the schema then judges the document (check.go), and whatever does not pass is
// made again, a bounded number of times. [Source.Valid] therefore never calls a document valid that its own
// reading refuses, and says so when it cannot make one.
//
// A document beside the border is made in the same way, by the schema with one of its rules turned round
// (near.go): so it breaks that rule, by as little as possible, and keeps the others.
//
// # How a document is made smaller
//
// [Shrink] knows no schema. It takes things away from a document as long as a predicate of the caller's stays
// true, until no single step makes it smaller (shrink.go).
//
// # What it will never do
//
// It imports load for the tree and nothing else of the compiler. It follows references, reads patterns,
// compares numbers and judges documents in its own, naive way: if it shared code with the compiler, it
// would share its mistakes, and no comparison would find them. For the same reason it is slow.
//
// It opens no file and no connection: documents that references reach are given by the caller.
//
// # Deviations
//
//   - `format` is always taken for an assertion where the format is one that the package knows, so that its
//     documents are valid whether or not somebody asserts it.
//   - Numbers whose exponents go beyond four digits, arrays and strings that must be longer than 65,536, and
//     patterns with constructs that it does not read are beyond it: it makes no document rather than a wrong one.
package sample

import (
	"math/rand/v2"
	"sync/atomic"

	"vcp.core/gen/load"
)

// Options say what a schema may reach and how large documents get. The zero Options are usable.
type Options struct {
	// URI is the base of a root schema without `$id`. The default is "sample:root".
	URI string
	// Documents are other documents that references may reach, by absolute URI without fragment. A `$id` in
	// one is an address as well.
	Documents map[string]*load.Node
	// Draft is that of documents without `$schema`. The default is Draft2020.
	Draft Draft
	// Depth is the nesting from which members and elements are made only where they must be. The default
	// is 6. A schema that demands more gets more.
	Depth int
	// Values is how many values a document has before the same happens. The default is 120.
	Values int
}

// Source makes documents for one schema. It is safe for concurrent use.
type Source struct {
	docs   *documents
	root   *load.Node
	depth  int
	values int
	height map[*load.Node]int
	atoms  []atom

	exhausted atomic.Int64
}

// Exhausted returns how many documents so far were given up because all that may be spent on one was spent. More
// seeds would hardly help then: the schema is huge, or asks for a huge document.
func (s *Source) Exhausted() int { return int(s.exhausted.Load()) }

// New prepares a source for the schema at root, which may stand inside a bigger document: it is a resource
// of its own, `#` in it is root.
// The error is a *[ReferenceError].
func New(root *load.Node, opts Options) (*Source, error) {
	if opts.URI == "" {
		opts.URI = "sample:root"
	}
	if opts.Depth <= 0 {
		opts.Depth = 6
	}
	if opts.Values <= 0 {
		opts.Values = 120
	}
	if opts.Draft == "" {
		opts.Draft = Draft2020
	}
	docs, root, err := index(root, opts)
	if err != nil {
		return nil, err
	}
	s := &Source{docs: docs, root: root, depth: opts.Depth, values: opts.Values}
	s.height, s.atoms = docs.heights(root), docs.atoms(root)
	return s, nil
}

// How often a whole document is tried, and how much work (shapes that are merged, values that are judged)
// one try may take.
const (
	tries = 12
	work  = 30_000
	less  = 5_000 // where there is another way to go
)

// mostEffort bounds what one document may cost in elementary steps: schemas looked at, names compared. A unit of work
// is cheap in an ordinary schema, and takes a hundred thousand steps in one of a megabyte. It is about a second.
const mostEffort = 20_000_000

// compared is how many steps it takes to compare two values.
const compared = 32

// Valid returns a document that the schema allows, by the reading of this package. ok is false when none
// was found: the schema allows nothing, or it is beyond the package. Another seed may succeed.
func (s *Source) Valid(seed uint64) (doc []byte, ok bool) {
	b := newBuilder(s, seed)
	root, ok := b.document()
	if !ok {
		return nil, false
	}
	return spell(root, b.rng), true
}

// Near returns a document beside the border that the schema draws. Three of four break one rule of one value by
// as little as they can, and nothing else: consecutive seeds take the rules in turn, so that as many
// documents as there are rules meet nearly all of them. The others have one value moved onto a bound, or
// changed in a way that programs trip over; some of those are still valid. Where no valid document is
// found, it returns the best attempt at one.
func (s *Source) Near(seed uint64) []byte {
	b := newBuilder(s, seed)
	if len(s.atoms) > 0 && seed%4 > 0 {
		turn := seed - seed/4 - 1 // among the seeds that are no multiple of 4
		if root, ok := b.beside(s.atoms[turn%uint64(len(s.atoms))]); ok {
			return spell(root, b.rng)
		}
	}
	root, ok := b.document()
	if ok {
		root = b.nudge(root)
	}
	return spell(root, b.rng)
}

// Empty reports whether it is certain that the schema allows nothing. Where it is false there may be no document
// either: what it sees are rules that contradict each other, and values that would have to be endless.
func (s *Source) Empty() bool {
	if always, is := truth(s.root); is {
		return !always
	}
	if s.height[s.root] == endless {
		return true
	}
	b := newBuilder(s, 1)
	b.start(work)
	shape := newShape(nil)
	b.add(shape, part{node: s.root, scope: s.docs.enter(nil, s.root)})
	_, ok := b.settle(shape, 0)
	return !ok && !b.unsure && b.left > 0
}

// Rules returns the number of rules that Near takes in turn. Seeds 0 to 4/3 of it take each once.
func (s *Source) Rules() int { return len(s.atoms) }

// builder is the state of making one document.
type builder struct {
	*Source
	rng     *rand.Rand
	left    int // work
	effort  int // steps that are left for the document, see mostEffort
	count   int // values made
	origins map[*load.Node]*origin
	alone   map[*load.Node]bool // of schemas: whether something may fit them
	best    *load.Node          // of the tries that failed
	goal    map[*load.Node]int  // distance to the schema that some value should be made from, nil for none
	broken  *atom               // the rule that is not met wherever it applies, nil for none
	tight   bool                // rules are broken by as little as they can be
	unsure  bool                // a shape may have been called impossible that is not
}

// origin is what a value was made from.
type origin struct {
	parts []part
	shape *shape
	depth int
}

func newBuilder(s *Source, seed uint64) *builder {
	return &builder{Source: s, rng: rand.New(rand.NewPCG(seed, 0x73616d706c65)), effort: mostEffort}
}

// document makes a whole document. When every try failed it returns the last one that was built at all, or
// null.
func (b *builder) document() (root *load.Node, ok bool) {
	whole := []part{{node: b.root, scope: b.docs.enter(nil, b.root)}}
	cut := 0
	for range tries {
		b.start(work)
		if v, built := b.build(whole, 0, nil); built {
			if b.allows(whole, v) {
				return v, true
			}
			b.best = v
		}
		if b.left <= 0 {
			cut++
		}
	}
	if cut == tries && b.effort > 0 { // else it was counted
		b.exhausted.Add(1)
	}
	if b.best == nil {
		b.best = null()
	}
	return b.best, false
}

// start gives the builder new work and forgets what was made.
func (b *builder) start(work int) {
	b.left, b.count, b.origins, b.alone = work, 0, map[*load.Node]*origin{}, map[*load.Node]bool{}
	if b.effort <= 0 {
		b.left = 0
	}
}

// spend takes one unit of work, and reports whether there was one.
func (b *builder) spend() bool {
	b.left--
	return b.left > 0
}

// pay takes steps from the effort. It reports whether there were as many; without them there is no more work either.
func (b *builder) pay(steps int) bool {
	if b.effort <= 0 {
		return false
	}
	if b.effort -= steps; b.effort <= 0 {
		b.left, b.unsure = 0, true
		b.exhausted.Add(1)
		return false
	}
	return true
}

// odds is true once in n times.
func (b *builder) odds(n int) bool { return b.rng.IntN(n) == 0 }

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }
