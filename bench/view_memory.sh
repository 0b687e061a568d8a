#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The memory of a viewer that follows a recording: after N and after 4 N zones. view_memory.sh [MILLIONS]
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
python3 - "${1:-40}" <<'PY'
import os, subprocess, sys, time
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import TACHO, Server, WebSocket, until

millions = int(sys.argv[1])
recorder = subprocess.Popen([TACHO, "run", "-q", "--policy", "block", "--block-ms", "60000", "-o", "t.tacho", "--",
                             os.environ["BUILD"] + "/live_burst", str(4 * millions)])
until("recording", lambda: os.path.exists("t.tacho.part"))
server = Server("--live", "t.tacho")
page = WebSocket(server)  # the server follows for it


def memory():
    with open(f"/proc/{server.process.pid}/smaps_rollup") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Anonymous:")) / 1024


def look():
    """Asks for what a page shows: all lanes in one tile, and the statistics."""
    trace = server.get("/api/v1/traces")["traces"][0]
    lanes = [str(lane) for track in server.call("meta")["tracks"] for lane, _ in track["lanes"]]
    if lanes:
        res = max(0, (trace["duration"] // 512).bit_length())
        server.call(f"tiles?lanes={','.join(lanes)}&res={res}&i=0")
        server.call("stats")
    return trace


few = None
while True:
    trace = look()
    if few is None and trace["zones"] >= millions * 10**6:
        few, at = memory(), trace["zones"]
    if trace["state"] == "ended":
        break
many = memory()
print(f"live viewer, heap: {few:.1f} MiB after {at / 1e6:.0f} M zones, {many:.1f} MiB after {trace['zones'] / 1e6:.0f} M: "
      f"{many / few:.2f} times for {trace['zones'] / at:.1f} times the zones")
recorder.wait()
server.end()
PY
