# SPDX-License-Identifier: Apache-2.0
# perf-report against an independent, slow computation, on random inputs.
. "$SOURCE/tests/lib.sh"
cases=120
[ -z "$SANITIZE" ] || cases=40
# A fixed seed, so failures can be repeated. SEED=$RANDOM tries other inputs.
python3 "$SOURCE/tests/perf_property.py" "$TACHO" $cases "${SEED:-1}" || fail "see above"
