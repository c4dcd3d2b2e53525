package peers

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/fuzz/random"
	"vcp.core/gen/resolve"
)

// Random schemas with unevaluatedProperties and unevaluatedItems among their keywords, in every combination that
// schemas written by people lack. PEERS_SCALE multiplies the schemas, PEERS_SEED is the first seed.
func TestRandomUnevaluated(t *testing.T) {
	child := oracle.Start(t, 10*time.Second)
	first := number(t, "PEERS_SEED", 1)
	const uri = "urn:random"
	judged, valid, undecided, wrong := 0, 0, 0, 0
	for seed := range number(t, "PEERS_SCALE", 1) * 2500 {
		m := random.New(uint64(first + seed))
		m.Unevaluated = true
		schema := []byte(m.Schema())
		judge, err := ours.Compile(ours.Schema{URI: uri, Documents: map[string][]byte{uri: schema}, Dialect: resolve.Draft2020})
		if err != nil {
			t.Fatalf("seed %d: %v: %s", first+seed, err, schema)
		}
		o := oracle.Schema{URI: uri, Documents: map[string]json.RawMessage{uri: schema}, Dialect: "draft2020-12"}
		if err := child.Load(o); err != nil {
			t.Fatalf("seed %d: %v: %s", first+seed, err, schema)
		}
		for range 10 {
			document := []byte(m.Document(3))
			verdict, err := judge.Document(document)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := child.Judge(document)
			if err != nil {
				t.Fatal(err)
			}
			if verdict == wire.Undecided || !answer.Decided() {
				undecided++
				continue
			}
			judged++
			if verdict == wire.Valid {
				valid++
			}
			if (verdict == wire.Valid) != (answer == oracle.Valid) {
				if wrong++; wrong <= 5 {
					t.Errorf("seed %d: v6 says %s, live differs: %s: %s", first+seed, answer, document, schema)
				}
			}
		}
	}
	fmt.Printf("live against v6 on random schemas with unevaluated*: %d documents, %d valid, %d disagreements, %d undecided\n", judged, valid, wrong, undecided)
	if judged < 10_000 || valid < judged/10 || judged-valid < judged/10 {
		t.Errorf("%d documents were compared, %d of them valid", judged, valid)
	}
}
