package record

import "fmt"

// NotFoundError says that a store has nothing under an id.
type NotFoundError struct{ ID string }

// Error names the id.
func (e *NotFoundError) Error() string { return fmt.Sprintf("nothing is recorded under %q", e.ID) }

// ConflictError says that an intent has ended already or never was, or that an id stands for something else.
type ConflictError struct {
	What string // "intent", "record" or "result"
	ID   string
}

// Error names both.
func (e *ConflictError) Error() string {
	if e.What == "intent" {
		return fmt.Sprintf("the intent of %s is not open", e.ID)
	}
	return fmt.Sprintf("there is another %s of the id %s", e.What, e.ID)
}

// FullError says that there is no room on the disk. Nothing of the call was written; reads go on, and writes
// as soon as there is room.
type FullError struct{ Err error }

// Error says what the database said.
func (e *FullError) Error() string { return fmt.Sprintf("the disk of the store is full: %v", e.Err) }

// Unwrap returns the error of the database.
func (e *FullError) Unwrap() error { return e.Err }

// ReadOnlyError says that the store must not or cannot be written to. Reads go on.
type ReadOnlyError struct{ Err error }

// Error says what the database said.
func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("the store cannot be written to: %v", e.Err)
}

// Unwrap returns the error of the database.
func (e *ReadOnlyError) Unwrap() error { return e.Err }

// UnavailableError says that the database did not do its work: it is out of reach, locked by others for too
// long, or its disk fails. Nothing of the call was written.
type UnavailableError struct{ Err error }

// Error says what the database said.
func (e *UnavailableError) Error() string { return fmt.Sprintf("the store is unavailable: %v", e.Err) }

// Unwrap returns the error of the database.
func (e *UnavailableError) Unwrap() error { return e.Err }

// UnconfirmedError says that nobody can tell whether something was written: the caller stopped waiting, or the
// connection broke while the database was at it. Committing the same again settles it.
type UnconfirmedError struct{ Err error }

// Error says why.
func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("whether it was stored is not known: %v", e.Err)
}

// Unwrap returns the reason.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// ClosedError says that the store was closed.
type ClosedError struct{}

// Error says it.
func (*ClosedError) Error() string { return "the store is closed" }

// SchemaError says that a newer program has changed the tables, and that this one does not know what they
// mean. Nothing was touched.
type SchemaError struct{ Found, Known int64 }

// Error names both versions.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("the store has schema version %d, this program knows versions up to %d", e.Found, e.Known)
}

// CursorError says that a text is not the Next of a page.
type CursorError struct{ Text string }

// Error quotes the text.
func (e *CursorError) Error() string { return fmt.Sprintf("%.40q is no place in a list", e.Text) }

// ProtocolError says that a result is written in a version of the protocol that this program does not read.
type ProtocolError struct{ ResultID, Version string }

// Error names both.
func (e *ProtocolError) Error() string {
	return fmt.Sprintf("result %s is written in version %.40q of the protocol", e.ResultID, e.Version)
}
