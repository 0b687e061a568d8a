# SPDX-License-Identifier: Apache-2.0
# tacho view: zones of the host and of devices say which op they are of, and the op has them.
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache TMPDIR=$here/tmp
mkdir tmp
for kind in "--ops 6" "--ops 5 --devices 2" "--ops 6 --replays 3 --zones 2"; do
	rm -rf d
	"$BUILD/tests/mklogs" $kind d
	"$BUILD/tests/logs2trace" d "t${kind// /}.tacho"
done
python3 - t*.tacho <<'PY' >said 2>&1 || fail "$(cat said)"
import json, os, subprocess, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server, TACHO
s = Server(*sys.argv[1:])
for trace, path in enumerate(sys.argv[1:]):
    meta = s.call("meta", trace)
    table = s.call("ops?merge=0&limit=1000", trace)["rows"]
    assert not os.listdir(os.environ["TMPDIR"]), "ops are made in memory: a killed viewer leaves nothing"
    calls = {r["op"] for r in table if not r["signpost"]}
    rows = {}
    host = device = 0
    for track in meta["tracks"]:
        for lane, count in track["lanes"]:
            for idx in range(count):
                z = s.call(f"zone?lane={lane}&idx={idx}", trace)
                if track["kind"] == "core":
                    assert z["op_call"] in calls, (path, z)
                    device += 1
                    key = z["op"]
                    if key not in rows:
                        rows[key] = s.call(f"op?id={key}&merge=0", trace)
                        times, spread = [c["kernel_ns"] for c in rows[key]["cores"]], rows[key]["spread"]
                        mean = sum(times) / len(times)
                        assert spread["max_ns"] == max(times) and abs(spread["mean_ns"] - mean) < 1, (path, spread, times)
                        assert abs(spread["imbalance"] - max(times) / mean) < 1e-3, (path, spread)
                        assert spread["idle"] == sum(t < max(times) / 4 for t in times), (path, spread)
                    op = rows[key]
                    assert op["op"]["op"] == z["op_call"] and op["op"]["device"] == track["device"], (path, z, op["op"])
                    assert op["op"]["t0"] <= z["start"] and z["end"] <= op["op"]["t1"], (path, z, op["op"])
                    assert {"lane": lane, "idx": idx} in op["zones"], (path, z)
                elif "op" in z:
                    host += 1
                    op = s.call(f"op?id={z['op']}", trace)["op"]
                    # Of devices that are merged it is the call of one of them.
                    assert int(op["op"]) >> 10 == int(z["op_call"]) >> 10, (path, z, op)
    assert host >= len(calls) > 0 and device > host, (path, host, device)
# The lane of a device has each of its ops, merged where they are too short, and the host's side of it.
for trace, path in enumerate(sys.argv[1:]):
    zones = [s.call(f"zone?lane={lane}&idx={i}", trace) for t in s.call("meta", trace)["tracks"] if t["kind"] == "thread" for lane, n in t["lanes"] for i in range(n)]
    hosts = {z["start"]: z["duration"] for z in zones if "op" in z}
    table = [r for r in s.call("ops?merge=0&limit=1000", trace)["rows"] if not r["signpost"] and r["t0"] is not None]
    for device in {r["device"] for r in table}:
        mine = sorted((r for r in table if r["device"] == device), key=lambda r: (r["t0"], r["row"]))
        lanes = s.call(f"op_lanes?dev={device}", trace)
        assert lanes["total"] == len(mine) and not lanes["more"], (path, lanes)
        assert [r[:2] + r[3:7] for r in lanes["rows"]] == [[m["t0"], m["t1"], m["code"], m["bound"], m["row"], 1] for m in mine], (path, lanes["rows"])
        assert all(r[8] == hosts[r[7]] for r in lanes["rows"] if len(r) > 7) and any(len(r) > 7 for r in lanes["rows"]), (path, lanes["rows"])
        free = [0] * lanes["lanes"]
        for r in lanes["rows"]:
            assert r[0] >= free[r[2]], (path, "ops of a lane overlap", r)
            free[r[2]] = r[1]
            assert s.call(f"op?id={r[5]}", trace)["op"]["row"] == r[5]
        span = mine[-1]["t1"] - mine[0]["t0"]
        one = s.call(f"op_lanes?dev={device}&least={10 * span}", trace)
        assert sum(r[6] for r in one["rows"]) == len(mine) and len(one["rows"]) == lanes["lanes"], (path, one)
        part = s.call(f"op_lanes?dev={device}&t0={mine[1]['t0']}&t1={mine[1]['t0'] + 1}", trace)["rows"]
        assert mine[1]["row"] in {r[5] for r in part}, (path, part)
        # Inside a gap: the ops on both sides, so that the page can draw it.
        lane = [m for m in mine if m["row"] in {r[5] for r in lanes["rows"] if r[2] == 0}]
        for a, b in zip(lane, lane[1:]):
            if b["t0"] > a["t1"] + 4:
                at = (a["t1"] + b["t0"]) // 2
                part = s.call(f"op_lanes?dev={device}&t0={at}&t1={at + 1}", trace)["rows"]
                assert {a["row"], b["row"]} <= {r[5] for r in part}, (path, a, b, part)
        assert s.call("op_lanes?dev=99", trace)["rows"] == []
