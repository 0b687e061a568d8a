# SPDX-License-Identifier: Apache-2.0
# Chrome traces: our own back again, those of others, and what is wrong with some.
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
# A Chrome trace has no lock events: what was a wait is self time.
for r in list(a.values()) + list(b.values()):
    r["self_ns"] += r["wait_ns"]
# Zones with names of their own are under those.
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

# Where in the source: it is a place, not a text.
expect_exit 0 $TACHO zones --format=csv back.tacho
expect_line out ',main,main,src/app.c,10,'
expect_no_line out 'src/app.c.*file: '
echo '[{"name":"a","cat":"c","ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"args":{"file":"x.py","line":"7"}},
{"name":"b","cat":"c","ph":"X","pid":1,"tid":1,"ts":5,"dur":2,"args":{"file":5,"line":99999999999}},
{"name":"d","ph":"X","pid":1,"tid":1,"ts":9,"dur":2,"args":{"file":"y.c","line":-3,"function":{}}}]' >places.json
expect_exit 0 $TACHO import places.json -o places.tacho
expect_exit 0 $TACHO zones --format=csv places.tacho
expect_line out ',a,a,x.py,0,.*line: 7' ',b,b,c,0,.*file: 5' ',d,d,y.c,0,'

# What others write: a bare array without an end, numbers as text, begin and end, nesting that does not fit.
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
expect_line err 'other.tacho: 5 zones' '2 events of other kinds' '1 zones did not end within' 'ends in the middle'
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

# Not one at all.
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

# The viewer takes them.
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
