# SPDX-License-Identifier: Apache-2.0
# perf-report on a trace: its ops, and what the host did while the device waited.
# labels: plain
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
# The kernels of the second op were compiled before its first run.
g = first[1]["gap_causes"]
assert g["kernel compile"] > 0, g
replays = [o for o in r["ops"] if o["run"] == "replay"]
assert replays and all(o["gap_causes"]["kernel compile"] == 0 for o in replays if "gap_causes" in o)
causes = r["summary"]["gap_causes"]
assert causes["kernel compile"] == 0 and causes["us"] > 0, causes
PY
expect_exit 0 "$REPORT" app.tacho --signpost 'warm up' --why 2
expect_line out '^The gap before it' 'by the host.s clock: kernel compile [0-9,.]+ μs' '^  kernel compile .* longest zone: .*compile'
# The page shows the same.
expect_exit 0 "$REPORT" app.tacho --ignore-signposts --format=json
python3 - <<'PY' || fail "the gaps in the page"
import json, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server("app.tacho")
explained = 0
for o in json.load(open("out"))["ops"]:
    gap = s.call(f"op?id={o['csv_line']}")["gap"]
    if "gap_causes" not in o:
        assert gap is None, (o, gap)
        continue
    explained += 1
    assert abs(gap["us"] - o["gap_causes"]["us"]) < 1e-3 * gap["us"], (o, gap)
    times = [c["us"] for c in gap["causes"]]
    assert times and times == sorted(times, reverse=True), gap
    for c in gap["causes"]:
        assert abs(c["us"] - o["gap_causes"][c["cause"]]) <= 1e-3 * c["us"], (o, c)
assert explained > 3
compiled = [c for g in s.call("overview")["gaps"] for c in g.get("causes") or () if c["cause"] == "kernel compile"]
assert compiled and all("compile" in c["zone"] for c in compiled), s.call("overview")["gaps"]
assert s.end()[0] == 0
PY
expect_exit 0 "$REPORT" app.tacho
expect_line out '^What the host did in the gaps' "Region: from 'replay' to the end" '^Longest gaps .*the host meanwhile, by its own clock'
# The report of a trace equals that of its ops report, except for what only the trace knows.
expect_exit 0 "$TACHO" ops -q -o ops app.tacho
for window in --ignore-signposts "--signpost=warm up" --print-signposts; do
	expect_exit 0 "$REPORT" app.tacho --format=json "$window"
	mv out trace.json
	expect_exit 0 "$REPORT" ops/reports/ops_perf_results.csv --format=json "$window"
	python3 - <<'PY' || fail "another report of the CSV: $window"
import json
a, b = json.load(open("trace.json")), json.load(open("out"))
assert any(o["slowest_core"] for o in a["ops"]) and any(o["balance_percent"] for o in a["ops"])
for d in (a["summary"], *a["ops"], b["summary"], *b["ops"]):
    # Only the trace has the cores, and so the advice about them.
    for key in ("gap_causes", "balance_percent", "slowest_core"):
        d.pop(key, None)
    d["advice"] = [{"text": i["text"].split(" (saves")[0]} for i in d.get("advice", []) if i["what"] != "balance the cores"]
    d.pop("savings", None)
assert a == b, [k for k in a if a[k] != b[k]] + [(x, y) for x, y in zip(a["ops"], b["ops"]) if x != y][:1]
PY
done
# No file is left, and a diff accepts traces, too.
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

# Op numbers are per process: of two processes on one device one is reported, never a mixture.
TT_METAL_DEVICE_PROFILER=1 TACHO_CACHE=$PWD/cache expect_exit 0 "$TACHO" run -o two.tacho -- \
	sh -c "$BUILD/examples/device/loopback && $BUILD/examples/device/layers && $BUILD/examples/device/loopback"
expect_exit 0 "$REPORT" two.tacho --ignore-signposts --format=json
cp out out2
expect_line err 'several processes used the same device; these are the ops of process [0-9]+ \(layers\), --process=PID'
"$REPORT" app.tacho --ignore-signposts --format=json >one 2>/dev/null || fail "one process"
python3 - <<'PY' || fail "ops of several processes are mixed"
import json
names = [[o["op_code"] for o in json.load(open(f))["ops"]] for f in ("one", "out")]
assert names[0] == names[1], names
PY
expect_error 1 'has no process 3' "$REPORT" --process 3 two.tacho
expect_exit 0 "$TACHO" query --format=csv two.tacho 'SELECT count(DISTINCT upid) FROM op'
expect_line out '^3$'
# Their times are by the clock of their process, and the causes of gaps are its threads'.
python3 - "$TACHO" <<'PY' || fail "ops of several processes: times"
import json, os, subprocess, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
t0, t1 = map(int, subprocess.run([sys.argv[1], "query", "--format=csv", "two.tacho",
    "SELECT min(s.ts), max(s.ts + s.dur) FROM slice s JOIN core c USING (track_id) JOIN process p USING (upid)"
    " WHERE p.name = 'layers'"], capture_output=True, text=True, check=True).stdout.splitlines()[1].split(","))
ops = json.load(open("out2"))["ops"]
assert any(o.get("gap_causes", {}).get("dispatch", 0) > 0 for o in ops), [o.get("gap_causes") for o in ops]
s = Server("two.tacho")
for o in ops:
    op = s.call(f"op?id={o['csv_line']}")["op"]
    # Signposts and captured ops did not run.
    assert op["t0"] is None or t0 <= op["t0"] < op["t1"] <= t1, (t0, t1, op)
assert s.end()[0] == 0
PY
# A marker's time is that of its zone, whatever selects it.
query() {
	expect_exit 0 "$TACHO" query --format=csv two.tacho "$1"
	expect_line out "$2"
}
query "SELECT count(*) > 50, count(DISTINCT ts) > 50 FROM marker WHERE kind = 'start'" '^1,1$'
query "SELECT count(*) FROM marker m WHERE kind = 'start' AND NOT EXISTS (SELECT 1 FROM slice s WHERE s.track_id = m.track_id AND s.ts = m.ts AND s.name = m.name)" '^0$'
query "SELECT max((SELECT count(*) FROM marker m WHERE m.ts > s.ts) <> (SELECT count(*) FROM marker m WHERE +m.ts > s.ts)) FROM slice s JOIN core c USING (track_id) WHERE s.id % 7 = 0" '^0$'
