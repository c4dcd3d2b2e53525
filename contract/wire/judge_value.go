package wire

import (
	"math"
	"sync"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire/ecma"
	"vcp.core/contract/wire/touch"
)

// Tests of one value. Each takes the node and the number of the rule, returns false after Fail, and is
// satisfied by a value of a type that the rule does not concern.

// Kinds is a set of kinds.
type Kinds uint16

// Sets of one JSON type, and of one boolean.
const (
	ANull    Kinds = 1 << KindNull
	AFalse   Kinds = 1 << KindFalse
	ATrue    Kinds = 1 << KindTrue
	ABoolean       = AFalse | ATrue
	ANumber  Kinds = 1 << KindNumber
	AString  Kinds = 1 << KindString
	AnArray  Kinds = 1 << KindArray
	AnObject Kinds = 1 << KindObject
)

// Is tests the kind of the value.
func (j *Judge) Is(n int, kinds Kinds, rule int) bool {
	return kinds>>j.nodes[n].Kind&1 != 0 || j.Fail(n, rule)
}

// Kind returns the kind of the value.
func (j *Judge) Kind(n int) Kind { return j.nodes[n].Kind }

// Whole tests that a number has no fractional part. 1.0 has none.
func (j *Judge) Whole(n, rule int) bool {
	node := &j.nodes[n]
	return node.Kind != KindNumber || node.Flags&Fraction == 0 || j.tape.Decimal(n).IsInteger() || j.Fail(n, rule)
}

// atLeast and atMost test the count of a node of one kind.
func (j *Judge) atLeast(n int, kind Kind, count, rule int) bool {
	node := &j.nodes[n]
	return node.Kind != kind || int(node.Count) >= count || j.Fail(n, rule)
}

func (j *Judge) atMost(n int, kind Kind, count, rule int) bool {
	node := &j.nodes[n]
	return node.Kind != kind || int(node.Count) <= count || j.Fail(n, rule)
}

// MinLength tests a string's number of code points.
func (j *Judge) MinLength(n, count, rule int) bool { return j.atLeast(n, KindString, count, rule) }

// MaxLength tests a string's number of code points.
func (j *Judge) MaxLength(n, count, rule int) bool { return j.atMost(n, KindString, count, rule) }

// MinItems tests an array's number of elements.
func (j *Judge) MinItems(n, count, rule int) bool { return j.atLeast(n, KindArray, count, rule) }

// MaxItems tests an array's number of elements.
func (j *Judge) MaxItems(n, count, rule int) bool { return j.atMost(n, KindArray, count, rule) }

// MinProperties tests an object's number of members.
func (j *Judge) MinProperties(n, count, rule int) bool { return j.atLeast(n, KindObject, count, rule) }

// MaxProperties tests an object's number of members.
func (j *Judge) MaxProperties(n, count, rule int) bool { return j.atMost(n, KindObject, count, rule) }

// SmallInteger reads a number without fraction and exponent of at most 18 digits, sign included.
func SmallInteger(t *Tape, n int) (v int64, ok bool) {
	node := &t.nodes[n]
	if node.Kind != KindNumber || node.Flags&Fraction != 0 || node.End-node.Start > 18 {
		return 0, false
	}
	text := t.src[node.Start:node.End]
	touch.Bytes(len(text))
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	for _, c := range text {
		v = v*10 + int64(c-'0')
	}
	if negative {
		v = -v
	}
	return v, true
}

// Documents are full of small integers, and bounds mostly are some, so the common comparison is one of
// machine integers. Everything else is compared exactly, on digit strings.

// Minimum tests that a number is at least bound.
func (j *Judge) Minimum(n int, bound int64, rule int) bool {
	if v, ok := SmallInteger(j.tape, n); ok {
		return v >= bound || j.Fail(n, rule)
	}
	return j.compareSmall(n, bound, -1, -1, rule)
}

// Maximum tests that a number is at most bound.
func (j *Judge) Maximum(n int, bound int64, rule int) bool {
	if v, ok := SmallInteger(j.tape, n); ok {
		return v <= bound || j.Fail(n, rule)
	}
	return j.compareSmall(n, bound, 1, 1, rule)
}

