package sample

import (
	"math/rand/v2"
)

// make returns a string that the pattern matches, of low to high characters. ok is false when the tries
// did not find one.
//
// It walks the pattern and writes what each part wants. Lengths are settled on the way: the walk starts with
// a number of characters that it may write beyond the least (spare), and repetitions and alternatives
// take from it. Look-arounds and word boundaries cannot be walked; what was written is matched afterwards,
// and tried again if it does not pass. A look-ahead is sometimes written in place of all that follows it,
// since it mostly is the narrower description.
func (p *pattern) make(rng *rand.Rand, low, high int) (string, bool) {
	if p.beyond || p.root.least > high || p.root.least > largest || low > largest {
		return "", false
	}
	for try := range 60 {
		w := writer{rng: rng, spare: p.spare(rng, low, high, try)}
		w.write(p.root)
		if w.dead {
			continue
		}
		s := w.padded(low, high, try)
		if n := len(s); n < low || n > high {
			continue
		}
		if matched, decided := p.match(string(s)); matched && decided {
			return string(s), true
		}
	}
	return "", false
}

// spare draws how many characters to write beyond the least.
func (p *pattern) spare(rng *rand.Rand, low, high, try int) int {
	least, room := p.root.least, high-p.root.least
	switch {
	case low > least:
		return min(room, low-least+rng.IntN(4)*(try%2))
	case try == 0 && p.root.most < 300 && rng.IntN(4) == 0:
		return min(room, p.root.most-least)
	case try > 30:
		return min(room, rng.IntN(40))
	}
	return min(room, rng.IntN(8))
}

type writer struct {
	rng   *rand.Rand
	out   []rune
	spare int
	start bool // the text begins here for sure: `^` was passed
	end   bool // nothing may follow: `$` was passed
	cut   bool // the rest of the pattern is not written
	dead  bool
	ends  map[int][2]int
}

func (w *writer) write(t *term) {
	if w.dead || w.cut {
		return
	}
	switch t.kind {
	case tSet:
		r, ok := t.draw.choose(w.rng)
		if !ok || w.end {
			w.dead = true
			return
		}
		w.out = append(w.out, r)
	case tSeq:
		for _, s := range t.subs {
			w.write(s)
		}
	case tAlt:
		w.write(w.alternative(t))
	case tRepeat:
		for range w.times(t) {
			w.write(t.subs[0])
		}
	case tGroup:
		from := len(w.out)
		w.write(t.subs[0])
		if w.ends == nil {
			w.ends = map[int][2]int{}
		}
		w.ends[t.group] = [2]int{from, len(w.out)}
	case tStart:
		w.dead = len(w.out) > 0
		w.start = true
	case tEnd:
		w.end = true
	case tAhead:
		if w.rng.IntN(2) == 0 {
			w.write(t.subs[0])
			w.cut = true
		}
	case tBehind:
		w.write(t.subs[0])
	case tBack:
		c := w.ends[t.group]
		w.out = append(w.out, w.out[c[0]:c[1]]...)
	}
}

// alternative draws one that the spare characters allow.
func (w *writer) alternative(t *term) *term {
	var fit []*term
	for _, s := range t.subs {
		if s.least-t.least <= w.spare {
			fit = append(fit, s)
		}
	}
	s := pick(w.rng, fit...)
	w.spare -= s.least - t.least
	return s
}

// times draws how often to write a repetition.
func (w *writer) times(t *term) int {
	cost := max(t.subs[0].least, 1)
	extra := w.spare / cost
	if t.high >= 0 {
		extra = min(extra, t.high-t.low)
	}
	if w.rng.IntN(2) == 0 {
		extra = w.rng.IntN(extra + 1)
	}
	w.spare -= extra * cost
	return t.low + extra
}

// padded returns what was written, with characters around it where the pattern is open and the length
// wants them.
func (w *writer) padded(low, high, try int) []rune {
	s := w.out
	around := max(low-len(s), 0)
	if around == 0 && try == 0 && w.rng.IntN(4) == 0 {
		around = max(min(high-len(s), w.rng.IntN(4)), 0)
	}
	for range around {
		r := pick(w.rng, []rune("abcXYZ0189 .-_é中😀")...)
		switch {
		case !w.end && (w.start || w.rng.IntN(2) == 0):
			s = append(s, r)
		case !w.start:
			s = append([]rune{r}, s...)
		}
	}
	return s
}
