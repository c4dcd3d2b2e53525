package schedulemanager

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// cursor is a place in the order of a list: after the entry with this instant and id. Because it
// names a place and not a count, a page stays right when entries before it come or go.
type cursor struct {
	at instant
	id string
}

// CursorError says that a text is not a cursor that a list has handed out.
type CursorError struct {
	Text string
}

// Error says it in a sentence.
func (e *CursorError) Error() string {
	return fmt.Sprintf("%q is not a cursor of ListSchedules", e.Text)
}

// String is the form in which a cursor travels: opaque to callers, safe in URLs.
func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(c.at) + " " + c.id))
}

// parseCursor reads what String wrote. A forged cursor can at most name another place in the order.
func parseCursor(s string) (cursor, error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return cursor{}, &CursorError{Text: s}
	}
	at, id, ok := strings.Cut(string(raw), " ")
	if _, isNumber := digits(at); !ok || !isNumber || len(at) < 13 || !strings.HasPrefix(id, idPrefix) {
		return cursor{}, &CursorError{Text: s}
	}
	return cursor{at: instant(at), id: id}, nil
}
