package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"vcp.core/runtime/record"
)

// This file deals with what a group of requests writes. It takes two rounds, so that a database over a network is
// asked twice and not once a statement: the first ends intents, inserts records, and tries to insert
// keys; the second does what depends on what the first found. A request alone whose intent has a key that nobody here
// knows of takes one more.

const (
	insertRecord = `INSERT INTO records (id, result_id, invocation_id, request_id, task_id, tool, command, status, code, actor, source, protocol,` +
		` created_at, size, kept, digest) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT (id) DO NOTHING`
	insertResult   = `INSERT INTO results (result_id, record_id, resources, layout, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (result_id) DO NOTHING`
	insertResource = `INSERT INTO result_resources (resource_id, result_id, sha256) VALUES ($1, $2, $3) ON CONFLICT (resource_id, result_id) DO NOTHING`
	insertIntent   = `INSERT INTO intents (invocation_id, owner, key_hash, request_id, task_id, tool, display_name, version, command, effect, source,` +
		` has_actor, actor_type, actor_id, actor_name, actor_maid, request_ip, node_id, started_at, timeout_ms, arguments)` +
		` VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) ON CONFLICT (invocation_id) DO NOTHING`
	// Most intents have no key, and asking for one costs as much as the deletion.
	deletePlain  = `DELETE FROM intents WHERE invocation_id = $1 AND key_hash = ''`
	deleteIntent = `DELETE FROM intents WHERE invocation_id = $1 RETURNING key_hash`
	insertKey    = `INSERT INTO idempotency_keys (hash, digest, invocation_id, result_id, created_at) VALUES ($1, $2, $3, '', $4) ON CONFLICT (hash) DO NOTHING`
	selectKey    = `SELECT digest, invocation_id, result_id FROM idempotency_keys WHERE hash = $1`
	settleKey    = `UPDATE idempotency_keys SET result_id = $1, created_at = $2 WHERE hash = $3`
	deleteKey    = `DELETE FROM idempotency_keys WHERE hash = $1`
	selectSame   = `SELECT result_id, kept FROM records WHERE id = $1`
	selectBody   = `SELECT record_id, body FROM results WHERE result_id = $1`
)

// oddError says that a request cannot be done as it is. In a group it means that each has to be done alone;
// alone, verdict is the answer: nil when everything was there already.
type oddError struct{ verdict error }

// Error says it.
func (*oddError) Error() string { return "the requests of this group have to be done one by one" }

// work is a request with the statements that it waits for.
type work struct {
	*request
	ended    *Statement // of the intent that the entry resolves
	keyHash  string     // what that intent had
	inserted []*Statement
	tried    *Statement // the insertion of the key
	digest   string     // who has the key
	holder   string
	resultID string
}

// batch writes the requests into the transaction.
func (s *Store) batch(ctx context.Context, tx Tx, group []*request) error {
	works := make([]work, len(group))
	for i, r := range group {
		works[i].request = r
	}
	// In the order of ids, which is that of all indexes, nearly every row goes to the end of its tree.
	slices.SortStableFunc(works, func(a, b work) int { return strings.Compare(a.recordID(), b.recordID()) })
	first := make([]*Statement, 0, 3*len(group))
	var keyed []*work
	for i := range works {
		w := &works[i]
		r := w.request
		switch {
		case r.entry != nil:
			first = w.commit(first, !s.keyed[r.entry.Resolves])
		case r.key != "":
			keyed = append(keyed, w)
		default:
			first = append(first, w.insertIntent(s.db.Owner()))
		}
	}
	// Whoever inserts several keys does it in one order, so that two processes never wait for each other.
	slices.SortStableFunc(keyed, func(a, b *work) int { return strings.Compare(a.key, b.key) })
	for _, w := range keyed {
		first = w.claimKey(first)
	}
	if err := tx.Run(ctx, first); err != nil {
		return err
	}
	// gofail: var betweenRounds struct{}
	if w := &works[0]; len(works) == 1 && w.unplain() {
		if err := tx.Run(ctx, []*Statement{w.ended}); err != nil {
			return err
		}
	}
	var second []*Statement
	for i := range works {
		w := &works[i]
		if w.entry != nil {
			switch {
			case !w.isOdd():
			case w.entry.Record == nil: // its intent may have a key, which it finds alone
				return &oddError{}
			default:
				return s.same(ctx, tx, w)
			}
			second = w.settle(second)
		} else if w.decide() && w.key != "" {
			second = append(second, w.insertIntent(s.db.Owner()))
		}
	}
	if len(second) == 0 {
		return nil
	}
	return tx.Run(ctx, second)
}

// recordID is the id of the record that the request writes, "" for none.
func (w *work) recordID() string {
	if w.entry == nil || w.entry.Record == nil {
		return ""
	}
	return w.entry.Record.ID
}

// commit adds the statements of an entry. plain says that its intent has no key, as far as is known here: of another
// process it may have one, which makes the entry odd, and alone it is asked for.
func (w *work) commit(to []*Statement, plain bool) []*Statement {
	e := w.entry
	switch {
	case e.Resolves == "":
	case plain:
		w.ended = &Statement{SQL: deletePlain, Args: []any{e.Resolves}}
		to = append(to, w.ended)
	default:
		w.ended = w.asking()
		to = append(to, w.ended)
	}
	r := e.Record
	if r == nil {
		return to
	}
	kept := 0
	if r.Result != nil {
		kept = len(r.Result.Text)
	}
	w.inserted = append(w.inserted, &Statement{SQL: insertRecord, Args: []any{
		r.ID, r.ResultID, r.InvocationID, r.RequestID, r.TaskID, r.Tool, r.Command, string(r.Status), r.Code, r.Actor, r.Source, r.Protocol,
		r.Created.UnixMilli(), int64(r.Size), int64(kept), r.Digest,
	}})
	if r.Result == nil {
		return append(to, w.inserted...)
	}
	w.inserted = append(w.inserted, &Statement{SQL: insertResult, Args: []any{
		r.ResultID, r.ID, int64(len(r.Result.Resources)), r.Result.Index.String(), r.Result.Text,
	}})
	to = append(to, w.inserted...)
	for _, x := range r.Result.Resources {
		to = append(to, &Statement{SQL: insertResource, Args: []any{x.ID, r.ResultID, x.SHA256}})
	}
	return to
}

