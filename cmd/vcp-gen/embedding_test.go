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
	program := block(t, string(guide), "go")
	if n := strings.Count(program, "\n"); n >= maxService {
		t.Errorf("the service has %d lines, and the promise is under %d", n, maxService)
	}
	write(t, dir, "main.go", program)
	write(t, dir, "plugins/Dice/plugin-manifest.json", block(t, string(guide), "json"))
	command := regexp.MustCompile(`(?m)^go run vcp\.core/cmd/vcp-gen (.*)$`).FindStringSubmatch(string(guide))
	if command == nil {
		t.Fatal("the guide does not say how to generate")
	}
	verb(t, dir, 0, strings.Fields(command[1])...)
	goCmd(t, dir, "vet", "./...")
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

// block returns the only fenced block of a language.
func block(t *testing.T, text, language string) string {
	t.Helper()
	parts := strings.Split(text, "```"+language+"\n")
	if len(parts) != 2 {
		t.Fatalf("the guide has %d blocks of %s, want 1", len(parts)-1, language)
	}
	inside, _, closed := strings.Cut(parts[1], "```")
	if !closed {
		t.Fatalf("the block of %s does not end", language)
	}
	return inside
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
