package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// vcp results and vcp audit of a user who may only read what somebody else recorded.
func TestReadingAsSomebodyElse(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program as somebody else")
	}
	shellPlugin(t, answering(success(`1`)), `{"type":"object"}`, `{"type":"integer"}`, "")
	dir, err := os.MkdirTemp("", "vcp") // t.TempDir is below a folder that nobody else may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	data, program := filepath.Join(dir, "data"), filepath.Join(dir, "vcp")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(self)
	if err = errors.Join(err, os.WriteFile(program, src, 0o700), os.Chmod(program, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	if code, _, words := vcp("call", "Shell.Run", "--data", data); code != 0 {
		t.Fatal(words)
	}
	as := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), program, append(args, "--data", data)...)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		return cmd
	}
	reads := func(args ...string) (string, bool) {
		t.Helper()
		said, err := as(args...).CombinedOutput()
		if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
			t.Skipf("a program cannot be run as somebody else: %v", err)
		}
		return string(said), err == nil
	}
	refused := func(want string) {
		t.Helper()
		if said, ok := reads("results"); ok || said != want {
			t.Errorf("it says\n%sexpected\n%s", said, want)
		}
	}
	db := filepath.Join(data, "records.db")
	const hint = "hint: who owns it can let a group read: chmod g+rx the folder, chmod g+r records.db records.db-wal records.db-shm\n"
	refused("vcp: error: the records cannot be read: this user may not enter " + data + "\n" + hint)
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	refused("vcp: error: the records cannot be read: this user may not read " + db + " and " + db + "-wal and " + db + "-shm\n" + hint)
	for _, name := range []string{db, db + "-wal", db + "-shm"} {
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, verb := range []string{"results", "audit"} {
		if said, ok := reads(verb); !ok || !strings.Contains(said, "Shell.Run") {
			t.Errorf("vcp %s says\n%s", verb, said)
		}
	}
	// Who can only read is told before he runs anything.
	said, ok := reads("call", "Shell.Run")
	if ok || !strings.HasPrefix(said, "vcp: error: the call cannot be recorded: the store cannot be written to: ") ||
		!strings.HasSuffix(said, "permission denied\nhint: --data names another folder; --no-record goes on without\n") {
		t.Errorf("vcp call says\n%s", said)
	}
	server := as("serve", "--addr", "127.0.0.1:0")
	words, err := server.StderrPipe()
	if err = errors.Join(err, server.Start()); err != nil {
		t.Fatal(err)
	}
	told := ""
	for lines := bufio.NewScanner(words); !strings.Contains(told, "; calls ") && lines.Scan(); {
		told = lines.Text()
	}
	if err := server.Process.Kill(); err != nil || !strings.Contains(told, "; calls cannot be recorded: the store cannot be written to: ") {
		t.Errorf("vcp serve says %q (%v)", told, err)
	}
	_ = server.Wait()
	if err := os.Remove(db + "-shm"); err != nil {
		t.Fatal(err)
	}
	refused("vcp: error: the records cannot be read: this user may not make " + db + "-shm, without which the database cannot be read\nhint: vcp results of a user who may write there makes it\n")
	if code, _, words := vcp("results", "--data", data); code != 0 {
		t.Fatal(words)
	}
	if said, ok := reads("results"); !ok || !strings.Contains(said, "Shell.Run") {
		t.Errorf("it says\n%s", said)
	}
}
