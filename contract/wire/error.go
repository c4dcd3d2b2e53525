package wire

import (
	"strconv"
	"unicode/utf8"

	"vcp.core/contract/errcode"
)

// Error is the refusal of a document by the ingest rules. It is the only error type of [Tape.Scan].
type Error struct {
	// Offset is the byte where the rule broke: the offending byte, the backslash of a bad escape, the
	// opening quote of a duplicate name, the first byte over a limit. It equals the length of the
	// document when the document ended too early.
	Offset int
	// Reason is one of NOT_JSON, NOT_UTF8, DUPLICATE_KEY, LIMIT_BYTES, LIMIT_DEPTH, LIMIT_NODES and
	// LIMIT_MEMBERS.
	Reason errcode.Reason
	// Detail says in words what was expected and what was found. It quotes at most 64 bytes of the
	// document and is valid UTF-8.
	Detail string
	// Limit is the limit that was exceeded, 0 for the reasons that are no limit.
	Limit int
}

// Error returns "offset N: REASON: detail".
func (e *Error) Error() string {
	return "offset " + strconv.Itoa(e.Offset) + ": " + string(e.Reason) + ": " + e.Detail
}

// maxQuoted bounds how much of a document an error repeats, in bytes.
const maxQuoted = 64

// unexpected reports that the byte at i cannot continue the grammar. A byte that is no UTF-8 at all
// is reported as NOT_UTF8: that is what a reader of a file in another encoding needs to know.
func unexpected(src []byte, i int, want string) *Error {
	if i >= len(src) {
		return &Error{Offset: len(src), Reason: errcode.NotJSON, Detail: "expected " + want + ", found the end of the document"}
	}
	if i == 0 && len(src) >= 3 && string(src[:3]) == "\ufeff" {
		return &Error{Reason: errcode.NotJSON, Detail: "the document starts with a byte order mark"}
	}
	r, size := utf8.DecodeRune(src[i:])
	if r == utf8.RuneError && size == 1 {
		return notUTF8(src, i)
	}
	return &Error{Offset: i, Reason: errcode.NotJSON, Detail: "expected " + want + ", found " + strconv.QuoteRune(r)}
}

// notUTF8 reports a byte sequence that RFC 3629 does not allow.
func notUTF8(src []byte, i int) *Error {
	return &Error{Offset: i, Reason: errcode.NotUTF8, Detail: "byte 0x" + hexByte(src[i]) + " is not valid UTF-8 here"}
}

func hexByte(b byte) string {
	return string([]byte{hexDigits[b>>4], hexDigits[b&15]})
}

func notJSON(i int, detail string) *Error {
	return &Error{Offset: i, Reason: errcode.NotJSON, Detail: detail}
}

func overLimit(i int, reason errcode.Reason, what string, limit int) *Error {
	return &Error{Offset: i, Reason: reason, Detail: "more than " + strconv.Itoa(limit) + " " + what, Limit: limit}
}

func duplicate(i int, name string) *Error {
	if len(name) > maxQuoted {
		cut := maxQuoted
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	return &Error{Offset: i, Reason: errcode.DuplicateKey, Detail: "the object has a second member " + strconv.Quote(name)}
}
