package openjson

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bytedance/sonic"

	"vcp.core/contract/wire"
)

// toolResult is a canonical tool result of usual size and shape, with whitespace removed as on the wire.
var toolResult = string(wire.AppendCompact(nil, []byte(`{
  "protocol": {"name": "vcp.tool-result", "version": "1.0"},
  "id": "tr_01J2ZK3V8Q9XW4T5M6N7P8R9S0",
  "status": "success",
  "tool": {"name": "ScheduleManager", "displayName": "日程管理器", "version": "1.0.0", "command": "ListSchedules"},
  "execution": {
    "invocationId": "ti_01J2ZK3V8Q9XW4T5M6N7P8R9S1", "requestId": "req_01J2ZK3V8Q9XW4T5M6N7P8R9S2", "recordId": "tcr_01J2ZK3V8Q9XW4T5M6N7P8R9S3",
    "startedAt": "2026-07-11T15:30:00.000+08:00", "finishedAt": "2026-07-11T15:30:00.023+08:00", "durationMs": 23, "timeoutMs": 60000, "attempt": 1
  },
  "actor": {"type": "agent", "id": null, "name": "Nova", "maid": "Nova"},
  "origin": {"source": "ai-loop", "nodeId": null, "serverId": "local", "distributed": false, "requestIp": null},
  "data": {"schedules": [
    {"id": "sch_01", "title": "项目评审会议", "time": "2026-07-12T09:30:00+08:00", "remindMinutes": 15, "tags": ["work", "review"], "done": false},
    {"id": "sch_02", "title": "Dentist \"Dr. Li\"", "time": "2026-07-13T14:00:00+08:00", "remindMinutes": 60, "tags": [], "done": false},
    {"id": "sch_03", "title": "买牛奶和面包", "time": "2026-07-13T18:15:00+08:00", "remindMinutes": 0, "tags": ["home"], "done": true}
  ], "total": 3, "nextCursor": null},
  "resources": [],
  "warnings": [{"code": "MIME_MISMATCH", "message": "the declared type is not what the bytes say", "target": "/data/schedules/0"}],
  "error": null,
  "task": null,
  "presentation": {"summary": "共有 3 个日程", "preferredView": "schedule-list"},
  "aiAdvice": {"intent": "relay", "message": "请按时间顺序把日程转告给用户。", "resourceIds": [], "priority": "normal"},
  "policy": {"classification": "internal", "containsSensitiveData": false, "redactionsApplied": []},
  "extensions": {}
}`)))

// scanDocuments are the documents of BenchmarkScan.
func scanDocuments() map[string][]byte {
	var array strings.Builder
	array.WriteByte('[')
	for k := 0; array.Len() < 64<<10; k++ {
		if k > 0 {
			array.WriteByte(',')
		}
		fmt.Fprintf(&array, `{"id":%d,"price":%d.%02d,"name":"item %d","stock":{"berlin":%d,"shanghai":%d},"active":%v,"tag":null}`, k, k*7%1000, k%100, k, k%13, k%17, k%3 == 0)
	}
	array.WriteByte(']')
	paragraph := "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience. "
	chinese := "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"
	text := func(s string) []byte {
		return []byte(`{"title":"text","body":"` + strings.Repeat(s, 400) + `","lines":["` + strings.Repeat(s+`","`, 100) + `"]}`)
	}
	indented, _ := json.MarshalIndent(json.RawMessage(toolResult), "", "  ")
	return map[string][]byte{
		"result":   []byte(toolResult),
		"indented": indented,
		"array64K": []byte(array.String()),
		"english":  text(paragraph),
		"chinese":  text(chinese),
		"escapes":  text(`line one\nline \"two\"\t`),
	}
}

// BenchmarkScan compares the strict scan on a warm tape, which also finds duplicate names and invalid UTF-8
// and records the tape, with two validators that do neither. The engines take turns within each round, so
// that noise of the machine meets all of them; the metrics are medians over the rounds.
//
//	ns/op            one strict scan
//	x-of-json.Valid  its time as a multiple of encoding/json.Valid
//	x-of-sonic.Valid its time as a multiple of sonic.Valid
func BenchmarkScan(b *testing.B) {
	documents := scanDocuments()
	for _, name := range []string{"result", "indented", "array64K", "english", "chinese", "escapes"} {
		doc := documents[name]
		var tape wire.Tape
		engines := [...]func() bool{
			func() bool { return tape.Scan(doc, wire.Limits{}) == nil },
			func() bool { return json.Valid(doc) },
			func() bool { return sonic.Valid(doc) },
		}
		repeats := 1 + (64<<10)/len(doc) // long enough for the clock
		b.Run(name, func(b *testing.B) {
			var times [len(engines)][]float64
			for b.Loop() {
				for k, valid := range engines {
					start := time.Now()
					for range repeats {
						if !valid() {
							b.Fatalf("engine %d refuses %s", k, name)
						}
					}
					times[k] = append(times[k], float64(time.Since(start))/float64(repeats))
				}
			}
			scan, std, other := median(times[0]), median(times[1]), median(times[2])
			b.ReportMetric(scan, "ns/op")
			b.ReportMetric(float64(len(doc))/scan*1e3, "MB/s")
			b.ReportMetric(scan/std, "x-of-json.Valid")
			b.ReportMetric(scan/other, "x-of-sonic.Valid")
			b.ReportMetric(float64(len(doc)), "bytes")
		})
	}
}

func median(times []float64) float64 {
	slices.Sort(times)
	return times[len(times)/2]
}
