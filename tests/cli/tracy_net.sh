# Recording Tracy clients, and being one: good ones, bad ones, several at once, and our own end.
. "$SOURCE/tests/lib.sh"
tools=$SOURCE/../shared/tools
capture=$BUILD/tracy-capture
port=$((20000 + $$ % 20000))

# client MODE [PID]: starts one on the next port and waits until it listens.
client() {
	port=$((port + 1))
	python3 "$SOURCE/tests/tracy_client.py" $port "$@" >client.$port 2>&1 &
	for _ in $(seq 100); do
		grep -q listening client.$port 2>/dev/null && return
		sleep 0.05
	done
	fail "the client does not start: $(cat client.$port)"
}

# One that ends by itself: the original's lines, and it is let go.
client end
expect_exit 0 timeout 20 $capture -o end.tracy -p $port
expect_line out "^Connecting to 127.0.0.1:$port\.\.\.$" '^Queue delay: 9 ns$' '^Timer resolution: 1 ns$' '^Frames: 2$' \
	'^Time span: 10 us$' '^Zones: 2$' '^Elapsed time: ' '^Saving trace\.\.\. done!$' '^Trace size [0-9]+ bytes \(.*% ratio\)$'
wait
expect_line client.$port good-bye
expect_exit 0 $BUILD/csvexport-release -u end.tracy
expect_line out '^one,file.c,7,,,1000,5000,1,$' '^two,file.c,7,,,7000,3000,1,$'
expect_exit 0 $BUILD/csvexport-release -m end.tracy
expect_line out '^hello from 77,2000$'
expect_exit 0 $TACHO info end.tracy
expect_line out 'worker' 'invented'
ls | grep -q 'tacho' && fail "files are left: $(ls)"

# Killed in an open zone: all is there, the zone is unfinished.
client die
expect_exit 0 timeout 20 $capture -o die.tacho -p $port
expect_exit 0 $TACHO zones die.tacho
expect_line out 'one' 'two.*unfinished|unfinished.*two'
wait

# Our own end: by SIGTERM, SIGINT, time. The program goes on.
for signal in TERM INT; do
	client hang
	# A shell makes what it starts in the background ignore SIGINT.
	python3 - $signal $capture -o $signal.tracy -p $port <<-'PY' >out 2>err || fail "SIG$signal: $(cat out err)"
		import signal, subprocess, sys, time
		p = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)
		lines = iter(p.stdout.readline, b"")
		for line in lines:
		    print(line.decode(), end="")
		    if line.startswith(b"Timer"):
		        break
		time.sleep(0.3)
		p.send_signal(getattr(signal, "SIG" + sys.argv[1]))
		for line in lines:
		    print(line.decode(), end="")
		sys.exit(p.wait(20))
	PY
	expect_line out 'Zones: 2$' 'done!'
	wait
	expect_line client.$port good-bye
done
client hang
expect_exit 0 timeout 20 $capture -s 1 -o time.tracy -p $port
expect_line out 'Zones: 2$'
wait

# Two programs on one timeline.
client end 101
first=$port
client end 202
expect_exit 0 timeout 20 $capture -o two.tacho -p $first -p $port
expect_exit 0 $TACHO info two.tacho
expect_line out '^processes +2$' '101' '202'
expect_exit 0 $TACHO check two.tacho
wait

# Bad ones: one line, a code, no file; other programs are not harmed.
while read -r mode code pattern; do
	client $mode
	expect_exit $code timeout 20 $capture -o bad.tracy -p $port
	expect_line err "$pattern"
	[ $code = 0 ] || [ ! -e bad.tracy ] || fail "$mode: there is a file"
	rm -f bad.tracy
	kill %% 2>/dev/null
	wait 2>/dev/null
done <<-END
	mismatch 1 none.of.the.versions
	busy 2 somebody.else
	noise 3 not.a.Tracy.client
	garbage 0 makes.no.sense|not.protocol|cannot.be.unpacked
	huge 0 length.that.makes.no.sense
	bomb 0 not.protocol|cannot.be.unpacked
END
client silent
expect_exit 3 timeout 20 $capture -o bad.tracy -p $port
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

# Found by its announcement; what is no announcement is passed over.
client end
(
	sleep 0.5
	python3 - $port <<-'PY'
		import socket, struct, sys, time
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
		for packet in (b"x", b"\xff" * 60, struct.pack("<HHIQi", 3, int(sys.argv[1]), 66, 77, 1) + b"invented\0"):
		    s.sendto(packet, ("127.255.255.255", 8086))
	PY
) &
expect_exit 0 timeout 20 $capture -o found.tacho --discover -s 1
expect_line out 'Zones: 2$'
wait

# Beside programs that link libtacho.
client end
expect_exit 0 timeout 20 $TACHO capture --tracy-port $port -s "$here/session" -t 2s -o both.tacho
expect_exit 0 $TACHO check both.tacho
expect_exit 0 $TACHO zones both.tacho
expect_line out 'one' 'two'
wait

# A saved trace as a client: what is recorded from it is the same again.
$MKTRACE -c -n 3000 a.tacho || fail mktrace
$TACHO export -q --to=tracy a.tacho || fail export
port=$((port + 1))
$TACHO serve -q -1 -p $port a.tacho &
expect_exit 0 timeout 30 $capture -o again.tracy -p $port
wait
expect_same <($BUILD/csvexport-release -u a.tracy | sort) <($BUILD/csvexport-release -u again.tracy | sort)
expect_same <($BUILD/csvexport-release -m a.tracy | sort) <($BUILD/csvexport-release -m again.tracy | sort)
expect_same <($TACHO locks --format=csv a.tracy | cut -d, -f2-5) \
	<($TACHO locks --format=csv again.tracy | cut -d, -f2-5 | sed 's,^app/,,')
port=$((port + 1))
$TACHO serve -q -p $port a.tacho &
pid=$!
sleep 0.5
expect_error 7 'in use' $TACHO serve -q -p $port a.tacho
head -c 5000 /dev/urandom | timeout 2 python3 -c "
import socket, sys
s = socket.create_connection(('127.0.0.1', $port)); s.sendall(sys.stdin.buffer.read()); s.close()" 2>/dev/null
kill -0 $pid || fail 'the server is gone'
kill $pid
wait

# The independent ends of the wire, where they are.
if [ -f "$tools/tracynet.py" ]; then
	port=$((port + 1))
	python3 "$tools/tracynet.py" serve $port >net.out 2>&1 &
	expect_exit 0 timeout 20 $capture -o net.tracy -p $port
	expect_line out 'Zones: 2,000$'
	wait
	expect_line net.out "'Terminate': 1"
	port=$((port + 1))
	$TACHO serve -q -1 -p $port net.tracy &
	timeout 20 python3 "$tools/tracynet.py" record $port >net.out 2>&1 || fail "$(cat net.out)"
	expect_line net.out 'sent Terminate query' "'ZoneEnd': 2000" "'GpuTime': 10" 'bridge thread'
	wait
fi
exit 0
