package wire

import (
	"errors"
	"strings"
	"testing"

	"vcp.core/contract/errcode"
)

// wide is a type of which a value takes far more than its text.
type wide [1000]string

func readWide(*wide, *Tape, int) {}

// A value that is out of proportion to its document is refused where it outgrows its room, whatever grows;
// one that fits is read, and so is any value outside of Decode.
func TestRoom(t *testing.T) {
	objects := strings.TrimSuffix(strings.Repeat(`{"b":0},`, 5_000), ",")
	var members strings.Builder
	for i := range 5_000 {
		members.WriteString(`,"` + strings.Repeat("m", i/100+1) + string(rune('a'+i%100)) + `":0`)
	}
	tests := []struct {
		name, doc string
		offset    int // of what is refused, -1 for nothing
		read      func(t *Tape)
	}{
		{"a list", `{"a":[` + objects + `]}`, 5, func(t *Tape) { ReadList(new([]wide), t, 2, readWide) }},
		{"a list that fits", `{"a":[0,0]}`, -1, func(t *Tape) { ReadList(new([]wide), t, 2, readWide) }},
		{"a list of bytes", `{"a":[` + objects + `]}`, -1, func(t *Tape) { ReadList(new([]bool), t, 2, func(*bool, *Tape, int) {}) }},
		{"the rest of a list", `[1,` + objects + `]`, 0, func(t *Tape) { ReadRest(new([]wide), t, 0, 1, readWide) }},
		{"no rest of a list", `[1]`, -1, func(t *Tape) { ReadRest(new([]wide), t, 0, 2, readWide) }},
		{"entries", `{"x":0` + members.String() + `}`, 0, func(t *Tape) { ReadEntries(new(Entries[wide]), t, 0, readWide) }},
		{"entries one by one", `{"x":0` + members.String() + `}`, 71_758, func(t *Tape) {
			var list Entries[wide]
			for m := t.Members(0); m.Next(); {
				ReadEntry(&list, t, m.Name, readWide)
			}
		}},
		{"pointers", `[` + objects + `]`, 1 + 8*4354, func(t *Tape) {
			for e := t.FirstChild(0); e < t.Next(0); e = t.Next(e) {
				New[wide](t, e)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Decode([]byte(tt.doc), func(*Judge, int) bool { return true }, new(Rules), tt.read)
			if tt.offset < 0 {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			limit := roomAnyhow + roomPerByte*len(tt.doc)
			if e, ok := errors.AsType[*Error](err); !ok || e.Reason != errcode.LimitBytes || e.Offset != tt.offset || e.Limit != limit {
				t.Errorf("got %v, want LIMIT_BYTES of %d at %d", err, limit, tt.offset)
			}
			var tape Tape
			if err := tape.Scan([]byte(tt.doc), Limits{}); err != nil {
				t.Fatal(err)
			}
			if tt.name == "a list" {
				tt.read(&tape) // nobody gave it a limit
			}
		})
	}
}

// A mistake of a reader is not taken for a lack of room.
func TestPanicOfAReader(t *testing.T) {
	defer func() {
		if r := recover(); r != "mistake" {
			t.Errorf("recovered %v", r)
		}
	}()
	_ = Decode([]byte(`1`), func(*Judge, int) bool { return true }, new(Rules), func(*Tape) { panic("mistake") })
	t.Error("no panic")
}
