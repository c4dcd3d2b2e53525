// Package presenters_test holds all presenters to what they have in common.
package presenters_test

import (
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/presenters/ai"
	"vcp.core/presenters/audit"
	"vcp.core/presenters/bridge"
	"vcp.core/presenters/human"
	"vcp.core/runtime/policy/canary"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/result"
)

// seal makes a result of a payload.
func seal(t *testing.T, payload []byte) *result.Visible {
	t.Helper()
	var tape wire.Tape
	if err := tape.Scan(payload, wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	at := func(pointer string) result.Value {
		i, ok := tape.Lookup(pointer)
		if !ok {
			t.Fatalf("no %s in %s", pointer, payload)
		}
		return result.At(&tape, i)
	}
	status, _ := tape.Lookup("/status")
	p := result.Parts{ID: "tr_01J2XQ3Z5K8N7P4R6T9V0W1Y2Z", Status: call.Status(tape.String(status)), Data: at("/data"), Warnings: at("/warnings"),
		Presentation: at("/presentation"), AIAdvice: at("/aiAdvice"), Extensions: at("/extensions")}
	p.Tool.Name = "Tool"
	if _, ok := tape.Lookup("/error"); ok {
		p.Error = &result.ErrorPart{Code: errcode.UpstreamError, Category: errcode.Dependency, Message: at("/error/message"), Target: at("/error/target"),
			Details: at("/error/details"), Cause: at("/error/cause")}
	}
	v, err := result.Open(result.Seal(p))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// projections are all that is made of a visible, by name.
func projections(v *result.Visible) map[string]string {
	all := map[string]string{"human": human.Present(v), "bridge": bridge.Present(v), "audit": audit.Present(v, audit.Origin{RequestIP: "192.0.2.7"})}
	for name, o := range map[string]ai.Options{
		"ai": {MaxCharacters: wire.Some(1 << 20)}, "ai, 30000": {}, "ai, 2000": {MaxCharacters: wire.Some(2000)}, "ai, 500": {MaxCharacters: wire.Some(500)}, "ai, 80": {MaxCharacters: wire.Some(80)},
		"ai, 30": {MaxCharacters: wire.Some(30)}, "ai, deep": {Depth: wire.Some(20), IncludeExecutionMetadata: true}, "ai, flat": {Depth: wire.Some(0)}, "ai, one": {Depth: wire.Some(1)},
	} {
		p := ai.Present(v, o)
		all[name] = p.Text
		all[name+", as JSON"] = string(p.AppendJSON(nil))
	}
	return all
}

// What was masked appears in no projection, in none of its forms: no presenter puts together again what
// masking took apart.
func TestCanary(t *testing.T) {
	set := secret.New(canary.Secret)
	for i, payload := range canary.Payloads(canary.Secret) {
		var tape wire.Tape
		if err := tape.Scan([]byte(payload), wire.Limits{}); err != nil {
			t.Fatal(err)
		}
		masked, ok := set.Mask(&tape, nil)
		if !ok {
			t.Fatal("nothing is masked")
		}
		for name, text := range projections(seal(t, masked.Source)) {
			if ways := canary.Find(text, canary.Secret); len(ways) > 0 {
				t.Errorf("payload %d: %s reveals it: %q\n%s", i, name, ways, text)
			}
		}
		// The search finds what is there when nothing is masked.
		open := projections(seal(t, []byte(payload)))
		for _, name := range []string{"human", "bridge", "ai", "ai, 2000"} {
			if len(canary.Find(open[name], canary.Secret)) == 0 {
				t.Errorf("payload %d: the search finds nothing in %s", i, name)
			}
		}
		if ways := canary.Find(open["audit"], canary.Secret); len(ways) > 0 {
			t.Errorf("payload %d: the digest repeats data: %q", i, ways)
		}
	}
}
