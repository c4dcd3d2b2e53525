package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vcp.core/contract/wire"
	"vcp.core/fuzz/shared"
)

// maxService is how many lines a service that embeds the runtime may take, its contract aside.
const maxService = 60

// docs/embedding.md works as it stands: its files make a module that generates, builds and answers.
func TestEmbeddingGuide(t *testing.T) {
	root := shared.Root(t)
	guide, err := os.ReadFile(filepath.Join(root, "docs", "embedding.md"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.org/service\n\ngo 1.26\n\nrequire vcp.core v0.0.0\n\nreplace vcp.core => "+root+"\n")
	write(t, dir, "go.sum", string(sum))
	program := block(t, string(guide), "go", "// Command dice ")
	if n := strings.Count(program, "\n"); n >= maxService {
		t.Errorf("the service has %d lines, and the promise is under %d", n, maxService)
	}
	write(t, dir, "main.go", program)
	write(t, dir, "options.go", block(t, string(guide), "go", "package main"))
	write(t, dir, "options_test.go", optionsTest)
	write(t, dir, "records/records.go", block(t, string(guide), "go", "// Package records "))
	write(t, dir, "records/records_test.go", recordsTest)
	write(t, dir, "plugins/Dice/plugin-manifest.json", block(t, string(guide), "json", "{"))
	command := regexp.MustCompile(`(?m)^go tool vcp-gen (.*)$`).FindStringSubmatch(string(guide))
	if command == nil {
		t.Fatal("the guide does not say how to generate")
	}
	verb(t, dir, 0, strings.Fields(command[1])...)
	goCmd(t, dir, "vet", "./...")
	goCmd(t, dir, "test", "./...")
	holdsNothingForeign(t, goCmd(t, dir, "list", "-deps", "."))

	goCmd(t, dir, "build", "-o", "service", ".")
	service := exec.CommandContext(t.Context(), filepath.Join(dir, "service"))
	stdout, err := service.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = service.Process.Kill()
		_ = service.Wait()
	})
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, body, pointer, want string }{
		{"Dice/Roll", `{"count":1,"sides":2}`, "/status", `"success"`},
		{"Dice/Roll", `{}`, "/data/rolls/1", ``}, // two dice by default
		{"Dice/Roll", ``, "/error/code", `"INVALID_ARGUMENT"`},
		{"Dice/Roll", `{"count":0}`, "/error/code", `"INVALID_ARGUMENT"`},
		{"Dice/Roll", `{"count":0}`, "/error/target", `"/count"`},
		{"Dice/Throw", `{}`, "/error/code", `"UNKNOWN_COMMAND"`},
		{"Cards/Draw", `{}`, "/error/code", `"TOOL_NOT_FOUND"`},
	} {
		got, there := ask(t, fmt.Sprintf("http://%s/call/%s", strings.TrimSpace(address), tt.path), tt.body, tt.pointer)
		if !there || (tt.want != "" && got != tt.want) {
			t.Errorf("%s %s: %s is %q, want %q", tt.path, tt.body, tt.pointer, got, tt.want)
		}
	}
}

// optionsTest is put beside the files of the guide.
const optionsTest = `package main

import (
	"log/slog"
	"strings"
	"testing"

	"example.org/service/internal/tools/registry"
	"vcp.core/contract/call"
	"vcp.core/runtime"
)

func TestOptions(t *testing.T) {
	list, err := options(t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	rt := runtime.New(registry.New(), list...)
	text, err := forModel(rt.Execute(t.Context(), call.Call{Tool: "Dice", Command: "Roll"}))
	if err != nil || !strings.HasPrefix(text, "# success: Dice.Roll\n") {
		t.Errorf("%q, %v", text, err)
	}
}
`

// recordsTest as well: a call is there when its process is gone, and its key is known.
const recordsTest = `package records

import (
	"context"
	"strings"
	"testing"

	"example.org/service/internal/tools/plugins/dice"
	"example.org/service/internal/tools/registry"
	"vcp.core/contract/call"
	"vcp.core/runtime"
)

type table struct{}

func (table) Roll(context.Context, *dice.Invocation, dice.RollInput) (call.Answer[dice.RollOutput], error) {
	return call.Answer[dice.RollOutput]{Data: dice.RollOutput{Rolls: []int64{1}, Total: 1}}, nil
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	id := ""
	for range 2 {
		rt, end, err := Open(t.Context(), dir, registry.New(), runtime.Bind(dice.Tool, dice.Bind(table{})))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if _, err := rt.Execute(t.Context(), call.Call{Tool: "Dice", Command: "Roll", IdempotencyKey: "k"}).WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if err := end(context.Background()); err != nil {
			t.Error(err)
		}
		if !strings.Contains(b.String(), "\"recordId\":\"tcr_") || id != "" && b.String() != id {
			t.Errorf("%s is not %s", b.String(), id)
		}
		id = b.String()
	}
}
`

