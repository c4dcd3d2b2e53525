//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// soakers is how many clients call at the same time in a soak.
const soakers = 64

// sample is what a server holds at one moment.
type sample struct {
	memory, heap, descriptors, goroutines, processes int
}

// soak lets clients call for a while and looks whether anything grows: the medians of the second and of the last third
// of the time are compared. Then it lets a worker hang, and looks what that costs the other tools.
func (w *world) soak(ctx context.Context, span time.Duration) error {
	s, err := w.start(ctx)
	if err != nil {
		return err
	}
	defer s.kill()
	var calls [3]atomic.Int64
	over, stop := context.WithCancel(ctx)
	defer stop()
	done := w.soakers(over, s.url, &calls)
	var samples []sample
	for end := time.Now().Add(span); time.Now().Before(end); {
		time.Sleep(span / 120)
		at, err := w.look(ctx, s)
		if err != nil {
			return err
		}
		samples = append(samples, at)
	}
	fmt.Printf("soak: %v, %d clients: %d calls of a linked plugin, %d of a program for each call, %d of a kept worker\n",
		span, soakers, calls[0].Load(), calls[1].Load(), calls[2].Load())
	if calls[0].Load() == 0 || calls[1].Load() == 0 || calls[2].Load() == 0 {
		return errors.New("a tool was not called: the run proves nothing")
	}
	failed := w.flat(samples)
	slowed, err := w.hung(ctx, s.url, &calls[0], span)
	stop()
	<-done
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	if left, _ := w.orphans(); len(left) > 0 {
		return fmt.Errorf("processes are left: %v", left)
	}
	if failed || slowed {
		return errors.New("something grows, or a hung worker slows others")
	}
	return nil
}

// flat compares the second third with the last one and prints both. What is held may grow by a tenth, and by a little that is
// noise: pools fill, a garbage collector is late.
func (w *world) flat(samples []sample) (failed bool) {
	third := len(samples) / 3
	for _, what := range []struct {
		name  string
		of    func(sample) int
		noise int
	}{
		{"resident KiB", func(s sample) int { return s.memory }, 16 << 10},
		{"of it Go's heap, KiB", func(s sample) int { return s.heap }, 16 << 10},
		{"descriptors", func(s sample) int { return s.descriptors }, 60},
		{"goroutines", func(s sample) int { return s.goroutines }, 120},
		{"processes", func(s sample) int { return s.processes }, 60},
	} {
		before, after := median(samples[third:2*third], what.of), median(samples[2*third:], what.of)
		fmt.Printf("soak: %s: %d, then %d; a twelfth of the time each: %d\n", what.name, before, after, course(samples, what.of))
		failed = failed || after > before+before/10+what.noise
	}
	return failed
}

// hung measures the calls of a linked plugin with and without a worker that hangs, in turns.
func (w *world) hung(ctx context.Context, url string, calls *atomic.Int64, span time.Duration) (slowed bool, err error) {
	const rounds = 9
	slice := max(span/60, time.Second)
	client := &http.Client{Timeout: time.Minute}
	rate := func() float64 {
		from, begun := calls.Load(), time.Now()
		time.Sleep(slice)
		return float64(calls.Load()-from) / time.Since(begun).Seconds()
	}
	var ratios []float64
	for range rounds {
		alone := rate()
		hanging, release := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = w.call(hanging, client, url, fmt.Sprintf(`{"tool":%q,"command":"Do","arguments":{"n":%d}}`, keptHang, hang))
		}()
		time.Sleep(slice / 10)
		ratios = append(ratios, rate()/alone)
		release()
		<-ended
	}
	slices.Sort(ratios)
	fmt.Printf("soak: a hung worker beside it, a linked plugin does %.2f of its calls (median of %.2f)\n", ratios[rounds/2], ratios)
	return ratios[rounds/2] < 1-w.slower, nil
}

// soakers call until the context ends; the channel is closed when the last has stopped.
func (w *world) soakers(ctx context.Context, url string, calls *[3]atomic.Int64) <-chan struct{} {
	l := &load{}
	for c := range soakers {
		l.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
			defer client.CloseIdleConnections()
			kind := c % len(bodies)
			for ctx.Err() == nil {
				if w.call(ctx, client, url, bodies[kind]) == nil {
					calls[kind].Add(1)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { defer close(done); l.Wait() }()
	return done
}

// course is how a number went: the median of each twelfth of the samples.
func course(samples []sample, of func(sample) int) (medians []int) {
	for part := range slices.Chunk(samples, max(1, (len(samples)+11)/12)) {
		medians = append(medians, median(part, of))
	}
	return medians
}

func median(list []sample, of func(sample) int) int {
	var numbers []int
	for _, s := range list {
		numbers = append(numbers, of(s))
	}
	slices.Sort(numbers)
	if len(numbers) == 0 {
		return 0
	}
	return numbers[len(numbers)/2]
}

// look reads what the server holds.
func (w *world) look(ctx context.Context, s *server) (at sample, err error) {
	proc := filepath.Join("/proc", strconv.Itoa(s.Process.Pid))
	status, err := os.ReadFile(filepath.Join(proc, "status"))
	if err != nil {
		return at, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			at.memory, _ = strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	open, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return at, err
	}
	at.descriptors, at.processes = len(open), len(w.processes())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/metrics", nil)
	if err != nil {
		return at, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return at, err
	}
	defer res.Body.Close() //nolint:errcheck // read whole
	text, err := io.ReadAll(res.Body)
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, _ := strconv.ParseFloat(rest, 64)
		switch name {
		case "go_goroutines":
			at.goroutines = int(number)
		case "go_memstats_heap_inuse_bytes":
			at.heap = int(number) >> 10
		}
	}
	if err == nil && (at.memory == 0 || at.goroutines == 0) {
		err = errors.New("the server's numbers cannot be read")
	}
	return at, err
}
