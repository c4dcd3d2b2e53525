package runtime

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/presenters/audit"
	"vcp.core/runtime/id"
	"vcp.core/runtime/record"
	"vcp.core/runtime/result"
)

// This file keeps records: an intent before an effect, the result after it, and what a key of the caller's was
// answered with. What a store promises stands in package record.
//
// A failure before the effect refuses the call. A failure after it does not: the effect has happened, so the caller
// gets the result, with the warning RESULT_NOT_STORED, and the record waits for the store in the backlog.

// Records sets where calls are recorded. Without it recordId is null, nothing survives the process, and
// a call with an idempotency key is refused. The runtime does not close the store: close it after the runtime.
// [Runtime.Recover] is to be called when a process starts.
func Records(store record.Store) Option {
	return option(func(r *Runtime) { r.records.store = store })
}

// storeWait is how long a call waits for the store: then it is not begun, or its result is given out unstored, at most a
// second later.
const storeWait = 10 * time.Second

// longestIdempotencyKey is how many bytes a caller's key may have.
const longestIdempotencyKey = 255

// recorded reports whether the call leaves a record. One with a key does in any case: its result is what the key is
// answered with.
func (r *Runtime) recorded(x *run) bool {
	return r.records.store != nil && (!x.call.Options.SkipRecord || x.call.IdempotencyKey != "")
}

// begin writes the intent of a call that is about to have an effect, and claims its idempotency key. A nil failure
// means that the call may go on; with an earlier result of the key, x.earlier is that and the call is over.
func (r *Runtime) begin(ctx context.Context, x *run) *failure {
	key := x.call.IdempotencyKey
	switch {
	case len(key) > longestIdempotencyKey:
		return fail(errcode.InvalidArgument, "the idempotency key has %d bytes, more than %d", len(key), longestIdempotencyKey)
	case r.records.store == nil && key != "":
		return fail(errcode.InternalError, "this runtime keeps no records, so it cannot tell whether a call with an idempotency key was made before")
	case r.records.store == nil || x.spec.Effect == call.Read && key == "":
		return nil
	}
	claim, err := r.records.begin(ctx, r.intentOf(x))
	if err != nil {
		x.perhaps = errors.As(err, new(*record.UnconfirmedError))
		if ctx.Err() != nil {
			return stopped(ctx.Err(), 0)
		}
		r.log.LogAttrs(ctx, slog.LevelError, "an intent was not written", slog.String("tool", x.spec.Tool), slog.String("command", x.spec.Command),
			slog.String("invocationId", x.parts.Execution.InvocationID), slog.Any("error", err))
		f := fail(errcode.InternalError, "%s.%s was not started, because its intent could not be recorded", x.spec.Tool, x.spec.Command)
		f.retryable = true
		return f
	}
	switch claim.State {
	case record.Fresh:
		x.intended = true
		return nil
	case record.Done:
		return r.repeat(ctx, x, claim)
	case record.InFlight:
		f := fail(errcode.InvalidArgument, "a call with this idempotency key has not ended yet")
		f.details.text("invocationId", claim.InvocationID)
		f.retryable = true
		return f
	default:
		return fail(errcode.InvalidArgument, "this idempotency key was used for another call")
	}
}

// repeat answers a key with the result that it was answered with before.
func (r *Runtime) repeat(ctx context.Context, x *run, claim record.Claim) *failure {
	limited, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	kept, err := r.records.store.Result(limited, claim.ResultID)
	if err == nil {
		x.earlier, err = kept.Sealed()
	}
	if err == nil {
		return nil
	}
	r.log.LogAttrs(ctx, slog.LevelError, "the result of an idempotency key cannot be read", slog.String("resultId", claim.ResultID), slog.Any("error", err))
	f := fail(errcode.InternalError, "the call with this idempotency key has ended, and its result cannot be read")
	if errors.As(err, new(*record.NotFoundError)) {
		f.message = "the call with this idempotency key has ended, and its result is not kept any more"
	}
	f.details.text("invocationId", claim.InvocationID)
	f.details.text("resultId", claim.ResultID)
	return f
}

// intentOf says what is about to happen. Digests are made of arguments whose secrets are masked: a hash of a
// short secret gives the secret away.
func (r *Runtime) intentOf(x *run) record.Intent {
	spec, e := x.spec, &x.parts.Execution
	shown := x.shown()
	in := record.Intent{
		InvocationID: e.InvocationID, RequestID: e.RequestID, TaskID: x.taskID,
		Tool: spec.Tool, DisplayName: spec.DisplayName, Version: spec.Version, Command: spec.Command, Effect: spec.Effect,
		Source: orUnknown(x.call.Source), Actor: ownActor(x.call.Actor), RequestIP: x.call.RequestIP, NodeID: x.call.NodeID,
		Started: x.started, Timeout: x.timeLimit(), Arguments: sha256.Sum256(shown),
	}
	if key := x.call.IdempotencyKey; key != "" {
		h := sha256.New()
		_, _ = fmt.Fprintf(h, "%d %s %d %s ", len(spec.Tool), spec.Tool, len(spec.Command), spec.Command)
		_, _ = h.Write(shown)
		in.Key = &record.IdempotencyKey{Owner: ownerOf(x.call.Actor), Name: key, Digest: record.Digest(h.Sum(nil))}
	}
	return in
}

