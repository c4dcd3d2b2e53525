package schedulemanager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
)

// changed is the data of the commands that touch one schedule (specification §13.4).
type changed struct {
	Operation string   `json:"operation"` // "created", "updated", "deleted"
	Schedule  schedule `json:"schedule"`
}

// listed is the data of ListSchedules. NextCursor is absent on the last page.
type listed struct {
	Schedules  []schedule `json:"schedules"`
	Total      int64      `json:"total"`
	NextCursor string     `json:"nextCursor,omitempty"`
}

func (p *Plugin) create(ctx context.Context, s *store, in call.Invocation) (payload, error) {
	var args struct {
		Time    string `json:"time"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return payload{}, err
	}
	at, err := parseInstant(args.Time)
	if err != nil {
		return refused(err, "/time")
	}
	e := schedule{ID: p.ids.New(idPrefix, in.Now), Time: args.Time, Content: args.Content, at: at}
	if err := s.insert(ctx, e); err != nil {
		return payload{}, err
	}
	return success(changed{Operation: "created", Schedule: e}, "schedule created for "+e.Time), nil
}

func (p *Plugin) list(ctx context.Context, s *store, in call.Invocation) (payload, error) {
	var args struct {
		From   *string     `json:"from"`
		To     *string     `json:"to"`
		Limit  json.Number `json:"limit"`
		Cursor *string     `json:"cursor"`
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return payload{}, err
	}
	from, to := beforeAll, afterAll
	var after cursor
	var err error
	if args.From != nil {
		if from, err = parseInstant(*args.From); err != nil {
			return refused(err, "/from")
		}
	}
	if args.To != nil {
		if to, err = parseInstant(*args.To); err != nil {
			return refused(err, "/to")
		}
	}
	if from > to {
		return failure(errcode.InvalidArgument, "/to", "to must not lie before from",
			map[string]any{"from": *args.From, "to": *args.To}), nil
	}
	if args.Cursor != nil {
		if after, err = parseCursor(*args.Cursor); err != nil {
			return refused(err, "/cursor")
		}
	}
	limit, err := pageSize(args.Limit)
	if err != nil {
		return payload{}, err
	}

	found, err := s.list(ctx, from, to, after, limit)
	if err != nil {
		return payload{}, err
	}
	data := listed{Schedules: found.schedules, Total: found.total}
	if found.more {
		last := found.schedules[len(found.schedules)-1]
		data.NextCursor = cursor{at: last.at, id: last.ID}.String()
	}
	return success(data, listSummary(len(found.schedules), found.total)), nil
}

func (p *Plugin) update(ctx context.Context, s *store, in call.Invocation) (payload, error) {
	var args struct {
		ID      string  `json:"id"`
		Time    *string `json:"time"`
		Content *string `json:"content"`
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return payload{}, err
	}
	var at instant
	if args.Time != nil {
		var err error
		if at, err = parseInstant(*args.Time); err != nil {
			return refused(err, "/time")
		}
	}
	e, found, err := s.change(ctx, args.ID, args.Time, at, args.Content)
	switch {
	case err != nil:
		return payload{}, err
	case !found:
		return unknown(args.ID), nil
	}
	return success(changed{Operation: "updated", Schedule: e}, "schedule updated, due "+e.Time), nil
}

func (p *Plugin) remove(ctx context.Context, s *store, in call.Invocation) (payload, error) {
	var args struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return payload{}, err
	}
	e, found, err := s.remove(ctx, args.ID)
	switch {
	case err != nil:
		return payload{}, err
	case !found:
		return unknown(args.ID), nil
	}
	return success(changed{Operation: "deleted", Schedule: e}, "schedule deleted, was due "+e.Time), nil
}

// refused turns what is wrong with an argument into a payload. The schema refuses most such arguments
// before the plugin sees them; cursors it cannot know.
func refused(err error, target string) (payload, error) {
	var wrongTime *TimeError
	var wrongCursor *CursorError
	switch {
	case errors.As(err, &wrongTime):
		return failure(errcode.InvalidArgument, target, err.Error(), map[string]any{"expected": "RFC 3339"}), nil
	case errors.As(err, &wrongCursor):
		return failure(errcode.InvalidArgument, target, err.Error(),
			map[string]any{"expected": "nextCursor of an earlier page"}), nil
	default:
		return payload{}, err
	}
}

// unknown is the failure of a command that names a schedule which does not exist.
func unknown(id string) payload {
	return failure(NotFound, "/id", fmt.Sprintf("there is no schedule with the id %q", id), map[string]any{"id": id})
}

// pageSize reads limit. The schema admits integers from 1 to 200 in any spelling, 1e2 and 50.0
// included; for those a float64 is exact.
func pageSize(n json.Number) (int, error) {
	f, err := strconv.ParseFloat(n.String(), 64)
	return int(f), err
}

// listSummary is one sentence about a page.
func listSummary(shown int, total int64) string {
	noun := "schedules"
	if total == 1 {
		noun = "schedule"
	}
	if int64(shown) == total {
		return fmt.Sprintf("%d %s", total, noun)
	}
	return fmt.Sprintf("%d of %d %s", shown, total, noun)
}
