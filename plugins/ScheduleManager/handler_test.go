package schedulemanager_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vcp.core/contract/call"
	contract "vcp.core/generated/plugins/schedulemanager"
	schedulemanager "vcp.core/plugins/ScheduleManager"
	"vcp.core/runtime/plugintest"
)

func TestConcurrentCalls(t *testing.T) {
	b := newBench(t, t.TempDir())
	const workers, each = 8, 20
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				created := b.call(t, "CreateSchedule", fmt.Sprintf(`{"time":"2026-07-12T10:00:%02dZ","content":"%d"}`, i, w))
				id, _ := plugintest.Lookup(created, "/data/schedule/id").(string)
				if i%2 == 0 {
					b.call(t, "UpdateSchedule", `{"id":"`+id+`","content":"changed"}`)
				} else if got := b.call(t, "DeleteSchedule", `{"id":"`+id+`"}`); got["status"] != "success" {
					t.Errorf("delete of %s: %v", id, got["error"])
				}
			}
		})
	}
	wg.Wait()
	got := b.call(t, "ListSchedules", `{"limit":200}`)
	list, _ := plugintest.Lookup(got, "/data/schedules").([]any)
	seen := map[string]bool{}
	for i := range list {
		entry := list[i].(map[string]any)
		seen[entry["id"].(string)] = true
		if entry["content"] != "changed" {
			t.Errorf("entry %v was not changed", entry)
		}
	}
	if want := workers * each / 2; len(list) != want || len(seen) != want {
		t.Errorf("%d entries with %d ids, want %d", len(list), len(seen), want)
	}
}

// What was acknowledged is there after the program has ended and another one begun.
func TestSchedulesSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	first := newBench(t, dir)
	created := first.call(t, "CreateSchedule", `{"time":"2026-07-12T10:00:00.50+08:00","content":"\u9879\/目"}`)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.plugin.Close(); err != nil {
		t.Fatal(err)
	}
	list := newBench(t, dir).call(t, "ListSchedules", `{}`)
	if d := plugintest.Mismatch(plugintest.Lookup(list, "/data/schedules/0"), plugintest.Lookup(created, "/data/schedule"), "schedule"); d != "" {
		t.Error(d)
	}
}

// A database that cannot be used is an expected failure: retryable, without a path.
func TestUnusableDatabase(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, dir)
	folder := filepath.Join(dir, "plugins", contract.Tool)
	if err := os.MkdirAll(filepath.Join(folder, "schedules.db"), 0o700); err != nil { // a folder where the file should be
		t.Fatal(err)
	}
	res := b.call(t, "ListSchedules", `{}`)
	e, _ := res["error"].(map[string]any)
	if e["code"] != "DEPENDENCY_UNAVAILABLE" || e["category"] != "dependency" || e["retryable"] != true {
		t.Errorf("error %v", e)
	}
	if text := fmt.Sprint(res); strings.Contains(text, dir) {
		t.Errorf("the result tells a path: %s", text)
	}
	if err := os.Remove(filepath.Join(folder, "schedules.db")); err != nil {
		t.Fatal(err)
	}
	if res := b.call(t, "ListSchedules", `{}`); res["status"] != "success" {
		t.Errorf("after the repair: %v", res["error"])
	}
}

// A file that is no database, or a damaged one, is no better the next time, and is left as it is.
func TestDamagedDatabase(t *testing.T) {
	whole := t.TempDir()
	b := newBench(t, whole)
	for range 60 {
		b.call(t, "CreateSchedule", `{"time":"2026-07-12T10:00:00Z","content":"`+strings.Repeat("x", 500)+`"}`)
	}
	if err := b.plugin.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(whole, "plugins", contract.Tool, "schedules.db"))
	if err != nil || len(src) < 5*4096 {
		t.Fatalf("%d bytes, %v", len(src), err)
	}
	for name, file := range map[string][]byte{
		"no database": []byte(strings.Repeat("no database at all. ", 500)),
		"cut off":     src[:2*4096],
		"overwritten": append(slices.Clone(src[:4096]), []byte(strings.Repeat("x", len(src)-4096))...),
	} {
		dir := t.TempDir()
		b := newBench(t, dir)
		path := filepath.Join(dir, "plugins", contract.Tool, "schedules.db")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		res := b.call(t, "ListSchedules", `{}`)
		if e, _ := res["error"].(map[string]any); e["code"] != "DEPENDENCY_UNAVAILABLE" || e["retryable"] != false {
			t.Errorf("%s: error %v", name, e)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, file) {
			t.Errorf("%s: the file has changed, %v", name, err)
		}
	}
}

func TestNoDataFolder(t *testing.T) {
	got, err := contract.Bind(new(schedulemanager.Plugin)).Handle(context.Background(),
		call.Invocation{Command: "ListSchedules", Arguments: []byte(`{"command":"ListSchedules"}`), Config: []byte(`{}`)})
	if err != nil || !strings.Contains(string(got), `"code":"DEPENDENCY_UNAVAILABLE"`) {
		t.Errorf("Handle = %s, %v", got, err)
	}
}

func TestUnknownCommand(t *testing.T) {
	got, err := contract.Bind(new(schedulemanager.Plugin)).Handle(context.Background(),
		call.Invocation{Command: "Nope", DataDir: t.TempDir(), Config: []byte(`{}`)})
	if err != nil || !strings.Contains(string(got), `"code":"UNKNOWN_COMMAND"`) {
		t.Errorf("Handle = %s, %v", got, err)
	}
}

func TestClosedPlugin(t *testing.T) {
	p := new(schedulemanager.Plugin)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := contract.Bind(p).Handle(context.Background(),
		call.Invocation{Command: "ListSchedules", Arguments: []byte(`{"command":"ListSchedules"}`), Config: []byte(`{}`), DataDir: t.TempDir()}); err == nil {
		t.Errorf("Handle after Close = %s", got)
	}
}

func BenchmarkCalls(b *testing.B) {
	for _, bm := range []struct{ name, command, arguments string }{
		{"create", "CreateSchedule", `{"time":"2026-07-12T10:00:00+08:00","content":"meeting"}`},
		{"list", "ListSchedules", `{"limit":20}`},
	} {
		b.Run(bm.name, func(b *testing.B) {
			x := newBench(b, b.TempDir())
			c := call.Call{Tool: contract.Tool, Command: bm.command, Arguments: []byte(bm.arguments)}
			b.ReportAllocs()
			for b.Loop() {
				if res := x.Execute(context.Background(), c); res.Status() != call.Success {
					b.Fatal(res)
				}
			}
		})
	}
}
