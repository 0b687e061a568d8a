# SPDX-License-Identifier: Apache-2.0
# Ops that were captured, compiled for or replayed are groups of their own; only what was measured counts.
# labels: plain
. "$SOURCE/tests/perf_lib.sh"

ops >plain.csv <<'ROWS'
Copy;dev;0;9000;0;8
Copy;dev;0;1000;100;8
Copy;dev;0;3000;100;8
Move;dev;0;2000;100;8
Copy;dev;0;;;
ROWS
with_columns() { # FILE, then HIT/TRACE/SESSION/CALL of each row
	python3 - "$@" <<'PY'
import csv, sys
rows = list(csv.DictReader(open("plain.csv")))
for r, cells in zip(rows, sys.argv[2:]):
    r["PROGRAM CACHE HIT"], r["METAL TRACE ID"], r["METAL TRACE REPLAY SESSION ID"], call = cells.split("/")
    r["GLOBAL CALL COUNT"] = call or r["GLOBAL CALL COUNT"]
w = csv.DictWriter(open(sys.argv[1], "w"), list(rows[0]))
w.writeheader()
w.writerows(rows)
PY
}
# The first Copy was compiled for and ran again: a warm-up. Move ran once: it counts.
with_columns warm.csv False/// True/// True/// False/// True///
expect_exit 0 "$REPORT" warm.csv --format=json
python3 - <<'PY' || fail "the groups"
import json
r = json.load(open("out"))
assert [o["run"] for o in r["ops"]] == ["warm-up", "measured", "measured", "measured", "captured"]
assert r["runs"] == {"measured": 3, "replay": 0, "warm-up": 1, "captured": 1, "sessions": 0}, r["runs"]
assert r["totals"]["device_ops"] == 3 and r["totals"]["unmeasured_ops"] == 1
assert r["totals"]["device_time_us"] == 6 and abs(r["totals"]["op_to_op_gap_us"] - .3) < 1e-9, r["totals"]
assert r["ops"][0]["total_percent"] is None and r["ops"][0]["device_time_us"] == 9
assert r["summary"]["most_time"][0]["device_time_us"] == 4
PY
expect_exit 0 "$REPORT" warm.csv
expect_line out '^1 warm-up op, compiled for' ' 1 warm-up op, not counted here' ' 1 op was not measured' ' 3 device ops' \
	'^Hidden: 2 that do not count'
expect_exit 0 "$REPORT" warm.csv --why 1
expect_line out 'a warm-up: it was compiled for'
expect_exit 0 "$REPORT" warm.csv --count-warm-ups
expect_line out ' 4 device ops'
# Without a second run there is no warm-up.
with_columns once.csv False/// False/// False/// False/// False///
expect_exit 0 "$REPORT" once.csv
expect_line out ' 4 device ops'

# Reports of tt-metal call every op a miss. The first of each kind was compiled, and its gap shows that.
ops >misses.csv <<'ROWS'
Copy;dev;0;9000;0;8
Move;dev;0;3000;800000;8
Copy;dev;0;3000;50000;8
Move;dev;0;3000;50000;8
ROWS
cp plain.csv plain.saved
cp misses.csv plain.csv
with_columns misses.csv False/// False/// False/// False///
mv plain.saved plain.csv
expect_exit 0 "$REPORT" misses.csv
expect_line out ' 4 device ops' '^  compile before measuring  .* 1 op$' '^  trace the ops to shorten gaps .* 2 ops$'

# A report has replays where they ran, with the host's time of their capture: between their signposts, they are the
# region. What ran before for the same ops is a warm-up of the whole file.
ops >ran.csv <<'ROWS'
Copy;dev;0;9000;0;8
Move;dev;0;3000;800000;8
Copy;dev;0;;;
Move;dev;0;;;
Copy;dev;0;1000;900000;8
Move;dev;0;2000;500;8
DECODE;sign
Copy;dev;0;4000;200000;8
Move;dev;0;5000;500;8
DECODE_END;sign
ROWS
python3 - <<'PY'
import csv
rows = list(csv.DictReader(open("ran.csv")))
for i, r in enumerate(rows):
    replay = {4: (2, 1), 5: (3, 1), 7: (2, 2), 8: (3, 2)}.get(i)
    r["PROGRAM CACHE HIT"] = "False" if r["OP TYPE"] != "signpost" else ""
    r["METAL TRACE ID"] = r["METAL TRACE REPLAY SESSION ID"] = ""
    if replay:
        r["METAL TRACE ID"], r["METAL TRACE REPLAY SESSION ID"] = 7, replay[1]
        for column in "HOST START TS", "GLOBAL CALL COUNT":
            r[column] = rows[replay[0]][column]
