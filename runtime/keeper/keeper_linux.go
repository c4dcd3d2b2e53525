//go:build amd64 || arm64

package keeper

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"vcp.core/runtime/keeper/link"
	"vcp.core/runtime/transport/process"
)

// Keeper launches processes through a keeper. It is safe for concurrent use.
type Keeper struct {
	settings

	mu      sync.Mutex
	now     *session    // nil before the first, and from the death of one to the next Start
	way     int         // the first of the ways that may work
	refused []error     // why ways before it did not
	births  []time.Time // of keepers, the latest ones
	closed  bool
	old     []*session // sessions that have not ended to the last goroutine
}

// New returns a launcher. The keeper is started when it is first needed. An error says that there can be none here.
func New(options ...Option) (*Keeper, error) {
	k := &Keeper{settings: settings{
		namespaces: true, profile: func(string) Profile { return Default() }, log: slog.New(slog.DiscardHandler), patience: 30 * time.Second,
	}}
	for _, option := range options {
		option(&k.settings)
	}
	if len(k.program) == 0 {
		return nil, errors.New("the program of a keeper is not known")
	}
	// The keeper starts in the root folder, and later than now.
	file, err := filepath.Abs(k.program[0])
	if err != nil {
		return nil, err
	}
	if stat, err := os.Stat(k.program[0]); err != nil {
		return nil, err
	} else if stat.IsDir() || stat.Mode()&0o111 == 0 {
		return nil, &os.PathError{Op: "run", Path: k.program[0], Err: syscall.EACCES}
	}
	k.program[0] = file
	if !k.namespaces {
		k.way = guarded
	} else if os.Geteuid() != 0 {
		k.way = inUserNamespace
	}
	return k, nil
}

// State starts the keeper, if it does not run, and says what is active.
func (k *Keeper) State() (State, error) {
	s, err := k.session()
	if err != nil {
		return State{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	state := State{
		PID: s.leader.Pid, Namespace: s.hello.Namespace, User: s.way == inUserNamespace, Children: s.hello.Children, Landlock: landlockVersion(),
	}
	var why []string
	for _, err := range k.refused {
		why = append(why, err.Error())
	}
	state.Refused = strings.Join(slices.Compact(why), "; ")
	return state, nil
}

// How many keepers may begin within which time. One that dies again and again is not worth another.
const (
	maxBirths   = 5
	birthWindow = 10 * time.Second
)

// session returns the session at hand, or begins one.
func (k *Keeper) session() (*session, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, ErrClosed
	}
	if k.now != nil && !k.now.isOver() {
		return k.now, nil
	}
	if n := len(k.births); k.now != nil && n >= maxBirths && time.Since(k.births[n-maxBirths]) < birthWindow {
		return nil, &process.UnavailableError{Why: "the keeper of processes ends again and again", Err: k.now.lost()}
	}
	if k.now != nil {
		k.log.Warn("the keeper of plugin processes has ended; another is started", slog.Any("error", k.now.lost()))
		k.old = append(k.old, k.now)
		k.now = nil
	}
	for ; ; k.way++ {
		s, err := begin(k.program, k.way, k.patience)
		if err == nil {
			k.log.Debug("a keeper of plugin processes", slog.Int("pid", s.leader.Pid), slog.Bool("namespace", s.hello.Namespace))
			k.now = s
			k.births = append(k.births[max(0, len(k.births)-maxBirths):], time.Now())
			return s, nil
		}
		if k.way == guarded || passing(err) {
			return nil, &process.UnavailableError{Why: "the keeper of processes cannot be started", Err: err}
		}
		k.refused = append(k.refused, err)
	}
}

// passing reports whether something was merely used up or too slow, which says nothing about the way it was tried.
func passing(err error) bool {
	if errors.Is(err, errLate) {
		return true
	}
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains([]syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE}, number)
}

// Start starts a process below the keeper.
func (k *Keeper) Start(c process.Command) (*process.Process, error) {
	for again := true; ; again = false {
		s, err := k.session()
		if err != nil {
			return nil, err
		}
		p, err := k.start(s, c)
		if again && err != nil && errors.Is(err, errNotSent) {
			continue // the keeper had died and nobody knew yet
		}
		return p, err
	}
}

// start asks a keeper for a process.
func (k *Keeper) start(s *session, c process.Command) (*process.Process, error) {
	profile := k.profile(c.Tool)
	m := &link.Spawn{File: c.File, Dir: c.Dir, Argv: c.Argv, Env: c.Env, Limits: profile.limits()}
	var ruleset *os.File
	if profile.Sandbox {
		m.NoNewPrivs, m.DropCaps = true, dropped()
		m.Env = temporary(c)
		var err error
		if ruleset, err = s.rulesets.of(&c, &profile); err != nil {
			return nil, err
		}
		m.Confined = ruleset != nil
	}
	pipes, err := process.NewPipes()
	if err != nil {
		return nil, err
	}
	child, err := s.spawn(m, append(pipes.Child(), ruleset)[:m.Files()])
	if err != nil {
		pipes.Close()
		return nil, err
	}
	return pipes.Started(child), nil
}

// Close ends the keeper, and with it everything that still runs. It returns when all is gone, or the context's
// error when that ends first.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	all := k.old
	if k.now != nil {
		k.now.hangUp()
		all = append(all, k.now)
	}
	k.now, k.old = nil, nil
	k.mu.Unlock()
	for _, s := range all {
		select {
		case <-s.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
