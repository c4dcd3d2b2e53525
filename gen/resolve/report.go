package resolve

import (
	"fmt"

	"vcp.core/gen/diag"
	"vcp.core/gen/load"
)

// report collects findings up to a number of errors and a number of warnings. A document of four
// megabytes can have half a million mistakes; nobody reads them.
type report struct {
	list             diag.List
	limit            int
	errors, warnings int
	more             bool // the notice that findings were left out is in the list
	moreErrors       bool
}

// addf places a finding at a byte offset of a file.
func (r *report) addf(severity diag.Severity, file *load.File, offset int, pointer string, code diag.Code, hint, format string, args ...any) {
	count := &r.errors
	if severity == diag.Warning {
		count = &r.warnings
	}
	*count++
	if *count > r.limit {
		r.notice(severity, file)
		return
	}
	r.list = append(r.list, diag.Diagnostic{
		Position: file.Position(offset),
		Pointer:  pointer,
		Severity: severity,
		Code:     code,
		Message:  fmt.Sprintf(format, args...),
		Hint:     hint,
	})
}

// notice says once per severity that there is more.
func (r *report) notice(severity diag.Severity, file *load.File) {
	said := &r.more
	kind := "warnings"
	if severity == diag.Error {
		said, kind = &r.moreErrors, "errors"
	}
	if *said {
		return
	}
	*said = true
	r.list = append(r.list, diag.Diagnostic{
		Position: diag.Position{File: file.Name},
		Severity: severity,
		Code:     CodeMore,
		Message:  fmt.Sprintf("more than %d %s; the others are not listed", r.limit, kind),
	})
}

// quote shortens a piece of a document for a message.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		cut := most
		for cut > 0 && s[cut]&0xc0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return fmt.Sprintf("%q", s)
}
