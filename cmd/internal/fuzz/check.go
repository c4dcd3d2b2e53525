package fuzz

import (
	"encoding/json"
	"fmt"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// outcome is what happened to a document.
type outcome struct {
	verdict    wire.Verdict // of the document
	seen       bool         // by the plugin
	saw        []byte       // the arguments that it got
	sawVerdict wire.Verdict
	text       string // the canonical result
}

// Rule names what a finding breaks.
type Rule string

// The rules, in the order in which they are looked at.
const (
	// Canonical: the result is no valid canonical result.
	Canonical Rule = "canonical"
	// LetThrough: the plugin was given arguments that its input schema refuses.
	LetThrough Rule = "let-through"
	// KeptBack: the plugin was not given arguments that its input schema allows.
	KeptBack Rule = "kept-back"
	// Refusal: arguments that the input schema refuses were not called invalid.
	Refusal Rule = "refusal"
	// Broken: the plugin broke down, was too late, or answered with what breaks its contract.
	Broken Rule = "broken"
	// Secret: the plugin said a secret.
	Secret Rule = "secret"
	// Undeclared: the plugin failed with an error code that its manifest does not list.
	Undeclared Rule = "undeclared"
	// Careless: the result stands, and the runtime had to correct or excuse something.
	Careless Rule = "careless"
)

// Fault is what is wrong with an outcome.
type Fault struct {
	Rule    Rule   `json:"rule"`
	Code    string `json:"code,omitempty"`   // of the error, or of the warning
	Reason  string `json:"reason,omitempty"` // details.reason of the error
	Target  string `json:"target,omitempty"` // where in the result
	Message string `json:"message"`
}

// key tells faults apart that are worth to be told each. Indexes do not count.
func (f *Fault) key() string {
	target := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, f.Target)
	return fmt.Sprintf("%s %s %s %s", f.Rule, f.Code, f.Reason, target)
}

// sees is what is read of a result.
type sees struct {
	Status string
	Error  *struct {
		Code, Message string
		Target        *string
		Details       struct{ Reason string }
	}
	Warnings []struct {
		Code, Message string
		Target        *string
	}
}

// broken are the codes of a plugin that cannot be relied on.
var broken = map[errcode.Code]bool{
	errcode.InternalError: true, errcode.InvalidToolResult: true, errcode.TransportFailure: true, errcode.ToolTimeout: true,
}

// careless are warnings that an author can do something about.
var careless = map[errcode.Warning]Rule{
	errcode.SecretRedacted: Secret, errcode.UndeclaredErrorCode: Undeclared,
	errcode.NonzeroExit: Careless, errcode.MIMEMismatch: Careless, errcode.AdviceCleaned: Careless,
}

// check says what is wrong with an outcome, nil for nothing.
func check(spec *call.Spec, o *outcome, secrets []string) *Fault {
	sealed, err := result.Parse([]byte(o.text))
	if err != nil {
		return &Fault{Rule: Canonical, Message: "the result is not valid: " + err.Error()}
	}
	if sealed.String() != o.text {
		return &Fault{Rule: Canonical, Message: "the result is not in its canonical form"}
	}
	var r sees
	if err := json.Unmarshal([]byte(o.text), &r); err != nil {
		return &Fault{Rule: Canonical, Message: "the result cannot be read: " + err.Error()}
	}
	for _, s := range secrets {
		if quoted, _ := json.Marshal(s); strings.Contains(o.text, string(quoted[1:len(quoted)-1])) {
			return &Fault{Rule: Secret, Message: "a secret of the configuration stands in the result, and was not masked"}
		}
	}
	code := ""
	if r.Error != nil {
		code = r.Error.Code
	}
	invalid := code == string(errcode.InvalidArgument) || code == string(errcode.MissingArgument)
	failed := func(rule Rule, message string) *Fault {
		f := &Fault{Rule: rule, Message: message}
		if r.Error != nil {
			f.Code, f.Reason, f.Message = code, r.Error.Details.Reason, strings.TrimPrefix(message+": "+r.Error.Message, ": ")
			if r.Error.Target != nil {
				f.Target = *r.Error.Target
			}
		}
		return f
	}
	switch {
	case o.seen && o.sawVerdict != wire.Valid:
		return failed(LetThrough, "the plugin got arguments that its input schema refuses")
	case broken[errcode.Code(code)]:
		return failed(Broken, "")
	case !o.seen && o.verdict == wire.Valid:
		return failed(KeptBack, "the plugin did not get arguments that its input schema allows")
	case !o.seen && !invalid:
		return failed(Refusal, "the arguments break the input schema, and the result does not say so")
	}
	for _, w := range r.Warnings {
		if rule := careless[errcode.Warning(w.Code)]; rule != "" {
			f := &Fault{Rule: rule, Code: w.Code, Message: w.Message}
			if rule == Undeclared {
				f.Reason = code
			} else if w.Target != nil {
				f.Target = *w.Target
			}
			return f
		}
	}
	return nil
}
