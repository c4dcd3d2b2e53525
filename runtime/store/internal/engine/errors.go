package engine

import (
	"context"
	"errors"

	"vcp.core/runtime/record"
)

// Classified says that an error is one that callers of a store know already.
func Classified(err error) bool {
	return is[*record.SchemaError](err) || is[*record.UnconfirmedError](err) || is[*record.FullError](err) || is[*record.ReadOnlyError](err) ||
		is[*record.UnavailableError](err) || is[*record.ClosedError](err) || errors.Is(err, context.Canceled)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
