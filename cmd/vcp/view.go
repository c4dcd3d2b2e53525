package main

import (
	"fmt"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/result"
)

// projecting says how a view is made.
type projecting struct {
	view   view.Name
	budget *int        // characters of the ai view; nil: its default
	json   bool        // the ai view as JSON, with what it leaves out
	ports  []call.Port // what the command's schema says about data, nil when unknown
}

// project makes a view of a result. Who runs this program on his own machine may see everything in the view canonical.
func (p projecting) project(s *result.Sealed) (string, error) {
	o := view.Options{JSON: p.json, Ports: p.ports}
	if p.budget != nil {
		o.Budget = wire.Some(*p.budget)
	}
	return view.Project(s, p.view, view.Reader{Admin: p.view == view.Canonical}, o)
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
