package policy

import (
	"bytes"
	"strings"

	"vcp.core/contract/wire"
	"vcp.core/runtime/result"
)

// quote is what an error repeats of an argument that is a credential by its name. It stands in the member got of a
// violation, under a name that says nothing, and the message of the error may repeat that.
type quote struct {
	got  string
	rule *rule
}

// mostQuotes bounds how many quotes are looked for in the message. The core lists 20 violations.
const mostQuotes = 32

// findQuotes looks through the violations of an error.
func (w *walk) findQuotes() {
	t, at := w.t, w.v.At(result.Error)
	if len(w.keys) == 0 || at < 0 {
		return
	}
	list := w.memberOf(w.memberOf(at, "details", wire.KindObject), "violations", wire.KindArray)
	if list < 0 {
		return
	}
	for c := t.FirstChild(list); c < t.Next(list); c = t.Next(c) {
		pointer, got := w.memberOf(c, "pointer", wire.KindString), w.memberOf(c, "got", wire.KindString)
		if pointer < 0 || got < 0 {
			continue
		}
		name, text := w.read(pointer, &w.name), string(w.read(got, &w.value))
		for _, r := range w.keys {
			word, start := keyOf(name, r.keys)
			if r.within>>result.Error&1 == 0 || word == "" || !tells(text) || !isCredential(name, word, start, []byte(strings.Trim(text, `"`))) {
				continue
			}
			if w.quoted == nil {
				w.quoted = map[int]*rule{}
			}
			w.quoted[got] = r
			if len(w.quotes) < mostQuotes {
				w.quotes = append(w.quotes, quote{text, r})
			}
			break
		}
	}
}

// tells reports whether what was got says more than that it was of another type.
func tells(got string) bool { return got != "true" && got != "false" && got != "null" }

// memberOf returns a member of an object when it is of a kind, -1 otherwise.
func (w *walk) memberOf(at int, name string, kind wire.Kind) int {
	if at < 0 || w.t.Kind(at) != wire.KindObject {
		return -1
	}
	if value, ok := w.t.Find(at, name); ok && w.t.Kind(value) == kind {
		return value
	}
	return -1
}

// quotesIn appends where a text repeats a quote.
func (w *walk) quotesIn(text []byte, spans []span) []span {
	for _, q := range w.quotes {
		said := []byte("got " + q.got)
		for from := 0; ; {
			at := bytes.Index(text[from:], said)
			if at < 0 {
				break
			}
			from += at + len(said)
			spans = append(spans, span{from - len(q.got), from})
			w.tell(q.rule)
		}
	}
	return spans
}
