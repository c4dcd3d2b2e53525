package wire

// FirstPoints returns the first n code points of s, all of it when there are no more.
func FirstPoints(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// Shorten returns s when it has at most n code points, else n of them, the last of which is an ellipsis: for
// messages that quote what somebody else wrote.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if first := FirstPoints(s, n); len(first) < len(s) {
		return FirstPoints(first, n-1) + "…"
	}
	return s
}
