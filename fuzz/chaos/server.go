//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is a running vcp serve.
type server struct {
	*exec.Cmd
	url string
}

// start starts a server and waits until it listens.
func (w *world) start(ctx context.Context) (*server, error) {
	args := []string{filepath.Join(w.bin, "vcp"), "serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(w.dir, "data"), "--plugins", filepath.Join(w.dir, "plugins")}
	if w.store != "" {
		args = append(args, "--store", w.store)
	}
	if w.refuse {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		args = append([]string{self, refuseVerb}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = w.dir
	if w.user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(w.user), Gid: uint32(w.user)}}
		cmd.Env = append(os.Environ(), "HOME="+w.dir)
	}
	words, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{Cmd: cmd}
	lines := bufio.NewScanner(words)
	var said strings.Builder
	for lines.Scan() {
		if _, address, found := strings.Cut(lines.Text(), "listening on "); found {
			s.url = address
			go func() { _, _ = io.Copy(io.Discard, words) }()
			return s, nil
		}
		said.WriteString(lines.Text() + "\n")
	}
	_ = cmd.Wait()
	return nil, fmt.Errorf("the server did not start:\n%s", said.String())
}

func (s *server) kill() {
	_ = s.Process.Kill()
	_ = s.Wait()
}

func (s *server) stop() error {
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.Wait()
}

// acks are the results that clients hold in their hands.
type acks struct {
	sync.Mutex
	results map[string]string // result id -> record id
	calls   int
}

func (w *world) acknowledged() int {
	w.acks.Lock()
	defer w.acks.Unlock()
	return len(w.acks.results)
}

// busy waits until both programs have noted an effect and something was acknowledged.
func (w *world) busy(ctx context.Context) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		least := w.acknowledged()
		for _, tool := range []string{once, keptTool} {
			ids, err := w.effects(tool)
			if err != nil {
				return err
			}
			least = min(least, len(ids))
		}
		switch {
		case least > 0:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Since(began) > time.Minute:
			return errors.New("nothing happens for a minute")
		}
	}
}

// load is the clients at work.
type load struct{ sync.WaitGroup }

func (l *load) wait() { l.Wait() }

// clients is how many call at the same time.
const clients = 6

// bodies are calls of a linked plugin, of a program for each call, and of a kept worker.
var bodies = []string{
	`{"tool":"ScheduleManager","command":"CreateSchedule","arguments":{"time":"2026-07-12T10:00:00+08:00","content":"chaos"}}`,
	`{"tool":"Once","command":"Do","arguments":{"n":1}}`,
	`{"tool":"Kept","command":"Do","arguments":{"n":2}}`,
}

// load lets clients call until the server is gone.
func (w *world) load(ctx context.Context, s *server) *load {
	l := &load{}
	for c := range clients {
		l.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
			defer client.CloseIdleConnections()
			for i := c; w.call(ctx, client, s.url, bodies[i%len(bodies)]) == nil; i++ {
			}
		})
	}
	return l
}

// call makes one call. What was answered in full counts as acknowledged.
func (w *world) call(ctx context.Context, client *http.Client, url, body string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/human/tool", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // read whole
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	var result struct {
		ID        string
		Execution struct{ RecordID *string }
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %.200s", res.Status, text)
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	w.acks.Lock()
	defer w.acks.Unlock()
	w.acks.calls++
	if result.Execution.RecordID != nil {
		if w.acks.results == nil {
			w.acks.results = map[string]string{}
		}
		w.acks.results[result.ID] = *result.Execution.RecordID
	}
	return nil
}

// prompt is how soon no process of a plugin may be left.
const prompt = 2 * time.Second

// orphans waits until no process of a plugin is left, and tells how long that took, and which are when the time is over. Only
// time counts in which the machine runs: of a look that takes longer than two sleeps no more than those do.
func (w *world) orphans() (left []string, took time.Duration) {
	const pause = 20 * time.Millisecond
	for {
		began := time.Now()
		left = w.processes()
		if len(left) == 0 || took > prompt {
			return left, took
		}
		time.Sleep(pause)
		took += min(time.Since(began), 2*pause)
	}
}

// processes are those that have the mark in their arguments and are no zombies.
func (w *world) processes() []string {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var list []string
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(line, []byte("\x00"+w.mark+"\x00")) {
			continue
		}
		pid := filepath.Base(filepath.Dir(name))
		if pid != strconv.Itoa(os.Getpid()) {
			list = append(list, pid+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return list
}
