# SPDX-License-Identifier: Apache-2.0
# Programs that feed the events of a device themselves, through the header that tt-metal's use.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

record tt_device
[ "$status" = 0 ] || fail "it ends with $status: $(cat err)"
check_whole tt_device
[ "$(checked zones)" = 11 ] || fail "$(checked zones) zones"
"$TACHO" zones --format=csv t.tacho >zones || fail zones
python3 - <<'PY' || fail "zones differ from those recorded"
import csv
rows = list(csv.DictReader(open("zones")))
def some(name):
    return [r for r in rows if r["name"] == name]
def near(r, ns):
    assert abs(int(r["duration_ns"]) - ns) <= 2 + ns / 1000, r
for r in some("BRISC-FW"):
    near(r, 50000)
    assert r["depth"] == "0" and r["values"] == "1024" and r["file"] == "kernel.cpp" and r["line"] == "17", r
for r in some("KERNEL"):
    near(r, 2500)
    assert r["depth"] == "1" and r["values"] == "", r
near(some("ERISC-KERNEL")[0], 60000)
for r in some("measured"):
    assert r["duration_ns"] == "0" and r["values"] == "77" and r["function"] == "TS_DATA" and r["depth"] == "1", r
assert [len(some(n)) for n in ("BRISC-FW", "KERNEL", "ERISC-KERNEL", "measured")] == [4, 4, 1, 2], rows
threads = {r["thread"] for r in rows}
assert threads == {"Device: 0, Logical (0,1) Physical (1,2)/BRISC", "Device: 0, Logical (0,1) Physical (1,2)/NCRISC",
                   "Device: 1, Core (3,4)/ERISC"}, threads
PY
"$TACHO" info t.tacho >out || fail info
"$TACHO" export -q --to=tracy t.tacho || fail export
"$TACHO" zones t.tracy >out || fail "read back"
expect_line out 'ERISC-KERNEL'
# Nobody records: nothing happens.
"$PROGS/tt_device" || fail "alone it ends with $?"
