package runtime

import (
	"fmt"
	"slices"
	"sync"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/result"
)

// This file deals with values that must not leave a call (DESIGN §4, secrets): those of the tool's
// configuration that its schema marks as writeOnly, those of [Secrets], and the arguments that the input schema marks as writeOnly. They are masked where
// something enters: in the payload before anything judges it, in what a transport quotes, in the violations of
// arguments, in progress, in what an approver is shown, and in the log.

// ruleSecret is the rule by which policy.redactionsApplied tells of them.
const ruleSecret = "secret"

// maxTold bounds the places that a result names; the warning counts them all.
const maxTold = 256

// vault remembers the set of each tool's secrets, as long as its values stay the same.
type vault struct{ tools sync.Map } // tool -> *kept

type kept struct {
	values [][]byte
	set    *secret.Set
}

func (v *vault) of(tool string, values [][]byte) *secret.Set {
	if len(values) == 0 {
		return nil
	}
	if known, ok := v.tools.Load(tool); ok {
		if k := known.(*kept); slices.EqualFunc(k.values, values, slices.Equal[[]byte]) {
			return k.set
		}
	}
	k := &kept{values: make([][]byte, len(values))}
	texts := make([]string, len(values))
	for i, value := range values {
		k.values[i], texts[i] = slices.Clone(value), string(value)
	}
	k.set = secret.New(texts...)
	v.tools.Store(tool, k)
	return k.set
}

// maxCredentials is how many secrets one call may bring. A schema may mark a whole object, and looking for each of
// its values takes time before the time limit of the call has begun.
const maxCredentials = 256

// secretsOf returns what must not leave the call whose arguments were scanned, whether or not they were good.
func (r *Runtime) secretsOf(x *run, arguments *wire.Tape) (*secret.Set, *failure) {
	if x.spec == nil {
		return nil, nil
	}
	d := x.plan.defaultsOf(x.spec)
	values := r.secrets(x.spec.Tool)
	if d.settings != nil {
		values = slices.Concat(values, d.settings.Secrets(r.config(x.spec.Tool)))
	}
	credentials := d.credentials.Values(arguments)
	if len(credentials) > maxCredentials {
		slices.Sort(credentials)
		credentials = slices.Compact(credentials)
	}
	if len(credentials) > maxCredentials {
		f := fail(errcode.InvalidArgument, "the arguments hold more than %d secrets", maxCredentials).because(errcode.LimitMembers)
		f.details.int("limit", maxCredentials)
		return nil, f // which quotes nothing
	}
	return r.vault.of(x.spec.Tool, values).With(credentials...), nil
}

// scanPayload scans a payload and masks the secrets in it.
func (x *run) scanPayload(t *wire.Tape, src []byte, limits wire.Limits) error {
	if err := t.Scan(src, limits); err != nil || x.secrets == nil {
		return err
	}
	var fixed map[int]bool
	masked, found := x.secrets.Mask(t, func(node int) bool {
		if fixed == nil {
			fixed = protocolWords(t)
		}
		return fixed[node] || t.Node(node).Flags&wire.Name != 0 && t.NameEqual(node, wire.ResourceMember)
	})
	if !found {
		return nil
	}
	x.masked = masked.Nodes
	// The mask may be longer than what it hides, which was within the limits.
	return t.Scan(masked.Source, unlimited(masked.Source))
}

