package ecma

import "regexp"

// clause is one part of a conjunction: an RE2 program and whether it must match.
type clause struct {
	re2  *regexp.Regexp
	want bool
}

// conjunction splits a pattern of the form
//
//	^ (?=A) (?!B) … rest … (?<=C) (?<!D) $
//
// into programs of which all must match, or must not: `^A`, not `^B`, `^ rest $`, `C$`, not `D$`. It
// returns nil if the pattern has another form or a part has no RE2 program.
//
// The split is exact because `^` and `$` hold at one position each: every look-ahead next to `^`
// starts at 0 and every look-behind next to `$` ends at the end, wherever the rest goes. Without the
// anchor the parts would have to agree on a position, which separate programs cannot.
func conjunction(root *node) []clause {
	if root.op != opSeq {
		return nil
	}
	terms := root.subs
	head, first := lead(terms, opStart, false)
	tail, last := lead(reversed(terms[first:]), opEnd, true)
	if len(head)+len(tail) == 0 {
		return nil
	}
	rest := terms[first : len(terms)-last]
	whole := &node{op: opSeq}
	if first > 0 {
		whole.subs = append(whole.subs, &node{op: opStart})
	}
	whole.subs = append(whole.subs, rest...)
	if last > 0 {
		whole.subs = append(whole.subs, &node{op: opEnd})
	}
	clauses := make([]clause, 0, 1+len(head)+len(tail))
	add := func(n *node, want bool) bool {
		re2 := translate(n)
		clauses = append(clauses, clause{re2, want})
		return re2 != nil
	}
	if !add(whole, true) {
		return nil
	}
	for _, l := range head {
		if !add(&node{op: opSeq, subs: []*node{{op: opStart}, l.subs[0]}}, !l.negate) {
			return nil
		}
	}
	for _, l := range tail {
		if !add(&node{op: opSeq, subs: []*node{l.subs[0], {op: opEnd}}}, !l.negate) {
			return nil
		}
	}
	return clauses
}

// lead returns the look-arounds of one direction that stand, with the anchor among them, at the
// start of terms, and how many terms these are: none unless the anchor is there.
func lead(terms []*node, anchor op, behind bool) (looks []*node, count int) {
	anchored := false
	for _, t := range terms {
		isLook := t.op == opLook && t.behind == behind
		if t.op != anchor && !isLook {
			break
		}
		anchored = anchored || t.op == anchor
		if isLook {
			looks = append(looks, t)
		}
		count++
	}
	if !anchored {
		return nil, 0
	}
	return looks, count
}

func reversed(terms []*node) []*node {
	out := make([]*node, len(terms))
	for i, t := range terms {
		out[len(terms)-1-i] = t
	}
	return out
}
