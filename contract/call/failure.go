package call

import (
	"cmp"
	"errors"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// Failure is an expected failure of a command: a handler returns it as its error, a client gets it as its
// error. Anything else that a handler returns is a fault of the plugin (INTERNAL_ERROR).
type Failure struct {
	Status   Status // Error when "", else Cancelled or Timeout
	Code     errcode.Code
	Message  string           // one sentence for people; never JSON (specification §6.4)
	Category errcode.Category // "" for the one that goes with the code
	// Target is what the failure is about, a JSON Pointer into the arguments; "" for nothing in particular.
	Target    string
	Retryable bool     // the same call may succeed later
	Details   wire.Raw // a JSON object, nil for none
	Cause     wire.Raw // the failure behind this one: an object with a message; nil for none
}

// Error returns "CODE: message".
func (f *Failure) Error() string { return string(f.Code) + ": " + f.Message }

// append appends the failure as the error of a payload.
func (f *Failure) append(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = wire.AppendQuoted(dst, string(f.Code))
	dst = append(dst, `,"message":`...)
	dst = wire.AppendQuoted(dst, f.Message)
	if f.Category != "" {
		dst = append(dst, `,"category":`...)
		dst = wire.AppendQuoted(dst, string(f.Category))
	}
	dst = append(dst, `,"retryable":`...)
	dst = appendBool(dst, f.Retryable)
	dst = append(dst, `,"target":`...)
	dst = appendText(dst, f.Target)
	dst = append(dst, `,"details":`...)
	dst = f.Details.AppendJSON(dst)
	if len(f.Cause) > 0 {
		dst = append(dst, `,"cause":`...)
		dst = append(dst, f.Cause...)
	}
	return append(dst, '}')
}

// Payload is the plugin result payload of a command that failed so (specification §5.2).
func (f *Failure) Payload() []byte {
	dst := []byte(`{"status":`)
	dst = wire.AppendQuoted(dst, string(cmp.Or(f.Status, Error)))
	dst = append(dst, `,"data":null,"resources":[],"warnings":[],"error":`...)
	dst = f.append(dst)
	return append(dst, `,"extensions":{}}`...)
}

// failureAt reads the error of a result.
func failureAt(t *wire.Tape, at int, status Status) *Failure {
	f := &Failure{Status: status}
	for m := t.Members(at); m.Next(); {
		if t.Kind(m.Value) == wire.KindNull {
			continue
		}
		switch t.String(m.Name) {
		case "code":
			f.Code = errcode.Code(t.String(m.Value))
		case "message":
			f.Message = t.String(m.Value)
		case "category":
			f.Category = errcode.Category(t.String(m.Value))
		case "target":
			f.Target = t.String(m.Value)
		case "retryable":
			f.Retryable = t.Kind(m.Value) == wire.KindTrue
		case "details":
			f.Details = t.Raw(m.Value)
		case "cause":
			f.Cause = t.Raw(m.Value)
		}
	}
	return f
}

// unfit is the failure of arguments that a generated decoder refuses although the runtime let them pass:
// the plugin was built from another manifest than the one that is registered, or the value takes too much memory.
func unfit(err error) *Failure {
	f := &Failure{Code: errcode.InvalidArgument, Message: "the arguments do not fit the contract that the plugin was built from"}
	if e, ok := errors.AsType[*wire.Error](err); ok && e.Limit > 0 {
		f.Message = "the arguments are more than the plugin reads: " + e.Detail
		f.Details = append(f.Details, `{"reason":"`+string(e.Reason)+`"}`...)
	}
	if r, ok := errors.AsType[*wire.Rejection](err); ok {
		f.Details = append(f.Details, `{"schemaPointer":`...)
		f.Details = wire.AppendQuoted(f.Details, r.Rule.Pointer)
		f.Details = append(f.Details, `,"keyword":`...)
		f.Details = wire.AppendQuoted(f.Details, r.Rule.Keyword)
		f.Details = append(f.Details, '}')
	}
	return f
}

// appendText appends a string, null for "".
func appendText(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return wire.AppendQuoted(dst, s)
}

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}
