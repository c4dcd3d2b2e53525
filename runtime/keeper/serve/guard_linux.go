//go:build amd64 || arm64

package serve

import (
	"os"
	"slices"
	"time"
)

// lastWait is how long what was killed at the end is waited for. It ends at once, unless the system itself hangs.
const lastWait = 5 * time.Second

// guard starts a keeper and waits for it. When the keeper dies before the runtime does, its children come here
// and are killed. When the guard dies, the keeper sees its end of a pipe closed, and ends everything by itself. In a
// namespace there is no need of one: the system ends a namespace with its first process.
func (k *keeper) guard() {
	self, err := os.Executable()
	if err != nil {
		complain(err.Error())
	}
	r, w, err := os.Pipe() // w is never written to and stays open as long as this process
	if err != nil {
		complain(err.Error())
	}
	socket := os.NewFile(socketFile, "socket")
	keeper, err := os.StartProcess(self, append(slices.Clone(os.Args[:len(os.Args)-1]), underGuard), &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, socket, r},
	})
	if err != nil {
		complain("a keeper below the guard: " + err.Error())
	}
	_ = socket.Close()
	_ = r.Close()
	k.leaders[keeper.Pid] = &leader{pid: keeper.Pid}
	k.closing = true
	k.openChildren()
	for died() == nil {
		k.bury()
		if len(k.leaders) == 0 {
			if k.proc < 0 {
				break // what the keeper left behind cannot be found
			}
			time.AfterFunc(lastWait, func() { os.Exit(0) })
		}
		k.sweep()
	}
	_ = w.Close()
	os.Exit(0)
}
