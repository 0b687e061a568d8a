# SPDX-License-Identifier: Apache-2.0
# The cost of an event does not depend on the number of fibers, names, plots, pools, locks, threads or
# processes. Instructions are counted for N and 2N of them, so a busy machine does not matter.
# labels: plain
. "$SOURCE/tests/faults.sh"
CROWD=$PROGS/crowd

# leave_session KIND COUNT: a session whose recorder slept while the program ran, and then died. "said" has
# the emitted counts. $space: a program with little address space makes a small ring file; valgrind cannot map
# many large ones.
space=unlimited
leave_session() {
	rm -rf session t.tacho t.tacho.part
	"$TACHO" run -q -o t.tacho -s "$here/session" -- \
		bash -c 'kill -STOP $PPID; ulimit -v "$0"; "$@" >said; kill -KILL $PPID' $space "$CROWD" "$@" >out 2>err &
	wait $! 2>/dev/null
	[ -e session/control ] || { cat err >&2; fail "no session of $*"; }
}

# instructions COMMAND...: the number that it executes.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >valgrind.out 2>valgrind.err ||
		{ tail -5 valgrind.err >&2; fail "'$*' fails under valgrind"; }
	sed -n 's/.*Collected : //p' valgrind.err
}

# grows WHAT FEW MANY: instructions for N and 2N. A hash table that is about to grow costs some more.
grows() {
	echo "$1: $2 instructions, $3 for twice as many"
	[ "$3" -lt $(($2 * 13 / 5)) ] || fail "$1: $2 instructions, and $3 for twice as many"
}

recovery() {
	leave_session "$1" "$2"
	instructions "$TACHO" recover -q -f "$here/session"
}

# recovers KIND COUNT: recovers COUNT, into few.tacho, and twice as many, into many.tacho.
recovers() {
	local few many
	few=$(recovery "$1" "$2") || exit 1
	mv t.tacho few.tacho
	many=$(recovery "$1" $(($2 * 2))) || exit 1
	grows "$1" "$few" "$many"
	summarise t.tacho
	expect_fact lost-zones 0
	expect_fact zones "$(awk '{ print $2 }' said)"
	cp t.tacho many.tacho
}

# reads COMMAND...: FILE in it is replaced by both traces in turn.
reads() {
	local few many
	few=$(instructions "$TACHO" "${@/FILE/few}") || exit 1
	many=$(instructions "$TACHO" "${@/FILE/many}") || exit 1
	grows "tacho $*" "$few" "$many"
}

# First, so that a search through all of them is found before it hangs the following tests.
if [ -n "${SANITIZE-}" ]; then
	echo "instructions are not counted: valgrind cannot run a sanitized build"
else
	recovers fibers 3000
	recovers threads 500
	space=300000 recovers processes 100
	recovers all 500
	reads check FILE.tacho
	reads export -f --to tracy -o FILE.tracy FILE.tacho
	reads import -f -o back.tacho FILE.tracy
	reads export -f --to chrome -o FILE.json FILE.tacho
fi

# The promised number, with a recorder that is stopped in the middle.
"$TACHO" run -q -f --policy block --block-ms 60000 -o t.tacho -- "$CROWD" fibers 300000 >said 2>err || { cat err >&2; fail "300,000 fibers"; }
summarise t.tacho
expect_fact zones "$(awk '{ print $2 }' said)"
"$TACHO" run -q -f -o t.tacho -s "$here/session" -- "$CROWD" fibers 50000 10000 >said 2>err &
recorder=$!
is_long() {
	[ "$(stat -c %s t.tacho.part)" -gt 2000000 ]
}
wait_for is_long
kill -TERM $recorder
wait $recorder
case $? in 143) ;; *) cat err >&2; fail "SIGTERM ends it with $?" ;; esac
summarise t.tacho
