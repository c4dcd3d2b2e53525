package peers

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"vcp.core/fuzz/peers/corpus"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
)

// The schemas of the official suite use every keyword in small combinations that real schemas lack. The
// suite's own cases say how a handful of documents is judged by each; here mutants of those cases are
// judged by live, by generated code and by v6. Generated
// code is asked where the emitter can make it.
func TestDifferentialOnSuite(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite")
	all, err := suite.ReadRemotes(filepath.Join(root, "remotes"))
	if err != nil {
		t.Fatal(err)
	}
	child := oracle.Start(t, 10*time.Second)
	for _, d := range []suite.Dialect{suite.Draft2020, suite.Draft2019, suite.Draft07} {
		remotes := all.Of(d)
		files, err := suite.Read(filepath.Join(root, "tests", string(d)))
		if err != nil {
			t.Fatal(err)
		}
		total := row{}
		var gen generated
		for _, f := range files {
			for _, g := range f.Groups {
				s := corpus.Subject{Name: string(d) + "/" + f.Name + ": " + g.Description, URI: "urn:suite:group", Dialect: string(d)}
				s.Documents = map[string][]byte{s.URI: g.Schema}
				maps.Copy(s.Documents, remotes)
				for _, c := range g.Cases {
					s.Instances = append(s.Instances, c.Data)
				}
				total.add(compare(t, child, &gen, s, plan{instances: 100, mutants: 60, seed: 1}))
			}
		}
		fmt.Printf("live against v6 on the schemas of %s: %d documents, %.0f %% valid, %d disagreements\n", d, total.documents, total.share(), total.disagreements)
		gen.check(t, "schemas of "+string(d))
	}
}
