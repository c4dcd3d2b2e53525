// Package vcp_test keeps the rules of the house: who may import whom, and what no file may contain.
package vcp_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "vcp.core/"

// rule says which packages of ours, and which foreign modules, a group of packages may reach,
// directly or through others. A prefix that ends in "/..." covers the folder and all below it.
type rule struct {
	group   string   // packages the rule is for
	except  []string // packages inside the group that have their own rule
	ours    []string // packages of ours that may be reached
	foreign []string // import path prefixes outside the standard library that may be reached
}

// The table is DESIGN's import rules, top to bottom.
var rules = []rule{
	{group: "contract/...", except: []string{"contract/openjson"}, ours: []string{"contract/..."}},
	{group: "contract/openjson", ours: []string{"contract/wire/...", "contract/errcode"},
		foreign: []string{"github.com/bytedance/", "github.com/klauspost/cpuid/", "github.com/twitchyliquid64/golang-asm", "github.com/cloudwego/base64x", "golang.org/x/arch/", "golang.org/x/sys/"}},
	{group: "gen", ours: []string{"contract/...", "gen/diag", "gen/load", "gen/resolve", "gen/ir", "gen/live", "gen/protocol", "gen/manifest", "gen/emit/golang"},
		foreign: []string{"github.com/dave/jennifer/"}},
	{group: "gen/...", except: []string{"gen", "gen/metacheck", "gen/emit/...", "gen/sample"},
		ours: []string{"contract/...", "gen/diag", "gen/load", "gen/resolve", "gen/ir", "gen/live", "gen/protocol", "gen/manifest"}},
	{group: "gen/sample", ours: []string{"contract/...", "gen/diag", "gen/load"}},
	{group: "gen/emit/...", ours: []string{"contract/...", "gen/diag", "gen/load", "gen/resolve", "gen/ir"},
		foreign: []string{"github.com/dave/jennifer/"}},
	{group: "gen/metacheck", ours: []string{"contract/...", "gen/diag", "gen/load"},
		foreign: []string{"github.com/santhosh-tekuri/jsonschema/v5"}},
	{group: "runtime/sdk", ours: []string{"contract/wire/...", "contract/call", "contract/errcode"}},
	{group: "runtime/...", except: []string{"runtime/sdk", "runtime/store/...", "runtime/meter/...", "runtime/door/http"}, ours: []string{"contract/...", "runtime/...", "presenters/...", "generated/protocol/...",
		"gen/diag", "gen/load", "gen/resolve", "gen/ir", "gen/live", "gen/protocol", "gen/manifest"},
		foreign: []string{"github.com/gabriel-vasile/mimetype"}},
	{group: "runtime/door/http", ours: []string{"contract/...", "runtime/...", "presenters/...", "generated/protocol/...",
		"gen/diag", "gen/load", "gen/resolve", "gen/ir", "gen/live", "gen/protocol", "gen/manifest"},
		foreign: []string{"github.com/danielgtaylor/huma/v2", "github.com/gabriel-vasile/mimetype"}},
	{group: "runtime/meter/prometheus", ours: []string{"contract/...", "runtime/...", "presenters/...", "generated/protocol/...",
		"gen/diag", "gen/load", "gen/resolve", "gen/ir", "gen/live", "gen/protocol", "gen/manifest"},
		foreign: []string{"github.com/prometheus/", "github.com/beorn7/perks/", "github.com/cespare/xxhash/", "github.com/munnerz/goautoneg", "go.yaml.in/yaml/",
			"github.com/klauspost/compress", "google.golang.org/protobuf/", "golang.org/x/sys/", "github.com/gabriel-vasile/mimetype"}},
	{group: "runtime/store/internal/engine", ours: []string{"contract/...", "generated/protocol/...", "runtime/result", "runtime/record"},
		foreign: []string{"github.com/pressly/goose/v3", "github.com/mfridman/interpolate", "github.com/sethvargo/go-retry", "go.uber.org/multierr", "golang.org/x/sync/"}},
	{group: "runtime/store/sqlite", ours: []string{"contract/...", "generated/protocol/...", "runtime/result", "runtime/record", "runtime/filelock", "runtime/store/internal/engine", "runtime/store/sqlite/internal/frames"},
		foreign: []string{"github.com/pressly/goose/v3", "github.com/mfridman/interpolate", "github.com/sethvargo/go-retry", "go.uber.org/multierr", "golang.org/x/sync/",
			"modernc.org/", "golang.org/x/sys/", "github.com/google/uuid", "github.com/dustin/go-humanize", "github.com/mattn/go-isatty", "github.com/ncruces/go-strftime", "github.com/remyoudompheng/bigfft"}},
	{group: "runtime/store/sqlite/internal/frames", ours: []string{},
		foreign: []string{"modernc.org/", "golang.org/x/sys/", "github.com/google/uuid", "github.com/dustin/go-humanize", "github.com/mattn/go-isatty", "github.com/ncruces/go-strftime", "github.com/remyoudompheng/bigfft"}},
	{group: "runtime/store/postgres", ours: []string{"contract/...", "generated/protocol/...", "runtime/result", "runtime/record", "runtime/store/internal/engine"},
		foreign: []string{"github.com/pressly/goose/v3", "github.com/mfridman/interpolate", "github.com/sethvargo/go-retry", "go.uber.org/multierr", "golang.org/x/sync/",
			"github.com/jackc/", "golang.org/x/text/"}},
	{group: "runtime/store/storetest", ours: []string{"contract/...", "generated/protocol/...", "runtime/result", "runtime/record", "runtime/id"},
		foreign: []string{"github.com/anishathalye/porcupine"}},
	{group: "runtime/record/...", ours: []string{"contract/...", "generated/protocol/...", "runtime/result", "runtime/record/..."}},
	{group: "generated/...", except: []string{"generated/registry"}, ours: []string{"contract/wire/...", "contract/call", "contract/errcode", "generated/protocol/..."}},
	{group: "generated/registry", ours: []string{"contract/wire/...", "contract/call", "contract/errcode", "generated/protocol/...", "generated/plugins/..."}},
	{group: "presenters/...", ours: []string{"contract/...", "generated/protocol/...", "runtime/result", "presenters/..."}},
	{group: "docs/...", ours: []string{}},
	{group: "cmd/vcp-gen", ours: []string{"contract/...", "gen", "gen/...", "cmd/internal/generate"}, foreign: []string{"github.com/dave/jennifer/"}},
	{group: "cmd/vcp-keeper", ours: []string{"runtime/keeper/serve", "runtime/keeper/link"}},
	{group: "plugins/...", except: []string{"plugins/ChartMaker"}, ours: []string{"contract/...", "generated/...", "runtime/sdk", "runtime/id", "plugins/..."},
		foreign: []string{"modernc.org/", "golang.org/x/sys/", "github.com/google/uuid", "github.com/dustin/go-humanize", "github.com/mattn/go-isatty", "github.com/ncruces/go-strftime", "github.com/remyoudompheng/bigfft", "golang.org/x/exp/"}},
	{group: "plugins/ChartMaker", ours: []string{"contract/...", "generated/...", "runtime/sdk"},
		foreign: []string{"gonum.org/v1/plot", "golang.org/x/image/", "golang.org/x/text/", "golang.org/x/sys/", "github.com/golang/freetype/", "github.com/ajstarks/svgo",
			"codeberg.org/go-fonts/", "codeberg.org/go-latex/", "codeberg.org/go-pdf/", "git.sr.ht/~sbinet/gg"}},
}

