package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"vcp.core/contract/call"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/record"
)

// selection is what verbs that list records select by.
type selection struct {
	Tool    string        `help:"Only this tool, or Tool.Command." placeholder:"TOOL"`
	Status  string        `help:"Only this status: success, accepted, partial, error, cancelled or timeout." placeholder:"STATUS"`
	Actor   string        `help:"Only what this actor asked for, by id." placeholder:"ID"`
	Request string        `help:"Only this request id." placeholder:"ID"`
	From    moment        `help:"Only what ended at this time or later, such as 2026-07-12T10:00:00Z or 2026-07-12." placeholder:"TIME"`
	To      moment        `help:"Only what ended before this time." placeholder:"TIME"`
	Since   time.Duration `help:"Only what ended in this last span of time, such as 24h." placeholder:"DURATION"`
	Limit   int           `help:"How many, newest first; 0 for all. Default: 20." default:"20" placeholder:"N"`
}

// moment is a point of time on the command line. A day is its midnight here, since lists show the time here.
type moment struct{ time.Time }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *moment) UnmarshalText(text []byte) (err error) {
	if m.Time, err = time.ParseInLocation(time.DateOnly, string(text), time.Local); err == nil {
		return nil
	}
	if m.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return fmt.Errorf("%q is no time: write it as 2026-07-12T10:00:00Z or 2026-07-12", text)
	}
	return nil
}

// statuses are those that a result may have.
var statuses = []call.Status{call.Success, call.Accepted, call.Partial, call.Error, call.Cancelled, call.Timeout}

// defaultLimit is how many lines a list has where nobody says.
const defaultLimit = 20

// query makes the query of a page.
func (s *selection) query() (record.Query, error) {
	if s.Limit < 0 || s.Since < 0 {
		return record.Query{}, wrongUse("", "--limit and --since are not negative")
	}
	if s.Status != "" && !slices.Contains(statuses, call.Status(s.Status)) {
		return record.Query{}, wrongUse("", "%q is no status: success, accepted, partial, error, cancelled and timeout are", s.Status)
	}
	q := record.Query{Status: call.Status(s.Status), Actor: s.Actor, RequestID: s.Request, From: s.From.Time, To: s.To.Time}
	if s.Since > 0 {
		if from := time.Now().Add(-s.Since); from.After(q.From) {
			q.From = from
		}
	}
	if !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) {
		return record.Query{}, wrongUse("", "nothing can have ended between %s and %s", local8601(q.From), local8601(q.To))
	}
	return q, nil
}

// each hands the selected records out, page by page, and says when it leaves some out that nobody asked to leave out.
func (s *selection) each(ctx context.Context, a *app, store record.Store, do func(*record.Record) error) error {
	q, err := s.query()
	if err != nil {
		return err
	}
	for n := 0; ; {
		q.Limit = 1000
		if s.Limit > 0 {
			q.Limit = min(s.Limit-n, 1000)
		}
		page, err := record.ListNamed(ctx, store, s.Tool, q)
		if err != nil {
			return &stop{code: exitFindings, message: fmt.Sprintf("the records cannot be read: %v", err)}
		}
		for i := range page.Records {
			if err := do(&page.Records[i]); err != nil {
				return err
			}
		}
		n += len(page.Records)
		if page.Next != "" && n == s.Limit && n == defaultLimit {
			a.sayf("vcp: there are more; --limit N shows as many, --limit 0 all")
		}
		if page.Next == "" || n == s.Limit {
			return nil
		}
		q.After = page.Next
	}
}

type resultsCmd struct {
	ID   string    `arg:"" optional:"" help:"Show this result, tr_… or tcr_…"`
	View view.Name `help:"How to show it: ${enum}. Default: canonical" enum:"canonical,human,ai,bridge,audit" default:"canonical" placeholder:"VIEW"`
	selection
	JSON bool `name:"json" help:"Print one JSON object a line."`
}

// Help is the long help of the verb.
func (resultsCmd) Help() string {
	return `Lists what vcp call and vcp serve recorded in the data folder, newest first, or shows one result, the way a consumer
gets it (see vcp render --help). Nothing is executed, and a server that runs on the same folder is not disturbed.

Examples:
  vcp results
  vcp results --tool ScheduleManager --status error --since 24h
  vcp results tr_01J8Z6Q4M2X7C9V3K5T1W0R001 --view ai
  vcp results --limit 0 --json | jq -r 'select(.code == "TOOL_TIMEOUT") | .resultId'

Exit code: 0, 1 when there is no such result or nothing was recorded yet, 2 wrong use.`
}

