// Package suite runs the official JSON-Schema-Test-Suite against a validator and keeps the tally.
//
// Data flow: the suite's folder -> [Read] and [ReadRemotes] -> [Run] with an [Engine] -> [Report]. A
// case is passed or failed; nothing is excused.
//
// The package knows no engine. It never changes what a case expects and never skips a case. What a folder of the
// suite asks of an engine, such as format as an assertion in optional/format, is for the caller to know.
package suite

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// Dialect is the draft that a group without `$schema` is written in, by the suite's folder names.
type Dialect string

// The dialects whose required files are bars of this project.
const (
	Draft2020 Dialect = "draft2020-12"
	Draft2019 Dialect = "draft2019-09"
	Draft07   Dialect = "draft7"
)

// File is one file of the suite.
type File struct {
	Name   string // "allOf.json"
	Groups []Group
}

// Group is one schema with its cases. The suite calls it a test case.
type Group struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Cases       []Case          `json:"tests"`
}

// Case is one document with the verdict that the specification gives it.
type Case struct {
	Description string          `json:"description"`
	Data        json.RawMessage `json:"data"`
	Valid       bool            `json:"valid"`
}

// Read returns the files in dir, sorted by name: the *.json files of the folder itself, not of its subfolders. The
// required files of a dialect are in tests/DIALECT, the others in the folders optional and optional/format there.
func Read(dir string) ([]File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no suite files in %s: %w", dir, fs.ErrNotExist)
	}
	sort.Strings(names)
	var files []File
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f := File{Name: filepath.Base(name)}
		if err := json.Unmarshal(raw, &f.Groups); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// Count returns the number of cases in files.
func Count(files []File) int {
	n := 0
	for _, f := range files {
		for _, g := range f.Groups {
			n += len(g.Cases)
		}
	}
	return n
}

// Remotes are the documents that the suite expects to find at its imaginary server, by absolute URI.
type Remotes map[string][]byte

// server is where the suite's schemas say that the remotes folder is served (its README, "Using the
// Suite to Test a Validator Implementation").
const server = "http://localhost:1234/"

// ReadRemotes returns every JSON document below dir, keyed by the URI it is served at.
func ReadRemotes(dir string) (Remotes, error) {
	remotes := Remotes{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		remotes[server+filepath.ToSlash(rel)] = raw
		return nil
	})
	return remotes, err
}

// Of returns the remotes that a suite of one dialect may reach: its own folder and the documents that
// belong to no folder of a draft. The folders of other drafts hold schemas in dialects that a
// compiler is free to refuse.
func (r Remotes) Of(d Dialect) Remotes { return r.Among(d) }

// Among returns the remotes in the folders of these dialects, and the documents that belong to no folder of a draft.
// optional/cross-draft.json refers from one draft to another.
func (r Remotes) Among(dialects ...Dialect) Remotes {
	own := Remotes{}
	for uri, raw := range r {
		if home := Home(uri, ""); home == "" || slices.Contains(dialects, home) {
			own[uri] = raw
		}
	}
	return own
}

// Home returns the dialect whose folder a remote document lies in, fallback when it lies in none. A document that names
// no draft itself is written in that dialect.
func Home(uri string, fallback Dialect) Dialect {
	first, rest, nested := strings.Cut(strings.TrimPrefix(uri, server), "/")
	if nested && rest != "" && (strings.HasPrefix(first, "draft") || first == "v1") {
		return Dialect(first)
	}
	return fallback
}
