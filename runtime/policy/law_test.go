package policy_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"vcp.core/contract/call"
	"vcp.core/contract/schema"
	"vcp.core/contract/wire"
	"vcp.core/fuzz/mutate"
	"vcp.core/runtime"
	"vcp.core/runtime/policy"
	"vcp.core/runtime/policy/canary"
	"vcp.core/runtime/result"
)

// rich are results with something for every rule.
func rich(t testing.TB) []*result.Sealed {
	const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	everything := map[result.Member]string{
		result.Status: `"partial"`,
		result.Actor:  `{"type":"agent","id":"` + key + `","name":null,"maid":"/srv/ann/x"}`,
		result.Data: `{"password":"p","list":[{"token":"tok_123456"},{"$resource":"` + logs + `"},"http://10.0.0.1/x C:\\Users\\a"],"` + key + `":{"` + key + `":1},` +
			`"n":1.50,"s":"\u0041\/","image":{"$resource":"` + image + `"}}`,
		result.Resources:    `[` + resource(image, "image", "output", `"https://a:b@x.example/?sig=0123456789"`, "ephemeral") + `,` + resource(logs, "text", "log", `"http://10.0.0.1/b"`, "managed") + `]`,
		result.Warnings:     `[{"code":"A.B","message":"at /srv/ann/x","target":null,"details":{"cookie":"c"}}]`,
		result.Error:        `{"code":"UPSTREAM_ERROR","message":"open /srv/ann: ` + key + `","category":"dependency","retryable":true,"target":"/x","details":{"reason":"r","apiKey":"k"},"cause":{"code":null,"message":"Bearer ` + key + `"}}`,
		result.Task:         `{"id":"task_` + ulid + `A","state":"completed","progress":1,"pollAfterMs":5,"placeholder":"{{VCP_ASYNC_RESULT::T::task_` + ulid + `A}}"}`,
		result.Presentation: `{"summary":"` + logs + `","title":"t","preferredView":"table","primaryResourceId":"` + logs + `"}`,
		result.AIAdvice:     `{"intent":"display_resource","message":"` + strings.Repeat("a ", 225) + `at /etc/a at /etc/a at /etc/a at /etc/a at /etc/a","resourceIds":["` + logs + `","` + image + `"],"renderHint":"image","priority":"low"}`,
		result.Extensions:   `{"a.token":"tok_12345678","a.b":[{"secret":"s"}]}`,
		result.Policy:       `{"classification":"confidential","containsSensitiveData":true,"redactionsApplied":[{"rule":"secret","target":"/data/list/0"},{"rule":"secret","target":"/resources/1/url"}]}`,
	}
	plain := map[result.Member]string{result.Data: `[1,"a",{"b":null}]`}
	failed := map[result.Member]string{
		result.Status: `"error"`, result.Policy: `{"classification":"restricted","containsSensitiveData":false,"redactionsApplied":[]}`,
		result.Error: `{"code":"INVALID_TOOL_RESULT","message":"m","category":"protocol","retryable":false,"target":null,"details":{"reason":"NO_FRAME","quote":"` + key + `"},"cause":null}`,
	}
	return []*result.Sealed{sealed(t, everything), sealed(t, plain), sealed(t, failed)}
}

func policies(t testing.TB) []*policy.Policy {
	return []*policy.Policy{
		policyOf(t, policy.Default()...),
		policyOf(t, policy.Strict()...),
		policyOf(t, append(policy.Strict(), policy.Rule{Name: "no-logs", Match: policy.ResourceRoles("log")},
			policy.Rule{Name: "no-urls", Match: policy.ResourceURLs("", "managed", "external", "ephemeral")},
			policy.Rule{Name: "deep", Match: policy.Pointers("/data/**/a", "/*/*/message", "/actor", "/resources/*/metadata", "/error/details")})...),
		policyOf(t, policy.Rule{Name: "all", Match: policy.Pointers("/**")}),
		policyOf(t, policy.Rule{Name: "no-images", Match: policy.ResourceKinds("image")}, policy.Rule{Name: "leaves", Match: policy.Pointers("/*/*", "/*/*/*")}),
	}
}

