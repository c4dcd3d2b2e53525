package live

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
	"vcp.core/gen/load"
)

// Violations lists what is wrong with the document: every violation in the order of the instance (by
// offset), then in the order of the schema's keywords. The list is empty exactly when the verdict is
// Valid. At most [Options.Violations] are listed; one more, without keyword, then says that there are
// others.
//
// A union that fails because no arm holds is explained by one arm: the one that a discriminator selects,
// else the one that comes closest. A rule that a budget left undecided is listed with its LIMIT_ reason.
func (v *Validator) Violations(t *wire.Tape) []call.Violation {
	list := v.explain(t, nil)
	named := list
	for len(named) > 0 && named[len(named)-1].Keyword == "" { // about the whole
		named = named[:len(named)-1]
	}
	slices.SortStableFunc(named, func(a, b call.Violation) int { return cmp.Compare(a.Offset, b.Offset) })
	return list
}

// explain lists the violations in the order in which the walk meets them, those about the whole at the end, and
// records where they stand in the evaluation unless rec is nil.
func (v *Validator) explain(t *wire.Tape, rec *recorder) []call.Violation {
	verdict := v.Verdict(t)
	if verdict == wire.Valid {
		return nil
	}
	if t.Len() == 0 {
		return []call.Violation{{
			SchemaPointer: v.schema.Origin.Pointer, SchemaFile: v.schema.Origin.Pos.File,
			Expected: "a document", Got: "nothing", Message: "there is no document",
		}}
	}
	r := v.set.begin(t)
	defer v.set.end(r)
	r.remember = keepShared | keepParts
	e := &explainer{r: r, set: v.set, rec: rec, room: v.set.opts.Violations, tallies: make(map[uint64]tally)}
	e.explain(v.schema, t.Root(), step{})
	return e.finish(v, verdict)
}

// explainer walks the program beside the document. It does not decide: verdicts come from the units, and
// a schema is entered only where its verdict is not Valid. So every schema that is entered adds to the
// list, and the walk costs no more than a few verdicts for each violation.
type explainer struct {
	r    *run
	set  *Set
	rec  *recorder // nil unless a standard form is wanted
	list []call.Violation
	room int  // how many more may be listed
	long int  // bytes of the pointers that are listed
	more bool // there were others

	path  []byte // JSON Pointer of the current value
	name  bool   // the current value is a member name
	depth int

	compared int // candidates that hints have looked at

	// While an arm of a union is tried nothing that is listed counts; tried is compared for all trials.
	trying bool
	tried  int

	// In a dry walk nothing is listed: violations are counted, to compare the arms of a union.
	dry     bool
	counted tally
	tallies map[uint64]tally
}

// tally is how far a value is from a schema: violations in all, and those about the value itself and
// not about its members or elements.
type tally struct{ all, here int }

// finish adds what the walk itself cannot know.
func (e *explainer) finish(v *Validator, verdict wire.Verdict) []call.Violation {
	root := call.Violation{SchemaPointer: v.schema.Origin.Pointer, SchemaFile: v.schema.Origin.Pos.File}
	if e.r.limit != "" || verdict == wire.Undecided && !slices.ContainsFunc(e.list, func(w call.Violation) bool { return w.Reason != "" }) {
		// A budget of the whole walk, not of one rule.
		limited := root
		limited.Reason = cmp.Or(e.r.limit, errcode.LimitNodes)
		limited.Expected = "a document that can be judged within " + strconv.Itoa(e.set.opts.Steps) + " steps"
		limited.Got = "a document that takes more"
		limited.Message = "judging this document takes more work than the limit allows"
		e.list = append(e.list, limited)
	}
	if verdict == wire.Invalid && !slices.ContainsFunc(e.list, func(w call.Violation) bool { return w.Reason == "" }) {
		broken := root
		broken.Message = "the document breaks the schema; finding out where takes more work than the limit allows"
		e.list = append(e.list, broken)
	}
	if e.more {
		rest := root
		rest.Message = fmt.Sprintf("there are more violations than the %d listed", len(e.list))
		e.list = append(e.list, rest)
	}
	return e.list
}

// full reports that nothing more can be learned: a budget ran out, after which verdicts say nothing, or the
// list has no room and it is known that there are others. Loops over members, elements and schemas end
// there, because what they still could find is not listed and costs more than all that is.
func (e *explainer) full() bool { return e.r.limit != "" || e.more && !e.dry }

func (e *explainer) verdict(s *ir.Schema, n int) wire.Verdict { return e.set.units[s.ID].judge(e.r, n) }

// explain lists what is wrong with node n under s, whose verdict is not Valid. via is the keyword that
// led here; a schema that is false is reported under it.
func (e *explainer) explain(s *ir.Schema, n int, via step) {
	if e.dry {
		t := e.tally(s, n, via.keyword)
		e.counted.all += t.all
		if s.Never {
			e.counted.here++ // a member or element that should not be there is a fault of the whole
		}
		return
	}
	switch {
	case e.r.limit != "": // verdicts from here on say nothing
	case e.room > 0:
		if e.rec == nil {
			e.walk(s, n, via.keyword)
			return
		}
		leave := e.rec.enter(via, s, &e.path)
		e.walk(s, n, via.keyword)
		leave()
	default:
		e.more = true
	}
}

// inPlace is explain for a schema that applies to the same value as the current one.
func (e *explainer) inPlace(s *ir.Schema, n int, via step) {
	if e.dry {
		e.counted.here += e.tally(s, n, via.keyword).here
	}
	e.explain(s, n, via)
}