// ExclusiveMinimum tests that a number is more than bound.
func (j *Judge) ExclusiveMinimum(n int, bound int64, rule int) bool {
	if v, ok := SmallInteger(j.tape, n); ok {
		return v > bound || j.Fail(n, rule)
	}
	return j.compareSmall(n, bound, -1, 0, rule)
}

// ExclusiveMaximum tests that a number is less than bound.
func (j *Judge) ExclusiveMaximum(n int, bound int64, rule int) bool {
	if v, ok := SmallInteger(j.tape, n); ok {
		return v < bound || j.Fail(n, rule)
	}
	return j.compareSmall(n, bound, 0, 1, rule)
}

// MultipleOf tests that a number is a multiple of divisor.
func (j *Judge) MultipleOf(n int, divisor int64, rule int) bool {
	if v, ok := SmallInteger(j.tape, n); ok {
		return v%divisor == 0 || j.Fail(n, rule)
	}
	return j.nodes[n].Kind != KindNumber || j.multiple(n, DecimalOf(divisor), rule)
}

// MinimumDecimal is Minimum for a bound that is no int64. It is written as a JSON number.
func (j *Judge) MinimumDecimal(n int, bound string, rule int) bool {
	return j.compare(n, mustDecimal(bound), -1, -1, rule)
}

// MaximumDecimal is Maximum for a bound that is no int64.
func (j *Judge) MaximumDecimal(n int, bound string, rule int) bool {
	return j.compare(n, mustDecimal(bound), 1, 1, rule)
}

// ExclusiveMinimumDecimal is ExclusiveMinimum for a bound that is no int64.
func (j *Judge) ExclusiveMinimumDecimal(n int, bound string, rule int) bool {
	return j.compare(n, mustDecimal(bound), -1, 0, rule)
}

// ExclusiveMaximumDecimal is ExclusiveMaximum for a bound that is no int64.
func (j *Judge) ExclusiveMaximumDecimal(n int, bound string, rule int) bool {
	return j.compare(n, mustDecimal(bound), 0, 1, rule)
}

// MultipleOfDecimal is MultipleOf for a divisor that is no int64.
func (j *Judge) MultipleOfDecimal(n int, divisor string, rule int) bool {
	return j.multiple(n, mustDecimal(divisor), rule)
}

func (j *Judge) compareSmall(n int, bound int64, low, high, rule int) bool {
	return j.nodes[n].Kind != KindNumber || j.compare(n, DecimalOf(bound), low, high, rule)
}

// compare fails when the comparison of the number with bound gives a value from low to high.
func (j *Judge) compare(n int, bound Decimal, low, high, rule int) bool {
	if j.nodes[n].Kind != KindNumber {
		return true
	}
	c := j.tape.Decimal(n).Cmp(bound)
	return c < low || c > high || j.Fail(n, rule)
}

func (j *Judge) multiple(n int, of Decimal, rule int) bool {
	if j.nodes[n].Kind != KindNumber {
		return true
	}
	switch j.tape.Decimal(n).Multiple(of) {
	case Invalid:
		return j.Fail(n, rule)
	case Undecided:
		return j.undecided(n, rule, errcode.LimitNumber)
	}
	return true
}

// mustDecimal reads a constant that the compiler wrote.
func mustDecimal(text string) Decimal {
	d, ok := ParseDecimal(text)
	if !ok {
		panic("wire: generated code holds the number " + text)
	}
	return d
}

// Text returns the decoded text of a string or name. It is valid until the next call of any method, and
// as long as the source is.
func (j *Judge) Text(n int) string {
	node := &j.nodes[n]
	if node.Flags&Escaped == 0 {
		return alias(inside(j.src, node))
	}
	j.text = appendDecoded(j.text[:0], inside(j.src, node))
	return alias(j.text)
}

// bytes is Text for functions that take bytes and do not change them.
func (j *Judge) bytes(n int) []byte {
	node := &j.nodes[n]
	if node.Flags&Escaped == 0 {
		return inside(j.src, node)
	}
	j.text = appendDecoded(j.text[:0], inside(j.src, node))
	return j.text
}

