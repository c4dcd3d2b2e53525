package live_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/ir"
	"vcp.core/gen/live"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
)

var dialects = map[suite.Dialect]resolve.Dialect{
	suite.Draft2020: resolve.Draft2020, suite.Draft2019: resolve.Draft2019, suite.Draft07: resolve.Draft07,
}

// The required files of the official suite, through the whole compiler.
func TestOfficialSuite(t *testing.T) {
	remotes, err := suite.ReadRemotes(shared.Path(t, "data", "json-schema-test-suite", "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	for d := range dialects {
		files, err := suite.Read(shared.Path(t, "data", "json-schema-test-suite", "tests", string(d)))
		if err != nil {
			t.Fatal(err)
		}
		report := suite.Run(engine(t), d, files, remotes.Of(d))
		for _, m := range report.Misses {
			t.Error(m)
		}
		total := report.Total()
		t.Logf("%s: %d of %d", d, total.Passed, total.Cases)
	}
}

func engine(t *testing.T) suite.Engine {
	registries := map[suite.Dialect]*resolve.Registry{}
	return func(d suite.Dialect, schema []byte, remotes suite.Remotes) (suite.Judge, error) {
		registry := registries[d]
		if registry == nil {
			var docs []resolve.Document
			for uri, src := range remotes {
				file, list := load.Parse(uri, src, wire.Limits{})
				if len(list) > 0 {
					return nil, fmt.Errorf("%v", list)
				}
				docs = append(docs, resolve.Document{URI: uri, File: file, Dialect: dialects[d]})
			}
			registry, _ = resolve.NewRegistry(docs...)
			registries[d] = registry
		}
		file, list := load.Parse("schema.json", schema, wire.Limits{})
		if len(list) > 0 {
			return nil, fmt.Errorf("%v", list)
		}
		root, list := resolve.Resolve(file, nil, resolve.Options{Registry: registry, Dialect: dialects[d]})
		if list.HasErrors() {
			return nil, fmt.Errorf("%v", list)
		}
		p, list := ir.Lower([]*resolve.Schema{root}, ir.Options{})
		if list.HasErrors() {
			return nil, fmt.Errorf("%v", list)
		}
		v := live.Compile(p).Root(0)
		return func(document []byte) (bool, error) {
			verdict, violations, err := v.Check(document, wire.Limits{})
			if err != nil {
				return false, err
			}
			checkLaws(t, strings.TrimSpace(string(document)), verdict, violations)
			checkOutput(t, v, string(document))
			if verdict == wire.Undecided {
				return false, errors.New("undecided")
			}
			return verdict == wire.Valid, nil
		}, nil
	}
}
