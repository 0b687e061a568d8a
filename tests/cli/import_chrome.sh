# SPDX-License-Identifier: Apache-2.0
# Chrome traces: those of tacho export, those of other tools, and malformed ones.
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache
$MKTRACE -c -n 5000 m.tacho
$TACHO export -q --to=chrome -o m.json m.tacho || fail "no export"
expect_exit 0 $TACHO import m.json -o back.tacho
expect_exit 0 $TACHO check back.tacho
for f in m back; do
	$TACHO stats --format=json $f.tacho >$f.stats || fail "stats $f"
done
python3 - <<'PY' >said 2>&1 || fail "$(cat said)"
import json
a, b = ({r["name"]: r for r in json.load(open(f + ".stats")) if r["count"]} for f in ("m", "back"))
# A Chrome trace has no lock events: lock waits become self time.
for r in list(a.values()) + list(b.values()):
    r["self_ns"] += r["wait_ns"]
# Zones with run-time names are listed under these.
shared = [n for n in a if n in b and a[n]["count"] == b[n]["count"]]
assert len(shared) >= len(a) - 4, (sorted(a), sorted(b))
for n in shared:
    for key in ("count", "total_ns", "self_ns", "max_ns"):
        assert abs(a[n][key] - b[n][key]) <= a[n]["count"], (n, key, a[n][key], b[n][key])
PY
expect_exit 0 $TACHO messages --format=csv back.tacho
expect_line out 'entering' 'slow: 12 ms'
expect_exit 0 $TACHO plots back.tacho
expect_line out 'queue depth'

# The source position becomes a source location, not a text.
expect_exit 0 $TACHO zones --format=csv back.tacho
expect_line out ',main,main,src/app.c,10,'
expect_no_line out 'src/app.c.*file: '
echo '[{"name":"a","cat":"c","ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"args":{"file":"x.py","line":"7"}},
{"name":"b","cat":"c","ph":"X","pid":1,"tid":1,"ts":5,"dur":2,"args":{"file":5,"line":99999999999}},
{"name":"d","ph":"X","pid":1,"tid":1,"ts":9,"dur":2,"args":{"file":"y.c","line":-3,"function":{}}}]' >places.json
expect_exit 0 $TACHO import places.json -o places.tacho
expect_exit 0 $TACHO zones --format=csv places.tacho
expect_line out ',a,a,x.py,0,.*line: 7' ',b,b,c,0,.*file: 5' ',d,d,y.c,0,'

