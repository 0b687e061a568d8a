# SPDX-License-Identifier: Apache-2.0
# tacho view: what it takes, what it prints, every call, the port, the end.
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
$MKTRACE -n 100000 m.tacho
mkdir -p tree/src folder
for i in $(seq 20); do echo "line $i"; done >tree/src/app.c
python3 - ops_perf_results_x.csv <<'PY'
import csv, sys
columns = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
           "HOST START TS", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]",
           "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "DEVICE BRISC KERNEL DURATION [ns]"]
for t in ("INPUT_0", "INPUT_1", "OUTPUT_0"):
    columns += [f"{t}_{d}" for d in ("W", "Z", "Y", "X", "LAYOUT", "DATATYPE", "MEMORY")]
with open(sys.argv[1], "w", newline="") as f:
    w = csv.DictWriter(f, columns)
    w.writeheader()
    for i in range(40):
        row = {"OP CODE": ["Matmul", "Softmax <b>"][i % 2], "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": i << 10,
               "DEVICE ID": 0, "MATH FIDELITY": "HiFi2", "CORE COUNT": 1 + i, "HOST START TS": 1000 * i,
               "OP TO OP LATENCY [ns]": 500 * i, "DEVICE FW DURATION [ns]": 4000 + i,
               "DEVICE KERNEL DURATION [ns]": 3000 + 7 * i, "DEVICE BRISC KERNEL DURATION [ns]": 2000}
        for t in ("INPUT_0", "INPUT_1", "OUTPUT_0"):
            row.update({f"{t}_W": 1, f"{t}_Z": 1, f"{t}_Y": 128, f"{t}_X": 256, f"{t}_LAYOUT": "TILE",
                        f"{t}_DATATYPE": "BFLOAT16", f"{t}_MEMORY": "DEV_0_DRAM_INTERLEAVED"})
        w.writerow(row)
PY

python3 "$SOURCE/tests/view_calls.py" m.tacho ops_perf_results_x.csv >said 2>&1 || fail "$(cat said)"
expect_line said '^all calls answer$'

# A folder, a .tracy file, an unfinished one; damage is reported, not fatal.
$TACHO export --to=tracy -o folder/t.tracy m.tacho || fail "no .tracy file"
$MKTRACE -u folder/u.tacho
cp m.tacho folder/cut.tacho
truncate -s -300 folder/cut.tacho
cp ops_perf_results_x.csv folder
python3 - folder <<'PY' >said 2>&1 || fail "$(cat said)"
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server(sys.argv[1])
traces = {t["name"]: t for t in s.get("/api/v1/traces")["traces"]}
assert set(traces) == {"t.tracy", "u.tacho.part", "cut.tacho", "ops_perf_results_x.csv"}, traces
assert traces["t.tracy"]["zones"] == 100028 and traces["cut.tacho"]["state"] == "damaged", traces
for t in traces.values():
    if t["kind"] == "trace":
        meta = s.call("meta", t["id"])
        assert meta["tracks"] and s.call("stats", t["id"])["rows"] is not None
        assert (t["state"] == "damaged") == any(w["kind"] == "damage" for w in meta["warnings"]), t
assert s.end()[0] == 0
PY

# The profiler's folder: the trace in .logs, without the .tracy file that was made of it, then the reports, newest first.
mkdir -p profiler/.logs profiler/reports/2026_01_01 profiler/reports/2026_02_02
cp m.tacho profiler/.logs/tracy_profile_log_host.tacho
cp folder/t.tracy profiler/.logs/tracy_profile_log_host.tracy
cp folder/t.tracy profiler/reports/2026_01_01/tracy_profile_log_host.tracy
cp ops_perf_results_x.csv profiler/reports/2026_01_01/ops_perf_results_1.csv
cp ops_perf_results_x.csv profiler/reports/2026_02_02/ops_perf_results_2.csv
python3 - profiler <<'PY' >said 2>&1 || fail "$(cat said)"
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server(sys.argv[1])
names = [t["name"] for t in s.get("/api/v1/traces")["traces"]]
assert names == ["tracy_profile_log_host.tacho", "ops_perf_results_2.csv", "ops_perf_results_1.csv"], names
assert s.end()[0] == 0
PY

# Tables of the same name are distinguished by their folders.
mkdir -p before/reports after/reports
for side in before after; do cp ops_perf_results_x.csv $side/reports/ops_perf_results.csv; done
python3 - before after m.tacho <<'PY' >said 2>&1 || fail "$(cat said)"
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server(*sys.argv[1:])
names = [t["name"] for t in s.get("/api/v1/traces")["traces"]]
assert names == ["before/reports/ops_perf_results.csv", "after/reports/ops_perf_results.csv", "m.tacho"], names
assert s.end()[0] == 0
PY

