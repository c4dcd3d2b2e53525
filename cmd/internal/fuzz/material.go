package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
	"vcp.core/gen/resolve"
	"vcp.core/gen/sample"
)

// UnreadableError is a schema that no documents can be made of.
type UnreadableError struct {
	Command string
	Reason  string
}

// Error says it in a sentence.
func (e *UnreadableError) Error() string {
	return fmt.Sprintf("no arguments can be made for %s: %s", e.Command, e.Reason)
}

func newCommand(spec *call.Spec) (*command, error) {
	c := &command{spec: spec}
	name := spec.Tool + "." + spec.Command
	var err error
	if c.source, err = Source(spec.InputSchema); err != nil {
		return nil, &UnreadableError{name, err.Error()}
	}
	if c.live = Live(spec.SchemaFile, spec.InputSchema, spec.FormatAssertion); c.live == nil {
		return nil, &UnreadableError{name, "the input schema does not compile"}
	}
	return c, nil
}

// Source makes documents of a schema of a manifest. What such a schema may refer to is there.
func Source(src []byte) (*sample.Source, error) {
	documents := map[string]*load.Node{}
	for _, d := range resolve.MetaSchemas() {
		documents[d.URI] = d.File.Root
	}
	for _, d := range schema.All() {
		if file, _ := load.Parse(d.Name, d.Source, wire.Limits{}); file != nil {
			documents[d.ID] = file.Root
		}
	}
	file, list := load.Parse("schema", src, wire.Limits{})
	if file == nil {
		return nil, &UnreadableError{"schema", list[0].Message}
	}
	return sample.New(file.Root, sample.Options{URI: "fuzz:schema", Documents: documents})
}

// Live compiles a schema of a manifest, anew and by gen/live: what judges the arguments of a call may have been
// generated. It is nil for a schema that does not compile.
func Live(name string, src []byte, formats bool) *live.Validator {
	file, _ := load.Parse(name, src, wire.Limits{})
	if file == nil {
		return nil
	}
	root, _ := resolve.Resolve(file, nil, resolve.Options{Registry: protocol.Registry()})
	if root == nil {
		return nil
	}
	program, list := ir.Lower([]*resolve.Schema{root}, ir.Options{FormatAssertion: formats})
	if list.HasErrors() {
		return nil
	}
	return live.Compile(program).Root(0)
}

// verdict judges arguments by the input schema.
func (c *command) verdict(doc []byte) wire.Verdict {
	if c.tape.Scan(doc, wire.Limits{}) != nil || c.tape.Kind(c.tape.Root()) != wire.KindObject {
		return wire.Invalid
	}
	return c.live.Verdict(&c.tape)
}

// document makes document n: the examples of the manifest first, then one that is valid and one that is nearly so in
// turn. seed is the one that makes the same document as the first after the examples.
func (c *command) document(n int, seed uint64, pool *pool) (doc []byte, own uint64) {
	if n < len(c.spec.Examples) {
		return c.spec.Examples[n], seed
	}
	own = seed + uint64(n-len(c.spec.Examples))
	if own%2 == 1 {
		c.tried++
		if doc, ok := c.source.Valid(own / 2); ok {
			c.valid++
			rng := rand.New(rand.NewPCG(own, 0x66757a7a))
			return c.lend(c.cross(doc, rng), rng, pool), own
		}
	}
	return c.source.Near(own / 2), own
}

// cross puts members of an example in place of those of a document, as long as that stays valid: what an author gives
// as an example gets further into his program than what a schema allows.
func (c *command) cross(doc []byte, rng *rand.Rand) []byte {
	if len(c.spec.Examples) == 0 || rng.IntN(2) == 0 {
		return doc
	}
	example := object(c.spec.Examples[rng.IntN(len(c.spec.Examples))])
	for _, m := range example {
		if rng.IntN(3) == 0 {
			continue
		}
		if other := set(doc, m.name, m.value); c.verdict(other) == wire.Valid {
			doc = other
		}
	}
	return doc
}

// lend puts strings that results have shown, and those of examples, into arguments, where the schema lets it: nobody
// guesses the id of a thing. Half of them are changed a little.
func (c *command) lend(doc []byte, rng *rand.Rand, pool *pool) []byte {
	if len(pool.texts) == 0 || rng.IntN(2) == 0 {
		return doc
	}
	file, list := load.Parse("arguments", doc, wire.Limits{})
	if list.HasErrors() {
		return doc
	}
	var places []*load.Node
	eachString(file.Root, func(n *load.Node) { places = append(places, n) })
	for range min(len(places), 4) {
		at := places[rng.IntN(len(places))]
		for range 8 {
			text := pool.draw(rng)
			other := slices.Concat(doc[:at.Start], wire.AppendQuoted(nil, text), doc[at.End:])
			if text != at.Str && c.verdict(other) == wire.Valid {
				return other
			}
		}
	}
	return doc
}

// pool keeps strings that examples and data of results had.
type pool struct {
	texts []string
	next  int
}

// maxTexts bounds the pool: the oldest strings give way.
const maxTexts = 200

// take takes in the strings of the data of a result.
func (p *pool) take(result string) {
	file, list := load.Parse("result", []byte(result), wire.Limits{})
	if list.HasErrors() {
		return
	}
	if data := file.Root.Get("data"); data != nil {
		p.add(data)
	}
}

func (p *pool) add(value *load.Node) {
	eachString(value, func(n *load.Node) {
		switch {
		case len(n.Str) == 0 || len(n.Str) > 200 || slices.Contains(p.texts, n.Str):
		case len(p.texts) < maxTexts:
			p.texts = append(p.texts, n.Str)
		default:
			p.texts[p.next%maxTexts] = n.Str
			p.next++
		}
	})
}

// draw returns a string of the pool, as it is or with something left out, doubled, or of another one.
func (p *pool) draw(rng *rand.Rand) string {
	text := []rune(p.texts[rng.IntN(len(p.texts))])
	if rng.IntN(2) == 0 || len(text) == 0 {
		return string(text)
	}
	from := rng.IntN(len(text))
	to := from + 1 + rng.IntN(min(4, len(text)-from))
	switch part := text[from:to]; rng.IntN(4) {
	case 0:
		return string(slices.Concat(text[:from], text[to:]))
	case 1:
		return string(slices.Concat(text[:to], part, text[to:]))
	case 2:
		return string(text) + p.texts[rng.IntN(len(p.texts))]
	default:
		other := []rune(p.texts[rng.IntN(len(p.texts))])
		return string(slices.Concat(text[:from], other[:min(len(other), 6)], text[to:]))
	}
}

func eachString(n *load.Node, f func(n *load.Node)) {
	if n.Kind == wire.KindString {
		f(n)
	}
	for _, m := range n.Members {
		eachString(m.Value, f)
	}
	for _, e := range n.Elems {
		eachString(e, f)
	}
}
