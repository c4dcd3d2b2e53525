// Command knockout asks whether the tests would notice that a back end forgot a keyword: it takes each
// keyword out of each back end, one at a time, and demands that some test fails.
//
//	go run ./fuzz/knockout          every rule, every back end
//	go run ./fuzz/knockout ci       the five that CI tries
//	go run ./fuzz/knockout go:not   these
//
// Data flow: test programs of gen/live and gen/emit/golang, built once with the tag "knockout" -> one run
// for each rule, which VCP_KNOCKOUT names (see gen/ir/knockout.go) -> a table of the tests that noticed.
// Golden files do not count. A test that fails without a knock-out, panics or cannot build its program has
// noticed nothing; that is a fault of its own.
//
// The status is 1 when a knock-out survives, 2 when the question could not be asked.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	survived, err := run(os.Args[1:])
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "knockout:", err)
		os.Exit(2)
	case survived > 0:
		os.Exit(1)
	}
}

// trial is one rule taken out of one back end.
type trial struct {
	rule    string
	backEnd *backEnd
	noticed []string // tests that failed
	fault   error    // why the question could not be asked
	done    chan struct{}
}

func (c *trial) name() string { return c.backEnd.name + ":" + c.rule }

// workers is how many trials run at once. Trials of generated code wait for one compiler after the other.
const workers = 2

func run(args []string) (survived int, err error) {
	if slices.Equal(args, []string{"ci"}) {
		args = ci
	}
	trials, err := trialsOf(args)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	dir, err := os.MkdirTemp("", "knockout")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := build(dir, trials); err != nil {
		return 0, err
	}
	built := time.Now()
	queue := make(chan *trial, len(trials))
	for _, c := range trials {
		queue <- c
	}
	close(queue)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for c := range queue {
				c.try()
				close(c.done)
			}
		})
	}
	faults := printTable(trials)
	wg.Wait()
	survived = len(trials) - len(faults)
	for _, c := range trials {
		if c.noticed != nil {
			survived--
		}
	}
	fmt.Printf("\n%d knock-outs: %d noticed, %d survived, %d not tried (build %.0f s, trials %.0f s)\n", len(trials),
		len(trials)-survived-len(faults), survived, len(faults), built.Sub(start).Seconds(), time.Since(built).Seconds())
	faults = append(faults, controls(trials)...)
	return survived, errors.Join(faults...)
}

// trialsOf returns the trials that are asked for, all when none is.
func trialsOf(names []string) ([]*trial, error) {
	var list []*trial
	known := map[string]bool{}
	for _, rule := range rules {
		for _, b := range backEnds {
			c := &trial{rule: rule, backEnd: b, done: make(chan struct{})}
			if !b.has(rule) {
				continue
			}
			known[c.name()] = true
			if len(names) == 0 || slices.Contains(names, c.name()) {
				list = append(list, c)
			}
		}
	}
	for _, name := range names {
		if !known[name] {
			return nil, fmt.Errorf("%q is no back end and rule, as in go:minLength", name)
		}
	}
	return list, nil
}

// build builds the test programs that the trials need.
func build(dir string, trials []*trial) error {
	programs := map[string]string{} // by package
	for _, c := range trials {
		b := c.backEnd
		if programs[b.pkg] == "" {
			programs[b.pkg] = filepath.Join(dir, filepath.Base(b.pkg)+".test")
			cmd := exec.Command("go", "test", "-c", "-tags", "knockout", "-o", programs[b.pkg], "./"+b.pkg)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
			}
		}
		b.bin = programs[b.pkg]
	}
	return nil
}

// try runs tests until one notices.
func (c *trial) try() {
	for _, tests := range c.backEnd.tests {
		if c.noticed, c.fault = c.backEnd.run(tests, c.name()); c.noticed != nil || c.fault != nil {
			return
		}
	}
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// run returns the tests that fail while a rule is knocked out, in the order in which they ran.
func (b *backEnd) run(tests, knockout string) (noticed []string, err error) {
	const patience = 5 * time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.bin, "-test.run", "^("+tests+")$")
	cmd.Dir = b.pkg
	cmd.Env = append(os.Environ(), "VCP_KNOCKOUT="+knockout)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	text := string(out)
	for _, m := range failed.FindAllStringSubmatch(text, -1) {
		noticed = append(noticed, m[1])
	}
	says := func(words string) bool { return strings.Contains(text, words) }
	if noticed == nil || says("panic: ") || b.says != nil && !slices.ContainsFunc(b.says, says) {
		return nil, fmt.Errorf("%s: the tests fail, but not because they notice: %w\n%s", knockout, err, clip(text))
	}
	return noticed, nil
}

// controls runs each test that noticed something without any knock-out: a test that fails anyhow says
// nothing.
func controls(trials []*trial) (faults []error) {
	type test struct{ pkg, name string }
	seen := map[test]bool{}
	for _, c := range trials {
		for _, name := range c.noticed {
			if t := (test{c.backEnd.pkg, name}); !seen[t] {
				seen[t] = true
				if noticed, err := c.backEnd.run(name, ""); noticed != nil || err != nil {
					faults = append(faults, fmt.Errorf("%s of %s fails without a knock-out", name, c.backEnd.pkg))
				}
			}
		}
	}
	return faults
}

func clip(text string) string {
	const most = 2000
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// printTable prints a line for each rule as soon as its trials are done.
func printTable(trials []*trial) (faults []error) {
	const wide = "%-30s  %-38s  %-38s  %s\n"
	titles := []any{"rule"}
	for _, b := range backEnds {
		titles = append(titles, b.name)
	}
	fmt.Printf(wide, titles...)
	for len(trials) > 0 {
		rule := trials[0].rule
		cells := []any{rule}
		for _, b := range backEnds {
			if len(trials) == 0 || trials[0].rule != rule || trials[0].backEnd != b {
				cells = append(cells, "")
				continue
			}
			c := trials[0]
			trials = trials[1:]
			<-c.done
			cells = append(cells, c.cell())
			if c.fault != nil {
				faults = append(faults, c.fault)
			}
		}
		fmt.Print(strings.TrimRight(fmt.Sprintf(wide, cells...), " \n") + "\n")
	}
	return faults
}

// cell is what the table says about a trial.
func (c *trial) cell() string {
	switch {
	case c.fault != nil:
		return "FAULT"
	case c.noticed == nil:
		return "SURVIVED"
	case len(c.noticed) == 1:
		return c.noticed[0]
	}
	return fmt.Sprintf("%s and %d more", c.noticed[0], len(c.noticed)-1)
}
