# SPDX-License-Identifier: Apache-2.0
# One bound for all processes of a session. With a stopped recorder they stay within it under every
# policy, and events that do not fit are counted.
. "$SOURCE/tests/faults.sh"

# crowd PROCESSES THREADS ZONES OPTIONS...: they run while the recorder is stopped; "used" has the KiB of
# their rings.
crowd() {
	local n=$1 threads=$2 zones=$3
	shift 3
	"$TACHO" run -q -f -o t.tacho "$@" -- bash -c \
		'kill -STOP $PPID
		for i in $(seq '"$n"'); do "$@" & done; wait
		du -sk "$TACHO_SESSION" | cut -f1 >used
		kill -CONT $PPID' - "$PROGS/fault_count" -t "$threads" -z "$zones" >out 2>err || { cat err >&2; fail "ends with $?"; }
	emitted=$(awk '$1 == "zones" { sum += $2 } END { print sum }' out)
	summarise t.tacho
	[ "$(fact sum emitted-zones)" = "$emitted" ] || { cat sum >&2; fail "$emitted zones were emitted: $*"; }
	[ "$(fact sum processes)" = "$n" ] || [ -n "$(sed -n 's/^tacho: warning: .*not recorded.*/x/p' err)" ] ||
		{ cat sum err >&2; fail "$n processes ran"; }
}

for policy in drop overwrite 'block --block-ms=5'; do
	crowd "$(scale 32 32)" 2 30000 --session-mb=8 --policy=$policy
	[ "$(cat used)" -le 8192 ] || fail "8 MiB for all and policy $policy take $(cat used) KiB"
	[ "$(cat used)" -ge 4096 ] || fail "8 MiB for all and policy $policy: only $(cat used) KiB are used"
	[ "$(fact sum lost-zones)" -gt 0 ] || fail "nothing is lost in 8 MiB"
	expect_no_line err 'not recorded'
done
# Without a bound per process, one process may use the whole session: nothing is lost.
crowd 4 1 30000 --session-mb=64
expect_fact lost-zones 0

# Processes that are killed while they allocate ring memory give it back: a session of 4 MiB serves many
# times as much.
"$TACHO" run -q -f -o t.tacho --session-mb=4 --policy=block --block-ms=240000 -- bash -c \
	'for i in $(seq 12); do "$0" -t 2 -z 1000000 >/dev/null & sleep 0.05; kill -9 $!; wait $! 2>/dev/null; done
	"$0" -t 2 -z 200000' "$PROGS/fault_count" >out 2>err || fail "ends with $?"
summarise t.tacho
expect_line out '^zones 400000'
expect_fact lost-zones 0
