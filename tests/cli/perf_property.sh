# SPDX-License-Identifier: Apache-2.0
# perf-report against an independent, slow computation of the same figures on inputs made at random.
. "$SOURCE/tests/lib.sh"
cases=120
[ -z "$SANITIZE" ] || cases=40
# The same each time: what fails, fails for everybody. SEED=$RANDOM looks for more.
python3 "$SOURCE/tests/perf_property.py" "$TACHO" $cases "${SEED:-1}" || fail "see above"
