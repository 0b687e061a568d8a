# SPDX-License-Identifier: Apache-2.0
# A discarded memory pool has no allocations left: in a recording and in a .tracy file made of it.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

check_memory() {
	expect_exit 0 "$TACHO" memory --format=csv "$1"
	expect_line out '^[0-9]+,arena,6001,6000,48016,16000,1,16,0,0$' '^[0-9]+,other,1,0,100,100,1,100,0,0$' '^[0-9]+,memory,1,0,1,1,1,1,0,0$'
}

expect_exit 0 "$TACHO" run -q -o run.tacho -- "$PROGS/arenas"
check_memory run.tacho
expect_exit 0 "$TACHO" check run.tacho
expect_line out '^lost +0$'
expect_exit 0 "$TACHO" export --to=tracy run.tacho
check_memory run.tracy
