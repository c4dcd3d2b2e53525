package suite

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Engine compiles the schema of a group. remotes are the documents it may refer to; nothing else may
// be fetched. An error means that the engine refuses the schema, and every case of the group counts
// as judged wrong.
type Engine func(d Dialect, schema []byte, remotes Remotes) (Judge, error)

// Judge decides one document. An error means that it could not decide: that counts as wrong too
// (DESIGN §9: undecided counts as failed).
type Judge func(document []byte) (valid bool, err error)

// Row is the tally of one file. Passed + Failed == Cases.
type Row struct {
	File           string
	Cases          int
	Passed, Failed int
}

// Miss is one case that the engine got wrong.
type Miss struct {
	File, Group, Case string
	Want              bool
	Got               string // "valid", "invalid", or the error
	Refused           error  // the engine's, when it refused the group's schema: then no case was judged
}

// String names the case and the two verdicts.
func (m Miss) String() string {
	want := "invalid"
	if m.Want {
		want = "valid"
	}
	return fmt.Sprintf("%s: %s: %s: want %s, got %s", m.File, m.Group, m.Case, want, m.Got)
}

// Report is the outcome of one run.
type Report struct {
	Dialect Dialect
	Rows    []Row // one for each file, in the order of the files
	Misses  []Miss
}

// Run judges every case of files with engine.
func Run(engine Engine, d Dialect, files []File, remotes Remotes) Report {
	rep := Report{Dialect: d}
	for _, f := range files {
		row := Row{File: f.Name}
		for _, g := range f.Groups {
			row.Cases += len(g.Cases)
			misses := judgeGroup(engine, d, g, remotes)
			row.Passed += len(g.Cases) - len(misses)
			row.Failed += len(misses)
			for i := range misses {
				misses[i].File = f.Name
			}
			rep.Misses = append(rep.Misses, misses...)
		}
		rep.Rows = append(rep.Rows, row)
	}
	return rep
}

func judgeGroup(engine Engine, d Dialect, g Group, remotes Remotes) []Miss {
	var misses []Miss
	judge, refused := engine(d, g.Schema, remotes)
	for _, c := range g.Cases {
		m := Miss{Group: g.Description, Case: c.Description, Want: c.Valid}
		if refused != nil {
			m.Got, m.Refused = "schema refused: "+refused.Error(), refused
			misses = append(misses, m)
			continue
		}
		switch valid, err := judge(c.Data); {
		case err != nil:
			m.Got = err.Error()
		case valid == c.Valid:
			continue
		case valid:
			m.Got = "valid"
		default:
			m.Got = "invalid"
		}
		misses = append(misses, m)
	}
	return misses
}

// Total adds the rows up.
func (r Report) Total() Row {
	t := Row{File: "total"}
	for _, row := range r.Rows {
		t.Cases += row.Cases
		t.Passed += row.Passed
		t.Failed += row.Failed
	}
	return t
}

// Write prints the tally of every file.
func (r Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-30s%8s%8s%8s\n", r.Dialect, "cases", "passed", "failed")
	for _, row := range append(slices.Clip(r.Rows), r.Total()) {
		fmt.Fprintf(&b, "%-30s%8d%8d%8d\n", row.File, row.Cases, row.Passed, row.Failed)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