var readers = []policy.Reader{
	{Consumer: policy.AI}, {Consumer: policy.Human}, {Consumer: policy.Workflow, Scopes: []string{policy.ScopeSecrets, policy.ScopeRestricted}},
	{Consumer: policy.Bridge}, {Consumer: policy.Audit, Admin: true}, {Consumer: "artifact"},
}

// For any result, policy and reader, the laws of see hold.
func TestVisiblesAreLawful(t *testing.T) {
	documents := map[string][]byte{}
	for _, d := range schema.All() {
		documents[d.ID] = d.Source
	}
	shape, err := mutate.NewSchema(schema.Base+schema.Version+"/result.schema.json", documents)
	if err != nil {
		t.Fatal(err)
	}
	var instances [][]byte
	for _, s := range rich(t) {
		instances = append(instances, []byte(s.String()))
	}
	maker, err := mutate.New(shape, instances, 1)
	if err != nil {
		t.Fatal(err)
	}
	all := policies(t)
	made, valid, hiding := 2500, 0, 0
	for i := range made {
		d := maker.Next()
		s, err := result.Parse(d.Bytes)
		maker.Saw(d, err == nil)
		if err != nil {
			continue
		}
		valid++
		v := see(t, all[i%len(all)], s, readers[i%len(readers)])
		if v.String() != s.String() {
			hiding++
		}
	}
	t.Logf("%d results of %d documents, something hidden in %d", valid, made, hiding)
	if valid < made/10 || hiding < valid/4 {
		t.Errorf("the stream tries one side only")
	}
	for _, s := range rich(t) {
		for _, p := range all {
			for _, r := range readers {
				see(t, p, s, r)
			}
		}
	}
}

// No form of a secret that was masked at ingest comes back through a policy.
func TestCanary(t *testing.T) {
	spec := &call.Spec{
		Tool: "T", Command: "Run", Kind: call.Synchronous, Protocol: "direct", Effect: call.Read, Discriminator: "command",
		Input: anything{}, Output: anything{}, ErrorCodes: []string{"UPSTREAM_ERROR"},
	}
	for _, payload := range canary.Payloads(canary.Secret) {
		handler := call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) { return []byte(payload), nil })
		r := runtime.New(call.NewTable([]*call.Spec{spec}), runtime.Bind("T", handler), runtime.Secrets(func(string) [][]byte { return [][]byte{[]byte(canary.Secret)} }))
		s := r.Execute(t.Context(), call.Call{Tool: "T", Command: "Run"}).(*result.Sealed)
		for _, p := range policies(t) {
			for _, reader := range readers {
				v := see(t, p, s, reader)
				if ways := canary.Find(v.String(), canary.Secret); ways != nil {
					t.Fatalf("%+v sees the canary: %v\n%s", reader, ways, v)
				}
			}
		}
	}
}

// A credential that only its shape gives away is hidden in every string, whatever its escapes.
func TestShapeInEveryString(t *testing.T) {
	const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	p := policyOf(t, policy.Default()...)
	for _, s := range rich(t) {
		escaped, err := result.Parse([]byte(strings.ReplaceAll(s.String(), key, strings.ReplaceAll(key, "5", `\u0035`))))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range readers {
			for _, of := range []*result.Sealed{s, escaped} {
				if v := see(t, p, of, r); canary.Find(v.String(), key) != nil {
					t.Errorf("%+v sees the key: %s", r, v)
				}
			}
		}
	}
}

