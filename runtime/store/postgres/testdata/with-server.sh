#!/usr/bin/env bash
# with-server.sh COMMAND...: runs a command while a private PostgreSQL server is up, whose URL is in VCP_POSTGRES.
# VCP_POSTGRES_CONTROL is how pg_ctl is called for it, VCP_POSTGRES_OPTIONS what its -o is.
# The server belongs to nobody else: a data folder and a socket below the temporary folder, no port. It is stopped
# and removed when the command ends, however it ends. Root cannot run it, so it lends it to the user nobody.
set -euo pipefail

bin=$(dirname "$(readlink -f "$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1)")" 2>/dev/null) || true
[ -n "$bin" ] && [ -x "$bin/initdb" ] || {
	echo "there is no PostgreSQL server here: apt-get install postgresql" >&2
	exit 1
}
dir=$(mktemp -d)
as=()
if [ "$(id -u)" = 0 ]; then
	chown nobody "$dir"
	as=(setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$dir")
fi
cd "$dir"
stop() {
	"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 || true
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 130' INT TERM
"${as[@]}" "$bin/initdb" -D "$dir/data" -U vcp -A trust -E UTF8 --locale=C.UTF-8 --no-instructions >/dev/null
export VCP_POSTGRES_OPTIONS="-k '$dir' -c listen_addresses='' -c max_connections=200"
"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 60 -o "$VCP_POSTGRES_OPTIONS" start >/dev/null || {
	cat "$dir/log" >&2
	exit 1
}
export VCP_POSTGRES="postgres://vcp@/postgres?host=$dir"
export VCP_POSTGRES_CONTROL="${as[*]} $bin/pg_ctl -D $dir/data -l $dir/log"
cd "$OLDPWD"
"$@"
