# SPDX-License-Identifier: Apache-2.0
# Attach to running programs: to two, repeatedly, after a recorder was killed, to one that ends;
# and what killed programs leave.
. "$SOURCE/tests/faults.sh"

attach_page() {
	echo "$(user_place)/attach.$1"
}

# start NAME: fault_seq in the background, with its output and slots in NAME.out and NAME.last.
start() {
	rm -f "$1.out"
	"$PROGS/fault_seq" -f "$1.last" -w 200 >"$1.out" &
	wait_for grep -q pid "$1.out"
}

start one
one=$!
start two
two=$!

# Both at once, several times. Numbers begin with the recording and have no gap.
for i in 1 2 3; do
	attach t.tacho $one $two
	summarise t.tacho
	expect_fact processes 2
	expect_fact lost-zones 0
	"$SUM" -m t.tacho | awk '{ if (last[$1] && $3 != last[$1] + 1) exit 1; last[$1] = $3 } END { exit length(last) != 2 }' ||
		fail "numbers are missing"
done

# One recorder at a time.
rm -f err2
"$TACHO" capture -f -o t.tacho --pid $one 2>err2 &
recorder=$!
wait_for grep -q recording err2
expect_error 7 "being recorded by process $recorder" "$TACHO" capture -q -o u.tacho --pid $one
[ ! -e u.tacho.part ] || fail "a refused recording leaves a file"

# The recorder is killed; another one attaches, and the data of the first is recovered.
kill -KILL $recorder
wait $recorder 2>/dev/null
expect_exit 0 "$TACHO" recover
session=$(awk -v output="$PWD/t.tacho" '$NF == output { print $1 }' out)
[ -d "$session" ] || { cat out >&2; fail "the session of the killed recorder is not listed"; }
attach u.tacho $one
summarise u.tacho
expect_fact lost-zones 0
[ "$(fact sum zones)" -gt 0 ] || fail "nothing recorded after a recorder was killed"
expect_exit 0 "$TACHO" recover -q -f "$session"
summarise t.tacho
expect_fact lost-zones 0
[ ! -e "$session" ] || fail "the session is left"

# The recorder is killed, and another one resumes the session.
rm -f t.tacho
"$TACHO" capture -q -o t.tacho --pid $one &
recorder=$!
wait_for has_zones t.tacho $one
kill -KILL $recorder
wait $recorder 2>/dev/null
expect_exit 0 "$TACHO" recover
session=$(awk -v output="$PWD/t.tacho" '$NF == output { print $1 }' out)
expect_exit 0 "$TACHO" capture -q -f --session "$session" --time 0.3s
summarise t.tacho
expect_fact lost-zones 0
"$SUM" -m t.tacho | awk '{ if (last && $3 != last + 1) exit 1; last = $3 } END { exit NR < 10 }' || fail "numbers are missing"
# The program can be attached to again.
expect_exit 0 "$TACHO" capture -q -f -o t.tacho --pid $one --time 0.1s

# The recording ends with the program.
"$TACHO" capture -q -f -o t.tacho --pid $one &
recorder=$!
wait_for has_zones t.tacho $one
kill $one
wait $recorder || fail "a recording whose program ends fails"
wait $one 2>/dev/null
summarise t.tacho

# Killed programs leave their attach page; the next recorder removes it, also one of another program.
[ -e "$(attach_page $two)" ] || fail "no page to attach by"
kill -KILL $two
wait $two 2>/dev/null
expect_exit 0 "$TACHO" run -q -f -o t.tacho -- true
[ ! -e "$(attach_page $two)" ] || fail "the page of a killed program stays for ever"
expect_error 7 'cannot be recorded' "$TACHO" capture -q -f -o t.tacho --pid $two
expect_error 2 'not a process id' "$TACHO" capture -q -f -o t.tacho --pid x1

# A program that cannot be attached to.
rm -f three.out
TACHO_ATTACH=0 "$PROGS/fault_seq" -f three.last -w 200 >three.out &
three=$!
wait_for grep -q pid three.out
[ ! -e "$(attach_page $three)" ] || fail "a page in spite of TACHO_ATTACH=0"
expect_error 7 'cannot be recorded' "$TACHO" capture -q -f -o t.tacho --pid $three
kill $three
wait $three 2>/dev/null

# TACHO_CAPTURE=1: programs find the waiting recorder.
rm -f err2 t.tacho
"$TACHO" capture -o t.tacho 2>err2 &
recorder=$!
wait_for grep -q waiting err2
expect_line err2 'TACHO_SESSION=.*/capture '
TACHO_CAPTURE=1 "$PROGS/fault_count" -z 1000 >out
TACHO_CAPTURE=0 "$PROGS/fault_count" -z 1000 >out
kill -TERM $recorder
wait $recorder || fail "capture ends with $?"
summarise t.tacho
expect_fact zones 1000
