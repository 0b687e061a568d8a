# SPDX-License-Identifier: Apache-2.0
# The larger suite, if it is next to the project, as on its authors' machines.
. "$SOURCE/tests/lib.sh"
check=$SOURCE/../shared/tools/check-perf-report
[ -x "$check" ] || skip "no $check"
if [ -z "$SANITIZE" ]; then
	python3 "$check" "$BUILD/tt-perf-report" || fail "see above"
else # too slow for all of it
	python3 "$check" -g error "$BUILD/tt-perf-report" || fail "see above"
fi
