package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/runtime/policy/canary"
)

func scan(t testing.TB, text string) *wire.Tape {
	t.Helper()
	tape := &wire.Tape{}
	if err := tape.Scan([]byte(text), wire.Limits{}); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return tape
}

// masked masks a document and holds the outcome against what holds of every one.
func masked(t testing.TB, s *Set, text string, keep func(int) bool) (string, []string) {
	t.Helper()
	tape := scan(t, text)
	m, ok := s.Mask(tape, keep)
	if !ok {
		return text, nil
	}
	after := scan(t, string(m.Source))
	if after.Len() != tape.Len() {
		t.Fatalf("%s became %s", text, m.Source)
	}
	for i := range tape.Len() {
		if tape.Kind(i) == wire.KindArray || tape.Kind(i) == wire.KindObject {
			continue
		}
		if same := bytes.Equal(tape.Raw(i), after.Raw(i)); same == slices.Contains(m.Nodes, i) {
			t.Fatalf("%s became %s, which changes node %d, but %v are told", text, m.Source, i, m.Nodes)
		}
	}
	return string(m.Source), Pointers(after, m.Nodes, 100)
}

func TestMask(t *testing.T) {
	const key = "s3cr3t/key"
	tests := []struct {
		name, in, want string
		pointers       []string
	}{
		{"nothing", `{"a": "s3cr3t/ke", "b":[1.0,"\u0041"]}`, `{"a": "s3cr3t/ke", "b":[1.0,"\u0041"]}`, nil},
		{"raw", `{"a": "s3cr3t/key" , "b": "\u0041"}`, `{"a": "[redacted]" , "b": "\u0041"}`, []string{"/a"}},
		{"inside", `["see s3cr3t/key\n."]`, `["see [redacted]\n."]`, []string{"/0"}},
		{"twice", `["s3cr3t/keys3cr3t/key s3cr3t/key"]`, `["[redacted] [redacted]"]`, []string{"/0"}},
		{"escapes", `["\u00733cr3t\/key"]`, `["[redacted]"]`, []string{"/0"}},
		{"escapes in the text", `["{\"k\":\"s3cr3t\\/key\"}"]`, `["{\"k\":\"[redacted]\"}"]`, []string{"/0"}},
		{"percent", `["?k=s3cr3t%2Fkey&x=%41"]`, `["?k=[redacted]&x=%41"]`, []string{"/0"}},
		{"base64", `["czNjcjN0L2tleQ=="]`, `["[redacted]"]`, []string{"/0"}},
		{"base64 of more", `["dXNlcjpzM2NyM3Qva2V5IQ"]`, `["dXNlcj[redacted]IQ"]`, []string{"/0"}},
		{"hexadecimal", `["0x7333637233742f6b6579"]`, `["0x[redacted]"]`, []string{"/0"}},
		{"lines", `["s3cr3t\r\n  /key"]`, `["[redacted]"]`, []string{"/0"}},
		{"a name", `{"x":{"s3cr3t/key":[true]}}`, `{"x":{"[redacted]":[true]}}`, []string{"/x/[redacted]"}},
		{"names that meet", `{"[redacted]":0,"s3cr3t/key":"s3cr3t/key","czNjcjN0L2tleQ":2,"a":"\/"}`,
			`{"[redacted]":0,"[redacted][2]":"[redacted]","[redacted][3]":2,"a":"\/"}`, []string{"/[redacted][2]", "/[redacted][3]"}},
		{"two values", `{"a":"my s3cr","n":1,"b":"3t/key."}`, `{"a":"my [redacted]","n":1,"b":"[redacted]."}`, []string{"/a", "/b"}},
		{"two names", `{"s3cr":1,"3t/key":2}`, `{"[redacted]":1,"[redacted][2]":2}`, []string{"/[redacted]", "/[redacted][2]"}},
		{"two names with values between", `{"s3cr":"v","3t/key":"w"}`, `{"[redacted]":"v","[redacted][2]":"w"}`, []string{"/[redacted]", "/[redacted][2]"}},
		{"name and value", `{"s3cr3t":"/key"}`, `{"[redacted]":"[redacted]"}`, []string{"/[redacted]"}},
		{"letters", `["s","3","cr","3","t","","/","ke","y"]`, `["[redacted]","[redacted]","[redacted]","[redacted]","[redacted]","","[redacted]","[redacted]","[redacted]"]`,
			[]string{"/0", "/1", "/2", "/3", "/4", "/6", "/7", "/8"}},
		{"kept apart", `["s3cr","-","3t/key"]`, `["s3cr","-","3t/key"]`, nil},
	}
	s := New(key, "short", "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, pointers := masked(t, s, tt.in, nil)
			if got != tt.want || !slices.Equal(pointers, tt.pointers) {
				t.Errorf("got  %s %q\nwant %s %q", got, pointers, tt.want, tt.pointers)
			}
		})
	}
	if got, _ := masked(t, s, `{"s3cr3t/key":"s3cr3t/key"}`, func(i int) bool { return i == 1 }); got != `{"s3cr3t/key":"[redacted]"}` {
		t.Errorf("a name that is kept became %s", got)
	}
}

