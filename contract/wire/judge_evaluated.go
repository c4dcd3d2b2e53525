package wire

import "vcp.core/contract/errcode"

// unevaluatedProperties and unevaluatedItems ask which members and elements other rules on the same value have
// evaluated (JSON Schema 2020-12 core §11). A verdict does not tell, and a memo of verdicts need not: when all
// other rules of the schema have been judged, generated code goes over the schemas that apply to the value once
// more and notes what they evaluate. It asks arms and conditions for their verdicts, which are remembered:
//
//	if ev := j.Evaluated(n, wire.KindObject); ev.Left() {
//		ev.Names("id", "name")
//		if ev.Left() && ev.Holds(judgeCircle(j, n)) {
//			membersOfCircle(j, n, &ev)
//			ev.Leave()
//		}
//		for ev.Next() {
//			if !ev.Allows(j.Is(ev.Part, wire.AString, 12), 11) {
//				return false
//			}
//		}
//		ev.End()
//	}
//
// That the schema holds apart from the keyword itself is taken for granted: otherwise the verdict is Invalid
// already. What an undecided arm evaluates is evaluated perhaps. The rule for what is left then counts only where
// it holds.

// evaluated is how sure it is that a member or an element has been evaluated.
type evaluated uint8

const (
	unseen evaluated = iota
	perhaps
	surely
)

// Evaluated notes which members of one object, or elements of one array, have been evaluated. Its notes are on a
// stack of the judge, so they end in the reverse order of their beginnings.
type Evaluated struct {
	Part int // the value that Next has moved to

	j          *Judge
	n          int
	base       int // of the notes in j.marks
	left       int // parts that are not surely evaluated
	at         int // number of Part
	depth      int // arms that were entered
	unsure     int // the depth of the outermost one that is undecided, 0 for none
	doubts     int // before the part at hand
	generation uint64
}

// Evaluated begins for value n. There is nothing to note, and nothing to End, if n is of another kind or empty.
func (j *Judge) Evaluated(n int, kind Kind) Evaluated {
	node := &j.nodes[n]
	if node.Kind != kind || node.Count == 0 {
		return Evaluated{}
	}
	j.generation += generations
	e := Evaluated{j: j, n: n, base: len(j.marks), left: int(node.Count), doubts: j.doubts, generation: j.generation}
	for range e.left {
		j.marks = append(j.marks, byte(unseen))
	}
	return e
}

// generations is by how much the number of one walk differs from that of the next: see Once.
const generations = uint64(surely) + 2

// End forgets the notes.
func (e *Evaluated) End() { e.j.marks = e.j.marks[:e.base] }

// Left reports whether anything is left that is not surely evaluated, so that it is worth asking what else
// evaluates it. When the budget of judgements is used up nobody asks any more: all may have been evaluated.
func (e *Evaluated) Left() bool {
	if e.left == 0 || e.j.steps >= 0 {
		return e.left > 0
	}
	e.j.limited = true
	e.note(perhaps)
	return false
}

// Once reports whether the schema with that number is to be asked what it evaluates. Several paths may lead to it.
func (e *Evaluated) Once(schema int) bool {
	j := e.j
	j.steps--
	for schema >= len(j.noted) {
		j.noted = append(j.noted, 0)
	}
	// What an inner walk noted in between is forgotten.
	as := e.generation + uint64(e.as())
	if last := j.noted[schema]; last >= as && last < e.generation+generations {
		return false
	}
	j.noted[schema] = as
	return true
}

// as is how sure it is that what is met now applies to the value.
func (e *Evaluated) as() evaluated {
	if e.unsure > 0 {
		return perhaps
	}
	return surely
}

// Verdict turns an answer into a verdict, and takes the doubts that it left back.
func (e *Evaluated) Verdict(ok bool) Verdict {
	doubted := e.j.doubts != e.doubts
	e.j.doubts = e.doubts
	switch {
	case !ok:
		return Invalid
	case doubted:
		return Undecided
	}
	return Valid
}

