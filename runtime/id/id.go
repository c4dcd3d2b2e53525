// Package id mints the identifiers of the protocol: a prefix that names the kind of thing, and a
// ULID (26 characters of Crockford base 32: 48 bits of Unix milliseconds, 80 bits of randomness).
//
// Ids of one [Source] sort in the order in which they were minted, and none can be guessed from
// another, not even from its neighbour in the same millisecond. That second promise is why the code
// is ours: a usual monotonic ULID adds at most 32 random bits per step, too few for a task id that
// stands in a callback URL. Here a step is 64 random bits.
//
// Place: a leaf below the runtime and the plugins. It never reads a clock (callers pass the time)
// and never parses an id: an id has no meaning but identity.
package id

import (
	"crypto/rand"
	"encoding/binary"
	"strings"
	"sync"
	"time"
)

// The prefixes of specification §5.3, §7.1 and §10, and of plugin ScheduleManager (§13.4).
const (
	Result     = "tr_"
	Invocation = "ti_"
	Request    = "req_"
	Record     = "tcr_"
	Resource   = "res_"
	Task       = "task_"
)

// Source mints ids. The zero Source is ready and safe for concurrent use.
type Source struct {
	mu sync.Mutex
	ms uint64 // time part of the last id
	hi uint16 // random part of the last id: upper 16 bits
	lo uint64 // and lower 64

	// Randomness is read for several ids at once: a read costs as much as all the rest of an id. What an id took is
	// overwritten, so that the memory of a source tells nothing about ids of before.
	ahead [16 * randomness]byte
	left  int // bytes of ahead, at its end, that nobody took yet
}

// randomness is how many random bytes an id takes.
const randomness = 10

// New returns prefix followed by a ULID of the time now, truncated to milliseconds. When the time
// does not move forward, the id continues from the last one, so that order never breaks.
func (s *Source) New(prefix string, now time.Time) string {
	ms := uint64(max(now.UnixMilli(), 0)) & (1<<48 - 1)

	s.mu.Lock()
	random := s.take()
	if ms > s.ms {
		s.start(ms, random)
	} else {
		s.step(random)
	}
	ms, hi, lo := s.ms, s.hi, s.lo
	s.mu.Unlock()

	return encode(prefix, ms, hi, lo)
}

// take returns random bytes that were never given out.
func (s *Source) take() (random [randomness]byte) {
	if s.left == 0 {
		// crypto/rand.Read never fails: it ends the program when the system has no randomness.
		_, _ = rand.Read(s.ahead[:])
		s.left = len(s.ahead)
	}
	from := s.ahead[len(s.ahead)-s.left:][:randomness]
	random = [randomness]byte(from)
	clear(from)
	s.left -= randomness
	return random
}

// start begins a millisecond at a random place. The top bit stays clear: it leaves room for more than
// 30,000 steps before the millisecond overflows.
func (s *Source) start(ms uint64, random [randomness]byte) {
	s.ms = ms
	s.hi = binary.BigEndian.Uint16(random[:2]) &^ (1 << 15)
	s.lo = binary.BigEndian.Uint64(random[2:])
}

// step adds a random number from 1 to 2^64 to the random part. On overflow the id borrows the next
// millisecond.
func (s *Source) step(random [randomness]byte) {
	add := binary.BigEndian.Uint64(random[2:])
	lo := s.lo + add + 1
	carry := lo <= s.lo // add+1 lies in 1..2^64, so an equal sum has wrapped
	s.lo = lo
	if !carry {
		return
	}
	if s.hi++; s.hi == 0 {
		s.start(s.ms+1, random)
	}
}

// alphabet is Crockford's base 32: no I, L, O, U.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// encode writes the 128 bits as 26 digits, most significant first. The first digit carries 3 bits.
func encode(prefix string, ms uint64, hi uint16, lo uint64) string {
	const digits = 26
	out := make([]byte, len(prefix)+digits)
	copy(out, prefix)
	body := out[len(prefix):]
	upper := ms<<16 | uint64(hi)
	for i := digits - 1; i >= 0; i-- {
		body[i] = alphabet[lo&31]
		lo = lo>>5 | upper<<59
		upper >>= 5
	}
	return string(out)
}

// Valid reports whether s is prefix followed by a ULID in the one spelling that New writes: 26 digits of
// the alphabet, upper case, the first at most 7.
func Valid(prefix, s string) bool {
	body, ok := strings.CutPrefix(s, prefix)
	if !ok || len(body) != 26 || body[0] > '7' {
		return false
	}
	for i := range len(body) {
		if strings.IndexByte(alphabet, body[i]) < 0 {
			return false
		}
	}
	return true
}
