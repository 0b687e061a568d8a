#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The ops report on generated logs of 0.1, 1 and 5 million device rows, and straight from a trace with
# the same contents: seconds and memory per million rows, and time as a multiple of a floor, counting the
# lines of the same file in the same run.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
best() { # best COMMAND...: the least of three user+system times, in ms, and the largest memory in KiB
	local i
	for i in 1 2 3; do
		/usr/bin/env time -f '%U %S %M' -o "$dir/time" "$@" >/dev/null 2>"$dir/err" || { cat "$dir/err" >&2; exit 1; }
		tail -1 "$dir/time"
	done | awk '{ t = ($1 + $2) * 1000; if (NR == 1 || t < least) least = t; if ($3 > most) most = $3 } END { print least, most }'
}
printf '%10s %8s %-16s %9s %12s %12s %10s %9s\n' rows ops from floor 'report' 's per Mrow' 'MB per Mrow' 'x floor'
code=0
for ops in ${OPS:-78 780 3910}; do
	rm -rf "$dir/run"
	"$BUILD/tests/mklogs" --cores 64 --ops $ops "$dir/run"
	log=$dir/run/.logs/profile_log_device.csv
	rows=$(($(wc -l <"$log") - 2))
	read -r floor _ < <(best wc -l "$log")
	"$BUILD/tests/logs2trace" "$dir/run" "$dir/run.tacho"
	for from in logs trace 'trace, raw log'; do
		case $from in
		logs) arguments=() ;;
		trace) arguments=("$dir/run.tacho") ;;
		*) arguments=(--force-legacy-device-logs "$dir/run.tacho") ;;
		esac
		read -r ms kib < <(best "$BUILD/tacho" ops -q -f -o "$dir/run" "${arguments[@]}")
		awk -v rows=$rows -v ops=$ops -v from="$from" -v floor="$floor" -v ms="$ms" -v kib="$kib" 'BEGIN {
			m = rows / 1e6; s = ms / 1000 / m; mb = kib / 1024 / (m > 1 ? m : 1)
			printf "%10d %8d %-16s %6.0f ms %9.0f ms %12.2f %12.0f %9.1f\n", rows, ops, from, floor, ms, s, mb, ms / (floor > 0 ? floor : 1)
			exit !(s <= 1 && mb <= 150)
		}' || code=1
	done
done
# Instruction counts, which other load does not affect: the report, the same from single markers, the viewer's /ops; of markers
# that are rows and, as in traces of earlier versions, zones.
instructions() { # instructions LABEL COMMAND...
	valgrind --tool=callgrind --callgrind-out-file="$dir/callgrind" "${@:2}" 2>&1 >/dev/null |
		awk -v label="$1" '/Collected/ { printf "%-32s %6.0f M instructions, %5.0f per marker\n", label, $4 / 1e6, $4 / 896000 }'
}
if command -v valgrind >/dev/null; then
	"$BUILD/tests/mklogs" --cores 64 --ops 700 "$dir/count"
	for form in rows zones; do
		flag=
		[ $form = rows ] || flag=-z
		"$BUILD/tests/logs2trace" $flag "$dir/count" "$dir/count.tacho"
		echo "trace of 896,000 markers that are $form, $(stat -c %s "$dir/count.tacho") bytes:"
		instructions '  tacho ops' "$BUILD/tacho" ops -q -f -o "$dir/count" "$dir/count.tacho"
		instructions '  tacho ops, raw log' "$BUILD/tacho" ops -q -f --force-legacy-device-logs -o "$dir/count" "$dir/count.tacho"
		instructions '  /ops of the viewer' "$BUILD/ops_view" "$dir/count.tacho"
	done
fi
[ $code = 0 ] || echo 'more than 1 s or 150 MB per million rows'
exit $code
