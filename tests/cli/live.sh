# SPDX-License-Identifier: Apache-2.0
# A trace is read while it is being recorded.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"
WATCH=$BUILD/tests/livewatch

# Watched from start to end: open zones are seen before they end, and nothing is missing.
touch held
"$TACHO" run -q -o t.tacho -s "$here/session" -- "$PROGS/steady" 1 held >said 2>err &
recorder=$!
wait_for test -e session/control
"$WATCH" "$here/session" 20 held >seen 2>watch_err &
watcher=$!
wait $recorder || fail "the program failed: $(cat err)"
wait $watcher || fail "the watcher failed: $(cat watch_err)"
check_whole "a trace that was followed"
[ "$(checked zones)" = "$(said zones)" ] || fail "zones are missing"
grew=$(awk '{ print $2; exit }' seen)
[ "$grew" -ge 5 ] || { cat seen >&2; fail "it grew $grew times only while it was recorded"; }
expect_line seen "reloaded 0 open [12]" "/t.tacho zones $(said zones) rows .* complete 1"

# Watched by the trace's name; killing a watcher does no harm.
touch held watched
"$TACHO" run -q -o u.tacho -- "$PROGS/steady" 1 held >said 2>err &
recorder=$!
wait_for test -e u.tacho.part
"$WATCH" "$here/u.tacho" 20 watched >seen 2>watch_err &
watcher=$!
wait_for test ! -e watched
kill -9 $watcher
rm held
wait $recorder || fail "the program failed: $(cat err)"
"$TACHO" check u.tacho >checked 2>&1 || fail "not sound: $(cat checked)"

# The recorder is killed and another one resumes: the watcher follows it, or sees the end.
rm said
touch held
"$TACHO" run -q -o k.tacho -s "$here/dead" -- "$PROGS/steady" 1 held >said 2>err &
recorder=$!
wait_for grep begun said
kill -9 $recorder
wait $recorder 2>/dev/null
"$WATCH" "$here/dead" >seen 2>watch_err || fail "a dead recorder: $(cat watch_err)"
expect_line seen "k.tacho.part zones .* complete 0"
rm held
expect_exit 0 "$TACHO" recover -q -f "$here/dead"
"$TACHO" check k.tacho >checked 2>&1 || fail "not sound: $(cat checked)"

"$WATCH" no-such-session >out 2>err && fail "followed nothing"
expect_line err "no session 'no-such-session' is being recorded"
