# SPDX-License-Identifier: Apache-2.0
# A program that is idle after a burst gives its memory back, whatever file system the session is on: in memory, and on a disk,
# where a page that is touched may bring its neighbours along.
. "$SOURCE/tests/faults.sh"

kib() {
	du -sk "$session" | cut -f1
}
takes_more() {
	[ "$(kib)" -gt "$1" ]
}
takes_less() {
	[ "$(kib)" -lt "$1" ]
}

for session in "$XDG_RUNTIME_DIR/s" "$here/s"; do
	touch held
	"$TACHO" run -q -f -s "$session" --policy block --block-ms 60000 -o t.tacho -- \
		bash -c 'kill -STOP $PPID; exec "$0" 4 500000 held' "$PROGS/burst" >out 2>err &
	recorder=$!
	wait_for takes_more 14000
	kill -CONT $recorder
	# 4 MiB stay for the next burst, on a disk with their neighbours.
	wait_for takes_less 10000
	rm held
	wait $recorder || { cat err >&2; fail "ends with $?"; }
	summarise t.tacho
	expect_fact zones 2000000
	expect_fact lost-zones 0
done
