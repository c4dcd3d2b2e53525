package suite_test

import (
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
