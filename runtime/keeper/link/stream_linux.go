//go:build amd64 || arm64

package link

import (
	"encoding/binary"
	"errors"
	"io"
	"syscall"
)

// usual is more than most messages take. A buffer that had to be larger is given back with its message.
const usual = 64 << 10

// maxFiles is how many descriptors may come with one read.
const maxFiles = 32

// Stream takes messages, and the descriptors beside them, out of a socket. Receive is recvmsg on it: it may block or
// wait in another way.
type Stream struct {
	Receive func(p, oob []byte) (n, oobn int, err error)

	buf   []byte // what was read; the message at hand begins at start
	start int
	files []int // descriptors that no message has taken
}

// Next returns the next message, without its length. It is valid until Next is called again. The error is io.EOF
// when the other side is gone.
func (s *Stream) Next() ([]byte, error) {
	for {
		if rest := s.buf[s.start:]; len(rest) >= 4 {
			size := int(binary.BigEndian.Uint32(rest))
			if size > MaxMessage {
				return nil, ErrMessage
			}
			if len(rest) >= 4+size {
				s.start += 4 + size
				return rest[4 : 4+size], nil
			}
		}
		if err := s.more(); err != nil {
			return nil, err
		}
	}
}

// more reads once.
func (s *Stream) more() error {
	if rest := s.buf[s.start:]; cap(s.buf) > usual && len(rest) < usual/2 && s.start > 0 {
		s.buf, s.start = append(make([]byte, 0, usual), rest...), 0
	} else if s.start > 0 {
		s.buf, s.start = s.buf[:copy(s.buf, rest)], 0
	}
	if cap(s.buf)-len(s.buf) < 4<<10 {
		s.buf = append(make([]byte, 0, 2*cap(s.buf)+8<<10), s.buf...)
	}
	oob := make([]byte, syscall.CmsgSpace(4*maxFiles))
	n, oobn, err := s.Receive(s.buf[len(s.buf):cap(s.buf)], oob)
	if err != nil {
		return err
	}
	if oobn > 0 {
		if err := s.take(oob[:oobn]); err != nil {
			return err
		}
	}
	if n == 0 {
		return io.EOF
	}
	s.buf = s.buf[:len(s.buf)+n]
	return nil
}

// take notes the descriptors that came with a read.
func (s *Stream) take(oob []byte) error {
	list, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return err
	}
	for i := range list {
		files, err := syscall.ParseUnixRights(&list[i])
		if err != nil {
			return err
		}
		s.files = append(s.files, files...)
	}
	return nil
}

// Files takes the descriptors of the message at hand, the oldest that came. There may be fewer than asked for: this
// process may have none left.
func (s *Stream) Files(n int) []int {
	n = min(n, len(s.files))
	out := s.files[:n:n]
	s.files = s.files[n:]
	return out
}

// Receive is recvmsg on a blocking socket. Descriptors are closed in programs that are started.
func Receive(socket int, p, oob []byte) (n, oobn int, err error) {
	for {
		var flags int
		n, oobn, flags, _, err = syscall.Recvmsg(socket, p, oob, syscall.MSG_CMSG_CLOEXEC)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err == nil && flags&syscall.MSG_CTRUNC != 0:
			return 0, 0, syscall.EMFILE // which of the messages has lost its descriptors is not known
		default:
			return n, oobn, err
		}
	}
}

// Send writes a message with descriptors to a socket. It returns syscall.EAGAIN, and what is left of the message, when
// a socket that does not block can take no more; the descriptors have then gone along with the first byte.
func Send(socket int, m []byte, files []int) (rest []byte, err error) {
	var oob []byte
	if len(files) > 0 {
		oob = syscall.UnixRights(files...)
	}
	for len(m) > 0 {
		n, err := syscall.SendmsgN(socket, m, oob, nil, syscall.MSG_NOSIGNAL)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return m, err
		default:
			m, oob = m[n:], nil
		}
	}
	return nil, nil
}
