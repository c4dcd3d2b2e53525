package random_test

import (
	"bytes"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/random"
)

// Small documents over a tiny vocabulary are often equal, or differ in one place: Equal says what canonical forms say.
func TestEqual(t *testing.T) {
	equal, w := 0, random.NewWide(1)
	var list []*wire.Tape
	for range 1500 {
		tape := new(wire.Tape)
		if err := tape.Scan([]byte(w.Document(2)), wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		list = append(list, tape)
	}
	forms := make([][]byte, len(list))
	for i, tape := range list {
		forms[i] = wire.AppendCanonical(nil, tape, 0)
	}
	for i, a := range list {
		for j, b := range list {
			want := bytes.Equal(forms[i], forms[j])
			if wire.Equal(a, 0, b, 0) != want {
				t.Fatalf("%s and %s: want %t", a.Source(), b.Source(), want)
			}
			if want && a.Kind(0) >= wire.KindArray && i != j {
				equal++
			}
		}
	}
	if equal < 1000 {
		t.Errorf("%d equal pairs", equal)
	}
}
