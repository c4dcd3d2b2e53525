package resource

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"time"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/id"
)

// Limits bound what one payload may bring. A field that is not positive means its default.
type Limits struct {
	Count int   // resources, 256
	Size  int64 // bytes of one, 256 MiB
	Total int64 // bytes of all, 1 GiB
}

// Filled returns the limits with defaults in place of fields that are not positive.
func (l Limits) Filled() Limits {
	if l.Count <= 0 {
		l.Count = 256
	}
	if l.Size <= 0 {
		l.Size = 256 << 20
	}
	if l.Total <= 0 {
		l.Total = 1 << 30
	}
	return l
}

// Publisher publishes the resources of payloads. It is immutable and safe for concurrent use.
type Publisher struct {
	Store  Store  // nil when there is nowhere to keep anything: then no payload may bring resources
	Limits Limits // filled
	IDs    func(prefix string, now time.Time) string
}

// Places are members of a scanned payload; -1 is an absent one.
type Places struct{ Data, Resources, Presentation, Advice int }

// Plan is what is going to happen to a payload that has to do with resources: new ids, references that
// follow, files in data that become resources.
type Plan struct {
	p      *Publisher
	tape   *wire.Tape
	at     Places
	now    time.Time
	items  []item
	index  map[string]int // drafts by the plugin's ids
	bind   []binding
	edits  []edit // ids only: in data, presentation and advice
	drafts int    // items that the payload brings itself; the rest was found in data
}

// item is a resource on its way.
type item struct {
	node  int    // of the draft, or of the string in data
	local string // the plugin's id, "" for one found in data
	id    string // "res_…"
	kind  v1.Kind
	role  v1.Role
	bytes []byte // decoded, where the payload holds them
	media string // the media type that a data URI states
	draft v1.ResourceDraft
}

// binding is a place in data that refers to item, or is replaced by a reference to it.
type binding struct{ node, item int }

// edit replaces a range of the payload's bytes.
type edit struct {
	start, end uint32
	text       []byte
}

// Read plans what happens to the resources of a payload that its schema accepted. Without any the plan is nil,
// and nothing has to be done. The tape must stay as it is while the plan is in use.
func (p *Publisher) Read(t *wire.Tape, at Places, now time.Time) (*Plan, *Refusal) {
	plan := Plan{p: p, tape: t, at: at, now: now}
	if r := plan.readDrafts(); r != nil {
		return nil, r
	}
	if r := plan.readData(); r != nil {
		return nil, r
	}
	if r := plan.readNames(); r != nil {
		return nil, r
	}
	if len(plan.items) == 0 {
		return nil, nil
	}
	needed := plan // a plan that is not needed costs no allocation
	return &needed, nil
}

// add takes in one more resource, if there may be one more.
func (l *Plan) add(i item, pointer func() string) *Refusal {
	if l.p.Store == nil || len(l.items) >= l.p.Limits.Count {
		return l.tooMany(pointer())
	}
	i.id = l.p.IDs(id.Resource, l.now)
	l.items = append(l.items, i)
	return nil
}

func (l *Plan) tooMany(pointer string) *Refusal {
	if l.p.Store == nil {
		return refuse(errcode.LimitResources, pointer, "the payload brings resources, but no resource store is configured").over(0, -1)
	}
	return refuse(errcode.LimitResources, pointer, "the payload brings more than %d resources", l.p.Limits.Count).over(int64(l.p.Limits.Count), -1)
}

func (l *Plan) readDrafts() *Refusal {
	t := l.tape
	if l.at.Resources < 0 {
		return nil
	}
	n := t.Count(l.at.Resources)
	if n == 0 {
		return nil
	}
	if l.p.Store == nil || n > l.p.Limits.Count {
		r := l.tooMany("/resources")
		r.Size = int64(n)
		return r
	}
	l.index = make(map[string]int, n)
	for c := t.FirstChild(l.at.Resources); c < t.Next(l.at.Resources); c = t.Next(c) {
		// The decoder owns its input, and counts with the limits of a scan.
		draft, err := v1.DecodeResourceDraft(bytes.Clone(t.Raw(c)))
		if err != nil {
			r := refuse(errcode.LimitBytes, "/resources/"+strconv.Itoa(len(l.items)), "a resource is larger than a document may be")
			r.Err = err
			return r
		}
		i := item{node: c, local: draft.ID, kind: draft.Kind, role: draft.Role, draft: draft}
		if _, taken := l.index[i.local]; taken {
			return refuse(errcode.DuplicateResource, draftPointer(len(l.items), "id"), "two resources have the id %q", short(i.local)).of(i.local)
		}
		l.index[i.local] = len(l.items)
		if r := l.add(i, nil); r != nil {
			return r
		}
	}
	l.drafts = len(l.items)
	return nil
}

func draftPointer(index int, member string) string {
	return "/resources/" + strconv.Itoa(index) + "/" + member
}

