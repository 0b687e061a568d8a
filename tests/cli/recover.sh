# SPDX-License-Identifier: Apache-2.0
# tacho recover: its output, its target files, and --keep.
. "$SOURCE/tests/faults.sh"
ulimit -f 40000 # ring files are sparse and huge as a rule, and are read whole here

# killed NAME: a session in "session" whose recorder was killed: part of NAME is in NAME.part, the rest in rings.
killed() {
	"$TACHO" run -q -o "$1" -s "$here/session" -- sh -c "
		'$PROGS/fault_count' -z 1000
		while [ \$(stat -c %s '$1.part') -lt 400 ]; do sleep 0.01; done
		kill -STOP \$PPID
		'$PROGS/fault_count' -z 1000
		kill -KILL \$PPID" >/dev/null 2>&1 &
	wait $! 2>/dev/null
}

# The target file is printed, and -f or -o is needed.
killed t.tacho
expect_error 2 "the session was writing $here/t.tacho: -f writes there, -o FILE elsewhere" "$TACHO" recover session
[ -e session/control ] && [ -e t.tacho.part ] || fail "a question removed something"
sums() { sha256sum session/* t.tacho.part | sort -k2; }

# --keep: repeatable, into the same or other files; the session does not change.
sums >before
for output in a.tacho b.tacho t.tacho; do
	expect_exit 0 "$TACHO" recover -q --keep -o $output session
	expect_same before <(sums)
	summarise $output
	expect_fact zones 2000
	expect_fact lost-zones 0
done
expect_same before <(sums)
expect_error 5 'a.tacho exists; -f replaces it' "$TACHO" recover -q --keep -o a.tacho session
expect_exit 0 "$TACHO" recover -q --keep -f session
expect_same before <(sums)
# A failing recover leaves no file.
expect_exit 5 "$TACHO" recover -q --keep -o missing/a.tacho session
expect_same before <(sums)
for file in a.tacho b.tacho; do
	expect_exit 0 "$TACHO" check $file
done
expect_count 0 <(ls | grep keep)

# Without --keep the session and its unfinished file are removed, and nothing else.
expect_exit 0 "$TACHO" recover -q -o c.tacho session
summarise c.tacho
expect_fact zones 2000
[ ! -e session ] && [ ! -e t.tacho.part ] || fail "the session is left"
for file in a.tacho b.tacho t.tacho; do
	expect_exit 0 "$TACHO" check $file
done

# Programs of a kept session continue recording.
rm -f t.tacho go
"$TACHO" run -q -o t.tacho -s "$here/session" -- sh -c "
	kill -KILL \$PPID
	'$PROGS/fault_count' -z 1000
	touch sent
	while [ ! -e go ]; do sleep 0.01; done
	'$PROGS/fault_count' -z 500
	touch done" >/dev/null 2>&1 &
wait $! 2>/dev/null
wait_for test -e sent
expect_exit 0 "$TACHO" recover -q --keep -o d.tacho session
summarise d.tacho
expect_fact zones 1000
touch go
wait_for test -e done
expect_exit 0 "$TACHO" recover -q -f session
summarise t.tacho
expect_fact zones 1500

# Files of other names in the folder are not ours.
mkdir -m 700 session
echo mine | tee session/p.txt session/p.1 session/p.1.x >session/other
killed e.tacho
expect_exit 0 "$TACHO" recover -q -f session
expect_same <(ls session) <(printf '%s\n' other p.1 p.1.x p.txt)
