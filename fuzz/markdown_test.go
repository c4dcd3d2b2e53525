package fuzz

import (
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/projection"
	"vcp.core/fuzz/results"
	"vcp.core/presenters/ai"
	"vcp.core/runtime/result"
)

// FuzzMarkdown presents data and words of the fuzzer's choice to a model: the laws of the projection hold within
// every budget. The view, the status and the options come from two numbers.
func FuzzMarkdown(f *testing.F) {
	views := []string{"", "schedule-list", "schedule-card", "image-result", "search-report", "file-result", "command-execution", "task-status", "table"}
	for i, s := range results.Hostile {
		f.Add([]byte(`{"schedules":[{"time":"2026-07-12T10:00:00+08:00","content":"c"}],"results":[{"title":"t","url":"https://example.org/"}],"stdout":"x","n":[1,2,3]}`), s, uint16(80+7*i), uint16(i))
		f.Add([]byte(results.New(uint64(i)).Data()), s, uint16(40*i), uint16(31*i))
	}
	f.Fuzz(func(t *testing.T, data []byte, words string, budget, choice uint16) {
		var tape wire.Tape
		if len(data) > 1<<16 || tape.Scan(data, wire.Limits{Depth: 200}) != nil {
			return
		}
		quoted := result.Text(words)
		p := result.Parts{ID: "tr_01J2XQ3Z5K8N7P4R6T9V0W1Y2Z", Status: call.Success, Data: result.At(&tape, 0)}
		p.Tool.Name = words
		title := string(wire.AppendQuoted(nil, words))
		p.Presentation = result.Bytes([]byte(`{"title":` + title + `,"summary":` + title + `,"preferredView":"` + views[int(choice)%len(views)] + `"}`))
		if choice&0x100 != 0 {
			p.Status = call.Error
			p.Error = &result.ErrorPart{Code: errcode.InvalidArgument, Category: errcode.Validation, Message: quoted, Target: quoted, Details: result.At(&tape, 0)}
			if tape.Kind(0) != wire.KindObject {
				p.Error.Details = result.Value{}
			}
		}
		if choice&0x200 != 0 {
			p.AIAdvice = result.Bytes([]byte(`{"intent":"relay","message":` + title + `,"resourceIds":[],"priority":"low"}`))
		}
		v, err := result.Open(result.Seal(p))
		if err != nil {
			t.Fatal(err)
		}
		o := ai.Options{Vision: choice&1 != 0, IncludeExecutionMetadata: choice&2 != 0}
		if choice&0x400 != 0 {
			o.Depth = wire.Some(int(choice>>11) % 6)
		}
		whole := projection.Whole(v, o)
		if err := projection.Laws(v, o, int(budget), whole); err != nil {
			t.Fatal(err)
		}
	})
}
