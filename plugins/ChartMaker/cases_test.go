package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/gen/manifest"
	contract "vcp.core/generated/plugins/chartmaker"
	"vcp.core/runtime"
	"vcp.core/runtime/blob/disk"
	"vcp.core/runtime/plugintest"
	"vcp.core/runtime/transport/stdio"
)

// program is the variable that makes this test binary the plugin itself.
const program = "CHARTMAKER_PROGRAM=1"

func TestMain(m *testing.M) {
	if os.Getenv("CHARTMAKER_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The cases hold for the program, behind the generated contract and behind the manifest as it is read at run
// time.
func TestContractCases(t *testing.T) {
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	catalog, list := manifest.Load(manifest.FileName)
	if len(list) > 0 {
		t.Fatalf("findings: %v", list)
	}
	commands := []string{contract.CommandDrawLine, contract.CommandDrawBar, contract.CommandDrawScatter}
	for name, registry := range map[string]call.Registry{"generated": call.TableOf(contract.Contract()), "live": catalog} {
		t.Run(name, func(t *testing.T) {
			plugintest.Run(t, "cases", contract.Tool, commands, func(t *testing.T) call.Executor {
				data := t.TempDir()
				store, err := disk.New(filepath.Join(data, "resources"))
				if err != nil {
					t.Fatal(err)
				}
				r := runtime.New(registry, runtime.DataDir(data), runtime.Resources(store), runtime.Use(manifest.Stdio, stdio.New(map[string]stdio.Program{
					contract.Tool: {Dir: ".", Argv: []string{self}, Env: []string{program}},
				})))
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
