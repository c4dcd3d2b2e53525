package wire

import (
	"fmt"
	"testing"
	"time"

	"vcp.core/fuzz/shared"
)

// manyObjects is a list of that many objects and lists, and a scalar between them.
func manyObjects(n int) []string {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf(`{"id":%d,"at":[%d,"x%d"]}`, i, i*10, i%3), fmt.Sprintf(`[%d]`, i), fmt.Sprint(i))
	}
	return texts
}

// A value is found among many constants as among few: whatever its spelling and the order of its members.
func TestManyNestedConstants(t *testing.T) {
	texts := manyObjects(300)
	all := ConstantsOf(texts...)
	var tape Tape
	var scratch []byte
	find := func(c *Constants, doc string) int {
		if err := tape.Scan([]byte(doc), Limits{}); err != nil {
			t.Fatal(err)
		}
		return c.Find(&tape, 0, &scratch)
	}
	for i, text := range texts {
		alone := ConstantsOf("null", text)
		if got := find(all, text); got != i {
			t.Errorf("%s is found at %d, want %d", text, got, i)
		}
		if got := find(alone, texts[(i+3)%len(texts)]); got != -1 {
			t.Errorf("%s is found in %s", texts[(i+3)%len(texts)], text)
		}
	}
	for doc, want := range map[string]int{
		"{ \"at\" : [ 7e1 , \"\\u00781\" ] , \"id\" : 7.0 }": 21, `[7.00]`: 22, `7e0`: 23,
		`{"id":7,"at":[70,"x2"]}`: -1, `{"id":7,"at":["x1",70]}`: -1, `{"id":7}`: -1, `[7,7]`: -1, `[[7]]`: -1, `{}`: -1, `[]`: -1, `[300]`: -1,
		`{"id":7,"at":[70,"x1"],"more":1}`: -1,
	} {
		if got := find(all, doc); got != want {
			t.Errorf("%s is found at %d, want %d", doc, got, want)
		}
	}
	if allocs := testing.AllocsPerRun(100, func() { all.Find(&tape, 0, &scratch) }); allocs > 0 && !shared.Race {
		t.Errorf("looking up allocates %v times", allocs)
	}
}

// BenchmarkManyNestedConstants holds a look-up among 4,096 objects against one among 64.
func BenchmarkManyNestedConstants(b *testing.B) {
	var tape Tape
	if err := tape.Scan([]byte(`{"id":60,"at":[600,"x0"]}`), Limits{}); err != nil {
		b.Fatal(err)
	}
	few, many := ConstantsOf(manyObjects(64)...), ConstantsOf(manyObjects(4096)...)
	var scratch []byte
	find := func(c *Constants) time.Duration {
		began := time.Now()
		for range 1000 {
			if c.Find(&tape, 0, &scratch) < 0 {
				b.Fatal("not found")
			}
		}
		return time.Since(began)
	}
	find(few)
	find(many)
	var short, long time.Duration
	for b.Loop() {
		short += find(few)
		long += find(many)
	}
	b.ReportMetric(float64(long)/float64(short), "4096/64")
}
