package link_test

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"vcp.core/runtime/keeper/link"
)

// message is any of them.
type message interface{ Bytes() []byte }

// some returns a message at random.
func some(r *rand.Rand) message {
	number := func() uint64 { return r.Uint64() >> r.IntN(64) }
	text := func() string { return strings.Repeat(string(rune(r.IntN(0x2000))), r.IntN(5)) }
	texts := func() []string {
		list := make([]string, r.IntN(4))
		for i := range list {
			list[i] = text()
		}
		return list
	}
	switch r.IntN(5) {
	case 0:
		return &link.Hello{Version: number(), PID: number(), Namespace: r.IntN(2) == 0, Children: r.IntN(2) == 0}
	case 1:
		limits := make([]link.Limit, r.IntN(3))
		for i := range limits {
			limits[i] = link.Limit{Resource: number(), Soft: number(), Hard: number()}
		}
		return &link.Spawn{ID: number(), File: text(), Dir: text(), Argv: texts(), Env: texts(), Limits: limits, NoNewPrivs: r.IntN(2) == 0, DropCaps: number(), Confined: r.IntN(2) == 0}
	case 2:
		return &link.Signal{ID: number(), Number: number()}
	case 3:
		return &link.Started{ID: number(), Errno: number()}
	default:
		return &link.Ended{ID: number(), Status: number()}
	}
}

// A message is read as it was written; nothing shorter and nothing longer is a message.
func TestMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		m := some(r)
		b := m.Bytes()
		if int(binary.BigEndian.Uint32(b)) != len(b)-4 {
			t.Fatalf("%+v: the length is wrong", m)
		}
		if got, err := link.Decode(b[4:]); err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("%+v became %+v, %v", m, got, err)
		}
		for cut := 4; cut < len(b); cut++ {
			if got, err := link.Decode(b[4:cut]); err == nil {
				t.Fatalf("%+v, cut, is %+v", m, got)
			}
		}
		if _, err := link.Decode(append(b, 0)[4:]); err == nil {
			t.Fatalf("%+v and more is a message", m)
		}
	}
}

// Decode takes memory in proportion to what it is given, and never panics.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		f.Add(some(r).Bytes()[4:])
	}
	f.Add([]byte{byte(link.KindSpawn), 1, 1, 'a', 1, 'b', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := link.Decode(b)
		if err != nil {
			return
		}
		again, err := link.Decode(m.(message).Bytes()[4:])
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("%+v became %+v, %v", m, again, err)
		}
	})
}
