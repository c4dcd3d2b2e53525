package bench

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/peers/corpus"
	"vcp.core/fuzz/peers/oracle"
	"vcp.core/gen/resolve"
)

// realDocuments is how many instances of each shared schema one sample judges.
const realDocuments = 100

// BenchmarkRealRatios judges real instances by real schemas, live and v6 in turn on the same documents,
// and reports the ratio of the medians: from the form each engine validates, and from bytes. Formats are
// annotations on both sides.
func BenchmarkRealRatios(b *testing.B) {
	for _, s := range corpus.Real(b, corpus.Small) {
		b.Run(s.Name, func(b *testing.B) { realRatios(b, s) })
	}
}

func realRatios(b *testing.B, s corpus.Subject) {
	b.Helper()
	judge, err := ours.Compile(ours.Schema{URI: s.URI, Documents: s.Documents, Dialect: resolve.Draft07})
	if err != nil {
		b.Fatal(err)
	}
	by6, err := oracle.Compile(oracle.Schema{
		URI: s.URI, Documents: map[string]json.RawMessage{s.URI: s.Documents[s.URI]}, Dialect: s.Dialect, Formats: s.Formats,
	})
	if err != nil {
		b.Fatal(err)
	}
	docs := s.Instances[:min(realDocuments, len(s.Instances))]
	values, tapes := make([]any, len(docs)), make([]wire.Tape, len(docs))
	size := 0
	for i, doc := range docs {
		size += len(doc)
		if values[i], err = jsonschema.UnmarshalJSON(bytes.NewReader(doc)); err != nil {
			b.Fatal(err)
		}
		if err := tapes[i].Scan(doc, wire.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
	engines := []engine{
		{"live/tape", func() bool {
			for i := range tapes {
				if judge.Validator.Verdict(&tapes[i]) != wire.Valid {
					return false
				}
			}
			return true
		}},
		{"live/bytes", func() bool {
			for _, doc := range docs {
				if v, err := judge.Document(doc); err != nil || v != wire.Valid {
					return false
				}
			}
			return true
		}},
		{"v6/any", func() bool {
			for _, v := range values {
				if by6.Validate(v) != nil {
					return false
				}
			}
			return true
		}},
		{"v6/bytes", func() bool {
			for _, doc := range docs {
				v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
				if err != nil || by6.Validate(v) != nil {
					return false
				}
			}
			return true
		}},
	}
	at := medians(b, engines)
	b.ReportMetric(float64(at["live/bytes"].Nanoseconds())/float64(size), "live-ns/byte")
	b.ReportMetric(float64(at["v6/any"])/float64(at["live/tape"]), "v6-any/live-tape")
	b.ReportMetric(float64(at["v6/bytes"])/float64(at["live/bytes"]), "v6-bytes/live-bytes")
}

// medians runs all engines in turn, sample by sample, so that a busy machine slows them alike, and
// returns the median sample of each.
func medians(b *testing.B, engines []engine) map[string]time.Duration {
	b.Helper()
	samples := make([][]time.Duration, len(engines))
	for b.Loop() {
		for i, e := range engines {
			start := time.Now()
			if !e.judge() {
				b.Fatalf("%s: a document of the benchmark is not valid", e.name)
			}
			samples[i] = append(samples[i], time.Since(start))
		}
	}
	at := map[string]time.Duration{}
	for i, e := range engines {
		slices.Sort(samples[i])
		at[e.name] = samples[i][len(samples[i])/2]
	}
	return at
}
