package wire

import (
	"slices"

	"vcp.core/contract/errcode"
)

// Judges that may come back to themselves, or that several rules may send to one value, account for what
// they do. Their rules stand in a second function:
//
//	func judgeTree(j *wire.Judge, n int) bool {
//		if !j.Enter(n, RULE) {
//			return true
//		}
//		return j.Leave(judgeTreeRules(j, n))
//	}

// Enter opens a judge. It returns false when a budget is used up: the judge then is undecided and
// returns true.
func (j *Judge) Enter(n, rule int) bool {
	j.depth++
	j.steps--
	if j.steps >= 0 && j.depth <= maxOpen {
		return true
	}
	j.depth--
	return j.exhausted(n, rule)
}

// Leave closes a judge and hands its answer on.
func (j *Judge) Leave(ok bool) bool {
	j.depth--
	return ok
}

// Spend takes a number of judgements from the budget before they are made. It returns false like Enter.
func (j *Judge) Spend(n, judgements, rule int) bool {
	j.steps -= judgements
	return j.steps >= 0 || j.exhausted(n, rule)
}

// exhausted leaves a doubt and returns false.
func (j *Judge) exhausted(n, rule int) bool {
	reason := errcode.LimitNodes
	if j.steps >= 0 {
		reason = errcode.LimitDepth
	}
	j.limited = true
	return !j.undecided(n, rule, reason)
}

// Recalled is what the memo has about a judge and a value.
type Recalled struct {
	Known bool // OK is the answer
	OK    bool

	key    uint64
	doubts int // at the beginning
	first  doubt
}

// Recall opens a judge that several rules may send to one value: it asks for the answer of an earlier
// time. unit is the judge's number among those of its package.
//
// Until the judge is closed, only its own doubts count, so that the first of them is known.
func (j *Judge) Recall(n, unit, rule int) Recalled {
	r := Recalled{key: MemoKey(uint32(unit), n), doubts: j.doubts, first: j.first}
	if v, why, ok := j.memo.Get(r.key); ok {
		j.steps--
		r.Known, r.OK = true, v != Invalid
		switch d := unpackDoubt(why); v {
		case Invalid:
			j.failed = d.fault
		case Undecided:
			j.leave(d)
		}
		return r
	}
	if !j.Enter(n, rule) {
		r.Known, r.OK = true, true
		return r
	}
	j.doubts = 0
	return r
}

// Remember closes a judge that Recall opened and did not answer. A verdict that a budget cut short is not
// remembered: the memo holds facts.
func (j *Judge) Remember(r Recalled, ok bool) bool {
	j.depth--
	v, why := Valid, doubt{}
	switch {
	case !ok:
		v, why.fault = Invalid, j.failed
	case j.doubts > 0:
		v, why = Undecided, j.first
	}
	if r.doubts > 0 {
		j.first = r.first
	}
	j.doubts += r.doubts
	if !j.limited {
		j.memo.Put(r.key, v, why.pack())
	}
	return ok
}

// memoReasons are the reasons of doubts that the memo holds, by number.
var memoReasons = [...]errcode.Reason{"", errcode.LimitPattern, errcode.LimitNumber, errcode.LimitMembers}

// pack puts a doubt into a word: 32 bits for the node, 30 for the rule, 2 for the reason.
func (d doubt) pack() uint64 {
	return uint64(uint32(d.node))<<32 | uint64(d.rule)<<2&0xffffffff | uint64(slices.Index(memoReasons[:], d.reason))
}

func unpackDoubt(word uint64) doubt {
	return doubt{fault{int(word >> 32), int(word & 0xffffffff >> 2)}, memoReasons[word&3]}
}
