package live

import (
	"strconv"

	"vcp.core/contract/wire"
	"vcp.core/gen/diag"
	"vcp.core/gen/ir"
)

// Hints: what a name or a value was perhaps meant to be. They cost more than anything else in a report,
// so they are bounded three times: by the length of a name, by the candidates that one search looks at,
// and by the candidates that a whole report looks at. When the last is used up, violations come without
// hints.
const (
	maxClosest    = 64 // code points
	maxCandidates = 1000
	maxCompared   = 20_000
)

// closestValue suggests the constant that a value was perhaps meant to be.
func (e *explainer) closestValue(values []ir.Value, n int) string {
	node := e.r.t.Node(n)
	if node.Count > maxClosest || node.End-node.Start > 8*maxClosest {
		return ""
	}
	values = values[:min(len(values), maxCandidates)]
	if node.Kind != wire.KindString {
		// The right text in the wrong type: 5 for "5".
		raw := string(e.r.t.Raw(n))
		for _, v := range values {
			if v.Kind == wire.KindString && len(v.Raw) == len(raw)+2 && string(v.Raw[1:len(v.Raw)-1]) == raw {
				return "did you mean the string " + shorten(string(v.Raw)) + "?"
			}
		}
		return ""
	}
	text := e.r.t.String(n)
	var names []string
	for i := range values {
		if v := &values[i]; v.Kind == wire.KindString {
			names = append(names, textOf(v))
		} else if string(v.Raw) == text {
			return "did you mean " + shorten(text) + " without quotes?"
		}
	}
	return e.didYouMean(text, names)
}

// otherType suggests the value that a string in the place of another type perhaps stands for: callers that write JSON by
// hand, and models, put quotes around numbers and around whole documents.
func (e *explainer) otherType(types ir.TypeSet, n int) string {
	raw := e.r.t.Raw(n)
	if e.name || e.r.t.Kind(n) != wire.KindString || len(raw) < 3 {
		return ""
	}
	text := raw[1 : len(raw)-1]
	switch last := text[len(text)-1]; {
	case types&ir.TypeObject != 0 && text[0] == '{' && last == '}', types&ir.TypeArray != 0 && text[0] == '[' && last == ']':
		return "the string seems to hold the value; did you mean it without quotes?"
	case len(text) > maxClosest:
		return ""
	}
	switch string(text) {
	case "true", "false":
		if types&ir.TypeBoolean == 0 {
			return ""
		}
	case "null":
		if types&ir.TypeNull == 0 {
			return ""
		}
	default:
		d, ok := wire.ParseDecimal(string(text))
		if !ok || types&ir.TypeNumber == 0 && (types&ir.TypeInteger == 0 || !d.IsInteger()) {
			return ""
		}
	}
	return "did you mean " + string(text) + " without quotes?"
}

// didYouMean names the candidate closest to a name that was not found, "" when none is close.
func (e *explainer) didYouMean(name string, candidates []string) string {
	if best := e.closest(name, candidates); best != "" {
		return "did you mean " + shorten(strconv.Quote(best)) + "?"
	}
	return ""
}

// closest searches the candidates within the budget of the report.
func (e *explainer) closest(name string, candidates []string) string {
	if e.compared += len(candidates); e.compared > maxCompared {
		return ""
	}
	return diag.Meant(name, candidates)
}
