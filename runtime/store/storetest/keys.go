package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"vcp.core/runtime/record"
)

// This file deals with one law: what Begin says of a key is what it would say if the calls had come one after the
// other, in an order that agrees with the times of each. porcupine looks for such an order.

// operation is what a client did; answer what it was told.
type operation struct {
	kind       string // "begin", "done" or "free"
	key        int
	digest     byte
	invocation string
	result     string
}

// state of a key in the model: free, in flight, or done.
type state struct {
	taken              bool
	digest             byte
	invocation, result string
}

// model is the sequential meaning of keys. Each key is a history of its own.
var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := map[int][]porcupine.Operation{}
		for _, op := range history {
			key := op.Input.(operation).key
			by[key] = append(by[key], op)
		}
		var out [][]porcupine.Operation
		for _, ops := range by {
			out = append(out, ops)
		}
		return out
	},
	Init: func() any { return state{} },
	Step: func(before, input, output any) (bool, any) {
		st, op, got := before.(state), input.(operation), output.(record.Claim)
		switch {
		case op.kind == "free":
			return true, state{}
		case op.kind == "done":
			st.result = op.result
			return true, st
		case !st.taken:
			return got == record.Claim{State: record.Fresh}, state{taken: true, digest: op.digest, invocation: op.invocation}
		case st.digest != op.digest:
			return got == record.Claim{State: record.Mismatch}, st
		case st.result != "":
			return got == record.Claim{State: record.Done, InvocationID: st.invocation, ResultID: st.result}, st
		default:
			return got == record.Claim{State: record.InFlight, InvocationID: st.invocation}, st
		}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

func testLinearizable(t *testing.T, db Database) {
	stores := []record.Store{db.Open(t), db.Open(t)}
	history := keyHistory(t, stores, 8, 40)
	switch got := porcupine.CheckOperationsTimeout(model, history, 2*time.Minute); got {
	case porcupine.Ok:
	case porcupine.Unknown:
		t.Error("no order was found in time")
	default:
		t.Errorf("the answers fit no order of %d operations", len(history))
	}
	// The model has to be able to refuse: one answer is exchanged for what no order can give, that the call is in flight already.
	for i, op := range history {
		in := op.Input.(operation)
		if in.kind == "begin" && op.Output.(record.Claim).State == record.Fresh {
			history[i].Output = record.Claim{State: record.InFlight, InvocationID: in.invocation}
			break
		}
	}
	if porcupine.CheckOperationsTimeout(model, history, 2*time.Minute) == porcupine.Ok {
		t.Error("a wrong answer fits, too: the model refuses nothing")
	}
}

// keyHistory lets clients claim a few keys, and end what they have claimed in one way or another.
func keyHistory(t testing.TB, stores []record.Store, clients, rounds int) []porcupine.Operation {
	start := time.Now()
	var mu sync.Mutex
	var history []porcupine.Operation
	var wg sync.WaitGroup
	for client := range clients {
		m := NewRows(uint64(100 + client))
		rng := rand.New(rand.NewPCG(uint64(client), 2))
		note := func(op operation, do func() (record.Claim, error)) (record.Claim, bool) {
			called := time.Since(start)
			claim, err := do()
			returned := time.Since(start)
			if err != nil {
				t.Errorf("%+v: %v", op, err)
				return claim, false
			}
			mu.Lock()
			defer mu.Unlock()
			history = append(history, porcupine.Operation{ClientId: client, Input: op, Call: int64(called), Output: claim, Return: int64(returned)})
			return claim, true
		}
		wg.Go(func() {
			for range rounds {
				s := stores[rng.IntN(len(stores))]
				in := m.Intent()
				op := operation{kind: "begin", key: rng.IntN(3), digest: byte(rng.IntN(8) / 7), invocation: in.InvocationID}
				in.Key = &record.IdempotencyKey{Owner: "o", Name: fmt.Sprint(op.key), Digest: record.Digest{op.digest}}
				claim, ok := note(op, func() (record.Claim, error) { return s.Begin(context.Background(), in) })
				if !ok || claim.State != record.Fresh {
					continue
				}
				e := m.Ending(t, in)
				op.kind, op.result = "done", e.Record.ResultID
				switch rng.IntN(4) { // mostly free, or the keys would be done at once
				case 0:
				case 1:
					op.kind, op.result, e.Record = "free", "", nil
				default:
					op.kind, op.result, e.FreeKey = "free", "", true
				}
				// Whoever ends an intent need not be who began it: at a start it is another process.
				s = stores[rng.IntN(len(stores))]
				if _, ok := note(op, func() (record.Claim, error) { return record.Claim{}, s.Commit(context.Background(), e) }); !ok {
					return
				}
			}
		})
	}
	wg.Wait()
	return history
}
