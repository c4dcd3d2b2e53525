// Package grammar makes strings from grammars and recognises them, so that checks of formats can be held
// against the text that defines the format.
//
// Data flow: the ABNF of an RFC, transcribed (RFC 5234) -> [Parse] -> [Grammar] -> strings of it ([Maker]),
// strings beside it ([Mutant]), verdicts ([Grammar.Recognise]). formats.go lists a [Format] for each format of
// JSON Schema: the grammar, with section numbers, and what its text says in words beside the grammar.
//
// The package is written from the texts alone. It shares no code with contract/wire/format or
// contract/wire/ecma, must not import them outside of its tests, and cares for clarity, not for speed.
package grammar

// Grammar is a set of rules. It is immutable.
type Grammar struct {
	rules map[string]*rule
	prose map[string]Prose
}

// rule is a named element. The name is as its first definition spells it.
type rule struct {
	name string
	body node
}

// Prose is what a text defines in words where a grammar should stand: <U-label>.
type Prose struct {
	// Is decides whether a string is one.
	Is func(s []rune) bool
	// Make makes one; pick(n) is a number from 0 to n-1.
	Make func(pick func(n int) int) []rune
}

// node is an element of a rule: *alternation, *sequence, *repetition, *span, *text, *reference, *lookahead,
// *words.
type node any

// alternation is a choice: a / b.
type alternation struct{ of []node }

// sequence is a concatenation: a b.
type sequence struct{ of []node }

// repetition is min*max(a). max is -1 without a bound. [a] is 0*1(a).
type repetition struct {
	of       node
	min, max int
}

// span is a code point of a range: %x30-39.
type span struct{ low, high rune }

// text is a string of code points; of letters, either case unless it is exact.
type text struct {
	of    []rune
	exact bool
}

// reference is the name of a rule.
type reference struct{ to *rule }

// lookahead is !a: a does not follow. ABNF has none; ECMA-262's grammar does.
type lookahead struct{ not node }

// words is a prose-val: <a>.
type words struct {
	name string
	Prose
}

// Start returns whether there is a rule of that name.
func (g *Grammar) Start(name string) bool { return g.rules[fold(name)] != nil }
