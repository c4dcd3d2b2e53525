package main

import (
	"fmt"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/presenters/ai"
	"vcp.core/presenters/audit"
	"vcp.core/presenters/bridge"
	"vcp.core/presenters/human"
	"vcp.core/runtime/policy"
	"vcp.core/runtime/result"
)

// view names a projection, or the canonical result itself.
type view string

// The views that --view takes.
const (
	viewCanonical view = "canonical"
	viewHuman     view = "human"
	viewAI        view = "ai"
	viewBridge    view = "bridge"
	viewAudit     view = "audit"
)

// consumers are the readers for whom policy decides what a view may show.
var consumers = map[view]policy.Reader{
	// Who runs this program on his own machine may see everything.
	viewCanonical: {Consumer: policy.Human, Admin: true},
	viewHuman:     {Consumer: policy.Human},
	viewAI:        {Consumer: policy.AI},
	viewBridge:    {Consumer: policy.Bridge},
	viewAudit:     {Consumer: policy.Audit},
}

// rules are what this program hides from whom.
var rules = mustPolicy()

func mustPolicy() *policy.Policy {
	p, err := policy.New(policy.Default()...)
	if err != nil {
		panic(err) // the default rules are code
	}
	return p
}

// projecting says how a view is made.
type projecting struct {
	view   view
	budget *int        // characters of the ai view; nil: its default
	json   bool        // the ai view as JSON, with what it leaves out
	ports  []call.Port // what the command's schema says about data, nil when unknown
}

// project makes a view of a result.
func (p projecting) project(s *result.Sealed) (string, error) {
	v, err := rules.For(s, consumers[p.view])
	if err != nil {
		return "", fmt.Errorf("the result cannot be shown: %w", err)
	}
	switch p.view {
	case viewAI:
		o := ai.Options{Vision: true, Outputs: p.ports}
		if p.budget != nil {
			o.MaxCharacters = wire.Some(*p.budget)
		}
		projection := ai.Present(v, o)
		if p.json {
			return string(projection.AppendJSON(nil)), nil
		}
		return projection.Text, nil
	case viewBridge:
		return bridge.Present(v), nil
	case viewAudit:
		return audit.Present(v, audit.Origin{}), nil
	default:
		return human.Present(v), nil
	}
}

// show writes a view of a result, and a newline.
func (a *app) show(s *result.Sealed, p projecting) error {
	text, err := p.project(s)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, text)
	return err
}

// portsOf are the outputs that the command of a result declares, nil when the command is not known.
func portsOf(registry call.Registry, tool, command string) []call.Port {
	if spec, _ := registry.Lookup(tool, command); spec != nil {
		return spec.Outputs
	}
	return nil
}
