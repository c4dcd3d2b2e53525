package sdk

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilTold returns a context that ends with the first SIGTERM or SIGINT. From then on SIGINT has its old meaning again: it is
// somebody at a terminal, whom a handler that does not end keeps waiting. SIGTERM has not: a runtime, a container and a shell
// may each send one, and the handler is to have the time that the first of them gave it.
func untilTold() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	terminated, interrupted := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		select {
		case <-terminated:
		case <-interrupted:
		}
		signal.Stop(interrupted) // first: whoever sees that the context ended may send the second. What the plugin hears by itself stays
		cancel()
	}()
	return ctx
}
