//go:build unix

package disk

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
	"time"
)

// putForever names the folder that the child of a test fills until it is killed; with putOnce it stops after
// one blob.
const (
	putForever = "VCP_TEST_PUT_FOREVER"
	putOnce    = "VCP_TEST_PUT_ONCE"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(putForever)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := New(dir)
	if err != nil {
		panic(err)
	}
	for i := 0; i == 0 || os.Getenv(putOnce) == ""; i++ {
		blob, err := s.Put(context.Background(), strings.NewReader(strings.Repeat(fmt.Sprint(i, " "), 1<<18)), 1<<30)
		if err != nil {
			panic(err)
		}
		fmt.Println(blob.SHA256)
	}
}

// A process that is killed in the middle of a Put leaves no wrong content under any hash, and everything it
// was told to be stored is there.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	acknowledged := 0
	leftovers := 0
	for range 8 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), putForever+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		wait := rand.N(30 * time.Millisecond)
		killed := false
		for lines.Scan() { // to the end: a line in the pipe was told before the death
			acknowledged++
			if got := read(t, s, lines.Text()); hashOf(got) != lines.Text() {
				t.Fatalf("%s holds other bytes", lines.Text())
			}
			if !killed {
				killed = true
				time.AfterFunc(wait, func() { _ = child.Process.Kill() })
			}
		}
		_ = child.Wait()
		for name := range listing(t, dir) {
			if path.Dir(name) == tmp {
				leftovers++
				continue
			}
			raw, err := os.ReadFile(dir + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != path.Base(name) {
				t.Fatalf("%s holds other bytes", name)
			}
		}
		if err := s.sweep(time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if acknowledged == 0 {
		t.Error("the child stored nothing")
	}
	t.Logf("%d blobs acknowledged, %d files cut short by the kill", acknowledged, leftovers)
}

// The bytes are flushed before they get their name, and the name is flushed before Put returns: nothing less
// survives a loss of power, and no test without one sees the difference but by looking at the system calls.
func TestFlushes(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so the order of system calls cannot be seen")
	}
	dir := t.TempDir()
	open(t, dir)
	log := t.TempDir() + "/trace"
	child := exec.Command(strace, "-f", "-y", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2,write", "-e", "signal=none", "-o", log, os.Args[0])
	child.Env = append(os.Environ(), putForever+"="+dir, putOnce+"=1")
	out, err := child.Output()
	if err != nil {
		t.Skipf("strace does not work here: %v", err)
	}
	hash := strings.TrimSpace(string(out))
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for line := range strings.Lines(string(raw)) {
		_, call, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch call = strings.TrimSpace(call); {
		case strings.HasPrefix(call, "fsync(") && strings.Contains(call, "<"+dir+"/"+tmp+"/"):
			order = append(order, "flush bytes")
		case strings.HasPrefix(call, "fsync(") && strings.Contains(call, "<"+dir+"/"+hash[:2]+">"):
			order = append(order, "flush name")
		case strings.HasPrefix(call, "fsync(") && strings.Contains(call, "<"+dir+">"):
			order = append(order, "flush folder")
		case strings.HasPrefix(call, "rename") && strings.Contains(call, hash):
			order = append(order, "name")
		case strings.HasPrefix(call, "write(1<") && strings.Contains(call, hash[:8]):
			order = append(order, "tell")
		}
	}
	if got := strings.Join(order, ", "); got != "flush folder, flush bytes, name, flush name, tell" {
		t.Errorf("the order is %s", got)
	}
}
