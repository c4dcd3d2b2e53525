// Package policy decides what a reader may see of a canonical result (specification §4.6): a sealed result
// and a [Reader] go in, a [result.Visible] comes out, and presenters see nothing else.
//
// A [Policy] is a list of rules. Each hides something from some readers: members by their place or their name,
// parts of texts by their shape, addresses of resources, resources with all that refers to them, or all that a
// tool said when the result is classified. What is hidden reads [Mask] where a string may stand, and null
// elsewhere; a resource is taken out. The visible is a valid canonical result again, and tells in
// policy.redactionsApplied which rule hid something, and where. A visible that hides nothing hands out the
// very bytes of the result.
//
// The sealed result is never changed. The package does no I/O, reads no clock, and knows no tool and no
// presenter. Values that are known to be secret are not its business: package secret masked them before
// the result was sealed, for every reader. It words nothing for a reader.
package policy

import (
	"slices"

	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/result"
)

// Mask stands where something was hidden and a string may stand.
const Mask = secret.Mask

// Consumer is the sort of a reader. Others than those below may exist: rules that name no consumer hold for
// them.
type Consumer string

// The consumers of specification §4.7.
const (
	AI       Consumer = "ai"
	Human    Consumer = "human"
	Workflow Consumer = "workflow"
	Bridge   Consumer = "bridge"
	Audit    Consumer = "audit"
)

// Reader is who wants to see a result.
type Reader struct {
	Consumer Consumer
	Admin    bool     // has every scope
	Scopes   []string // what a reader was granted
}

func (r *Reader) has(scope string) bool {
	return scope != "" && (r.Admin || slices.Contains(r.Scopes, scope))
}

// Rule hides what Match finds.
type Rule struct {
	Name      string     // a lower-kebab word, which redactionsApplied tells
	Consumers []Consumer // whom the rule holds for; nil: everybody
	// Scope is what exempts a reader from the rule; with "" nobody is exempt.
	Scope string
	// Within are the members of the result that are looked at, nil for all. It bounds [Keys], [Credentials],
	// [LocalPaths] and [PrivateAddresses].
	Within []result.Member
	Match  Match
}

// maxRules is the number of rules of a policy: a reader is known by the set of rules that hold for him.
const maxRules = 64

// Policy is an immutable list of rules. It is safe for concurrent use.
type Policy struct{ rules []rule }

// RuleError says that a rule cannot be.
type RuleError struct {
	Rule    string // its name
	Problem string // one sentence, lower case, no period
}

// Error says it in a sentence.
func (e *RuleError) Error() string { return "the rule " + e.Rule + ": " + e.Problem }

// New makes a policy of rules. The error is a [*RuleError].
func New(rules ...Rule) (*Policy, error) {
	if len(rules) > maxRules {
		return nil, &RuleError{Rule: rules[maxRules].Name, Problem: "a policy has at most 64 rules"}
	}
	p := &Policy{}
	for _, r := range rules {
		if !isWord(r.Name) {
			return nil, &RuleError{Rule: r.Name, Problem: "the name must be a lower-kebab word"}
		}
		if r.Match == nil {
			return nil, &RuleError{Rule: r.Name, Problem: "it matches nothing"}
		}
		c := rule{Rule: r, within: within(r.Within)}
		if problem := r.Match.compile(&c); problem != "" {
			return nil, &RuleError{Rule: r.Name, Problem: problem}
		}
		p.rules = append(p.rules, c)
	}
	return p, nil
}

func isWord(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c-'0' <= 9 || c == '-' && s[i-1] != '-') {
			return false
		}
	}
	return true
}

// For returns what a reader may see. It is computed once for a result and a set of rules, and remembered with
// the result. The error says that the result is no valid canonical result, or would not be one; then nobody
// sees anything.
func (p *Policy) For(s *result.Sealed, r Reader) (*result.Visible, error) {
	active := p.active(&r)
	return s.Visible(p, active, func(s *result.Sealed) (*result.Visible, error) { return p.apply(s, active) })
}

// active is the set of rules that hold for a reader, a bit for each.
func (p *Policy) active(r *Reader) uint64 {
	set := uint64(0)
	for i := range p.rules {
		c := &p.rules[i]
		if (c.Consumers == nil || slices.Contains(c.Consumers, r.Consumer)) && !r.has(c.Scope) {
			set |= 1 << i
		}
	}
	return set
}

func (p *Policy) apply(s *result.Sealed, active uint64) (*result.Visible, error) {
	v, err := result.Open(s)
	if err != nil || active == 0 {
		return v, err
	}
	w := newWalk(v, p.rules, active)
	defer w.end()
	w.result()
	if len(w.edits) == 0 {
		return v, nil
	}
	return result.Restrict(w.rewrite(), w.hiddenIDs())
}
