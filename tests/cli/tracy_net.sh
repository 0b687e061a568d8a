# SPDX-License-Identifier: Apache-2.0
# Recording Tracy clients, and being one: good ones, bad ones, several at once, and our own end.
. "$SOURCE/tests/lib.sh"
tools=$SOURCE/../shared/tools
# Announcements reach every recorder on the machine that waits for one, such as another run of this test: use a network of
# our own where possible.
if [ -z "${OWN_NETWORK-}" ] && unshare -n true 2>/dev/null; then
	export OWN_NETWORK=1
	unshare -n bash "$0"
	exit
fi
[ -z "${OWN_NETWORK-}" ] || python3 - <<-'PY' || fail 'no loopback device'
	import fcntl, socket, struct
	up = struct.pack("16sh", b"lo", 1 | 64)  # IFF_UP, IFF_RUNNING
	fcntl.ioctl(socket.socket(), 0x8914, up)  # SIOCSIFFLAGS
PY
capture=$BUILD/tracy-capture
number=0

# client MODE [PID]: starts one, waits until it listens; its port is in $port, what it says in $client.
client() {
	number=$((number + 1)) client=client.$number
	python3 "$SOURCE/tests/tracy_client.py" 0 "$@" >$client 2>&1 &
	wait_for grep -q listening $client
	port=$(awk '$1 == "listening" { print $2 }' $client)
}

# serve OPTIONS...: a server on any port, which is in $port.
serve() {
	rm -f serve.err
	"$TACHO" serve -p 0 "$@" 2>serve.err &
	wait_for grep -q 'on port' serve.err
	port=$(sed -n 's/.* on port \([0-9]*\);.*/\1/p' serve.err)
}

# One that ends by itself: the original's lines, and it is let go.
client end
expect_exit 0 $capture -o end.tracy -p $port
expect_line out "^Connecting to 127.0.0.1:$port\.\.\.$" '^Queue delay: 9 ns$' '^Timer resolution: 1 ns$' '^Frames: 2$' \
	'^Time span: 10 us$' '^Zones: 2$' '^Elapsed time: ' '^Saving trace\.\.\. done!$' '^Trace size [0-9]+ bytes \(.*% ratio\)$'
wait
expect_line $client good-bye
expect_exit 0 $BUILD/csvexport-release -u end.tracy
expect_line out '^one,file.c,7,,,1000,5000,1,$' '^two,file.c,7,,,7000,3000,1,$'
expect_exit 0 $BUILD/csvexport-release -m end.tracy
expect_line out '^hello from 77,2000$'
expect_exit 0 $TACHO info end.tracy
expect_line out 'worker' 'invented'
ls | grep -q 'tacho' && fail "files are left: $(ls)"

# One that listens on the other loopback address alone is found too, by every name.
if grep -q '^0*1 ' /proc/net/if_inet6 2>/dev/null; then
	for address in '' '-a ::1' '-a localhost'; do
		export CLIENT_ADDRESS=::1
		client end
		unset CLIENT_ADDRESS
		expect_exit 0 $capture -f -o six.tracy -p $port $address
		expect_line out '^Zones: 2$'
		wait
	done
fi
expect_exit 1 $capture -f -o six.tracy -a 'not an address'
expect_line err 'neither a host nor an address'

# Killed in an open zone: all is there, the zone is unfinished.
client die
expect_exit 0 $capture -o die.tacho -p $port
expect_exit 0 $TACHO zones die.tacho
expect_line out 'one' 'two.*unfinished|unfinished.*two'
wait

# Our own end: by SIGTERM, SIGINT, time. The program continues.
for signal in TERM INT; do
	client hang
	# A shell makes what it starts in the background ignore SIGINT.
	env --default-signal=INT $capture -o $signal.tracy -p $port >out 2>err &
	capturing=$!
	wait_for grep -q asked $client
	kill -$signal $capturing
	wait $capturing || fail "SIG$signal: $(cat out err)"
	expect_line out 'Zones: 2$' 'done!'
	wait
	expect_line $client good-bye
done
client hang
expect_exit 0 $capture -s 2 -o time.tracy -p $port
expect_line out 'Zones: [0-9]' # as many as came by then
wait

# Two programs on one timeline.
client end 101
first=$port
client end 202
expect_exit 0 $capture -o two.tacho -p $first -p $port
expect_exit 0 $TACHO info two.tacho
expect_line out '^processes +2$' '101' '202'
expect_exit 0 $TACHO check two.tacho
wait

