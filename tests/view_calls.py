#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every call of the viewer's server, against what the other verbs say of the same trace."""
import json
import struct
import sys
import urllib.parse
import zlib

from view_client import TACHO, Server, run, tiles

trace, ops = sys.argv[1:3]
s = Server(trace, ops, "--source", "tree")

listed = s.get("/api/v1/traces")["traces"]
assert [t["kind"] for t in listed] == ["trace", "ops"], listed
assert listed[0]["zones"] == 100028 and listed[0]["duration"] == 10000000, listed
assert listed[0]["path"] == "m.tacho", "no folder goes out"

# SQL, as "tacho query" answers it: one result, of limited length; it can read nothing else.
def sql(text, trace=0):
    r, body = s.request(f"/api/v1/t/{trace}/query?sql=" + urllib.parse.quote(text))
    return r.status, json.loads(body)
status, found = sql("SELECT name, count, total FROM slice_stat ORDER BY total DESC LIMIT 3")
rows = json.loads(run(TACHO, "query", "--format=json", trace, "SELECT name, count, total FROM slice_stat ORDER BY total DESC LIMIT 3"))
assert status == 200 and found["columns"] == ["name", "count", "total"] and not found["more"], found
assert [dict(zip(found["columns"], row)) for row in found["rows"]] == rows, (found, rows)
status, found = sql("SELECT id FROM slice")
assert status == 200 and len(found["rows"]) == 10000 and found["more"], status
assert sql("SELECT 9007199254740993")[1]["rows"] == [["9007199254740993"]]
assert sql("SELECT 1; SELECT 2")[1]["rows"] == [[1]]
assert sql("CREATE TEMP TABLE x (y)")[1]["rows"] == []
for wrong in ("SELEC", "", "SELECT * FROM nothing", "ATTACH '/etc/passwd' AS x"):
    status, found = sql(wrong)
    assert status == 400 and found["error"] and "\n" not in found["error"], (wrong, status, found)
assert sql("SELECT count(*) FROM op", 1)[1]["rows"][0][0] > 0

meta = s.call("meta")
assert [p["pid"] for p in meta["processes"]] == [1000, 1001] and meta["processes"][1]["exit"] == 9
kinds = {t["kind"] for t in meta["tracks"]}
assert kinds == {"thread", "fiber", "messages", "plot", "frames", "memory", "lock"}, kinds
assert meta["has"]["locks"] and not meta["has"]["ops"]
assert any(w["kind"] == "loss" and w["track"] == 1 for w in meta["warnings"]), meta["warnings"]
assert sum(t["count"] for t in meta["tracks"] if t["lanes"]) == 100028
assert all(t["count"] > 0 for t in meta["tracks"] if t["kind"] == "plot")

names = s.call("names")
assert names["total"] == len(names["names"]) == meta["names_total"] == 24
assert names["names"][1][:4] == ["step", "run_step", "src/app.c", 20]
assert ["<script>alert(1)</script> &amp;", "hostile", "src/app.c", 104, 0] in names["names"]
assert s.call("names?from=23")["names"] == names["names"][23:]
assert s.call("names?from=9999")["names"] == []


def zones_of(lane):
    """All zones of a lane, by following their numbers."""
    found, i = [], 0
    while True:
        r, body = s.request(f"/api/v1/t/0/zone?lane={lane}&idx={i}")
        if r.status == 404:
            return found
        z = json.loads(body)
        found.append((z["start"], z["end"], z["name"], i))
        i += 1


