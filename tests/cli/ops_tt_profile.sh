# SPDX-License-Identifier: Apache-2.0
# tt_profile: the quoted command, its status, the columns from the compiler's messages, busy ports.
# labels: plain
. "$SOURCE/tests/lib.sh"
MKLOGS=$BUILD/tests/mklogs
unset TT_METAL_PROFILER_DIR TT_METAL_HOME

# A fake device program: writes logs where the runtime would, according to its environment.
"$MKLOGS" --ops 4 made
cat >program <<'END'
#!/bin/sh
printf '%s\n' "$@" >args
echo "$TRACY_PORT $TT_METAL_DEVICE_PROFILER $SETTING" >env
cp "$MADE"/.logs/* "$TT_METAL_PROFILER_DIR/.logs/"
exit "${CODE:-0}"
END
chmod +x program
export MADE=$PWD/made
python3 - <<'END'
lines = open('made/.logs/tracy_ops_data.csv').read()
lines = lines.replace('`TT_DNN_DEVICE_OP: "AddOp"', 'MLIR_OP_LOCATION;loc("add;1"(x.py:3));5000000001\nMLIR_CONST_EVAL_OP;true;5000000002\n`TT_DNN_DEVICE_OP: "AddOp"', 1)
lines = lines.replace('`TT_DNN_DEVICE_OP: "NormOp"', 'MLIR_CONST_EVAL_OP;false;5000000003\nMLIR_PROGRAM_METADATA;{"loop": 1, "n": 2};5000000004\n`TT_DNN_DEVICE_OP: "NormOp"', 1)
open('made/.logs/tracy_ops_data.csv', 'w').write(lines)
END

expect_exit 0 "$BUILD/tt_profile" "SETTING='a b' ./program -k 'two words' \"it's\" x\\ y [full-eval] \$HOME"
expect_line out '^report: results/perf/device_ops_perf_trace.csv$'
printf '%s\n' -k 'two words' "it's" 'x y' '[full-eval]' '$HOME' | cmp - args || fail 'the words of the command'
expect_line env '^[0-9]+ 1 a b$'
python3 - <<'END' || fail 'the columns from the messages'
import csv
rows = {r['GLOBAL CALL COUNT']: r for r in csv.DictReader(open('results/perf/device_ops_perf_trace.csv', newline=''))}
cols = ('LOC', 'CONST_EVAL_OP', 'PROGRAM_METADATA')
got = [tuple(rows[k][c] for c in cols) for k in ('1024', '2048', '3072', '4096')]
assert got[0] == ('loc(unknown)', 'false', '{}'), got
assert got[1] == ('loc("add;1"(x.py:3))', 'true', '{}'), got
assert got[2] == got[1], got
assert got[3] == ('loc("add;1"(x.py:3))', 'false', '{"loop": 1, "n": 2}'), got
assert rows['1024']['DEVICE KERNEL DURATION [ns]']
END

# A program that reports its ops itself, with such a child: recorded, joined, its trace saved.
cat >recorded <<END
#!/bin/sh
cp "$MADE/.logs/profile_log_device.csv" "\$TT_METAL_PROFILER_DIR/.logs/"
exec $BUILD/tests/ops
END
chmod +x recorded
TT_METAL_PROFILER_DIR=$PWD/own expect_exit 0 "$BUILD/tt_profile" -o own.csv ./recorded
[ -s own/.logs/tracy_profile_log_host.tracy ] || fail 'no .tracy file'
python3 - <<'END' || fail 'the ops of a recorded program'
import csv
rows = [r for r in csv.DictReader(open('own.csv', newline='')) if r['OP TYPE'] != 'signpost']
assert [r['OP CODE'] for r in rows] == ['MatmulOp', 'AddOp', 'SoftmaxOp', 'NormOp'], rows
assert all(int(r['HOST DURATION [ns]']) > 0 and r['DEVICE KERNEL DURATION [ns]'] for r in rows)
assert all(r['CompileProgram_TT_HOST_FUNC [ns]'] for r in rows)
assert [r['LOC'] for r in rows] == ['loc(unknown)'] + ['loc("here")'] * 3
END

# Device logs can be turned off: the report is made from the trace.
for forbid in 0 1; do
	rm -rf quiet
	TT_METAL_PROFILER_DIR=$PWD/quiet expect_exit 0 "$BUILD/tt_profile" -o quiet$forbid.csv "TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES=$forbid $BUILD/examples/device/layers"
	[ "$(find quiet -name profile_log_device.csv | wc -l)" = $((1 - forbid)) ] || fail "forbidden $forbid: $(find quiet)"
	python3 - quiet$forbid.csv <<'END' || fail "forbidden $forbid: the report"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='')))
assert sum(bool(r['DEVICE KERNEL DURATION [ns]']) for r in rows) == 12, len(rows)
END
done

# A program built with Tracy is recorded through its port, and so is its child.
cat >tracy_program <<END
#!/bin/sh
python3 "$SOURCE/tests/tracy_client.py" \$((TRACY_PORT + 1)) end 91 >second &
TRACY_CLIENT_TEXT='\`TT_DNN_DEVICE_OP: "ToldOp", 5, 0, false, 1024 ->
{"global_call_count": 1024, "device_id": 0, "op_code": "ToldOp", "op_hash": 5}\`' python3 "$SOURCE/tests/tracy_client.py" \$TRACY_PORT end 90 >first
wait
exit 3
END
chmod +x tracy_program
TT_METAL_PROFILER_DIR=$PWD/told expect_exit 3 "$BUILD/tt_profile" -p "$(free_port)" -o told.csv ./tracy_program
expect_line first good-bye
expect_line second good-bye
expect_line told.csv '^ToldOp,,1024,0,'
expect_line told/.logs/tracy_ops_data.csv '^hello from 91;'

# A second run: nothing of the first one is lost or mixed in.
CODE=9 expect_exit 9 "$TACHO" tt_profile -o out.csv ./program
[ -d generated/profiler/.logs.1 ] || fail 'the logs of the run before'
[ -s out.csv ] || fail 'no report after a command that failed'
expect_exit 137 "$BUILD/tt_profile" 'sh -c "kill -9 \$\$"'
expect_exit 127 "$BUILD/tt_profile" ./not-there
expect_exit 0 "$BUILD/tt_profile" true
expect_line err 'nothing to report on'

expect_error 2 'must be quoted' "$BUILD/tt_profile" pytest test.py
expect_exit 2 "$BUILD/tt_profile" pytest -svv test.py
expect_line err 'unknown option -s' 'options of the command belong into its quotes'
expect_error 2 'without a shell' "$BUILD/tt_profile" 'a | b'
expect_error 2 'without its end' "$BUILD/tt_profile" "a 'b"
expect_error 2 'no command' "$BUILD/tt_profile" 'A=1'
expect_error 2 'no port' "$BUILD/tt_profile" -p 99999 true

# A busy port: names its user and takes another port.
python3 -c '
import socket, subprocess, sys
s = socket.socket()
s.bind(("127.0.0.1", 0)); s.listen()
sys.exit(subprocess.call([sys.argv[1], "-p", str(s.getsockname()[1]), "./program"]))' "$BUILD/tt_profile" >out 2>err || fail 'a busy port stops it'
expect_line err 'port [0-9]+ is taken by python3 \(pid [0-9]+\); 8[0-9]+ is used instead'
exit 0
