# SPDX-License-Identifier: Apache-2.0
# Sampling: shares of functions are right within their statistical error, stacks are whole, the books balance.
. "$SOURCE/tests/sample.sh"
# A sanitizer adds threads and frames of its own to the samples.
[ -z "${SANITIZE-}" ] || skip "sanitizers add threads and frames of their own"

# The share of a function by the samples, against its own clock: four standard errors and half a percent for skid.
sample share 1500
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json share.tacho
python3 - share.truth out <<'EOF' || fail "shares are wrong"
import json, math, sys
truth = {n: int(v) for n, v in (line.split() for line in open(sys.argv[1]))}
found = {f["name"]: f for f in json.load(open(sys.argv[2]))}
p = truth["seventy"] / (truth["seventy"] + truth["thirty"])
a, b = found["seventy"]["samples"], found["thirty"]["samples"]
n = a + b
error = abs(a / n - p)
bound = 4 * math.sqrt(p * (1 - p) / n) + 0.005
print(f"true {p:.4f} found {a / n:.4f} of {n} samples, bound {bound:.4f}")
assert n > 500 and error <= bound
assert found["main"]["total_percent"] > 97
EOF

# A function counts once per stack, however often it is in it; nothing has more than all.
sample recursion 400 --stack-kb=58
expect_exit 0 "$TACHO" stacks --list --min=0 --format=csv recursion.tacho
python3 - out <<'EOF' || fail "recursion counts twice"
import csv, sys
rows = {r["name"]: r for r in csv.DictReader(open(sys.argv[1]))}
assert all(float(r["total_percent"]) <= 100 for r in rows.values())
assert float(rows["recurse_even"]["total_percent"]) > 95 and float(rows["recurse_odd"]["total_percent"]) > 95
EOF
expect_exit 0 "$TACHO" stacks recursion.tacho
[ "$(grep -c ' recurse_odd ' out)" = 150 ] || fail "the tree is not as deep as the recursion"

# Stacks too deep or too large for a sample are marked, and nothing is above the cut.
sample deep 200 --stack-kb=58
expect_exit 0 "$TACHO" stacks --depth=1 deep.tacho
expect_line out '\[too deep\]'
sample huge 200
expect_exit 0 "$TACHO" stacks --depth=2 huge.tacho
expect_line out '(100|9[0-9])\.[0-9]+ .*\[cut\]' ' large_frame '
expect_line err 'stacks are whole'

# If stacks are larger than the copies, copies become larger while it runs; unless their size is given.
sample large 600
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json large.tacho
python3 - out <<'EOF' || fail "copies of stacks do not grow"
import json, sys
found = {f["name"]: f for f in json.load(open(sys.argv[1]))}
print(found)
assert found["main"]["total_percent"] > 90
EOF
expect_exit 0 "$TACHO" info large.tacho
expect_line out '^sampling stack bytes +60000$'
sample large 200 --stack-kb=16
expect_exit 0 "$TACHO" stacks --depth=1 large.tacho
expect_line out '(100|9[0-9])\.[0-9]+ .*\[cut\]'

# Through a signal handler to the function that was interrupted; if that is on another stack, to there.
sample signal 300
expect_exit 0 "$TACHO" stacks signal.tacho
expect_line out ' main ' ' signal_raised ' ' raise| __pthread_kill' ' signal_work '
expect_no_line out '\[broken|\[no unwinding|\[unknown code'
sample altstack 200
expect_exit 0 "$TACHO" stacks altstack.tacho
expect_line out ' \[cut\]' ' signal_work '
expect_no_line out '\[broken|\[no unwinding|\[unknown code'
