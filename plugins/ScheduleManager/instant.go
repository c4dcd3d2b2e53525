package schedulemanager

import (
	"fmt"
	"strings"
	"time"
)

// instant is a point in time as a text that sorts by time: two times written with different offsets,
// fractions or letter case give equal instants exactly when they are the same moment.
//
// Layout: 12 digits of seconds since an origin before year 0, one digit that is 1 inside a leap
// second, then the digits of the fraction without trailing zeros. The first thirteen characters have
// a fixed width, and fractions compare like text, so that comparing bytes compares time, whatever
// the precision. A time.Time would not do: it ends at nanoseconds and knows no leap second.
type instant string

// Bounds that every instant lies between; they stand for an open end of a range.
const (
	beforeAll instant = ""
	afterAll  instant = ":" // the character after '9'
)

// TimeError says that a text is not an RFC 3339 date-time.
type TimeError struct {
	Text string
}

// Error says it in a sentence.
func (e *TimeError) Error() string {
	return fmt.Sprintf("%q is not an RFC 3339 date-time with an offset", e.Text)
}

// parseInstant reads an RFC 3339 date-time (§5.6). It agrees with the date-time format of JSON
// Schema: T and Z in either case, any number of fraction digits, offsets up to 23:59 either way, and
// second 60 only in the last minute of a UTC day.
func parseInstant(s string) (instant, error) {
	fail := &TimeError{Text: s}
	if len(s) < len("2006-01-02T15:04:05Z") {
		return "", fail
	}
	if s[4] != '-' || s[7] != '-' || s[10]|0x20 != 't' || s[13] != ':' || s[16] != ':' {
		return "", fail
	}
	year, ok1 := digits(s[0:4])
	month, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:10])
	hour, ok4 := digits(s[11:13])
	minute, ok5 := digits(s[14:16])
	second, ok6 := digits(s[17:19])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 {
		return "", fail
	}
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60 {
		return "", fail
	}
	fraction, zone, ok := cutFraction(s[19:])
	if !ok {
		return "", fail
	}
	offset, ok := parseOffset(zone)
	if !ok {
		return "", fail
	}

	leap := 0
	if second == 60 {
		leap, second = 1, 59
	}
	at := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC).Unix() - int64(offset)
	if leap == 1 && (at+1)%86400 != 0 {
		return "", fail // not the end of a UTC day
	}
	// The origin lies more than a day before 0000-01-01T00:00:00Z.
	const origin = 62_200_000_000
	return instant(fmt.Sprintf("%012d%d%s", at+origin, leap, strings.TrimRight(fraction, "0"))), nil
}

// cutFraction splits what follows the seconds into the fraction's digits ("" when absent) and the
// offset.
func cutFraction(s string) (fraction, zone string, ok bool) {
	if !strings.HasPrefix(s, ".") {
		return "", s, true
	}
	s = s[1:]
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:], n > 0
}

// parseOffset reads Z or ±hh:mm and returns seconds east of UTC. -00:00, an unknown local offset
// (RFC 3339 §4.3), counts as UTC.
func parseOffset(s string) (seconds int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[3] != ':' || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hour, ok1 := digits(s[1:3])
	minute, ok2 := digits(s[4:6])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return 0, false
	}
	seconds = hour*3600 + minute*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// digits reads a text of ASCII digits only.
func digits(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// daysIn is the length of a month in the Gregorian calendar, year 0 included.
func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
