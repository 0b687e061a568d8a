# SPDX-License-Identifier: Apache-2.0
# perf-report on a trace: the ops, and what the host did while the device waited.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
REPORT=$BUILD/tt-perf-report
mkdir tmp cache
export TMPDIR=$PWD/tmp
TT_METAL_DEVICE_PROFILER=1 TACHO_CACHE=$PWD/cache expect_exit 0 "$TACHO" run -o app.tacho -- "$BUILD/examples/device/layers"
expect_exit 0 "$REPORT" app.tacho --signpost 'warm up' --format=json
python3 - <<'PY' || fail "the gaps of the trace"
import json
r = json.load(open("out"))
assert r["region"]["from"] == "warm up", r["region"]
first = [o for o in r["ops"] if o["run"] == "warm-up"]
assert first, [o["run"] for o in r["ops"]]
explained = [o["gap_causes"] for o in r["ops"] if "gap_causes" in o]
assert explained
for g in explained:
    parts = sum(v for k, v in g.items() if k != "us")
    assert abs(parts - g["us"]) <= 1e-3 * g["us"] + 1, g
# Before the second op of the first run its kernels were compiled.
g = first[1]["gap_causes"]
assert g["kernel compile"] > 0.5 * g["us"], g
replays = [o for o in r["ops"] if o["run"] == "replay"]
assert replays and all(o["gap_causes"]["kernel compile"] == 0 for o in replays if "gap_causes" in o)
causes = r["summary"]["gap_causes"]
assert causes["kernel compile"] == 0 and causes["us"] > 0, causes
PY
expect_exit 0 "$REPORT" app.tacho --signpost 'warm up' --why 2
expect_line out '^The gap before it' 'by the host.s clock: kernel compile [0-9,.]+ μs' '^  kernel compile .* longest zone: .*compile'
expect_exit 0 "$REPORT" app.tacho
expect_line out '^What the host did in the gaps' "Region: from 'replay' to the end"
# The report of a trace is that of its ops report.
expect_exit 0 "$TACHO" ops -q -o ops app.tacho
for window in --ignore-signposts "--signpost=warm up" --print-signposts; do
	expect_exit 0 "$REPORT" app.tacho --format=json "$window"
	mv out trace.json
	expect_exit 0 "$REPORT" ops/reports/ops_perf_results.csv --format=json "$window"
	python3 - <<'PY' || fail "another report of the CSV: $window"
import json
a, b = json.load(open("trace.json")), json.load(open("out"))
for d in (a["summary"], *a["ops"]):
    d.pop("gap_causes", None)
assert a == b, [k for k in a if a[k] != b[k]] + [(x, y) for x, y in zip(a["ops"], b["ops"]) if x != y][:1]
PY
done
# No trace of it is left, and a diff takes traces too.
expect_exit 0 "$REPORT" --diff app.tacho app.tacho --fail-above 0
expect_line out '^passed'
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
# A trace without ops.
"$BUILD/tests/mktrace" plain.tacho
expect_exit 3 "$REPORT" plain.tacho
expect_line err 'no ops'
head -c 1000 app.tacho >cut.tacho
"$REPORT" cut.tacho >out 2>err
[ $? -le 4 ] || fail "a cut trace ends with $?"
exit 0
