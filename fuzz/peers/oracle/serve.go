package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Serve is the child's side: it answers every line of in on out until in ends. It recovers nothing:
// a panic of the oracle ends the process, and the parent counts it.
func Serve(in io.Reader, out io.Writer) error {
	debug.SetMaxStack(64 << 20) // a recursion without end is to end soon
	var schema *jsonschema.Schema
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	for d := json.NewDecoder(bufio.NewReaderSize(in, 1<<20)); ; {
		var q request
		if err := d.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var r reply
		switch {
		case q.Schema != nil:
			compiled, err := Compile(*q.Schema)
			schema = compiled
			if r.Loaded = err == nil; err != nil {
				r.Reason = err.Error()
			}
		case q.Documents != nil:
			for _, d := range q.Documents {
				r.Answers = append(r.Answers, judge(schema, d))
			}
		default:
			r.Answer = judge(schema, q.Document)
		}
		if err := enc.Encode(r); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

func judge(s *jsonschema.Schema, document []byte) Answer {
	// jsonschema.UnmarshalJSON keeps numbers as json.Number: v6 then compares them exactly.
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return NotJSON
	}
	if s.Validate(v) != nil {
		return Invalid
	}
	return Valid
}

// Compile makes v6 compile s in this process, with the child's settings. Benchmarks use it too.
func Compile(s Schema) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if s.Backtracking {
		c.UseRegexpEngine(backtracking)
	}
	switch s.Dialect {
	case "draft7":
		c.DefaultDraft(jsonschema.Draft7)
	case "draft2019-09":
		c.DefaultDraft(jsonschema.Draft2019)
	case "draft2020-12":
		c.DefaultDraft(jsonschema.Draft2020)
	default:
		return nil, fmt.Errorf("unknown dialect %q", s.Dialect)
	}
	annotations := map[string]bool{}
	for uri, raw := range s.Documents {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", uri, err)
		}
		settleFormats(doc, s.Formats, annotations)
		if err := c.AddResource(uri, doc); err != nil {
			return nil, err
		}
	}
	// v6 asserts formats of draft-07 always, and of 2020-12 only on demand; it has no switch for one
	// format. So assertion is on, and a format that shall be an annotation gets a check that passes.
	if len(s.Formats) > 0 {
		c.AssertFormat()
	}
	for name := range annotations {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	return c.Compile(s.URI)
}

// settleFormats collects the names of formats that are not asserted. The format "regex" cannot be
// registered anew in v6; where it is an annotation, it is renamed. A member `format` with a string
// value that is no keyword (inside a constant) can only be hit when it spells "regex".
func settleFormats(node any, asserted []string, annotations map[string]bool) {
	switch node := node.(type) {
	case []any:
		for _, e := range node {
			settleFormats(e, asserted, annotations)
		}
	case map[string]any:
		if name, ok := node["format"].(string); ok && !slices.Contains(asserted, name) {
			if name == "regex" {
				name = "regex-annotation"
				node["format"] = name
			}
			annotations[name] = true
		}
		for _, e := range node {
			settleFormats(e, asserted, annotations)
		}
	}
}

// noLoader keeps the oracle from fetching: a document that is not given does not exist.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(uri string) (any, error) {
	return nil, fmt.Errorf("%s is not among the given documents", uri)
}

// backtrackingRegexp makes a jsonschema.Regexp of regexp2. A match that takes too long ends the process, as
// everything does for which the oracle has no answer.
type backtrackingRegexp struct{ *regexp2.Regexp }

// MatchString implements jsonschema.Regexp.
func (r backtrackingRegexp) MatchString(s string) bool {
	matched, err := r.Regexp.MatchString(s)
	if err != nil {
		panic(err)
	}
	return matched
}

func backtracking(pattern string) (jsonschema.Regexp, error) {
	r, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	r.MatchTimeout = time.Second
	return backtrackingRegexp{r}, nil
}
