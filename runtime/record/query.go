package record

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vcp.core/contract/call"
)

// Query selects records. Empty fields select everything.
type Query struct {
	Tool, Command string
	Status        call.Status
	Actor         string // as [ActorKey] names it
	RequestID     string
	From, To      time.Time // From ≤ Created < To
	Stored        bool      // only records whose result is still there
	After         string    // the Next of the page before; anything else is a [*CursorError]
	Limit         int       // 0 is 50, at most 1000
}

// Page is one page of a list.
type Page struct {
	Records []Record
	Next    string // "" on the last page
}

// Limits of a page.
const (
	defaultPage    = 50
	defaultIntents = 100
	maxPage        = 1000
)

// Rows is the number of records that a page of q holds.
func (q Query) Rows() int { return rows(q.Limit, defaultPage) }

// Rows is the number of intents that a page of q holds.
func (q IntentQuery) Rows() int { return rows(q.Limit, defaultIntents) }

func rows(limit, otherwise int) int {
	if limit <= 0 {
		return otherwise
	}
	return min(limit, maxPage)
}

// Cursor is a place in the order of records: newest first, and of one millisecond the greatest id first.
type Cursor struct {
	Created int64 // Unix milliseconds
	ID      string
}

// String writes the cursor for [Page.Next]. Nobody but ParseCursor should read it.
func (c Cursor) String() string { return strconv.FormatInt(c.Created, 36) + "-" + c.ID }

// ParseCursor reads what String wrote; the error is a [*CursorError].
func ParseCursor(s string) (Cursor, error) {
	ms, id, ok := strings.Cut(s, "-")
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		ms, id, ok = strings.Cut(rest, "-")
		ms = "-" + ms
	}
	created, err := strconv.ParseInt(ms, 36, 64)
	if !ok || err != nil || id == "" || Key(id) != id {
		return Cursor{}, &CursorError{Text: s}
	}
	return Cursor{created, id}, nil
}

// Retention says what is kept. Zero fields keep everything.
type Retention struct {
	// ResultsBefore removes the bytes of results that are older. Their records stay.
	ResultsBefore time.Time
	// RecordsBefore removes records that are older, and their results.
	RecordsBefore time.Time
	// ResultBytes is how many bytes of results are kept: the oldest go first.
	ResultBytes int64
}

// Pruned says what Prune removed.
type Pruned struct {
	Results int   // results of which the bytes went, those of removed records among them
	Records int   // records that went
	Bytes   int64 // canonical bytes that went
}

// longestKey is how many characters of a caller's text a key keeps.
const longestKey = 200

// Key is a text of a caller's choice as stores keep it: valid UTF-8 without NUL (which PostgreSQL takes for the end
// of the world), at most 200 characters. Stores apply it to what they keep and to what they are asked for.
func Key(s string) string {
	if len(s) <= longestKey && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > longestKey {
			break
		}
		if r == 0 {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ActorKey names an actor in one word: its id, or else its name, or else its maid; "" for none.
func ActorKey(a *call.Actor) string {
	switch {
	case a == nil:
		return ""
	case a.ID != "":
		return Key(a.ID)
	case a.Name != "":
		return Key(a.Name)
	default:
		return Key(a.Maid)
	}
}
