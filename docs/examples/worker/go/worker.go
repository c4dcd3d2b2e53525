package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Call is one call of a command. The context is the frame's: dataDir, config, deadline and so on.
type Call struct {
	Command            string          `json:"command"`
	Arguments, Context json.RawMessage // one JSON object each
	// Progress tells how far the work is, as a share of 1.
	Progress func(stage string, share float64, message string) `json:"-"`
}

// Func answers a call with data, or with a *Failure. Its context ends when the call is to end.
type Func func(ctx context.Context, c Call) (data any, err error)

// Failure is an error that the plugin foresees; its code is one of the manifest's errorCodes.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error is the message.
func (f *Failure) Error() string { return f.Message }

type payload struct {
	Status     string   `json:"status"`
	Data       any      `json:"data"`
	Error      *Failure `json:"error,omitempty"`
	Resources  [0]int   `json:"resources"`
	Warnings   [0]int   `json:"warnings"`
	Extensions struct{} `json:"extensions"`
}

type frame[P any] struct {
	VCP     string `json:"vcp"`
	Version string `json:"version"`
	ID      string `json:"id"`
	Payload P      `json:"payload"`
}

// Serve answers calls until the standard input ends: frames come in there, answers go out on the standard output.
// Each call has a goroutine. What is printed goes to the standard error, since it is no frame.
func Serve(commands map[string]Func) error {
	var mu sync.Mutex // of out and running
	out, running := json.NewEncoder(os.Stdout), map[string]context.CancelFunc{}
	os.Stdout = os.Stderr
	send := func(kind, id string, p any) {
		mu.Lock()
		defer mu.Unlock()
		if err := out.Encode(frame[any]{kind, "1.0", id, p}); err != nil { // one line in one write
			fmt.Fprintln(os.Stderr, err)
		}
	}
	var all sync.WaitGroup
	defer all.Wait()
	for in := json.NewDecoder(os.Stdin); ; {
		var f frame[Call]
		if err := in.Decode(&f); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		mu.Lock()
		if f.VCP != "tool-call" { // tool-cancel
			if end, ok := running[f.ID]; ok {
				end()
			}
			mu.Unlock()
			continue
		}
		ctx, end := context.WithCancel(context.Background())
		running[f.ID] = end
		mu.Unlock()
		all.Go(func() {
			f.Payload.Progress = func(stage string, share float64, message string) {
				send("tool-progress", f.ID, map[string]any{"stage": stage, "progress": share, "message": message})
			}
			p := payload{Status: "success"}
			data, err := commands[f.Payload.Command](ctx, f.Payload)
			if p.Data = data; err != nil {
				if p.Status, p.Data = "error", nil; !errors.As(err, &p.Error) {
					fmt.Fprintln(os.Stderr, err)
					p.Error = &Failure{Code: "INTERNAL_ERROR", Message: f.Payload.Command + " broke down"}
				}
			}
			mu.Lock()
			delete(running, f.ID)
			mu.Unlock()
			end()
			send("tool-result", f.ID, p)
		})
	}
}
