//go:build linux && race

package keeper

// environment is the keeper's own. Below the race detector a program waits for a second at its end, unless it is told not to.
var environment = []string{"GORACE=atexit_sleep_ms=0"}
