# SPDX-License-Identifier: Apache-2.0
# The recorder is slower than the program, or stopped. Losses are counted exactly and
# reported at their place, memory stays within its bound, and the program continues.
. "$SOURCE/tests/faults.sh"

# behind_stopped OPTIONS -- ARGUMENTS: fault_count runs while the recorder is stopped, and again
# when it continues.
behind_stopped() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$TACHO" run -q -f -o t.tacho "${options[@]}" -- bash -c \
		'kill -STOP $PPID; "$@"; sleep 0.2; kill -CONT $PPID; '"'$PROGS/fault_count' -z 100" - "$PROGS/fault_count" "$@" >out 2>err ||
		{ cat err >&2; fail "ends with $?"; }
	emitted=$(awk '$1 == "zones" { sum += $2 } END { print sum }' out)
	rows=$(awk '$1 == "zones" { sum += $4 } END { print sum }' out)
	summarise t.tacho
}

expect_balance() {
	[ "$(fact sum emitted-zones)" = "$emitted" ] || { cat sum >&2; fail "$emitted zones were emitted: $*"; }
	[ "$(fact sum emitted-rows)" = "$rows" ] || { cat sum >&2; fail "$rows messages were emitted: $*"; }
}

# Drop newest. In 1 MiB there is room for about 65,000 zones of all threads.
behind_stopped --limit-mb=1 -- -t 4 -z 100000 -m 1000
expect_balance drop
expect_line err '^tacho: warning: .*t.tacho: [0-9,]+ events were lost$'
expect_line sum '^loss limit times [0-9]+ zones [1-9]'
[ "$(fact sum lost-zones)" -gt 300000 ] || fail "1 MiB holds more than it can"
[ "$(fact sum zones)" -gt 20000 ] || fail "1 MiB holds less than it should: $(fact sum zones) zones"

# Block: up to the time limit, then drop.
behind_stopped --limit-mb=1 --policy=block --block-ms=20 -- -t 2 -z 100000
expect_balance block

# Overwrite oldest: the newest events are there, with their names.
behind_stopped --limit-mb=1 --policy=overwrite -- -t 4 -z 100000
expect_balance overwrite
expect_line sum '^loss overwritten times [0-9]+ zones [1-9]'
expect_no_line sum '^zone \(unknown\)'
[ "$(fact sum zones)" -gt 10000 ] || fail "a flight recorder of 1 MiB holds next to nothing"

# With the fastest recorder a flight recorder also has the newest events, but not all.
"$TACHO" run -q -f -o t.tacho --limit-mb=1 --policy=overwrite -- "$PROGS/fault_seq" -f last -t 2 -n 40000 >out || fail "ends with $?"
summarise t.tacho
"$SUM" -m t.tacho >messages
for t in 0 1; do
	awk -v t=$t '$2 == t { if (last && $3 != last + 1 && ++gaps > 1) exit 1; last = $3 } END { exit last != 40000 }' messages ||
		fail "the newest messages of thread $t are not all there"
done
[ "$(wc -l <messages)" -lt 80000 ] || fail "1 MiB holds more than it can"

# Enough memory: a burst is complete although it is read only afterwards.
behind_stopped -- -t 8 -z "$(scale 200000 1000000)"
expect_balance burst
expect_fact lost-zones 0

# The recorder never reads: the program's memory is bounded.
"$TACHO" run -q -f -o t.tacho --limit-mb=8 -- bash -c \
	'kill -STOP $PPID; ("$@" & wait $!; cat /proc/self/status >/dev/null); du -sk "$TACHO_SESSION" >used; kill -CONT $PPID' - \
	"$PROGS/fault_count" -t 4 -z "$(scale 1000000 25000000)" >out || fail "ends with $?"
[ "$(cut -f1 used)" -lt 34000 ] || fail "a limit of 8 MiB takes $(cut -f1 used) KiB"
summarise t.tacho
[ "$(fact sum emitted-zones)" = "$(awk '{ print $2 }' out)" ] || fail "not all zones are counted"

# After a burst its memory is given back while the program runs.
"$TACHO" run -q -f -o t.tacho -- bash -c \
	'used() { du -sk "$TACHO_SESSION" | cut -f1; }
	kill -STOP $PPID; "$@" & while ! grep -q zones out; do sleep 0.05; done
	used >before; kill -CONT $PPID
	for i in $(seq 2000); do used >after; [ "$(cat after)" -lt 6000 ] && break; sleep 0.05; done
	kill $!; wait $!' - "$PROGS/fault_count" -t 4 -z 500000 -s 600 >out
[ "$(cat before)" -gt 20000 ] || fail "a burst takes $(cat before) KiB only"
[ "$(cat after)" -lt 6000 ] || fail "$(cat after) KiB are kept after a burst"
summarise t.tacho
expect_fact lost-zones 0
expect_fact zones 2000000

# Messages of any length; those that are too long are cut and marked.
"$TACHO" run -q -f -o t.tacho -- "$PROGS/fault_count" -z 10 -m 3 -b 1048576 >out || fail "ends with $?"
summarise t.tacho
"$SUM" -m t.tacho | awk 'length != 1048576 { exit 1 } END { exit NR != 3 }' || fail "messages of 1 MiB are not whole"
"$TACHO" run -q -f -o t.tacho -- "$PROGS/fault_count" -z 10 -m 1 -b 73400320 >out || fail "ends with $?"
summarise t.tacho
expect_line sum '^row message 1$'
expect_fact zones 10
"$TACHO" run -q -f -o t.tacho --limit-mb=2 -- "$PROGS/fault_count" -z 10 -m 4 -b 8000000 >out || fail "ends with $?"
summarise t.tacho
[ "$(fact sum emitted-rows)" = 4 ] || fail "not every message is counted"