// forbidden lists pairs that no rule above expresses: from must never reach to.
var forbidden = []struct{ from, to, why string }{
	{"gen/...", "vcp.core/contract/openjson", "the compiler judges bytes, not open values"},
	{"runtime/...", "vcp.core/gen/metacheck", "no foreign engine ever judges a call"},
	{"runtime/...", "vcp.core/gen/emit", "the runtime does not generate code"},
	{"runtime/...", "vcp.core/generated/plugins", "a runtime gets its registry, it brings none"},
	{"runtime/...", "vcp.core/generated/registry", "a runtime gets its registry, it brings none"},
	{"generated/...", "vcp.core/contract/openjson", "generated code judges bytes"},
	{"cmd/vcp-gen", "vcp.core/contract/openjson", "the compiler judges bytes, not open values"},
	{"cmd/vcp-gen", "vcp.core/gen/metacheck", "second opinions are for tests"},
	{"cmd/vcp-gen", "vcp.core/generated/", "it must build when what it writes is broken"},
	{"cmd/vcp-gen", "vcp.core/runtime", "it must build when the runtime is broken"},
	{"runtime/...", "vcp.core/runtime/store/", "adapters are linked by cmd only"},
	{"cmd/...", "vcp.core/runtime/store/storetest", "only tests run the suite"},
	{"runtime/transport/...", "github.com/gabriel-vasile/mimetype", "bytes in, bytes out, no meaning"},
	{"runtime/...", "vcp.core/runtime/blob/", "adapters are linked by cmd only"},
	{"runtime/...", "vcp.core/runtime/meter/", "adapters are linked by cmd only"},
	{"runtime/...", "vcp.core/runtime/door/http", "doors stand before the runtime, not in it"},
	{"runtime/...", "vcp.core/runtime/record/recordtest", "only tests keep records in memory"},
	{"cmd/...", "vcp.core/runtime/record/recordtest", "only tests keep records in memory"},
	{"runtime/keeper/serve", "net", "the keeper is small"},
	{"contract/...", "vcp.core/gen/", "contract is a leaf"},
}

