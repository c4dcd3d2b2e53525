//go:build unix

package stdio_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// step is one thing that the scripted worker does for a call.
type step struct {
	Do   string
	Text string
	N    int
}

// order is a frame as the scripted worker reads it.
type order struct {
	VCP     string
	ID      string
	Payload struct {
		Arguments struct {
			Token string
			Steps []step
		}
	}
}

// scripted is a kept worker that does for each call what stands in its arguments, step by step, in a goroutine of its own. Its data
// is the token of the call, so that an answer tells whose it is.
func scripted() {
	signal.Ignore(syscall.SIGTERM)
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	var ended sync.Map // calls that are to end, by id
	var last order
	var all sync.WaitGroup
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			all.Wait()
			return
		}
		var o order
		if err := json.Unmarshal(line, &o); err != nil {
			os.Exit(97)
		}
		if o.VCP == "tool-cancel" {
			if c, ok := ended.Load(o.ID); ok {
				close(c.(chan struct{}))
				ended.Delete(o.ID)
			}
			continue
		}
		end := make(chan struct{})
		ended.Store(o.ID, end)
		before := last
		last = o
		all.Go(func() {
			for _, s := range o.Payload.Arguments.Steps {
				s.take(&o, &before, end)
			}
		})
	}
}

// take does one step.
func (s *step) take(o, before *order, end <-chan struct{}) {
	answer := func(o *order) string { return oddFrame(o.ID, `"`+o.Payload.Arguments.Token+`"`) }
	say := func(text string) { _, _ = os.Stdout.WriteString(text) }
	switch s.Do {
	case "answer":
		say(answer(o))
	case "say": // ID stands for that of the call, NOUTF8 for what JSON cannot say
		say(strings.NewReplacer("ID", o.ID, "NOUTF8", "\xff").Replace(s.Text))
	case "again": // answers the call before once more
		say(answer(before))
	case "half":
		text := answer(o)
		say(text[:len(text)/2])
	case "sleep":
		time.Sleep(time.Duration(s.N) * time.Millisecond)
	case "cancelled": // waits for the end of the call
		<-end
	case "flood": // of reports
		report := `{"vcp":"tool-progress","version":"1.0","id":"` + o.ID + `","payload":{"stage":"s","progress":0.5,"message":null}}` + "\n"
		for range s.N {
			say(report)
		}
	case "noise": // on the standard error
		for range s.N {
			_, _ = os.Stderr.WriteString(s.Text)
		}
	case "exit":
		os.Exit(s.N)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "stop reading":
		_ = syscall.Close(0) // File.Close would wait for whoever reads
	case "stop writing":
		_ = syscall.Close(1)
	case "stay":
		time.Sleep(time.Minute)
	case "child": // that leaves the group and holds all pipes
		self, _ := os.Executable()
		child := exec.Command(self, role+"hold")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		child.SysProcAttr = session()
		_ = child.Start()
	default:
		os.Exit(96)
	}
}

// hasty answers a call when it knows its id, and never reads anything again.
func hasty() {
	var begin [512]byte
	n, _ := os.Stdin.Read(begin[:])
	id := regexp.MustCompile(`"id":"([^"]*)"`).FindSubmatch(begin[:n])
	_, _ = os.Stdout.WriteString(oddFrame(string(id[1]), "1"))
	time.Sleep(time.Minute)
}

// alone is a worker of which only one can run in a folder, as one that listens on a port. Each that begins leaves a file.
func alone() {
	_ = os.WriteFile("began-"+strconv.Itoa(os.Getpid()), nil, 0o600)
	lock, err := os.OpenFile("lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil || syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		fmt.Fprintln(os.Stderr, "the address is in use")
		os.Exit(1)
	}
	odd(nil)
}

// polite is a program for one call that cleans up on SIGTERM. It says when it begins to wait.
func polite() {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	line, _ := bufio.NewReader(os.Stdin).ReadBytes('\n')
	var o order
	_ = json.Unmarshal(line, &o)
	if len(o.Payload.Arguments.Steps) == 0 {
		_, _ = os.Stdout.WriteString(oddFrame(o.ID, "1"))
		return
	}
	_ = os.WriteFile("waits", nil, 0o600)
	<-term
	_ = os.WriteFile("cleaned", nil, 0o600)
}

// began is how many workers have begun in a folder.
func began(dir string) int {
	list, _ := filepath.Glob(filepath.Join(dir, "began-*"))
	return len(list)
}
