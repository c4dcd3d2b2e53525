package ecma

// op says what a node of a pattern's tree is.
type op uint8

const (
	opEmpty       op = iota // matches the empty string
	opSet                   // one code point of set
	opSeq                   // subs one after the other
	opAlt                   // one of subs
	opRepeat                // subs[0], min to max times
	opCapture               // subs[0], remembered as group index
	opStart                 // ^
	opEnd                   // $
	opBoundary              // \b
	opNotBoundary           // \B
	opLook                  // a look-around: subs[0] ahead or behind, wanted or not
	opBackref               // what group index matched
)

// node is a part of a parsed pattern. The tree keeps what decides whether a string matches; which
// of several possible matches is preferred (lazy quantifiers, the order of alternatives) matters
// only where a back-reference can see it, and is kept for that.
type node struct {
	op     op
	set    *set
	subs   []*node
	min    int
	max    int // -1: no bound
	lazy   bool
	behind bool // opLook
	negate bool // opLook
	index  int  // opCapture, opBackref: number of the group, from 1

	// opRepeat: the groups inside are from+1 … to. Each round of a loop forgets them
	// (ECMA-262 §22.2.2.3.1 RepeatMatcher, step 4).
	from, to int
}

// tree is a parsed pattern.
type tree struct {
	root     *node
	groups   int  // number of capturing groups
	backrefs bool // whether a back-reference occurs
	looks    int  // number of look-arounds
}