// Pattern is a pattern of a schema, compiled when it is first needed. It is safe for concurrent use and
// must not be copied then.
type Pattern struct {
	Source string // ECMA-262, as the schema has it

	once sync.Once
	re   *ecma.Regexp
}

// match matches text. A pattern has a budget for one string; a document may have a million strings, each
// of which takes nearly all of it, so the judgement has one too.
func (j *Judge) match(p *Pattern, text []byte) Verdict {
	if j.matching < 0 {
		j.limited = true
		return Undecided
	}
	p.once.Do(p.compile)
	matched, decided, steps := p.re.MatchSteps(text)
	j.matching -= steps
	switch {
	case !decided:
		return Undecided
	case matched:
		return Valid
	}
	return Invalid
}

// compile compiles what the compiler has compiled before.
func (p *Pattern) compile() {
	re, err := ecma.Compile(p.Source)
	if err != nil {
		panic("wire: generated code holds the pattern " + p.Source + ": " + err.Error())
	}
	p.re = re
}

// Pattern tests that a string matches.
func (j *Judge) Pattern(n int, p *Pattern, rule int) bool {
	if j.nodes[n].Kind != KindString {
		return true
	}
	switch j.match(p, j.bytes(n)) {
	case Invalid:
		return j.Fail(n, rule)
	case Undecided:
		return j.undecided(n, rule, errcode.LimitPattern)
	}
	return true
}

// Format tests a string with a check of package format.
func (j *Judge) Format(n int, check func(decoded []byte) bool, rule int) bool {
	return j.nodes[n].Kind != KindString || check(j.bytes(n)) || j.Fail(n, rule)
}

// IsText tests that the value is this string.
func (j *Judge) IsText(n int, text string, rule int) bool {
	node := &j.nodes[n]
	return node.Kind == KindString && equalText(j.src, node, text) || j.Fail(n, rule)
}

// Enum tests that the value equals one of the constants.
func (j *Judge) Enum(n int, list *Constants, rule int) bool {
	return list.Find(j.tape, n, &j.text) >= 0 || j.Fail(n, rule)
}

// What [Judge.Case] returns for values that are none of the constants.
const (
	Other  = -1 // another value
	Absent = -2 // no such member
)

// Case returns which of the constants the value of a member equals. The member is given as [Judge.Find]
// and loops over members have it: 0 when it is absent.
func (j *Judge) Case(member int, list *Constants) int {
	if member == 0 {
		return Absent
	}
	return list.Find(j.tape, member, &j.text)
}

// Unique tests that the elements of an array all differ.
func (j *Judge) Unique(n, rule int) bool {
	count := int(j.nodes[n].Count)
	switch {
	case j.nodes[n].Kind != KindArray || count < 2:
		return true
	case count > j.members:
		return j.undecided(n, rule, errcode.LimitMembers)
	}
	j.steps -= count
	if first, _ := FindDuplicate(j.tape, n, &j.table); first >= 0 {
		return j.Fail(n, rule)
	}
	return true
}

// Find returns the value of a member of object n, 0 when it has none of that name or n is no object.
func (j *Judge) Find(n int, name string) int {
	if j.nodes[n].Kind != KindObject {
		return 0
	}
	value, _ := j.tape.Find(n, name)
	return value
}

// Elements returns the first element of array n and the node after the last, for a loop that does nothing
// when n is no array:
//
//	for e, end := j.Elements(n); e < end; e = j.Next(e) {
func (j *Judge) Elements(n int) (first, end int) {
	node := &j.nodes[n]
	if node.Kind != KindArray {
		return 0, 0
	}
	return n + 1, int(node.Next)
}

// Members returns the first name of object n and the node after the last value, for a loop that does
// nothing when n is no object. A value stands behind its name:
//
//	for m, end := j.Members(n); m < end; m = j.Next(m + 1) { // name m, value m+1
func (j *Judge) Members(n int) (name, end int) {
	node := &j.nodes[n]
	if node.Kind != KindObject {
		return 0, 0
	}
	return n + 1, int(node.Next)
}

// Next returns the node after value i and everything in it.
func (j *Judge) Next(i int) int { return int(j.nodes[i].Next) }

// noBound is a bound that nothing exceeds.
const noBound = math.MaxInt
