# SPDX-License-Identifier: Apache-2.0
# The larger suite that lies beside the project on its authors' machines; elsewhere there is nothing to do.
. "$SOURCE/tests/lib.sh"
check=$SOURCE/../shared/tools/check-perf-report
[ -x "$check" ] || skip "no $check"
if [ -z "$SANITIZE" ]; then
	python3 "$check" "$BUILD/tt-perf-report" || fail "see above"
else # too slow for all of it
	python3 "$check" -g error "$BUILD/tt-perf-report" || fail "see above"
fi
