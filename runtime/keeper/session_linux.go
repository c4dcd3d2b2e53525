//go:build amd64 || arm64

package keeper

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"vcp.core/runtime/keeper/link"
	"vcp.core/runtime/keeper/serve"
	"vcp.core/runtime/transport/process"
)

// The ways to start a keeper, the best first.
const (
	inNamespace     = iota // PID and mount namespaces
	inUserNamespace        // the same, in a user namespace
	guarded                // none of them, below a guard
)

// session is one keeper from its start to its death.
type session struct {
	way    int
	leader *os.Process
	hello  link.Hello
	socket *os.File
	raw    syscall.RawConn

	rulesets rulesets

	born     time.Time
	patience time.Duration
	heard    atomic.Int64 // when the keeper said something last, nanoseconds after born

	writing sync.Mutex // one message at a time

	mu      sync.Mutex
	next    uint64
	running map[uint64]*child
	over    bool
	silent  bool // it was given up
	err     error

	done chan struct{} // closed when the keeper was waited for and no goroutine is left
}

// sysAdmin is the capability to mount.
const sysAdmin = 21

// attributes are those of a keeper's process. It leads a session of its own, so that nothing that is meant for our
// terminal or group reaches it or its children.
func attributes(way int) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	switch way {
	case inUserNamespace:
		a.Cloneflags = syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		a.AmbientCaps = []uintptr{sysAdmin}
		fallthrough
	case inNamespace:
		a.Cloneflags |= syscall.CLONE_NEWPID | syscall.CLONE_NEWNS
	}
	return a
}

// How long a keeper has to say that it is there, and one that is given up to end by itself. A guard in that case ends
// what is below it first, which takes it at most half of that.
const (
	toBegin = 10 * time.Second
	toEnd   = 10 * time.Second
)

// begin starts a keeper.
func begin(program []string, way int, patience time.Duration) (*session, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "keeper")
	defer func() { _ = theirs.Close() }()
	_ = syscall.SetNonblock(pair[0], true)
	s := &session{
		way: way, socket: os.NewFile(uintptr(pair[0]), "keeper"), running: map[uint64]*child{}, done: make(chan struct{}),
		born: time.Now(), patience: patience,
	}
	if s.raw, err = s.socket.SyscallConn(); err != nil {
		_ = s.socket.Close()
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = s.socket.Close()
		return nil, err
	}
	defer func() { _ = null.Close() }()
	words, theirWords, err := os.Pipe()
	if err != nil {
		_ = s.socket.Close()
		return nil, err
	}
	role := serve.Namespaced
	if way == guarded {
		role = serve.Guarded
	}
	argv := append(append([]string{}, program...), role)
	s.leader, err = os.StartProcess(program[0], argv, &os.ProcAttr{
		Env: environment, Dir: "/", Files: []*os.File{null, null, theirWords, theirs}, Sys: attributes(way),
	})
	_ = theirWords.Close()
	if err != nil {
		_ = s.socket.Close()
		_ = words.Close()
		return nil, err
	}
	_ = theirs.Close()
	stream := &link.Stream{Receive: s.receive}
	if err := s.greet(stream); err != nil {
		_ = s.socket.Close()
		_ = s.leader.Kill()
		_, _ = s.leader.Wait()
		_ = words.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		said, _ := io.ReadAll(io.LimitReader(words, 1000))
		_ = words.Close()
		if len(said) > 0 {
			return nil, fmt.Errorf("%s", said)
		}
		return nil, err
	}
	go s.run(stream, words)
	return s, nil
}

// Why there is no first message. A keeper that knows why says it itself.
var (
	errLate     = fmt.Errorf("it did not say within %v that it is there", toBegin)
	errNoKeeper = errors.New("it ended, or is no keeper: it did not say that it is there")
)

