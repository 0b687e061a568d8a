# SPDX-License-Identifier: Apache-2.0
# Programs that record device zones with Tracy's C functions.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

record gpu_zones
[ "$status" = 0 ] || fail "it ends with $status: $(cat err)"
check_whole gpu_zones
"$TACHO" zones --format=csv t.tacho >zones || fail zones
python3 - <<'PY' || fail "zones differ from those recorded"
import csv
rows = list(csv.DictReader(open("zones")))
def some(thread, name):
    return [r for r in rows if r["thread"] == thread and r["name"] == name]
def near(r, ns):
    assert abs(int(r["duration_ns"]) - ns) <= 2 + ns / 100, r
draw, shade = some("Graphics/0", "draw"), some("Graphics/0", "shade")
assert len(draw) == len(shade) == 1, rows
near(draw[0], 900000)
near(shade[0], 500000)
assert draw[0]["depth"] == "0" and shade[0]["depth"] == "1" and draw[0]["file"] == "gpu.c" and draw[0]["line"] == "7", draw
assert abs(int(shade[0]["start_ns"]) - int(draw[0]["start_ns"]) - 200000) < 4000
kernels = some("Compute/0", "kernel")
assert len(kernels) == 39999, len(kernels)
near(sorted(kernels, key=lambda r: int(r["duration_ns"]))[20000], 500)
assert {r["depth"] for r in kernels} == {"0"} and {r["line"] for r in kernels} == {"0", "1", "2", "3"}
near(some("Device/0", "draw")[0], 600000)
assert {r["thread"] for r in rows} == {"Graphics/0", "Compute/0", "Device/0"}, {r["thread"] for r in rows}
PY
"$TACHO" export -q --to=tracy t.tacho || fail export
"$TACHO" zones --format=csv t.tracy >back || fail "read back"
[ "$(wc -l <back)" = "$(wc -l <zones)" ] || fail 'other zones in the .tracy file'
# No device of ops.
expect_exit 3 "$TACHO" ops -o none t.tacho
# Nobody records: nothing happens.
"$PROGS/gpu_zones" || fail "alone it ends with $?"
