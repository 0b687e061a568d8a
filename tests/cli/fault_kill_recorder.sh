# SPDX-License-Identifier: Apache-2.0
# The recorder is killed at random moments, alone or with the program; then its session is
# recovered, or another recorder resumes it while the program runs. Nothing is lost or
# stored twice, and no file remains.
. "$SOURCE/tests/faults.sh"

expect_clean() {
	[ ! -e t.tacho.part ] || fail "t.tacho.part was left behind"
	[ ! -e "$session" ] || fail "$session was left behind"
}

# record OPTION...: a recording whose recorder is killed by its program.
record() {
	rm -f t.tacho t.tacho.part last err2
	"$TACHO" run -q -o t.tacho -- "$PROGS/fault_seq" -f last -t "$(random 1 4)" "$@" >out 2>err &
	wait $! 2>/dev/null
	session=$(session_of out)
	pid=$(pid_of out)
	# The recorder may have finished before it was killed: then there is nothing to do.
	[ -d "$session" ] || [ -e t.tacho ] || { cat out err >&2; fail "the session went with the recorder"; }
}

recover_dead() {
	record -n 20000 -p "$(random 1 40000)"
	wait_gone "$pid"
	[ ! -d "$session" ] || expect_exit 0 "$TACHO" recover -q -f "$session"
	summarise t.tacho
	expect_sequence t.tacho last
	expect_fact lost-zones 0
	expect_clean
}

recover_alive() {
	record -p "$(random 1 40000)" -d 500000
	[ ! -d "$session" ] || expect_exit 0 "$TACHO" recover -q -f "$session"
	summarise t.tacho
	# The program may have continued for a moment after its counts were read.
	expect_sequence t.tacho last prefix
	expect_clean
	wait_gone "$pid"
}

take_over() {
	record -p "$(random 1 40000)" -d 60000
	"$TACHO" capture -f --session "$session" >out2 2>err2 &
	recorder=$!
	wait_for grep -q waiting err2
	wait_gone "$pid"
	kill -TERM $recorder
	wait $recorder || { cat err2 >&2; fail "the second recorder failed"; }
	summarise t.tacho
	expect_sequence t.tacho last
	expect_fact lost-zones 0
	expect_clean
}

both_killed() {
	at=$(random 1 20000)
	record -p $at -k $((at + $(random 3000 20000)))
	wait_gone "$pid"
	[ ! -d "$session" ] || expect_exit 0 "$TACHO" recover -q -f "$session"
	summarise t.tacho
	expect_sequence t.tacho last
	expect_fact lost-zones 0
	expect_clean
}

recover_killed() {
	record -n 20000 -p "$(random 1 40000)"
	wait_gone "$pid"
	for ((k = 0; k < 5; k++)); do
		"$TACHO" recover -q -f "$session" >out 2>err &
		sleep "0.00$(random 0 9)"
		kill -KILL $! 2>/dev/null
		wait $! 2>/dev/null
	done
	# Killed after its last step: recover reports that nothing is left to do.
	"$TACHO" recover -q -f "$session" >out 2>err || [ ! -e "$session" ] || { cat err >&2; fail "recover does not work when one was killed"; }
	summarise t.tacho
	expect_sequence t.tacho last
	expect_fact lost-zones 0
	expect_clean
}

# As if killed while it removed the session: some or all rings are gone, or only the directory is left.
half_removed() {
	record -n 20000 -p "$(random 1 4000)"
	wait_gone "$pid"
	[ -d "$session" ] || return 0
	cp -r "$session" copy
	expect_exit 0 "$TACHO" recover -q -f "$session"
	cp -r copy "$session"
	rm -rf "$session"/p.* copy
	expect_exit 0 "$TACHO" recover -q -f "$session"
	summarise t.tacho
	expect_sequence t.tacho last
	expect_fact lost-zones 0
	expect_clean
	mkdir "$session"
	expect_exit 3 "$TACHO" recover -q -f "$session"
	expect_line err "was saved already"
	expect_clean
}

# The unfinished file was replaced by another recording: the rings are saved under another name.
place_taken() {
	record -n 20000 -p "$(random 1 4000)"
	wait_gone "$pid"
	[ -d "$session" ] || return 0
	rm -f t.tacho.part
	expect_exit 0 "$TACHO" run -q -f -o t.tacho -- "$PROGS/fault_count" -z 10
	cp t.tacho other.tacho
	expect_error 2 "was writing $PWD/t.tacho: -f writes there, -o FILE elsewhere" "$TACHO" recover "$session"
	expect_error 5 't.tacho exists; -f replaces it' "$TACHO" recover -o t.tacho "$session"
	expect_same other.tacho t.tacho
	expect_exit 0 "$TACHO" recover -q -o rest.tacho "$session"
	expect_exit 0 "$TACHO" check rest.tacho
	expect_same other.tacho t.tacho
	expect_clean
}

half_removed
place_taken
for ((i = 0; i < $(scale 8 200); i++)); do
	recover_dead
	recover_alive
	take_over
	both_killed
	recover_killed
done