// recordLine is a line of vcp results --json.
type recordLine struct {
	ResultID     string      `json:"resultId"`
	RecordID     string      `json:"recordId"`
	InvocationID string      `json:"invocationId"`
	RequestID    string      `json:"requestId"`
	TaskID       string      `json:"taskId,omitempty"`
	Tool         string      `json:"tool"`
	Command      string      `json:"command"`
	Status       call.Status `json:"status"`
	Code         string      `json:"code,omitempty"`
	Actor        string      `json:"actor,omitempty"`
	Source       string      `json:"source"`
	FinishedAt   time.Time   `json:"finishedAt"`
	SizeBytes    int         `json:"sizeBytes"`
}

// Run runs the verb.
func (c *resultsCmd) Run(a *app) (err error) {
	ctx, cancel := untilInterrupted()
	defer cancel()
	store, err := a.reading(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore(store)) }()
	if c.ID != "" {
		return c.one(ctx, a, store)
	}
	if c.JSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		return c.each(ctx, a, store, func(r *record.Record) error {
			return enc.Encode(recordLine{
				ResultID: r.ResultID, RecordID: r.ID, InvocationID: r.InvocationID, RequestID: r.RequestID, TaskID: r.TaskID, Tool: r.Tool, Command: r.Command,
				Status: r.Status, Code: r.Code, Actor: r.Actor, Source: r.Source, FinishedAt: r.Created, SizeBytes: r.Size,
			})
		})
	}
	return table(a.stdout, "FINISHED\tRESULT\tCOMMAND\tSTATUS\tCODE\tACTOR\tBYTES", func(line func(...string)) error {
		return c.each(ctx, a, store, func(r *record.Record) error {
			line(local8601(r.Created), r.ResultID, commandOf(r), string(r.Status), r.Code, r.Actor, fmt.Sprint(r.Size))
			return nil
		})
	})
}

// one shows one result.
func (c *resultsCmd) one(ctx context.Context, a *app, store record.Store) error {
	get := store.Result
	if strings.HasPrefix(c.ID, "tcr_") {
		get = store.Record
	}
	kept, err := get(ctx, c.ID)
	if errors.As(err, new(*record.NotFoundError)) {
		return &stop{code: exitFindings, message: fmt.Sprintf("there is no result %q", c.ID), hint: "vcp results lists them"}
	}
	if err != nil {
		return &stop{code: exitFindings, message: fmt.Sprintf("the result cannot be read: %v", err)}
	}
	sealed, err := kept.Sealed()
	if err != nil {
		return &stop{code: exitFindings, message: fmt.Sprintf("the result cannot be read: %v", err)}
	}
	known, _, err := a.catalog()
	if err != nil {
		return err
	}
	return a.show(sealed, projecting{view: c.View, json: c.JSON, ports: view.PortsOf(known, sealed)})
}

type auditCmd struct {
	selection
	JSON bool `name:"json" help:"Print the digests, one JSON object a line."`
}

// Help is the long help of the verb.
func (auditCmd) Help() string {
	return `Lists the audit records: who ran what, from where, how it went and how much came out, newest first. A record holds
nothing of what a tool said; it stays when the result itself is not kept any more.

Examples:
  vcp audit
  vcp audit --actor token:9f86d081884c --since 24h
  vcp audit --limit 0 --json > audit.jsonl

Exit code: 0, 1 when nothing was recorded yet, 2 wrong use.`
}

// Run runs the verb.
func (c *auditCmd) Run(a *app) (err error) {
	ctx, cancel := untilInterrupted()
	defer cancel()
	store, err := a.reading(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore(store)) }()
	if c.JSON {
		return c.each(ctx, a, store, func(r *record.Record) error {
			_, err := io.WriteString(a.stdout, r.Digest+"\n")
			return err
		})
	}
	return table(a.stdout, "FINISHED\tRECORD\tCOMMAND\tSTATUS\tCODE\tACTOR\tADDRESS", func(line func(...string)) error {
		return c.each(ctx, a, store, func(r *record.Record) error {
			var digest struct {
				Origin struct {
					RequestIP string `json:"requestIp"`
				} `json:"origin"`
			}
			_ = json.Unmarshal([]byte(r.Digest), &digest) // what is not there is left blank
			line(local8601(r.Created), r.ID, commandOf(r), string(r.Status), r.Code, r.Actor, digest.Origin.RequestIP)
			return nil
		})
	})
}

// table writes lines under a head. Every cell is somebody else's text.
func table(out io.Writer, head string, fill func(line func(cells ...string)) error) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, head)
	err := fill(func(cells ...string) {
		for i, c := range cells {
			cells[i] = oneLine(c)
			if cells[i] == "" {
				cells[i] = "-"
			}
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	})
	return errors.Join(err, w.Flush())
}

func local8601(t time.Time) string { return t.Local().Format("2006-01-02T15:04:05.000Z07:00") }

func commandOf(r *record.Record) string {
	if r.Command == "" {
		return r.Tool
	}
	return r.Tool + "." + r.Command
}
