package engine

import (
	"context"
	"database/sql"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/record"
)

// This file deals with reading. Statements are prepared once: a list has a few hundred shapes at most, by
// which of its filters are set.

const (
	recordColumns = `records.id, records.result_id, invocation_id, request_id, task_id, tool, command, status, code, actor, source, protocol, created_at, size, kept, digest`
	byResult      = `SELECT record_id, resources, layout, body FROM results WHERE result_id = $1`
	byRecord      = `SELECT ` + recordColumns + `, COALESCE(resources, 0), COALESCE(layout, ''), COALESCE(body, '') FROM records` +
		` LEFT JOIN results ON results.result_id = records.result_id AND kept > 0 WHERE records.id = $1`
	resourcesOf   = `SELECT resource_id, sha256, result_id FROM result_resources WHERE result_id = $1 ORDER BY resource_id`
	byResource    = `SELECT resource_id, sha256, result_id FROM result_resources WHERE resource_id = $1 LIMIT 1`
	namedHash     = `SELECT 1 FROM result_resources WHERE sha256 = $1 AND sha256 <> '' LIMIT 1`
	intentColumns = `invocation_id, owner, request_id, task_id, tool, display_name, version, command, effect, source, has_actor, actor_type, actor_id,` +
		` actor_name, actor_maid, request_ip, node_id, started_at, timeout_ms, arguments`
	listIntents = `SELECT ` + intentColumns + ` FROM intents WHERE invocation_id > $1 ORDER BY invocation_id LIMIT $2`
)

// rows runs a query and hands every row to scan.
func (s *Store) rows(ctx context.Context, text string, args []any, scan func(*sql.Rows) error) error {
	return s.query(ctx, query{text, args, false}, scan)
}

// few is rows for a query that an index answers with a few rows.
func (s *Store) few(ctx context.Context, text string, arg any, scan func(*sql.Rows) error) error {
	return s.query(ctx, query{text, []any{arg}, true}, scan)
}

func (s *Store) query(ctx context.Context, q query, scan func(*sql.Rows) error) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	pool := s.db.Readers()
	err := pool.rows(ctx, q, scan)
	if next := s.db.Readers(); next != pool && is[*closedPool](err) {
		err = next.rows(ctx, q, scan) // the adapter had to connect anew
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case is[*closedPool](err):
		return &record.ClosedError{}
	default:
		return s.db.Classify(err)
	}
}

// into are the places of recordColumns.
func into(r *record.Record, created, kept *int64) []any {
	return []any{&r.ID, &r.ResultID, &r.InvocationID, &r.RequestID, &r.TaskID, &r.Tool, &r.Command, &r.Status, &r.Code, &r.Actor, &r.Source, &r.Protocol,
		created, &r.Size, kept, &r.Digest}
}

// Result implements [record.Store]. It looks up one row: what stands in records of this call stands in the text, too.
func (s *Store) Result(ctx context.Context, id string) (record.Record, error) {
	var resources int64
	var recordID, layout, body string
	id = record.Key(id)
	err := s.few(ctx, byResult, id, func(rows *sql.Rows) error {
		return rows.Scan(&recordID, &resources, &layout, &body)
	})
	switch {
	case err != nil:
		return record.Record{}, err
	case recordID == "":
		return record.Record{}, &record.NotFoundError{ID: id}
	}
	index := record.ParseIndex(layout)
	r, ok := record.FromText(body, &index)
	if !ok || r.ID != recordID || r.ResultID != id {
		r, err = s.Record(ctx, recordID)
		r.Digest = ""
		if err == nil && (r.Result == nil || r.ResultID != id) {
			err = &record.NotFoundError{ID: id} // it went meanwhile
		}
		return r, err
	}
	r.Result = &record.Result{Text: body, Index: index}
	return r, s.resources(ctx, &r, resources)
}

