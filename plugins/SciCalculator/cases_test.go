package scicalculator_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"vcp.core/contract/call"
	contract "vcp.core/generated/plugins/scicalculator"
	"vcp.core/runtime"
	"vcp.core/runtime/plugintest"
	"vcp.core/runtime/transport"
	"vcp.core/runtime/transport/stdio"
)

// The cases hold for the generated contract and for the manifest as it is read at run time.
func TestContractCases(t *testing.T) {
	needsNode(t)
	catalog := live(t)
	var commands []string
	for _, s := range catalog.Specs() {
		commands = append(commands, s.Command)
	}
	program := stdio.Program{Dir: ".", Argv: catalog.Plugin(contract.Tool).Argv}
	remembering := &memory{
		Transport: stdio.New(map[string]stdio.Program{contract.Tool: program}, stdio.Environment(os.Environ())),
		before:    map[string]transport.Reply{},
	}
	for _, by := range []struct {
		name     string
		registry call.Registry
	}{{"generated", call.TableOf(contract.Contract())}, {"live", catalog}} {
		t.Run(by.name, func(t *testing.T) {
			plugintest.Run(t, "cases", contract.Tool, commands, func(t *testing.T) call.Executor {
				r := runtime.New(by.registry, runtime.Use("stdio", remembering))
				t.Cleanup(func() {
					if err := r.Close(context.Background()); err != nil {
						t.Error(err)
					}
				})
				return r
			})
		})
	}
	if remembering.started < 50 || remembering.started == remembering.asked {
		t.Errorf("%d calls, and %d processes for them", remembering.asked, remembering.started)
	}
}

// memory is a transport that answers a call which was made before without a process, so that several contracts
// judge a case at the price of one.
type memory struct {
	transport.Transport
	before         map[string]transport.Reply
	asked, started int
}

func (m *memory) Run(ctx context.Context, in call.Invocation, grace time.Duration) (transport.Reply, error) {
	m.asked++
	key := in.Command + string(in.Arguments)
	reply, ok := m.before[key]
	if !ok {
		m.started++
		var err error
		if reply, err = m.Transport.Run(ctx, in, grace); err != nil {
			return reply, err
		}
		m.before[key] = reply
	}
	reply.Payload = bytes.Clone(reply.Payload)
	return reply, nil
}
