package wire

import "testing"

func TestPoints(t *testing.T) {
	for _, tt := range []struct {
		s            string
		n            int
		first, short string
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "abc", "ab…"},
		{"日程管理", 4, "日程管理", "日程管理"},
		{"日程管理器", 4, "日程管理", "日程管…"},
		{"a\U0001f600b", 2, "a\U0001f600", "a…"},
		{"ab", 1, "a", "…"},
	} {
		if first, short := FirstPoints(tt.s, tt.n), Shorten(tt.s, tt.n); first != tt.first || short != tt.short {
			t.Errorf("%q, %d: %q and %q, want %q and %q", tt.s, tt.n, first, short, tt.first, tt.short)
		}
	}
}