// Record implements [record.Store].
func (s *Store) Record(ctx context.Context, id string) (record.Record, error) {
	var r record.Record
	var created, kept, resources int64
	var layout, body string
	err := s.few(ctx, byRecord, record.Key(id), func(rows *sql.Rows) error {
		return rows.Scan(append(into(&r, &created, &kept), &resources, &layout, &body)...)
	})
	switch {
	case err != nil:
		return record.Record{}, err
	case r.ID == "":
		return record.Record{}, &record.NotFoundError{ID: id}
	}
	r.Created = time.UnixMilli(created).UTC()
	if body == "" {
		return r, nil
	}
	r.Result = &record.Result{Text: body, Index: record.ParseIndex(layout)}
	return r, s.resources(ctx, &r, resources)
}

// resources reads the resources of a result that has some.
func (s *Store) resources(ctx context.Context, r *record.Record, count int64) error {
	if count == 0 {
		return nil
	}
	return s.few(ctx, resourcesOf, r.ResultID, func(rows *sql.Rows) error {
		var x record.Resource
		err := rows.Scan(&x.ID, &x.SHA256, &x.ResultID)
		r.Result.Resources = append(r.Result.Resources, x)
		return err
	})
}

// List implements [record.Store].
func (s *Store) List(ctx context.Context, q record.Query) (record.Page, error) {
	var where clause
	if q.After != "" {
		at, err := record.ParseCursor(q.After)
		if err != nil {
			return record.Page{}, err
		}
		where.add("(created_at, id) < ($?, $?)", at.Created, at.ID)
	}
	where.filters(q)
	var page record.Page
	list := query{`SELECT ` + recordColumns + ` FROM records` + where.text(q.Rows()+1), where.args, q.RequestID != ""} // a request has few calls
	err := s.query(ctx, list, func(rows *sql.Rows) error {
		var r record.Record
		var created, kept int64
		if err := rows.Scan(into(&r, &created, &kept)...); err != nil {
			return err
		}
		r.Created = time.UnixMilli(created).UTC()
		page.Records = append(page.Records, r)
		return nil
	})
	if err != nil {
		return record.Page{}, err
	}
	if n := q.Rows(); len(page.Records) > n {
		page.Records = page.Records[:n]
		last := page.Records[n-1]
		page.Next = record.Cursor{Created: last.Created.UnixMilli(), ID: last.ID}.String()
	}
	return page, nil
}

// clause is a WHERE with its arguments.
type clause struct {
	terms []string
	args  []any
}

// add adds a term in which $? stands for the arguments.
func (c *clause) add(term string, args ...any) {
	for _, arg := range args {
		c.args = append(c.args, arg)
		term = strings.Replace(term, "$?", "$"+strconv.Itoa(len(c.args)), 1)
	}
	c.terms = append(c.terms, term)
}

// filters adds the filters of a query. One of them chooses the index, the others are written so that no planner
// takes theirs: without statistics it could as well take the worst.
func (c *clause) filters(q record.Query) {
	chosen := false
	equal := func(column, value string) {
		switch {
		case value == "":
		case chosen:
			c.add(column+" || '' = $?", record.Key(value))
		default:
			chosen = true
			c.add(column+" = $?", record.Key(value))
			if column == "actor" {
				c.terms = append(c.terms, "actor <> ''") // what the index says
			}
		}
	}
	equal("request_id", q.RequestID)
	if q.Status != "" && q.Status != call.Success && !chosen {
		chosen = true
		c.add("status = $?", record.Key(string(q.Status)))
		c.terms = append(c.terms, "status <> 'success'")
	} else if q.Status != "" {
		c.add("status || '' = $?", record.Key(string(q.Status)))
	}
	equal("tool", q.Tool)
	equal("actor", q.Actor)
	if q.Command != "" {
		c.add("command || '' = $?", record.Key(q.Command))
	}
	if !q.From.IsZero() {
		c.add("created_at >= $?", ceil(q.From))
	}
	if !q.To.IsZero() {
		c.add("created_at < $?", ceil(q.To))
	}
	if q.Stored {
		c.terms = append(c.terms, "kept > 0")
	}
}

