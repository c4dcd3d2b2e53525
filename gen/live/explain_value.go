package live

import (
	"fmt"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// value explains type, const and enum.
func (e *explainer) value(s *ir.Schema, k ir.Keyword, n int) {
	switch k.Name {
	case "type":
		if typeHolds(e.r, s.Types, n) {
			return
		}
		if v := e.report(s, k, n); v != nil {
			v.Expected = typeWords(s.Types, false)
			v.Message = fmt.Sprintf("%s must be %s", e.subject(), typeWords(s.Types, true))
			v.Hint = e.otherType(s.Types, n)
		}
	case "const":
		if e.isOneOf(e.set.parts[s.ID].constant, n) {
			return
		}
		if v := e.report(s, k, n); v != nil {
			v.Expected = shorten(string(s.Const.Raw))
			v.Message = fmt.Sprintf("%s must be %s", e.subject(), v.Expected)
			v.Hint = e.closestValue([]ir.Value{*s.Const}, n)
		}
	case "enum":
		if e.isOneOf(e.set.parts[s.ID].enum, n) {
			return
		}
		if v := e.report(s, k, n); v != nil {
			v.Expected = oneOfWords(s.Enum)
			v.Message = fmt.Sprintf("%s must be %s", e.subject(), v.Expected)
			v.Hint = e.closestValue(s.Enum, n)
		}
	}
}

func (e *explainer) isOneOf(set *wire.Constants, n int) bool {
	return set.Find(e.r.t, n, &e.r.text) >= 0
}

// typeHolds is the type keyword as written, not what else the schema admits.
func typeHolds(r *run, types ir.TypeSet, n int) bool {
	if types == 0 || kindsOf(types)>>r.t.Kind(n)&1 == 0 {
		return types == 0
	}
	return types&ir.TypeNumber != 0 || integer(r, n) == wire.Valid
}

func (e *explainer) number(s *ir.Schema, k ir.Keyword, n int) {
	if s.Number == nil {
		return
	}
	d := e.r.t.Decimal(n)
	var bound *wire.Decimal
	word, holds := "", true
	switch k.Name {
	case "minimum":
		bound, word = s.Number.Minimum, "at least "
		holds = d.Cmp(*bound) >= 0
	case "maximum":
		bound, word = s.Number.Maximum, "at most "
		holds = d.Cmp(*bound) <= 0
	case "exclusiveMinimum":
		bound, word = s.Number.ExclusiveMinimum, "more than "
		holds = d.Cmp(*bound) > 0
	case "exclusiveMaximum":
		bound, word = s.Number.ExclusiveMaximum, "less than "
		holds = d.Cmp(*bound) < 0
	case "multipleOf":
		bound, word = s.Number.MultipleOf, "a multiple of "
		switch d.Multiple(*bound) {
		case wire.Invalid:
			holds = false
		case wire.Undecided:
			if v := e.report(s, k, n); v != nil {
				v.Expected = word + shorten(bound.String())
				undecided(v, errcode.LimitNumber, "dividing these numbers exactly takes more work than the limit allows")
			}
		}
	}
	if holds {
		return
	}
	if v := e.report(s, k, n); v != nil {
		v.Expected = word + shorten(bound.String())
		v.Message = fmt.Sprintf("%s must be %s", e.subject(), v.Expected)
	}
}

func (e *explainer) string(s *ir.Schema, k ir.Keyword, n int) {
	if s.String == nil {
		return
	}
	length := e.r.t.Count(n)
	switch k.Name {
	case "minLength":
		if length < s.String.MinLength {
			e.sized(s, k, n, "at least", s.String.MinLength, length, "character")
		}
	case "maxLength":
		if length > s.String.MaxLength {
			e.sized(s, k, n, "at most", s.String.MaxLength, length, "character")
		}
	case "pattern":
		verdict := e.r.match(s.String.Pattern.MatchSteps, e.r.string(n))
		if verdict == wire.Valid {
			return
		}
		v := e.report(s, k, n)
		if v == nil {
			return
		}
		v.Expected = "a match of " + shorten(s.String.Pattern.Source())
		v.Message = fmt.Sprintf("%s must match the pattern %s", e.subject(), shorten(s.String.Pattern.Source()))
		if verdict == wire.Undecided {
			undecided(v, errcode.LimitPattern, "matching the pattern takes more steps than the limit allows")
		}
	case "format":
		if f := s.String.Format; f.Check != nil && !f.Check(e.r.string(n)) {
			if v := e.report(s, k, n); v != nil {
				v.Expected = "format " + f.Name
				v.Message = fmt.Sprintf("%s must be a valid %s", e.subject(), f.Name)
			}
		}
	}
}

// sized reports a count that is out of bounds.
func (e *explainer) sized(s *ir.Schema, k ir.Keyword, n int, word string, bound, got int, unit string) {
	if v := e.report(s, k, n); v != nil {
		v.Expected = word + " " + quantity(bound, unit)
		if unit != "character" {
			v.Got = quantity(got, unit)
		}
		v.Message = fmt.Sprintf("%s must have %s, it has %d", e.subject(), v.Expected, got)
	}
}

// undecided turns a violation into one that a limit made.
func undecided(v *call.Violation, reason errcode.Reason, message string) {
	v.Reason, v.Message = reason, message
}

// subject is what messages are about.
func (e *explainer) subject() string {
	if e.name {
		return "the member name"
	}
	return "the value"
}

func quantity(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// typeWords spells a set of types: "string", "string or null", "array, object or null"; with articles
// for a sentence: "a string or null".
func typeWords(t ir.TypeSet, articles bool) string {
	if t&ir.TypeNumber != 0 {
		t &^= ir.TypeInteger
	}
	var words []string
	for _, e := range []struct {
		bit           ir.TypeSet
		word, article string
	}{
		{ir.TypeString, "string", "a "},
		{ir.TypeInteger, "integer", "an "},
		{ir.TypeNumber, "number", "a "},
		{ir.TypeBoolean, "boolean", "a "},
		{ir.TypeArray, "array", "an "},
		{ir.TypeObject, "object", "an "},
		{ir.TypeNull, "null", ""},
	} {
		if t&e.bit == 0 {
			continue
		}
		if articles {
			e.word = e.article + e.word
		}
		words = append(words, e.word)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
