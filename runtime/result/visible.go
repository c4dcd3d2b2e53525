package result

import (
	"io"
	"slices"
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

// Visible is a result as one reader may see it: what policy left of a [Sealed]. It is the only thing that
// presenters take, so that nobody can present a result that no policy has looked at. It is immutable and
// safe for concurrent use.
type Visible struct {
	sealed *Sealed   // the text that the reader may see, with its spans
	tape   wire.Tape // of that text
	nodes  [memberCount]uint32
	hidden []string // ids of resources, sorted
}

// whole is what Open made of a result, or SealOpen.
type whole struct {
	once sync.Once
	v    *Visible
	err  error
}

// Open returns the Visible that hides nothing: it hands out the very bytes of the result. It is made once and lives as
// long as the result, which its record and every reader without restrictions share. The error is a [*wire.Error], when
// bytes were sealed that are no JSON value.
func Open(s *Sealed) (*Visible, error) {
	s.whole.once.Do(func() { s.whole.v, s.whole.err = open(s) })
	return s.whole.v, s.whole.err
}

// scans are tapes with scratch from earlier scans.
var scans = sync.Pool{New: func() any { return new(wire.Tape) }}

// scan makes a tape of a result that is as large as it has to be.
func scan(text []byte) (wire.Tape, error) {
	t := scans.Get().(*wire.Tape)
	defer func() {
		t.Reset()
		scans.Put(t)
	}()
	err := t.Scan(text, limits(len(text)))
	return t.Kept(), err
}

func open(s *Sealed) (*Visible, error) {
	tape, err := scan(thaw(s.text))
	if err != nil {
		return nil, err
	}
	v := &Visible{sealed: s, tape: tape}
	if err := v.locate(); err != nil {
		return nil, err
	}
	return v, nil
}

// locate notes where the members are, which must be those of a result in their order: bytes that were sealed and are no
// JSON value may end theirs and begin another.
func (v *Visible) locate() error {
	t, m := &v.tape, Protocol
	for i := t.Members(t.Root()); i.Next(); m++ {
		if m == memberCount || !t.NameEqual(i.Name, m.String()) {
			return &wire.Error{Offset: int(t.Node(i.Name).Start), Detail: "this is not the next member of a result"}
		}
		v.nodes[m] = uint32(i.Value)
	}
	if m != memberCount {
		return &wire.Error{Offset: int(t.Node(t.Root()).End), Detail: "members of the result are missing"}
	}
	return nil
}

// Restrict makes a Visible of what policy left of a result: text is the whole result again, compact and with
// its members in order, hidden are the ids of the resources that were taken out. The Visible owns text. The
// error is a [*wire.Error] or a [*wire.Rejection]: what breaks the result schema is shown to nobody.
func Restrict(text []byte, hidden []string) (*Visible, error) {
	tape, err := scan(text)
	if err != nil {
		return nil, err
	}
	s := &Sealed{}
	v := &Visible{sealed: s, tape: tape, hidden: slices.Sorted(slices.Values(hidden))}
	t := &v.tape
	if err := v1.JudgeResult(t); err != nil {
		return nil, err
	}
	if err := v.locate(); err != nil {
		return nil, err
	}
	s.text = freeze(text)
	for m := Protocol; m < memberCount; m++ {
		at := v.At(m)
		s.spans[m] = span{t.Node(at).Start, t.Node(at).End}
	}
	s.id, s.status = t.String(v.At(ID)), call.Status(t.String(v.At(Status)))
	if failed := v.At(Error); t.Kind(failed) == wire.KindObject {
		code, _ := t.Find(failed, "code")
		s.code = t.String(code)
	}
	return v, nil
}

// maxSeen is how many visibles a result remembers: a few sorts of readers under one policy.
const maxSeen = 8

// seen are the visibles that were made of a result, oldest first.
type seen struct {
	mu   sync.Mutex
	list []sighting
}

type sighting struct {
	by    any
	class uint64
	v     *Visible
}

// Visible returns what open made of the result for this policy, by, and this class of readers, and calls open
// when it did not happen yet or was forgotten. What was made lives as long as the result, at most maxSeen of
// them. An error is not remembered. by must be comparable; open must not call Visible.
func (s *Sealed) Visible(by any, class uint64, open func(*Sealed) (*Visible, error)) (*Visible, error) {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	for i := range s.seen.list {
		if e := &s.seen.list[i]; e.class == class && e.by == by {
			return e.v, nil
		}
	}
	v, err := open(s)
	if err != nil {
		return nil, err
	}
	if len(s.seen.list) == maxSeen {
		s.seen.list = slices.Delete(s.seen.list, 0, 1)
	}
	s.seen.list = append(s.seen.list, sighting{by, class, v})
	return v, nil
}

// limits are those of a scan of a result: it holds a payload that was within the limits, and more around it.
func limits(size int) wire.Limits {
	l := wire.DefaultLimits()
	l.Bytes, l.Nodes, l.Depth = max(l.Bytes, size), max(l.Nodes, size), 2*l.Depth
	return l
}

// Tape is the scanned text of the whole result. It must only be read.
func (v *Visible) Tape() *wire.Tape { return &v.tape }

// At returns the node of a top-level member, -1 when m is none of the constants.
func (v *Visible) At(m Member) int {
	if m <= 0 || m >= memberCount {
		return -1
	}
	return int(v.nodes[m])
}

// Member returns the compact JSON of a top-level member, "" when m is none of the constants.
func (v *Visible) Member(m Member) string { return v.sealed.Member(m) }

// ID returns the result's id.
func (v *Visible) ID() string { return v.sealed.id }

// Len returns the length of the text.
func (v *Visible) Len() int { return len(v.sealed.text) }

// String returns the canonical bytes as far as the reader may see them.
func (v *Visible) String() string { return v.sealed.text }

// WriteTo writes what String returns.
func (v *Visible) WriteTo(w io.Writer) (int64, error) { return v.sealed.WriteTo(w) }

// Status returns one of the six statuses.
func (v *Visible) Status() call.Status { return v.sealed.status }

// Code returns error.code, "" when there is no error.
func (v *Visible) Code() string { return v.sealed.code }

// Hides reports whether policy took the resource with this id out. Nothing refers to it any more.
func (v *Visible) Hides(resource string) bool {
	_, found := slices.BinarySearch(v.hidden, resource)
	return found
}
