package live

import "vcp.core/contract/wire"

// Visits is Verdict, and how many times a value was judged against a schema.
func (v *Validator) Visits(t *wire.Tape) (wire.Verdict, int) {
	r := v.set.begin(t)
	defer v.set.end(r)
	verdict := v.unit.judge(r, t.Root())
	return verdict, r.visits
}

// Unmatchable makes every pattern of patternProperties with that source undecided, which a real pattern
// is only after some 20 ms.
func (s *Set) Unmatchable(source string) {
	for _, schema := range s.prog.Schemas {
		if schema.Object == nil {
			continue
		}
		for i, p := range schema.Object.Patterns {
			if p.Pattern.Source() == source {
				s.parts[schema.ID].object.patterns[i].match = func([]byte) (matched, decided bool, steps int) { return false, false, 0 }
			}
		}
	}
}
