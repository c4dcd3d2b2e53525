//go:build unix

package sdk

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// whichSignal is set in the process of a test that sends itself this signal twice.
const whichSignal = "VCP_TEST_SIGNAL"

// The second SIGINT ends a program whose handler does not, however soon it comes; the second SIGTERM does not.
func TestSecondSignal(t *testing.T) {
	signals := map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM}
	if sent := signals[os.Getenv(whichSignal)]; sent != 0 {
		ctx := untilTold()
		for range 2 {
			if err := syscall.Kill(os.Getpid(), sent); err != nil {
				t.Fatal(err)
			}
			<-ctx.Done()
		}
		if sent == syscall.SIGINT {
			time.Sleep(time.Minute) // a signal to oneself need not have come when kill returns
		}
		time.Sleep(200 * time.Millisecond)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, sent := range signals {
		for range 5 {
			program := exec.Command(self, "-test.run=^TestSecondSignal$")
			program.Env = append(os.Environ(), whichSignal+"="+name)
			out, err := program.CombinedOutput()
			status, _ := program.ProcessState.Sys().(syscall.WaitStatus)
			if ended := status.Signaled() && status.Signal() == sent; ended != (sent == syscall.SIGINT) || !ended && err != nil {
				t.Fatalf("%s twice: %v\n%s", name, err, out)
			}
		}
	}
}
