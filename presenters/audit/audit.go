// Package audit presents a result to an audit log: a digest that says who ran what, when, how it went and how
// much came out, and that repeats nothing of what came out (specification §4.9).
//
// A visible and the caller's address go in, one compact JSON object comes out:
//
//	{"type":"vcp_audit","version":"1.0",
//	 "resultId":"tr_…","invocationId":"ti_…","requestId":"req_…","recordId":null,
//	 "tool":"ScheduleManager","toolVersion":"1.0.0","command":"ListSchedules",
//	 "status":"success","startedAt":"…","finishedAt":"…","durationMs":23,"timeoutMs":60000,"attempt":1,
//	 "actor":{"type":"agent","id":null,"name":"Nova","maid":"Nova"},
//	 "origin":{"source":"ai-loop","nodeId":null,"serverId":"local","distributed":false,"requestIp":"192.0.2.7"},
//	 "error":null,
//	 "task":null,
//	 "data":{"kind":"object","sizeBytes":412,"sha256":"…","count":2,"values":14,"arrays":1,"elements":3,"longestArray":3},
//	 "resources":[{"id":"res_…","kind":"image","role":"output","mimeType":"image/png","sizeBytes":183920,"sha256":"…"}],
//	 "warnings":["OUTPUT_TRUNCATED"],
//	 "policy":{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]},
//	 "sizeBytes":2211,"sha256":"…"}
//
// An error is {"code","category","reason","retryable"}, a task {"id","state"}. Every member is always present
// and in this order, null where the result says nothing. sizeBytes and sha256 at the end are those of the
// whole visible result, those of data are of data alone: they tell whether a stored result is the one that
// was logged.
//
// Never in a digest: values and member names of data, messages, details and causes of errors and warnings,
// advice, file names, URLs and metadata of resources, extensions. A reason is repeated only when it is of the
// closed set, because a plugin may write anything there. Text that a caller chose (the name of an unknown
// tool, an actor's name) is kept to 200 characters. A redaction keeps its pointer, as the specification wants
// it recorded; a pointer holds member names.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"

	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// Origin is what a digest says of a call beyond the result.
type Origin struct {
	// RequestIP is the caller's address, "" when unknown. It stands in no result (DESIGN §4).
	RequestIP string
}

// longest bounds text of a caller's choice, in characters.
const longest = 200

// largestBuffer bounds what is kept of a digest that named many resources.
const largestBuffer = 64 << 10

// digests are used again.
var digests = sync.Pool{New: func() any { return &digest{buf: make([]byte, 0, 2048)} }}

// Present returns the digest.
func Present(v *result.Visible, from Origin) string {
	d := digests.Get().(*digest)
	defer d.free()
	d.t = v.Tape()
	execution, tool := v.Object(result.Execution), v.Object(result.Tool)

	d.literal(`{"type":"vcp_audit","version":"1.0","resultId":`)
	d.text(v.At(result.ID))
	d.member("invocationId", &execution, (*digest).text)
	d.member("requestId", &execution, (*digest).text)
	d.member("recordId", &execution, (*digest).text)
	d.renamed("tool", &tool, "name", (*digest).text)
	d.renamed("toolVersion", &tool, "version", (*digest).text)
	d.member("command", &tool, (*digest).text)
	d.literal(`,"status":`)
	d.text(v.At(result.Status))
	d.member("startedAt", &execution, (*digest).text)
	d.member("finishedAt", &execution, (*digest).text)
	d.member("durationMs", &execution, (*digest).scalar)
	d.member("timeoutMs", &execution, (*digest).scalar)
	d.member("attempt", &execution, (*digest).scalar)
	d.literal(`,"actor":`)
	d.actor(v.At(result.Actor))
	d.literal(`,"origin":`)
	d.origin(v.At(result.Origin), from)
	d.literal(`,"error":`)
	d.error(v.At(result.Error))
	d.literal(`,"task":`)
	d.task(v.At(result.Task))
	d.literal(`,"data":`)
	d.data(v.At(result.Data))
	d.literal(`,"resources":`)
	d.list(v.At(result.Resources), (*digest).resource)
	d.literal(`,"warnings":`)
	d.list(v.At(result.Warnings), (*digest).warning)
	d.literal(`,"policy":`)
	d.policy(v.At(result.Policy))
	d.sized(d.t.Source())
	d.literal(`}`)
	return string(d.buf)
}