# Bad ones: one line, a code, no file; other programs are not harmed.
while read -r mode code pattern; do
	client $mode
	expect_exit $code $capture -o bad.tracy -p $port
	expect_line err "$pattern"
	[ $code = 0 ] || [ ! -e bad.tracy ] || fail "$mode: there is a file"
	rm -f bad.tracy
	kill %% 2>/dev/null
	wait 2>/dev/null
done <<-END
	mismatch 1 none.of.the.versions
	busy 2 another.recorder
	noise 3 not.a.Tracy.client
	garbage 0 makes.no.sense|not.protocol|cannot.be.unpacked
	huge 0 length.that.makes.no.sense
	bomb 0 not.protocol|cannot.be.unpacked
END
client silent
expect_exit 3 $capture -o bad.tracy -p $port
expect_line err 'never said welcome'
kill %% 2>/dev/null
wait 2>/dev/null

# Codes of wrong use.
expect_exit 1 $capture
expect_exit 1 $capture -o x.tracy -p 99999
expect_exit 1 $capture -o
expect_exit 1 $capture -z
expect_exit 4 $capture -o end.tracy -p 1
expect_exit 5 $capture -o /no/such/folder/x.tracy -p 1

# Found by its announcement; what is not an announcement is passed over.
client end
python3 - $port <<-'PY' &
	import socket, struct, sys, time
	s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
	while True:
	    for packet in (b"x", b"\xff" * 60, struct.pack("<HHIQi", 3, int(sys.argv[1]), 66, 77, 1) + b"invented\0"):
	        s.sendto(packet, ("127.255.255.255", 8086))
	    time.sleep(0.1)
PY
announcer=$!
$capture -o found.tacho --discover >out 2>err &
capturing=$!
wait_for grep -q good-bye $client
kill $announcer $capturing
wait $capturing || fail "capture: $(cat err)"
expect_line out 'Zones: 2$'
wait

# Beside programs that link libtacho.
client end
$TACHO capture --tracy-port $port -s "$here/session" -o both.tacho 2>err &
capturing=$!
wait_for grep -q good-bye $client
kill $capturing
wait $capturing || fail "capture: $(cat err)"
expect_exit 0 $TACHO check both.tacho
expect_exit 0 $TACHO zones both.tacho
expect_line out 'one' 'two'
wait

# A saved trace as a client: what is recorded from it is the same again.
$MKTRACE -c -n 3000 a.tacho || fail mktrace
$TACHO export -q --to=tracy a.tacho || fail export
serve -1 a.tacho
expect_exit 0 $capture -o again.tracy -p $port
wait
# Threads come by process, so their numbers may differ.
zones_of() {
	$BUILD/csvexport-release -u $1.tracy | sed 's/,[0-9]*,$//' | sort
}
expect_same <(zones_of a) <(zones_of again)
expect_same <($BUILD/csvexport-release -m a.tracy | sort) <($BUILD/csvexport-release -m again.tracy | sort)
expect_same <($TACHO locks --format=csv a.tracy | cut -d, -f2-5) \
	<($TACHO locks --format=csv again.tracy | cut -d, -f2-5 | sed 's,^app/,,')

# Lock events are recorded too: where it was held, its end.
$TACHO run -q -o basket.tacho -- $BUILD/examples/tracy >/dev/null || fail 'the example'
serve -1 basket.tacho
expect_exit 0 $capture -o basket.again.tacho -p $port
wait
for f in basket basket.again; do
	$TACHO export -q --to=json -o - $f.tacho | grep -oE '"operation": "[a-z]+"' | sort | uniq -c >$f.operations
done
expect_line basket.operations mark end
expect_same basket.operations basket.again.operations
serve a.tacho
pid=$!
expect_error 7 'in use' $TACHO serve -q -p $port a.tacho
head -c 5000 /dev/urandom | python3 -c "
import socket, sys
s = socket.create_connection(('127.0.0.1', $port)); s.sendall(sys.stdin.buffer.read()); s.close()" 2>/dev/null
kill -0 $pid || fail 'the server is gone'
kill $pid
wait

# The independent ends of the wire, where they are.
[ -f "$tools/tracynet.py" ] || skip "the rest: no $tools/tracynet.py"
port=$(free_port)
python3 "$tools/tracynet.py" serve $port >net.out 2>&1 &
expect_exit 0 $capture -o net.tracy -p $port
expect_line out 'Zones: 2,000$'
wait
expect_line net.out "'Terminate': 1"
serve -1 net.tracy
python3 "$tools/tracynet.py" record $port >net.out 2>&1 || fail "$(cat net.out)"
expect_line net.out 'sent Terminate query' "'ZoneEnd': 2000" "'GpuTime': 10" 'bridge thread'
wait
