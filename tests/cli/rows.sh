# SPDX-License-Identifier: Apache-2.0
# The verbs that list what is not a zone: messages, plots, frames, memory, locks.
. "$SOURCE/tests/lib.sh"
"$MKTRACE" t.tacho || fail "mktrace"

expect_exit 0 "$TACHO" messages t.tacho
expect_count 10 out
expect_line out '^ +0 ns  app info  app +version 1.2$' '^3.000 ms  info +worker, "x"  main +hello from the child$' \
	'failed, "retry".nsecond line$' 'nul.x00inside .xff$'
expect_exit 0 "$TACHO" messages -s error t.tacho
expect_count 3 out
expect_exit 0 "$TACHO" messages -n slow --format=csv t.tacho
expect_line out '^4000000,warning,1000,app,1000,main,,slow: 12 ms$'
expect_exit 0 "$TACHO" messages -p 1001 t.tacho
expect_count 2 out
expect_exit 0 "$TACHO" messages --top=2 -r 2ms.. t.tacho
expect_count 3 out

expect_exit 0 "$TACHO" plots t.tacho
expect_count 5 out
expect_line out '^1000  queue depth  number +5 +-2 +0 +2 +2$' '^1000  load, "cpu"  percent +5 +0 +2 +4 +4$'
expect_exit 0 "$TACHO" plots -n queue --format=csv t.tacho
expect_count 6 out
expect_line out '^0,1000,queue depth,-2$' '^4000000,1000,queue depth,2$'
expect_exit 0 "$TACHO" plots -n '*' --format=json t.tacho
python3 -c 'import json
points = json.load(open("out"))
assert len(points) == 22 and sum(p["value"] is None for p in points) == 2' || fail "points"
expect_exit 0 "$TACHO" plots -r 1ms..2ms --format=csv t.tacho
expect_line out '^1000,queue depth,number,1,-1,-1,-1,-1$'

expect_exit 0 "$TACHO" frames t.tacho
expect_line out '^1000  frames +5 +1.600 ms +625 ' '^1000  render +4 +650.0 us +1538.46 +500.0 us +600.0 us +800.0 us +800.0 us$'
expect_exit 0 "$TACHO" frames --list --format=csv t.tacho
expect_count 10 out
expect_line out '^6000000,1000,render,3,800000$' '^6400000,1000,frames,4,1600000$'
expect_exit 0 "$TACHO" frames --list -n render t.tacho
expect_count 5 out

expect_exit 0 "$TACHO" memory --format=csv t.tacho
expect_line out '^1000,memory,8,7,512,512,2,128,1,0$' '^1000,textures,1,0,3145728,3145728,1,3145728,0,0$'
expect_exit 0 "$TACHO" memory --alive --format=csv t.tacho
expect_count 4 out
expect_line out '^700000,1000,memory,main,0x1180,64,$'
expect_exit 0 "$TACHO" memory -n text t.tacho
expect_count 2 out

expect_exit 0 "$TACHO" locks --format=csv t.tacho
expect_line out '^1000,mutex,exclusive,2,2,191000,95500,181000,289000,144500,190000,,0$' '^1000,table,shared,2,2,'
expect_exit 0 "$TACHO" locks -t main t.tacho
expect_line out '^1000  mutex  exclusive +1 +1 '
for verb in messages plots frames memory locks; do
	expect_exit 0 "$TACHO" $verb --format=json t.tacho
	python3 -m json.tool out >/dev/null || fail "$verb is not JSON"
	expect_exit 0 "$TACHO" $verb --format=json -n 'no such thing' t.tacho
	python3 -c 'import json; assert json.load(open("out")) == []' || fail "$verb: an empty list is not JSON"
done
