# SPDX-License-Identifier: Apache-2.0
# A sampled recording whose recorder was killed has names after "tacho recover", as others have.
. "$SOURCE/tests/sample.sh"

"$TACHO" run -q --sample -f -o a.tacho -- "$SAMPLED" share 60000 >truth 2>err &
recorder=$!
enough() {
	"$TACHO" stacks --list --format=csv a.tacho.part | grep -q main # the file is unfinished: the verb warns
}
wait_for enough
program=$(pgrep -P $recorder)
kill -9 $recorder
kill -9 $program
wait $recorder 2>kill.log || : # until it has ended, its session is in use
session=$("$TACHO" recover | sed -n "s|^\([^ ]*\)  was writing $here/a.tacho$|\1|p")
[ -n "$session" ] || fail "no session is left"
expect_exit 0 "$TACHO" recover -f "$session"
expect_exit 0 "$TACHO" stacks --list --format=csv a.tacho
expect_line out ',main,'
expect_no_line out ',sampled.0x'
