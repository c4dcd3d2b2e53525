package fuzz

import (
	"context"
	"time"

	"vcp.core/gen/sample"
)

// Finding is a fault with what shows it.
type Finding struct {
	Tool    string
	Command string
	Fault
	Arguments []byte // as small as they got
	Original  []byte // as they were made
	Seed      uint64 // that makes the original
	Result    string // of the small ones
	// Times is how often the fault was met, before it was looked into.
	Times int
	// Repeats says that the same call showed the same fault a second time. Only then are the arguments made small.
	Repeats bool
	// Minimal says that nothing more can be left out of the arguments.
	Minimal bool
}

// A finding is made small with so many calls of the plugin and in so much time; candidates that the runtime refuses
// are cheap.
const (
	maxSteps      = 20_000
	maxCalls      = 300
	maxShrinkTime = 20 * time.Second
)

// found takes a finding in, if it is a new one, and makes its arguments small.
func (f *fuzzer) found(ctx context.Context, c *command, n *Finding) {
	key := n.Command + " " + n.key()
	if known := f.known[key]; known != nil {
		known.Times++
		return
	}
	n.Times = 1
	f.known[key] = n
	f.report.Findings = append(f.report.Findings, n)
	began := time.Now()
	defer func() { f.paused += time.Since(began) }()
	same := func(doc []byte) bool {
		o := f.call(ctx, c, doc)
		fault := check(c.spec, o, f.Secrets)
		if fault == nil || fault.key() != n.key() || ctx.Err() != nil {
			return false
		}
		n.Fault, n.Arguments, n.Result = *fault, doc, o.text
		return true
	}
	if n.Repeats = same(n.Original); !n.Repeats {
		return
	}
	calls := f.report.Calls
	cut := false
	_, minimal := sample.Shrink(n.Original, maxSteps, func(doc []byte) bool {
		if f.report.Calls-calls >= maxCalls || time.Since(began) > maxShrinkTime || ctx.Err() != nil {
			cut = true
			return false
		}
		return same(doc)
	})
	n.Minimal = minimal && !cut
}
