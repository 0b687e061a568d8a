# SPDX-License-Identifier: Apache-2.0
# The machine stops. At any moment the disk has the beginning of what was sent, without a gap; with
# the rings on the disk it has everything.
. "$SOURCE/tests/faults.sh"

# stands_still PID...: a thread stops when it next enters the kernel, not at once.
stands_still() {
	local pid
	for pid; do
		! cat /proc/"$pid"/task/*/stat | sed 's/.*) //' | grep -qv '^T' || return 1
	done
}

for ((i = 0; i < $(scale 4 40); i++)); do
	rm -rf snap.* t.tacho t.tacho.part last out
	"$TACHO" run -q --durable --session "$PWD/session" -o t.tacho -- "$PROGS/fault_seq" -f last -t 3 -w 20 >out 2>err &
	recorder=$!
	wait_for grep -q pid out
	program=$(pid_of out)
	for ((k = 0; k < 6; k++)); do
		sleep "0.$(random 100 500)"
		# Both are stopped: copy all files of one moment.
		kill -STOP "$recorder" "$program"
		wait_for stands_still "$recorder" "$program"
		mkdir snap.$k
		cp --sparse=always -r session last t.tacho.part snap.$k/
		kill -CONT "$recorder" "$program"
	done
	kill -KILL "$program"
	wait $recorder
	summarise t.tacho
	expect_sequence t.tacho last
	for ((k = 0; k < 6; k++)); do
		rm -f t.tacho
		# Only the file.
		"$SUM" snap.$k/t.tacho.part >sum || fail "a copy of the unfinished file does not open"
		expect_sequence snap.$k/t.tacho.part snap.$k/last prefix
		# The file and the rings.
		cp snap.$k/t.tacho.part .
		expect_exit 0 "$TACHO" recover -q -f snap.$k/session
		summarise t.tacho
		expect_sequence t.tacho snap.$k/last
		expect_fact lost-zones 0
	done
done
