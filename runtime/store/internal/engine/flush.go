package engine

import "context"

// This file deals with what makes a commit durable, where a database can do that apart from it.

// flush makes durable what was committed.
func (s *Store) flush() error {
	if s.flusher == nil {
		return nil
	}
	// gofail: var beforeFlush struct{}
	if err := s.flusher.Flush(); err != nil {
		return s.classify(err)
	}
	// gofail: var afterFlush struct{}
	return nil
}

// late is a group that was committed and could not be flushed.
type late struct {
	group []*request
	err   error
}

// flushes flushes beside the writer, one group after the other, and answers them. It ends with the writer.
func (s *Store) flushes() {
	defer close(s.unflushed)
	for group := range s.committed {
		if err := s.flush(); err != nil {
			s.unflushed <- late{group, err}
			continue
		}
		for _, r := range group {
			s.reply(r, nil)
		}
	}
}

// ahead is how many committed groups may wait for a flush. With none the writer would wait for each flush to begin and, woken by a
// goroutine that goes on to block in the system, stand behind that until the scheduler has noticed: half a millisecond. With more,
// groups become small.
const ahead = 1

// hand gives a committed group to the goroutine that flushes. As long as that is behind, there is no hurry: what waits in the queue
// meanwhile makes the next group larger.
func (s *Store) hand(group []*request) {
	for {
		select {
		case s.committed <- group:
			return
		case l := <-s.unflushed:
			s.again(l)
		}
	}
}

// again makes a group durable whose flush failed, and answers it. Its requests are not done again as those of others are: what
// was committed after them may have ended what they began.
func (s *Store) again(l late) {
	err := s.durable(l.err)
	for _, r := range l.group {
		s.reply(r, err)
	}
}

// durable makes good for a flush that failed: what was committed needs no second transaction of its own, but one that begins.
// The writer's goroutine calls it.
func (s *Store) durable(failed error) error {
	if failed == nil {
		return nil
	}
	if _, err := s.transaction(func(context.Context, Tx) error { return nil }); err != nil || s.flush() != nil {
		return failed
	}
	return nil
}
