# SPDX-License-Identifier: Apache-2.0
# Frame images, sections and parameters: recorded, in files, served, recorded again; a viewer sets a parameter.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

# rows FILE: the rows of the three kinds and frames, with the time of frames only by their order.
rows() {
	"$TACHO" export --to=json -q -f -o rows.json "$1"
	python3 - <<'EOF'
import json
frames = 0
for r in json.load(open("rows.json"))["rows"]:
    if r["kind"] == "frame":
        frames += 1
    elif r["kind"] == "frame image":
        print("image of", frames - r["frames_ago"], r["size"] & 0xffff, r["size"] >> 16 & 0xffff, r["size"] >> 32, r["bytes"])
    elif r["kind"] == "section":
        print("section", r["category"] if r["operation"] != 1 else "-", r["operation"], r.get("text", ""))
    elif r["kind"] == "parameter":
        print("parameter", r["parameter"], r["type"], r["value"], r.get("text", ""))
print("frames", frames)
EOF
}

expect_exit 0 "$TACHO" run -q -o run.tacho -- "$PROGS/tracy_controls" 4
rows run.tacho >first
expect_count 17 first
expect_line first '^image of 1 8 4 0 16$' '^image of 4 8 4 1 16$' '^section 0 0 run of 4$' '^section 2 0 level 3$' '^section 2 2 levels$' \
	'^parameter 5 0 1 speed$' '^frames 4$'
expect_exit 0 "$TACHO" check run.tacho

# A file has all but parameters; one of 0.10 has no sections, and says so.
expect_exit 0 "$TACHO" export --to=tracy run.tacho
expect_no_line err 'left out'
rows run.tracy >second
diff <(grep -v '^parameter' first | sort) <(sort second) || fail "the file has something else"
expect_exit 0 "$TACHO" export --to=tracy --tracy-version=0.10 -o old.tracy run.tacho
expect_line err '5 sections were left out'
rows old.tracy >third
diff <(grep -v '^parameter\|^section' first) third || fail "the old file has something else"

# Served and recorded by our capture, which speaks protocol 66: no sections, two frames before the first, and a viewer's
# own numbers for parameters.
"$TACHO" serve -1 -p 0 run.tacho 2>serve_err &
wait_for grep -q 'on port' serve_err
port=$(sed -n 's/.* on port \([0-9]*\);.*/\1/p' serve_err)
expect_exit 0 "$BUILD/tracy-capture" -o served.tacho -p "$port"
wait
rows served.tacho | awk '/^image/ {$3 -= 2} /^frames/ {$2 -= 2} /^parameter/ {$2 = 5} {print}' >fourth
diff <(grep -v '^section' first | sort) <(sort fourth) || fail "what was served is something else"

# A viewer sets the parameter of a program that waits for it. The index is the viewer's, not the program's.
timeout "$PATIENCE" "$TACHO" run -q -o set.tacho -s "$here/session" -- "$PROGS/tracy_controls" - >said &
recorder=$!
wait_for test -e session/control
"$TACHO" serve --live -p 0 "$here/session" 2>live_err &
server=$!
wait_for grep -q 'on port' live_err
port=$(sed -n 's/.* on port \([0-9]*\);.*/\1/p' live_err)
python3 - "$port" <<'EOF' &
import socket, struct, sys, time
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"TracyPrf" + struct.pack("<I", 82))
s.setblocking(False)
while True:  # the server does not know the parameter until the recorder has written it
    for query in (struct.pack("<BQI", 6, 9 << 32 | 41, 0), struct.pack("<BQI", 6, 42, 0)):
        try:
            s.send(query)
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            pass
    try:
        while s.recv(65536):
            pass
    except OSError:
        pass
    time.sleep(0.05)
EOF
viewer=$!
wait $recorder || fail "the recorder: $?"
kill $viewer $server
expect_line said '^speed 42$'
rows set.tacho >fifth
expect_line fifth '^parameter 5 256 42 $'
expect_no_line fifth '41'

# The same by the page.
PYTHONPATH=$SOURCE/tests python3 "$SOURCE/tests/tracy_page.py" "$PROGS/tracy_controls" >page 2>&1 || fail "$(cat page)"
