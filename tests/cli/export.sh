# SPDX-License-Identifier: Apache-2.0
# tacho export: the formats, and names that survive them.
. "$SOURCE/tests/lib.sh"
"$MKTRACE" t.tacho || fail "mktrace"

expect_exit 0 "$TACHO" export --to=chrome t.tacho
expect_line err 'wrote t.json'
expect_exit 0 python3 "$SOURCE/tests/check_chrome.py" t.json X=28 i=10 C=36 b=17 e=17
python3 - <<'END' || fail "the events are not what they should be"
import json
events = json.load(open("t.json"))["traceEvents"]
zones = {e["name"]: e for e in events if e["ph"] == "X"}
assert zones["waits for ever"]["args"]["unfinished"] is True
assert zones["invalid \ufffd\ufffd utf-8 \ufffd"]["tid"] == 1002
assert zones["on a fiber"]["tid"] not in (1000, 1001, 1002, 1003)
assert zones["in the child"]["pid"] == 1001
assert zones["compute the second"]["ts"] == 5000.0 and zones["compute the second"]["dur"] == 1000.0
assert "x" * 10240 in zones
memory = [e["args"]["value"] for e in events if e["ph"] == "C" and e["name"] == "textures"]
assert memory == [3 << 20], memory
END

expect_exit 0 "$TACHO" export --to=csv -o - t.tacho
cp out zones.csv
expect_exit 0 "$TACHO" zones --format=csv t.tacho
expect_same out zones.csv
expect_exit 0 python3 "$SOURCE/tests/check_csv.py" zones.csv

# Random names: every byte can be read back from CSV, and JSON stays valid.
for seed in 1 2 3 4 5; do
	"$MKTRACE" -s $seed r.tacho >names || fail "mktrace"
	expect_exit 0 "$TACHO" zones -t =random --format=csv r.tacho
	python3 - <<'END' || fail "names of seed $seed do not survive CSV"
import csv
names = [bytes.fromhex(line).decode("utf-8", "surrogateescape") for line in open("names")]
with open("out", newline="", encoding="utf-8", errors="surrogateescape") as file:
    rows = list(csv.DictReader(file, strict=True))
assert [row["name"] for row in rows] == names
END
	expect_exit 0 "$TACHO" export -f --to=chrome r.tacho
	expect_exit 0 python3 "$SOURCE/tests/check_chrome.py" r.json X=228
done

expect_exit 0 "$TACHO" export --to=json -o everything.json t.tacho
python3 - <<'END' || fail "the JSON is not what it should be"
import json
doc = json.load(open("everything.json"))
assert len(doc["zones"]) == 28 and len(doc["rows"]) == 71 and len(doc["processes"]) == 2
assert doc["properties"][0] == {"key": "host", "value": "invented"}
tracks = doc["tracks"]
alloc = [r for r in doc["rows"] if r["kind"] == "alloc"][-1]
assert tracks[alloc["track"]]["name"] == "textures" and alloc["bytes"] == 3 << 20, alloc
assert [r["operation"] for r in doc["rows"] if r["kind"] == "lock"][0] == "wait"
END

# A range: zones that overlap it are cut to it.
expect_exit 0 "$TACHO" export --to=chrome -o part.json -r 5ms..5.5ms -p app t.tacho
expect_exit 0 python3 "$SOURCE/tests/check_chrome.py" part.json X=4
expect_exit 0 "$TACHO" export --to=chrome -o thread.json -t 1003 t.tacho
expect_exit 0 python3 "$SOURCE/tests/check_chrome.py" thread.json X=2

# A spreadsheet must not take a name for a formula.
expect_exit 0 "$TACHO" zones --format=csv --guard -n formula t.tacho
expect_line out ",'=1\+2 formula,"

# A tid that was used twice in one process gives two threads.
"$MKTRACE" -n 1000 b.tacho
expect_exit 0 "$TACHO" export b.tacho
expect_exit 0 python3 "$SOURCE/tests/check_chrome.py" b.json X=1028
python3 - <<'END' || fail "two threads have one tid"
import json
events = json.load(open("b.json"))["traceEvents"]
names = [(e["pid"], e["tid"], e["args"]["name"]) for e in events if e["name"] == "thread_name"]
assert len({n[:2] for n in names}) == len(names) == 6, names
END