# Tiles: each pixel that a zone touches is busy, no other is; wide zones are there once per tile.
for lane, count in meta["tracks"][0]["lanes"]:
    zones = zones_of(lane)
    assert len(zones) == count, (lane, count, len(zones))
    for res, i in ((20, 0), (14, 0), (14, 1), (10, 3), (5, 200), (0, 0)):
        width = 2 ** res
        begin = i * 512 * width
        gen, got = tiles(s.call(f"tiles?lanes={lane}&res={res}&i={i}"))
        inside = [z for z in zones if z[0] < begin + 512 * width and z[1] > begin]
        assert (got[lane] is None) == (not inside), (lane, res, i)
        if not inside:
            continue
        busy, dominant, rects = got[lane]
        whole = 0
        for x in range(512):
            a, b = begin + x * width, begin + (x + 1) * width
            covered = sum(max(0, min(z[1], b) - max(z[0], a)) for z in inside) / width
            assert (busy[x] > 0) == (covered > 0), (lane, res, i, x, covered, busy[x])
            whole += covered
            # Of zones below a pixel it is known how much they cover together, not where in two pixels.
            if all(z[1] - z[0] >= width for z in inside):
                assert abs(busy[x] - covered * 255) <= 2 or 0 < covered * 255 < 1, (x, busy[x], covered)
            if dominant[x] != 0xFFFF:
                share = sum(max(0, min(z[1], b) - max(z[0], a)) for z in inside if z[2] == dominant[x])
                assert share > 0.49 * width, (x, share)
        assert abs(sum(busy) / 255 - whole) < 1.5, (lane, res, i, sum(busy) / 255, whole)
        wide = [z for z in inside if z[1] - z[0] >= 2 * width]
        assert [r[4] for r in rects] == [z[3] for z in wide], (lane, res, i, rects, wide)
        for r, z in zip(rects, wide):
            x0, x1 = max(0, (z[0] - begin) // width), min(512, (z[1] - begin) // width)
            assert r[0] == x0 and r[1] == max(1, x1 - x0) and r[2] == z[2] and r[3] == 1, (r, z)

# Many lanes at once, packed and not, with and without a right to be kept.
r, plain = s.request("/api/v1/t/0/tiles?lanes=0-9&res=12&i=0")
assert r.headers["Cache-Control"] == "private, no-cache" and r.headers["ETag"]
assert sorted(tiles(plain)[1]) == list(range(10))
several = [s.request(f"/api/v1/t/0/tiles?lanes=0-9&res=12&i={i}")[1] for i in range(4)]
r, body = s.request("/api/v1/t/0/tiles?lanes=0-9&res=12&i=0-3")
assert r.status == 200 and body == b"".join(several)
assert s.request("/api/v1/t/0/tiles?lanes=0-9&res=12&i=2-2")[1] == several[2]
r, packed = s.request("/api/v1/t/0/tiles?lanes=0-9&res=12&i=0&enc=deflate")
assert r.headers["Content-Encoding"] == "deflate" and zlib.decompress(packed) == plain
assert len(packed) < len(plain)
r, body = s.request(f"/api/v1/t/0/tiles?lanes=0-9&res=12&i=0&v={listed[0]['tag']}")
assert "immutable" in r.headers["Cache-Control"]
r, body = s.request("/api/v1/t/0/tiles?lanes=0-9&res=12&i=0", headers={"If-None-Match": r.headers["ETag"]})
assert r.status == 304 and body == b""

# One zone and what is around it.
z = s.call("zone?lane=1&idx=1")
assert (z["start"], z["end"], z["self"], z["prev"], z["next"]) == (4000000, 6500000, 900000, 0, 2), z
assert [a["name"] for a in z["ancestors"]] == [0] and z["children_total"] == 2
assert z["extras"] == [{"kind": "value", "value": "1"}]
assert s.call("zone?lane=8&idx=5000")["children_total"] == 9
assert s.call("hit?lane=1&t=5000000")["idx"] == 1
assert s.call("hit?lane=1&t=3600000")["idx"] is None
assert s.call("hit?lane=1&t=3600000&res=17")["idx"] == 0
assert s.call("hit?lane=9&t=5000000&res=10")["idx"] is not None

# Statistics are those of the verb.
said = {(r["name"], r["file"], r["line"]): r for r in json.loads(run(TACHO, "stats", "--format=json", trace))}
rows = s.call("stats?limit=1000")["rows"]
assert len(rows) == len(said) == 24
for r in rows:
    other = said[r["text"], r["file"], r["line"]]
    for key in ("count", "total", "sum", "self", "wait", "min", "max", "median", "p99"):
        want = other.get(key + "_ns", other.get(key))
        assert abs(r[key] - (want or 0)) < 1, (r["text"], key, r[key], want)
assert [r["count"] for r in rows] != sorted(r["count"] for r in rows)
rows = s.call("stats?sort=count&desc=0&limit=1000")["rows"]
assert [r["count"] for r in rows] == sorted(r["count"] for r in rows)
assert s.call("stats?q=step,compute,-comp")["total"] == 1
assert abs(s.call("stats?q=step,-comp")["self_total"] - sum(r["self"] + r["wait"] for r in rows)) < 10
assert s.call("stats?offset=23&limit=5")["total"] == 24 and len(s.call("stats?offset=23&limit=5")["rows"]) == 1
part = s.call("stats?t0=4000000&t1=5000000&q=step")
assert part["rows"][0]["count"] == 1 and part["range_ns"] == 1000000
assert {r["text"] for r in s.call("stats?track=3-4")["rows"]} == {"on a fiber", "in the child"}

h = s.call("hist?name=23&bins=7")
assert h["count"] == 90000 == sum(b[2] for b in h["bins"]) and h["median"] == 50 and len(h["bins"]) == 7
h = s.call("hist?name=2&bins=50&log=1")
assert h["count"] == 3 and sum(b[3] for b in h["bins"]) == 1800000
assert abs(h["median"] - 600000) < 6000 and h["max"] == 700000
assert s.call("hist?name=1&self=1")["max"] == 1000000

rows = s.call("instances?name=1&sort=start&desc=1")["rows"]
assert [r["idx"] for r in rows] == [2, 1, 0] and rows[0]["self"] == 800000
page = s.call("instances?name=23&sort=duration&offset=500&limit=10")
assert page["total"] == 90000 and len(page["rows"]) == 10
assert s.call("instances?name=3&group=parent")["groups"][0] == {"key": "step", "name": 1, "count": 3, "sum": 3000000}
assert s.call("instances?name=23&group=track")["groups"][0]["count"] == 90000
assert [r["duration"] for r in s.call("instances?name=2&d0=550000&d1=650000")["rows"]] == [600000]
assert s.call("instances?name=2&d0=600000&group=track")["groups"][0]["count"] == 2
assert s.call("instances?name=1&d0=950000&self=1")["total"] == 1

root = s.call("flame")["root"]
main = next(c for c in root["children"] if c["name"] == 0)
step = next(c for c in main["children"] if c["name"] == 1)
assert (main["total"], main["self"], step["count"], step["total"]) == (10000000, 2500000, 3, 7500000)
assert root["total"] == sum(c["total"] for c in root["children"])
half = s.call("flame?t0=0&t1=5000000&track=0")["root"]
assert half["total"] == 5000000, half["total"]


def flat(node, path=()):
    """Every path of a flame graph, the root's own left out."""
    for c in node["children"]:
        yield path + (c["name"],), c
        yield from flat(c, path + (c["name"],))


# From the bottom, and around a name: what the tree from the top says, added up.
whole = list(flat(s.call("flame?limit=200000")["root"]))
up = dict(flat(s.call("flame?up=1&limit=200000")["root"]))
wanted = {}
for path, node in whole:
    for n in range(1, len(path) + 1):
        key = path[::-1][:n]
        time, count = wanted.get(key, (0, 0))
        wanted[key] = (time + node["self"], count + node["count"])
assert {k: (n["total"], n["count"]) for k, n in up.items()} == wanted
assert sum(n["self"] for n in up.values()) == root["total"]
for name in (1, 2, 23):
    outer = [(p, n) for p, n in whole if p[-1] == name and name not in p[:-1]]
    time = sum(n["total"] for _, n in outer)
    calls = s.call(f"flame?name={name}&limit=200000")["root"]
    inside = {}
    for path, node in whole:
        if name in path[:-1]:
            key = path[path.index(name) + 1:]
            inside[key] = inside.get(key, 0) + node["total"]
    assert calls["total"] == time and {k: n["total"] for k, n in flat(calls)} == inside, name
    callers = s.call(f"flame?name={name}&up=1&limit=200000")["root"]
    assert callers["total"] == time and callers["count"] == sum(n["count"] for _, n in outer), name
    above = {}
    for path, node in outer:
        for n in range(1, len(path)):
            above[path[:-1][::-1][:n]] = above.get(path[:-1][::-1][:n], 0) + node["total"]
    assert {k: n["total"] for k, n in flat(callers)} == above, name

# Two ranges of a trace as one tree, in order; each side as its own flame graph has it.
both = s.get("/api/v1/compare/flame?a=0&b=0&b0=0&b1=5000000&track=0&limit=200000")
texts = [row[0] or row[1] for row in s.call("names")["names"]]
trees = [s.call("flame?track=0&limit=200000")["root"], s.call("flame?t0=0&t1=5000000&track=0&limit=200000")["root"]]
assert [both[k]["total"] for k in "ab"] == [t["total"] for t in trees]
path, got = [], [{}, {}]
for item in both["items"]:
    path[item["depth"]:] = [item["name"]]
    for k, side in enumerate("ab"):
        if item[side]["count"]:
            got[k]["/".join(path)] = (item[side]["total"], item[side]["self"], item[side]["count"])
    assert abs(item["change"] - (item["b"]["share"] - item["a"]["share"])) < 1e-9, item
for k in range(2):
    want = {}  # several source locations may have one name
    for p, n in flat(trees[k]):
        old = want.get(key := "/".join(texts[i] for i in p), (0, 0, 0))
        want[key] = tuple(x + n[w] for x, w in zip(old, ("total", "self", "count")))
    rounded = {key: tuple(map(round, x)) for key, x in got[k].items()}
    assert rounded == want, (k, set(rounded.items()) ^ set(want.items()))
assert len(both["items"]) == both["items_total"] and len(s.get("/api/v1/compare/flame?a=0&b=0&limit=3")["items"]) < 4
for sides in ("a=0&b=1", "a=1&b=0"):
    r, body = s.request("/api/v1/compare/flame?" + sides)
    assert r.status == 400 and b"no zones" in body, (r.status, body)

m = s.call("messages?limit=1000")
assert m["total"] == len(m["rows"]) == 8 and m["rows"] == sorted(m["rows"], key=lambda r: r["t"])
assert [r["severity"] for r in s.call("messages?severity=4")["rows"]] == [4, 5]
assert s.call("messages?q=retry")["total"] == 1 and s.call("messages?offset=7")["total"] == 8
assert len(s.call("messages?t0=3000000&t1=4000000")["rows"]) == 2

plots = {p["name"]: p for p in s.call("plots")["rows"]}
assert plots["queue depth"]["min"] == -2 and plots["queue depth"]["count"] == 5
points = s.call(f"plot?track={plots['queue depth']['track']}&res=18&i=0")
assert [p[3] for p in points["points"]] == [-2, -1, 0, 1, 2] and points["before"] is None
merged = s.call(f"plot?track={plots['queue depth']['track']}&res=21&i=0")["points"]
assert merged[0][1:] == [-2, 0, 0, 3] or merged[0][1:] == [-2, -1, -1, 2], merged
assert s.call(f"plot?track={plots['queue depth']['track']}&res=12&i=4")["before"] == 2

frames = s.call("frames?track=11")
assert frames["stats"]["count"] == 5 and frames["rows"][0] == [0, 1600000]
# Frames that are too short to be drawn alone are one row, and none of them is left out.
alone = frames["rows"]
merged = s.call(f"frames?track=11&least={alone[1][1]}")["rows"]
assert merged[0] == [0, alone[1][1], 2, max(b - a for a, b in alone[:2])] and len(merged) < 5, merged
assert sum(r[2] if len(r) > 2 else 1 for r in merged) == 5, merged
assert s.call("frames?track=11&limit=2")["rows"] == alone[:2] and s.call("frames?track=11&limit=0")["rows"] == []
lanes = [n for t in s.call("meta")["tracks"] for n, _ in t["lanes"]]
named = dict(s.call(f"lane_names?lanes={','.join(map(str, lanes))}")["lanes"])
assert set(named) == set(lanes) and all(named.values()), named
z = s.call(f"zone?lane={lanes[1]}&idx=0")
assert z["name"] in named[lanes[1]] and s.call("lane_names?lanes=99999")["lanes"] == []
for bad in ("lane_names", "lane_names?lanes=", "lane_names?lanes=x"):
    assert list(s.call(bad, status=400)) == ["error"]
pools = s.call("memory")["pools"]
assert (pools[0]["current"], pools[0]["peak"], pools[0]["allocs"]) == (128, 512, 8)
assert s.call("memory?track=13&res=20&i=0")["points"][-1][3] == 128
lock = s.call("locks")["rows"][0]
assert lock["name"] == json.loads(run(TACHO, "locks", "--format=json", trace))[0]["name"] != "", lock
assert lock["name"] in {t["name"] for t in meta["tracks"] if t["kind"] == "lock"}
assert lock["waits"] == 2 and lock["max_wait"] == 181000

# Rows of locks: a lane of holds and one of waits for all threads together and for each.
T = lock["track"]
rows = s.call(f"lock?track={T}")["rows"]
us = 1000
a, b = rows[1]["thread"], rows[2]["thread"]
assert [r["all"] for r in rows] == [True, False, False] and a != b and rows[0]["thread"] is None
assert [(r["hold"], r["wait"], r["holds"], r["waits"]) for r in rows] == [(0, 1, 2, 2), (2, 3, 1, 1), (4, 5, 1, 1)]
assert [r["hold_total"] for r in rows] == [289 * us, 190 * us, 99 * us] and rows[0]["max_wait"] == 181 * us
span = s.call(f"lock?track={T}&lane=5&idx=0")
assert (span["kind"], span["thread"], span["start"], span["end"], span["holder"]) == ("wait", b, 120 * us, 301 * us, a), span
span = s.call(f"lock?track={T}&lane=0&t={350 * us}")
assert (span["kind"], span["thread"], span["idx"], span["start"], span["shared"]) == ("hold", b, 0, 301 * us, False), span
assert span["lane"] == 4, span  # a point on the row of all threads is a span of one
assert s.call(f"lock?track={T}&lane=0&t={402 * us}")["idx"] is None
assert s.call(f"lock?track={T}&lane=0&t={402 * us}&res=11")["lane"] == 4
assert s.call(f"lock?track={T}&lane=0&t={109 * us}&res=11")["lane"] == 2
assert s.call(f"lock?track={T}&lane=0&idx=1")["thread"] is None
gen, got = tiles(s.call(f"lock_tiles?track={T}&lanes=0-7&res=11&i=0"))
expected = {0: [(110, 300, 1), (301, 400, 1)], 1: [(100, 110, 0), (120, 301, 0)], 2: [(110, 300, 1)],
            3: [(100, 110, 0)], 4: [(301, 400, 1)], 5: [(120, 301, 0)]}
for lane, spans in expected.items():
    busy, dominant, rects = got[lane]
    assert [(x, w, name, idx) for x, w, name, _, idx in rects] == [
        (a * us >> 11, (b * us >> 11) - (a * us >> 11), name, i) for i, (a, b, name) in enumerate(spans)], (lane, rects)
    for x in range(512):
        covered = sum(max(0, min(b * us, x + 1 << 11) - max(a * us, x << 11)) for a, b, _ in spans) / 2048
        assert (busy[x] > 0) == (covered > 0) and abs(busy[x] / 255 - min(covered, 1)) < 0.01, (lane, x)
assert got[6] is None and got[7] is None
# Shared holds are distinguished from others; figures of all threads are sums.
shared = s.call(f"lock?track={T + 1}")
assert shared["shared"] and [r["holds"] for r in shared["rows"]] == [2, 1, 1], shared
assert shared["rows"][0]["hold_total"] == sum(r["hold_total"] for r in shared["rows"][1:]) and s.call(f"lock?track={T + 1}&lane=0&idx=0")["shared"]
assert tiles(s.call(f"lock_tiles?track={T + 1}&lanes=0&res=11&i=0"))[1][0][2][0][2] == 2

found = s.call("search?q=main")["rows"]
assert {(r["kind"], r["text"]) for r in found} == {("zone", "main"), ("track", "main")}, found
assert s.call("search?q=retry")["rows"][0]["kind"] == "message"

text = s.call("source?name=0")
assert text["line"] == 10 and text["first"] == 1 and text["text"][9] == "line 10"
assert "error" in s.call("source?name=22222", status=404)

for what, first in (("stats", b"name,file,line"), ("messages", b"time_ns,"), ("zones", b"start_ns,")):
    r, body = s.request(f"/api/v1/t/0/export?what={what}&fmt=csv&q=step,ready")
    assert r.status == 200 and body.startswith(first), body[:100]
    assert r.headers["Content-Disposition"] == f'attachment; filename="{what}.csv"'
    json.loads(s.request(f"/api/v1/t/0/export?what={what}&fmt=json")[1])
r, body = s.request("/api/v1/t/0/export?what=zones")
assert body.count(b"\n") >= 100028

# Ops of a table.
reported = json.loads(run(TACHO, "perf-report", "--ignore-signposts", "--format=json", ops))
table = s.call("ops?limit=1000", 1)
assert table["total"] >= len([o for o in reported["ops"] if not o["signpost"]]) > 0
by_row = {r["row"]: r for r in table["rows"]}
for o in reported["ops"]:
    r = by_row[o["csv_line"]]
    assert r["code"] == o["op_code"] and r["device_time_us"] == o["device_time_us"], (r, o)
    assert (r["bound"] or None) == o["bound"] and r["advice"] == [a["text"] for a in o["advice"]]
assert table["footer"]["device_ops"] == reported["totals"]["device_ops"]
rows = s.call("ops?sort=time&desc=1&limit=1000", 1)["rows"]
times = [r["device_time_us"] for r in rows if r["device_time_us"] is not None]
assert times == sorted(times, reverse=True)
assert {r["kind"] for r in s.call("search?q=matmul", 1)["rows"]} == {"op"}
one = s.call(f"op?id={rows[0]['id']}", 1)
assert one["row"]["OP CODE"] and one["op"]["code"] == rows[0]["code"]
assert s.call("ops?group=op", 1)["rows"][0]["count"] > 0
assert s.call("overview", 1)["bound_mix"]
top = s.call("overview")
assert [z["self"] for z in top["top_zones"]] == sorted((z["self"] for z in top["top_zones"]), reverse=True)
assert top["top_zones"][0]["self"] <= top["host_self"] and all(z["max"] <= z["total"] for z in top["top_zones"])
assert s.request("/api/v1/t/1/export?what=ops")[1].startswith(b"ID,Total %,Bound,")
both = s.get("/api/v1/compare?a=1&b=1&what=ops")["rows"]
assert both and all(r["kind"] == "both" and r["delta"] == 0 for r in both)
both = s.get("/api/v1/compare?a=0&b=0&limit=1000")
assert both["total"] == len({r["text"] for r in both["rows"]}) > 20
two = s.get("/api/v1/compare/hist?a=0&b=0&name=step&bins=5")
assert two["a"] == two["b"] and two["a"]["count"] == 3

# What is wrong is said in one line, with the right status.
for target, status in (
        ("/api/v1/t/2/meta", 404), ("/api/v1/t/0/nothing", 404), ("/api/v1/t/x/meta", 404), ("/api/v1/t/", 404),
        ("/api/v1/nothing", 404), ("/api/v1/t/1/meta", 404), ("/nothing.js", 404),
        ("/api/v1/t/0/tiles?res=1&i=0", 400), ("/api/v1/t/0/tiles?lanes=0&res=51&i=0", 400),
        ("/api/v1/t/0/tiles?lanes=0&res=50&i=99999999999", 400), ("/api/v1/t/0/tiles?lanes=0-600&res=1&i=0", 400),
        ("/api/v1/t/0/tiles?lanes=2-1&res=1&i=0", 404), ("/api/v1/t/0/tiles?lanes=a&res=1&i=0", 400),
        ("/api/v1/t/0/tiles?lanes=0&res=1&i=3-2", 400), ("/api/v1/t/0/tiles?lanes=0&res=1&i=3-", 400), ("/api/v1/t/0/tiles?lanes=0&res=1&i=-3", 400),
        ("/api/v1/t/0/tiles?lanes=0&res=1&i=0-2048", 400), ("/api/v1/t/0/tiles?lanes=0-511&res=1&i=0-4", 400), ("/api/v1/t/0/tiles?lanes=&res=1&i=0", 400),
        ("/api/v1/t/0/tiles?lanes=0&res=1&i=0-9223372036854775807", 400), ("/api/v1/t/0/tiles?lanes=0&res=50&i=5-9", 400),
        ("/api/v1/t/0/tiles?lanes=1,&res=1&i=0", 400), ("/api/v1/t/0/tiles?lanes=0&res=1&i=0&enc=gzip", 400),
        ("/api/v1/t/0/zone?lane=0&idx=1", 404), ("/api/v1/t/0/zone?lane=99&idx=0", 404), ("/api/v1/t/0/zone", 400),
        ("/api/v1/t/0/stats?sort=x", 400), ("/api/v1/t/0/stats?limit=1001", 400), ("/api/v1/t/0/stats?t0=5&t1=4", 400),
        ("/api/v1/t/0/stats?desc=2", 400), ("/api/v1/t/0/stats?track=77", 404), ("/api/v1/t/0/hist?name=24", 404),
        ("/api/v1/t/0/plot?track=0&res=0&i=0", 404),
        ("/api/v1/t/0/lock", 400), ("/api/v1/t/0/lock?track=0", 404), ("/api/v1/t/0/lock?track=77", 404),
        (f"/api/v1/t/0/lock?track={T}&lane=6&idx=0", 404), (f"/api/v1/t/0/lock?track={T}&lane=0&idx=2", 404),
        (f"/api/v1/t/0/lock?track={T}&lane=0", 400), (f"/api/v1/t/0/lock_tiles?track={T}&res=1&i=0", 400), ("/api/v1/t/0/search", 400), ("/api/v1/t/0/search?q=", 400),
        ("/api/v1/t/0/instances?name=1&offset=100001", 400), ("/api/v1/compare?a=0", 400),
        ("/api/v1/compare?a=0&b=7", 404), ("/api/v1/compare?a=0&b=1", 400), ("/api/v1/t/1/op?id=999999", 404)):
    answer = s.get(target, status)
    assert list(answer) == ["error"] and "\n" not in answer["error"], answer

# No more messages than are asked for.
whole = s.get("/api/v1/t/0/messages")
answer = s.get("/api/v1/t/0/messages?limit=1&total=0")
assert answer["total"] == 1 and answer["rows"] == whole["rows"][:1], answer

# A trace without ops has an empty list of them.
answer = s.get("/api/v1/t/0/ops")
assert answer["total"] == 0 and answer["rows"] == [], answer

# A trace without samples has empty answers about them. Those with samples: tests/cli/sample_view.sh.
assert not meta["has"]["samples"]
answer = s.call("stacks")
assert answer["samples"] == 0 and answer["items"] == [] and answer["names"] == [], answer
assert s.call("stacks?off=1&list=1")["total"] == 0
states = s.call("states")
assert len(states["states"]) == len(states["total"]) and states["threads"] == [] and states["event"] is None, states
inside = s.call("states?name=1")["total"]  # all of it is unknown
assert sum(inside[:-1]) == 0 and inside[-1] > 0, inside
assert s.call("cpus")["cpus"] == []
assert s.call("sample?track=0&t=5")["state"] is None
body = s.call("sample_tiles?track=0,1&res=10&i=0-1")
assert struct.unpack("<IIIIIII", body[:28]) == (0x31535354, answer["gen"], 2, 0, 0xFFFFFFFF, 1, 0xFFFFFFFF) and len(body) == 56
for wrong in ("stacks?by=x", "sample_tiles?track=0", "sample?track=0", "source_cost", "stack"):
    assert "error" in s.call(wrong, status=400), wrong
for wrong in ("stacks?name=999", "states?track=999", "sample?track=999&t=0", "source_cost?file=x.c", "cpus?cpu=1&t=0"):
    assert "error" in s.call(wrong, status=404), wrong

status, rest = s.end()
assert status == 0, (status, rest)
print("all calls answer")