// isOdd says that the intent was not open, or that something has one of the ids already.
func (w *work) isOdd() bool {
	if w.ended != nil && w.ended.Rows == 0 && (w.entry.Record != nil || w.ended.SQL == deletePlain) {
		return true
	}
	for _, st := range w.inserted {
		if st.Rows == 0 {
			return true
		}
	}
	return false
}

// unplain makes an end that asks for the key of one that did not and found nothing, and says whether it was one.
func (w *work) unplain() bool {
	if w.ended == nil || w.ended.Rows > 0 || w.ended.SQL != deletePlain {
		return false
	}
	w.ended = w.asking()
	return true
}

// asking ends the intent that the entry resolves, and reads its key.
func (w *work) asking() *Statement {
	return &Statement{SQL: deleteIntent, Args: []any{w.entry.Resolves}, Row: []any{&w.keyHash}}
}

// settle adds what happens to the key of the intent that has ended.
func (w *work) settle(to []*Statement) []*Statement {
	switch e := w.entry; {
	case w.ended == nil || w.keyHash == "":
		return to
	case e.Record == nil || e.FreeKey:
		return append(to, &Statement{SQL: deleteKey, Args: []any{w.keyHash}})
	default:
		return append(to, &Statement{SQL: settleKey, Args: []any{e.Record.ResultID, e.Record.Created.UnixMilli(), w.keyHash}})
	}
}

func (w *work) claimKey(to []*Statement) []*Statement {
	in := w.intent
	w.tried = &Statement{SQL: insertKey, Args: []any{w.key, hex.EncodeToString(in.Key.Digest[:]), in.InvocationID, in.Started.UnixMilli()}}
	return append(to, w.tried, &Statement{SQL: selectKey, Args: []any{w.key}, Row: []any{&w.digest, &w.holder, &w.resultID}})
}

// decide settles the claim of an intent and says whether it is fresh.
func (w *work) decide() bool {
	w.claim = record.Claim{State: record.Fresh}
	switch {
	case w.key == "" || w.tried.Rows == 1:
		return true
	case w.digest != hex.EncodeToString(w.intent.Key.Digest[:]):
		w.claim.State = record.Mismatch
		return false
	case w.resultID != "":
		w.claim = record.Claim{State: record.Done, InvocationID: w.holder, ResultID: w.resultID}
		return false
	case w.holder == w.intent.InvocationID:
		return true // the same again
	default:
		w.claim = record.Claim{State: record.InFlight, InvocationID: w.holder}
		return false
	}
}

func (w *work) insertIntent(owner string) *Statement {
	in := w.intent
	var kind, id, name, maid string
	has := int64(0)
	if a := in.Actor; a != nil {
		kind, id, name, maid, has = a.Type, a.ID, a.Name, a.Maid, 1
	}
	return &Statement{SQL: insertIntent, Args: []any{
		in.InvocationID, owner, w.key, in.RequestID, in.TaskID, in.Tool, in.DisplayName, in.Version, in.Command, string(in.Effect), in.Source,
		has, kind, id, name, maid, in.RequestIP, in.NodeID, in.Started.UnixMilli(), in.Timeout.Milliseconds(), hex.EncodeToString(in.Arguments[:]),
	}}
}

// same finds out what an odd entry is: the same again, or a conflict.
func (s *Store) same(ctx context.Context, tx Tx, w *work) error {
	r := w.entry.Record
	var resultID, recordID, body string
	var kept int64
	has := &Statement{SQL: selectSame, Args: []any{r.ID}, Row: []any{&resultID, &kept}}
	bytes := &Statement{SQL: selectBody, Args: []any{r.ResultID}, Row: []any{&recordID, &body}}
	if err := tx.Run(ctx, []*Statement{has, bytes}); err != nil {
		return err
	}
	// The transaction may hold this very entry: what it inserted itself is no proof.
	own := len(w.inserted) > 0 && w.inserted[0].Rows == 1
	switch {
	case has.Rows == 1 && !own && resultID != r.ResultID:
		return &oddError{&record.ConflictError{What: "record", ID: r.ID}}
	case has.Rows == 1 && !own && (kept == 0 || bytes.Rows == 1 && recordID == r.ID && r.Result != nil && body == r.Result.Text):
		return &oddError{nil}
	case bytes.Rows == 1 && (recordID != r.ID || !own):
		return &oddError{&record.ConflictError{What: "result", ID: r.ResultID}}
	default:
		return &oddError{&record.ConflictError{What: "intent", ID: w.entry.Resolves}}
	}
}

// hashOf is what is kept of a key. The length keeps owner and name apart.
func hashOf(k *record.IdempotencyKey) string {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(k.Owner)))
	h := sha256.New()
	for _, part := range [][]byte{length[:], []byte(k.Owner), []byte(k.Name)} {
		_, _ = h.Write(part) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}
