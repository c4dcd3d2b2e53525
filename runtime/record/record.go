// Package record says what is kept of calls, and how it is asked for: [Store] is what the runtime writes to and
// doors read from. Adapters stand in runtime/store, one a package; a store for tests is
// [vcp.core/runtime/record/recordtest.Memory]. Each of them passes runtime/store/storetest.
//
// # Data flow of a call
//
//	Begin(Intent)    before the effect of a command whose effect is not read, or when the caller sent an
//	                 idempotency key: durable when it returns. The answer says whether the call may go on.
//	the effect
//	Commit(Entry)    the record with its result, the end of the intent, and what the key is answered with from now
//	                 on: all of it or nothing, durable when it returns
//
// A call that only reads and has no key has no Begin. What several callers commit at the same time
// becomes durable by one flush of the disk.
//
// # Data flow of a start
//
//	Intents(Orphaned)   intents whose process is gone: an effect may have happened, and nobody knows
//	Commit(Entry)       a result that says so, which resolves the intent
//
// # What a record is
//
// One row for one call: the keys by which it is found and the audit digest. Its id, "tcr_…", stands in the result as
// execution.recordId, so it is minted before the result is sealed. The canonical bytes hang below the record with
// their structure index and the resources that they name; retention may take them away and leave the record.
//
// Never in a store: arguments, addresses in results, secrets that were masked. An intent holds the caller's
// address, for the digest of a call that has to be recorded after a crash. The package never opens a file or a connection,
// and never changes canonical bytes.
package record

import (
	"context"
	"slices"
	"strings"
	"time"

	"vcp.core/contract/call"
)

// Store keeps records, intents and idempotency keys. It is safe for concurrent use, and so are several stores on
// one database, in one process or in many.
//
// Errors are those of this package: [*NotFoundError], [*ConflictError], [*FullError], [*ReadOnlyError],
// [*UnavailableError], [*UnconfirmedError], [*ClosedError], and the context's. An adapter opens with
// [*SchemaError] when a newer program has written the database. After any of them but ClosedError the store
// goes on: what was full, read-only or out of reach may be back at the next call.
type Store interface {
	// Begin claims the intent's key, if it has one, and writes the intent. Only when the claim is Fresh was
	// anything written, and only then may the effect happen; it is durable by then. A context that ends before the
	// store has taken up the work leaves nothing behind. The same invocation may begin again, after an error for
	// example: it is Fresh again. After an UnconfirmedError the intent may be there: whoever does not begin again
	// commits an entry that does nothing but resolve it.
	Begin(ctx context.Context, in Intent) (Claim, error)

	// Commit writes an entry, all of it or nothing, and returns when it is durable (or accepted, when
	// the entry is relaxed). The context bounds the waiting, not the writing: when it ends first, the error is an
	// UnconfirmedError. Committing the same result again changes nothing and is no error, so it may be
	// tried again after every error. An intent that somebody else resolved, or an id that stands for other bytes,
	// is a ConflictError.
	Commit(ctx context.Context, e Entry) error

	// Intents lists intents without a result, oldest first by invocation id.
	Intents(ctx context.Context, q IntentQuery) ([]Intent, error)

	// Result returns the result of this id, "tr_…", in its record, which has no digest: all else of it stands in the
	// result, too, so that no store has to look it up. A result that retention took away is a NotFoundError.
	Result(ctx context.Context, id string) (Record, error)

	// Record returns the record of this id, "tcr_…". Its Result is nil when retention took it away.
	Record(ctx context.Context, id string) (Record, error)

	// List returns a page of records without their results, newest first. What was durable before the first page was
	// asked for, and is not pruned meanwhile, is on exactly one page.
	List(ctx context.Context, q Query) (Page, error)

	// Resource finds a resource, "res_…", that a stored result names.
	Resource(ctx context.Context, id string) (Resource, error)

	// Named returns those of the hashes that a stored result still names, for whoever sweeps blobs. A blob
	// is there before the result that names it: leave alone what is younger than the longest call.
	Named(ctx context.Context, sha256 []string) ([]string, error)

	// Prune removes what retention does not want to keep, in steps between which commits go on, and says what it
	// removed, also when it stopped half way with an error.
	Prune(ctx context.Context, r Retention) (Pruned, error)

	// Close waits until everything that was accepted is durable, and until the context ends at most. Later calls
	// get a ClosedError; a second Close does nothing.
	Close(ctx context.Context) error
}

// Record is what is kept of one call. Texts that callers choose (tool, command, actor, source) are kept as
// [Key] writes them. [Of] makes one.
type Record struct {
	ID           string      // "tcr_…"
	ResultID     string      // "tr_…"
	InvocationID string      // "ti_…"
	RequestID    string      // "req_…"
	TaskID       string      // "task_…", "" when the result is about no task
	Tool         string      // as it was asked for
	Command      string      // "" when unknown
	Status       call.Status // one of the six
	Code         string      // error.code, "" without an error
	Actor        string      // as [ActorKey] names it, "" when unknown
	Source       string
	Created      time.Time // when the call finished, in whole milliseconds, UTC
	Protocol     string    // version of the protocol that the result is written in, "1.0"
	Size         int       // bytes of the canonical result, kept when the result itself is gone
	Digest       string    // what the audit presenter made of the result: one JSON object, or "". It is not read with a result
	Result       *Result   // nil in lists, and when retention took it away
}

