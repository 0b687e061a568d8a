# SPDX-License-Identifier: Apache-2.0
# tacho info: all sections, all formats.
. "$SOURCE/tests/lib.sh"
"$MKTRACE" t.tacho || fail "mktrace"

expect_exit 0 "$TACHO" info t.tacho
expect_count 0 err
expect_line out '^file +t.tacho$' '^recorded +2026-01-02T03:04:05Z$' '^time span +10.00 ms$' '^zones +28$' '^lost +7$' \
	'^clock, MHz +1000$' '^clock bound +25 ns$' '^command +\./app --flag '"'a b'"'$' \
	'^1001 +1000  worker, "x"  signal 9  1.000 ms  9.000 ms' '^fiber +1000 +7  fiber one' '^message +8$' \
	'^ring memory full +5 +2$'
expect_no_line out '^damage'

expect_exit 0 "$TACHO" info --show=threads --format=csv t.tacho
expect_count 6 out
expect_line out '^track,kind,pid,id,name,depth,zones,start_ns,end_ns,lost$' '^0,thread,1000,1000,main,3,10,0,10000000,0$'
expect_exit 0 "$TACHO" info --show=processes --format=csv t.tacho
expect_line out '^1001,1000,"worker, ""x""",signal 9,1000000,9000000,1,1,worker --of app$'
expect_exit 0 "$TACHO" info --format=csv t.tacho
expect_count 2 out

expect_exit 0 "$TACHO" info --format=json t.tacho
python3 - <<'END' || fail "the JSON is not what it should be"
import json
doc = json.load(open("out"))
assert doc["summary"]["zones"] == 28 and doc["summary"]["span_ns"] == 10000000, doc["summary"]
assert [p["exit"] for p in doc["processes"]] == ["0", "signal 9"]
assert {r["kind"]: r["count"] for r in doc["rows"]}["lock"] == 13
assert doc["losses"] == [{"reason": "ring memory full", "zones": 5, "others": 2}]
END
for section in summary properties processes threads clocks rows losses; do
	expect_exit 0 "$TACHO" info --show=$section --format=json t.tacho
	python3 -m json.tool out >/dev/null || fail "$section is not JSON"
done

# A killed recorder's file.
"$MKTRACE" -u u.tacho || fail "mktrace"
expect_exit 4 "$TACHO" info u.tacho.part
expect_line out '^zones +28$' '^damage '
expect_count 1 err
expect_exit 4 "$TACHO" info -q u.tacho.part
expect_count 0 err
