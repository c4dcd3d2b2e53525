package engine

import (
	"context"
	"database/sql"
	"math"

	"vcp.core/runtime/record"
)

// This file deals with retention. It goes in steps of pruneStep records, each a transaction of its own in the
// writer's queue, so that commits wait for one step at most.

const (
	pruneStep = 200
	// A result is past when its record is older, or when what is newer fills the space already.
	pastResults = `SELECT id, result_id, kept FROM records WHERE kept > 0 AND (created_at, id) <= ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3`
	pastRecords = `SELECT id, result_id, kept FROM records WHERE created_at < $1 ORDER BY created_at, id LIMIT $2`
	sizes       = `SELECT created_at, id, kept FROM records WHERE kept > 0 ORDER BY created_at DESC, id DESC`

	forgetBytes     = `UPDATE records SET kept = 0 WHERE id = $1 AND kept > 0`
	deleteResult    = `DELETE FROM results WHERE result_id = $1 AND record_id = $2`
	deleteResources = `DELETE FROM result_resources WHERE result_id = $1`
	deleteRecord    = `DELETE FROM records WHERE id = $1`
	deleteKeys      = `DELETE FROM idempotency_keys WHERE created_at < $1 AND result_id <> ''`
)

// Prune implements [record.Store].
func (s *Store) Prune(ctx context.Context, keep record.Retention) (record.Pruned, error) {
	var out record.Pruned
	if !keep.RecordsBefore.IsZero() {
		before := ceil(keep.RecordsBefore)
		if err := s.steps(ctx, &out, true, pastRecords, before); err != nil {
			return out, err
		}
		err := s.alone(ctx, func(ctx context.Context, tx Tx) error {
			return tx.Run(ctx, []*Statement{{SQL: deleteKeys, Args: []any{before}}})
		})
		if err != nil {
			return out, err
		}
	}
	if !keep.ResultsBefore.IsZero() {
		// Nothing has the empty id, so this is everything before the millisecond.
		if err := s.steps(ctx, &out, false, pastResults, ceil(keep.ResultsBefore), ""); err != nil {
			return out, err
		}
	}
	if keep.ResultBytes > 0 {
		at, id, full, err := s.crossing(ctx, keep.ResultBytes)
		if err != nil || !full {
			return out, err
		}
		return out, s.steps(ctx, &out, false, pastResults, at, id)
	}
	return out, nil
}

// past is what one step removes.
type past struct {
	id, resultID string
	kept         int64
}

// steps removes what a query selects until it selects nothing.
func (s *Store) steps(ctx context.Context, out *record.Pruned, whole bool, query string, args ...any) error {
	for {
		var found []past
		err := s.rows(ctx, query, append(args, int64(pruneStep)), func(rows *sql.Rows) error {
			var p past
			err := rows.Scan(&p.id, &p.resultID, &p.kept)
			found = append(found, p)
			return err
		})
		if err != nil || len(found) == 0 {
			return err
		}
		var done record.Pruned
		err = s.alone(ctx, func(ctx context.Context, tx Tx) error {
			done = record.Pruned{}
			return remove(ctx, tx, found, whole, &done)
		})
		if err != nil {
			return err
		}
		out.Results += done.Results
		out.Records += done.Records
		out.Bytes += done.Bytes
	}
}

// remove takes away results, and with whole their records. Somebody else may prune at the same time, so only what
// was there is counted.
func remove(ctx context.Context, tx Tx, found []past, whole bool, done *record.Pruned) error {
	var all, forgotten, deleted []*Statement
	for _, p := range found {
		forget := &Statement{SQL: forgetBytes, Args: []any{p.id}}
		forgotten = append(forgotten, forget)
		all = append(all, forget,
			&Statement{SQL: deleteResources, Args: []any{p.resultID}},
			&Statement{SQL: deleteResult, Args: []any{p.resultID, p.id}})
		if whole {
			row := &Statement{SQL: deleteRecord, Args: []any{p.id}}
			deleted, all = append(deleted, row), append(all, row)
		}
	}
	if err := tx.Run(ctx, all); err != nil {
		return err
	}
	// gofail: var whilePruning struct{}
	for i, st := range forgotten {
		if st.Rows > 0 {
			done.Results++
			done.Bytes += found[i].kept
		}
	}
	for _, st := range deleted {
		done.Records += int(st.Rows)
	}
	return nil
}

// crossing finds the newest result that does not fit into the given number of bytes any more. It reads an
// index and no rows.
func (s *Store) crossing(ctx context.Context, limit int64) (at int64, id string, full bool, err error) {
	sum := int64(0)
	err = s.rows(ctx, sizes, nil, func(rows *sql.Rows) error {
		var kept, created int64
		var name string
		if err := rows.Scan(&created, &name, &kept); err != nil || full {
			return err
		}
		if kept > math.MaxInt64-sum {
			kept = math.MaxInt64 - sum
		}
		if sum += kept; sum > limit {
			at, id, full = created, name, true
		}
		return nil
	})
	return at, id, full, err
}
