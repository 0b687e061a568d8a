#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Several ranks: stragglers of 64 ranks with 100,000 zones each and as reports of 100,000 ops each; merging. Processor time
# and memory, and time as a multiple of a floor of the same run: "tacho stats" of every file, or counting lines.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ranks=${RANKS:-64}
best() { # best COMMAND...: the least of three user+system times in ms, and the largest memory in KiB
	for _ in 1 2 3; do
		/usr/bin/env time -f '%U %S %M' -o "$dir/time" "$@" >/dev/null 2>&1
		tail -1 "$dir/time"
	done | awk '{ t = ($1 + $2) * 1000; if (NR == 1 || t < least) least = t; if ($3 > most) most = $3 } END { print least, most }'
}
line() { # line WHAT COUNT FLOOR MS KIB
	awk -v what="$1" -v n="$2" -v floor="$3" -v ms="$4" -v kib="$5" 'BEGIN {
		printf "%-44s %8.0f ms %9.1f ns each %6.0f MB %7.1f x floor\n", what, ms, ms * 1e6 / n, kib / 1024, ms / (floor > 0 ? floor : 1) }'
}
zones=${ZONES:-100000000}
for ((i = 0; i < 8; i++)); do "$BUILD/tests/mktrace" -j -n $((zones / 8)) "$dir/m$i.tacho"; done
read -r ms kib < <(best "$BUILD/tacho" merge -f -o "$dir/all.tacho" "$dir"/m[0-7].tacho)
read -r floor _ < <(best "$BUILD/tacho" check "$dir/all.tacho")
line "merge, 8 traces; floor: check of the result" "$zones" "$floor" "$ms" "$kib"
rm "$dir"/m?.tacho "$dir/all.tacho"

for ((i = 0; i < ranks; i++)); do "$BUILD/tests/mkrank" $i $((i * 1000)) 0 33334 h$((i / 8)) 5 "$dir/r$i.tacho"; done
stats_all() { for ((i = 0; i < ranks; i++)); do "$BUILD/tacho" stats "$dir/r$i.tacho"; done; }
export -f stats_all
export BUILD dir ranks
read -r floor _ < <(best bash -c stats_all)
read -r ms kib < <(best "$BUILD/tacho" stragglers "$dir"/r*.tacho)
line "stragglers, $ranks x 100,000 zones" $((ranks * 100000)) "$floor" "$ms" "$kib"
awk -v ranks="$ranks" -v dir="$dir" 'BEGIN {
	for (r = 0; r < ranks; r++) {
		file = dir "/rank" r ".csv"
		print "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,HOST START TS,DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],CORE COUNT" > file
		for (i = 0; i < 100000; i++)
			printf "%s,tt_dnn_device,%d,0,%d,%d,%d,%d,%d,64\n", i % 10 == 9 ? "AllReduce" : "Matmul", i * 1024, i * 9000, i * 9000,
				i * 9000 + 5000 + r, 5000 + r, 5000 + r > file
		close(file)
	}
}'
read -r floor _ < <(best wc -l "$dir"/rank*.csv)
read -r ms kib < <(best "$BUILD/tacho" stragglers "$dir"/rank*.csv)
line "stragglers, $ranks reports of 100,000 ops" $((ranks * 100000)) "$floor" "$ms" "$kib"
rm "$dir"/rank*.csv

# Rows of ops into databases, and what history asks. ROWS of them; SERVER_ROWS in ClickHouse, if it is installed.
rows=${ROWS:-10000000} server_rows=${SERVER_ROWS:-20000000}
ask() { # ask WHAT URL SQL
	/usr/bin/env time -f '%e %U' -o "$dir/time" "$BUILD/tacho" db query -q --db "$2" --format=csv "$3" >/dev/null
	read -r real user < <(tail -1 "$dir/time")
	echo "  $1: $real s, $user CPU s here"
}
queries() { # queries URL
	ask "op rows by name" "$1" "SELECT name, sum(device_ns) AS s, count(*) AS c FROM op GROUP BY name"
	ask "one run" "$1" "SELECT sum(device_ns) AS s, count(*) AS c FROM op WHERE push IN (SELECT push FROM visible WHERE run = 'run 5')"
	ask "an op over all runs, from op rows" "$1" "SELECT push, sum(device_ns) AS s, count(*) AS c FROM op WHERE name = 0 GROUP BY push"
}
echo "SQLite, $rows rows: $("$BUILD/push_rows" "sqlite:$dir/runs.db" "$rows" 100)"
queries "sqlite:$dir/runs.db"
rm "$dir"/runs.db*
if [ -x /usr/sbin/clickhouse-server ]; then
	cd "$dir"
	fail() { echo "$*" >&2; exit 1; }
	wait_for() { until "$@" >/dev/null 2>&1; do sleep 0.05; done; }
	. "$SOURCE/tests/clickhouse.sh"
	read -r http tcp inter < <(free_ports 3)
	server_configure one "$http" "$tcp" "$inter"
	server_start one "$http"
	trap 'kill "$server_pid"; wait "$server_pid" 2>/dev/null || :; rm -rf "$dir"' EXIT
	printf %s "it's \"secret\"" >password
	chmod 600 password
	export TACHO_DB_USER=writer TACHO_DB_PASSWORD_FILE=$dir/password
	"$BUILD/tacho" db init -q --db "clickhouse://127.0.0.1:$http/runs"
	echo "ClickHouse, $server_rows rows: $("$BUILD/push_rows" "clickhouse://127.0.0.1:$http/runs" "$server_rows" 100)"
	echo "  $(awk '{ printf "%.2f CPU s per million rows in the server", ($14 + $15) / 100 * 1e6 / '"$server_rows"' }' "/proc/$server_pid/stat")"
	queries "clickhouse://127.0.0.1:$http/runs"
fi