// Result is what hangs below a record: the canonical bytes and what is known about them.
type Result struct {
	Text      string // the canonical bytes
	Index     Index
	Resources []Resource // those that the result describes
}

// Resource is a resource that a result describes.
type Resource struct {
	ID       string // "res_…"
	SHA256   string // lower-case hexadecimal, "" for an external one
	ResultID string // the result that names it
}

// Intent says that a command is about to have an effect. It holds what a result needs when the process
// does not live to write a better one.
type Intent struct {
	InvocationID string // "ti_…", the id of the intent
	RequestID    string // "req_…"
	TaskID       string // "task_…" or ""
	Tool         string
	DisplayName  string // "" when unknown, like the next
	Version      string
	Command      string
	Effect       call.Effect
	Source       string
	Actor        *call.Actor // nil when unknown
	RequestIP    string
	NodeID       string
	Started      time.Time     // in whole milliseconds
	Timeout      time.Duration // in whole milliseconds, 0 when there was none
	Arguments    Digest        // of the arguments
	// Key is the caller's, nil for none. Stores keep a hash of it and never give it back.
	Key *IdempotencyKey
}

// Digest is a SHA-256.
type Digest [32]byte

// IdempotencyKey is a name by which a caller says that two requests are one.
type IdempotencyKey struct {
	Owner  string // whose name it is: keys of different owners never meet
	Name   string // as the caller wrote it; the store keeps a hash
	Digest Digest // of the request (tool, command, arguments)
}

// Claim is the answer to Begin. For a key it is linearizable.
type Claim struct {
	State        ClaimState
	InvocationID string // who has the key, when InFlight or Done
	ResultID     string // what the key is answered with, when Done
}

// ClaimState says whose a key is.
type ClaimState int

// The states of a claim.
const (
	// Fresh: nobody had the key (or there is none). The intent is written; the call may go on.
	Fresh ClaimState = iota
	// InFlight: a call with this key and this digest is not done yet.
	InFlight
	// Done: a call with this key and this digest has a result.
	Done
	// Mismatch: the key was used with another digest.
	Mismatch
)

// String names the state.
func (s ClaimState) String() string {
	switch s {
	case Fresh:
		return "fresh"
	case InFlight:
		return "in flight"
	case Done:
		return "done"
	case Mismatch:
		return "mismatch"
	default:
		return "unknown"
	}
}

// Entry is what is committed together.
type Entry struct {
	// Record is nil for a call that nobody wants recorded; then only the intent ends.
	Record *Record
	// Resolves is the invocation id of the intent that ends, "" when the call had none. Its key is answered with the
	// record's result from now on, and without a record it is free again.
	Resolves string
	// FreeKey frees the key of the intent, although there is a record: nothing happened, the call may be
	// tried again under the same key.
	FreeKey bool
	// Relaxed lets Commit return before the entry is durable, and before it can be read. What is lost then is
	// told by the adapter's own option.
	Relaxed bool
}

// Kept is the record as stores keep it and give it back: texts of callers as [Key] writes them, the time in whole
// milliseconds, resources by their ids, and nothing shared with r that could change.
func (r *Record) Kept() Record {
	kept := *r
	kept.Tool, kept.Command, kept.Code = Key(r.Tool), Key(r.Command), Key(r.Code)
	kept.Actor, kept.Source, kept.Protocol = Key(r.Actor), Key(r.Source), Key(r.Protocol)
	kept.Created = time.UnixMilli(r.Created.UnixMilli()).UTC()
	if r.Result != nil {
		below := *r.Result
		below.Resources = slices.Clone(below.Resources)
		slices.SortFunc(below.Resources, func(a, b Resource) int { return strings.Compare(a.ID, b.ID) })
		kept.Result = &below
	}
	return kept
}

// Kept is the intent as stores keep it and give it back, without its key.
func (in *Intent) Kept() Intent {
	kept := *in
	kept.Key = nil
	for _, s := range []*string{&kept.Tool, &kept.DisplayName, &kept.Version, &kept.Command, &kept.Source, &kept.RequestIP, &kept.NodeID} {
		*s = Key(*s)
	}
	kept.Started = time.UnixMilli(in.Started.UnixMilli()).UTC()
	kept.Timeout = in.Timeout.Truncate(time.Millisecond)
	if a := in.Actor; a != nil {
		kept.Actor = &call.Actor{Type: Key(a.Type), ID: Key(a.ID), Name: Key(a.Name), Maid: Key(a.Maid)}
	}
	return kept
}

// IntentQuery selects intents.
type IntentQuery struct {
	// Orphaned leaves out the intents of processes that still run, this one's too: of those that are left nobody
	// will ever commit a result.
	Orphaned bool
	After    string // invocation id that the page begins after, "" for the first
	Limit    int    // 0 is 100, at most 1000
}
