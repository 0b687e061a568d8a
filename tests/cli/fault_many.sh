# SPDX-License-Identifier: Apache-2.0
# Very many processes, threads and names in one session, in bounded memory.
. "$SOURCE/tests/faults.sh"

# count OPTIONS...: every event that fault_count emitted is there.
count() {
	"$TACHO" run -q -f -o t.tacho -- bash -c '"$@" && grep VmHWM /proc/$PPID/status >memory' - "$@" >out 2>err ||
		{ cat err >&2; fail "'$*' ends with $?"; }
	summarise t.tacho
	expect_fact lost-zones 0
	expect_fact zones "$(awk '{ sum += $2 } END { print sum }' out)"
	[ "$(fact sum emitted-rows)" = "$(awk '{ sum += $4 } END { print sum }' out)" ] || fail "messages are missing: $*"
	[ -n "${SANITIZE-}" ] || [ "$(awk '{ print $2 }' memory)" -lt "${limit-65536}" ] ||
		fail "the recorder takes $(awk '{ print $2 }' memory) kB: $*"
}

# Hundreds of processes at once; each has a mapped ring, and each ring is removed at the end.
limit=131072
count "$PROGS/fault_count" -p "$(scale 300 300)" -z "$(scale 2000 10000)" -m 10
[ "$(fact sum processes)" -ge "$(scale 300 300)" ] || fail "not every process is there"

# One after the other, with few descriptors.
limit=65536
(ulimit -n 64; count bash -c "for i in \$(seq $(scale 200 2000)); do '$PROGS/fault_count' -z 10; done") || exit 1

# At once, with far fewer descriptors than processes: each waits for its turn, also after the last one ended.
for files in 12 40; do
	(ulimit -n $files; count "$PROGS/fault_count" -p "$(scale 200 200)" -z 5) || exit 1
	[ "$(fact sum processes)" -ge "$(scale 200 200)" ] || fail "with $files descriptors not every process is there"
done

# Many threads at once.
limit=262144
count "$PROGS/fault_count" -t "$(scale 1000 8000)" -z 100 -m 2
expect_fact threads "$(scale 1000 8000)"

# Many zones, and many rows, in bounded memory.
limit=65536
count "$PROGS/fault_count" -t 2 -z "$(scale 5000000 50000000)"
limit=131072
count "$PROGS/fault_count" -t 4 -z 10 -m "$(scale 100000 1000000)" -b 200

# Threads that come and go use the same memory.
"$TACHO" run -q -f -o t.tacho -- bash -c "'$PROGS/short_threads' $(scale 10000 100000); du -sk \$TACHO_SESSION >used" >out 2>err || fail "ends with $?"
summarise t.tacho
expect_fact lost-zones 0
[ "$(cut -f1 used)" -lt 65536 ] || fail "short threads take $(cut -f1 used) KiB"
