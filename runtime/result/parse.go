package result

import (
	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

// Parse takes a canonical result that was written somewhere else: a file, a store, another node. Whitespace
// between tokens is dropped, top-level members are put into their order (specification §5.4), all else stays
// as it is. The error is a [*wire.Error] for what is not strict JSON, or a [*wire.Rejection] for what breaks
// the result schema.
func Parse(src []byte) (*Sealed, error) {
	var t wire.Tape
	if err := t.Scan(src, limits(len(src))); err != nil {
		return nil, err
	}
	if err := v1.JudgeResult(&t); err != nil {
		return nil, err
	}
	s := &Sealed{}
	e := encoder{buf: make([]byte, 0, len(src)), spans: &s.spans}
	for m := Protocol; m < memberCount; m++ {
		at, _ := t.Find(t.Root(), m.String()) // every member is there, or the judge had refused
		e.member(m)
		e.buf = t.AppendCompact(e.buf, at)
		switch m {
		case ID:
			s.id = t.String(at)
		case Status:
			s.status = call.Status(t.String(at))
		case Error:
			if t.Kind(at) == wire.KindObject {
				code, _ := t.Find(at, "code")
				s.code = t.String(code)
			}
		}
	}
	e.endMember()
	e.buf = append(e.buf, '}')
	s.text = freeze(e.buf)
	return s, nil
}
