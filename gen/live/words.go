package live

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vcp.core/contract/wire"
	"vcp.core/gen/ir"
)

// maxShown bounds every quotation of a document or a schema, in code points.
const maxShown = 80

// maxListed bounds a list of constants, in code points: closed sets like the roles of a resource are shown whole,
// because who broke one has nothing else to choose from.
const maxListed = 2 * maxShown

// shorten cuts s to maxShown code points, the last of which then is an ellipsis.
func shorten(s string) string { return wire.Shorten(s, maxShown) }

// show describes node n in at most maxShown code points: as it stands when that is short, else by its
// size.
func (e *explainer) show(n int) string {
	t := e.r.t
	node := t.Node(n)
	size := int(node.End - node.Start)
	switch node.Kind {
	case wire.KindArray, wire.KindObject:
		if size <= 2*maxShown {
			if s := string(t.AppendCompact(nil, n)); utf8.RuneCountInString(s) <= maxShown {
				return s
			}
		}
		if node.Kind == wire.KindArray {
			return "array of " + quantity(int(node.Count), "element")
		}
		return "object with " + quantity(int(node.Count), "member")
	}
	raw := t.Raw(n)
	if size > 4*maxShown {
		raw = raw[:4*maxShown] // at least maxShown code points; shorten cuts before the torn one
	}
	return shorten(string(raw))
}

// oneOfWords lists constants as long as there is room.
func oneOfWords(values []ir.Value) string {
	switch len(values) {
	case 0:
		return "nothing: the list of values is empty"
	case 1:
		return shorten(string(values[0].Raw))
	}
	var b strings.Builder
	b.WriteString("one of ")
	room := maxListed - len("one of , … 1000000 in all")
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if room -= utf8.RuneCount(v.Raw) + 2; room < 0 {
			fmt.Fprintf(&b, "… %d in all", len(values))
			break
		}
		b.Write(v.Raw)
	}
	return b.String()
}
