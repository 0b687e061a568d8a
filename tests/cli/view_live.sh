# SPDX-License-Identifier: Apache-2.0
# tacho view while something is recorded: the page follows, and either side may start again.
# labels: tsan
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
PROGS=$BUILD/tests
python3 - "$PROGS/steady" <<'PY' >said 2>&1 || fail "$(cat said)"
import os, subprocess, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import TACHO, Server, WebSocket, free_port, tiles, until

steady = sys.argv[1]


def hold(path):
    open(path, "w").close()


def trace():
    return s.get("/api/v1/traces")["traces"][0]


def threads():
    return [t["lanes"] for t in s.call("meta")["tracks"] if t["kind"] == "thread"]


# run --view: the page is there while the command runs and after it.
hold("held-a")
s = Server(command=[TACHO, "run", "--view", "--port", "0", "-o", "a.tacho", "--", steady, "1", "held-a"])
w = WebSocket(s)
states, zones, metas = [], [], 0
while "ended" not in states:
    told = w.told(240)
    assert told, (states, zones)
    if "state" in told:
        states.append(told["state"]["state"])
    if "meta" in told:
        metas += 1
    if "live" in told:
        zones.append(told["live"]["zones"])
        if len(zones) == 10:
            os.unlink("held-a")
assert states[-2:] == ["live", "ended"] or states == ["ended"], states
assert zones == sorted(zones) and zones[0] < zones[-1], zones
whole = trace()["zones"]
while zones[-1] < whole:
    told = w.told(240)
    assert told, zones
    zones += [told["live"]["zones"]] if "live" in told else []
assert metas >= 1
assert trace()["state"] == "ended"
assert {r["text"] for r in s.call("stats")["rows"]} == {"all the time", "outer", "inner"}
s.reads("stays until Ctrl-C")
code, rest = s.end()
assert code == 0 and f"{whole:,} zones" in rest and f"\nzones {whole} messages" in rest, (code, whole, rest)

# The status is that of the command.
s = Server(command=[TACHO, "run", "--view", "--port", "0", "-o", "b.tacho", "--", "sh", "-c", "exit 7"])
s.reads("stays until Ctrl-C")
code, rest = s.end()
assert code == 7, (code, rest)

# A recording by another process, found by its trace; an open zone is shown; then the viewer restarts.
hold("held-c")
recorder = subprocess.Popen([TACHO, "run", "-q", "-o", "c.tacho", "--", steady, "1", "held-c"], stdout=subprocess.DEVNULL)
until("recording", lambda: os.path.exists("c.tacho.part"))
s = Server("--live", "c.tacho", port=str(free_port()))
w = WebSocket(s)
track = until("three lanes", threads, lambda t: t and len(t[0]) == 3)
numbers = [lane for lane, _ in track[0]]
assert len(set(numbers)) == 3, track
whole = numbers[0]
# Until it is as long as a pixel, there is no rectangle.
got = until("the open zone", lambda: tiles(s.call(f"tiles?lanes={whole}&res=23&i=0"))[1][whole], lambda t: t and t[2])
assert [r[4] for r in got[2]] == [0xFFFFFFFF], got[2]
z = s.call(f"zone?lane={whole}&idx={0xFFFFFFFF}")
assert z["flags"]["unfinished"] and z["depth"] == 0
port, token = s.port, s.token
s.process.kill()
s.process.wait()
s = Server("c.tacho.part", port=str(port))
assert s.port == port and s.token != token
assert trace()["live"]
w = WebSocket(s)
os.unlink("held-c")
assert recorder.wait() == 0
until("the end is reported", lambda: w.told(240), lambda told: told is None or told.get("state", {}).get("state") == "ended")
rounds = (trace()["zones"] - 1) // 10
assert rounds >= 500
assert [[n for _, n in lanes] for lanes in threads()] == [[1, rounds, 9 * rounds]], (rounds, threads())

# A new recording in its place: the open page shows that one.
before = trace()
subprocess.run([TACHO, "run", "-q", "-f", "-o", "c.tacho", "--", steady, "1"], stdout=subprocess.DEVNULL, check=True)
until("the new one", trace, lambda now: now["tag"] != before["tag"] and now["zones"] == 5001 and not now["live"])
assert s.call("stats")["rows"][0]["count"] == 1

# One that takes its time is live, as the first was; it is found by a path where nothing is yet.
hold("held-d")
os.mkdir("folder")
recorder = subprocess.Popen([TACHO, "run", "-q", "-f", "-o", "folder/../c.tacho", "--", steady, "1", "held-d"],
                            stdout=subprocess.DEVNULL)
until("live again", trace, lambda now: now["live"] and now["state"] == "live")
os.rename("c.tacho", "old.tacho")
other = Server("c.tacho")
assert other.get("/api/v1/traces")["traces"][0]["live"]
os.unlink("held-d")
assert recorder.wait() == 0
until("ended", trace, lambda now: not now["live"] and now["state"] == "ended")
until("ended there", lambda: other.get("/api/v1/traces")["traces"][0]["state"], lambda now: now == "ended")
assert other.end()[0] == 0
assert s.end()[0] == 0
PY
