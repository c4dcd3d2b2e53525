// Package link is what a runtime and its keeper say to each other over a pair of sockets: five messages, in binary,
// with descriptors beside them. Both come from one build, so there is no version to negotiate beyond a number that
// is compared; a keeper that is another's speaks another [Version] and is refused.
//
//	runtime -> keeper   Spawn, Signal
//	keeper  -> runtime  Hello, Started, Ended
//
// A message is its length in 4 bytes, big endian, a byte that says which it is, and its fields in order: numbers
// as unsigned varints, texts with their length before them.
package link

import (
	"encoding/binary"
	"errors"
)

// Version changes with the messages.
const Version = 1

// Kind says which message it is.
type Kind byte

// The messages.
const (
	KindHello Kind = 1 + iota
	KindSpawn
	KindSignal
	KindStarted
	KindEnded
)

// MaxMessage is the longest message. What exec takes is shorter: 6 MiB at most.
const MaxMessage = 8 << 20

// Hello is the keeper's first message. Beside it comes a descriptor of its /proc.
type Hello struct {
	Version   uint64
	PID       uint64 // as the keeper sees itself; 1 in a namespace of its own
	Namespace bool   // a PID namespace of its own, with a /proc of its own
	Children  bool   // it can tell its children, those that it inherited included
}

// Limit is a resource limit.
type Limit struct {
	Resource   uint64 // RLIMIT_…, the system's number
	Soft, Hard uint64
}

// Spawn asks for a process, and is answered by Started. Beside it come the descriptors of its standard streams, and of a
// Landlock ruleset when it is Confined.
type Spawn struct {
	ID         uint64 // chosen by the runtime, used once
	File, Dir  string
	Argv, Env  []string
	Limits     []Limit
	NoNewPrivs bool
	DropCaps   uint64 // capabilities to drop, a bit for each
	Confined   bool   // there is a Landlock ruleset
}

// The descriptors of a Spawn.
const (
	Stdin = iota
	Stdout
	Stderr
	Ruleset
)

// Files returns how many descriptors come with the message.
func (s *Spawn) Files() int {
	if s.Confined {
		return Ruleset + 1
	}
	return Ruleset
}

// Signal asks the keeper to send a signal to a process and its group. A process that has ended gets none.
type Signal struct {
	ID     uint64
	Number uint64
}

// Started says that a program runs, or why it could not be run.
type Started struct {
	ID    uint64
	Errno uint64 // 0 when it runs; otherwise there will be no Ended
}

// Ended says that a process, and all that it started, has ended.
type Ended struct {
	ID     uint64
	Status uint64 // as wait gives it
}

// ErrMessage says that bytes are not a message.
var ErrMessage = errors.New("not a message of the keeper's")

// begin begins a message and finish puts its length before it.
func begin(k Kind) []byte { return []byte{0, 0, 0, 0, byte(k)} }

func finish(m []byte) []byte {
	binary.BigEndian.PutUint32(m, uint32(len(m)-4))
	return m
}

func appendText(m []byte, s string) []byte {
	return append(binary.AppendUvarint(m, uint64(len(s))), s...)
}

func appendTexts(m []byte, list []string) []byte {
	m = binary.AppendUvarint(m, uint64(len(list)))
	for _, s := range list {
		m = appendText(m, s)
	}
	return m
}

func appendBool(m []byte, b bool) []byte {
	if b {
		return append(m, 1)
	}
	return append(m, 0)
}

// Bytes encodes the message.
func (h *Hello) Bytes() []byte {
	m := binary.AppendUvarint(begin(KindHello), h.Version)
	m = binary.AppendUvarint(m, h.PID)
	return finish(appendBool(appendBool(m, h.Namespace), h.Children))
}

// Bytes encodes the message.
func (s *Spawn) Bytes() []byte {
	m := binary.AppendUvarint(begin(KindSpawn), s.ID)
	m = appendTexts(appendTexts(appendText(appendText(m, s.File), s.Dir), s.Argv), s.Env)
	m = binary.AppendUvarint(m, uint64(len(s.Limits)))
	for _, l := range s.Limits {
		m = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(m, l.Resource), l.Soft), l.Hard)
	}
	m = binary.AppendUvarint(appendBool(m, s.NoNewPrivs), s.DropCaps)
	return finish(appendBool(m, s.Confined))
}

// Bytes encodes the message.
func (s *Signal) Bytes() []byte {
	return finish(binary.AppendUvarint(binary.AppendUvarint(begin(KindSignal), s.ID), s.Number))
}

// Bytes encodes the message.
func (s *Started) Bytes() []byte {
	return finish(binary.AppendUvarint(binary.AppendUvarint(begin(KindStarted), s.ID), s.Errno))
}

// Bytes encodes the message.
func (e *Ended) Bytes() []byte {
	return finish(binary.AppendUvarint(binary.AppendUvarint(begin(KindEnded), e.ID), e.Status))
}

// fields takes a message apart; bad is set when it is none.
type fields struct {
	rest []byte
	bad  bool
}

func (f *fields) number() uint64 {
	v, n := binary.Uvarint(f.rest)
	if n <= 0 {
		f.bad = true
		return 0
	}
	f.rest = f.rest[n:]
	return v
}

func (f *fields) bool() bool { return f.number() == 1 }

func (f *fields) text() string {
	n := f.number()
	if n > uint64(len(f.rest)) {
		f.bad = true
		return ""
	}
	s := string(f.rest[:n])
	f.rest = f.rest[n:]
	return s
}

func (f *fields) count() int {
	n := f.number()
	if n > uint64(len(f.rest)) { // each takes a byte at least
		f.bad = true
		return 0
	}
	return int(n)
}

func (f *fields) texts() []string {
	list := make([]string, f.count())
	for i := range list {
		list[i] = f.text()
	}
	return list
}

// Decode returns a message, without its length, as a *Hello, *Spawn, *Signal, *Started or *Ended.
func Decode(m []byte) (any, error) {
	if len(m) == 0 {
		return nil, ErrMessage
	}
	f := &fields{rest: m[1:]}
	var out any
	switch Kind(m[0]) {
	case KindHello:
		out = &Hello{Version: f.number(), PID: f.number(), Namespace: f.bool(), Children: f.bool()}
	case KindSpawn:
		s := &Spawn{ID: f.number(), File: f.text(), Dir: f.text(), Argv: f.texts(), Env: f.texts()}
		s.Limits = make([]Limit, f.count())
		for i := range s.Limits {
			s.Limits[i] = Limit{Resource: f.number(), Soft: f.number(), Hard: f.number()}
		}
		s.NoNewPrivs, s.DropCaps, s.Confined = f.bool(), f.number(), f.bool()
		out = s
	case KindSignal:
		out = &Signal{ID: f.number(), Number: f.number()}
	case KindStarted:
		out = &Started{ID: f.number(), Errno: f.number()}
	case KindEnded:
		out = &Ended{ID: f.number(), Status: f.number()}
	default:
		return nil, ErrMessage
	}
	if f.bad || len(f.rest) != 0 {
		return nil, ErrMessage
	}
	return out, nil
}
