package wire

import "vcp.core/contract/errcode"

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

	mark Mark
	key  uint64
}

// Recall opens a judge that several rules may send to one value: it asks for the answer of an earlier
// time. unit is the judge's number among those of its package.
func (j *Judge) Recall(n, unit, rule int) Recalled {
	key := MemoKey(uint32(unit), n)
	r := Recalled{mark: j.Mark(), key: key}
	if v, extra, ok := j.memo.Get(key); ok {
		r.Known, r.OK = true, v != Invalid
		switch v {
		case Invalid:
			j.failed = fault{int(extra >> 32), int(extra & 0xffffffff)}
		case Undecided:
			j.doubts++
		}
		j.steps--
		return r
	}
	if !j.Enter(n, rule) {
		r.Known, r.OK = true, true
	}
	return r
}

// Remember closes a judge that Recall opened and did not answer. A verdict that a budget cut short is not
// remembered: the memo holds facts.
func (j *Judge) Remember(r Recalled, ok bool) bool {
	j.depth--
	if j.limited {
		return ok
	}
	v := Valid
	switch {
	case !ok:
		v = Invalid
	case j.doubts != r.mark.doubts:
		v = Undecided
	}
	j.memo.Put(r.key, v, uint64(j.failed.node)<<32|uint64(uint32(j.failed.rule)))
	return ok
}
