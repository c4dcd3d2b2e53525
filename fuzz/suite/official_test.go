package suite_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
)

// The required files of the official suite: every case is judged as the specification says.
func TestOfficialSuite(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite")
	remotes, err := suite.ReadRemotes(filepath.Join(root, "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dialect suite.Dialect
		cases   int
	}{{suite.Draft2020, 1299}, {suite.Draft2019, 1259}, {suite.Draft07, 927}} {
		files, err := suite.Read(filepath.Join(root, "tests", string(c.dialect)))
		if err != nil {
			t.Fatal(err)
		}
		if got := suite.Count(files); got != c.cases {
			t.Errorf("%s has %d cases, want %d", c.dialect, got, c.cases)
		}
		rep := suite.Run(ours.Engine, c.dialect, files, remotes.Of(c.dialect))
		if err := rep.Write(os.Stdout); err != nil {
			t.Fatal(err)
		}
		for _, m := range rep.Misses {
			t.Errorf("%s: %s", c.dialect, m)
		}
	}
}

// The optional files that are not about formats. What is left is listed in docs/deviations.md.
func TestOptionalSuite(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite")
	remotes, err := suite.ReadRemotes(filepath.Join(root, "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	remotes = remotes.Among(suite.Draft2020, suite.Draft2019, suite.Draft07)
	for d, want := range map[suite.Dialect]suite.Row{
		suite.Draft2020: {File: "total", Cases: 162, Passed: 162},
		suite.Draft2019: {File: "total", Cases: 158, Passed: 158},
		suite.Draft07:   {File: "total", Cases: 118, Passed: 114, Failed: 4},
	} {
		files, err := suite.Read(filepath.Join(root, "tests", string(d), "optional"))
		if err != nil {
			t.Fatal(err)
		}
		rep := suite.Run(ours.Options{Dependencies: true}.Engine, d, files, remotes)
		if rep.Total() != want {
			t.Errorf("%s: %+v, want %+v", d, rep.Total(), want)
		}
		for _, m := range rep.Misses {
			if d != suite.Draft07 || m.File != "content.json" {
				t.Errorf("%s: %s", d, m)
			}
		}
		// Without the switch dependencies is an annotation.
		strict := suite.Run(ours.Engine, d, files, remotes)
		if lost := strict.Total().Failed - want.Failed; d == suite.Draft07 && lost != 0 || d != suite.Draft07 && lost != 14 {
			t.Errorf("%s: without the switch %d more cases fail", d, lost)
		}
	}
}

// The same verdicts when the schema of a case stands in another place.
func TestWrappedSuite(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite")
	remotes, err := suite.ReadRemotes(filepath.Join(root, "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	const group = "urn:suite:wrapped"
	for _, w := range suite.Wrappings {
		engine := func(d suite.Dialect, schema []byte, remotes suite.Remotes) (suite.Judge, error) {
			all := maps.Clone(remotes)
			all[group] = schema
			judge, err := ours.Engine(d, w.Schema(group), all)
			if err != nil {
				return nil, err
			}
			return func(document []byte) (bool, error) { return judge(w.Document(document)) }, nil
		}
		for _, d := range []suite.Dialect{suite.Draft2020, suite.Draft2019, suite.Draft07} {
			files, err := suite.Read(filepath.Join(root, "tests", string(d)))
			if err != nil {
				t.Fatal(err)
			}
			rep := suite.Run(engine, d, files, remotes.Of(d))
			for _, m := range rep.Misses {
				t.Errorf("%s: %s: %s", w.Name, d, m)
			}
			t.Logf("live %-12s %-14s %5d of %d", w.Name, d, rep.Total().Passed, rep.Total().Cases)
		}
	}
}