// protocolWords lists the strings of a payload that the protocol fixes, and localPath, which never leaves the
// core: a secret that reads like one of them ("accepted") is no secret there, and masking it would break the
// payload.
func protocolWords(t *wire.Tape) map[int]bool {
	fixed := map[int]bool{}
	names := func(at int, values ...string) {
		if t.Kind(at) != wire.KindObject {
			return
		}
		for m := t.Members(at); m.Next(); {
			fixed[m.Name] = true
			if slices.Contains(values, t.String(m.Name)) {
				fixed[m.Value] = true
			}
		}
	}
	// code is fixed when it is one of the core's.
	code := func(at int, closed func(string) bool) {
		if c, ok := t.Find(at, "code"); ok && t.Kind(c) == wire.KindString && closed(t.String(c)) {
			fixed[c] = true
		}
	}
	root := t.Root()
	names(root, "status")
	if t.Kind(root) != wire.KindObject {
		return fixed
	}
	for m := t.Members(root); m.Next(); {
		object := t.Kind(m.Value) == wire.KindObject
		switch name := t.String(m.Name); {
		case name == "error" && object:
			names(m.Value, "category")
			code(m.Value, func(c string) bool {
				_, known := errcode.CategoryOf(errcode.Code(c))
				return known && !errcode.Code(c).Namespaced()
			})
			if cause, ok := t.Find(m.Value, "cause"); ok {
				names(cause)
			}
		case name == "task":
			names(m.Value, "state", "id") // the id is replaced by the runtime's own
		case name == "presentation":
			names(m.Value)
		case name == "aiAdvice":
			names(m.Value, "intent", "renderHint", "priority")
		case (name == "resources" || name == "warnings") && t.Kind(m.Value) == wire.KindArray:
			for e := t.FirstChild(m.Value); e < t.Next(m.Value); e = t.Next(e) {
				names(e, "kind", "role", "localPath")
				if t.Kind(e) == wire.KindObject {
					code(e, func(c string) bool { return slices.Contains(coreWarnings, c) })
				}
			}
		}
	}
	return fixed
}

var coreWarnings = func() (list []string) {
	for _, w := range errcode.Warnings() {
		list = append(list, string(w.Warning))
	}
	return list
}()

// tellMasked notes in a result what was masked: where, by which rule, how often, never what.
func tellMasked(p *result.PolicyPart, own *warnings, places int, pointers []string) {
	if places == 0 {
		return
	}
	p.Sensitive = true
	for _, pointer := range pointers {
		p.Redactions = append(p.Redactions, result.Redaction{Rule: ruleSecret, Target: pointer})
	}
	target := ""
	text := fmt.Sprintf("secrets of the tool or the call were masked in %d places", places)
	if places == 1 && len(pointers) == 1 {
		target, text = pointers[0], "a secret of the tool or the call was masked"
	}
	var details object
	details.int("places", int64(places))
	own.addDetails(errcode.SecretRedacted, text, target, details.bytes())
}

// shown returns the arguments as somebody may see them who is asked about the call: without what stands at a place for
// secrets, however short it is, and without secrets anywhere else. They are only to be read: without secrets they are
// the call's own.
func (x *run) shown() []byte {
	credentials := x.plan.defaultsOf(x.spec).credentials
	if credentials == nil && x.secrets == nil {
		return x.arguments
	}
	var t wire.Tape
	out := x.arguments
	if credentials != nil && t.Scan(out, unlimited(out)) == nil {
		out = credentials.Hide(&t, out)
	}
	if x.secrets != nil && t.Scan(out, unlimited(out)) == nil {
		if m, found := x.secrets.Mask(&t, nil); found {
			return m.Source
		}
	}
	return out
}

// maskWarning masks a warning of the transport.
func (x *run) maskWarning(w call.Warning) call.Warning {
	if x.secrets != nil {
		w.Message = x.secrets.Quote(w.Message)
		if m, found := x.secrets.Raw(w.Details, nil); found {
			w.Details = m.Source
		}
	}
	return w
}

// mask takes the secrets out of a failure and returns where they stood in the result.
func (f *failure) mask(set *secret.Set) (pointers []string) {
	if set == nil {
		return nil
	}
	if masked := set.Quote(f.message); masked != f.message {
		f.message = masked
		pointers = append(pointers, "/error/message")
	}
	if f.target != nil {
		if masked := set.Text(*f.target); masked != *f.target {
			f.target = &masked
			pointers = append(pointers, "/error/target")
		}
	}
	if f.details.empty() {
		return pointers
	}
	m, found := set.Raw(f.details.bytes(), func(t *wire.Tape, node int) bool {
		reason, ok := t.Find(t.Root(), "reason")
		return ok && node == reason
	})
	if !found {
		return pointers
	}
	f.details = object{buf: m.Source[:len(m.Source)-1]} // reopened: the brace comes last
	var t wire.Tape
	if t.Scan(m.Source, wire.Limits{}) == nil {
		for _, p := range secret.Pointers(&t, m.Nodes, maxTold) {
			pointers = append(pointers, "/error/details"+p)
		}
	}
	return pointers
}
