package schedulemanager

import (
	"context"
	"errors"
	"fmt"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	contract "vcp.core/generated/plugins/schedulemanager"
)

// CreateSchedule adds one schedule.
func (p *Plugin) CreateSchedule(ctx context.Context, at *contract.Invocation, args contract.CreateScheduleInput) (call.Answer[contract.CreateScheduleOutput], error) {
	return in(ctx, p, at, func(s *store) (a call.Answer[contract.CreateScheduleOutput], err error) {
		when, err := parseInstant(args.Time)
		if err != nil {
			return a, refused(err, "/time")
		}
		e := schedule{ID: p.ids.New(idPrefix, at.Now), Time: args.Time, Content: args.Content, at: when}
		if err := s.insert(ctx, e); err != nil {
			return a, err
		}
		return success(contract.CreateScheduleOutput{Schedule: e.typed()}, "schedule created for "+e.Time), nil
	})
}

// ListSchedules returns one page of a range.
func (p *Plugin) ListSchedules(ctx context.Context, at *contract.Invocation, args contract.ListSchedulesInput) (call.Answer[contract.ListSchedulesOutput], error) {
	return in(ctx, p, at, func(s *store) (a call.Answer[contract.ListSchedulesOutput], err error) {
		from, to, after := beforeAll, afterAll, cursor{}
		if text, ok := args.From.Get(); ok {
			if from, err = parseInstant(text); err != nil {
				return a, refused(err, "/from")
			}
		}
		if text, ok := args.To.Get(); ok {
			if to, err = parseInstant(text); err != nil {
				return a, refused(err, "/to")
			}
		}
		if from > to {
			return a, &call.Failure{
				Code: errcode.InvalidArgument, Message: "to must not lie before from", Target: "/to",
				Details: object("from", args.From.Or(""), "to", args.To.Or("")),
			}
		}
		if text, ok := args.Cursor.Get(); ok {
			if after, err = parseCursor(text); err != nil {
				return a, refused(err, "/cursor")
			}
		}
		found, err := s.list(ctx, from, to, after, int(args.Limit.Or(defaultLimit)))
		if err != nil {
			return a, err
		}
		out := contract.ListSchedulesOutput{Total: wire.IntOf(found.total)}
		for _, e := range found.schedules {
			out.Schedules = append(out.Schedules, e.typed())
		}
		if found.more {
			last := found.schedules[len(found.schedules)-1]
			out.NextCursor = wire.Some(cursor{at: last.at, id: last.ID}.String())
		}
		return success(out, listSummary(len(found.schedules), found.total)), nil
	})
}

// defaultLimit is the default of the manifest, for callers that are no runtime.
const defaultLimit = 50

// UpdateSchedule changes what is given of one schedule.
func (p *Plugin) UpdateSchedule(ctx context.Context, at *contract.Invocation, args contract.UpdateScheduleInput) (call.Answer[contract.UpdateScheduleOutput], error) {
	return in(ctx, p, at, func(s *store) (a call.Answer[contract.UpdateScheduleOutput], err error) {
		var when instant
		if text, ok := args.Time.Get(); ok {
			if when, err = parseInstant(text); err != nil {
				return a, refused(err, "/time")
			}
		}
		e, found, err := s.change(ctx, args.ID, given(args.Time), when, given(args.Content))
		switch {
		case err != nil:
			return a, err
		case !found:
			return a, unknown(args.ID)
		}
		return success(contract.UpdateScheduleOutput{Schedule: e.typed()}, "schedule updated, due "+e.Time), nil
	})
}

// DeleteSchedule removes one schedule and returns it as it was.
func (p *Plugin) DeleteSchedule(ctx context.Context, at *contract.Invocation, args contract.DeleteScheduleInput) (call.Answer[contract.DeleteScheduleOutput], error) {
	return in(ctx, p, at, func(s *store) (a call.Answer[contract.DeleteScheduleOutput], err error) {
		e, found, err := s.remove(ctx, args.ID)
		switch {
		case err != nil:
			return a, err
		case !found:
			return a, unknown(args.ID)
		}
		return success(contract.DeleteScheduleOutput{Schedule: e.typed()}, "schedule deleted, was due "+e.Time), nil
	})
}

// given is nil for what is absent.
func given(text wire.Opt[string]) *string {
	if v, ok := text.Get(); ok {
		return &v
	}
	return nil
}

func success[Out call.Encoder](data Out, summary string) call.Answer[Out] {
	return call.Answer[Out]{Data: data, Presentation: call.Presentation{Summary: summary}}
}

// refused turns what is wrong with an argument into a failure. The schema refuses most such arguments
// before the plugin sees them; cursors it cannot know.
func refused(err error, target string) error {
	expected := "RFC 3339"
	if _, ok := errors.AsType[*CursorError](err); ok {
		expected = "nextCursor of an earlier page"
	}
	return &call.Failure{Code: errcode.InvalidArgument, Message: err.Error(), Target: target, Details: object("expected", expected)}
}

// unknown is the failure of a command that names a schedule which does not exist.
func unknown(id string) error {
	return &call.Failure{
		Code: contract.CodeScheduleNotFound, Message: fmt.Sprintf("there is no schedule with the id %q", id), Target: "/id",
		Details: object("id", id),
	}
}

// object is a JSON object of texts: names and values take turns.
func object(pairs ...string) wire.Raw {
	raw := wire.Raw{'{'}
	for i := 0; i < len(pairs); i += 2 {
		raw = wire.AppendQuoted(wire.AppendName(raw, pairs[i]), pairs[i+1])
	}
	return append(raw, '}')
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
