package process

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTail(t *testing.T) {
	const all = "abcdefghijklmnopqrstuvwxyz"
	for size := 1; size <= 30; size++ {
		for piece := 1; piece <= 27; piece++ {
			kept := Tail{Size: size}
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
	kept := Tail{Size: 100}
	for range 10_000 {
		_, _ = kept.Write([]byte(strings.Repeat("x", 77)))
	}
	if cap(kept.buf) > 400 || kept.lost+int64(len(kept.String())) != 770_000 {
		t.Errorf("%d bytes are held, %d lost", cap(kept.buf), kept.lost)
	}
}

// K34: the end of a text of wide characters, or of no text at all, is UTF-8 and no longer than the limit.
func TestTailOfWideCharacters(t *testing.T) {
	for size := 1; size <= 30; size++ {
		for _, all := range []string{strings.Repeat("😀", 20), strings.Repeat("世é", 20), strings.Repeat("\xff", 50), strings.Repeat("a\xff", 30), strings.Repeat("\x80", 50)} {
			kept := Tail{Size: size}
			_, _ = kept.Write([]byte(all))
			if got := kept.String(); len(got) > size || !utf8.ValidString(got) {
				t.Errorf("the last %d of %q: %q", size, all, got)
			}
		}
	}
	kept := Tail{Size: 10}
	_, _ = kept.Write([]byte("😀😀😀"))
	if got := kept.String(); got != "😀😀" {
		t.Errorf("kept %q", got)
	}
}