func TestEveryForm(t *testing.T) {
	for _, secret := range []string{canary.Secret, "sk_live_51Hq8ZkTwE0aBc", "correct horse battery", "钥匙/密码+秘密", "12345678", strings.Repeat("k3y-", 200)} {
		s := New(secret, "another secret")
		for _, f := range canary.Forms() {
			text := f.Write(secret)
			got, pointers := masked(t, s, text, nil)
			if ways := canary.Find(got, secret); ways != nil || pointers == nil {
				t.Errorf("%s of %q: %s still tells: %v", f.Name, secret, got, ways)
			}
		}
		got, _ := masked(t, s, canary.Data(secret), nil)
		if ways := canary.Find(got, secret); ways != nil || !strings.Contains(got, `"kept":"\u0041\/"`) {
			t.Errorf("%q: %s still tells: %v", secret, got, ways)
		}
	}
}

func TestNew(t *testing.T) {
	if New() != nil || New("1234567", "  1234567 ", "redacted") != nil {
		t.Error("values that cannot be searched for make a set")
	}
	s := New("12345678", " 12345678\n", "abcdefgh")
	if s.Len() != 2 || s.With("12345678") != s || s.With("ABCDEFGH").Len() != 3 || s.With("x") != s || s.With() != s {
		t.Errorf("the set has %d values", s.Len())
	}
	var none *Set
	if none.Len() != 0 || none.Text("a") != "a" || none.Quote("a") != "a" || none.With("12345678").Len() != 1 || none.Logger(slog.Default()) != slog.Default() {
		t.Error("no set does something")
	}
	if _, ok := none.Mask(scan(t, `"12345678"`), nil); ok {
		t.Error("no set masks")
	}
}

func TestQuote(t *testing.T) {
	s := New("s3cr3t/key/of/ours")
	for in, want := range map[string]string{
		"":                              "",
		"all well":                      "all well",
		"key s3cr3t/key/of/ours":        "key [redacted]",
		"key s3cr3t/key…":               "key [redacted]…",
		"…key/of/ours is wrong":         "…[redacted] is wrong",
		"key/of/ours s3cr3t/k":          "[redacted] [redacted]",
		"key s3c":                       "key s3c",
		`got "s3cr3t/ke…"; s3cr...`:     `got "[redacted]…"; [redacted]...`,
		"czNjcjN0L2tleS9vZi9v":          "[redacted]",
		"one: s3cr3t/key/of/ours, s3cr": "one: [redacted], [redacted]",
		// Cut in the middle of an encoded form, or of one of its escapes.
		`key \u00733cr\u0033t\u002f`:            "key [redacted]",
		`key \u00733cr\u0033t\u00`:              "key [redacted]",
		`key \\u00733cr3t/\\u006b\\u`:           "key [redacted]",
		"key s3cr3t%2Fkey%2":                    "key [redacted]",
		"key %73%33cr3t…":                       "key [redacted]…",
		"2dt%2Fkey%2Fof%2Fours is wrong":        "[redacted] is wrong",
		`02f\u006bey/of\/ours is wrong`:         "[redacted] is wrong",
		"/data/s3cr3t~1key~1of~1ours/x":         "/data/[redacted]/x",
		"wrote \"zz s3cr3t~1ke…\", and no more": "wrote \"zz [redacted]…\", and no more",
		"a face ends here":                      "a face ends here",
	} {
		if got := s.Quote(in); got != want {
			t.Errorf("Quote(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSchema(t *testing.T) {
	const schema = `{"$defs":{"key":{"type":"string","writeOnly":true}},"properties":{
		"a":{"$ref":"#/$defs/key"},"b":{"type":"array","items":{"anyOf":[{"properties":{"k":{"writeOnly":true}}},{}]}},
		"c":{"writeOnly":true,"type":"object"},"d":{"writeOnly":false},"e":{"properties":{"e":{"$ref":"#"}}}},
		"patternProperties":{"_key$":{"writeOnly":true}},"additionalProperties":{"if":{"writeOnly":true}}}`
	const document = `{"a":"A","b":[{"k":"B","l":"no"},"no"],"c":{"x":["C1",{"y":12345678}],"z":true},"d":"no","e":{"a":"no","e":{"a":"E"}},"my_key":"K"}`
	got := NewSchema([]byte(schema)).Values(scan(t, document))
	slices.Sort(got)
	got = slices.Compact(got)
	// additionalProperties applies to what properties does not name; read generously, it applies to all.
	if want := []string{"12345678", "A", "B", "C1", "E", "K"}; !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return s == "no" }), want) {
		t.Errorf("got %q, want %q", got, want)
	}
	list := NewSchema([]byte(`{"properties":{"k":{"writeOnly":true}}}`)).Secrets([]byte(`{"k":"K\u0031","l":"L"}`))
	if len(list) != 1 || string(list[0]) != "K1" || (*Schema)(nil).Secrets([]byte(`{}`)) != nil {
		t.Errorf("secrets of a configuration: %q", list)
	}
	if NewSchema([]byte(`{"properties":{}}`)) != nil || NewSchema([]byte(`{"writeOnly`)) != nil || (*Schema)(nil).Values(scan(t, `1`)) != nil {
		t.Error("a schema that marks nothing marks")
	}
}

