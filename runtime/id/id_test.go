package id

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestEncode(t *testing.T) {
	tests := []struct {
		name string
		ms   uint64
		hi   uint16
		lo   uint64
		want string
	}{
		{"zero", 0, 0, 0, "00000000000000000000000000"},
		{"one", 0, 0, 1, "00000000000000000000000001"},
		{"lowest 64 bits", 0, 0, math.MaxUint64, "0000000000000FZZZZZZZZZZZZ"},
		{"randomness full", 0, math.MaxUint16, math.MaxUint64, "0000000000ZZZZZZZZZZZZZZZZ"},
		{"largest", 1<<48 - 1, math.MaxUint16, math.MaxUint64, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
		// The example of the ULID specification: 1469918176385 ms is 01ARYZ6S41.
		{"published example", 1469918176385, 0, 0, "01ARYZ6S410000000000000000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := encode("", tt.ms, tt.hi, tt.lo); got != tt.want {
				t.Errorf("encode(%d, %d, %d) = %q, want %q", tt.ms, tt.hi, tt.lo, got, tt.want)
			}
		})
	}
}

func TestOrderWithinAndAcrossMilliseconds(t *testing.T) {
	var s Source
	at := time.UnixMilli(1_700_000_000_000)
	var ids []string
	for i := range 5000 {
		switch {
		case i%1000 == 999:
			at = at.Add(time.Millisecond)
		case i == 2500:
			at = at.Add(-time.Hour) // a clock that jumps back must not break order
		}
		ids = append(ids, s.New(Task, at))
	}
	if !slices.IsSorted(ids) {
		t.Error("ids are not in the order in which they were minted")
	}
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("two ids are equal")
	}
	for _, got := range ids {
		if len(got) != len(Task)+26 || !strings.HasPrefix(got, Task) {
			t.Fatalf("id %q is not %s and 26 digits", got, Task)
		}
	}
}

// Were steps small, an id would reveal its neighbours. A 64-bit step stays under 2^40 once in 16
// million times, a 32-bit step always.
func TestNeighboursAreFarApart(t *testing.T) {
	var s Source
	at := time.UnixMilli(1)
	s.New("", at)
	far := 0
	for range 200 {
		before, hi := s.lo, s.hi
		s.New("", at)
		if s.hi != hi || s.lo-before > 1<<40 {
			far++
		}
	}
	if far < 190 {
		t.Errorf("%d of 200 steps exceed 2^40, want nearly all", far)
	}
}

func TestStepOverflow(t *testing.T) {
	s := Source{ms: 7, hi: math.MaxUint16, lo: math.MaxUint64}
	before := encode("", s.ms, s.hi, s.lo)
	s.step([10]byte{})
	if s.ms != 8 {
		t.Errorf("time part is %d after an overflow, want 8", s.ms)
	}
	if after := encode("", s.ms, s.hi, s.lo); after <= before {
		t.Errorf("id %s after the overflow does not follow %s", after, before)
	}

	s = Source{ms: 7, hi: 1, lo: 5}
	s.step([10]byte{2: 255, 3: 255, 4: 255, 5: 255, 6: 255, 7: 255, 8: 255, 9: 255}) // adds 2^64
	if s.hi != 2 || s.lo != 5 {
		t.Errorf("adding 2^64 gives hi=%d lo=%d, want hi=2 lo=5", s.hi, s.lo)
	}
}

// Randomness is taken once, across the reads of it, and what was taken is gone.
func TestRandomnessIsTakenOnce(t *testing.T) {
	var s Source
	seen := map[[randomness]byte]bool{}
	for range 4 * len(s.ahead) / randomness {
		got := s.take()
		if seen[got] || got == ([randomness]byte{}) {
			t.Fatalf("%x was given out twice, or never read", got)
		}
		seen[got] = true
		for i, b := range s.ahead[:len(s.ahead)-s.left] {
			if b != 0 {
				t.Fatalf("byte %d is kept after it was taken", i)
			}
		}
	}
}

func TestConcurrentIDsAreDistinct(t *testing.T) {
	var s Source
	const workers, each = 8, 2000
	out := make([][]string, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range each {
				out[w] = append(out[w], s.New(Result, time.UnixMilli(42)))
			}
		})
	}
	wg.Wait()
	all := slices.Concat(out...)
	slices.Sort(all)
	if got := len(slices.Compact(all)); got != workers*each {
		t.Errorf("%d distinct ids, want %d", got, workers*each)
	}
	for w := range out {
		if !slices.IsSorted(out[w]) {
			t.Errorf("worker %d got ids out of order", w)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	var s Source
	now := time.UnixMilli(1_700_000_000_000)
	b.ReportAllocs()
	for b.Loop() {
		s.New(Result, now)
	}
}