w = csv.DictWriter(open("ran.csv", "w"), list(rows[0]))
w.writeheader()
w.writerows(rows)
PY
expect_exit 0 "$REPORT" ran.csv --format=json
python3 - <<'PY' || fail "the replays between the signposts"
import json
r = json.load(open("out"))
assert r["region"]["from"] == "DECODE" and r["region"]["to"] == "DECODE_END", r["region"]
assert [(o["device_time_us"], o["run"], o["op_to_op_gap_us"]) for o in r["ops"]] == [(4, "replay", None), (5, "replay", .5)], r["ops"]
assert r["runs"]["sessions"] == 1
PY
expect_exit 0 "$REPORT" ran.csv --ignore-signposts --format=json
python3 - <<'PY' || fail "the replays of the whole file"
import json
r = json.load(open("out"))
assert [(o["run"], o["op_to_op_gap_us"]) for o in r["ops"] if not o["signpost"]] == [("warm-up", None), ("warm-up", 800), ("captured", None),
    ("captured", None), ("replay", None), ("replay", .5), ("replay", 200), ("replay", .5)]
assert r["totals"]["device_time_us"] == 12 and abs(r["totals"]["op_to_op_gap_us"] - 201) < 1e-9, r["totals"]
PY
# Release 1.2.4 sorts them by the time of their capture, and finds nothing.
expect_exit 0 "$REPORT" ran.csv --model=1.2.4
expect_no_line out 'Copy'

# Replays: each, their mean with its spread, the last.
with_columns replays.csv False/// True/7/1/50 True/7/2/50 True/7/2/51 True///
replays() {
	expect_exit 0 "$REPORT" replays.csv --format=json --replays="$1"
	python3 - "$2" <<'PY' || fail "--replays=$1"
import json, sys
r = json.load(open("out"))
got = [(o["device_time_us"], o["run"], o.get("replays")) for o in r["ops"]]
assert [t for t, run, _ in got if run == "replay"] == json.loads(sys.argv[1]), got
assert r["runs"]["sessions"] == 2, r["runs"]
if len(got) == 4 and got[1][2]:
    assert got[1][2]["n"] == 2 and got[1][2]["least_us"] == 1 and got[1][2]["most_us"] == 3, got
    assert abs(got[1][2]["deviation_us"] - 2 ** .5) < 1e-9, got
PY
}
replays each '[1, 3, 2]'
replays mean '[2, 2]'
replays last '[3, 2]'
expect_exit 0 "$REPORT" replays.csv --replays=mean
expect_line out '2 ops of a replayed trace, in 2 replays: means of all replays'
expect_exit 0 "$REPORT" replays.csv --replays=mean --why 2
expect_line out 'the mean of 2 replays: 1.000 to 3.000 μs, deviation 1.414'
expect_exit 2 "$REPORT" replays.csv --replays=some
# Marker ops are of no category on purpose: only names without a rule are noted.
ops >other.csv <<'ROWS'
ProfilerNoopOperation;dev;0;9000;0;1
Frobnicate;dev;0;1000;100;8
ROWS
expect_exit 0 "$REPORT" other.csv
cat err >>out
expect_line out 'No category known, counted as Other: Frobnicate$'
# A part of a name decides: the most telling one.
ops >names.csv <<'ROWS'
LayerNormPreAllGatherDeviceOperation;dev;0;9000;0;8
AllGatherConcatDeviceOperation;dev;0;9000;0;8
ChunkGatedDeltaRuleDeviceOperation;dev;0;9000;0;8
RepeatAndInterleaveEltwiseMulDeviceOperation;dev;0;9000;0;8
RepeatDeviceOperation;dev;0;9000;0;8
SamplingDeviceOperation;dev;0;9000;0;8
PerTokenCastToFp8DeviceOperation;dev;0;9000;0;8
ExtractDeviceOperation;dev;0;9000;0;8
ManualSeedDeviceOperation;dev;0;9000;0;8
ROWS
expect_exit 0 "$REPORT" names.csv --format=json
python3 - <<'PY' || fail "the categories"
import json
got = [o["category"] for o in json.load(open("out"))["ops"]]
assert got == "Compute CCL Compute Compute TM Compute TM DM Other".split(), got
PY
expect_exit 0 "$REPORT" --model=1.2.4 other.csv
cat err >>out
expect_line out 'ProfilerNoopOperation.*Frobnicate|Frobnicate.*ProfilerNoopOperation'
