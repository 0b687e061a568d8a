# SPDX-License-Identifier: Apache-2.0
# Recordings for the tests of the page: a host program, Python and a device in one; another one to compare with; one
# whose device lost markers; and traces of every odd kind. labels: browser
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/web.sh"

rm -rf "$traces"
mkdir -p "$ODD"
cd "$traces" || exit 1
# The tests must not depend on how long a program runs: WEB_PAUSE=5 makes recordings with pauses.
pause=${WEB_PAUSE:-0}
expect_exit 0 "$TACHO" run -q -o all.tacho -- sh -c "'$PYTHON' '$SOURCE/tests/web/program.py' && sleep $pause && '$BUILD/examples/demo' && sleep $pause && '$BUILD/examples/device/layers'"
expect_exit 0 "$TACHO" run -q --sample -o sampled.tacho -- sh -c "'$PYTHON' '$SOURCE/tests/web/program.py' && '$BUILD/examples/demo' && '$BUILD/examples/device/layers'"
expect_exit 0 "$TACHO" run -q -o other.tacho -- "$BUILD/examples/device/layers"
expect_exit 0 "$TACHO" ops -o report other.tacho
expect_exit 0 "$TACHO" run -q -o full.tacho -- "$BUILD/examples/device/full_buffer"
expect_exit 0 "$TACHO" export -q --to=tracy -o other.tracy other.tacho
expect_exit 0 "$BUILD/tests/mkwide" 10000 wide.tacho
for kind in empty moment nanosecond days messages plots device locks pools queues waits before after; do
	expect_exit 0 "$BUILD/tests/mkodd" $kind "$ODD/$kind.tacho"
done
