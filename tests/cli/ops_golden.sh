# SPDX-License-Identifier: Apache-2.0
# The larger suite of recorded runs, if the shared folder is there.
. "$SOURCE/tests/lib.sh"
check=$SOURCE/../shared/tools/check-ops-report
[ -x "$check" ] || skip "no $check"
expect_exit 0 python3 "$check" "$TACHO" ops
expect_line out ' passed, 0 failed$'
