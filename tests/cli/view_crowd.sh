# SPDX-License-Identifier: Apache-2.0
# tacho view: many who ask for everything at the same time, of a recording that grows and of a trace.
# labels: tsan
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
PROGS=$BUILD/tests
"$MKTRACE" rich.tacho || fail "no trace"
python3 - "$PROGS/many_kinds" <<'PY' >said 2>&1 || fail "$(cat said)"
import os, random, subprocess, sys, threading
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import TACHO, Server, WebSocket, until

CLIENTS, ROUNDS = 8, 6

open("held", "w").close()
recorder = subprocess.Popen([TACHO, "run", "-q", "-o", "live.tacho", "--", sys.argv[1], "held"],
                            stdout=subprocess.PIPE, text=True)
until("recording", lambda: os.path.exists("live.tacho.part"))
s = Server("--live", "live.tacho", "rich.tacho")


def live():
    return next(t for t in s.get("/api/v1/traces")["traces"] if t["path"].startswith("live"))


number = live()["id"]
asked = ["meta", "names?from=0", "lane_names?lanes=0-9", "stats", "hist?name=0&bins=20", "instances?name=0&sort=duration",
         "instances?name=0&group=track", "flame", "messages", "messages?q=round", "plots", "memory", "locks", "ops",
         "search?q=ro", "overview", "tiles?lanes=0-9&res=20&i=0-3", "tiles?lanes=0-3&res=12&i=5", "hit?lane=1&t=1000000",
         "zone?lane=0&idx=0", "export?what=messages&fmt=csv", "export?what=stats&fmt=json"]
kinds = {"plot": "plot?track={}&res=20&i=0", "frames": "frames?track={}", "memory": "memory?track={}&res=20&i=0",
         "lock": "lock?track={}"}
until("every kind", lambda: {t["kind"] for t in s.call("meta", number)["tracks"]}, lambda seen: seen >= kinds.keys())
until("names and messages", lambda: s.call("stats", number)["rows"] and s.call("messages", number)["rows"])
wrong = []


def client(seed):
    rng = random.Random(seed)
    try:
        for _ in range(ROUNDS):
            trace = rng.randrange(2)
            tracks = [t for t in s.call("meta", trace)["tracks"] if t["kind"] in kinds]
            calls = asked + [kinds[t["kind"]].format(t["id"]) for t in tracks]
            for call in rng.sample(calls, 10):
                s.call(call, trace)
    except BaseException as error:
        wrong.append(f"client {seed}: {error!r}")


sockets = [WebSocket(s) for _ in range(3)]
clients = [threading.Thread(target=client, args=[i]) for i in range(CLIENTS)]
for c in clients:
    c.start()
for c in clients:
    c.join()
assert not wrong, wrong
assert all(w.told(240) for w in sockets)

# Nothing is missing in the end.
os.unlink("held")
words = recorder.communicate()[0].split()
assert recorder.returncode == 0
until("ended", live, lambda now: now["state"] == "ended")
assert live()["zones"] == int(words[1]), (live(), words)
assert s.call("messages", number)["total"] == int(words[3]), words
listed = [m["t"] for m in s.call("messages?signposts=1&limit=1000", number)["rows"]]
posts = s.call("meta", number)["signposts"]
assert [p["t"] for p in posts] == listed and len(posts) == int(words[3]) // 3, (posts, listed, words)
assert {(p["header"], p["message"]) for p in posts} == {("round", "")}, posts
code, rest = s.end()
assert code == 0, (code, rest)
PY
