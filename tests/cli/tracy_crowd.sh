# SPDX-License-Identifier: Apache-2.0
# tacho serve and peers that it does not know: some do not read, some are not allowed to connect.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"
capture=$BUILD/tracy-capture

# serve OPTIONS...: a server on any port, which is in $port.
serve() {
	rm -f serve_err
	"$TACHO" serve -p 0 "$@" 2>serve_err &
	server=$!
	wait_for grep -q 'on port' serve_err
	port=$(sed -n 's/.* on port \([0-9]*\);.*/\1/p' serve_err)
}

# idlers N: so many peers that greet and never read; "there" is said when all are.
idlers() {
	rm -f there
	python3 - $port "$1" >there <<-'PY' &
		import socket, struct, sys, time
		peers = []
		for i in range(int(sys.argv[2])):
		    s = socket.socket()
		    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
		    s.connect(("127.0.0.1", int(sys.argv[1])))
		    s.sendall(b"TracyPrf" + struct.pack("<I", 66))
		    assert s.recv(1) == b"\x01"
		    peers.append(s)
		print("there", flush=True)
		time.sleep(1000)
	PY
	idler=$!
	wait_for grep -q there there
}

"$TACHO" run -q -o a.tacho -- "$BUILD/tests/burst" 2 100000 >/dev/null || fail run
zones=$("$TACHO" csvexport a.tacho | awk -F, 'NR > 1 { n += $6 } END { print n }')

# They hold up nobody.
serve a.tacho
idlers 3
timeout "$PATIENCE" $capture -o b.tracy -p $port >out 2>err || fail "the viewer got nothing: $(cat out err)"
again=$("$TACHO" csvexport b.tracy | awk -F, 'NR > 1 { n += $6 } END { print n }')
[ "$zones" = "$again" ] || fail "$again zones, not $zones"
kill $server $idler
wait

# Nor while something is recorded.
touch held
"$TACHO" run -q -o c.tacho -s "$here/session" -- "$BUILD/tests/lively" 1 held >/dev/null 2>err &
recorder=$!
wait_for test -e session/control
serve --live "$here/session"
idlers 2
timeout "$PATIENCE" $capture -o d.tacho -p $port >out 2>err &
viewer=$!
wait_for grep -q '^Timer' out
rm held
wait $recorder || fail "the recorder: $(cat err)"
wait $viewer || fail "the viewer got no end: $(cat out err)"
kill $server $idler
wait

# All addresses: only with a list of allowed clients.
expect_error 2 'needs --allow' "$TACHO" serve --any-address a.tacho
expect_error 2 'needs --any-address' "$TACHO" serve --allow=10.0.0.1 a.tacho
for bad in 10.0.0 10.0.0.1/33 10.0.0.1/ 10.0.0.1/-1 x 10.0.0.1/8x ''; do
	expect_error 2 'IPv4' "$TACHO" serve --any-address --allow="$bad" a.tacho
done
serve --any-address --allow=10.9.0.0/16 a.tacho
$capture -o e.tracy -p $port >out 2>err || fail "this machine: $(cat out err)"
kill $server
wait

[ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null && command -v ip >/dev/null ||
	skip "the rest needs root and ip, for a network of its own"
cat >strangers.sh <<'EOF2'
ip link set lo up
ip addr add 10.9.9.1/32 dev lo
ip addr add 10.8.9.1/32 dev lo
serve --any-address --allow=10.9.0.0/16 a.tacho
python3 - $port <<-'PY' || fail 'who may come'
	import socket, struct, sys
	def told(address):
	    s = socket.create_connection(("10.9.9.1", int(sys.argv[1])), source_address=(address, 0))
	    try:
	        s.sendall(b"TracyPrf" + struct.pack("<I", 66))
	        return s.recv(1)
	    except ConnectionError:
	        return b""
	assert told("10.9.9.1") == b"\x01"
	assert told("10.8.9.1") == b""
	assert told("127.0.0.1") == b"\x01"
PY
wait_for grep -q 'refused a connection from 10.8.9.1' serve_err
kill $server
wait
EOF2
export -f serve wait_for fail
export TACHO SOURCE BUILD
unshare -n bash -c '. ./strangers.sh' || fail 'in a network of its own'
exit 0
