# SPDX-License-Identifier: Apache-2.0
# tacho view: who may ask, and requests that mean harm.
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
$MKTRACE -n 100000 m.tacho
mkdir -p tree/src
for i in $(seq 20); do echo "line $i"; done >tree/src/app.c
python3 "$SOURCE/tests/view_hostile.py" m.tacho >said 2>&1 || fail "$(cat said)"
expect_line said '^[0-9]{3} hostile requests$'

python3 - <<'PY' >said 2>&1 || fail "$(cat said)"
import os, signal, socket, subprocess, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server, WebSocket, until

# By default nobody else can connect at all.
s = Server("m.tacho")
listening = [line.split() for line in open("/proc/net/tcp")][1:]
mine = [f[1] for f in listening if f[3] == "0A" and int(f[1].split(":")[1], 16) == s.port]
assert mine == [f"0100007F:{s.port:04X}"], mine
first = s.token
s.end()

# The token is of one server, and of nothing that stays.
s = Server("m.tacho")
assert s.token != first

# A new one on request: the old one opens nothing any more, and sockets that are open end.
old, w = s.token, WebSocket(s)
s.get("/api/v1/traces")
s.process.send_signal(signal.SIGUSR1)
s.token = s.reads("?token=").rstrip().split("=")[1]
assert s.token != old
s.get("/api/v1/traces")
assert s.request("/api/v1/traces", headers={"Authorization": "Bearer " + old})[0].status == 403
assert s.request("/?token=" + old, token=False)[0].status == 403
while w.s.recv(4096):
    pass
s.end()

# --share: a second URL, which ends by itself; the first one does not.
s = Server("--share=1500ms", "m.tacho")
shared = s.reads("for others").rstrip().split("=")[1]
assert len(shared) == 32 and shared != s.token
def status():
    return s.request("/api/v1/traces", headers={"Authorization": "Bearer " + shared})[0].status
until("the end of the shared token", status, lambda code: code == 403)
s.get("/api/v1/traces")
assert s.request("/?token=" + shared, token=False)[0].status == 403
assert s.request("/api/v1/traces", headers={"Authorization": "Bearer "})[0].status == 403
s.end()

# --bind: other addresses of this machine are right then, other names are not; the token is needed.
s = Server("--bind", "0.0.0.0", "m.tacho")
s.address = "127.0.0.1"
name = socket.gethostname()
for host, want in (("10.1.2.3:80", 200), (f"{name}:1", 200), ("evil.example", 403), (name + ".evil.example", 403)):
    r, _ = s.request("/api/v1/traces", headers={"Host": host})
    assert r.status == want, (host, r.status)
    r, _ = s.request("/api/v1/traces", headers={"Host": host}, token=False)
    assert r.status == 403, host
s.end()

# Links in the folder of --source do not lead out of it; neither does a name in the trace.
os.symlink("/etc/passwd", "tree/src/link.c")
os.rename("tree/src/app.c", "tree/src/real.c")
os.symlink("/etc/passwd", "tree/src/app.c")
s = Server("--source", "tree", "m.tacho")
assert "root:" not in str(s.call("source?name=0", status=404))
s.end()
PY
