# tacho view: who may ask, and requests that mean harm.
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
$MKTRACE -n 100000 m.tacho
mkdir -p tree/src
for i in $(seq 20); do echo "line $i"; done >tree/src/app.c
python3 "$SOURCE/tests/view_hostile.py" m.tacho >said 2>&1 || fail "$(cat said)"
expect_line said '^[0-9]{3} hostile requests$'

export PLACE=$(user_place)
python3 - <<'PY' >said 2>&1 || fail "$(cat said)"
import os, socket, subprocess, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server

# By default nobody else can connect at all.
s = Server("m.tacho")
listening = [line.split() for line in open("/proc/net/tcp")][1:]
mine = [f[1] for f in listening if f[3] == "0A" and int(f[1].split(":")[1], 16) == s.port]
assert mine == [f"0100007F:{s.port:04X}"], mine
first = s.token
s.end()

# The token is the user's own and stays, so that an open page survives a new server.
path = os.environ["PLACE"] + "/.view-token"
assert os.stat(path).st_mode & 0o77 == 0
s = Server("m.tacho")
assert s.token == first
s.end()
# One that others could read, or that was cut, is not used.
os.chmod(path, 0o644)
s = Server("m.tacho")
assert s.token != first
s.end()
os.chmod(path, 0o600)

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
