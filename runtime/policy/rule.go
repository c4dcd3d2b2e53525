package policy

import (
	"slices"
	"strings"

	"vcp.core/runtime/result"
)

// Match is what a rule looks for: one of the functions below makes it.
type Match interface {
	// compile notes in the rule what it looks for, and returns what is wrong with it, "" for nothing.
	compile(r *rule) (problem string)
}

type match func(r *rule) string

func (m match) compile(r *rule) string { return m(r) }

// rule is a compiled rule.
type rule struct {
	Rule
	within   uint32 // a bit for each member of the result
	pointers [][]string
	keys     []string
	find     *finder
	urls     []string
	kinds    []string
	roles    []string
	level    int // 1 and the index of a classification, 0 for none
}

func within(members []result.Member) uint32 {
	if members == nil {
		return ^uint32(0)
	}
	set := uint32(0)
	for _, m := range members {
		set |= 1 << m
	}
	return set
}

// Pointers matches places of the result: JSON Pointers, in which * stands for one name or index and ** for any
// number of them. A value is hidden whole. Places that the protocol fixes (ids, status, times, codes) cannot
// be hidden: a pattern that names one is refused, one that meets it by * passes over it.
func Pointers(patterns ...string) Match {
	return match(func(r *rule) string {
		for _, p := range patterns {
			if !strings.HasPrefix(p, "/") {
				return "the pattern " + p + " is no JSON Pointer"
			}
			tokens := strings.Split(p[1:], "/")
			if len(tokens) > 60 {
				return "the pattern " + p + " is too long"
			}
			for i, t := range tokens {
				tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
			}
			if sp, exact := spotOf(tokens); exact && sp.whole == never {
				return "the place " + p + " is fixed by the protocol"
			}
			r.pointers = append(r.pointers, tokens)
		}
		return ""
	})
}

// Keys matches members of what a tool wrote (data, details, metadata, extensions) by their names: by the last
// words of a name, put together and in lower case. So "apikey" matches api_key, X-Api-Key and OpenAIApiKey, and
// "token" matches accessToken, but neither tokenCount nor maxTokens. Strings, numbers, arrays and objects are
// hidden whole; booleans stay, and so do numbers under a plural, which count. Under a name that ends with the
// word token only texts are hidden that can be a credential (eight characters or more, no white space; a bare
// token must hold a digit or be longer than twenty), and none of pagination and of language models, such as
// nextPageToken and stopToken.
//
// Without words, those of credentials are meant.
func Keys(words ...string) Match {
	return match(func(r *rule) string {
		if words == nil {
			words = credentialKeys
		}
		for _, w := range words {
			if w == "" || strings.ToLower(w) != w || strings.ContainsAny(w, "_-. ") {
				return "the word " + w + " must be in lower case and without separators"
			}
		}
		r.keys = slices.Clone(words)
		return ""
	})
}

// Credentials matches parts of texts that have the shape of a credential: keys with a well-known prefix and
// length, JSON Web Tokens, private keys in PEM, what follows Bearer and Basic, passwords and signatures in URLs.
func Credentials() Match { return match(func(r *rule) string { r.find = &credentials; return "" }) }

// LocalPaths matches parts of texts that are absolute paths of a file system.
func LocalPaths() Match { return match(func(r *rule) string { r.find = &localPaths; return "" }) }

// PrivateAddresses matches parts of texts that are addresses in a private network, or URLs that lead into one.
func PrivateAddresses() Match {
	return match(func(r *rule) string { r.find = &privateAddresses; return "" })
}

// ResourceURLs matches the URLs of resources with the given types of access: managed, external, ephemeral, or ""
// for those that do not say.
func ResourceURLs(access ...string) Match {
	return match(func(r *rule) string { r.urls = slices.Clone(access); return "" })
}

// ResourceKinds matches resources of the given kinds. They are taken out, and so is what refers to them.
func ResourceKinds(kinds ...string) Match {
	return match(func(r *rule) string { r.kinds = slices.Clone(kinds); return "" })
}

