package schedulemanager_test

import (
	"context"
	"slices"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/gen/manifest"
	contract "vcp.core/generated/plugins/schedulemanager"
	schedulemanager "vcp.core/plugins/ScheduleManager"
	"vcp.core/runtime"
	"vcp.core/runtime/plugintest"
)

// bench is a runtime with the plugin in it, on a folder of its own.
type bench struct {
	*runtime.Runtime
	plugin *schedulemanager.Plugin
}

func newBench(t testing.TB, dir string) *bench {
	t.Helper()
	return newBenchOf(t, call.TableOf(contract.Contract()), dir)
}

// newBenchOf is newBench for another registry than the generated one.
func newBenchOf(t testing.TB, registry call.Registry, dir string) *bench {
	t.Helper()
	b := &bench{plugin: new(schedulemanager.Plugin)}
	b.Runtime = runtime.New(registry, runtime.Bind(contract.Tool, contract.Bind(b.plugin)), runtime.DataDir(dir))
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := b.plugin.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// call runs a command, holds the result against the protocol and decodes it.
func (b *bench) call(t testing.TB, command, arguments string) map[string]any {
	t.Helper()
	return plugintest.Call(t, b, contract.Tool, command, arguments)
}

// The cases hold for the generated contract and for the manifest as it is read at run time.
func TestContractCases(t *testing.T) {
	commands := []string{"CreateSchedule", "ListSchedules", "UpdateSchedule", "DeleteSchedule"}
	t.Run("generated", func(t *testing.T) {
		plugintest.Run(t, "cases", contract.Tool, commands, func(t *testing.T) call.Executor { return newBench(t, t.TempDir()) })
	})
	t.Run("live", func(t *testing.T) {
		plugintest.Run(t, "cases", contract.Tool, commands, func(t *testing.T) call.Executor { return newBenchOf(t, live(t), t.TempDir()) })
	})
}

// live is the registry that is made of the manifest at run time.
func live(t testing.TB) *manifest.Catalog {
	t.Helper()
	catalog, list := manifest.Load(manifest.FileName)
	if len(list) > 0 {
		t.Fatalf("findings: %v", list)
	}
	return catalog
}

// The manifest has no findings and matches the code.
func TestManifest(t *testing.T) {
	p := live(t).Plugin(contract.Tool)
	if p.Name != contract.Tool || p.Transport != manifest.Direct || p.Kind != call.Synchronous || !p.FormatAssertion {
		t.Errorf("plugin %+v", p)
	}
	effects := map[string]call.Effect{"CreateSchedule": call.Write, "ListSchedules": call.Read, "UpdateSchedule": call.Idempotent, "DeleteSchedule": call.Destructive}
	for _, s := range p.Specs() {
		if s.Effect != effects[s.Command] || !s.SuppliesDiscriminator || len(s.Presentation) == 0 || len(s.Advice) == 0 {
			t.Errorf("spec of %s: %+v", s.Command, s)
		}
		knows := slices.Contains(s.ErrorCodes, string(contract.CodeScheduleNotFound))
		if needs := s.Command == "UpdateSchedule" || s.Command == "DeleteSchedule"; knows != needs {
			t.Errorf("%s declares %v", s.Command, s.ErrorCodes)
		}
		delete(effects, s.Command)
	}
	if len(effects) > 0 {
		t.Errorf("the manifest lacks %v", effects)
	}
}
