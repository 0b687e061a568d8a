# tacho view while something is recorded: the page follows, and either side may start again.
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
PROGS=$BUILD/tests
python3 - "$PROGS/steady" <<'PY' >said 2>&1 || fail "$(cat said)"
import os, subprocess, sys, time
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import TACHO, Server, WebSocket, tiles

steady = sys.argv[1]

# run --view: the page is there while the command runs and after it.
s = Server(command=[TACHO, "run", "--view", "--port", "0", "-o", "a.tacho", "--", steady, "3"])
w = WebSocket(s)
states, zones, metas, last = [], [], 0, time.monotonic()
longest = 0
while "ended" not in states:
    told = w.told(10)
    assert told, (states, zones)
    if "state" in told:
        states.append(told["state"]["state"])
    if "meta" in told:
        metas += 1
    if "live" in told:
        zones.append(told["live"]["zones"])
        longest = max(longest, time.monotonic() - last)
        last = time.monotonic()
assert states[-2:] == ["live", "ended"] or states == ["ended"], states
assert zones == sorted(zones) and len(zones) > 10, zones
while zones[-1] < 15001:
    told = w.told(10)
    assert told, zones
    zones += [told["live"]["zones"]] if "live" in told else []
assert metas >= 1
assert s.get("/api/v1/traces")["traces"][0]["state"] == "ended"
assert {r["text"] for r in s.call("stats")["rows"]} == {"all the time", "outer", "inner"}
code, rest = s.end()
assert code == 0 and "stays until Ctrl-C" in rest and "15,001 zones" in rest, (code, rest)

# The status is that of the command.
s = Server(command=[TACHO, "run", "--view", "--port", "0", "-o", "b.tacho", "--", "sh", "-c", "sleep 0.5; exit 7"])
time.sleep(1)
code, rest = s.end()
assert code == 7, (code, rest)

# A recording by another process, found by its trace; an open zone is shown; then the viewer starts anew.
recorder = subprocess.Popen([TACHO, "run", "-q", "-o", "c.tacho", "--", steady, "6"], stdout=subprocess.DEVNULL)
for _ in range(100):
    if os.path.exists("c.tacho.part"):
        break
    time.sleep(0.05)
s = Server("--live", "c.tacho")
w = WebSocket(s)
for _ in range(50):
    meta = s.call("meta")
    track = [t for t in meta["tracks"] if t["kind"] == "thread"]
    if track and len(track[0]["lanes"]) == 3:
        break
    time.sleep(0.1)
numbers = [lane for lane, _ in track[0]["lanes"]]
assert len(set(numbers)) == 3, track
whole = numbers[0]
got = tiles(s.call(f"tiles?lanes={whole}&res=23&i=0"))[1][whole]
assert got and [r[4] for r in got[2]] == [0xFFFFFFFF], got and got[2]
z = s.call(f"zone?lane={whole}&idx={0xFFFFFFFF}")
assert z["flags"]["unfinished"] and z["depth"] == 0
port, token = s.port, s.token
s.process.kill()
s.process.wait()
s = Server("c.tacho.part", port=str(port))
assert (s.port, s.token) == (port, token)
assert s.get("/api/v1/traces")["traces"][0]["live"]
w = WebSocket(s)
recorder.wait()
end = time.monotonic() + 20
while time.monotonic() < end:
    told = w.told(5)
    if told and told.get("state", {}).get("state") == "ended":
        break
meta = s.call("meta")
track = [t for t in meta["tracks"] if t["kind"] == "thread"][0]
assert [n for _, n in track["lanes"]] == [1, 3000, 27000], track

# A new recording in its place: the open page shows that one.
before = s.get("/api/v1/traces")["traces"][0]
subprocess.run([TACHO, "run", "-q", "-f", "-o", "c.tacho", "--", steady, "1"], stdout=subprocess.DEVNULL, check=True)
for _ in range(100):
    now = s.get("/api/v1/traces")["traces"][0]
    if now["tag"] != before["tag"] and now["zones"] == 5001:
        break
    time.sleep(0.1)
assert now["tag"] != before["tag"] and now["zones"] == 5001, (before, now)
assert s.call("stats")["rows"][0]["count"] == 1
assert s.end()[0] == 0
PY
