#!/usr/bin/env bash
# failpoints.sh: builds the tests of this package with gofail's points switched on, in a copy of the module, since gofail
# rewrites sources, and lets a process die at each of them.
set -euo pipefail
root=$(git rev-parse --show-toplevel)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$root"
git ls-files -z go.mod go.sum tools.mod tools.sum contract gen generated presenters runtime | tar --null -T - -c | tar -x -C "$copy"
cd "$copy"
version=$(go list -modfile=tools.mod -m -f '{{.Version}}' go.etcd.io/gofail)
grep gofail tools.sum >>go.sum
go tool -modfile=tools.mod gofail enable runtime/store/internal/engine
go mod edit -require "go.etcd.io/gofail@$version"
go test -mod=mod -c -o failpoints.test ./runtime/store/sqlite
cd "$root"
VCP_FAILPOINTS="$copy/failpoints.test" go test -count=1 -run TestFailpoints ./runtime/store/sqlite
