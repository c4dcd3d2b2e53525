package recordtest_test

import (
	"errors"
	"testing"

	"vcp.core/runtime/record"
	"vcp.core/runtime/record/recordtest"
	"vcp.core/runtime/store/storetest"
)

type database struct{ recordtest.Database }

func (d *database) Open(testing.TB) record.Store { return d.Database.Open() }
func (d *database) Crash(s record.Store)         { s.(*recordtest.Memory).Crash() }

func TestSuite(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Database { return new(database) })
}

func TestFail(t *testing.T) {
	var db recordtest.Database
	s := db.Open()
	s.Fail = func(method string) error {
		if method == "Commit" {
			return &record.FullError{Err: errors.New("planted")}
		}
		return nil
	}
	if err := s.Commit(t.Context(), record.Entry{}); !errors.As(err, new(*record.FullError)) {
		t.Errorf("%v", err)
	}
	if _, err := s.List(t.Context(), record.Query{}); err != nil {
		t.Error(err)
	}
}
