package grammar

import (
	"strconv"
	"strings"
	"time"
)

// times is RFC 3339. Ranges that it gives in comments ("01-12") are spelled out. Strings of ABNF have either case,
// which its note on T and Z recalls.
var times = must(`
; RFC 3339 §5.6
date-fullyear  = 4DIGIT
date-month     = "0" %x31-39 / "1" %x30-32                    ; 2DIGIT, 01-12
date-mday      = "0" %x31-39 / %x31-32 DIGIT / "3" %x30-31    ; 2DIGIT, 01-28, 01-29, 01-30, 01-31 based on month/year
time-hour      = %x30-31 DIGIT / "2" %x30-33                  ; 2DIGIT, 00-23
time-minute    = %x30-35 DIGIT                                ; 2DIGIT, 00-59
time-second    = usual-second / "60"                          ; 2DIGIT, 00-58, 00-59, 00-60 based on leap second rules
usual-second   = %x30-35 DIGIT
time-secfrac   = "." 1*DIGIT
time-numoffset = ("+" / "-") time-hour ":" time-minute
time-offset    = "Z" / time-numoffset
partial-time   = time-hour ":" time-minute ":" time-second [time-secfrac]
full-date      = date-fullyear "-" date-month "-" date-mday
full-time      = partial-time time-offset
date-time      = full-date "T" full-time

; RFC 3339 appendix A, durations
dur-second = 1*DIGIT "S"
dur-minute = 1*DIGIT "M" [dur-second]
dur-hour   = 1*DIGIT "H" [dur-minute]
dur-time   = "T" (dur-hour / dur-minute / dur-second)
dur-day    = 1*DIGIT "D"
dur-week   = 1*DIGIT "W"
dur-month  = 1*DIGIT "M" [dur-day]
dur-year   = 1*DIGIT "Y" [dur-month]
dur-date   = (dur-day / dur-month / dur-year) [dur-time]
duration   = "P" (dur-date / dur-time / dur-week)

; What strings are made of: leap seconds where they may be.
made-time      = time-hour ":" time-minute ":" usual-second [time-secfrac] time-offset / leap-time
leap-time      = "23:59:60" [time-secfrac] zero-offset / "22:59:60-01:00" / "00:59:60+01:00" / "05:29:60.5+05:30"
               / "00:00:60-23:59" / "23:58:60+23:59"
zero-offset    = "Z" / "+00:00" / "-00:00"
made-date-time = full-date "T" time-hour ":" time-minute ":" usual-second [time-secfrac] time-offset / leap-date-time
leap-date-time = date-fullyear ("-06-30" / "-12-31") "T23:59:60" [time-secfrac] zero-offset
               / date-fullyear ("-07-01" / "-01-01") "T" ("00:59:60+01:00" / "05:29:60+05:30" / "23:58:60+23:59")
               / date-fullyear ("-06-30" / "-12-31") "T" ("22:59:60-01:00" / "00:00:60-23:59")
               / ("2016-02-29" / "2017-02-28" / "2000-02-29" / "1900-02-28") "T23:59:60Z"
`, nil)

// dateHolds: the day is one of its month (RFC 3339 §5.7, appendix C).
func dateHolds(s string) bool {
	year, month, day := number(s[0:4]), number(s[5:7]), number(s[8:10])
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() == day
}

// timeHolds: a leap second is followed by midnight in UTC (RFC 3339 §5.7, appendix D).
func timeHolds(s string) bool {
	next, leap := afterLeap("2000-01-01T" + s)
	return !leap || next.Hour() == 0 && next.Minute() == 0
}

// dateTimeHolds: and in a date-time by the first of a month.
func dateTimeHolds(s string) bool {
	next, leap := afterLeap(s)
	return dateHolds(s) && (!leap || next.Hour() == 0 && next.Minute() == 0 && next.Day() == 1)
}

// afterLeap returns the second after a leap second, in UTC, and whether s is one.
func afterLeap(s string) (next time.Time, leap bool) {
	if s[17:19] != "60" {
		return time.Time{}, false
	}
	offset := time.Duration(0)
	if !strings.HasSuffix(strings.ToUpper(s), "Z") {
		z := s[len(s)-6:]
		offset = time.Duration(number(z[1:3]))*time.Hour + time.Duration(number(z[4:6]))*time.Minute
		if z[0] == '-' {
			offset = -offset
		}
	}
	local := time.Date(number(s[0:4]), time.Month(number(s[5:7])), number(s[8:10]), number(s[11:13]), number(s[14:16])+1, 0, 0, time.UTC)
	return local.Add(-offset), true
}

// number reads digits that the grammar has seen.
func number(s string) int {
	v, err := strconv.Atoi(s)
	if err != nil {
		panic("grammar: " + err.Error())
	}
	return v
}
