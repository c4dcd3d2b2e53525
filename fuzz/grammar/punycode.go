package grammar

import "strings"

// letters are the digits of Punycode by value (RFC 3492 §5).
const letters = "abcdefghijklmnopqrstuvwxyz0123456789"

// bias is the state of the adaptation (RFC 3492 §6.1): base 36, tmin 1, tmax 26, skew 38, damp 700.
type bias int

func (b *bias) adapt(delta, points int, first bool) {
	if delta /= 2; first {
		delta /= 350
	}
	delta += delta / points
	k := 0
	for ; delta > 455; k += 36 {
		delta /= 35
	}
	*b = bias(k + 36*delta/(delta+38))
}

// threshold is t for the digit at position i, from 0.
func (b *bias) threshold(i int) int { return max(1, min(26, 36*(i+1)-int(*b))) }

// punycode encodes a label (RFC 3492 §6.3).
func punycode(label []rune) string {
	var out strings.Builder
	for _, r := range label {
		if r < 0x80 {
			out.WriteRune(r)
		}
	}
	basic := out.Len()
	done := basic
	if basic > 0 {
		out.WriteByte('-')
	}
	b := bias(72)
	for n, delta := rune(0x80), 0; done < len(label); {
		next := rune(0x110000)
		for _, r := range label {
			if r >= n && r < next {
				next = r
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for i := 0; ; i++ {
				t := b.threshold(i)
				if q < t {
					break
				}
				out.WriteByte(letters[t+(q-t)%(36-t)])
				q = (q - t) / (36 - t)
			}
			out.WriteByte(letters[q])
			b.adapt(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return out.String()
}

// fromPunycode decodes a label (RFC 3492 §6.2).
func fromPunycode(code string) ([]rune, bool) {
	var out []rune
	if at := strings.LastIndexByte(code, '-'); at >= 0 {
		out, code = []rune(code[:at]), code[at+1:]
	}
	b := bias(72)
	for n, i := 0x80, 0; code != ""; {
		before, weight := i, 1
		for k := 0; ; k++ {
			if code == "" || weight > 1<<40 {
				return nil, false
			}
			digit := strings.IndexByte(letters, code[0])
			code = code[1:]
			if digit < 0 {
				return nil, false
			}
			i += digit * weight
			t := b.threshold(k)
			if digit < t {
				break
			}
			weight *= 36 - t
		}
		points := len(out) + 1
		b.adapt(i-before, points, before == 0)
		n += i / points
		i %= points
		if n > 0x10FFFF {
			return nil, false
		}
		out = append(out[:i], append([]rune{rune(n)}, out[i:]...)...)
		i++
	}
	return out, true
}
