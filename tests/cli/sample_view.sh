# SPDX-License-Identifier: Apache-2.0
# The viewer's calls about samples: what they say is what the verb says, the parts of a zone add up, two traces compare.
. "$SOURCE/tests/sample.sh"
# A sanitizer adds threads and frames of its own to the samples.
[ -z "${SANITIZE-}" ] || skip "sanitizers add threads and frames of their own"
export XDG_CACHE_HOME=$here/cache

sample zone 300
sample sleep 200
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json zone.tacho
cp out stacks
expect_exit 0 "$TACHO" stacks --by=thread --format=json sleep.tacho
cp out threads
python3 - <<'PY' >said 2>&1 || fail "$(cat said)"
import json, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server("zone.tacho", "sleep.tacho", "--source", os.environ["SOURCE"])
zone, sleep = ({t["name"]: t["id"] for t in s.get("/api/v1/traces")["traces"]}[n] for n in ("zone.tacho", "sleep.tacho"))
assert s.call("meta", zone)["has"]["samples"]

def listed(answer):
    return {answer["names"][i[1]]["name"]: i for i in answer["items"]}

said = {f["name"]: f for f in json.load(open("stacks"))}
found = listed(s.call("stacks?list=1", zone))
assert set(found) == set(said), (set(found), set(said))
for name, (depth, label, total, own, samples, own_samples) in found.items():
    assert samples == said[name]["samples"] and abs(total - said[name]["total_ns"]) < 1, (name, said[name])

# The tree: parents have what their children have and their own.
answer = s.call("stacks", zone)
path = []
for depth, label, total, own, samples, own_samples in answer["items"]:
    del path[depth:]
    if path:
        path[-1][0] -= samples
        assert path[-1][0] >= 0, answer["items"]
    path.append([samples - own_samples])
least = s.call("stacks?limit=2", zone)["items"]
assert 2 <= len(least) < answer["items_total"] and least[-1][4] > 1, least  # those of one weight are all there
assert s.call("stacks?up=1", zone)["items"][0][5] > 0

# Inside of a zone; the states of one zone are as long as it is.
names = [n[0] for n in s.call("names", zone)["names"]]
inside = listed(s.call(f"stacks?list=1&name={names.index('inside')}", zone))
assert "seventy" in inside and "thirty" not in inside, inside
lane = next(t for t in s.call("meta", zone)["tracks"] if t["lanes"])["lanes"][0][0]
z = s.call(f"zone?lane={lane}&idx=3", zone)
parts = s.call(f"states?lane={lane}&idx=3", zone)["total"]
assert abs(sum(parts) - (z["end"] - z["start"])) < 50, (parts, z)

states = s.call("states", sleep)
thread = json.load(open("threads"))[0]
keys = [k for k in thread if k.endswith("_ns")]
for key, ns in zip(keys, states["threads"][0]["ns"]):
    assert abs(thread[key] - ns) < 1, (key, thread, states)
off = listed(s.call("stacks?off=1&list=1", sleep))
assert "sleep_part" in off and "compute_part" not in off, off

# Lines of a source file, with their text.
file = next(n["file"] for n in s.call("stacks?list=1", zone)["names"] if n["name"] == "work")
cost = s.call(f"source_cost?file={file}", zone)
lines = {row[0]: row for row in cost["lines"]}
last = cost["first"] + len(cost["text"])
assert "work(ns);" in "".join(cost["text"][line - cost["first"]] for line in lines if line < last), cost

# Two traces, and two halves of one.
both = s.get(f"/api/v1/compare/stacks?a={zone}&b={sleep}&list=1")
by = {i["name"]: i for i in both["items"]}
assert by["mode_zone"]["change"] < -90 and by["mode_sleep"]["change"] > 90, by
half = s.get(f"/api/v1/compare/stacks?a={zone}&b={zone}&a1=150000000&b0=150000000&list=1")
assert half["a"]["samples"] and half["b"]["samples"]
assert half["a"]["samples"] + half["b"]["samples"] == answer["samples"], half
assert s.end()[0] == 0
PY