// greet waits for the keeper's first message.
func (s *session) greet(stream *link.Stream) error {
	_ = s.socket.SetReadDeadline(time.Now().Add(toBegin))
	defer func() { _ = s.socket.SetReadDeadline(time.Time{}) }()
	message, err := stream.Next()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errLate
	case errors.Is(err, io.EOF):
		return errNoKeeper
	case err != nil:
		return err
	}
	m, err := link.Decode(message)
	if err != nil {
		return err
	}
	hello, ok := m.(*link.Hello)
	files := stream.Files(1)
	if !ok || len(files) != 1 {
		return link.ErrMessage
	}
	s.rulesets.proc = os.NewFile(uintptr(files[0]), "proc")
	if hello.Version != link.Version {
		return fmt.Errorf("the keeper speaks version %d, not %d: it was built with another runtime", hello.Version, link.Version)
	}
	s.hello = *hello
	return nil
}

// discard says that the keeper is gone.
func (s *session) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// receive is recvmsg that waits as Go waits.
func (s *session) receive(p, oob []byte) (n, oobn int, err error) {
	failed := s.raw.Read(func(fd uintptr) bool {
		n, oobn, err = link.Receive(int(fd), p, oob)
		return !errors.Is(err, syscall.EAGAIN)
	})
	if failed != nil {
		return 0, 0, failed
	}
	return n, oobn, err
}

// errNotSent says that a keeper has not got a message.
var errNotSent = errors.New("the keeper did not get the message")

// send sends a message with descriptors.
func (s *session) send(m []byte, files []int) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	rest, some := m, false
	var err error
	failed := s.raw.Write(func(fd uintptr) bool {
		rest, err = link.Send(int(fd), rest, files)
		if len(rest) < len(m) {
			files, some = nil, true
		}
		return !errors.Is(err, syscall.EAGAIN)
	})
	closed := failed != nil // by us; there is no other reason
	if closed {
		err = failed
	}
	if closed || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		s.discard() // before it is taken for one that can be asked
		if !some {
			return fmt.Errorf("%w: %w", errNotSent, err)
		}
	}
	return err
}

// spawn sends a request for a process.
func (s *session) spawn(m *link.Spawn, files []*os.File) (*child, error) {
	c := &child{session: s, started: make(chan syscall.Errno, 1), over: make(chan struct{})}
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return nil, errNotSent
	}
	s.next++
	c.id, m.ID = s.next, s.next
	s.running[c.id] = c
	s.mu.Unlock()
	numbers := make([]int, len(files))
	for i, f := range files {
		if err := number(f, &numbers[i]); err != nil {
			s.forget(c)
			return nil, err
		}
	}
	message := m.Bytes()
	if len(message) > link.MaxMessage {
		s.forget(c)
		return nil, syscall.E2BIG
	}
	defer s.expect(c).Stop()
	err := s.send(message, numbers)
	runtime.KeepAlive(files)
	if err != nil {
		s.forget(c)
		return nil, err
	}
	select {
	case errno := <-c.started:
		if errno != 0 {
			return nil, errno
		}
		return c, nil
	case <-c.over: // the keeper has died; whether the program ran is not known
		select {
		case errno := <-c.started:
			if errno != 0 {
				return nil, errno
			}
		default:
		}
		return c, nil
	}
}

// expect gives the keeper up when it owes an answer about a process and says nothing for too long.
func (s *session) expect(c *child) *time.Timer {
	var t *time.Timer
	s.mu.Lock() // the timer is known when it fires
	defer s.mu.Unlock()
	since := time.Since(s.born)
	t = time.AfterFunc(s.patience, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.answered || s.over {
			return
		}
		last := max(since, time.Duration(s.heard.Load()))
		if quiet := time.Since(s.born) - last; quiet < s.patience {
			t.Reset(s.patience - quiet)
			return
		}
		s.silent, s.over = true, true
		_ = s.socket.Close() // whoever waits for it, waits no longer
	})
	return t
}

// number gets the number of a descriptor, and leaves it in the poller's hands, which Fd would not.
func number(f *os.File, into *int) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) { *into = int(fd) })
}

