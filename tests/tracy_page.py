# SPDX-License-Identifier: Apache-2.0
"""The page of a recording: images of frames, and parameters that a viewer sets. Called by cli/tracy_controls.sh."""
import json
import os
import re
import struct
import subprocess
import sys
import time

from view_client import TACHO, Server, until

program = sys.argv[1]


def image(trace, track, t):
    body = server.call(f"frame_image?track={track}&t={t}", trace)
    magic, _, width, height, flip = struct.unpack_from("<5I", body)
    assert magic == 0x31494654 and len(body) == 20 + width * height // 2, body[:20]
    return (width, height, flip, body[20:]) if width else None


def set_parameter(query, status=200, **headers):
    r, body = server.request("/api/v1/t/0/parameter?" + query, "POST", headers or None)
    assert r.status == status, (query, r.status, body)
    return json.loads(body)


# A saved trace: each frame has its image, and its parameter has its last value but cannot be set.
server = Server("run.tacho")
meta = server.call("meta")
assert meta["has"]["images"] and meta["has"]["parameters"] and meta["has"]["sections"], meta["has"]
track = [t["id"] for t in meta["tracks"] if t["kind"] == "frames"][0]
frames = server.call(f"frames?track={track}")["rows"]
assert len(frames) == 3, frames  # the fourth has not ended
images = [image(0, track, (a + b) // 2) for a, b in frames]
# The left half is red, green, blue: both colours of its blocks are the frame's; the right half is black.
colors = [struct.unpack_from("<H", i[3])[0] for i in images]
assert [i[:3] for i in images] == [(8, 4, 0), (8, 4, 1), (8, 4, 0)], images
assert [c >> 11 > 24 for c in colors] == [True, False, False] and colors[1] >> 5 & 63 > 48 and colors[2] & 31 > 24, colors
assert all(i[3][8:12] == bytes(4) for i in images), images
assert image(0, track, frames[0][0] - 1) is None or frames[0][0] == 0
other = [t["id"] for t in meta["tracks"] if t["kind"] == "thread"][0]
server.call(f"frame_image?track={other}&t=0", status=404)
server.call(f"frame_image?track={track}", status=400)
rows = server.call("parameters")["rows"]
assert [(r["number"], r["name"], r["type"], r["value"], r["changes"], r["settable"]) for r in rows] == [(5, "speed", "number", 1, 0, False)], rows
assert "recorded" in set_parameter("process=0&number=5&value=7", 400)["error"]
server.end()

# A recording: the token for others reads only, a GET changes nothing, wrong values are refused; then the program takes the value.
recorder = subprocess.Popen([TACHO, "run", "-q", "-o", "page.tacho", "-s", os.path.abspath("page-session"), "--", program, "-"],
                            stdout=subprocess.PIPE, text=True)
until("a session", lambda: os.path.exists("page-session/control"))
server = Server("--live", os.path.abspath("page-session"), "--share", "1h")
shared = re.search("token=([0-9a-f]{32})", server.reads("token="))[1]
until("a parameter", lambda: server.call("meta")["has"].get("parameters"))
row = until("a parameter", lambda: server.call("parameters")["rows"])[0]
assert row["settable"] and row["value"] == 1, row
what = f"process={row['process']}&number=5&value="
server.call("parameter?" + what + "42", status=405)
for wrong, status in ((what, 400), (what + "4x", 400), (what + "2147483648", 400), (what + "-2147483649", 400), (f"process={row['process']}&number=6&value=1", 404),
                      ("process=99&number=5&value=1", 404), ("number=5&value=1", 400)):
    set_parameter(wrong, status)
assert server.request("/api/v1/t/0/parameters", "POST")[0].status == 405
assert server.request("/api/v1/t/0/parameter?" + what + "42", "POST", token=False)[0].status == 403
assert server.request("/api/v1/t/0/parameter?" + what + "42", "POST", {"Origin": "http://elsewhere"})[0].status == 403
reader = {"Authorization": "Bearer " + shared}
assert server.request("/api/v1/t/0/parameters", headers=reader)[0].status == 200
assert "reading" in set_parameter(what + "42", 403, **reader)["error"]
set_parameter(what + "-3")
until("-3", lambda: server.call("parameters")["rows"][0], lambda r: r["value"] == -3 and r["changes"] == 1)
time.sleep(0.2)  # a checkpoint is due now, and made while the row of the next value is held
set_parameter(what + "-4")
until("-4", lambda: server.call("parameters")["rows"][0], lambda r: r["value"] == -4 and r["changes"] == 2)
set_parameter(what + "42")
assert recorder.communicate()[0] == "speed 42\n" and recorder.returncode == 0
until("the end", lambda: server.get("/api/v1/traces")["traces"][0]["state"], lambda s: s == "ended")
assert "recorded" in set_parameter(what + "1", 400)["error"]
server.end()