# --open gives a page that leads to the URL to the desktop's opener, and says when there is none. The
# command line, which everybody can read, does not have the token.
mkdir bin
printf '#!/bin/sh\necho "$@" >args\ncp "$1" opened.part\nstat -c %%a "$1" "${1%%/*}" >modes\nmv opened.part opened\n' >bin/xdg-open
chmod +x bin/xdg-open
PATH=$here/bin:$PATH $TACHO view --open --port 0 --idle-exit=1 m.tacho >out 2>err || fail "--open: $(cat err)"
wait_for test -f opened
expect_no_line args '[0-9a-f]{32}'
grep -qF "0;url=$(head -1 out)\"" opened || fail "another URL was opened: $(cat opened)"
[ "$(xargs <modes)" = '600 700' ] || fail "modes: $(cat modes)"
[ ! -e "$(cat args)" ] || fail "the page is left"
PATH=$here $TACHO view --open --port 0 --idle-exit=1 m.tacho >out 2>err || fail "--open without an opener: $(cat err)"
expect_line err '^tacho: cannot open a browser \(xdg-open: No such file or directory\): open the URL$'

# Wrong usage is one line.
: >nothing.csv
expect_error 3 'nothing.csv is not a table of ops' $TACHO view nothing.csv
: >short.tacho
expect_error 3 'short.tacho is too short' $TACHO view short.tacho
expect_error 3 'nothing.tacho' $TACHO view nothing.tacho
mkdir empty
expect_error 3 'empty has no trace' $TACHO view empty
mkdir some
cp m.tacho some/good.tacho
: >some/bad.tacho
expect_error 2 'not a port' $TACHO view --port 70000 m.tacho
expect_error 2 'not a port' $TACHO view --port -1 m.tacho
expect_error 2 'not a port' $TACHO run --view --port 70000 -- true
expect_error 3 'nowhere' $TACHO view --source nowhere m.tacho
expect_error 3 'is not a folder' $TACHO view --assets m.tacho m.tacho
expect_error 2 'not an address' $TACHO view --bind here m.tacho
expect_error 2 'idle' $TACHO view --idle-exit=-1 m.tacho
echo nonsense >x.tacho
expect_error 3 'x.tacho' $TACHO view x.tacho
expect_error 7 "no session 'none'" $TACHO view --live none

# The requested port is in use: the error names the owner. Without --port the next free one is used.
python3 - <<'PY' >said 2>&1 || fail "$(cat said)"
import os, re, shutil, socket, subprocess, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import TACHO, Server
s = Server("m.tacho")
p = subprocess.run([TACHO, "view", "--port", str(s.port), "m.tacho"], capture_output=True, text=True)
assert p.returncode == 7 and re.fullmatch(rf"tacho: port {s.port} is taken by tacho \(pid {s.process.pid}\)\n", p.stderr), p
a = Server(command=[TACHO, "view", "m.tacho"])
b = Server(command=[TACHO, "view", "m.tacho"])
assert b.port != a.port >= 8086 and any("port 8086 is taken by" in line for line in a.said + b.said), b.said
b.reads("ssh -L")
for server in (a, b, s):
    assert server.end()[0] == 0
# Unreadable files of a folder are reported; the others are shown.
s = Server("some")
assert [t["name"] for t in s.get("/api/v1/traces")["traces"]] == ["good.tacho"]
s.reads("not shown: some/bad.tacho is too short")
assert s.end()[0] == 0
# All addresses are none to go to: the URL has the machine's name.
s = Server("--bind", "0.0.0.0", "m.tacho")
assert s.address == socket.gethostname(), s.said
s.end()
# A file that is cut while it is shown: what cannot be read any more says why.
shutil.copy("m.tacho", "cut.tacho")
s = Server("cut.tacho")
os.truncate("cut.tacho", 0)
assert "changed after it was opened" in s.call("meta", status=500)["error"]
s.end()
s = Server("--quiet", "m.tacho")
code, rest = s.end(15)
assert code == 0 and "serving" not in rest, (code, rest)
# IPv6, and an end by itself.
try:
    socket.create_server(("::1", 0), family=socket.AF_INET6).close()
except OSError:
    print("no IPv6 here")
else:
    s = Server("--bind", "::1", "m.tacho")
    assert s.address == "::1" and s.call("meta")["zones"]
    s.end()
s = Server("--idle-exit", "1", "m.tacho")
assert s.process.wait(240) == 0
PY