func TestLogger(t *testing.T) {
	var b bytes.Buffer
	s := New("s3cr3t/key")
	l := s.Logger(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	l.With("with", "s3cr3t/key").WithGroup("g").Error("no s3cr3t/key", "err", errors.New("bad s3cr3t/key"), "n", 5, "raw", []byte("s3cr3t/key"),
		slog.Group("in", "x", "s3cr3t/key"), "plain", errors.New("plain"))
	const want = `level=ERROR msg="no [redacted]" with=[redacted] g.err="bad [redacted]" g.n=5 g.raw=[redacted] g.in.x=[redacted] g.plain=plain` + "\n"
	if b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
	ctx := NewContext(context.Background(), s)
	if FromContext(ctx) != s || FromContext(context.Background()) != nil || NewContext(ctx, nil) != ctx {
		t.Error("a context carries another set")
	}
}

// FuzzMask: whatever the secret and wherever it stands, the slow search finds nothing afterwards, and
// nothing else has changed.
func FuzzMask(f *testing.F) {
	for i := range canary.Forms() {
		f.Add(canary.Secret, uint8(i), "before", "after", uint8(3))
	}
	f.Add("aaaaaaaa", uint8(0), "aaa", "aaaaaaaaaaaa", uint8(1))
	f.Add("a%41\\u0041a", uint8(5), "%", `\`, uint8(2))
	f.Add("00000000", uint8(0), "1000\x00\x000?00\x000000", "0001", uint8(2))
	f.Add("2aaaaaaa", uint8(56), "aaa", "aaaaaaaaaaaa", uint8(1))
	f.Add("2aaaaaaa", uint8(27), "0", "aaaaaaa", uint8(1))
	f.Fuzz(func(t *testing.T, secret string, form uint8, before, after string, cut uint8) {
		secret = strings.ToValidUTF8(secret, "?")
		before, after = strings.ToValidUTF8(before, "?"), strings.ToValidUTF8(after, "?")
		s := New(secret)
		if s == nil || len(secret) > 400 || len(before)+len(after) > 2000 || strings.ContainsAny(secret, "[]") || strings.Contains(Mask, secret) {
			t.Skip("no secret of a length that is masked, or one that the mask itself contains")
		}
		secret = strings.TrimSpace(secret)
		if _, known := hard(secret); known {
			t.Skip("undoing an encoding changes the secret itself")
		}
		one, two := canary.Cut(secret, int(cut))
		forms := canary.Forms()
		value := forms[int(form)%len(forms)].Write(secret)
		q := canary.Quote
		text := `{` + q("n"+before) + `:[` + q(before) + `,` + value + `,` + q(after) + `],"cut":{"a":` + q(one) + `,"b":` + q(two) + `},` +
			`"in":` + q(before+secret+after) + `}`
		if new(wire.Tape).Scan([]byte(text), wire.Limits{}) != nil {
			t.Skip("the document is no JSON")
		}
		got, _ := masked(t, s, text, nil)
		if ways := canary.Find(got, secret); ways != nil {
			t.Fatalf("%q in %s: %s tells: %v", secret, text, got, ways)
		}
		if again, pointers := masked(t, s, got, nil); pointers != nil {
			t.Fatalf("masking %s once more gives %s", got, again)
		}
	})
}

// hard reports secrets that cannot be told apart from an encoding: undoing one changes them.
func hard(secret string) (string, bool) {
	v := &view{}
	for _, l := range layers {
		if strings.ContainsAny(secret, l.marks) {
			l.undo(v, identity(secret))
			if len(v.text) != len(secret) {
				return string(v.text), true
			}
			v = &view{}
		}
	}
	return "", false
}

func BenchmarkMask(b *testing.B) {
	s := New("sk_live_51Hq8ZkTwE0aBcDeFgHiJk", "another-secret-value", canary.Secret)
	text := `{"list":[` + strings.Repeat(`{"title":"weekly meeting with the team","at":"2026-07-12T10:00:00+08:00","n":12.5,"note":"bring the numbers of last week"},`, 80) + `null]}`
	tape := scan(b, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.Mask(tape, nil); ok {
			b.Fatal("masked")
		}
	}
}

// BenchmarkHostile: texts that nearly are, or are again and again, what is looked for cost no more a byte when
// there are more of them.
func BenchmarkHostile(b *testing.B) {
	s := New("aaaaaaaaaaaaaaab", strings.Repeat("a", 3000)+"b", "sk_live_sk_live_x")
	for _, unit := range []string{"a", "aaaaaaa%61", `\u0061`, "sk_live_", "%25", "a\n"} {
		for _, size := range []int{1 << 16, 1 << 20} {
			tape := scan(b, string(wire.AppendQuoted(nil, strings.Repeat(unit, size/len(unit)))))
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					s.Mask(tape, nil)
				}
			})
		}
	}
}
