package format

import (
	"bytes"
	"unicode"
)

// The parameters of Punycode for domain names (RFC 3492 §5).
const (
	punyBase        = 36
	punyTMin        = 1
	punyTMax        = 26
	punySkew        = 38
	punyDamp        = 700
	punyInitialBias = 72
	punyInitialN    = 128
)

// maxLabel is the length of a label in octets (RFC 1034 §3.1), and so the most code points that a
// label can stand for: each costs at least one digit.
const maxLabel = 63

// decodePunycode returns the code points that a label stands for, without its prefix, in lower case
// (RFC 3492 §6.2).
func decodePunycode(s []byte) ([]rune, bool) {
	var out []rune
	if i := bytes.LastIndexByte(s, '-'); i >= 0 {
		for _, c := range s[:i] {
			out = append(out, rune(c))
		}
		s = s[i+1:]
	}
	n, i, bias := punyInitialN, 0, punyInitialBias
	for len(s) > 0 {
		before, weight := i, 1
		for k := punyBase; ; k += punyBase {
			if len(s) == 0 {
				return nil, false
			}
			digit, ok := punyDigit(s[0])
			s = s[1:]
			// The sum stays far below the range of int: a label has 63 digits, and i is checked below.
			if i += digit * weight; !ok || i > unicode.MaxRune*(maxLabel+1) {
				return nil, false
			}
			t := punyThreshold(k, bias)
			if digit < t {
				break
			}
			if weight *= punyBase - t; weight > unicode.MaxRune*(maxLabel+1) {
				return nil, false
			}
		}
		count := len(out) + 1
		bias = punyAdapt(i-before, count, before == 0)
		n += i / count
		i %= count
		if n > unicode.MaxRune || count > maxLabel {
			return nil, false
		}
		out = append(out, 0)
		copy(out[i+1:], out[i:])
		out[i] = rune(n)
		i++
	}
	return out, true
}

// encodePunycode returns the label that stands for s, without its prefix (RFC 3492 §6.3). s has at
// most maxLabel code points.
func encodePunycode(s []rune) []byte {
	var out []byte
	for _, r := range s {
		if r < punyInitialN {
			out = append(out, byte(r))
		}
	}
	done := len(out)
	basic := done
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(punyInitialN), 0, punyInitialBias
	for done < len(s) {
		next := rune(unicode.MaxRune)
		for _, r := range s {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range s {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := punyBase; ; k += punyBase {
				t := punyThreshold(k, bias)
				if q < t {
					break
				}
				out = append(out, punyDigits[t+(q-t)%(punyBase-t)])
				q = (q - t) / (punyBase - t)
			}
			out = append(out, punyDigits[q])
			bias = punyAdapt(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return out
}

const punyDigits = "abcdefghijklmnopqrstuvwxyz0123456789"

func punyDigit(c byte) (int, bool) {
	switch {
	case 'a' <= c && c <= 'z':
		return int(c - 'a'), true
	case isDigit(c):
		return int(c-'0') + 26, true
	}
	return 0, false
}

func punyThreshold(k, bias int) int {
	return min(max(k-bias, punyTMin), punyTMax)
}

// punyAdapt is the bias adaptation of RFC 3492 §6.1.
func punyAdapt(delta, count int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / count
	k := 0
	for delta > (punyBase-punyTMin)*punyTMax/2 {
		delta /= punyBase - punyTMin
		k += punyBase
	}
	return k + (punyBase-punyTMin+1)*delta/(delta+punySkew)
}