// readData finds the references in data, and the files that stand in it as text.
func (l *Plan) readData() *Refusal {
	t := l.tape
	nodes := t.Nodes()
	src := t.Source()
	for at, end := l.at.Data, t.Next(l.at.Data); at < end; at++ {
		n := &nodes[at]
		switch {
		case n.Kind == wire.KindObject && n.Count == 1:
			if _, ok := wire.RefAt(t, at); !ok {
				continue
			}
			i, r := l.refer(at+2, at)
			if r != nil {
				return r
			}
			l.bind = append(l.bind, binding{at, i})
			at += 2
		case n.Kind == wire.KindString && n.End-n.Start > shortestURI && n.Flags&wire.Name == 0:
			if !suspicious(src[n.Start+1 : n.End-1]) {
				continue
			}
			content, declared, ok := embedded(t.String(at))
			if !ok {
				continue
			}
			if r := l.add(item{node: at, role: v1.RoleOutput, bytes: content, media: declared}, func() string { return t.Pointer(at) }); r != nil {
				return r
			}
			found, _ := mediaType(content, claims{dataURI: declared})
			l.items[len(l.items)-1].kind = kindFor(found)
			l.bind = append(l.bind, binding{at, len(l.items) - 1})
		}
	}
	return nil
}

// refer notes that the string at a node is to become the id of the resource that it names. place is what a
// refusal points at.
func (l *Plan) refer(node, place int) (int, *Refusal) {
	t := l.tape
	var buf [64]byte
	i, ok := l.index[string(t.Text(node, buf[:0]))]
	if !ok {
		pointer, name := t.Pointer(place), t.String(node)
		return 0, refuse(errcode.DanglingResource, pointer, "%q refers to the resource %q, which the payload does not bring", short(pointer), short(name)).of(name)
	}
	n := t.Node(node)
	l.edits = append(l.edits, edit{n.Start, n.End, wire.AppendQuoted(nil, l.items[i].id)})
	return i, nil
}

// readNames finds the ids in presentation and advice.
func (l *Plan) readNames() *Refusal {
	t := l.tape
	if l.at.Presentation >= 0 && t.Kind(l.at.Presentation) == wire.KindObject {
		if at, ok := t.Find(l.at.Presentation, "primaryResourceId"); ok && t.Kind(at) == wire.KindString {
			if _, r := l.refer(at, at); r != nil {
				return r
			}
		}
	}
	if l.at.Advice >= 0 && t.Kind(l.at.Advice) == wire.KindObject {
		if list, ok := t.Find(l.at.Advice, "resourceIds"); ok {
			for at := t.FirstChild(list); at < t.Next(list); at = t.Next(at) {
				if _, r := l.refer(at, at); r != nil {
					return r
				}
			}
		}
	}
	return nil
}

// Data returns the bytes of data as they will be, with the plugin's ids replaced, and with references in place
// of the files that were found in it.
func (l *Plan) Data() []byte { return l.data(l.found()) }

// PlainData is Data with the files that were found in it left as they came.
func (l *Plan) PlainData() []byte { return l.data(nil) }

func (l *Plan) data(found []edit) []byte {
	n := l.tape.Node(l.at.Data)
	inside := func(e edit) bool { return e.start < n.Start || e.end > n.End }
	edits := slices.DeleteFunc(slices.Concat(l.edits, found), inside)
	return splice(l.tape.Source(), n.Start, n.End, edits)
}

// found are the edits that replace files in data.
func (l *Plan) found() []edit {
	var edits []edit
	for i := l.drafts; i < len(l.items); i++ {
		n := l.tape.Node(l.items[i].node)
		edits = append(edits, edit{n.Start, n.End, wire.Ref{ID: l.items[i].id}.AppendJSON(nil)})
	}
	return edits
}

// Found returns the pointers of the files that were found in data, in its order.
func (l *Plan) Found() []string {
	var pointers []string
	for i := l.drafts; i < len(l.items); i++ {
		pointers = append(pointers, l.tape.Pointer(l.items[i].node))
	}
	return pointers
}

// Bound returns the kind and the role of the resource that stands at a place of data, by the node of the
// payload's tape. Before Publish they are the plugin's word; afterwards the kind is what the bytes are.
func (l *Plan) Bound(node int) (kind v1.Kind, role v1.Role, ok bool) {
	at, ok := slices.BinarySearchFunc(l.bind, node, func(b binding, node int) int { return cmp.Compare(b.node, node) })
	if !ok {
		return "", "", false
	}
	i := &l.items[l.bind[at].item]
	return i.kind, i.role, true
}

// splice returns src[start:end] with the edits made, in whatever order they come. They do not overlap.
func splice(src []byte, start, end uint32, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	size := int(end - start)
	for _, e := range edits {
		size += len(e.text)
	}
	out := make([]byte, 0, size)
	for _, e := range edits {
		out = append(out, src[start:e.start]...)
		out = append(out, e.text...)
		start = e.end
	}
	return append(out, src[start:end]...)
}
