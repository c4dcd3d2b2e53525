package result

import (
	"math/rand/v2"
	"testing"
	"time"
)

// What is written by hand is what the standard library writes.
func TestAppendTime(t *testing.T) {
	const layout = "2006-01-02T15:04:05.000Z07:00"
	zones := []*time.Location{time.UTC, time.FixedZone("", 8*3600), time.FixedZone("", -3*3600-30*60), time.FixedZone("", 14*3600), time.FixedZone("", -12*3600),
		time.FixedZone("", 0), time.FixedZone("", 59), time.FixedZone("", -1), time.FixedZone("", 24*3600)}
	check := func(at time.Time) {
		t.Helper()
		if got, want := string(appendTime(nil, at)), at.Format(layout); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, zone := range zones {
		for _, at := range []time.Time{{}, time.Unix(0, 0), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 2, 29, 7, 8, 9, 1_000_000, time.UTC)} {
			check(at.In(zone))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		check(time.Unix(rng.Int64N(1<<38)-1<<37, rng.Int64N(1e9)).In(zones[rng.IntN(len(zones))]))
	}
}
