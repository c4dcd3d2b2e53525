package result

import "time"

// appendTime appends a time as time.AppendFormat does with "2006-01-02T15:04:05.000Z07:00", for years of four
// digits and offsets of whole minutes in a third of the time: every result has two of them.
func appendTime(dst []byte, t time.Time) []byte {
	_, offset := t.Zone()
	local := t.UTC().Add(time.Duration(offset) * time.Second) // a time without a zone, which each step would look up
	year, month, day := local.Date()
	if year < 0 || year > 9999 || offset%60 != 0 {
		return t.AppendFormat(dst, "2006-01-02T15:04:05.000Z07:00")
	}
	hour, minute, second := local.Clock()
	dst = append(pair(pair(dst, year/100), year%100), '-')
	dst = append(pair(dst, int(month)), '-')
	dst = append(pair(dst, day), 'T')
	dst = append(pair(dst, hour), ':')
	dst = append(pair(dst, minute), ':')
	dst = append(pair(dst, second), '.')
	ms := t.Nanosecond() / 1e6
	dst = pair(append(dst, byte('0'+ms/100)), ms%100)
	if offset == 0 {
		return append(dst, 'Z')
	}
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = append(pair(append(dst, sign), offset/3600), ':')
	return pair(dst, offset/60%60)
}

// pair appends two digits.
func pair(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