type pkg struct {
	ImportPath string
	Standard   bool
	Deps       []string
}

// list runs go list -deps once and returns every package by import path.
func list(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Deps", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	all := map[string]pkg{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
	return all
}

// covers reports whether the pattern covers the package, both without the module prefix.
func covers(pattern, path string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == dir || strings.HasPrefix(path, dir+"/")
	}
	return pattern == path
}

func anyCovers(patterns []string, path string) bool {
	for _, p := range patterns {
		if covers(p, path) {
			return true
		}
	}
	return false
}

func TestImportRules(t *testing.T) {
	all := list(t)
	for _, r := range rules {
		for path, p := range all {
			rel, ours := strings.CutPrefix(path, module)
			if !ours || !covers(r.group, rel) || anyCovers(r.except, rel) {
				continue
			}
			for _, dep := range p.Deps {
				if all[dep].Standard || dep == path {
					continue
				}
				if d, ok := strings.CutPrefix(dep, module); ok {
					if !anyCovers(r.ours, d) {
						t.Errorf("%s must not reach %s", rel, d)
					}
				} else if !hasPrefix(dep, r.foreign) {
					t.Errorf("%s must not reach %s", rel, dep)
				}
			}
		}
	}
	for _, f := range forbidden {
		for path, p := range all {
			rel, ours := strings.CutPrefix(path, module)
			if !ours || !covers(f.from, rel) || strings.HasPrefix(path, f.to) {
				continue
			}
			for _, dep := range p.Deps {
				if strings.HasPrefix(dep, f.to) {
					t.Errorf("%s must not reach %s: %s", rel, dep, f.why)
				}
			}
		}
	}
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// TestImportRulesSeeAViolation proves that the matcher can fail.
func TestImportRulesSeeAViolation(t *testing.T) {
	if covers("contract/...", "contractual") || !covers("contract/...", "contract/wire") || covers("contract/openjson", "contract/openjson/x") {
		t.Fatal("covers is broken")
	}
	all := list(t)
	p, ok := all[module+"contract/openjson"]
	if !ok {
		t.Fatal("contract/openjson is not in the list")
	}
	if slices.Contains(p.Deps, "github.com/bytedance/sonic") {
		return
	}
	t.Fatal("go list -deps does not show that openjson reaches sonic, so it would not show it for others")
}