// Enter reports whether what depends on the verdict may apply to the value. If so, Leave follows.
func (e *Evaluated) Enter(v Verdict) bool {
	if v == Invalid {
		return false
	}
	e.depth++
	if v == Undecided && e.unsure == 0 {
		e.unsure = e.depth
	}
	return true
}

// Holds is Enter for the answer of an arm.
func (e *Evaluated) Holds(ok bool) bool { return e.Enter(e.Verdict(ok)) }

// Leave ends what Enter began.
func (e *Evaluated) Leave() {
	if e.unsure == e.depth {
		e.unsure = 0
	}
	e.depth--
}

// Next moves to the next part that is not surely evaluated, and reports whether there is one. After the last it
// begins anew.
func (e *Evaluated) Next() bool {
	switch {
	case e.left == 0:
		e.Part = 0
		return false
	case e.Part == 0:
		e.j.steps -= int(e.j.nodes[e.n].Count)
		e.Part, e.at = e.n+1+e.name(), 0
	default:
		e.advance()
	}
	for end := int(e.j.nodes[e.n].Next); e.Part < end; e.advance() {
		if evaluated(e.j.marks[e.base+e.at]) != surely {
			e.doubts = e.j.doubts
			return true
		}
	}
	e.Part = 0
	return false
}

func (e *Evaluated) advance() {
	e.Part = int(e.j.nodes[e.Part].Next) + e.name()
	e.at++
}

// name is 1 where a name stands before each part, else 0.
func (e *Evaluated) name() int {
	if e.j.nodes[e.n].Kind == KindObject {
		return 1
	}
	return 0
}

// Name returns the name of the part, a member of an object, as [Judge.Text] does.
func (e *Evaluated) Name() string { return e.j.Text(e.Part - 1) }

// Mark notes that the part is evaluated.
func (e *Evaluated) Mark() { e.mark(e.at, e.as()) }

func (e *Evaluated) mark(at int, as evaluated) {
	m := &e.j.marks[e.base+at]
	if evaluated(*m) < as {
		*m = byte(as)
		if as == surely {
			e.left--
		}
	}
}

// Matched notes that the part is evaluated if the answer, of contains, is that it matches.
func (e *Evaluated) Matched(ok bool) { e.matched(e.Verdict(ok)) }

func (e *Evaluated) matched(v Verdict) {
	switch v {
	case Valid:
		e.Mark()
	case Undecided:
		e.mark(e.at, perhaps)
	}
}

// All notes that everything is evaluated.
func (e *Evaluated) All() { e.note(e.as()) }

func (e *Evaluated) note(as evaluated) {
	for at := range int(e.j.nodes[e.n].Count) {
		e.mark(at, as)
	}
}

// Names notes the members with these names. They are compared one by one: many are for a switch on Name.
func (e *Evaluated) Names(names ...string) {
	for e.Next() {
		for _, name := range names {
			if equalText(e.j.src, &e.j.nodes[e.Part-1], name) {
				e.Mark()
				break
			}
		}
	}
}

// Pattern notes the members whose names match.
func (e *Evaluated) Pattern(p *Pattern) {
	for e.Next() {
		e.matched(e.j.match(p, e.j.bytes(e.Part-1)))
	}
}

// Prefix notes the first elements of an array.
func (e *Evaluated) Prefix(count int) {
	for at := range min(count, int(e.j.nodes[e.n].Count)) {
		e.mark(at, e.as())
	}
}

// Allows takes the answer of the rule for what is left about the part, and returns false when the value is
// Invalid. The rule is that of the keyword, which is what cannot be decided about a part that is perhaps evaluated.
func (e *Evaluated) Allows(ok bool, rule int) bool {
	switch {
	case ok:
		return true
	case evaluated(e.j.marks[e.base+e.at]) == perhaps:
		e.j.doubts = e.doubts
		return e.j.undecided(e.Part, rule, errcode.LimitPattern)
	}
	e.End()
	return false
}
