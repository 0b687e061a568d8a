# SPDX-License-Identifier: Apache-2.0
# Thread states: what a thread waited for, and where; zones split into what their time went to.
. "$SOURCE/tests/sample.sh"
# A sanitizer adds threads and frames of its own to the samples.
[ -z "${SANITIZE-}" ] || skip "sanitizers add threads and frames of their own"

# Sleeps are as long as the program's own clock says, apart from waits for a CPU, and have the right stack.
sample sleep 600
expect_exit 0 "$TACHO" stacks --by=thread --format=json sleep.tacho
python3 - sleep.truth out <<'EOF' || fail "sleeping time is wrong"
import json, sys
truth = int(open(sys.argv[1]).read().split()[1])
t = json.load(open(sys.argv[2]))[0]
waits = sum(t[k] for k in ("sleep_ns", "other_ns", "lock_ns", "poll_ns", "io_ns", "child_ns"))
print("truth", truth, "waits", waits, "runnable", t["runnable_ns"], t)
# Its clock also counts the way into the kernel and back, and what it waited for a CPU after it woke.
assert waits <= truth * 1.01 and waits + t["runnable_ns"] >= truth * 0.97
assert t["sleep_ns"] > 0 and not t["lock_ns"]  # how many are looked at depends on the load
EOF
expect_exit 0 "$TACHO" stacks --off-cpu sleep.tacho
expect_line out ' sleep_part ' ' main '
expect_no_line out 'compute_part'

# Waits for a lock, of all threads together.
sample convoy 500
expect_exit 0 "$TACHO" stacks --off-cpu --list --min=0 --format=json convoy.tacho
python3 - convoy.truth out <<'EOF' || fail "waits for the lock are wrong"
import json, sys
truth = int(open(sys.argv[1]).read().split()[1])
found = {f["name"]: f for f in json.load(open(sys.argv[2]))}
got = found["convoy_wait"]["total_ns"]
print("truth", truth, "found", got)
assert 0 < got < 1.02 * truth  # how many are looked at depends on the load
EOF

# Inside of a zone: what is called there and nothing else, and the parts add up to the zones' own time.
sample zone 400
expect_exit 0 "$TACHO" stacks --zone==inside --list --min=0 zone.tacho
expect_line out ' seventy '
expect_no_line out ' thirty '
expect_exit 0 "$TACHO" stacks --zone==inside --by=state --format=json zone.tacho
cp out states
expect_exit 0 "$TACHO" stats --format=json zone.tacho
python3 - states out <<'EOF' || fail "the parts of a zone do not add up"
import json, sys
parts = sum(s["ns"] for s in json.load(open(sys.argv[1])))
zone = [z for z in json.load(open(sys.argv[2])) if z["name"] == "inside"][0]["total_ns"]
print(parts, zone)
assert abs(parts - zone) <= 1e-6 * zone + 20
EOF
expect_error 2 "no zone is named like 'nonsense'" "$TACHO" stacks --zone=nonsense zone.tacho

# One process and one thread of the trace, though it is seen from inside and from outside.
expect_exit 0 "$TACHO" info --show=processes --format=csv zone.tacho
expect_count 2 out
