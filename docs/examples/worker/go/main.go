// Command reverse turns texts around, in Go, with nothing but the standard library. It never links runtime/sdk, which
// does what worker.go does and more.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"
)

func main() {
	if err := Serve(map[string]Func{"Reverse": reverse, "Wait": wait}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func reverse(_ context.Context, c Call) (any, error) {
	var in struct{ Text string }
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return nil, err
	}
	if in.Text == "" {
		return nil, &Failure{Code: "REVERSE.EMPTY", Message: "there is nothing to reverse"}
	}
	text := []rune(in.Text)
	slices.Reverse(text)
	return map[string]string{"text": string(text)}, nil
}

func wait(ctx context.Context, c Call) (any, error) {
	var in struct{ MS int64 }
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return nil, err
	}
	begun := time.Now()
	c.Progress("wait", 0, "waiting")
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(in.MS) * time.Millisecond):
	}
	return map[string]int64{"waited": time.Since(begun).Milliseconds()}, nil
}
