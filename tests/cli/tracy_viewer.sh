# SPDX-License-Identifier: Apache-2.0
# The page by the names of Tracy's viewer: a file, a program that it connects to, programs that announce themselves.
. "$SOURCE/tests/lib.sh"
export XDG_STATE_HOME=$PWD/state BUILD SOURCE TACHO PATIENCE
expect_error 2 'not a port' "$BUILD/tracy" -p 99999
expect_error 2 'not both' "$BUILD/tracy" -p 8086 x.tracy
expect_error 3 'cannot open nothing.tracy' "$BUILD/tracy-profiler" nothing.tracy
[ ! -e state ] || fail "a wrong command has recorded"

# Not installed over a program that is there.
prefix=$PWD/prefix
mkdir -p "$prefix/bin"
echo theirs >"$prefix/bin/tracy"
cmake -DCMAKE_INSTALL_PREFIX="$prefix" -P "$BUILD/cmake_install.cmake" >log 2>&1 || fail "install: $(tail -3 log)"
expect_line "$prefix/bin/tracy" '^theirs$'
expect_line log 'Not replaced: .*/bin/tracy$'
expect_exit 0 "$prefix/bin/Tracy-release" --help

# Neither other recordings nor other announcements must be found.
unshare -nm true 2>/dev/null || skip "only root can have a network of its own"
"$MKTRACE" -n 100 old.tacho || fail mktrace
cat >inside.py <<'PY'
import os, re, signal, socket, struct, subprocess, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server, until
BUILD = os.environ["BUILD"]
subprocess.run("mount -t tmpfs tmpfs /dev/shm; mount -t tmpfs tmpfs /run; ip link set lo up", shell=True, check=True)


def client(mode):
    p = subprocess.Popen([sys.executable, os.environ["SOURCE"] + "/tests/tracy_client.py", "0", mode],
                         stdout=subprocess.PIPE, text=True)
    return p, re.search(r"listening (\d+)", p.stdout.readline())[1]


def end(s):
    s.process.send_signal(signal.SIGINT)
    rest = s.process.stdout.read()
    assert s.process.wait() == 0, rest
    return "".join(s.said) + rest


def saved(said):
    return re.search(r"recorded (.*\.tacho)$", said, re.M)[1]


def check(path):
    text = subprocess.run([BUILD + "/tacho", "zones", path], capture_output=True, text=True, check=True).stdout
    assert re.search("one", text) and re.search("two", text), text


# A file.
s = Server(command=[BUILD + "/Tracy-release", "old.tacho"])
assert [t["name"] for t in s.get("/api/v1/traces")["traces"]] == ["old.tacho"]
end(s)

# A program, by its address.
p, port = client("hang")
s = Server(command=[BUILD + "/tracy-profiler", "-a", "127.0.0.1", "-p", port])
names = [t["name"] for t in s.get("/api/v1/traces")["traces"]]
assert names[0].startswith("tracy-") and "old.tacho" in names, names
until("live zones", lambda: s.get("/api/v1/traces")["traces"][0]["zones"], lambda n: n == 2)
said = end(s)
assert "waiting for the program at 127.0.0.1" in said and "recent: ./old.tacho" in said, said
check(saved(said))
p.kill()

# Nothing comes: nothing is left.
before = set(os.listdir("state/tacho"))
s = Server(command=[BUILD + "/tracy"])
assert s.get("/api/v1/traces")["traces"][0]["state"] == "waiting"
assert "recorded" not in end(s)
assert set(os.listdir("state/tacho")) == before

# A program that announces itself after the page was opened.
s = Server(command=[BUILD + "/tracy"])
p, port = client("hang")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)


def announced():
    udp.sendto(struct.pack("<HHIQi", 3, int(port), 66, 77, 1) + b"invented\0", ("127.255.255.255", 8086))
    return s.get("/api/v1/traces")["traces"][0]["zones"]


until("announced zones", announced, lambda n: n == 2)
check(saved(end(s)))
p.kill()

# A recording of Tacho.
run = subprocess.Popen([BUILD + "/tacho", "run", "-q", "-f", "-o", "t.tacho", "--", BUILD + "/tests/steady", "5"],
                       stdout=subprocess.DEVNULL)
until("session", lambda: subprocess.run([BUILD + "/tacho", "info", "t.tacho.part"], capture_output=True).returncode in (0, 4))
s = Server(command=[BUILD + "/tracy"])
assert s.get("/api/v1/traces")["traces"][0]["name"] == "t.tacho"
end(s)
run.terminate()
run.wait()
PY
timeout "$PATIENCE" unshare -nm python3 inside.py >said 2>&1 || fail "$(cat said)"
