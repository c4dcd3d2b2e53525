package peers

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	// The module is a peer; here its copy of the official suite is used, which go list finds.
	_ "github.com/google/jsonschema-go/jsonschema"

	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
)

// googleTestdata returns the testdata folder of google/jsonschema-go in the module cache.
func googleTestdata(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "jsonschema", "testdata")
}

// oracleEngine lets v6 take the place of the engine under test.
func oracleEngine(child *oracle.Child) suite.Engine {
	return func(d suite.Dialect, schema []byte, remotes suite.Remotes) (suite.Judge, error) {
		s := oracle.Schema{URI: "urn:suite:group", Dialect: string(d), Documents: map[string]json.RawMessage{"urn:suite:group": schema}}
		for uri, raw := range remotes {
			s.Documents[uri] = raw
		}
		if err := child.Load(s); err != nil {
			return nil, err
		}
		return func(document []byte) (bool, error) {
			switch a, err := child.Judge(document); {
			case err != nil:
				return false, err
			case !a.Decided():
				return false, errors.New(string(a))
			default:
				return a == oracle.Valid, nil
			}
		}, nil
	}
}

// The oracle must know the specification: it passes every case of both copies of the suite. That also
// shows that reader, remotes and tally are right, whatever the engine under test does.
func TestOracleKnowsTheSuites(t *testing.T) {
	child := oracle.Start(t, time.Minute)
	knows := func(t *testing.T, tests, remotesDir string, drafts ...suite.Dialect) {
		t.Helper()
		remotes, err := suite.ReadRemotes(remotesDir)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range drafts {
			files, err := suite.Read(filepath.Join(tests, string(d)))
			if err != nil {
				t.Fatal(err)
			}
			rep := suite.Run(oracleEngine(child), d, files, remotes.Of(d))
			for _, m := range rep.Misses {
				t.Errorf("%s: %s", d, m)
			}
			t.Logf("jsonschema v6.0.3 on %s: %d of %d", d, rep.Total().Passed, rep.Total().Cases)
		}
	}
	t.Run("google", func(t *testing.T) {
		dir := googleTestdata(t)
		knows(t, dir, filepath.Join(dir, "remotes"), suite.Draft2020, suite.Draft07)
	})
	t.Run("official", func(t *testing.T) {
		dir := shared.Path(t, "data", "json-schema-test-suite")
		knows(t, filepath.Join(dir, "tests"), filepath.Join(dir, "remotes"), suite.Draft2020, suite.Draft2019, suite.Draft07)
	})
}

// The copy of the official suite in google/jsonschema-go, as TestOfficialSuite judges the newest one.
func TestGoogleSuite(t *testing.T) {
	root := googleTestdata(t)
	remotes, err := suite.ReadRemotes(filepath.Join(root, "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dialect suite.Dialect
		cases   int
	}{{suite.Draft2020, 1099}, {suite.Draft07, 913}} {
		files, err := suite.Read(filepath.Join(root, string(c.dialect)))
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
