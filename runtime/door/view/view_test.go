package view_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vcp.core/contract/call"
	"vcp.core/fuzz/results"
	v1 "vcp.core/generated/protocol/v1"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/result"
)

// An administrator's canonical view hides nothing; being one helps no model.
func TestWhoIsShownWhat(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	const ulid = "01J8Z6Q4M2X7C9V3K5T1W0R001"
	s := result.Seal(result.Parts{
		ID: "tr_" + ulid, Status: call.Success, Tool: v1.Tool{Name: "T"}, Origin: v1.Origin{Source: "test"},
		Execution: result.ExecutionPart{InvocationID: "ti_" + ulid, RequestID: "req_" + ulid, StartedAt: now, FinishedAt: now, Attempt: 1},
		Data:      result.Bytes([]byte(`{"password":"hunter2-hunter2"}`)),
	})
	for _, tt := range []struct {
		name  view.Name
		admin bool
		shows bool
	}{{view.Canonical, true, true}, {view.Human, true, true}, {view.Canonical, false, false}, {view.Human, false, false}, {view.AI, true, false}, {view.Bridge, true, false}, {view.Audit, true, false}} {
		text, err := view.Project(s, tt.name, view.Reader{Admin: tt.admin}, view.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "hunter2") != tt.shows {
			t.Errorf("%s, administrator %v: %s", tt.name, tt.admin, text)
		}
	}
}

// Every view of every result can be made, and no other name is one.
func TestNames(t *testing.T) {
	for seed := range uint64(50) {
		s := results.New(seed).Result()
		for _, name := range view.Names {
			text, err := view.Project(s, name, view.Reader{}, view.Options{})
			if err != nil || text == "" || !name.Known() || (name.MediaType(view.Options{}) == "application/json") != strings.HasPrefix(text, "{") {
				t.Errorf("seed %d, %s: %v %.100s", seed, name, err, text)
			}
		}
	}
	_, err := view.Project(results.New(1).Result(), "poster", view.Reader{}, view.Options{})
	if unknown := new(view.UnknownError); !errors.As(err, &unknown) || unknown.Name != "poster" || view.Name("poster").Known() {
		t.Error(err)
	}
}
