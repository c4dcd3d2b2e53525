package laws

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/leanovate/gopter"

	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
	"vcp.core/gen/sample"
)

// Document is one that laws are tried on.
type Document struct {
	Bytes  []byte
	Seed   uint64 // of gen/sample
	Origin string // "valid", "near", "hostile", "example", or "smaller" than one of these
	Valid  bool   // somebody called it valid
}

// String tells where the document comes from, and its beginning.
func (d Document) String() string {
	const most = 2000
	if len(d.Bytes) > most {
		return fmt.Sprintf("%s, seed %d, %d bytes: %s…", d.Origin, d.Seed, len(d.Bytes), d.Bytes[:most])
	}
	return fmt.Sprintf("%s, seed %d: %s", d.Origin, d.Seed, d.Bytes)
}

// subject is a type with what its documents come from and are judged by.
type subject struct {
	Type
	source *sample.Source
	live   *ours.Judge
	made   map[uint64]Document // by number drawn: all laws see the same documents
	none   int                 // how often the sampler found no valid document
}

func prepare(typ Type) (*subject, error) {
	uri := typ.URI
	if uri == "" {
		uri = "laws:schema"
	}
	documents := map[string][]byte{uri: typ.Schema}
	for _, d := range schema.All() {
		documents[d.ID] = d.Source
	}
	maps.Copy(documents, typ.Documents)
	compiled := ours.Schema{URI: uri, Documents: documents, FormatAssertion: typ.FormatAssertion, Dialect: resolve.Draft2020}
	if typ.Draft07 {
		compiled.Dialect = resolve.Draft07
	}
	live, err := ours.Compile(compiled)
	if err != nil {
		return nil, err
	}
	nodes := map[string]*load.Node{}
	for at, src := range documents {
		file, list := load.Parse(at, src, wire.Limits{})
		if list.HasErrors() {
			return nil, &ours.RefusedError{List: list}
		}
		nodes[at] = file.Root
	}
	source, err := sample.New(nodes[uri], sample.Options{URI: uri, Documents: nodes, Draft: sample.Draft(compiled.Dialect)})
	if err != nil {
		return nil, err
	}
	return &subject{Type: typ, source: source, live: live, made: map[uint64]Document{}}, nil
}

// decode calls the generated decoder with a copy of its own.
func (s *subject) decode(doc []byte) (encode func([]byte) []byte, broke string, err error) {
	_, broke = guarded(func() bool {
		encode, err = s.Decode(slices.Clone(doc))
		return true
	})
	return encode, broke, err
}

// validate calls the generated validator.
func (s *subject) validate(doc []byte) (broke string, err error) {
	err, broke = guarded(func() error { return s.Validate(doc) })
	return broke, err
}

// why explains that there was no document that a law speaks of.
func (s *subject) why() string {
	if s.none > 0 {
		return fmt.Sprintf("gen/sample found no valid document with %d seeds; give examples", s.none)
	}
	return "none was accepted"
}

// documents is a generator for gopter. Its documents are numbered, and the number is what they are made from:
// gen/sample takes the rules of a schema in turn, and gopter's random numbers would miss a third of them.
// Every law gets the same documents.
func (s *subject) documents(seed uint64) gopter.Gen {
	next := uint64(0)
	return func(*gopter.GenParameters) *gopter.GenResult {
		d, ok := s.made[next]
		if !ok {
			d = s.document(next, seed<<32)
			s.made[next] = d
		}
		next++
		return gopter.NewGenResult(d, gopter.NoShrinker)
	}
}

// document makes document n. Seeds count from a base.
func (s *subject) document(n, base uint64) Document {
	round, place := n/9, n%9
	near := base + round*4 + place/2
	switch {
	case place == 8:
		doc, _ := s.source.Valid(base + round)
		return Document{hostile(doc, base+round), base + round, "hostile", false}
	case place%2 == 1:
		return Document{s.source.Near(near), near, "near", false}
	case len(s.Examples) > 0 && round%4 == 0:
		i := (n / 2) % uint64(len(s.Examples))
		return Document{s.Examples[i], i, "example", true}
	}
	if doc, ok := s.source.Valid(near); ok {
		return Document{doc, near, "valid", true}
	}
	s.none++
	return Document{s.source.Near(near), near, "near", false}
}

// hostile makes a document break an ingest rule.
func hostile(doc []byte, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0x686f7374696c65))
	if len(doc) == 0 {
		return nil
	}
	switch rng.IntN(6) {
	case 0: // it ends too early
		return doc[:rng.IntN(len(doc))]
	case 1: // something follows
		return append(slices.Clone(doc), pick(rng, "x", ",", "{}", "\x00", "]")...)
	case 2: // a byte that is no UTF-8, or no JSON
		out := slices.Clone(doc)
		out[rng.IntN(len(out))] = byte(pick(rng, 0xff, 0xc0, 0x80, 0x01))
		return out
	case 3: // a member comes twice
		if end := bytes.LastIndexByte(doc, '}'); end > 0 {
			if name := bytes.IndexByte(doc, '"'); doc[0] == '{' && name > 0 {
				if colon := bytes.IndexByte(doc[name:], ':'); colon > 0 {
					return slices.Concat(doc[:end], []byte(","), doc[name:name+colon], []byte(":0"), doc[end:])
				}
			}
		}
	case 4: // half a surrogate pair
		if at := bytes.IndexByte(doc, '"'); at >= 0 {
			return slices.Concat(doc[:at+1], []byte(`\ud800`), doc[at+1:])
		}
	}
	return slices.Concat([]byte("[,"), doc, []byte("]"))
}

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }
