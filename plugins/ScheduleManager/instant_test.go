package schedulemanager

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func TestParseInstantRefuses(t *testing.T) {
	for _, s := range []string{
		"", "tomorrow", "2026-07-12", "2026-07-12T10:00:00", "2026-07-12 10:00:00Z", "2026-07-12T10:00Z",
		"2026-7-12T10:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z",
		"2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-07-00T00:00:00Z", "2026-07-12T24:00:00Z",
		"2026-07-12T10:60:00Z", "2026-07-12T10:00:61Z", "2026-07-12T10:00:60Z", "2026-07-12T23:59:60+08:00",
		"2026-07-12T10:00:00.Z", "2026-07-12T10:00:00,5Z", "2026-07-12T10:00:00+24:00", "2026-07-12T10:00:00+08:60",
		"2026-07-12T10:00:00+0800", "2026-07-12T10:00:00+08", "2026-07-12T10:00:00 +08:00", "2026-07-12T10:00:00ZZ",
		"+026-07-12T10:00:00Z", "2026-07-12T1０:00:00Z", "12026-07-12T10:00:00Z", "-2026-07-12T10:00:00Z",
		"2026-07-12T-1:00:00Z",
	} {
		got, err := parseInstant(s)
		var wrong *TimeError
		if !errors.As(err, &wrong) || wrong.Text != s {
			t.Errorf("parseInstant(%q) = %q, %v, want a TimeError", s, got, err)
		}
	}
}

// Each group is one moment; groups are in order of time.
func TestInstantsOrderMoments(t *testing.T) {
	groups := [][]string{
		{"0000-01-01T00:00:00+23:59"},
		{"0000-01-01T00:00:00Z", "0000-01-01t00:00:00z", "0000-01-01T00:00:00-00:00"},
		{"1969-12-31T23:59:59.9Z"},
		{"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z", "1970-01-01T08:00:00+08:00"},
		{"2000-02-29T12:00:00Z"},
		{"2016-12-31T23:59:59Z", "2017-01-01T07:59:59+08:00"},
		{"2016-12-31T23:59:59.999999999999Z"},
		{"2016-12-31T23:59:60Z", "2016-12-31T15:59:60-08:00", "2017-01-01T07:59:60.0+08:00"},
		{"2016-12-31T23:59:60.5Z"},
		{"2017-01-01T00:00:00Z"},
		{"2026-07-12T10:00:00+08:00", "2026-07-12T02:00:00Z", "2026-07-11T22:00:00-04:00"},
		{"2026-07-12T10:00:00.0000000000000000000001+08:00"},
		{"2026-07-12T10:00:00.09+08:00"},
		{"2026-07-12T10:00:00.1+08:00", "2026-07-12T10:00:00.100+08:00"},
		{"2026-07-12T10:00:00.10000000000000000001+08:00"},
		{"2026-07-12T10:00:00Z"},
		{"9999-12-31T23:59:60Z"},
		{"9999-12-31T23:59:59-23:59"},
	}
	var order []instant
	for _, group := range groups {
		first, err := parseInstant(group[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range group[1:] {
			if same, err := parseInstant(s); err != nil || same != first {
				t.Errorf("parseInstant(%q) = %q, %v, want %q as for %q", s, same, err, first, group[0])
			}
		}
		if first <= beforeAll || first >= afterAll {
			t.Errorf("instant %q of %q lies outside the bounds", first, group[0])
		}
		order = append(order, first)
	}
	if !slices.IsSorted(order) || len(slices.Compact(slices.Clone(order))) != len(order) {
		t.Errorf("instants are not strictly rising: %q", order)
	}
}

// FuzzInstant compares with package time wherever both accept.
func FuzzInstant(f *testing.F) {
	f.Add("2026-07-12T10:00:00+08:00", "2026-07-12T02:00:00.5Z")
	f.Add("1969-12-31T23:59:59.999999999-23:59", "0000-01-01T00:00:00Z")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := parseInstant(a)
		y, errY := parseInstant(b)
		timeX, refusedX := time.Parse(time.RFC3339, a)
		timeY, refusedY := time.Parse(time.RFC3339, b)
		if errX != nil || errY != nil || refusedX != nil || refusedY != nil || len(a) > 35 || len(b) > 35 {
			return // package time cuts fractions after nine digits; 35 characters is the longest exact text
		}
		if got, want := x < y, timeX.Before(timeY); got != want {
			t.Errorf("%q before %q: %v, package time says %v", a, b, got, want)
		}
		if got, want := x == y, timeX.Equal(timeY); got != want {
			t.Errorf("%q equals %q: %v, package time says %v", a, b, got, want)
		}
	})
}
