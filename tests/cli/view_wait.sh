# SPDX-License-Identifier: Apache-2.0
# tacho view before the program: it waits, says so, and shows the recording once there is one.
. "$SOURCE/tests/lib.sh"
# Recordings of other tests must not be found: a /dev/shm of its own.
unshare -m true 2>/dev/null || skip "only root can have a /dev/shm of its own"
export TACHO BUILD
unset XDG_RUNTIME_DIR
cat >inside.sh <<'SH'
mount -t tmpfs tmpfs /dev/shm && mount -t tmpfs tmpfs /run || exit 1
"$TACHO" view --port=0 >url 2>said &
viewer=$!
until grep -q 'waiting for a program' said; do sleep 0.01; done
[ ! -s url ] || exit 2
"$TACHO" run -q -f -o t.tacho -- "$BUILD/tests/steady" 2 >/dev/null &
until grep -q '^http' url || ! kill -0 $viewer 2>/dev/null; do sleep 0.01; done
kill -TERM $viewer
wait $viewer || exit 3
wait
grep -q '^http' url
SH
timeout "$PATIENCE" unshare -m bash inside.sh || { cat said url >&2; fail "it does not wait"; }
expect_line said '^tacho: nothing is being recorded: waiting for a program '