// forget drops a process that was not started.
func (s *session) forget(c *child) {
	s.mu.Lock()
	c.answered = true
	delete(s.running, c.id)
	s.mu.Unlock()
}

// run takes in what the keeper tells, until it is gone.
func (s *session) run(stream *link.Stream, words *os.File) {
	defer close(s.done)
	var last process.Tail
	last.Size = 1000
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(&last, words) })
	var err error
	for {
		var message []byte
		if message, err = stream.Next(); err != nil {
			break
		}
		s.heard.Store(int64(time.Since(s.born)))
		var m any
		if m, err = link.Decode(message); err != nil {
			break
		}
		switch m := m.(type) {
		case *link.Started:
			s.started(m)
		case *link.Ended:
			s.ended(m)
		}
	}
	// The keeper is of no use any more, whatever it does: with it, everything below it ends.
	s.discard()
	_ = s.socket.Close()
	state, waited := s.bury()
	_ = words.SetReadDeadline(time.Now().Add(toEnd)) // below a guard that was killed, a keeper is still at work
	reading.Wait()
	_ = words.Close()
	_ = s.rulesets.proc.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.silent:
		err = fmt.Errorf("it did not answer for %v", s.patience)
	case last.String() != "":
		err = errors.New(last.String())
	case waited != nil:
		err = waited
	case !errors.Is(err, io.EOF):
	default:
		err = errors.New(state.String())
	}
	s.err = err
	for _, c := range s.running {
		c.lost = &LostError{Err: err}
		close(c.over)
	}
	s.running = nil
}

// bury waits for the end of the keeper's process, or of its guard's. A keeper in a namespace is simply killed. A guard first
// ends what the keeper leaves behind; that it may have been stopped must not keep it from that.
func (s *session) bury() (*os.ProcessState, error) {
	if s.way != guarded {
		_ = s.leader.Kill()
		return s.leader.Wait()
	}
	_ = s.leader.Signal(syscall.SIGCONT)
	kill := time.AfterFunc(toEnd, func() { _ = s.leader.Kill() })
	defer kill.Stop()
	return s.leader.Wait()
}

// started notes that a program runs, or why it does not.
func (s *session) started(m *link.Started) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.running[m.ID]; c != nil {
		if c.answered {
			return // told twice
		}
		c.answered = true
		c.started <- syscall.Errno(m.Errno)
		if m.Errno != 0 {
			delete(s.running, m.ID)
		}
	}
}

// ended notes the end of a process.
func (s *session) ended(m *link.Ended) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.running[m.ID]
	if c == nil {
		return
	}
	delete(s.running, m.ID)
	c.ending = process.EndingOf(syscall.WaitStatus(m.Status))
	close(c.over)
}

// hangUp lets the keeper know that it is not needed any more.
func (s *session) hangUp() {
	_ = s.raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_WR) })
}

func (s *session) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// lost says why the keeper is gone, nil when it is not known yet.
func (s *session) lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// child is a process below a keeper.
type child struct {
	session *session
	id      uint64

	answered bool               // the keeper has said whether it runs, guarded by the session's mu
	started  chan syscall.Errno // 0 when the program runs
	over     chan struct{}      // closed when it has ended; what follows is then still

	ending process.Ending
	lost   error
}

// Terminate asks the process and its group to end.
func (c *child) Terminate() { c.signal(syscall.SIGTERM) }

// Kill ends the process and its group; the keeper then ends whatever else it started.
func (c *child) Kill() { c.signal(syscall.SIGKILL) }

func (c *child) signal(s syscall.Signal) {
	select {
	case <-c.over:
	default:
		m := link.Signal{ID: c.id, Number: uint64(s)}
		// Nobody waits for it: a keeper that takes nothing in must not hold up a call beyond its limit. One that is
		// gone takes the process along.
		go func() { _ = c.session.send(m.Bytes(), nil) }()
	}
}

// Wait returns how the process ended.
func (c *child) Wait() (process.Ending, error) {
	<-c.over
	return c.ending, c.lost
}