# By IDs, which count from 1 as perf-report does; signposts and shares are there whatever is chosen.
table = s.call("ops")
ids = [r["number"] for r in table["rows"] if not r["signpost"]]
assert ids == list(range(1, len(ids) + 1)), ids
report = json.loads(subprocess.run([TACHO, "perf-report", "-q", "--ignore-signposts", "--format=json", sys.argv[1]], stdout=subprocess.PIPE, check=False).stdout)
assert [(o["id"], o["csv_line"]) for o in report["ops"] if not o["signpost"]] == [(r["number"], r["row"]) for r in table["rows"] if not r["signpost"]]
def numbers(part):
    return [r["number"] for r in part["rows"] if not r["signpost"]]
part = s.call(f"ops?ids={ids[1]}-{ids[3]}")
assert numbers(part) == ids[1:4], part
# A signpost comes before the op whose ID it has.
after = [next((o["number"] for o in table["rows"][i:] if not o["signpost"]), len(ids) + 1) for i, r in enumerate(table["rows"]) if r["signpost"]]
assert part["signposts"] == table["signposts"] == [[n, r["code"]] for n, r in zip(after, (r for r in table["rows"] if r["signpost"]))] != []
assert numbers(s.call(f"ops?ids=-{ids[2]}")) == ids[:3]
assert numbers(s.call(f"ops?ids={ids[-2]}-")) == ids[-2:]
assert abs(sum(r["pct"] for r in part["rows"]) - 100) < 0.01, part
assert {r["bound"] for r in table["summary"]["top_ops"]} <= {r["bound"] for r in table["rows"]}
r, body = s.request(f"/api/v1/t/0/export?what=ops&fmt=csv&ids={ids[1]}-{ids[3]}")
assert [int(l.split(b",")[0]) for l in body.splitlines()[1:] if b"(signpost)" not in l] == ids[1:4], body
for trace, path in enumerate(sys.argv[1:]):
    devices = s.call("ops?group=device&merge=0", trace)["rows"]
    table = s.call("ops?merge=0&limit=1000", trace)["rows"]
    for d in devices:
        mine = [r for r in table if r["device"] == d["device"]]
        assert d["count"] == len(mine) and abs(d["device_time_us"] - sum(r["device_time_us"] or 0 for r in mine)) < 0.01, (path, d)
    assert abs(sum(d["pct"] for d in devices) - 100) < 0.01, (path, devices)
    # The first page and the comparison count as the table does: an op of several devices once, one of which was
    # only taken down into a trace not at all.
    listed = [r for r in s.call("ops?limit=1000", trace)["rows"] if not r["signpost"] and r["device_time_us"]]
    first = s.call("overview", trace)
    assert sum(b["ops"] for b in first["bound_mix"]) == len(listed), (path, first["bound_mix"], len(listed))
    assert sum(t["ops"] for t in first["top_ops"] if t["code"] == listed[0]["code"]) == sum(r["code"] == listed[0]["code"] for r in listed)
    assert {t["longest"] for t in first["top_ops"]} <= {r["row"] for r in listed}, (path, first["top_ops"])
    sides = s.get(f"/api/v1/compare?a={trace}&b={trace}&what=ops&limit=1000")["rows"]
    assert sum(r["a"]["count"] for r in sides) == len(listed), (path, sides)
    for d in first["devices"]:
        assert d["ops"] == sum(r["device"] == d["device"] and bool(r["device_time_us"]) for r in table), (path, d)
    # The gap before an op on the timeline begins where the op before it on its device ends.
    gaps = 0
    for device in {r["device"] for r in table if r["t0"] is not None}:
        mine = sorted((r for r in table if r["device"] == device and r["t0"] is not None), key=lambda r: r["t0"])
        for i, r in enumerate(mine[1:]):
            end = max(k["t1"] for k in mine[:i + 1])
            assert abs(r["gap_t0"] - end) < 2, (path, r, end)
            gaps += 1
        assert mine[0]["gap_t0"] is None, (path, mine[0])
    assert gaps > 2, path
    for g in first["gaps"]:
        op = s.call(f"op?id={g['row']}", trace)["op"]
        assert (g["t0"], g["t1"]) == (min(op["gap_t0"], op["t0"]), op["t0"]), (path, g, op)
    for d in s.call("meta", trace)["devices"]:
        assert d["start"] < d["end"] and d["clock"] == sorted(d["clock"]), (path, d)
        assert d["bound_ns"] == (max(b for _, b in d["clock"]) if d["clock"] else None), (path, d)
for bad, status in (("ops?ids=x", 400), ("ops?ids=5", 400), ("ops?ids=-", 400), ("op?id=c1", 400), ("op?id=c1@", 400), ("op?id=cx@1", 400), ("op?id=c1@2x", 400),
                    ("op?id=c99999999@1", 404), ("op?id=c99999999999999999999999999@1", 400), ("op", 400)):
    assert list(s.call(bad, 0, status)) == ["error"], bad
assert s.end()[0] == 0
PY
