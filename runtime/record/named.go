package record

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// ListNamed is [Store.List] for a tool as people write it: Tool, or Tool.Command, where the last dot separates the two. Names
// of tools may have dots as well, and nobody knows those of tools that are gone, so the page has the records of both readings.
// Where the query has a command, the one behind the dot has to be the same. An empty name is any tool.
func ListNamed(ctx context.Context, s Store, name string, q Query) (Page, error) {
	q.Tool = name
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || dot == len(name)-1 || q.Command != "" && q.Command != name[dot+1:] {
		return s.List(ctx, q)
	}
	whole, err := s.List(ctx, q)
	if err != nil {
		return Page{}, err
	}
	q.Tool, q.Command = name[:dot], name[dot+1:]
	parts, err := s.List(ctx, q)
	if err != nil {
		return Page{}, err
	}
	// Either page holds the newest of its kind, so the newest of both are the newest of all.
	page := Page{Records: append(whole.Records, parts.Records...), Next: cmp.Or(whole.Next, parts.Next)}
	slices.SortFunc(page.Records, func(a, b Record) int { return cmp.Or(b.Created.Compare(a.Created), strings.Compare(b.ID, a.ID)) })
	if n := q.Rows(); len(page.Records) > n || page.Next != "" {
		page.Records = page.Records[:min(n, len(page.Records))]
		last := page.Records[len(page.Records)-1]
		page.Next = Cursor{Created: last.Created.UnixMilli(), ID: last.ID}.String()
	}
	return page, nil
}
