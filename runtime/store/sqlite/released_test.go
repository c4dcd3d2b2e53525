package sqlite

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/runtime/record"
	"vcp.core/runtime/result"
	"vcp.core/runtime/store/storetest"
)

// writeReleased rewrites the file of the version that is current: once, when it is released. Files of
// earlier versions stay as they are.
const writeReleased = "VCP_WRITE_RELEASED"

// released are files as programs of some version wrote them, as SQL: one for each version of the tables and of the
// protocol that was ever released.
const released = "testdata/released"

// Files of every released version are opened, brought up to date, and all that is in them is read: results as
// canonical results again, byte for byte.
func TestReleased(t *testing.T) {
	if name := os.Getenv(writeReleased); name != "" {
		write(t, filepath.Join(released, name+".sql"))
	}
	names, err := filepath.Glob(filepath.Join(released, "*.sql"))
	if err != nil || len(names) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			script, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "records.db")
			run(t, path, string(script))
			s := (&file{path: path}).Open(t)
			page, err := s.List(t.Context(), record.Query{Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			statuses := map[string]bool{}
			for _, r := range page.Records {
				whole, err := s.Result(t.Context(), r.ResultID)
				if err != nil {
					t.Fatal(err)
				}
				sealed, err := whole.Sealed()
				if err != nil {
					t.Errorf("%s: %v", r.ResultID, err)
					continue
				}
				if sealed.String() != whole.Result.Text || sealed.ID() != r.ResultID || sealed.Status() != r.Status {
					t.Errorf("%s came back as another result", r.ResultID)
				}
				for m := result.Protocol; m <= result.Extensions; m++ {
					if got := whole.Result.Index.Member(whole.Result.Text, m); got != sealed.Member(m) {
						t.Errorf("%s: %s is %q by the index", r.ResultID, m, got)
					}
				}
				for _, x := range whole.Result.Resources {
					if got, err := s.Resource(t.Context(), x.ID); err != nil || got != x {
						t.Errorf("resource %s: %v", x.ID, err)
					}
				}
				statuses[string(r.Status)] = true
			}
			if len(statuses) != 6 {
				t.Errorf("results of %d statuses: %v", len(statuses), statuses)
			}
			orphans, err := s.Intents(t.Context(), record.IntentQuery{Orphaned: true})
			if err != nil || len(orphans) != 1 {
				t.Fatalf("%d intents of the process that wrote it, %v", len(orphans), err)
			}
			if err := s.Commit(t.Context(), record.Entry{Resolves: orphans[0].InvocationID}); err != nil {
				t.Error(err)
			}
		})
	}
}

// run runs SQL on a file.
func run(t *testing.T, path, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", (&database{path: path}).source())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// write makes a file of the protocol's own examples and writes it down as SQL.
func write(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "records.db")
	s := (&file{path: path}).Open(t).(*Store)
	examples, err := filepath.Glob("../../../contract/schema/testdata/result/valid/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for i, example := range examples {
		text, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		// The examples share their ids.
		text = []byte(strings.ReplaceAll(strings.ReplaceAll(string(text), "W0R0", fmt.Sprintf("W%02d0", i)), `"recordId": null`, fmt.Sprintf(`"recordId": "tcr_01J8Z6Q4M2X7C9V3K5T1W%02d004"`, i)))
		sealed, err := result.Parse(text)
		if err != nil {
			t.Fatal(example, err)
		}
		v, err := result.Open(sealed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := record.Of(v, `{"type":"vcp_audit"}`)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), record.Entry{Record: &r}); err != nil {
			t.Fatal(example, err)
		}
	}
	in := storetest.NewRows(1).Intent()
	in.Key = &record.IdempotencyKey{Owner: "o", Name: "n"}
	if _, err := s.Begin(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	each(t, s, `SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'`, func(line string) { script.WriteString(line + "\n") })
	each(t, s, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`, func(table string) {
		var columns []string
		each(t, s, `SELECT name FROM pragma_table_info('`+table+`')`, func(c string) { columns = append(columns, "quote("+c+")") })
		each(t, s, `SELECT `+strings.Join(columns, " || ',' || ")+` FROM `+table, func(row string) {
			script.WriteString("INSERT INTO " + table + " VALUES (" + row + ");\n")
		})
	})
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(script.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func each(t *testing.T, s *Store, query string, do func(string)) {
	t.Helper()
	rows, err := s.db.Readers().DB.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, text := range all {
		do(text)
	}
}
