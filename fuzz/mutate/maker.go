package mutate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Document is one made document.
type Document struct {
	Bytes []byte
	// Ops says how it came about, in order: "built", "seed 3" or an earlier one again, then the changes.
	Ops []string
	// Hostile names the ingest rule that the document breaks although encoding/json reads it, "" for
	// none: "duplicate key", "lone surrogate", "invalid UTF-8", "depth".
	Hostile string
	// Aim is the keyword occurrence, "URI#pointer", whose border the document tries. Only neighbours have
	// one.
	Aim string
}

// String says how the document was made, and what it is.
func (d Document) String() string {
	return fmt.Sprintf("%s: %s", strings.Join(d.Ops, "; "), d.Bytes)
}

// largest bounds the seeds that are mutated, in values: time is better spent on many small documents.
const largest = 1500

// Maker is an endless stream of documents for one schema. The same schema, seeds, seed and verdicts
// give the same stream. It is not safe for concurrent use.
type Maker struct {
	b             builder
	seeds         []*node
	index         []int // seeds[i] is the instance of this number
	judged, valid int
	made          int
	// Documents made before, by verdict. They are starting points when one verdict is rare.
	validPool, invalidPool []*node
}

// New returns a maker that starts from instances where there are any and from the schema alone
// otherwise, and sometimes anyway. A seed that is not JSON is an error (*SyntaxError).
func New(s *Schema, instances [][]byte, seed uint64) (*Maker, error) {
	m := &Maker{b: newBuilder(s, rand.New(rand.NewPCG(seed, 0x6d7574617465)))}
	for i, raw := range instances {
		n, err := parse(raw)
		if err != nil {
			return nil, err
		}
		if n.size() <= largest {
			m.seeds, m.index = append(m.seeds, n), append(m.index, i)
		}
	}
	return m, nil
}

// poolSize bounds the pools. A full pool forgets at random.
const poolSize = 200

// Saw tells the maker an oracle's verdict on a document, its own or another. The maker steers by it: it changes more when
// most documents are valid and less when few are, and it starts from documents of the rare verdict,
// so that the stream stays near one half. Hostile documents tell nothing about a schema and are passed
// over.
func (m *Maker) Saw(d Document, valid bool) {
	if d.Hostile != "" {
		return
	}
	m.judged++
	pool := &m.invalidPool
	if valid {
		m.valid++
		pool = &m.validPool
	}
	n, err := parse(d.Bytes)
	switch {
	case err != nil || n.size() > largest:
	case len(*pool) < poolSize:
		*pool = append(*pool, n)
	default:
		(*pool)[m.b.rng.IntN(poolSize)] = n
	}
}

// Every so many documents one breaks an ingest rule.
const hostileEvery = 40

// Next returns the next document.
func (m *Maker) Next() Document {
	m.made++
	rng := m.b.rng
	doc, origin, changes := m.start()
	d := Document{Ops: []string{origin}}
	for range changes {
		if rng.IntN(3) > 0 {
			d.Ops = append(d.Ops, m.aim(doc))
		} else {
			d.Ops = append(d.Ops, blind(doc, rng))
		}
	}
	for range rng.IntN(3) {
		d.Ops = append(d.Ops, respell(doc, rng))
	}
	if m.made%hostileEvery == 0 {
		if d.Hostile = hostile(doc, rng); d.Hostile != "" {
			d.Ops = append(d.Ops, d.Hostile)
		}
	}
	if rng.IntN(8) == 0 {
		d.Bytes = doc.appendSpaced(nil, rng)
		d.Ops = append(d.Ops, "white space")
	} else {
		d.Bytes = doc.append(nil)
	}
	return d
}

// start picks a document to start from, says where it comes from, and how many changes that may turn
// its verdict it shall get.
func (m *Maker) start() (doc *node, origin string, changes int) {
	rng := m.b.rng
	changes = rng.IntN(3)
	if m.judged >= 16 {
		share := m.valid * 100 / m.judged
		switch {
		case share > 55:
			changes = 1 + rng.IntN(3)
			if len(m.invalidPool) > 0 && rng.IntN(2) == 0 {
				return m.invalidPool[rng.IntN(len(m.invalidPool))].clone(), "an invalid one again", 1
			}
		case share < 45:
			changes = max(0, rng.IntN(4)-2)
			if len(m.validPool) > 0 && rng.IntN(4) > 0 {
				return m.validPool[rng.IntN(len(m.validPool))].clone(), "a valid one again", changes
			}
		}
	}
	if len(m.seeds) > 0 && rng.IntN(4) > 0 {
		i := rng.IntN(len(m.seeds))
		return m.seeds[i].clone(), fmt.Sprintf("seed %d", m.index[i]), changes
	}
	return m.b.value([]place{m.b.s.root}, 0), "built", changes
}

// aim applies one aimed variant somewhere in the document.
func (m *Maker) aim(doc *node) string {
	targets := m.b.s.targets(doc)
	if len(targets) == 0 {
		return blind(doc, m.b.rng)
	}
	for range 8 { // a facet of annotations only has no variants
		t := targets[m.b.rng.IntN(len(targets))]
		if all := t.all(m.b); len(all) > 0 {
			pick := all[m.b.rng.IntN(len(all))]
			*t.value = *pick.value.clone()
			return pick.describe(t)
		}
	}
	return blind(doc, m.b.rng)
}

// Neighbours yields every document that differs from doc by one aimed variant: for each value, each
// schema that may apply, each keyword. What variants are built from is drawn from seed. It stops when
// yield returns false. A doc that is not JSON is an error (*SyntaxError).
func (s *Schema) Neighbours(doc []byte, seed uint64, yield func(Document) bool) error {
	root, err := parse(doc)
	if err != nil {
		return err
	}
	b := newBuilder(s, rand.New(rand.NewPCG(seed, 0x6e656967686273)))
	for _, t := range s.targets(root) {
		// The variants are listed before the first is put in place: they are made from the value.
		all := t.all(b)
		kept := *t.value
		for _, x := range all {
			*t.value = *x.value
			more := yield(Document{
				Bytes: root.append(nil), Ops: []string{x.describe(t)},
				Aim: s.where[t.facet.node] + "/" + pointerToken(x.keyword),
			})
			*t.value = kept
			if !more {
				return nil
			}
		}
	}
	return nil
}

// Built returns a document made from the schema alone.
func (s *Schema) Built(seed uint64) Document {
	b := newBuilder(s, rand.New(rand.NewPCG(seed, 0x6275696c74)))
	return Document{Bytes: b.value([]place{s.root}, 0).append(nil), Ops: []string{"built"}}
}
