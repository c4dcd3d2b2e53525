package storetest

import (
	"context"
	"errors"

	"vcp.core/runtime/record"
)

// Retrying is a store that does again what failed for reasons that pass. The suite runs on one when faults are put
// under a store: whatever went wrong on the way, the outcome has to be the same.
func Retrying(s record.Store) record.Store { return retrying{s} }

type retrying struct{ record.Store }

// Unwrap returns the store below.
func (r retrying) Unwrap() record.Store { return r.Store }

// attempts are more than a fault of one in ten can defeat.
const attempts = 100

func again[T any](ctx context.Context, do func(ctx context.Context) (T, error)) (out T, err error) {
	patient := context.WithoutCancel(ctx) // what was begun has to be known
	for i := range attempts {
		if i == 0 {
			out, err = do(ctx)
		} else {
			out, err = do(patient)
		}
		if !is[*record.UnavailableError](err) && !is[*record.UnconfirmedError](err) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return out, err
		}
	}
	return out, err
}

// Begin implements [record.Store].
func (r retrying) Begin(ctx context.Context, in record.Intent) (record.Claim, error) {
	return again(ctx, func(ctx context.Context) (record.Claim, error) { return r.Store.Begin(ctx, in) })
}

// Commit implements [record.Store].
func (r retrying) Commit(ctx context.Context, e record.Entry) error {
	_, err := again(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, r.Store.Commit(ctx, e) })
	return err
}

// Prune implements [record.Store].
func (r retrying) Prune(ctx context.Context, keep record.Retention) (record.Pruned, error) {
	var sum record.Pruned
	_, err := again(ctx, func(ctx context.Context) (struct{}, error) {
		got, err := r.Store.Prune(ctx, keep)
		sum.Results += got.Results
		sum.Records += got.Records
		sum.Bytes += got.Bytes
		return struct{}{}, err
	})
	return sum, err
}
