package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
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

// Serve answers calls until the standard input ends: frames come in there, answers go out on the standard output.
// Each call has a goroutine. What is printed goes to the standard error, since it is no frame.
func Serve(commands map[string]Func) error {
	out := os.Stdout
	os.Stdout = os.Stderr
	send := func(kind, id string, p any) {
		if err := json.NewEncoder(out).Encode(map[string]any{"vcp": kind, "version": "1.0", "id": id, "payload": p}); err != nil { // one line in one write
			fmt.Fprintln(os.Stderr, err)
		}
	}
	var running sync.Map // the ends of contexts, by id
	var all sync.WaitGroup
	defer all.Wait()
	for in := json.NewDecoder(os.Stdin); ; {
		var f struct {
			VCP, ID string
			Payload Call
		}
		if err := in.Decode(&f); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if f.VCP != "tool-call" { // tool-cancel
			if end, ok := running.Load(f.ID); ok {
				end.(context.CancelFunc)()
			}
			continue
		}
		ctx, end := context.WithCancel(context.Background())
		running.Store(f.ID, end)
		f.Payload.Progress = func(stage string, share float64, message string) {
			send("tool-progress", f.ID, map[string]any{"stage": stage, "progress": share, "message": message})
		}
		all.Go(func() {
			p := answer(ctx, commands[f.Payload.Command], f.Payload)
			running.Delete(f.ID)
			end()
			send("tool-result", f.ID, p)
		})
	}
}

// answer calls a function. A panic, and data that is no JSON, are errors that nobody foresees.
func answer(ctx context.Context, f Func, c Call) (p map[string]any) {
	p = map[string]any{"status": "success", "data": nil, "resources": []int{}, "warnings": []int{}, "extensions": struct{}{}}
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n%s", c.Command, v, debug.Stack())
			p["status"], p["error"] = "error", &Failure{Code: "INTERNAL_ERROR", Message: c.Command + " broke down"}
		}
	}()
	data, err := f(ctx, c)
	if known, ok := errors.AsType[*Failure](err); ok {
		p["status"], p["error"] = "error", known
	} else if text, bad := json.Marshal(data); err != nil || bad != nil {
		panic(errors.Join(err, bad))
	} else {
		p["data"] = json.RawMessage(text)
	}
	return p
}
