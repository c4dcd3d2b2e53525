# Strict shell: a failing command inside a recipe fails the target.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

# PEERS is the nested module that holds the engines we only compare ourselves with.
PEERS := fuzz/peers
# SHOWN and TABLES are the tests that print what they compared, in the module and in the peers module.
SHOWN := TestOfficialSuite|TestWrappedSuite|TestAgreesWithLive
TABLES := TestGoogleSuite|TestDifferential|TestRandom|TestKeywordDeletion
# WAITING are packages whose tests wait for processes more than they compute. They go first, beside what is still compiled.
WAITING := ./runtime/transport/stdio ./runtime/keeper ./runtime/store/sqlite
TOOL := go tool -modfile=tools.mod
# FUZZTIME is shared out over all fuzz targets, in seconds.
FUZZTIME ?= 180
# LAWS is the number of documents that each generated type is held to its laws with by `make laws`.
LAWS ?= 3000

# RANDOM_SCHEMAS is the number of random schemas that generated code is compared with live on by `make differential`.
RANDOM_SCHEMAS ?= 450

# CHAOS_KILLS is how often each leg of make chaos kills the server.
CHAOS_KILLS ?= 10

# SOAK is how long make soak lets clients call.
SOAK ?= 60s
# SLOWER is by how much a hung worker may slow another tool.
SLOWER ?= 0.1

# KNOCKOUT says which keywords: ci for five of them, or names such as go:minLength; empty for all.
KNOCKOUT ?=

.PHONY: help build generate check run demo chaos chaos-postgres soak test test-postgres failpoints bench bench-rows fuzz laws differential generated-lint suite-wrapped knockout lint race cross cold

help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/vcp and its keeper, and the plugins that are Go programs into bin/plugins
	@echo 'building; the first time takes minutes, most of them for SQLite' >&2
	go build -trimpath -o bin/vcp ./cmd/vcp
	go build -trimpath -ldflags '-s -w' -o bin/vcp-keeper$$(go env GOEXE) ./cmd/vcp-keeper
	go build -trimpath -ldflags '-s -w' -o bin/plugins/chartmaker$$(go env GOEXE) ./plugins/ChartMaker

run: build ## build, then serve the tools over HTTP on this machine: prints a token and three lines to try
	bin/vcp serve --try

demo: build ## build, then show three tools at work
	bin/vcp demo

# Vetting is left to check, here and for race.
test: ## run every test, and print the conformance tables
	go test -vet=off -skip '$(SHOWN)' $(WAITING) ./...
	cd $(PEERS) && go test -vet=off -skip '$(TABLES)' ./...
	@echo
	go test -vet=off -count=1 -v -run '$(SHOWN)' ./contract/wire/format ./gen/... ./fuzz/suite | grep -v '^=== '
	go test -vet=off -count=1 -v -tags touched -run TestTouched ./fuzz/emitted | grep -v '^=== '
	cd $(PEERS) && go test -vet=off -count=1 -v -run '$(TABLES)' . | grep -v '^=== '

test-postgres: ## the store on PostgreSQL, on a private server that is started and stopped
	runtime/store/postgres/testdata/with-server.sh go test -count=1 ./runtime/store/postgres

failpoints: ## a process dies at each point of a commit of the store: what it acknowledged is there
	runtime/store/sqlite/testdata/failpoints.sh

generate: ## rewrite everything that is written by a program
	go run ./cmd/vcp-gen
	go generate ./...

check: build ## formatting, vet, stale generated files, and our own manifests
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go vet -tags knockout ./gen/ir ./gen/live ./gen/emit/golang ./fuzz/emitted
	go vet -tags touched ./contract/wire/... ./gen/live ./fuzz/emitted
	cd $(PEERS) && go vet ./...
	bin/vcp check plugins
	bin/vcp gen --check

# Tests of what runs at once have it in their names where most of a package's do not. By default each program of a test would wait
# for a second at its end.
race: export GORACE = atexit_sleep_ms=0
race: ## the concurrent packages under the race detector
	go test -race -vet=off $(WAITING) ./runtime/...
	go test -race -vet=off -run Concurrent ./contract/... ./gen/live ./plugins/...