// ResourceRoles matches resources with the given roles. They are taken out, and so is what refers to them.
func ResourceRoles(roles ...string) Match {
	return match(func(r *rule) string { r.roles = slices.Clone(roles); return "" })
}

// levels are the classifications, weakest first.
var levels = []result.Classification{result.Public, result.Internal, result.Confidential, result.Restricted}

// Classified matches results of this classification and of those above. All that the tool said is hidden: its data,
// resources, hints and extensions, and the words of its errors and warnings; status and codes stay.
func Classified(least result.Classification) Match {
	return match(func(r *rule) string {
		if r.level = slices.Index(levels, least) + 1; r.level == 0 {
			return "there is no classification " + string(least)
		}
		return ""
	})
}

// The scopes that the rules of [Default] ask for.
const (
	ScopeSecrets      = "secrets:read"
	ScopeConfidential = "results:confidential"
	ScopeRestricted   = "results:restricted"
)

// incidental are the members in which a path or an address stands by accident. In data it is what was asked for.
var incidental = []result.Member{result.Warnings, result.Error, result.Presentation, result.AIAdvice, result.Extensions, result.Resources}

// Default are the rules that a runtime starts with. They hide from everybody what has the shape or the name
// of a credential (people and workflows may be granted the latter: a tool that makes passwords is of no use
// else), from models and bridges what tells about the machine, and temporary URLs from the record, which
// outlives them. Paths and addresses in data stay: a tool that lists files answers with paths.
func Default() []Rule {
	outside := []Consumer{AI, Bridge}
	return []Rule{
		{Name: "credential", Match: Credentials()},
		{Name: "credential-key", Consumers: []Consumer{AI, Bridge, Audit}, Match: Keys()},
		{Name: "credential-key", Consumers: []Consumer{Human, Workflow}, Scope: ScopeSecrets, Match: Keys()},
		{Name: "local-path", Consumers: outside, Within: incidental, Match: LocalPaths()},
		{Name: "private-address", Consumers: outside, Within: incidental, Match: PrivateAddresses()},
		{Name: "temporary-url", Consumers: []Consumer{Audit}, Match: ResourceURLs("ephemeral")},
		{Name: "confidential", Consumers: outside, Scope: ScopeConfidential, Match: Classified(result.Confidential)},
		{Name: "restricted", Scope: ScopeRestricted, Match: Classified(result.Restricted)},
	}
}

// Strict are the rules of [Default], with paths and addresses hidden in data, too.
func Strict() []Rule {
	rules := Default()
	for i := range rules {
		rules[i].Within = nil
	}
	return rules
}

// states are the progress of a place through the patterns of a rule: a bit for each token that may come next.
type states []uint64

// begin is the progress of the root.
func begin(patterns [][]string) states {
	s := make(states, len(patterns))
	for i, p := range patterns {
		s[i] = closure(p, 1)
	}
	return s
}

// closure adds that ** may stand for nothing.
func closure(pattern []string, set uint64) uint64 {
	for i, token := range pattern {
		if token == "**" && set>>i&1 == 1 {
			set |= 1 << (i + 1)
		}
	}
	return set
}

// step appends the progress after one more token to next and reports whether a pattern matches there, and
// whether one can match below.
func (s states) step(patterns [][]string, token []byte, next states) (out states, here, below bool) {
	for i, p := range patterns {
		set := uint64(0)
		for k, want := range p {
			if s[i]>>k&1 == 0 {
				continue
			}
			switch {
			case want == "**":
				set |= 1 << k
			case want == "*" || want == string(token):
				set |= 1 << (k + 1)
			}
		}
		set = closure(p, set)
		here = here || set>>len(p)&1 == 1
		below = below || set&(1<<len(p)-1) != 0
		next = append(next, set)
	}
	return next, here, below
}
