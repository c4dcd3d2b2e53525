#!/usr/bin/env bash
# Runs every fuzz target of the module, FUZZTIME seconds together (default 180), one after the other.
#
# A target fails when it saved an input that breaks it, or when its seeds do. One other ending is known
# of Go's fuzzing engine: on a busy machine a worker that is still at work when the time is up makes it
# report "context deadline exceeded". No input was found then; the run says so and goes on.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
mapfile -t found < <(grep -rE '^func Fuzz[A-Za-z0-9_]+\(' --include='*_test.go' . | sed -E 's#^\./(.*)/[^/]*:func (Fuzz[A-Za-z0-9_]+).*#\2 ./\1#' | sort -k 2,2 -k 1,1)
((${#found[@]} > 0)) || { echo "fuzz: there are no targets" >&2; exit 1; }
each=$(((${FUZZTIME:-180} + ${#found[@]} - 1) / ${#found[@]}))
cache=$(go env GOCACHE)/fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
built=
for entry in "${found[@]}"; do
	read -r target package <<<"$entry"
	if [[ $package != "$built" ]]; then # once for all its targets; make check has vetted it
		go test -c -vet=off -fuzz . -o "$work/fuzz.test" "$package"
		built=$package
		inputs=$cache/$(go list "$package") # where go test -fuzz keeps what it found
	fi
	printf 'fuzz %s %s, %d s\n' "$package" "$target" "$each"
	cd "$package"
	if "$work/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "${each}s" -test.fuzzminimizetime 100x \
		-test.fuzzcachedir "$inputs" >"$log" 2>&1; then
		tail -n 3 "$log" | grep -E 'execs' | tail -n 1 || true
	elif grep -q 'context deadline exceeded' "$log" && ! grep -qE 'Failing input|panic|--- FAIL: .*/' "$log"; then
		echo "  the engine stopped late; no input was found"
	else
		cat "$log"
		exit 1
	fi
	cd "$root"
done
echo "${#found[@]} targets"