bench: ## benchmarks with ratios against the named peers
	go test -run '^$$' -bench . -benchmem $$(grep -rlE '^func Benchmark' --include='*_test.go' --exclude-dir=peers . | xargs -n 1 dirname | sort -u)
	cd $(PEERS) && go test -run '^$$' -bench . -benchmem ./...

bench-rows: ## reading from the store at 10^4, 10^5 and 10^6 rows, ratios to the first
	VCP_BENCH_ROWS=1000000 go test -run '^$$' -bench Rows -benchtime 1x -timeout 60m ./runtime/store/sqlite

cold: ## what generated code adds to a build from nothing
	@export GOCACHE=$$(mktemp -d); trap 'rm -rf "$$GOCACHE"' EXIT; \
	go build ./contract/...; \
	echo "generated code, $$(find generated -name '*.go' | xargs cat | wc -l) lines, all else built:"; \
	time go build ./generated/...

fuzz: ## all fuzz targets, FUZZTIME seconds together (default 180)
	FUZZTIME=$(FUZZTIME) fuzz/run.sh

differential: ## all 21 real schemas and a million random pairs against v6, 10^5 in generated code against live (half an hour)
	cd $(PEERS) && PEERS_FULL=1 go test -count=1 -timeout 180m -v -run 'TestDifferential$$|TestRandom$$' . | grep -v '^=== '
	go test -count=1 -timeout 60m -v -run 'TestRandom$$' ./fuzz/emitted -args -schemas $(RANDOM_SCHEMAS) -documents 300 | grep -v '^=== '
	go test -count=1 -timeout 60m -v -tags touched -run TestTouched ./fuzz/emitted -args -lint | grep -v '^=== '

generated-lint: ## vet and staticcheck over what is generated for the 21 real schemas and 200 random ones
	go test -count=1 -timeout 60m -v -run 'TestClean$$' ./fuzz/emitted -args -lint | grep -v '^=== '

suite-wrapped: ## the official suite with each schema in four other places, by live and by generated code
	go test -count=1 -v -run TestWrappedSuite ./fuzz/suite | grep -v '^=== '
	go test -count=1 -v -timeout 60m -run TestWrappedSuite ./gen/emit/golang -args -wrapped | grep -v '^=== '

chaos: build ## kill the server CHAOS_KILLS times (default 10) under load, as several users: nothing that was acknowledged is lost, nothing is left running
	go build -trimpath -o bin/chaos ./fuzz/chaos
	bin/chaos -kills $(CHAOS_KILLS)
	@if [ "$$(id -u)" = 0 ]; then bin/chaos -kills $(CHAOS_KILLS) -user 65534 -refuse; else echo "chaos: not root, so it ran as this user alone"; fi

chaos-postgres: build ## the same on a private PostgreSQL, as this user
	go build -trimpath -o bin/chaos ./fuzz/chaos
	runtime/store/postgres/testdata/with-server.sh sh -c 'bin/chaos -kills $(CHAOS_KILLS) -store "$$VCP_POSTGRES"'

soak: build ## 64 clients call for SOAK (default 60s), all transports: nothing grows, and a hung worker slows nobody
	go build -trimpath -o bin/chaos ./fuzz/chaos
	bin/chaos -soak $(SOAK) -slower $(SLOWER)

knockout: ## take every keyword out of every back end, one by one: a test must notice (KNOCKOUT=ci for five)
	go run ./fuzz/knockout $(KNOCKOUT)

laws: ## the laws of generated types on LAWS documents each (default 3000), from a seed of the day
	go test -count=1 -timeout 60m ./fuzz/generated -run TestLaws -args -documents $(LAWS) -seed $$(date +%Y%m%d)

lint: ## golangci-lint with .golangci.yml
	$(TOOL) golangci-lint run ./...

# The optimizer knows processors, not systems: it has both of them in the tests and in the last line, so it may rest for the others.
cross: ## build for the other systems, without cgo
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build -gcflags='all=-N -l' -o /dev/null ./cmd/... ./plugins/... ./runtime/...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build -gcflags='all=-N -l' -o /dev/null ./cmd/... ./plugins/... ./runtime/...
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -o /dev/null ./cmd/... ./plugins/... ./runtime/...
