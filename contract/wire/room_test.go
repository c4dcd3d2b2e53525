package wire

import (
	"errors"
	"fmt"
	"runtime"
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
		{"entries one by one", `{"x":0` + members.String() + `}`, 4_984, func(t *Tape) {
			var list Entries[wide]
			for m := t.Members(0); m.Next(); {
				ReadEntry(&list, t, m.Name, readWide)
			}
		}},
		{"pointers", `[` + objects + `]`, 1 + 8*342, func(t *Tape) {
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

// arm is a union as generated code has it: an interface that holds structs.
type arm interface{ isArm() }

type wideArm struct{ Fields [100]Opt[string] }

func (wideArm) isArm() {}

// tree contains itself by a pointer, as generated code has it.
type tree struct {
	Fields [20]Opt[string]
	child  *tree
}

// A document of a megabyte takes less than 100 MB, tape and garbage included, whether its value is refused or
// read: whatever shape it has.
func TestRoomIsInProportion(t *testing.T) {
	const size = 1_000_000
	list := func(element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", size/(len(element)+1)), ",") + "]"
	}
	var members strings.Builder
	for i := 0; members.Len() < size; i++ {
		fmt.Fprintf(&members, `,"%x":0`, i)
	}
	chain := strings.Repeat(`{"c":`, 1000) + "{}" + strings.Repeat("}", 1000)
	var readTree func(v *tree, t *Tape, n int)
	readTree = func(v *tree, t *Tape, n int) {
		for m := t.Members(n); m.Next(); {
			v.child = New[tree](t, m.Value)
			readTree(v.child, t, m.Value)
		}
	}
	var kept any
	for name, tt := range map[string]struct {
		doc  string
		read func(t *Tape)
	}{
		"structs": {list("{}"), func(t *Tape) {
			v := new([]wide)
			kept = v
			ReadList(v, t, 0, readWide)
		}},
		"structs of the densest size": {list("{}"), func(t *Tape) {
			v := new([][11]Opt[string])
			kept = v
			ReadList(v, t, 0, func(*[11]Opt[string], *Tape, int) {})
		}},
		"arms of a union": {list("{}"), func(t *Tape) {
			v := new([]arm)
			kept = v
			ReadList(v, t, 0, func(x *arm, t *Tape, n int) {
				v := New[wideArm](t, n)
				*x = *v
			})
		}},
		"further members": {"{" + members.String()[1:] + "}", func(t *Tape) {
			v := new(Entries[[20]Opt[string]])
			kept = v
			for m := t.Members(0); m.Next(); {
				ReadEntry(v, t, m.Name, func(*[20]Opt[string], *Tape, int) {})
			}
		}},
		"chains of pointers": {list(chain), func(t *Tape) {
			v := new([]tree)
			kept = v
			ReadList(v, t, 0, readTree)
		}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Decode([]byte(tt.doc), func(*Judge, int) bool { return true }, new(Rules), tt.read)
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) / 1_000_000; took > 100 {
			t.Errorf("%s: %d bytes of document take %d MB (%v)", name, len(tt.doc), took, err)
		}
	}
	runtime.KeepAlive(kept)
}
