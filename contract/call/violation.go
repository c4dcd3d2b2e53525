package call

import "vcp.core/contract/errcode"

// Violation is one finding of a [Validator]: where the instance broke which rule.
type Violation struct {
	Pointer       string         `json:"pointer"`           // JSON Pointer into the instance, "" for the root (RFC 6901)
	Missing       string         `json:"missing,omitempty"` // the member that the object at Pointer should have and has not
	Keyword       string         `json:"keyword"`           // the schema keyword, e.g. "required"
	SchemaPointer string         `json:"schemaPointer"`     // JSON Pointer of the keyword in its schema document
	SchemaFile    string         `json:"schemaFile"`        // name of that document
	Expected      string         `json:"expected"`          // what the schema wants, short
	Got           string         `json:"got"`               // what the instance has, short, at most 80 characters
	Message       string         `json:"message"`           // one sentence for people, lower case, no period
	Hint          string         `json:"hint,omitempty"`    // closest match or fix, when known
	Reason        errcode.Reason `json:"reason,omitempty"`  // set when a limit, not the schema, decided
	Offset        int            `json:"offset"`            // byte offset of the instance value
}