// digest appends a digest. A node that is absent is -1, and written as null.
type digest struct {
	t   *wire.Tape
	buf []byte
}

// free empties the digest and gives it back.
func (d *digest) free() {
	d.t, d.buf = nil, d.buf[:0]
	if cap(d.buf) <= largestBuffer {
		digests.Put(d)
	}
}

func (d *digest) literal(s string) { d.buf = append(d.buf, s...) }
func (d *digest) int(n int)        { d.buf = strconv.AppendInt(d.buf, int64(n), 10) }

// member appends one of the members of an object, renamed one that has another name there.
func (d *digest) member(name string, o *result.Object, write func(*digest, int)) {
	d.renamed(name, o, name, write)
}

func (d *digest) renamed(name string, o *result.Object, from string, write func(*digest, int)) {
	if last := d.buf[len(d.buf)-1]; last != '{' {
		d.literal(`,`)
	}
	d.buf = append(append(append(d.buf, '"'), name...), `":`...)
	write(d, o.Find(from))
}

// text appends a string, cut to the longest that a digest holds.
func (d *digest) text(at int) {
	if at < 0 || d.t.Kind(at) != wire.KindString {
		d.literal(`null`)
		return
	}
	if n := d.t.Node(at); n.Flags&wire.Escaped == 0 && n.Count <= longest {
		d.buf = append(d.buf, d.t.Raw(at)...) // as it would be written
		return
	}
	d.quoted(d.t.Label(at))
}

func (d *digest) quoted(s string) {
	n := 0
	for i := range s {
		if n == longest {
			s = s[:i] + "…"
			break
		}
		n++
	}
	d.buf = wire.AppendQuoted(d.buf, s)
}

// scalar appends a number or a boolean as it stands.
func (d *digest) scalar(at int) {
	switch {
	case at < 0:
	case d.t.Kind(at) == wire.KindTrue, d.t.Kind(at) == wire.KindFalse, d.t.Kind(at) == wire.KindNumber:
		d.buf = append(d.buf, d.t.Raw(at)...)
		return
	}
	d.literal(`null`)
}

// object opens the digest of an object, or writes null.
func (d *digest) object(at int) (o result.Object, ok bool) {
	if at < 0 || d.t.Kind(at) != wire.KindObject {
		d.literal(`null`)
		return o, false
	}
	d.literal(`{`)
	return result.ObjectAt(d.t, at), true
}

// list appends the digests of the elements of an array.
func (d *digest) list(at int, write func(*digest, int)) {
	d.literal(`[`)
	if at >= 0 && d.t.Kind(at) == wire.KindArray {
		for c := d.t.FirstChild(at); c < d.t.Next(at); c = d.t.Next(c) {
			if c != d.t.FirstChild(at) {
				d.literal(`,`)
			}
			write(d, c)
		}
	}
	d.literal(`]`)
}

func (d *digest) actor(at int) {
	o, ok := d.object(at)
	if !ok {
		return
	}
	d.member("type", &o, (*digest).text)
	d.member("id", &o, (*digest).text)
	d.member("name", &o, (*digest).text)
	d.member("maid", &o, (*digest).text)
	d.literal(`}`)
}

func (d *digest) origin(at int, from Origin) {
	o, ok := d.object(at)
	if !ok {
		return
	}
	d.member("source", &o, (*digest).text)
	d.member("nodeId", &o, (*digest).text)
	d.member("serverId", &o, (*digest).text)
	d.member("distributed", &o, (*digest).scalar)
	d.literal(`,"requestIp":`)
	if from.RequestIP == "" {
		d.literal(`null`)
	} else {
		d.quoted(from.RequestIP)
	}
	d.literal(`}`)
}

func (d *digest) error(at int) {
	o, ok := d.object(at)
	if !ok {
		return
	}
	d.member("code", &o, (*digest).text)
	d.member("category", &o, (*digest).text)
	details := result.ObjectAt(d.t, o.Find("details"))
	d.renamed("reason", &details, "reason", (*digest).reason)
	d.member("retryable", &o, (*digest).scalar)
	d.literal(`}`)
}

