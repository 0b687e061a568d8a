# SPDX-License-Identifier: Apache-2.0
# A program that attacks its own ring. The recorder survives with bounded time and memory, writes a
# valid trace, and the other programs of the session lose nothing.
. "$SOURCE/tests/faults.sh"

n=0
for way in garbage table header links lengths time threads shrink grow empty; do
	for ((i = 0; i < $(scale 3 30); i++)); do
		n=$((n + 1))
		rm -f last
		# The attacker may crash, as any program that writes to wrong places.
		timeout -k 5 240 "$TACHO" run -q -f -o t.tacho -- bash -c "
			'$PROGS/fault_seq' -f last -t 2 -n 3000 -w 20 &
			for k in 1 2; do '$PROGS/fault_hostile' $way 60 $((RANDOM + n)) 2>/dev/null; done
			wait
			grep VmHWM /proc/\$PPID/status >memory" >out 2>err
		status=$?
		[ $status = 0 ] || { cat err >&2; fail "$way: the recorder ends with $status"; }
		summarise t.tacho
		"$SUM" -m t.tacho | grep -E '^[0-9]+ [01] [0-9]+$' >mine
		"$SUM" -m t.tacho >all
		pid=$(pid_of out)
		for t in 0 1; do
			awk -v pid="$pid" -v t=$t '$1 == pid && $2 == t { if ($3 != last + 1) exit 1; last = $3 } END { exit last != 3000 }' mine ||
				fail "$way: a peaceful program has lost events"
		done
		used=$(awk '{ print $2 }' memory)
		[ -n "${SANITIZE-}" ] || [ "$used" -lt 200000 ] || fail "$way: the recorder takes $used kB"
	done
done

# It truncates the session's page: everything up to then is saved.
"$TACHO" run -q -f -o t.tacho -- bash -c "
	'$PROGS/fault_count' -z 1000
	truncate -s 0 \$TACHO_SESSION/control
	'$PROGS/fault_count' -z 10" >out 2>err
status=$?
[ $status = 0 ] || { cat err >&2; fail "a control page that is cut: the recorder ends with $status"; }
summarise t.tacho
expect_fact zones 1000

# It damages the pool: later processes cannot join, and the trace lists them.
"$TACHO" run -q -f -o t.tacho -- bash -c "
	'$PROGS/fault_count' -z 1000
	truncate -s 0 \$TACHO_SESSION/pool
	'$PROGS/fault_count' -z 10" >out 2>err
status=$?
[ $status = 0 ] || { cat err >&2; fail "a pool that is cut: the recorder ends with $status"; }
expect_line err 'warning: process [0-9]+ \(fault_count\) was not recorded: .*EPROTO'
summarise t.tacho
expect_fact zones 1000