// The Go of docs/plugins.md is a handler and a program that answers a call.
func TestPluginGuide(t *testing.T) {
	root := shared.Root(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "plugins.md"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// The module stands in for ours, which the page writes into.
	guide := strings.NewReplacer("vcp.core/generated/", "example.org/ours/generated/", "vcp.core/plugins/", "example.org/ours/plugins/").Replace(string(page))
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.org/ours\n\ngo 1.26\n\nrequire vcp.core v0.0.0\n\nreplace vcp.core => "+root+"\n")
	write(t, dir, "go.sum", string(sum))
	write(t, dir, "plugins/Dice/plugin-manifest.json", block(t, guide, "json", "{"))
	write(t, dir, "plugins/Dice/dice.go", block(t, guide, "go", "// Package dice "))
	write(t, dir, "cmd/dice/main.go", block(t, guide, "go", "package main"))
	write(t, dir, "cmd/linked/main.go", `package main

import (
	"io"

	dicecontract "example.org/ours/generated/plugins/dice"
	"example.org/ours/plugins/Dice"
	"vcp.core/contract/call"
)

func main() {}

var _ = []struct {
	tool string
	open func() (call.Handler, io.Closer)
}{
`+block(t, guide, "go", "{")+"}\n")
	verb(t, dir, 0)
	goCmd(t, dir, "vet", "./...")
	goCmd(t, dir, "build", "-o", "run", "./cmd/dice")
	plugin := exec.CommandContext(t.Context(), filepath.Join(dir, "run"))
	plugin.Stdin = strings.NewReader(`{"vcp":"tool-call","version":"1.0","id":"ti_01K0000000000000000000000A","payload":{"command":"Flip","arguments":{},` +
		`"context":{"invocationId":"ti_01K0000000000000000000000A","requestId":"req_01K0000000000000000000000A","taskId":null,"callback":null,"actor":null,` +
		`"source":"test","requestIp":null,"config":{},"dataDir":null,"deadline":null}}}` + "\n")
	out, err := plugin.Output()
	if err != nil || !regexp.MustCompile(`"status":"success","data":\{"side":"(heads|tails)"\}`).Match(out) {
		t.Errorf("%v: %s", err, out)
	}
}

// ask posts arguments and returns one value of the result.
func ask(t *testing.T, url, body, pointer string) (value string, there bool) {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	src, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var tape wire.Tape
	if err := tape.Scan(src, wire.Limits{}); err != nil {
		t.Fatalf("%v: %s", err, src)
	}
	at, there := tape.Lookup(pointer)
	if !there {
		return "", false
	}
	return string(tape.Raw(at)), true
}

// block returns the only fenced block of a language that begins so.
func block(t *testing.T, text, language, start string) string {
	t.Helper()
	var found []string
	for _, part := range strings.Split(text, "```"+language+"\n")[1:] {
		inside, _, closed := strings.Cut(part, "\n```")
		if !closed {
			t.Fatalf("a block of %s does not end", language)
		}
		if strings.HasPrefix(inside, start) {
			found = append(found, inside+"\n")
		}
	}
	if len(found) != 1 {
		t.Fatalf("the guide has %d blocks of %s that begin with %q, want 1", len(found), language, start)
	}
	return found[0]
}

// holdsNothingForeign looks through the packages that a service links.
func holdsNothingForeign(t *testing.T, deps string) {
	t.Helper()
	for dep := range strings.Lines(deps) {
		for _, unwanted := range []string{"sqlite", "nats", "minio", "huma", "jennifer", "jsonschema", "sonic", "vcp.core/gen/emit", "vcp.core/generated/plugins", "vcp.core/generated/registry"} {
			if strings.Contains(dep, unwanted) {
				t.Errorf("the service links %s", strings.TrimSpace(dep))
			}
		}
	}
}
