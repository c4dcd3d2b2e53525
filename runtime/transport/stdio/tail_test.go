package stdio

import (
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	const all = "abcdefghijklmnopqrstuvwxyz"
	for size := 1; size <= 30; size++ {
		for piece := 1; piece <= 27; piece++ {
			kept := tail{size: size}
			for rest := all; rest != ""; {
				n := min(piece, len(rest))
				if wrote, err := kept.Write([]byte(rest[:n])); wrote != n || err != nil {
					t.Fatal(wrote, err)
				}
				rest = rest[n:]
			}
			want := all[max(0, len(all)-size):]
			if got := kept.String(); got != want || int(kept.lost) != len(all)-len(want) || cap(kept.buf) > 4*size+32 {
				t.Errorf("the last %d of pieces of %d: %q, %d lost, %d kept", size, piece, got, kept.lost, cap(kept.buf))
			}
		}
	}
	// What is kept does not grow with what is written.
	kept := tail{size: 100}
	for range 10_000 {
		_, _ = kept.Write([]byte(strings.Repeat("x", 77)))
	}
	if cap(kept.buf) > 400 || kept.lost+int64(len(kept.String())) != 770_000 {
		t.Errorf("%d bytes are held, %d lost", cap(kept.buf), kept.lost)
	}
}
