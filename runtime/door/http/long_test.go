package http_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"vcp.core/contract/call"
	door "vcp.core/runtime/door/http"
)

// pipes is a listener for connections that are made in this process, where their time may be a test's.
type pipes chan net.Conn

// Accept implements net.Listener.
func (p pipes) Accept() (net.Conn, error) {
	if c, open := <-p; open {
		return c, nil
	}
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (p pipes) Close() error {
	close(p)
	return nil
}

// Addr implements net.Listener.
func (pipes) Addr() net.Addr { return &net.UnixAddr{} }

// lasting is a runtime whose calls last until they are cancelled, or an hour.
type lasting struct {
	odd
	ended chan error
}

func (l lasting) Execute(ctx context.Context, _ call.Call) call.Result {
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
	}
	l.ended <- ctx.Err()
	return nil
}

// The limit of reading a body is none of the call: as long as the client is there, it goes on.
func TestCallLongerThanItsBody(t *testing.T) {
	for _, path := range []string{shortWay, longWay} {
		for _, chunked := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				l := lasting{ended: make(chan error, 1)}
				d := door.New(door.Options{Runtime: l, Registry: func() call.Registry { return registry{} }, Tokens: anybody{}})
				in := make(pipes)
				s := d.Server()
				go func() { _ = s.Serve(in) }()
				client, server := net.Pipe()
				in <- server
				const body = `{"tool":"T","command":"Echo"}`
				frame := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
				if chunked {
					frame = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
				}
				for range 2 {
					_, err := io.WriteString(client, "POST "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n"+frame)
					if err != nil {
						t.Fatal(err)
					}
					start := time.Now()
					r, err := http.ReadResponse(bufio.NewReader(client), nil)
					if err != nil {
						t.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, r.Body)
					_ = r.Body.Close()
					if err := <-l.ended; err != nil || time.Since(start) != time.Hour {
						t.Errorf("%s (chunked %v): the call was cancelled after %v", path, chunked, time.Since(start))
					}
				}
				_ = client.Close()
				_ = s.Close()
			})
		}
	}
}
