package oracle_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vcp.core/fuzz/peers/oracle"
)

func schema(text, dialect string, formats ...string) oracle.Schema {
	return oracle.Schema{
		URI: "urn:s", Dialect: dialect, Formats: formats,
		Documents: map[string]json.RawMessage{"urn:s": json.RawMessage(text)},
	}
}

// patience is the limit for a document that is judged at once: no machine is as slow.
const patience = time.Minute

func TestAnswers(t *testing.T) {
	child := oracle.Start(t, patience)
	for _, c := range []struct {
		name     string
		schema   oracle.Schema
		document string
		want     oracle.Answer
	}{
		{"valid", schema(`{"type":"integer"}`, "draft2020-12"), `1.0`, oracle.Valid},
		{"invalid", schema(`{"type":"integer"}`, "draft2020-12"), `1.5`, oracle.Invalid},
		{"numbers are exact", schema(`{"const":9007199254740993}`, "draft2020-12"), `9007199254740992`, oracle.Invalid},
		{"no JSON", schema(`true`, "draft2020-12"), `{`, oracle.NotJSON},
		{"two values", schema(`true`, "draft2020-12"), `1 2`, oracle.NotJSON},
		{"empty", schema(`true`, "draft2020-12"), ``, oracle.NotJSON},
		{"duplicate keys pass", schema(`{"required":["a"]}`, "draft2020-12"), `{"a":1,"a":2}`, oracle.Valid},
		{"invalid UTF-8 passes", schema(`{"type":"string"}`, "draft2020-12"), "\"\xff\"", oracle.Valid},
		{"dialect draft-07", schema(`{"dependencies":{"a":["b"]}}`, "draft7"), `{"a":1}`, oracle.Invalid},
		{"draft-07 formats are annotations", schema(`{"format":"email"}`, "draft7"), `"x"`, oracle.Valid},
		{"so is regex", schema(`{"format":"regex"}`, "draft7"), `"("`, oracle.Valid},
		{"an asserted format", schema(`{"format":"date-time"}`, "draft2020-12", "date-time"), `"x"`, oracle.Invalid},
		{"beside one that is not", schema(`{"format":"email"}`, "draft2020-12", "date-time"), `"x"`, oracle.Valid},
	} {
		if err := child.Load(c.schema); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := child.Judge([]byte(c.document)); err != nil || got != c.want {
			t.Errorf("%s: %s is %q, %v; want %q", c.name, c.document, got, err, c.want)
		}
	}
	if child.Restarts != 0 {
		t.Errorf("%d restarts on harmless documents", child.Restarts)
	}
}

func TestSchemaRefused(t *testing.T) {
	child := oracle.Start(t, patience)
	for _, s := range []oracle.Schema{
		schema(`{"type":"nothing"}`, "draft2020-12"),
		schema(`{"$ref":"http://example.org/absent.json"}`, "draft2020-12"),
		schema(`true`, "draft5"),
	} {
		var refused *oracle.RefusedError
		if err := child.Load(s); !errors.As(err, &refused) || refused.Reason == "" {
			t.Errorf("%s: %v, want a RefusedError with a reason", s.Documents["urn:s"], err)
		}
	}
}

// A child that dies or hangs costs exactly the document that did it.
func TestCrashAndHang(t *testing.T) {
	child := oracle.Start(t, patience)
	const overlapping = `{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}],"not":{"const":0},"maximum":5}`
	if err := child.Load(schema(overlapping, "draft2020-12")); err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat("[", 60) + "0" + strings.Repeat("]", 60)
	for i, c := range []struct {
		document string
		want     oracle.Answer
		restarts int
	}{
		{`1`, oracle.Valid, 0},
		{`1e999999999999`, oracle.Crashed, 1}, // a nil *big.Rat in v6.0.3
		{`6`, oracle.Invalid, 1},
		{deep, oracle.TimedOut, 2}, // two to the power of the depth
		{`1`, oracle.Valid, 2},
		{`6`, oracle.Invalid, 2},
	} {
		child.Limit = patience
		if c.want == oracle.TimedOut {
			child.Limit = time.Second / 2
		}
		got, err := child.Judge([]byte(c.document))
		if err != nil || got != c.want || child.Restarts != c.restarts {
			t.Errorf("document %d: %q, %v after %d restarts; want %q after %d", i, got, err, child.Restarts, c.want, c.restarts)
		}
	}
}

// Documents that are sent together are answered as if each were alone, whatever one of them does.
func TestTogether(t *testing.T) {
	child := oracle.Start(t, patience)
	if err := child.Load(schema(`{"maximum":5}`, "draft2020-12")); err != nil {
		t.Fatal(err)
	}
	documents := [][]byte{[]byte(`1`), []byte(`6`), []byte(`{`), []byte(`1e999999999999`), []byte(`5`)}
	for n, want := range map[int][]oracle.Answer{
		3: {oracle.Valid, oracle.Invalid, oracle.NotJSON},
		5: {oracle.Valid, oracle.Invalid, oracle.NotJSON, oracle.Crashed, oracle.Valid},
	} {
		if got, err := child.JudgeAll(documents[:n]); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d documents: %q, %v; want %q", n, got, err, want)
		}
	}
}

func TestOracleThatDoesNotStart(t *testing.T) {
	child := oracle.New(time.Second, "./no-such-program")
	if err := child.Load(schema(`true`, "draft2020-12")); err == nil {
		t.Error("a program that does not exist loaded a schema")
	}
}
