package suite_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/compiled"
	"vcp.core/fuzz/ours"
	"vcp.core/fuzz/shared"
	"vcp.core/fuzz/suite"
	"vcp.core/gen/ir"
)

// formatCases is how many cases the folder optional/format of a draft has: all pass, in both back ends.
var formatCases = map[suite.Dialect]int{suite.Draft2020: 764, suite.Draft2019: 757, suite.Draft07: 676}

// contested lists cases, of each draft, whose verdict is not what the named text says. They are judged as the
// suite has them. docs/deviations.md repeats the reasons.
var contested = []struct {
	file, data string
	valid      bool   // what the suite says
	text       string // what says otherwise
}{
	{"idn-email.json", `"user@cafe\u0301.com"`, true,
		`RFC 6531 §3.3 imports U-label, and RFC 5890 §2.3.2.1: "an IDNA-valid string of Unicode characters, in Normalization Form C (NFC)"`},
	{"idn-hostname.json", `"a\u3002b"`, true, alternateDots},
	{"idn-hostname.json", `"a\uff0eb"`, true, alternateDots},
	{"idn-hostname.json", `"a\uff61b"`, true, alternateDots},
}

const alternateDots = `RFC 1034 §3.1 separates labels by "."; the other three are of IDNA2003 (RFC 3490 §3.1), and IDNA2008 leaves them to a mapping that comes before it (RFC 5895 §2)`

// The format files of the suite, with format asserted, judged by live and by generated code.
func TestOfficialSuiteFormats(t *testing.T) {
	root := shared.Path(t, "data", "json-schema-test-suite", "tests")
	asserted := ours.Options{FormatAssertion: true}
	for _, d := range []suite.Dialect{suite.Draft2020, suite.Draft2019, suite.Draft07} {
		files, err := suite.Read(filepath.Join(root, string(d), "optional", "format"))
		if err != nil {
			t.Fatal(err)
		}
		generated, err := compiled.NewEngine(t.Context(), d, files, nil, asserted, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		want := suite.Row{File: "total", Cases: formatCases[d], Passed: formatCases[d]}
		for _, backEnd := range []struct {
			name   string
			engine suite.Engine
		}{{"live", asserted.Engine}, {"go", generated}} {
			rep := suite.Run(backEnd.engine, d, files, nil)
			for _, m := range rep.Misses {
				t.Errorf("%s: %s: %s", backEnd.name, d, m)
			}
			if rep.Total() != want {
				t.Errorf("%s: %s: %+v, want %+v", backEnd.name, d, rep.Total(), want)
			}
			t.Logf("%-12s optional/format, %-4s %d of %d", d, backEnd.name, rep.Total().Passed, rep.Total().Cases)
		}
		mentioned(t, d, files)
	}
}

// mentioned holds the table of contested cases against the suite: each is there, with the verdict of the table.
func mentioned(t *testing.T, d suite.Dialect, files []suite.File) {
	t.Helper()
	for _, c := range contested {
		found := false
		for _, f := range files {
			for _, g := range f.Groups {
				for _, one := range g.Cases {
					found = found || f.Name == c.file && canonical(t, one.Data) == canonical(t, []byte(c.data)) && one.Valid == c.valid
				}
			}
		}
		if !found {
			t.Errorf("%s: %s: there is no case %s with the verdict %v: the table is out of date", d, c.file, c.data, c.valid)
		}
		if c.text == "" {
			t.Errorf("%s: %s: no text says otherwise", c.file, c.data)
		}
	}
}

func canonical(t *testing.T, document []byte) string {
	t.Helper()
	var tape wire.Tape
	if err := tape.Scan(document, wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	return string(wire.AppendCanonical(nil, &tape, 0))
}

// schemaOf is a schema that stands alone, with format asserted.
func schemaOf(d suite.Dialect, uri string, schema []byte) ours.Schema {
	return ours.Schema{URI: uri, Documents: map[string][]byte{uri: schema}, Dialect: ours.Dialect(d), FormatAssertion: true}
}

// Who wants a format asserted that nobody defined: 2020-12 has it refused where the meta-schema demands assertion
// (validation §7.2.3), 2019-09 forbids that (§7.2.3), and for the option it is an annotation in each draft.
func TestUnknownFormats(t *testing.T) {
	const meta = "https://suite.test/meta"
	for _, c := range []struct {
		dialect    suite.Dialect
		vocabulary string // "": the option asks for assertion
		refused    bool
	}{
		{suite.Draft2020, "", false}, {suite.Draft2019, "", false}, {suite.Draft07, "", false},
		{suite.Draft2020, "format-assertion", true}, {suite.Draft2019, "format", false},
	} {
		s := schemaOf(c.dialect, "https://suite.test/schema", []byte(`{"format": "date-tme"}`))
		known := schemaOf(c.dialect, "https://suite.test/schema", []byte(`{"format": "date"}`))
		if c.vocabulary != "" {
			base := "https://json-schema.org/draft/" + strings.TrimPrefix(string(c.dialect), "draft")
			document := []byte(`{"$schema": "` + base + `/schema", "$id": "` + meta + `", "$vocabulary": {"` + base + `/vocab/` + c.vocabulary + `": true}}`)
			for _, one := range []*ours.Schema{&s, &known} {
				one.FormatAssertion = false
				one.Documents[meta] = document
				one.Documents[one.URI] = append([]byte(`{"$schema": "`+meta+`", `), one.Documents[one.URI][1:]...)
			}
		}
		verdict := func(s ours.Schema, document string) string {
			judge, err := ours.Compile(s)
			if refused, is := errors.AsType[*ours.RefusedError](err); is {
				if code := refused.List[0].Code; code != ir.CodeUnknownFormat {
					t.Errorf("%s %s: %s", c.dialect, c.vocabulary, code)
				}
				return "refused"
			} else if err != nil {
				t.Fatal(err)
			}
			if v, err := judge.Document([]byte(document)); err != nil || v != wire.Valid {
				return "invalid"
			}
			return "valid"
		}
		want := "valid"
		if c.refused {
			want = "refused"
		}
		if got := verdict(s, `"x"`); got != want {
			t.Errorf("%s %s: %s, want %s", c.dialect, c.vocabulary, got, want)
		}
		if got := verdict(known, `"x"`); got != "invalid" {
			t.Errorf("%s %s: format is not asserted: %s", c.dialect, c.vocabulary, got)
		}
		if got := verdict(known, `1`); got != "valid" {
			t.Errorf("%s %s: a number is %s", c.dialect, c.vocabulary, got)
		}
	}
}

// What is encoded in a string is nobody's business here: the keywords of content are annotations in each draft.
func TestContentIsAnAnnotation(t *testing.T) {
	for _, d := range []suite.Dialect{suite.Draft2020, suite.Draft2019, suite.Draft07} {
		s := schemaOf(d, "https://suite.test/schema", []byte(`{"contentEncoding": "base64", "contentMediaType": "application/json", "contentSchema": false}`))
		judge, err := ours.Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range []string{`"%%%"`, `"e30="`, `"{"`, `1`} {
			if v, err := judge.Document([]byte(document)); err != nil || v != wire.Valid {
				t.Errorf("%s: %s: %v, %v", d, document, v, err)
			}
		}
	}
}
