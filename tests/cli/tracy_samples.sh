# SPDX-License-Identifier: Apache-2.0
# Samples, their stacks and the states of threads in .tracy files: written, and read back the same.
. "$SOURCE/tests/sample.sh"
# A sanitizer adds threads and frames of its own to the samples.
[ -z "${SANITIZE-}" ] || skip "sanitizers add threads and frames of their own"

sample share 400
# stacks_of FILE: stacks by functions, and how many samples each has.
stacks_of() {
	"$TACHO" export -q -f --to=folded -o - "$1" | sort
}
states_of() {
	"$TACHO" export -q -f --to=json -o - "$1" | python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
print(sum(r["kind"] == "state" and r["state"] & 255 == 1 for r in rows))'
}
[ "$(states_of share.tacho)" -gt 0 ] || fail "there are no states"
stacks_of share.tacho >want
[ -s want ] || fail "there are no samples"
for version in 0.10 0.14; do
	expect_exit 0 "$TACHO" export -f --to=tracy --tracy-version=$version -o $version.tracy share.tacho
	expect_no_line err 'left out'
	stacks_of $version.tracy >got
	expect_same want got
	expect_exit 0 "$TACHO" import -f -o back.tacho $version.tracy
	expect_exit 0 "$TACHO" check back.tacho
	[ "$(states_of back.tacho)" = "$(states_of share.tacho)" ] || fail "other runs of threads in $version"
done

# Viewers do not get them, which is said.
"$TACHO" serve -1 -p 0 share.tacho 2>serve_err &
wait_for grep -q 'samples and thread states are not served' serve_err
kill $!
