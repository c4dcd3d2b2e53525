//go:build amd64 || arm64

package link_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"syscall"
	"testing"

	"vcp.core/runtime/keeper/link"
)

// pair is two ends of a connection.
func pair(t *testing.T) (a, b int) {
	t.Helper()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(ends[1]) })
	return ends[0], ends[1]
}

// Messages come in order however they are cut and put together, and each with its own descriptors.
func TestStream(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	a, b := pair(t)
	var sent []message
	for range 500 {
		sent = append(sent, some(r))
	}
	go func() {
		defer func() { _ = syscall.Close(a) }()
		for i, m := range sent {
			var files []int
			if s, ok := m.(*link.Spawn); ok {
				for range s.Files() {
					var ends [2]int
					if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
						t.Error(err)
					}
					_, _ = syscall.Write(ends[1], []byte{byte(i)})
					_ = syscall.Close(ends[1])
					files = append(files, ends[0])
				}
			}
			if _, err := link.Send(a, m.Bytes(), files); err != nil {
				t.Error(err)
			}
			for _, f := range files {
				_ = syscall.Close(f)
			}
		}
	}()
	stream := &link.Stream{Receive: func(p, oob []byte) (int, int, error) {
		return link.Receive(b, p[:1+r.IntN(min(len(p), 300))], oob)
	}}
	for i, want := range sent {
		bytes, err := stream.Next()
		if err != nil {
			t.Fatal(err)
		}
		m, err := link.Decode(bytes)
		if err != nil || !reflect.DeepEqual(m, want) {
			t.Fatalf("message %d: %+v, %v, want %+v", i, m, err, want)
		}
		if s, ok := m.(*link.Spawn); ok {
			files := stream.Files(s.Files())
			if len(files) != s.Files() {
				t.Fatalf("message %d: %d descriptors, want %d", i, len(files), s.Files())
			}
			for _, fd := range files {
				f := os.NewFile(uintptr(fd), "")
				if mark, err := io.ReadAll(f); err != nil || len(mark) != 1 || mark[0] != byte(i) {
					t.Errorf("message %d has a descriptor of %d, %v", i, mark, err)
				}
				_ = f.Close()
			}
		}
	}
	if _, err := stream.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

// A length beyond all is refused before memory is taken for it.
func TestStreamTooLong(t *testing.T) {
	a, b := pair(t)
	defer func() { _ = syscall.Close(a) }()
	if _, err := syscall.Write(a, []byte{0xff, 0xff, 0xff, 0xff, 1}); err != nil {
		t.Fatal(err)
	}
	stream := &link.Stream{Receive: func(p, oob []byte) (int, int, error) { return link.Receive(b, p, oob) }}
	if _, err := stream.Next(); !errors.Is(err, link.ErrMessage) {
		t.Errorf("%v", err)
	}
}