// maxTallies bounds the memory of dry walks. Beyond, arms count as equally far.
const maxTallies = 1 << 18

// tally counts the violations of n under s. Tallies are remembered, else nested unions would be counted
// once for every union around them.
func (e *explainer) tally(s *ir.Schema, n int, via string) tally {
	if e.verdict(s, n) == wire.Valid {
		return tally{}
	}
	key := wire.MemoKey(uint32(s.ID), n)
	if t, ok := e.tallies[key]; ok {
		return t
	}
	if len(e.tallies) >= maxTallies || e.r.limit != "" {
		return tally{1, 1}
	}
	dry, counted := e.dry, e.counted
	e.dry, e.counted = true, tally{}
	e.walk(s, n, via)
	t := tally{min(e.counted.all, maxTallies), min(e.counted.here, maxTallies)}
	e.dry, e.counted = dry, counted
	e.tallies[key] = t
	return t
}

// report starts a violation of keyword k at node n, nil when it is only counted or there is no room.
func (e *explainer) report(s *ir.Schema, k ir.Keyword, n int) *call.Violation {
	return e.reportAt(load.Child(s.Origin.Pointer, k.Source), s, k.Source, n)
}

// maxPointers bounds the bytes of all pointers of a list but its last. A document has room for one name of many
// megabytes with a thousand mistakes below it, and each of them would repeat the name.
const maxPointers = 1 << 20

func (e *explainer) reportAt(pointer string, s *ir.Schema, keyword string, n int) *call.Violation {
	if e.dry {
		e.counted.all++
		e.counted.here++
		return nil
	}
	if e.room == 0 {
		e.more = true
		return nil
	}
	e.room--
	if e.long += len(e.path) + e.rec.size(); e.long > maxPointers {
		e.room = 0
	}
	instance := string(e.path)
	if e.rec != nil {
		e.rec.report(len(e.list), pointer, s, keyword, instance)
	}
	e.list = append(e.list, call.Violation{
		Pointer:       instance,
		Keyword:       keyword,
		SchemaPointer: pointer,
		SchemaFile:    s.Origin.Pos.File,
		Got:           e.show(n),
		Offset:        int(e.r.t.Node(n).Start),
	})
	return &e.list[len(e.list)-1]
}

// member walks into the member whose name stands at node name.
func (e *explainer) member(name int, visit func()) {
	length := len(e.path)
	e.path = append(append(e.path, '/'), load.EscapeToken(e.r.t.String(name))...)
	visit()
	e.path = e.path[:length]
}

// element walks into element i.
func (e *explainer) element(i int, visit func()) {
	length := len(e.path)
	e.path = strconv.AppendInt(append(e.path, '/'), int64(i), 10)
	visit()
	e.path = e.path[:length]
}

// walk goes through the keywords of s, in the order of the source.
func (e *explainer) walk(s *ir.Schema, n int, via string) {
	if s.Never {
		e.never(s, n, via)
		return
	}
	if e.depth == maxOpen {
		e.r.limit = errcode.LimitDepth
		return
	}
	e.depth++
	defer func() { e.depth-- }()
	for _, k := range s.Keywords {
		if e.full() {
			return
		}
		leave := e.keyword(k, s)
		switch k.Name {
		case "type", "const", "enum":
			e.value(s, k, n)
		case "$ref":
			e.applied(s.Ref, n, throughReference(s, k))
		case "allOf":
			for i := 0; i < len(s.AllOf) && !e.full(); i++ {
				via := into(k.Source, i)
				if k.Source != "allOf" { // a reference beside another one
					via = through(k.Source)
				}
				e.applied(s.AllOf[i], n, via)
			}
		case "anyOf":
			e.anyOf(s, k, n)
		case "oneOf":
			e.oneOf(s, k, n)
		case "not":
			e.not(s, k, n)
		case "if":
			e.conditional(s, n)
		default:
			switch e.r.t.Kind(n) {
			case wire.KindNumber:
				e.number(s, k, n)
			case wire.KindString:
				e.string(s, k, n)
			case wire.KindArray:
				e.array(s, k, n)
			case wire.KindObject:
				e.object(s, k, n)
			}
		}
		leave()
	}
}

// keyword records that the walk looks at a keyword, unless it only counts.
func (e *explainer) keyword(k ir.Keyword, s *ir.Schema) (leave func()) {
	if e.dry || e.rec == nil {
		return func() {}
	}
	return e.rec.keyword(k.Source, s, &e.path)
}

// applied explains a schema that applies to the same value unconditionally.
func (e *explainer) applied(s *ir.Schema, n int, via step) {
	if e.verdict(s, n) != wire.Valid {
		e.inPlace(s, n, via)
	}
}

// never reports the schema false under the keyword that put it there.
func (e *explainer) never(s *ir.Schema, n int, via string) {
	v := e.reportAt(s.Origin.Pointer, s, cmp.Or(via, "false"), n)
	if v == nil {
		return
	}
	v.Expected, v.Message = "nothing", "no value is allowed here"
	switch via {
	case "properties", "patternProperties", "additionalProperties", "unevaluatedProperties":
		v.Expected = "no such member" // and inMember says which
	case "items", "prefixItems", "additionalItems", "unevaluatedItems":
		v.Expected = "no such element"
		v.Message = "the element is not allowed"
	}
}