# Damage: the intact part is written, the damage is reported.
"$MKTRACE" -u u.tacho
expect_exit 4 "$TACHO" export --to=chrome u.tacho.part
expect_exit 0 python3 "$SOURCE/tests/check_chrome.py" u.json X=28

# The file of Python's cProfile: functions with their callers, equal to stats.
expect_exit 0 "$TACHO" export --to=pstats t.tacho
expect_exit 0 "$TACHO" stats --format=json t.tacho
python3 - out <<'END' || fail "pstats reads something else"
import json, marshal, pstats, sys
stats = pstats.Stats("t.pstats")
found = {}
for (file, line, name), (primitive, calls, own, total, callers) in stats.stats.items():
    found[name, file, line] = calls, own, total
    assert sum(c[0] for c in callers.values()) <= calls and primitive <= calls
want = {(r["name"].encode("utf-8", "replace").decode(), r["file"], r["line"]): r for r in json.load(open(sys.argv[1]))}
assert len(found) >= 20
for key, (calls, own, total) in found.items():
    r = want[key]
    assert calls == r["count"] + r["unfinished"], (key, calls, r)
    if not r["unfinished"]:
        assert abs(total * 1e9 - r["total_ns"]) < 2 and abs(own * 1e9 - r["self_ns"] - r["wait_ns"]) < 2, (key, own, total, r)
step = next(k for k in stats.stats if k[2] == "step")
compute = next(v for k, v in stats.stats.items() if k[2] == "compute")
assert compute[4][step][0] == compute[1] == 3, compute
assert "main" in {k[2] for k in stats.stats[step][4]}
END

# Perfetto: all of it, decoded by other code.
expect_exit 0 "$TACHO" export --to=perfetto t.tacho
expect_line err 'wrote t.pftrace'
# 28 zones and 17 frames and times with locks; as many instants and counters as in the Chrome trace.
expect_exit 0 python3 "$SOURCE/tests/check_pftrace.py" t.pftrace slices=45 ends=45 instants=10 counters=36 clocks=2
cp "$SOURCE/tests/golden/ops-replays.tacho" "$SOURCE/tests/golden/ops-records.tacho" .
for f in ops-replays ops-records; do
	expect_exit 0 "$TACHO" export --to=perfetto $f.tacho
done
cat >flows.json <<'JSON'
[{"ph":"X","name":"launch","pid":1,"tid":1,"ts":110,"dur":5}, {"ph":"X","name":"kernel","pid":1,"tid":2,"ts":130,"dur":20},
{"ph":"s","id":5,"cat":"c","name":"n","pid":1,"tid":1,"ts":110}, {"ph":"f","id":5,"cat":"c","name":"n","pid":1,"tid":2,"ts":120}]
JSON
expect_exit 0 "$TACHO" import flows.json
expect_exit 0 "$TACHO" export --to=perfetto flows.tacho
expect_exit 0 "$TACHO" export --to=chrome -o again.json flows.tacho
expect_exit 0 "$TACHO" import again.json
"$TACHO" query --format=csv ops-replays.tacho "SELECT count(*) FROM op WHERE device_fw_start_cycle IS NOT NULL" | tail -1 >ops
PYTHONPATH="$SOURCE/tests" python3 - "$(cat ops)" <<'END' || fail "the Perfetto traces are not what they should be"
import json, sys
from check_pftrace import Trace
t = Trace("t.pftrace")
zones = {(e["name"], e["ts"], e["dur"]) for e in json.load(open("t.json"))["traceEvents"] if e["ph"] == "X"}
found = {(name, (ns - 5_000_000_000) / 1000, dur / 1000) for name, ns, dur, _, e in t.slices if e[22] == [b"zone"]}
assert zones == found, zones ^ found
assert max(depth for *_, depth, _ in t.slices) >= 2
ops = Trace("ops-replays.pftrace")
assert ops.counts["flows"] == int(sys.argv[1]) > 0, ops.counts
assert all(a == "TT_DNN_DEVICE_OP" or a.startswith("TT_") for a, b in ops.arrows), ops.arrows
assert Trace("flows.pftrace").arrows == [("launch", "kernel")]
END
# Flows survive a Chrome trace, too.
"$TACHO" query --format=csv again.tacho "SELECT a.name, b.name FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in" >out
expect_line out '^launch,kernel$'
