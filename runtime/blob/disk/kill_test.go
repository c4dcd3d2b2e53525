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

// putForever names the folder that the child of TestKill fills until it is killed.
const putForever = "VCP_TEST_PUT_FOREVER"

func TestMain(m *testing.M) {
	dir := os.Getenv(putForever)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := New(dir)
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
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