// One result is seen by many at once.
func TestConcurrentReaders(t *testing.T) {
	s, all := rich(t)[0], policies(t)
	want := map[int]string{}
	for i := range all {
		want[i] = see(t, all[i], rich(t)[0], readers[i]).String()
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for k := range 50 {
				i := (g + k) % len(all)
				v, err := all[i].For(s, readers[i])
				if err != nil || v.String() != want[i] {
					t.Errorf("reader %d sees %v %v", i, v, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// What was computed is remembered, for each set of rules, and not for ever.
func TestRemembered(t *testing.T) {
	s := rich(t)[0]
	p := policyOf(t, policy.Default()...)
	first, _ := p.For(s, ai)
	if again, _ := p.For(s, policy.Reader{Consumer: policy.AI, Scopes: []string{"other"}}); again != first {
		t.Error("the same rules are computed twice")
	}
	if other, _ := p.For(s, human); other == first {
		t.Error("two readers share what only one may see")
	}
	if other, _ := policyOf(t, policy.Default()...).For(s, ai); other == first || other.String() != first.String() {
		t.Error("two policies share a visible, or disagree")
	}
	for range 20 {
		_, _ = policyOf(t, policy.Default()...).For(s, ai)
	}
	if again, _ := p.For(s, ai); again == first || again.String() != first.String() {
		t.Error("a result remembers without bound")
	}
	if v, _ := policyOf(t).For(s, ai); v.String() != s.String() {
		t.Error("no rules hide something")
	}
}

// anything is a judge that accepts everything.
type anything struct{}

func (anything) Verdict(*wire.Tape) wire.Verdict { return wire.Valid }

// tenKB is a result of 10 KB, with or without something to hide.
func tenKB(t testing.TB, hide bool) *result.Sealed {
	row := `{"title":"weekly meeting with the team","at":"2026-07-12T10:00:00+08:00","n":12.5,"note":"bring the numbers of last week","url":"https://example.com/a?b=c"},`
	rows := strings.Repeat(row, 9000/len(row))
	if hide {
		rows = `{"password":"x"},` + rows
	}
	return sealed(t, map[result.Member]string{result.Data: `{"list":[` + rows + `null]}`})
}

func BenchmarkFor(b *testing.B) {
	p := policyOf(b, policy.Default()...)
	for _, bench := range []struct {
		name      string
		hide, hit bool
	}{{"miss", false, false}, {"miss-hiding", true, false}, {"hit", false, true}} {
		b.Run(bench.name, func(b *testing.B) {
			s := tenKB(b, bench.hide)
			b.SetBytes(int64(s.Len()))
			b.ReportAllocs()
			for b.Loop() {
				own := p
				if !bench.hit {
					own = policyOf(b, policy.Default()...)
				}
				if _, err := own.For(s, ai); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// However much is hidden, what is told of it stays short, and names stay different.
func TestMuchIsHidden(t *testing.T) {
	const rows = 3000
	var names strings.Builder
	for i := range rows {
		fmt.Fprintf(&names, `"ghp_0123456789abcdefghijABCDEFGHIJ012345%d":1,`, i)
	}
	p := policyOf(t, policy.Default()...)
	for name, test := range map[string]struct {
		data, last string
		told       int
	}{
		"rows":  {`[` + strings.Repeat(`{"password":"x"},`, rows) + `1]`, `{"rule":"credential-key","target":"/data"}]`, 257},
		"deep":  {strings.Repeat(`{"aaaaaaaaaaaaaaaaaaaa":`, 300) + `[` + strings.Repeat(`{"password":"x"},`, rows) + `1]` + strings.Repeat("}", 300), `{"rule":"credential-key","target":"/data"}]`, 12},
		"names": {`{` + names.String() + `"a":1}`, `{"rule":"credential","target":"/data"}]`, 257},
	} {
		v := see(t, p, sealed(t, map[result.Member]string{result.Data: test.data}), ai)
		told := v.Member(result.Policy)
		if n := strings.Count(told, `"target"`); n != test.told || !strings.Contains(told, test.last) {
			t.Errorf("%s: %d places are told, want %d: …%s", name, n, test.told, told[max(0, len(told)-100):])
		}
	}
}
