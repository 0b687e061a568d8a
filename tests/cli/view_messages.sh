# SPDX-License-Identifier: Apache-2.0
# tacho view: pages of a long list of messages, wherever they are entered; the exported list is the listed one; signposts.
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
for kind in talk posts; do
	expect_exit 0 "$BUILD/tests/mkodd" $kind $kind.tacho
done
python3 - <<'PY' >said 2>&1 || fail "$(cat said)"
import csv, io, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server("talk.tacho", "posts.tacho")


def texts(call):
    return [r["text"] for r in s.call(call)["rows"]]


def whole(query):
    """Without being counted, so nothing is known of the list but what is read."""
    out, part = [], None
    while part is None or len(part) == 1000:
        part = texts(f"messages?total=0&limit=1000&offset={len(out)}{query}")
        out += part
    return out


all_of = whole("")
assert len(all_of) == len(set(all_of)) == 30000
for query, right in (("", lambda t: True), ("&q=REQUEST", lambda t: t.startswith("Request")), ("&q=request 77", lambda t: "Request 77" in t),
                     ("&q=77,-request", lambda t: "77" in t and "Request" not in t), ("&q=nothing", lambda t: False),
                     ("&records=0", lambda t: t.startswith("Request")), ("&severity=4&q=29999,29994", lambda t: t.endswith(("29994", "29999`")))):
    query = query.replace(" ", "%20")
    wanted = whole(query)
    assert wanted == [t for t in all_of if right(t)], query
    for turn in range(2):  # the first counts, the second knows
        for offset in (0, 1, 4095, 4096, 4097, 8190, 20001, len(wanted) - 1, len(wanted), 40000):
            answer = s.call(f"messages?limit=150&offset={max(0, offset)}{query}")
            assert answer["total"] == len(wanted), (query, offset, answer["total"])
            assert [r["text"] for r in answer["rows"]] == wanted[max(0, offset):max(0, offset) + 150], (query, offset)
    r, body = s.request(f"/api/v1/t/0/export?what=messages&fmt=csv{query}")
    assert [l["text"] for l in csv.DictReader(io.StringIO(body.decode()))] == wanted, query
for t0, t1 in ((2000000, 3000000), (0, 1), (1000, 1001)):
    part = f"&t0={t0}&t1={t1}"
    assert [s.call(f"messages?limit=1000{part}")["total"] for _ in range(2)] == [len(whole(part))] * 2

# Of signposts the first 10,000 of all tracks, cut between characters; the second time they are known.
for _ in range(2):
    posts = s.call("meta", 1)["signposts"]
    assert [p["t"] for p in posts] == [i * 1000 for i in range(10000)], (len(posts), posts[0]["t"])
    assert [p["header"] for p in posts] == ["%05d" % i + "é" * 497 for i in range(10000)], posts[0]
    assert {p["message"] for p in posts} == {"é" * 500}, posts[0]
assert s.end()[0] == 0
PY
