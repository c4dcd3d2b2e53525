package resolve

import (
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
