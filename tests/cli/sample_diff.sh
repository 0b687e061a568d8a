# SPDX-License-Identifier: Apache-2.0
# Two recordings compared: what changed, by how much, and nothing that is chance.
. "$SOURCE/tests/sample.sh"
# A sanitizer adds threads and frames of its own to the samples.
[ -z "${SANITIZE-}" ] || skip "sanitizers add threads and frames of their own"

sample share 500
mv share.tacho before.tacho
sample zone 500 # half and half instead of 70 to 30
expect_exit 0 "$TACHO" stacks --list --diff=before.tacho --min=0 --format=json zone.tacho
cp out all
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json before.tacho
cp out before
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json zone.tacho
python3 - before out all <<'EOF2' || fail "changes are wrong"
import json, math, sys
a, b, d = ({(f["name"], f["library"]): f for f in json.load(open(n))} for n in sys.argv[1:])
assert set(d) == set(a) | set(b)
for name, row in d.items():
    for side, key in ((a, "before"), (b, "after")):
        f = side.get(name, {"total_percent": 0, "samples": 0, "total_ns": 0})
        assert abs(row[key + "_percent"] - f["total_percent"]) < 1e-6 and row[key + "_samples"] == f["samples"], (name, row, f)
    assert abs(row["change_percent"] - row["after_percent"] + row["before_percent"]) < 0.02
changes = [abs(r["change_percent"]) for r in json.load(open(sys.argv[3]))]
assert changes == sorted(changes, reverse=True)
seventy, thirty, share, zone = (d[name, "sampled"] for name in ("seventy", "thirty", "mode_share", "mode_zone"))
print(seventy, thirty)
assert abs(seventy["change_percent"] + 20) <= 4 * seventy["error_percent"] + 1
assert abs(thirty["change_percent"] - 20) <= 4 * thirty["error_percent"] + 1
assert share["after_samples"] == 0 and zone["before_samples"] == 0
EOF2
# As a tree: functions below others of the same names.
expect_exit 0 "$TACHO" stacks --diff=before.tacho zone.tacho
expect_line out ' mode_share ' ' mode_zone '
# With itself, nothing has changed.
expect_exit 0 "$TACHO" stacks --diff=zone.tacho --list zone.tacho
expect_count 1 out
expect_error 3 'missing.tacho' "$TACHO" stacks --diff=missing.tacho zone.tacho
expect_error 2 'by state' "$TACHO" stacks --diff=before.tacho --by=state zone.tacho
expect_error 2 'whole recordings' "$TACHO" stacks --diff=before.tacho --process=sampled zone.tacho
