package scicalculator_test

import (
	"context"
	"testing"

	"vcp.core/contract/call"
	contract "vcp.core/generated/plugins/scicalculator"
	"vcp.core/runtime"
	"vcp.core/runtime/plugintest"
)

// The cases hold for the generated contract and for the manifest as it is read at run time. The program runs once
// for each.
func TestContractCases(t *testing.T) {
	needsNode(t)
	var commands []string
	for _, s := range live(t).Specs() {
		commands = append(commands, s.Command)
	}
	handler := &program{before: map[string][]byte{}}
	for _, by := range []struct {
		name     string
		registry call.Registry
	}{{"generated", call.TableOf(contract.Contract())}, {"live", live(t)}} {
		t.Run(by.name, func(t *testing.T) {
			registry := linked(by.registry)
			plugintest.Run(t, "cases", contract.Tool, commands, func(t *testing.T) call.Executor {
				handler.t = t
				r := runtime.New(registry, runtime.Bind(contract.Tool, handler))
				t.Cleanup(func() {
					if err := r.Close(context.Background()); err != nil {
						t.Error(err)
					}
				})
				return r
			})
		})
	}
}

// linked returns the commands as if their handler were part of this program: the test itself is the transport.
func linked(registry call.Registry) call.Registry {
	var specs []*call.Spec
	for _, s := range registry.Specs() {
		direct := *s
		direct.Protocol = "direct"
		specs = append(specs, &direct)
	}
	return call.NewTable(specs)
}
