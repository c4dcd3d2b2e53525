//go:build unix

package main

import (
	"bufio"
	"context"
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

	"vcp.core/runtime/door/token"
)

// served is a server that runs on a folder.
type served struct {
	*exec.Cmd
	url    string
	before string // what it said until then
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
		s.before += lines.Text() + "\n"
	}
	t.Fatal("it does not listen")
	return nil
}

// A command that needs a human's approval is not run, and the answer says who can.
func TestApprovalAtTheDoor(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir)
	bearer, _, err := token.Open(filepath.Join(dir, "data", "tokens.json")).Create("ann", []string{token.Call}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	status, result := post(t, s.url, bearer, `{"tool":"ScheduleManager","command":"DeleteSchedule","arguments":{"id":"sch_01J8Z6Q4M2X7C9V3K5T1W0R001"}}`)
	const want = `"error":{"code":"APPROVAL_REJECTED","message":"ScheduleManager.DeleteSchedule needs the approval of a human, and nobody can be asked here: ` +
		`whoever works on the machine of the server can run it there, by vcp call","category":"approval","retryable":false,"target":null,"details":{"asked":false},"cause":null}`
	if status != http.StatusOK || !strings.Contains(result, want) {
		t.Errorf("%d %s", status, result)
	}
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

// A server is started, used with the lines that it prints, killed, started again, and stopped: what was answered is there,
// and the token of the run that was killed is not.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, "--try")
	text := make([]byte, 4096)
	n, err := s.stdout.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	lent := regexp.MustCompile(`vcp_[0-9a-f]{12}_[A-Za-z0-9_-]{43}`).FindString(string(text[:n]))
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
	status, result := post(t, s.url, lent, create)
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
	if status, result := post(t, again.url, lent, create); status != http.StatusUnauthorized {
		t.Errorf("the token of a killed run: %d %s", status, result)
	}
	if src, err := os.ReadFile(filepath.Join(dir, "data", "tokens.json")); err == nil {
		t.Errorf("it was kept: %s", src)
	}
	if err := again.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	endsWell(t, again.Wait)
	if _, err := os.Stat(filepath.Join(dir, "data", "records.db")); err != nil {
		t.Error(err)
	}
}

// begins tells when the calls of a server are at work.
func begins(t *testing.T, dir string) {
	t.Helper()
	eventually(t, "the plugin begins", func() bool {
		_, err := os.Stat(filepath.Join(dir, "data", "plugins", "Gate", "begun"))
		return err == nil
	})
}

const gateManifest = `{"name":"Gate","version":"1.0.0","description":"Waits for a file.","pluginType":"synchronous",
	"entryPoint":{"argv":["sh","gate.sh"]},"communication":{"protocol":"stdio","timeoutMs":60000},"toolResultProtocol":{"name":"vcp.tool-result","version":"1.0"},
	"capabilities":{"invocationCommands":[{"commandIdentifier":"Pass","description":"Waits.","effect":"write","inputSchema":{"type":"object"},"outputSchema":{}}]}}`

const gateProgram = `cat > /dev/null
echo > "$VCP_PLUGIN_DATA/begun"
while [ ! -e "$VCP_PLUGIN_DATA/open" ]; do sleep 0.01; done
echo '{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":1,"resources":[],"warnings":[],"extensions":{}}}'
`

// gate makes a plugin whose calls end when the file open is there, and a token to call it with.
func gate(t *testing.T, dir string) (bearer string) {
	t.Helper()
	folder := filepath.Join(dir, "plugins", "Gate")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"plugin-manifest.json": gateManifest, "gate.sh": gateProgram} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, _, err := token.Open(filepath.Join(dir, "data", tokenFile)).Create("a", []string{token.Call}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A server that is asked to end while a call runs says so to everybody who asks, ends the call, and is gone.
func TestServeDrains(t *testing.T) {
	dir := t.TempDir()
	bearer := gate(t, dir)
	s := startServer(t, dir, "--drain", "10m") // longer than the call, however slow the machine is
	const pass = `{"tool":"Gate","command":"Pass"}`
	result := make(chan string, 1)
	go func() {
		defer close(result)
		_, text := post(t, s.url, bearer, pass)
		result <- text
	}()
	begins(t, dir)
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	status := func(path string) int {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // each time a connection of its own
		res, err := client.Get(s.url + path)                                       //nolint:noctx // of a test
		if err != nil {
			t.Error(err)
			return 0
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	eventually(t, "it says that it is closing", func() bool { return status("/readyz") != http.StatusOK })
	if got := status("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz is %d", got)
	}
	if got := status("/healthz"); got != http.StatusOK {
		t.Errorf("/healthz is %d", got)
	}
	if got, text := post(t, s.url, bearer, pass); got != http.StatusServiceUnavailable {
		t.Errorf("a new call: %d %s", got, text)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "plugins", "Gate", "open"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if text := <-result; !strings.Contains(text, `"status":"success"`) {
		t.Error(text)
	}
	endsWell(t, s.Wait)
}

// A server that starts tells of calls that the one before it left undone.
func TestServeTellsOfCutOffCalls(t *testing.T) {
	dir := t.TempDir()
	bearer := gate(t, dir)
	s := startServer(t, dir)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/human/tool", strings.NewReader(`{"tool":"Gate","command":"Pass"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	ended := make(chan error, 1)
	go func() {
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = res.Body.Close()
		}
		ended <- err
	}()
	begins(t, dir)
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("a call of a killed server was answered")
	}
	_ = s.Wait()
	again := startServer(t, dir)
	if !strings.Contains(again.before, "vcp: a crash cut off 1 call; ") {
		t.Errorf("it says %s", again.before)
	}
}

// A service without the keeper beside it says so when it starts, and not only vcp doctor.
func TestServeWithoutKeeper(t *testing.T) {
	installed, err := exec.LookPath("vcp")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	alone := filepath.Join(dir, filepath.Base(installed))
	if err := os.Link(installed, alone); err != nil {
		t.Skip("vcp cannot have a second name here: ", err)
	}
	for _, args := range [][]string{nil, {"--keeper", "off"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, alone, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "data"), "--try"}, args...)...)
		said := new(strings.Builder)
		cmd.Stderr = said
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = out.Read(make([]byte, 1)) // the welcome comes after it
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		cancel()
		if warned := strings.Contains(said.String(), "plugins run outside of a sandbox"); warned != (args == nil) {
			t.Errorf("%q: %s", args, said)
		}
	}
}

// endsWell waits for the end of a server, which has to be a good one.
func endsWell(t *testing.T, wait func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("it does not end")
	}
}
