package result

import (
	"testing"

	"vcp.core/contract/wire"
)

// Members are found in whatever order they are asked for and stand, and what is not there is not found.
func TestObject(t *testing.T) {
	var tape wire.Tape
	if err := tape.Scan([]byte(`{"a":1,"b":{"a":2,"c":[3]},"\u0063":4,"":5}`), wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "1", "b": `{"a":2,"c":[3]}`, "c": "4", "": "5"}
	names := []string{"a", "b", "c", "", "d"}
	for _, first := range names {
		for _, second := range names {
			for _, third := range names {
				o := ObjectAt(&tape, tape.Root())
				for _, name := range []string{first, second, third} {
					at := o.Find(name)
					if value, there := want[name]; there != (at >= 0) || there && string(tape.Raw(at)) != value {
						t.Errorf("%q after %q and %q: node %d, want %s", name, first, second, at, value)
					}
				}
			}
		}
	}
	b, _ := tape.Find(tape.Root(), "b")
	for _, node := range []int{-1, 2, tape.Next(b) - 1} { // nothing, a number, an element
		o := ObjectAt(&tape, node)
		if at := o.Find("a"); at != -1 {
			t.Errorf("node %d has a member at %d", node, at)
		}
	}
	inner := ObjectAt(&tape, b)
	if at := inner.Find("c"); string(tape.Raw(at)) != "[3]" || inner.Find("") != -1 {
		t.Error("an inner object finds members of the outer one")
	}
	if s := SealOpen(full()); s.whole.v.Object(ID) != (Object{}) || s.whole.v.Object(0) != (Object{}) {
		t.Error("a member that is no object has members")
	}
}
