# SPDX-License-Identifier: Apache-2.0
# A Tracy viewer that is connected while a program is being recorded.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"
tools=$SOURCE/../shared/tools
capture=$BUILD/tracy-capture

# start OUTPUT PROGRAM...: records in the background and waits until the session is there.
start() {
	local output=$1
	shift
	rm -rf session said
	"$TACHO" run -q -f -o "$output" -s "$here/session" -- "$@" >said 2>err &
	recorder=$!
	wait_for test -e session/control
}

# serve OPTIONS...: a server for the session, on any port, which is in $port.
serve() {
	rm -f serve_err
	"$TACHO" serve --live -p 0 "$@" "$here/session" 2>serve_err &
	server=$!
	wait_for grep -q 'on port' serve_err
	port=$(sed -n 's/.* on port \([0-9]*\);.*/\1/p' serve_err)
}

# view FILE: a viewer, which is connected when this returns.
view() {
	rm -f out
	$capture -o "$1" -p $port >out 2>view_err &
	viewer=$!
	wait_for grep -q '^Timer' out
}

ends() {
	wait $viewer || fail "the viewer: $(cat view_err)"
	wait $server || fail "the server: $(cat serve_err)"
}

grows_by_zones() {
	"$TACHO" zones "$1" | grep -q inner
}

# names FILE: how many zones each name has on each thread and depth, without what may differ.
names() {
	"$TACHO" zones --format=csv "$1" | python3 -c '
import collections, csv, sys
rows = csv.DictReader(sys.stdin)
count = collections.Counter((r["depth"], r["name"], r["file"].split("/")[-1], r["line"], r["state"], r["text"]) for r in rows)
for key in sorted(count):
    print(*key, count[key])'
}

# All that is recorded arrives, as it is in the trace: nesting, texts, threads, processes, cores.
touch held
start all.tacho "$PROGS/lively" 1 held
serve -1
view live.tracy
rm held
ends
wait $recorder || fail "the program failed: $(cat err)"
"$TACHO" check all.tacho >checked 2>&1 || fail "the trace is not sound"
[ "$(checked zones)" = "$(said zones)" ] || fail "$(checked zones) zones of $(said zones) are in the trace"
# A value is a line of text in Tracy; a core's zones have their marker's kind in front of the file there.
"$TACHO" export -q --to=tracy all.tacho || fail export
names all.tracy >want
names live.tracy >got
diff want got >diff || { head -20 diff >&2; fail "what arrived is not what was recorded"; }
expect_line got '0 worker .* said at the end 3' 'FIRMWARE' 'KERNEL'
"$TACHO" plots live.tracy >plots || fail plots
expect_line plots 'rounds'

# One who comes in the middle gets all; one who leaves does no harm; the program does not wait.
touch held
start late.tacho "$PROGS/steady" 1 held
serve -1
wait_for grep -q begun said
python3 - $port <<-'PY'
	import socket, struct, sys
	s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
	s.sendall(b"TracyPrf" + struct.pack("<I", 66))
	s.recv(2000)
PY
view late.tracy
rm held
ends
wait $recorder || fail "the program failed: $(cat err)"
[ "$(sed -n 's/,//g; s/^Zones: //p' out)" = "$(said zones)" ] || fail "zones are missing: $(cat out)"

# A trace not followed so far has its open zones too: they are sent before zones that ended in them.
touch held
start middle.tacho "$PROGS/steady" 1 held
wait_for grows_by_zones middle.tacho.part
serve -1
view middle.tracy
rm held
ends
wait $recorder || fail "the program failed: $(cat err)"
names middle.tracy >got
expect_line got '^0 all the time' '^1 '
[ "$(grep -c '^0 ' got)" = 1 ] || fail "zones that are not in the one that was open: $(cat got)"

# The program is killed in open zones, then the recorder in the middle: the end comes all the same.
touch held
start killed.tacho "$PROGS/steady" 1 held
serve -1
view killed.tracy
wait_for grep -q begun said
pkill -9 -P $recorder
ends
wait $recorder
expect_exit 0 "$TACHO" zones killed.tracy
expect_line out 'all the time.*unfinished|unfinished.*all the time'
start gone.tacho "$PROGS/steady" 1 held
serve -1
view gone.tracy
wait_for grep -q begun said
# It writes what it has within a second.
wait_for grows_by_zones gone.tacho.part
kill -9 $recorder
ends
rm held
expect_exit 0 "$TACHO" zones gone.tracy
expect_line out 'inner' 'all the time'
expect_exit 0 "$TACHO" recover -q -f "$here/session"

# Wrong use.
expect_error 7 "no session 'none' is being recorded" "$TACHO" serve --live none
expect_error 2 'takes one session' "$TACHO" serve --live a b

# The independent end of the wire, where it is.
[ -f "$tools/tracynet.py" ] || skip "the rest: no $tools/tracynet.py"
start net.tacho "$PROGS/lively" 1
serve -1
python3 "$tools/tracynet.py" record $port >net.out 2>&1 || fail "$(cat net.out)"
wait $server $recorder
threads=$(("$(said zones)" - 401))
expect_line net.out 'sent Terminate query' 'open zones \{\}' "'ZoneBegin': $threads, " "'ZoneEnd': $threads, " \
	"'GpuTime': 802"
