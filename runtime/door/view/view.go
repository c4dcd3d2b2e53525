// Package view shows results by the name of a view, which is how readers ask for a projection: policy decides what the
// reader may see, the presenter of the view does the rest.
//
// It holds no rule and no format of its own, and does no I/O.
package view

import (
	"fmt"
	"slices"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/presenters/ai"
	"vcp.core/presenters/audit"
	"vcp.core/presenters/bridge"
	"vcp.core/presenters/human"
	"vcp.core/runtime/policy"
	"vcp.core/runtime/result"
)

// Name names a projection, or the canonical result itself.
type Name string

// The views.
const (
	Canonical Name = "canonical"
	Human     Name = "human"
	AI        Name = "ai"
	Bridge    Name = "bridge"
	Audit     Name = "audit"
)

// Names are all views.
var Names = []Name{Canonical, Human, AI, Bridge, Audit}

// Known reports whether there is a view of the name.
func (n Name) Known() bool { return slices.Contains(Names, n) }

// consumers are the readers for whom policy decides what a view may show.
var consumers = map[Name]policy.Consumer{
	Canonical: policy.Human, Human: policy.Human, AI: policy.AI, Bridge: policy.Bridge, Audit: policy.Audit,
}

// UnknownError says that there is no view of a name.
type UnknownError struct{ Name Name }

// Error says it in a sentence.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no view %q; there are canonical, human, ai, bridge and audit", string(e.Name))
}

// HiddenError says that a result cannot be shown, because it would not be one any more.
type HiddenError struct{ Err error }

// Error says it in a sentence.
func (e *HiddenError) Error() string { return fmt.Sprintf("the result cannot be shown: %v", e.Err) }

// Unwrap returns the reason.
func (e *HiddenError) Unwrap() error { return e.Err }

// rules are what is hidden from whom.
var rules = mustPolicy()

func mustPolicy() *policy.Policy {
	p, err := policy.New(policy.Default()...)
	if err != nil {
		panic(err) // the default rules are code
	}
	return p
}

// Reader is who looks, apart from the view, which says what for.
type Reader struct {
	Admin  bool     // nothing is hidden from the views canonical and human
	Scopes []string // what the reader was granted
}

// Options say how a view is made. The zero Options are the defaults.
type Options struct {
	Budget wire.Opt[int] // characters of the view ai
	JSON   bool          // the view ai as JSON, with what it leaves out
	Ports  []call.Port   // what the command's schema says about data, nil when unknown
}

// MediaType is what a view is made of.
func (n Name) MediaType(o Options) string {
	if n == AI && !o.JSON {
		return "text/markdown; charset=utf-8"
	}
	return "application/json"
}

// Project makes a view of a result, without a newline at the end. The error is an [*UnknownError] or a [*HiddenError].
func Project(s *result.Sealed, n Name, r Reader, o Options) (string, error) {
	consumer, known := consumers[n]
	if !known {
		return "", &UnknownError{n}
	}
	v, err := visible(s, consumer, r)
	if err != nil {
		return "", err
	}
	switch n {
	case AI:
		projection := ai.Present(v, ai.Options{Vision: true, Outputs: o.Ports, MaxCharacters: o.Budget})
		if o.JSON {
			return string(projection.AppendJSON(nil)), nil
		}
		return projection.Text, nil
	case Bridge:
		return bridge.Present(v), nil
	case Audit:
		return audit.Present(v, audit.Origin{}), nil
	default:
		return human.Present(v), nil
	}
}

func visible(s *result.Sealed, c policy.Consumer, r Reader) (*result.Visible, error) {
	v, err := rules.For(s, policy.Reader{Consumer: c, Admin: r.Admin && c == policy.Human, Scopes: r.Scopes})
	if err != nil {
		return nil, &HiddenError{err}
	}
	return v, nil
}

// Resources are the resources of a result as the view canonical shows them to a reader, a JSON array: who reads the bytes of
// a resource must not get those of one that the result hides from him. The error is a [*HiddenError].
func Resources(s *result.Sealed, r Reader) (string, error) {
	v, err := visible(s, policy.Human, r)
	if err != nil {
		return "", err
	}
	return v.Member(result.Resources), nil
}

// PortsOf are the outputs that the command of a result declares, nil when the command is not known.
func PortsOf(registry call.Registry, s *result.Sealed) []call.Port {
	var t wire.Tape
	if t.Scan([]byte(s.Member(result.Tool)), wire.Limits{}) != nil {
		return nil
	}
	text := func(name string) string {
		if at, ok := t.Find(t.Root(), name); ok && t.Kind(at) == wire.KindString {
			return t.String(at)
		}
		return ""
	}
	if spec, _ := registry.Lookup(text("name"), text("command")); spec != nil {
		return spec.Outputs
	}
	return nil
}
