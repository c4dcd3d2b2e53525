//go:build linux

// Command chaos kills vcp serve again and again while it works, and looks at what is left.
//
// Six clients call three tools with effects, each in its own way: a linked plugin, a program for each call, a
// kept worker. The program ignores SIGTERM and leaves a grandchild behind in a session of its own. At a random moment
// the server is killed (SIGKILL), and a new one is started on the same data. Then must hold:
//
//   - every result that was acknowledged with a record is in the store;
//
//   - every effect that the programs noted has a record: what came of it, or that nobody knows;
//
//   - no intent is open, once a server was started again;
//
//   - two seconds after the kill no process of a plugin is left. Seconds in which the machine stands still do not count.
//
//     chaos [-kills 200] [-store postgres://…] [-user 65534] [-refuse] [-seed N]
//     chaos -soak 10m
//
// With -user the server runs as this user, with -refuse the kernel refuses it new namespaces. It prints what it
// counted, and exits with 1 when something does not hold.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	kills  int
	store  string
	user   int
	refuse bool
	seed   uint64
	bin    string // where vcp and vcp-keeper are
	soak   time.Duration
	slower float64
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == pluginVerb {
		os.Exit(plugin(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == refuseVerb {
		os.Exit(refused(os.Args[2:]))
	}
	var s settings
	flag.IntVar(&s.kills, "kills", 10, "how often the server is killed")
	flag.StringVar(&s.store, "store", "", "a postgres:// URL; SQLite in the data folder without it")
	flag.IntVar(&s.user, "user", 0, "the user that the server runs as; 0 is this one")
	flag.BoolVar(&s.refuse, "refuse", false, "the kernel refuses new namespaces to the server")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "of the moments of the kills")
	flag.StringVar(&s.bin, "bin", "bin", "the folder of vcp and vcp-keeper")
	flag.DurationVar(&s.soak, "soak", 0, "kill nothing, but let 64 clients call for so long and see whether anything grows")
	flag.Float64Var(&s.slower, "slower", 0.1, "by how much a hung worker may slow another tool in a soak")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := run(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	dir, err := os.MkdirTemp("", "vcp-chaos-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	w, err := newWorld(s, dir)
	if err != nil {
		return err
	}
	if s.soak > 0 {
		return w.soak(ctx, s.soak)
	}
	moments := rand.New(rand.NewPCG(s.seed, 0))
	fmt.Printf("chaos: %d kills, seed %d, %s\n", s.kills, s.seed, w.describe())
	var ends []time.Duration // of the last process after each kill
	for i := range s.kills {
		if err := ctx.Err(); err != nil {
			return err
		}
		server, err := w.start(ctx)
		if err != nil {
			return err
		}
		load := w.load(ctx, server)
		if i == 0 { // a slow machine may do nothing within the moments below
			if err := w.busy(ctx); err != nil {
				return err
			}
		}
		time.Sleep(100*time.Millisecond + time.Duration(moments.IntN(900))*time.Millisecond)
		server.kill()
		load.wait()
		left, took := w.orphans()
		if len(left) > 0 {
			return fmt.Errorf("kill %d: processes are left %v later: %v", i+1, took.Round(time.Millisecond), left)
		}
		ends = append(ends, took)
		if (i+1)%10 == 0 {
			fmt.Printf("chaos: %d kills, %d results acknowledged\n", i+1, w.acknowledged())
		}
	}
	slices.Sort(ends)
	if n := len(ends); n > 0 {
		fmt.Printf("chaos: the last process of a plugin went %v after a kill (median), %v at most\n", ends[n/2].Round(time.Millisecond), ends[n-1].Round(time.Millisecond))
	}
	server, err := w.start(ctx) // it ends the last intents
	if err != nil {
		return err
	}
	if err := server.stop(); err != nil {
		return err
	}
	return w.judge(ctx)
}

// world is what the kills leave alone.
type world struct {
	settings
	dir   string
	mark  string // a word in the arguments of every process of a plugin
	token string
	acks  acks
}

func newWorld(s settings, dir string) (*world, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if s.bin, err = filepath.Abs(s.bin); err != nil {
		return nil, err
	}
	w := &world{settings: s, dir: dir, mark: fmt.Sprintf("chaos-%d-%d", os.Getpid(), s.seed)}
	for tool, workers := range map[string]string{once: "", keptTool: `,"workers":{"min":1,"max":2,"inFlight":4}`, keptHang: `,"workers":{"max":1}`} {
		folder := filepath.Join(dir, "plugins", tool)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		if err := copyProgram(self, filepath.Join(folder, "chaos")); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(folder, "plugin-manifest.json"), []byte(manifestOf(tool, w.mark, workers)), 0o644); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return nil, err
	}
	out, err := exec.Command(filepath.Join(s.bin, "vcp"), "token", "create", "--name", "chaos", "--data", filepath.Join(dir, "data")).Output()
	if err != nil {
		return nil, fmt.Errorf("vcp token create: %w", err)
	}
	w.token = string(out[:len(out)-1])
	if s.user != 0 {
		if err := w.handOver(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *world) describe() string {
	text := "SQLite"
	if w.store != "" {
		text = "PostgreSQL"
	}
	if w.user != 0 {
		text += fmt.Sprintf(", as user %d", w.user)
	}
	if w.refuse {
		text += ", namespaces refused"
	}
	return text
}

// handOver gives the data to the server's user, and lets him in.
func (w *world) handOver() error {
	if err := os.Chmod(w.dir, 0o755); err != nil {
		return err
	}
	return filepath.WalkDir(w.dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, w.user, w.user)
	})
}

func copyProgram(from, to string) error {
	src, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, src, 0o755)
}
