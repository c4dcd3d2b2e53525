package diag

import (
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	for _, tt := range []struct {
		name       string
		candidates []string
		closest    string
		meant      string
	}{
		{"reqiured", []string{"properties", "required"}, "required", "required"},
		{"N", []string{"m", "n"}, "n", "n"},
		{"graceMS", []string{"timeoutMs", "graceMs"}, "graceMs", "graceMs"},
		{"cm", []string{"m", "km"}, "", ""},
		{"timeout", []string{"timeoutMs", "graceMs"}, "", "timeoutMs"},
		{"command", []string{"effect", "commandIdentifier"}, "", "commandIdentifier"},
		{"sync", []string{"asynchronous", "synchronous"}, "", "synchronous"},
		{"enumNames", []string{"enum"}, "", ""},
		{"minimums", []string{"minItems", "minimum"}, "minimum", "minimum"},
		{"abc", []string{"abcdef"}, "", ""},
		{"same", []string{"same"}, "", ""},
		{"", []string{"a"}, "", ""},
		{"项目会议厅", []string{"项目会议室"}, "项目会议室", "项目会议室"},
		{"hte", []string{"the"}, "", ""},
		{"widht", []string{"width"}, "width", "width"},
		{strings.Repeat("x", 65), []string{strings.Repeat("x", 64)}, "", ""},
	} {
		if got := Closest(tt.name, tt.candidates); got != tt.closest {
			t.Errorf("Closest(%q, %q) = %q, want %q", tt.name, tt.candidates, got, tt.closest)
		}
		if got := Meant(tt.name, tt.candidates); got != tt.meant {
			t.Errorf("Meant(%q, %q) = %q, want %q", tt.name, tt.candidates, got, tt.meant)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		stop int
		want int
	}{
		{"", "", 3, 0}, {"abc", "abc", 3, 0}, {"abc", "acb", 3, 1}, {"abc", "xbcd", 3, 2}, {"abc", "", 9, 3},
		{"资源", "资料", 3, 1}, {"abcdef", "uvwxyz", 3, 3}, {"ca", "abc", 9, 3}, {"kitten", "sitting", 9, 3},
	} {
		if got := distance([]rune(tt.a), []rune(tt.b), tt.stop); got != tt.want {
			t.Errorf("distance(%q, %q, %d) = %d, want %d", tt.a, tt.b, tt.stop, got, tt.want)
		}
	}
}
