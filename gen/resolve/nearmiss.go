package resolve

import (
	"slices"
	"strings"

	"vcp.core/gen/diag"
)

// established are keywords of other vocabularies that resemble ours and are no slips.
var established = []string{"example", "comment", "comments", "note", "notes", "descriptions", "titles", "patterns", "formats"}

// closest returns the keyword that the name was probably meant to be, or "". A forgotten or added '$'
// does not count.
func closest(name string, candidates []string) string {
	if found := diag.Closest(name, candidates); found != "" {
		return found
	}
	plain := strings.TrimPrefix(name, "$")
	for _, c := range candidates {
		if strings.TrimPrefix(c, "$") == plain && c != name {
			return c
		}
	}
	return ""
}

// unknown handles a keyword that the dialect does not know: nothing, unless it looks like a mistake.
func (b *build) unknown(ignored bool) {
	name := b.member.Name
	if _, off := vocabulary[b.schema.Dialect][name]; ignored || off || b.place.in.doc != b.root {
		return
	}
	if hint, known := elsewhere[b.schema.Dialect][name]; known {
		b.ignored(hint)
		return
	}
	if near := b.nearKeyword(name); near != "" {
		b.warnf(CodeNearMiss, "did you mean "+quote(near)+"?", "the keyword %s is unknown and has no effect", quote(name))
	}
}

// ignored warns of a keyword that only other dialects have.
func (b *build) ignored(hint string) {
	b.warnf(CodeIgnored, hint, "%s has no effect in %s", b.member.Name, b.dialectName())
}

func (b *build) dialectName() string {
	if b.schema.Dialect == Draft07 {
		return "draft-07"
	}
	return "draft " + string(b.schema.Dialect)
}

// nearKeyword looks a name up by edit distance. Names and answers are remembered, and after a thousand
// different unknown names it is a document's own vocabulary and not a slip.
func (b *build) nearKeyword(name string) string {
	key := string(b.schema.Dialect) + name
	near, seen := b.near[key]
	if seen || len(b.near) >= 1000 {
		return near
	}
	if !strings.HasPrefix(name, "x-") && !strings.HasPrefix(name, "@") && !slices.Contains(established, name) {
		near = closest(name, keywordNames[b.schema.Dialect])
	}
	b.near[key] = near
	return near
}
