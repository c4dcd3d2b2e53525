package stdio

import (
	"slices"
	"sync/atomic"

	"vcp.core/runtime/transport/process"
	"vcp.core/runtime/transport/stdio/kept"
)

// command says how a program is started.
func (p *prepared) command(tool, file, dataDir string) process.Command {
	env := p.env
	if dataDir != "" {
		env = append(slices.Clip(env), DataVariable+"="+dataDir)
	}
	return process.Command{Tool: tool, File: file, Argv: p.Argv, Env: env, Dir: p.Dir, Data: dataDir}
}

// pool returns the workers of a tool with a data folder. A tool has one folder, so there is one pool.
func (s *Stdio) pool(p *prepared, tool, dataDir string) *kept.Pool {
	key := home{tool, dataDir}
	s.mu.RLock()
	pool := s.pools[key]
	s.mu.RUnlock()
	if pool != nil {
		return pool
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if pool = s.pools[key]; pool != nil {
		return pool
	}
	own := *p
	pool = kept.New(kept.Settings{
		Bounds: s.bounds[tool], Tool: tool, Slots: s.slots, Running: &s.running, Log: s.log, Limits: s.limits, Stderr: s.stderr, Linger: s.linger,
		Start: func() (*process.Process, error) {
			file, err := s.around.File(&own.Program)
			if err != nil {
				return nil, err
			}
			return s.launcher.Start(own.command(tool, file, dataDir))
		},
	})
	s.pools[key] = pool
	if s.closed {
		pool.Close()
	}
	return pool
}

// yield ends a worker that is idle, of any pool.
func (s *Stdio) yield() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.pools {
		if p.Yield() {
			return
		}
	}
}

// slots are places for processes. When all are taken, idle workers have to go.
type slots struct {
	taken   chan struct{} // one value for each process
	waiting atomic.Int32
	yield   func()
}

var _ kept.Slots = (*slots)(nil)

func newSlots(n int) *slots { return &slots{taken: make(chan struct{}, max(n, 1))} }

// Take waits for a place.
func (s *slots) Take(stop <-chan struct{}) bool {
	select {
	case s.taken <- struct{}{}:
		return true
	default:
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	s.yield()
	select {
	case s.taken <- struct{}{}:
		return true
	case <-stop:
		return false
	}
}

// Give returns a place.
func (s *slots) Give() { <-s.taken }

// Wanted reports whether somebody waits for a place.
func (s *slots) Wanted() bool { return s.waiting.Load() > 0 }
