package sqlite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vcp.core/runtime/record"
	"vcp.core/runtime/store/storetest"
)

// nobody is somebody else, who owns nothing.
const nobody = 65534

// stranger is a copy of this program, which anybody may run.
func stranger(t *testing.T) (dir, program string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program as somebody else")
	}
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "program")
	if err := errors.Join(os.WriteFile(program, src, 0o700), os.Chmod(program, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir, program
}

// Records of somebody else, in a folder that this user may not write to: who may read all three files reads what was
// committed, also while their owner writes. Others are told which file they lack. Nothing is made or changed.
func TestFolderOfSomebodyElse(t *testing.T) {
	dir, program := stranger(t)
	folder := filepath.Join(dir, "data")
	path := filepath.Join(folder, "records.db")
	s := (&file{path: path}).Open(t)
	rows := storetest.NewRows(1)
	var stored []string
	commit := func() {
		t.Helper()
		r := rows.Record(t)
		if err := s.Commit(t.Context(), record.Entry{Record: &r}); err != nil {
			t.Fatal(err)
		}
		stored = append(stored, r.ResultID)
	}
	reads := func() (said string, ok bool) {
		t.Helper()
		cmd := exec.Command(program)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), listFile+"="+path)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		before := files(t, folder)
		out, err := cmd.CombinedOutput()
		if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
			t.Skipf("a program cannot be run as somebody else: %v", err)
		}
		if after := files(t, folder); !slices.Equal(before, after) {
			t.Errorf("the folder had %v and has %v", before, after)
		}
		return string(out), err == nil
	}
	readsAll := func() {
		t.Helper()
		said, ok := reads()
		got := strings.Fields(strings.Replace(said, "read only\n", "", 1))
		want := slices.Clone(stored)
		slices.Sort(got)
		slices.Sort(want)
		if !ok || !strings.HasSuffix(said, "read only\n") || !slices.Equal(got, want) {
			t.Errorf("somebody else reads %s; stored are %v", said, want)
		}
	}
	commit()
	// As long as the owner shares nothing.
	lacks := func(lack Lack, paths ...string) {
		t.Helper()
		said, ok := reads()
		want := fmt.Sprintf("may not %s %s", lack, strings.Join(paths, " and "))
		if ok || !strings.Contains(said, want) || !strings.HasSuffix(said, "\n"+string(lack)+"\n") {
			t.Errorf("somebody else is told\n%s expected ...%s...", said, want)
		}
	}
	chmod := func(mode os.FileMode, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	lacks(CannotEnter, folder)
	chmod(0o755, folder)
	lacks(CannotRead, path, path+"-wal", path+"-shm")
	chmod(0o644, path)
	lacks(CannotRead, path+"-wal", path+"-shm")
	chmod(0o644, path+"-wal")
	lacks(CannotRead, path+"-shm")
	chmod(0o644, path+"-shm")
	readsAll()
	for range 3 {
		commit()
		readsAll() // while the owner is at work
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	readsAll() // when nobody has it open

	// Another process of the owner's may write as fast as it can.
	writer := loader(t, path, loadRounds+"=20")
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- writer.Wait() }()
	for most, busy := 0, true; busy; {
		select {
		case err := <-ended:
			if busy = false; err != nil {
				t.Error(err)
			}
		default:
		}
		said, ok := reads()
		if n := strings.Count(said, "\n"); !ok || n < most {
			t.Fatalf("after %d lines somebody else reads %s", most, said)
		} else {
			most = n
		}
	}
	r, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.List(t.Context(), record.Query{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored = nil
	for i := range page.Records {
		stored = append(stored, page.Records[i].ResultID)
	}
	t.Log(len(stored), "results")
	readsAll()

	// Another program may have taken the log away with it.
	for _, gone := range [][]string{{path + "-shm"}, {path + "-wal"}, {path + "-wal", path + "-shm"}} {
		for _, name := range gone {
			if err := os.Rename(name, name+".away"); err != nil {
				t.Fatal(err)
			}
		}
		lacks(CannotMake, gone...)
		for _, name := range gone {
			if err := os.Rename(name+".away", name); err != nil {
				t.Fatal(err)
			}
		}
	}
	readsAll()
}

// files lists what is in a folder.
func files(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
