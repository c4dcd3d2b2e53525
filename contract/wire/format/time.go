package format

// isDateTime: date-time of RFC 3339 §5.6, full-date "T" full-time. `t` and `z` may be lower case (the
// note there); a space instead of the T, which the note leaves to applications, is not accepted. A leap
// second ends a month of UTC (§5.7).
func isDateTime(s []byte) bool {
	if len(s) <= 11 || !isDate(s[:10]) || s[10]|0x20 != 't' {
		return false
	}
	leap, days, ok := clock(s[11:])
	return ok && (!leap || endsMonth(s[:10], days))
}

// endsMonth reports whether the day that is days (-1, 0, 1) after a full-date is the last of its month.
func endsMonth(date []byte, days int) bool {
	century, _ := pair(date[0:2])
	years, _ := pair(date[2:4])
	month, _ := pair(date[5:7])
	day, _ := pair(date[8:10])
	day += days
	return day == 0 || day == daysIn(century*100+years, month)
}

// isDate: full-date of RFC 3339 §5.6, the day within its month and year (§5.7).
func isDate(s []byte) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, ok1 := pair(s[0:2])
	years, ok2 := pair(s[2:4])
	month, ok3 := pair(s[5:7])
	day, ok4 := pair(s[8:10])
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= daysIn(century*100+years, month)
}

// daysIn follows RFC 3339 appendix C for leap years.
func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// isTime: full-time of RFC 3339 §5.6. The second 60 is a leap second, which falls on 23:59 UTC
// (§5.7, appendix D): the time less its offset must be that minute. Whether a leap second was
// announced for the day is not checked, as the table of them is open at its end.
func isTime(s []byte) bool {
	_, _, ok := clock(s)
	return ok
}

// clock reads full-time: whether it is a leap second, and by how many days the date in UTC differs.
func clock(s []byte) (leap bool, days int, ok bool) {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return false, 0, false
	}
	hour, ok1 := pair(s[0:2])
	minute, ok2 := pair(s[3:5])
	second, ok3 := pair(s[6:8])
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 60 {
		return false, 0, false
	}
	s = s[8:]
	if s[0] == '.' {
		n := 1
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n == 1 {
			return false, 0, false
		}
		s = s[n:]
	}
	offset, ok := zone(s)
	if !ok {
		return false, 0, false
	}
	const day = 24 * 60
	utc := hour*60 + minute - offset
	switch {
	case utc < 0:
		utc, days = utc+day, -1
	case utc >= day:
		utc, days = utc-day, 1
	}
	leap = second == 60
	return leap, days, !leap || utc == day-1
}

// zone reads time-offset and returns it in minutes east of UTC, less than a day.
func zone(s []byte) (minutes int, ok bool) {
	if len(s) == 1 && s[0]|0x20 == 'z' {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	h, ok1 := pair(s[1:3])
	m, ok2 := pair(s[4:6])
	if !ok1 || !ok2 || h > 23 || m > 59 {
		return 0, false
	}
	if s[0] == '-' {
		return -(h*60 + m), true
	}
	return h*60 + m, true
}

// pair reads two ASCII digits.
func pair(s []byte) (int, bool) {
	if !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	return int(s[0]-'0')*10 + int(s[1]-'0'), true
}

// isDuration: duration of RFC 3339 appendix A. A unit may be followed by the next smaller one only
// (dur-year = 1*DIGIT "Y" [dur-month], and so on), weeks stand alone, numbers are whole. Letters are of
// either case, as all strings of ABNF are (RFC 5234 §2.3).
func isDuration(s []byte) bool {
	if len(s) < 2 || s[0]|0x20 != 'p' {
		return false
	}
	s = s[1:]
	if rest, ok := units(s, "w"); ok && len(rest) == 0 {
		return true
	}
	if s[0]|0x20 != 't' {
		var ok bool
		if s, ok = units(s, "ymd"); !ok {
			return false
		}
	}
	if len(s) == 0 {
		return true
	}
	if s[0]|0x20 != 't' {
		return false
	}
	rest, ok := units(s[1:], "hms")
	return ok && len(rest) == 0
}

// units reads numbers, each with one of the letters (lower case here), the letters being neighbours in their
// order; at least one.
func units(s []byte, letters string) (rest []byte, ok bool) {
	next := -1
	for {
		n := 0
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n == 0 || n == len(s) {
			return s, ok && n == 0
		}
		at := -1
		for i := range len(letters) {
			if letters[i] == s[n]|0x20 {
				at = i
			}
		}
		if at < 0 || next >= 0 && at != next {
			return s, false
		}
		s, next, ok = s[n+1:], at+1, true
	}
}