// ceil is the first whole millisecond that is not before t: times of records are whole ones.
func ceil(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}

func (c *clause) text(limit int) string {
	var b strings.Builder
	for i, term := range c.terms {
		b.WriteString([]string{" WHERE ", " AND "}[min(i, 1)])
		b.WriteString(term)
	}
	c.args = append(c.args, int64(limit))
	b.WriteString(" ORDER BY created_at DESC, id DESC LIMIT $")
	b.WriteString(strconv.Itoa(len(c.args)))
	return b.String()
}

// Resource implements [record.Store].
func (s *Store) Resource(ctx context.Context, id string) (record.Resource, error) {
	var x record.Resource
	err := s.few(ctx, byResource, record.Key(id), func(rows *sql.Rows) error {
		return rows.Scan(&x.ID, &x.SHA256, &x.ResultID)
	})
	if err == nil && x.ID == "" {
		err = &record.NotFoundError{ID: id}
	}
	return x, err
}

// Named implements [record.Store].
func (s *Store) Named(ctx context.Context, sha256 []string) ([]string, error) {
	var out []string
	for _, sum := range sha256 {
		err := s.few(ctx, namedHash, record.Key(sum), func(*sql.Rows) error {
			out = append(out, sum)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Intents implements [record.Store].
func (s *Store) Intents(ctx context.Context, q record.IntentQuery) ([]record.Intent, error) {
	var out []record.Intent
	for after := record.Key(q.After); ; {
		page, owners, err := s.intents(ctx, after, q.Rows())
		if err != nil {
			return nil, err
		}
		left := page
		if q.Orphaned {
			if left, err = s.orphans(ctx, after, page, owners); err != nil {
				return nil, err
			}
		}
		out = append(out, left...)
		if len(out) >= q.Rows() || len(page) < q.Rows() {
			return out[:min(len(out), q.Rows())], nil
		}
		after = page[len(page)-1].InvocationID
	}
}

// orphans returns those of a page whose owners are gone.
func (s *Store) orphans(ctx context.Context, after string, page []record.Intent, owners []string) ([]record.Intent, error) {
	if len(page) == 0 {
		return nil, nil
	}
	living, err := s.db.Living(ctx, slices.Compact(slices.Sorted(slices.Values(owners))))
	if err != nil {
		return nil, s.db.Classify(err)
	}
	dead := map[string]bool{}
	for i, owner := range owners {
		if !slices.Contains(living, owner) {
			dead[page[i].InvocationID] = true
		}
	}
	if len(dead) == 0 {
		return nil, nil
	}
	// An owner that ended in peace has resolved its intents after they were read: what is there still will stay.
	again, _, err := s.intents(ctx, after, len(page))
	return slices.DeleteFunc(again, func(in record.Intent) bool { return !dead[in.InvocationID] }), err
}

// intents reads a page of intents with their owners.
func (s *Store) intents(ctx context.Context, after string, limit int) (page []record.Intent, owners []string, err error) {
	err = s.rows(ctx, listIntents, []any{after, int64(limit)}, func(rows *sql.Rows) error {
		var in record.Intent
		var a call.Actor
		var owner, arguments string
		var has, started, timeout int64
		err := rows.Scan(&in.InvocationID, &owner, &in.RequestID, &in.TaskID, &in.Tool, &in.DisplayName, &in.Version, &in.Command, &in.Effect, &in.Source,
			&has, &a.Type, &a.ID, &a.Name, &a.Maid, &in.RequestIP, &in.NodeID, &started, &timeout, &arguments)
		if has != 0 {
			in.Actor = &a
		}
		in.Started = time.UnixMilli(started).UTC()
		in.Timeout = time.Duration(timeout) * time.Millisecond
		if sum, bad := hex.DecodeString(arguments); bad == nil {
			copy(in.Arguments[:], sum)
		}
		page, owners = append(page, in), append(owners, owner)
		return err
	})
	return page, owners, err
}
