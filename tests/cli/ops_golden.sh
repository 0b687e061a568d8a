# SPDX-License-Identifier: Apache-2.0
# The larger suite of recorded runs, where the shared folder is at hand.
. "$SOURCE/tests/lib.sh"
check=$SOURCE/../shared/tools/check-ops-report
[ -x "$check" ] || skip "no $check"
expect_exit 0 python3 "$check" "$TACHO" ops
expect_line out ' passed, 0 failed$'
