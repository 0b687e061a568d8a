#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The recorder alone: rings that are full when it starts, drained on one core. Prints zones per second of
# CPU time, as a ratio to copying 16 bytes per zone, its peak resident memory for 10 M and
# 100 M zones, and its CPU time when idle.
set -u
BUILD=${BUILD:-$(cd "$(dirname "$0")/.." && pwd)/build}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1

# collect ZONES OPTIONS...: a program while the recorder is stopped; then the cost of draining its ring.
# The best of ROUNDS (3), each beside its own floor: other programs on the machine slow both down.
collect() {
	local zones=$1 i
	shift
	for ((i = 0; i < ${ROUNDS:-3}; i++)); do
		"$BUILD/tacho" run -q -f -o t.tacho --limit-mb=4000 -- bash -c '
			kill -STOP $PPID
			"$@" >/dev/null
			read -r before _ </proc/$PPID/schedstat
			kill -CONT $PPID
			while [ "$(ls "$TACHO_SESSION" | grep -c "^p\.")" != 0 ]; do sleep 0.05; done
			read -r after _ </proc/$PPID/schedstat
			echo $((after - before)) >ns
			awk "/VmHWM/ { print \$2 }" /proc/$PPID/status >memory' - "$@"
		echo "$(cat ns) $("$BUILD/collector_floor") $(cat memory) $(stat -c %s t.tacho)"
	done | awk -v zones="$zones" -v what="$*" '
		{ rate = zones * 1e3 / $1; if (rate > best) { best = rate; floor = $2 }; if ($3 > memory) memory = $3 }
		END { printf "  %-28s %6.1f M zones/s   %.3f x copying   %5.1f MB resident   %.2f B/zone\n", what, best,
			best / floor, memory / 1024, $4 / zones }' | sed "s|$BUILD/tests/||"
}

collect 10000000 "$BUILD/tests/simple" 1000000 9
collect 10000000 "$BUILD/tests/fault_count" -t 2 -z 5000000
collect 20000000 "$BUILD/tests/fault_count" -t 8 -z 2500000 -d 5

# While the program runs, so that the ring memory is reused.
"$BUILD/tacho" run -q -f -o t.tacho -- bash -c '"$@" >/dev/null; awk "/VmHWM/ { print \$2 }" /proc/$PPID/status >memory' - \
	"$BUILD/tests/simple" 10000000 9
awk '{ printf "  100 M zones while they are made: %.1f MB resident\n", $1 / 1024 }' memory
"$BUILD/tacho" info t.tacho | grep -i lost

# Nothing happens: a program that sleeps.
"$BUILD/tacho" run -q -f -o t.tacho -- bash -c '
	"$@" & sleep 0.5
	before=$(sed "s/.*) //" /proc/$PPID/stat | awk "{ print \$12 + \$13 }")
	sleep 5
	after=$(sed "s/.*) //" /proc/$PPID/stat | awk "{ print \$12 + \$13 }")
	echo $((after - before)) >idle; wait' - "$BUILD/tests/fault_count" -t 4 -z 10 -s 6 >/dev/null
awk '{ printf "  idle: %.2f %% of a core\n", $1 / 5 }' idle
