package record_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vcp.core/runtime/record"
	"vcp.core/runtime/record/recordtest"
)

// A name with a dot is a tool's, or a tool's and a command's: the records of both are listed, each once and newest first,
// whatever the size of a page.
func TestListNamed(t *testing.T) {
	var db recordtest.Database
	s := db.Open()
	start := time.Date(2026, 7, 12, 10, 0, 0, 0, time.UTC)
	calls := []struct{ tool, command string }{{"A.B", "C"}, {"A", "B"}, {"A", "C"}, {"A.B", ""}, {"B", "A"}, {"A", ""}}
	var all []record.Record // newest first
	for i := range 40 {
		c := calls[i%len(calls)]
		r := record.Record{
			ID: fmt.Sprintf("tcr_%026d", i*7919%41), ResultID: fmt.Sprintf("tr_%026d", i), InvocationID: fmt.Sprintf("ti_%026d", i), Tool: c.tool, Command: c.command,
			Status: "success", Protocol: "1.0", Created: start.Add(time.Duration(i/3) * time.Millisecond), // several at one time
		}
		if err := s.Commit(t.Context(), record.Entry{Record: &r}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := s.List(t.Context(), record.Query{Limit: 1000})
	if err != nil || len(page.Records) != 40 {
		t.Fatal(len(page.Records), err)
	}
	all = page.Records
	for _, tt := range []struct {
		name, command string
		want          func(tool, command string) bool
	}{
		{"", "", func(string, string) bool { return true }},
		{"", "C", func(_, c string) bool { return c == "C" }},
		{"A", "", func(tool, _ string) bool { return tool == "A" }},
		{"A.B", "", func(tool, c string) bool { return tool == "A.B" || tool == "A" && c == "B" }},
		{"A.B", "B", func(tool, c string) bool { return tool == "A" && c == "B" }},
		{"A.B", "C", func(tool, c string) bool { return tool == "A.B" && c == "C" }},
		{"A.B.C", "", func(tool, c string) bool { return tool == "A.B" && c == "C" }},
		{"A.", "", func(string, string) bool { return false }},
		{".A", "", func(string, string) bool { return false }},
		{"C.A", "", func(string, string) bool { return false }},
	} {
		var want []string
		for i := range all {
			if tt.want(all[i].Tool, all[i].Command) {
				want = append(want, all[i].ID)
			}
		}
		for _, limit := range []int{1, 2, 3, 7, 1000} {
			var got []string
			q := record.Query{Command: tt.command, Limit: limit}
			for {
				page, err := record.ListNamed(t.Context(), s, tt.name, q)
				if err != nil {
					t.Fatal(err)
				}
				if len(page.Records) > limit {
					t.Errorf("%q: a page of %d has %d", tt.name, limit, len(page.Records))
				}
				for i := range page.Records {
					got = append(got, page.Records[i].ID)
				}
				if q.After = page.Next; q.After == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q with command %q, pages of %d: %v, expected %v", tt.name, tt.command, limit, got, want)
			}
		}
	}
}
