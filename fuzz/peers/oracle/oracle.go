// Package oracle asks a peer for its opinion without trusting it: jsonschema v6 judges documents in a
// child process, under a time limit, and a child that crashes or hangs costs one document, not the
// test.
//
// Data flow: a test -> [Child] -> one JSON line to the child -> [Serve] there -> v6 -> one JSON line
// back. Both ends are in this package, so that the lines have one owner. Only tests use it: no verdict
// of an oracle ever reaches a call.
package oracle

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Schema is what a child compiles before it judges documents.
type Schema struct {
	URI       string                     `json:"uri"`               // of the schema to judge by; may carry a fragment
	Documents map[string]json.RawMessage `json:"documents"`         // every schema document it may reach, by absolute URI
	Dialect   string                     `json:"dialect"`           // of documents without `$schema`: "draft7", "draft2019-09" or "draft2020-12"
	Formats   []string                   `json:"formats,omitempty"` // asserted formats; every other format is an annotation
	// Backtracking takes patterns to an engine with look-arounds, in its mode for ECMAScript.
	Backtracking bool `json:"backtracking,omitempty"`
}

// Answer is what became of one document.
type Answer string

// The answers. NotJSON means that encoding/json refuses the document; Crashed and TimedOut that the
// child ended, or had to be ended, over it.
const (
	Valid    Answer = "valid"
	Invalid  Answer = "invalid"
	NotJSON  Answer = "not-json"
	Crashed  Answer = "crashed"
	TimedOut Answer = "timed-out"
)

// Decided reports whether the oracle has an opinion.
func (a Answer) Decided() bool { return a == Valid || a == Invalid }

// RefusedError reports that the oracle does not compile a schema.
type RefusedError struct{ URI, Reason string }

// Error says it in a sentence.
func (e *RefusedError) Error() string { return fmt.Sprintf("oracle refuses %s: %s", e.URI, e.Reason) }

// Child is a running oracle process. It is restarted as needed and holds one schema at a time. It is
// not safe for concurrent use.
type Child struct {
	Limit time.Duration // for one document

	argv   []string
	schema *Schema // what the running process was told, nil before Load

	cmd      *exec.Cmd
	in       io.WriteCloser
	replies  chan reply // closed when the process's output ends
	Restarts int        // processes that crashed or hung so far
}

// New returns a child that runs argv when it is first needed and may spend limit on each document.
func New(limit time.Duration, argv ...string) *Child {
	return &Child{argv: argv, Limit: limit}
}

// request is one line to the child: one member is set.
type request struct {
	Schema   *Schema `json:"schema,omitempty"`
	Document []byte  `json:"document,omitempty"` // base64, since it may be no UTF-8
	// Documents are answered together.
	Documents [][]byte `json:"documents,omitempty"`
}

// reply is one line from the child.
type reply struct {
	Answer  Answer   `json:"answer,omitempty"`
	Answers []Answer `json:"answers,omitempty"`
	Loaded  bool     `json:"loaded,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// Load makes the child compile s. A schema that the oracle does not compile is a *RefusedError.
func (c *Child) Load(s Schema) error {
	c.schema = &s
	return c.tell()
}

// tell sends the schema to a process, starting one if there is none.
func (c *Child) tell() error {
	r, ok, err := c.ask(request{Schema: c.schema})
	switch {
	case err != nil:
		return err
	case !ok:
		return &RefusedError{URI: c.schema.URI, Reason: "the process " + string(r.Answer)}
	case !r.Loaded:
		return &RefusedError{URI: c.schema.URI, Reason: r.Reason}
	}
	return nil
}

// Judge returns the oracle's answer on one document by the schema loaded last. An error means that
// the oracle as such does not work; a document that it cannot stand is an answer.
func (c *Child) Judge(document []byte) (Answer, error) {
	if c.cmd == nil {
		if err := c.tell(); err != nil {
			return "", err
		}
	}
	r, _, err := c.ask(request{Document: document})
	return r.Answer, err
}

// JudgeAll returns the answers on many documents, which are sent together: that is several times as fast as one
// after the other. When the child does not survive them, they are judged one by one.
func (c *Child) JudgeAll(documents [][]byte) ([]Answer, error) {
	if c.cmd == nil {
		if err := c.tell(); err != nil {
			return nil, err
		}
	}
	r, ok, err := c.ask(request{Documents: documents})
	if err != nil {
		return nil, err
	}
	if ok && len(r.Answers) == len(documents) {
		return r.Answers, nil
	}
	answers := make([]Answer, len(documents))
	for i, d := range documents {
		if answers[i], err = c.Judge(d); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// ask sends one line and waits for one. When the process ends or overruns its time instead, ok is
// false, the process is gone, and the answer tells which it was.
func (c *Child) ask(q request) (r reply, ok bool, err error) {
	if c.cmd == nil {
		if err := c.start(); err != nil {
			return r, false, err
		}
	}
	line, err := json.Marshal(q)
	if err != nil {
		return r, false, err
	}
	// A failed write means that the process is gone; the closed reply channel says the same below.
	_, _ = c.in.Write(append(line, '\n'))
	limit := c.Limit
	if q.Schema != nil {
		limit = max(limit, time.Minute) // the process may be starting on a busy machine
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r, ok = <-c.replies:
		if ok {
			return r, true, nil
		}
		r.Answer = Crashed
	case <-timer.C:
		r.Answer = TimedOut
	}
	c.Restarts++
	c.end()
	return r, false, nil
}

func (c *Child) start() error {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	replies := make(chan reply, 1)
	go func() {
		defer close(replies)
		for d := json.NewDecoder(bufio.NewReader(out)); ; {
			var r reply
			if d.Decode(&r) != nil {
				return
			}
			replies <- r
		}
	}()
	c.cmd, c.in, c.replies = cmd, in, replies
	return nil
}

// end stops the process and waits until nothing of it is left.
func (c *Child) end() {
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	for range c.replies { //nolint:revive // drained so that the reader ends before Wait closes its pipe
	}
	_ = c.cmd.Wait() // killed: its exit status says nothing
	c.cmd, c.in, c.replies = nil, nil, nil
}

// Close ends the process. A closed child starts again when it is next asked.
func (c *Child) Close() {
	if c.cmd != nil {
		c.end()
	}
}
