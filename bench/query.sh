#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SQL on a trace of 20 million zones: processor time by zone, and as a multiple of a floor, "tacho stats" on the same file in
# the same run, which reads the statistics of the trace.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
zones=${ZONES:-20000000}
"$BUILD/tests/mktrace" -n "$zones" "$dir/t.tacho"
best() { # best COMMAND...: the least of three user+system times in ms
	for _ in 1 2 3; do
		/usr/bin/env time -f '%U %S' -o "$dir/time" "$@" >/dev/null 2>&1
		tail -1 "$dir/time"
	done | awk '{ t = ($1 + $2) * 1000; if (NR == 1 || t < least) least = t } END { print least }'
}
floor=$(best "$BUILD/tacho" stats "$dir/t.tacho")
printf '%-58s %9s %12s %9s\n' statement time 'ns per zone' 'x stats'
while read -r sql; do
	best "$BUILD/tacho" query "$dir/t.tacho" "$sql" | awk -v sql="$sql" -v floor="$floor" -v zones="$zones" '{
		printf "%-58s %6.0f ms %12.1f %9.1f\n", sql, $1, $1 * 1e6 / zones, $1 / (floor > 0 ? floor : 1) }'
done <<'SQL'
SELECT name, total, p99 FROM slice_stat LIMIT 10
SELECT count(*) FROM slice
SELECT sum(dur) FROM slice
SELECT max(dur) FROM slice WHERE name = 'outer'
SELECT count(*) FROM slice WHERE ts BETWEEN 1000000 AND 2000000
SELECT name, sum(dur) FROM slice GROUP BY srcloc
SQL
