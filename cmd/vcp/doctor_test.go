package main

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
)

// said returns what an examination says about a name.
func said(e *examination, name string) finding {
	for _, f := range e.list {
		if f.Name == name {
			return f
		}
	}
	return finding{}
}

func TestDoctorOfData(t *testing.T) {
	dir := t.TempDir()
	var e examination
	e.data(filepath.Join(dir, "a", "b"))
	if f := said(&e, "data"); f.State != fine || !strings.HasSuffix(f.Text, "b, to be made in "+dir+", can be written") {
		t.Errorf("%+v", f)
	}
	if list, err := os.ReadDir(dir); len(list) != 0 || err != nil {
		t.Errorf("it has left %v, %v", list, err)
	}
	if goruntime.GOOS != "linux" {
		t.Skip("kinds of file systems are known on Linux alone")
	}
	const memory = "/dev/shm"
	if _, kind, _ := filesystem(memory); kind != "tmpfs" {
		t.Skipf("%s is no tmpfs", memory)
	}
	e = examination{}
	e.data(memory)
	if f := said(&e, "durability"); f.State != less || !strings.Contains(f.Text, "in memory (tmpfs)") {
		t.Errorf("%+v", f)
	}
	if os.Geteuid() == 0 {
		e = examination{}
		e.data("/proc/sys")
		if f := said(&e, "data"); f.State != broken {
			t.Errorf("%+v", f)
		}
	}
}