// reason appends a reason of the closed set; whatever else stands there is the plugin's business.
func (d *digest) reason(at int) {
	if at < 0 || d.t.Kind(at) != wire.KindString || !errcode.Reason(d.t.Label(at)).Known() {
		at = -1
	}
	d.text(at)
}

func (d *digest) task(at int) {
	o, ok := d.object(at)
	if !ok {
		return
	}
	d.member("id", &o, (*digest).text)
	d.member("state", &o, (*digest).text)
	d.literal(`}`)
}

func (d *digest) resource(at int) {
	o, ok := d.object(at)
	if !ok {
		return
	}
	d.member("id", &o, (*digest).text)
	d.member("kind", &o, (*digest).text)
	d.member("role", &o, (*digest).text)
	d.member("mimeType", &o, (*digest).mediaType)
	d.member("sizeBytes", &o, (*digest).scalar)
	d.member("sha256", &o, (*digest).text)
	d.literal(`}`)
}

// mediaType appends type and subtype. What follows are a plugin's own words, often a file name.
func (d *digest) mediaType(at int) {
	if at < 0 || d.t.Kind(at) != wire.KindString {
		d.literal(`null`)
		return
	}
	text, _, _ := strings.Cut(d.t.Label(at), ";")
	d.buf = wire.AppendQuoted(d.buf, strings.TrimRight(text, " \t"))
}

func (d *digest) warning(at int) {
	o := result.ObjectAt(d.t, at)
	d.text(o.Find("code"))
}

func (d *digest) policy(at int) {
	o, ok := d.object(at)
	if !ok {
		return
	}
	d.member("classification", &o, (*digest).text)
	d.member("containsSensitiveData", &o, (*digest).scalar)
	d.literal(`,"redactionsApplied":`)
	d.list(o.Find("redactionsApplied"), (*digest).redaction)
	d.literal(`}`)
}

func (d *digest) redaction(at int) {
	o, ok := d.object(at)
	if !ok {
		return
	}
	d.member("rule", &o, (*digest).text)
	d.member("target", &o, (*digest).text)
	d.literal(`}`)
}

// data appends the measures of data: one walk over its nodes, none of its bytes beyond the hash.
func (d *digest) data(at int) {
	if at < 0 {
		d.literal(`null`)
		return
	}
	var values, arrays, elements, longestArray int
	for i := at; i < d.t.Next(at); i++ {
		n := d.t.Node(i)
		if n.Flags&wire.Name != 0 {
			continue
		}
		values++
		if n.Kind == wire.KindArray {
			arrays++
			elements += int(n.Count)
			longestArray = max(longestArray, int(n.Count))
		}
	}
	count := 0
	if kind := d.t.Kind(at); kind == wire.KindObject || kind == wire.KindArray {
		count = d.t.Count(at)
	}
	d.literal(`{"kind":"`)
	d.literal(kindName(d.t.Kind(at)))
	d.literal(`"`)
	d.sized(d.t.Raw(at))
	d.literal(`,"count":`)
	d.int(count)
	d.literal(`,"values":`)
	d.int(values)
	d.literal(`,"arrays":`)
	d.int(arrays)
	d.literal(`,"elements":`)
	d.int(elements)
	d.literal(`,"longestArray":`)
	d.int(longestArray)
	d.literal(`}`)
}

// sized appends length and hash of a text.
func (d *digest) sized(text []byte) {
	sum := sha256.Sum256(text)
	d.literal(`,"sizeBytes":`)
	d.int(len(text))
	d.literal(`,"sha256":"`)
	d.buf = hex.AppendEncode(d.buf, sum[:])
	d.literal(`"`)
}

// kindName is the JSON type of a value.
func kindName(k wire.Kind) string {
	switch k {
	case wire.KindNull:
		return "null"
	case wire.KindTrue, wire.KindFalse:
		return "boolean"
	case wire.KindNumber:
		return "number"
	case wire.KindString:
		return "string"
	case wire.KindArray:
		return "array"
	}
	return "object"
}
