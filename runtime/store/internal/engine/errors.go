package engine

import (
	"context"
	"errors"

	"vcp.core/runtime/record"
)

// Classified says that an error is one that callers of a store know already.
func Classified(err error) bool {
	var (
		schema      *record.SchemaError
		unsure      *record.UnconfirmedError
		full        *record.FullError
		readOnly    *record.ReadOnlyError
		unavailable *record.UnavailableError
		closed      *record.ClosedError
	)
	return errors.As(err, &schema) || errors.As(err, &unsure) || errors.As(err, &full) || errors.As(err, &readOnly) ||
		errors.As(err, &unavailable) || errors.As(err, &closed) || errors.Is(err, context.Canceled)
}
