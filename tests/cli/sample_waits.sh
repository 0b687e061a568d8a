# SPDX-License-Identifier: Apache-2.0
# Stacks of waiting threads with frame pointers: frames of calls that have returned are not callers.
. "$SOURCE/tests/sample.sh"

"$TACHO" run -q --sample -f -o framed.tacho -- "$BUILD/tests/framed" || fail "cannot record"
expect_exit 0 "$TACHO" stacks --off-cpu --min=0 framed.tacho
expect_no_line out 'stale_caller|stale_inner'
# A sanitizer's frames have sizes that only it knows.
[ -z "${SANITIZE-}" ] || skip "sanitizers add threads and frames of their own"
expect_line out ' wait_with_buffer ' ' wait_with_alloca '
expect_exit 0 "$TACHO" stacks --off-cpu --min=0 --format=json framed.tacho
python3 - out <<'EOF2' >paths
import json, sys
path = []
for row in json.load(open(sys.argv[1])):
    path[row["depth"] - 1:] = [row["name"]]
    print(";".join(path))
EOF2
expect_line paths ';main;waits_caller;wait_with_buffer;'
# The code does not show its frame's size: no caller is better than a wrong one.
expect_line paths '^\[unknown frame size\];wait_with_alloca;'
