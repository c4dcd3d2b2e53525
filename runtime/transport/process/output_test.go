//go:build unix

package process

import (
	"errors"
	"testing"
)

// An interruption that came too late for a Read hides nothing from a Poll, and the next Read waits again.
func TestPollAfterInterrupt(t *testing.T) {
	pipes, err := NewPipes()
	if err != nil {
		t.Fatal(err)
	}
	child := pipes.Child()[1]
	if _, err := child.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	p := pipes.Started(nil)
	defer p.Close()
	var buf [8]byte
	p.Stdout.Interrupt()
	if n, err := p.Stdout.Poll(buf[:]); string(buf[:n]) != "text" || err != nil {
		t.Errorf("Poll = %q, %v", buf[:n], err)
	}
	if n, err := p.Stdout.Read(buf[:]); n != 0 || errors.Is(err, ErrInterrupted) {
		t.Errorf("Read = %d, %v: the interruption is still there", n, err)
	}
}