# From other tools: a bare array without an end, numbers as text, begin and end, zones that do not nest.
cat >other.json <<'JSON'
[
{"name":"process_name","ph":"M","pid":"app","args":{"name":"the app"}},
{"name":"thread_name","ph":"M","pid":"app","tid":7,"args":{"name":"worker [x] \"y\""}},
{"name":"outer","cat":"a,b","ph":"B","pid":"app","tid":7,"ts":1000.5},
{"name":"inner","ph":"X","pid":"app","tid":7,"ts":1001,"dur":2.25,"args":{"k":"v","n":3}},
{"ph":"E","pid":"app","tid":7,"ts":1010},
{"name":"too long","ph":"X","pid":"app","tid":7,"ts":1020,"dur":10},
{"name":"reaches over","ph":"X","pid":"app","tid":7,"ts":1025,"dur":10},
{"name":"open","ph":"B","pid":"app","tid":8,"ts":1030},
{"name":"big time","ph":"i","pid":"app","tid":7,"ts":1.0305e3,"s":"t"},
{"name":"load","ph":"C","pid":"app","ts":1005,"args":{"a":1,"b":2.5}},
{"name":"flow","ph":"s","pid":"app","tid":7,"ts":1006,"id":1},
{"ph":"E","pid":"app","tid":9,"ts":1010},
JSON
expect_exit 4 $TACHO import other.json
expect_line err 'other.tacho: 5 zones' '1 events of other kinds' '1 zones did not end within' 'ends in the middle'
expect_exit 0 $TACHO zones --format=csv other.tacho
expect_line out '^0,9500,7250,.*,outer,' '^500,2250,2250,.*,inner,.*"k: v$' '^24500,5000,.*reaches over' 'open,.*unfinished'
expect_exit 0 $TACHO plots other.tacho
expect_line out 'load a' 'load b'
expect_exit 0 $TACHO info other.tacho
expect_line out 'the app' 'worker \[x\]'
expect_exit 0 $TACHO check other.tacho

# An object with other members around the events.
printf '{"a":{"traceEvents":[1,2]},"displayTimeUnit":"ns","traceEvents":[{"name":"z","ph":"X","ts":-5,"dur":1,"pid":1,"tid":1}],"b":[]}' >object.json
expect_exit 0 $TACHO import object.json
expect_line err 'object.tacho: 1 zones'

# Flows, asynchronous spans, rank and real time of a job, as from PyTorch's profiler.
cat >flows.json <<'JSON'
{"distributedInfo":{"backend":"nccl","rank":3,"world_size":8},"traceEvents":[
{"ph":"X","name":"mm","pid":1,"tid":1,"ts":100,"dur":50},
{"ph":"X","name":"launch","pid":1,"tid":1,"ts":110,"dur":5},
{"ph":"X","name":"kernel","pid":1,"tid":"stream 7","ts":130,"dur":20},
{"ph":"X","name":"kernel","pid":1,"tid":"stream 7","ts":108,"dur":2},
{"ph":"s","id":5,"cat":"ac2g","name":"to device","pid":1,"tid":1,"ts":110},
{"ph":"f","id":5,"cat":"ac2g","name":"to device","pid":1,"tid":"stream 7","ts":130,"bp":"e"},
{"ph":"s","id":5,"cat":"ac2g","name":"to device","pid":1,"tid":1,"ts":112},
{"ph":"f","id":5,"cat":"ac2g","name":"to device","pid":1,"tid":"stream 7","ts":108,"bp":"e"},
{"ph":"s","id":5,"cat":"other","name":"fb","pid":1,"tid":1,"ts":100},
{"ph":"t","id":5,"cat":"other","name":"fb","pid":1,"tid":1,"ts":111},
{"ph":"f","id":5,"cat":"other","name":"fb","pid":1,"tid":"stream 7","ts":120},
{"ph":"f","id":77,"cat":"other","name":"without a beginning","pid":1,"tid":1,"ts":120},
{"ph":"b","id":"0x1","cat":"req","name":"request","pid":1,"ts":100},
{"ph":"b","id":"0x2","cat":"req","name":"request","pid":1,"ts":105},
{"ph":"b","id":"0x1","cat":"req","name":"read","pid":1,"ts":106},
{"ph":"n","id":"0x1","cat":"req","name":"tick","pid":1,"tid":1,"ts":107},
{"ph":"e","id":"0x1","cat":"req","name":"read","pid":1,"ts":109},
{"ph":"e","id":"0x1","cat":"req","name":"request","pid":1,"ts":120},
{"ph":"e","id":"0x2","cat":"req","name":"request","pid":1,"ts":140},
{"ph":"b","id2":{"local":"0x3"},"cat":"req","name":"request","pid":1,"ts":121},
{"ph":"e","id2":{"local":"0x3"},"cat":"req","name":"request","pid":1,"ts":125},
{"ph":"X","name":"send","pid":1,"tid":1,"ts":160,"dur":5,"bind_id":"0x9","flow_out":true},
{"ph":"X","name":"recv","pid":1,"tid":2,"ts":170,"dur":5,"bind_id":"0x9","flow_in":true}
],"displayTimeUnit":"ms","baseTimeNanoseconds":1700000000000000000}
JSON
expect_exit 0 $TACHO import flows.json
expect_no_line err 'left out'
expect_exit 0 $TACHO check flows.tacho
$TACHO query --format=csv flows.tacho "SELECT a.name, b.name, f.name, f.category, ts_out, ts_in FROM flow f JOIN slice a ON a.id = slice_out
	JOIN slice b ON b.id = slice_in ORDER BY ts_in" >out || fail "flow"
cat >want <<'CSV'
name,name,name,category,ts_out,ts_in
launch,kernel,to device,ac2g,10000,8000
mm,launch,fb,other,0,11000
launch,kernel,fb,other,11000,20000
launch,kernel,to device,ac2g,12000,30000
send,recv,recv,,60000,70000
CSV
diff want out || fail "flows differ"
# Two spans overlap, so there are two tracks; the third one fits on the first track.
$TACHO query --format=csv flows.tacho "SELECT s.name, ts, dur, depth, track_id - (SELECT min(id) FROM track WHERE name = 'request') AS t
	FROM slice s JOIN track k ON k.id = track_id WHERE k.name = 'request' ORDER BY ts" >out || fail "async"
cat >want <<'CSV'
name,ts,dur,depth,t
request,0,20000,0,0
request,5000,35000,0,1
read,6000,3000,1,0
request,21000,4000,0,0
CSV
diff want out || fail "asynchronous spans differ"
expect_exit 0 $TACHO query --format=csv flows.tacho "SELECT rank FROM machine UNION ALL SELECT clock_value FROM clock_snapshot WHERE clock_name = 'REALTIME'
	UNION ALL SELECT value FROM metadata WHERE name = 'world size' UNION ALL SELECT name FROM thread"
expect_line out '^3$' '^1700000000000100000$' '^8$' '^stream 7$'

# Not a Chrome trace.
for text in '' '{' '[' '{}' '{"a":1}' '{"traceEvents":3}' '[1,2' '[{"ph":"X"' '{"traceEvents":[{]}' 'x' '"'; do
	printf '%s' "$text" >bad.json
	$TACHO import -f bad.json -o bad.tacho >out 2>err
	code=$?
	[ $code = 3 ] || [ $code = 4 ] || fail "'$text' exits with $code"
	[ "$(grep -c 'tacho:' err)" -ge 1 ] || fail "'$text': nothing is said"
done
printf '[' >deep.json
head -c 20000000 /dev/zero | tr '\0' '[' >>deep.json
expect_exit 3 $TACHO import deep.json
expect_line err 'larger than 16 MiB'

# The viewer opens them.
python3 - <<'PY' >said 2>&1 || fail "$(cat said)"
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server("m.json", "other.json")
assert [t["state"] for t in s.get("/api/v1/traces")["traces"]] == ["saved", "damaged"]
assert {r["text"] for r in s.call("stats", 1)["rows"]} >= {"outer", "inner"}
assert s.call("zone?lane=0&idx=0", 1)["children_total"] == 1
assert s.end()[0] == 0
PY
