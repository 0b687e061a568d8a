# SPDX-License-Identifier: Apache-2.0
# Attach to a running program, more than once; programs that wait for a recorder.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

"$PROGS/forever" >said &
program=$!
trap 'kill $program 2>/dev/null; clean_up' EXIT
wait_for test -s said

for round in 1 2 3; do
	attach t.tacho $program
	check_whole "attach $round"
	[ "$(checked zones)" -gt 0 ] || fail "nothing recorded, round $round"
	# Messages from before the recorder attached are in the trace.
	"$TACHO" messages t.tacho >out
	expect_line out 'app info.*said before anybody listened'
	"$TACHO" locks t.tacho >out
	expect_line out 'renamed before'
	"$TACHO" zones --format=csv t.tacho | head -3 >out
	expect_line out 'a name that is longer than the kernel keeps'
done
attach=$(user_place)/attach.$program
[ -e "$attach" ] || fail "no page to attach by"
kill $program
wait $program
[ ! -e "$attach" ] || fail "the page is still there"

TACHO_CAPTURE=1 "$PROGS/burst" 1 10 >said || fail "without a capture"
