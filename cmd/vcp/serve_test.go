//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// served is a server that runs on a folder.
type served struct {
	*exec.Cmd
	url    string
	stdout io.Reader
}

func startServer(t *testing.T, dir string, args ...string) *served {
	t.Helper()
	program, err := exec.LookPath("vcp")
	if err != nil {
		t.Fatal(err)
	}
	s := &served{Cmd: exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "data")}, args...)...)}
	s.Dir = dir
	words, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if s.stdout, err = s.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill(); _ = s.Wait() })
	lines := bufio.NewScanner(words)
	for lines.Scan() {
		if _, address, found := strings.Cut(lines.Text(), "listening on "); found {
			s.url = address
			go func() { _, _ = io.Copy(io.Discard, words) }()
			return s
		}
	}
	t.Fatal("it does not listen")
	return nil
}

func post(t *testing.T, url, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/human/tool", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // read whole
	src, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(src)
}

const create = `{"tool":"ScheduleManager","command":"CreateSchedule","arguments":{"time":"2026-07-12T10:00:00+08:00","content":"meeting"}}`

// A server is started, used with the lines that it prints, killed, started again, and stopped: what was answered is there.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, "--try")
	text := make([]byte, 4096)
	n, err := s.stdout.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	token := regexp.MustCompile(`vcp_[0-9a-f]{12}_[A-Za-z0-9_-]{43}`).FindString(string(text[:n]))
	if strings.Count(string(text[:n]), "curl ") != 3 || !strings.Contains(string(text[:n]), s.url) {
		t.Fatalf("it prints %s", text[:n])
	}
	if _, err := exec.LookPath("curl"); err == nil {
		for line := range strings.Lines(string(text[:n])) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "curl ") {
				out, err := exec.Command("sh", "-c", strings.Replace(line, "curl ", "curl -sf ", 1)).CombinedOutput()
				if err != nil || !strings.Contains(string(out), "ScheduleManager") {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
			}
		}
	} else {
		t.Log("curl is not there: its lines are not tried")
	}
	status, result := post(t, s.url, token, create)
	if status != http.StatusOK || !strings.Contains(result, `"status":"success"`) {
		t.Fatal(status, result)
	}
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
	out, err := exec.Command(s.Path, "results", "--data", filepath.Join(dir, "data"), "--json").Output()
	id := regexp.MustCompile(`"id":"(tr_[0-9A-Z]{26})"`).FindStringSubmatch(result)[1]
	if err != nil || !strings.Contains(string(out), id) {
		t.Errorf("an answer is lost: %v\n%s", err, out)
	}

	again := startServer(t, dir)
	if status, result := post(t, again.url, token, create); status != http.StatusOK {
		t.Errorf("the token of a killed run: %d %s", status, result)
	}
	if err := again.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- again.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not end")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "records.db")); err != nil {
		t.Error(err)
	}
}