// ownerOf names whose a key is: all of the actor, so that one whose id reads like another's name is somebody else.
func ownerOf(a *call.Actor) string {
	if a == nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", a.Type, a.ID, a.Name, a.Maid))
	return hex.EncodeToString(sum[:])
}

// keep records a sealed result and returns what the caller gets: the same, or one with a warning. It is called once,
// before the scratch that x.parts may point into is used again.
func (r *Runtime) keep(ctx context.Context, x *run, sealed *result.Sealed) *result.Sealed {
	if r.records.store == nil || x.earlier != nil {
		return sealed
	}
	e := record.Entry{FreeKey: x.harmless, Relaxed: x.call.Options.Relaxed}
	if x.intended || x.perhaps {
		e.Resolves = x.parts.Execution.InvocationID
	}
	odd := r.recordOf(x, sealed, &e)
	if odd != nil {
		r.log.LogAttrs(ctx, slog.LevelError, "a result cannot be recorded", slog.String("tool", x.call.Tool), slog.String("resultId", sealed.ID()),
			slog.String("invocationId", x.parts.Execution.InvocationID), slog.Any("error", odd))
		if !x.harmless {
			return r.unstored(x, sealed) // the intent stays and keeps the key: without a record its end would free it
		}
		sealed = r.unstored(x, sealed)
	}
	if e.Record == nil && e.Resolves == "" {
		return sealed // nobody wants it recorded
	}
	err := r.records.settle(ctx, &e, x.perhaps)
	if err == nil {
		return sealed
	}
	r.log.LogAttrs(ctx, slog.LevelError, "a result was not stored", slog.String("tool", x.call.Tool), slog.String("resultId", sealed.ID()),
		slog.String("invocationId", x.parts.Execution.InvocationID), slog.Any("error", err))
	r.records.later(ctx, r, late{e, x.perhaps})
	if e.Record == nil {
		return sealed
	}
	return r.unstored(x, sealed)
}

// recordOf makes the record of an entry, if the call leaves one.
func (r *Runtime) recordOf(x *run, sealed *result.Sealed, e *record.Entry) error {
	if !r.recorded(x) {
		return nil
	}
	made, err := digested(sealed, x.call.RequestIP)
	if err == nil {
		e.Record = &made
	}
	return err
}

func digested(sealed *result.Sealed, ip string) (record.Record, error) {
	v, err := result.Open(sealed)
	if err != nil {
		return record.Record{}, err
	}
	return record.Of(v, audit.Present(v, audit.Origin{RequestIP: ip}))
}

// unstored seals the result anew, with the warning and without a record. It is another result and has an id of its
// own: the store may have the first one after all, or get it from the backlog.
func (r *Runtime) unstored(x *run, sealed *result.Sealed) *result.Sealed {
	var own warnings
	var details object
	details.text("resultId", sealed.ID())
	own.addDetails(errcode.ResultNotStored, "the call has ended, but its result could not be stored", "", details.bytes())
	list := []byte(sealed.Member(result.Warnings))
	list = list[:len(list)-1]
	if len(list) > 1 {
		list = append(list, ',')
	}
	p := x.parts
	p.Warnings = result.Bytes(append(append(list, own.buf...), ']'))
	p.ID = r.ids(id.Result, p.Execution.FinishedAt)
	p.Execution.RecordID = ""
	return result.Seal(p)
}

// Recover ends the intents of processes that are gone: for each it records a result INTERNAL_ERROR that says that
// nobody knows whether the effect happened (DESIGN §4, durability), and returns how many those were. It is
// for the start of a process, and may be repeated while calls run: intents of processes that live are left alone. One that
// cannot be ended does not keep the others: the error tells of the first of them, and they are tried again the next time.
func (r *Runtime) Recover(ctx context.Context) (ended int, err error) {
	if r.records.store == nil {
		return 0, nil
	}
	var first error
	for q := (record.IntentQuery{Orphaned: true}); ; {
		list, err := r.records.intents(ctx, q)
		if err != nil || len(list) == 0 {
			return ended, cmp.Or(first, err)
		}
		for i := range list {
			q.After = list[i].InvocationID
			made, err := digested(r.orphan(&list[i]), list[i].RequestIP)
			if err == nil {
				err = r.records.commit(ctx, record.Entry{Record: &made, Resolves: list[i].InvocationID})
			}
			switch {
			case err == nil:
				ended++
			case errors.As(err, new(*record.ConflictError)): // another process was faster
			case ctx.Err() != nil:
				return ended, ctx.Err()
			default:
				first = cmp.Or(first, err)
			}
		}
	}
}

// orphan is the result of a call whose process did not live to write one.
func (r *Runtime) orphan(in *record.Intent) *result.Sealed {
	f := fail(errcode.InternalError, "the core stopped before %s.%s had ended; whether it had its effect is not known", in.Tool, in.Command)
	f.because(errcode.EffectUnknown).details.text("effect", "unknown")
	x := &run{started: in.Started, limit: in.Timeout, taskID: in.TaskID}
	x.call = call.Call{Tool: in.Tool, Command: in.Command, Source: in.Source, Actor: in.Actor, RequestIP: in.RequestIP, NodeID: in.NodeID}
	x.spec = &call.Spec{Tool: in.Tool, DisplayName: in.DisplayName, Version: in.Version, Command: in.Command, Effect: in.Effect}
	x.parts.Execution = result.ExecutionPart{InvocationID: in.InvocationID, RequestID: in.RequestID, StartedAt: in.Started, Attempt: 1}
	return r.seal(x, f)
}
