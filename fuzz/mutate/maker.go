package mutate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Document is one made document.
type Document struct {
	Bytes []byte
	// Ops says how it came about, in order: "built" or "seed 3", then the changes.
	Ops []string
	// Hostile names the ingest rule that the document breaks although encoding/json reads it, "" for
	// none: "duplicate key", "lone surrogate", "invalid UTF-8", "depth".
	Hostile string
}

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
}

// New returns a maker that starts from instances where there are any and from the schema alone
// otherwise, and sometimes anyway. A seed that is not JSON is an error (*SyntaxError).
func New(s *Schema, instances [][]byte, seed uint64) (*Maker, error) {
	m := &Maker{b: builder{s, rand.New(rand.NewPCG(seed, 0x6d7574617465))}}
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

// Saw tells the maker an oracle's verdict on a document it made. The maker steers by it: it changes
// more when most documents are valid and less when few are, so that the stream stays near one half.
func (m *Maker) Saw(valid bool) {
	m.judged++
	if valid {
		m.valid++
	}
}

// Every so many documents one breaks an ingest rule.
const hostileEvery = 40

// Next returns the next document.
func (m *Maker) Next() Document {
	m.made++
	rng := m.b.rng
	var doc *node
	var d Document
	if len(m.seeds) > 0 && rng.IntN(4) > 0 {
		i := rng.IntN(len(m.seeds))
		doc, d.Ops = m.seeds[i].clone(), []string{fmt.Sprintf("seed %d", m.index[i])}
	} else {
		doc, d.Ops = m.b.value([]place{m.b.s.root}, 0), []string{"built"}
	}
	for range m.harshness() {
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

// harshness is the number of changes that may turn a verdict.
func (m *Maker) harshness() int {
	rng := m.b.rng
	switch {
	case m.judged < 16:
		return rng.IntN(3)
	case m.valid*100 > m.judged*55:
		return 1 + rng.IntN(3)
	case m.valid*100 < m.judged*45:
		if rng.IntN(4) > 0 {
			return 0
		}
		return 1
	}
	return rng.IntN(3)
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
	b := builder{s, rand.New(rand.NewPCG(seed, 0x6e656967686273))}
	for _, t := range s.targets(root) {
		// The variants are listed before the first is put in place: they are made from the value.
		all := t.all(b)
		kept := *t.value
		for _, x := range all {
			*t.value = *x.value
			more := yield(Document{Bytes: root.append(nil), Ops: []string{x.describe(t)}})
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
	b := builder{s, rand.New(rand.NewPCG(seed, 0x6275696c74))}
	return Document{Bytes: b.value([]place{s.root}, 0).append(nil), Ops: []string{"built"}}
}
