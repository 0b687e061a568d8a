# SPDX-License-Identifier: Apache-2.0
# Programs that ran on a device are ops: the host logs of a recording give a report without issues.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
examples=$BUILD/examples/device

# record NAME COMMAND...: a trace, and its host logs in NAME/.logs
allowed=missing-file
record() {
	local name=$1
	shift
	expect_exit 0 env TT_METAL_DEVICE_PROFILER=1 "$TACHO" run -q -f -o "$name.tacho" -- "$@"
	mkdir -p "$name/.logs"
	"$TACHO" csvexport -m -s ';' "$name.tacho" >"$name/.logs/tracy_ops_data.csv" || fail 'no messages'
	"$TACHO" csvexport -u -t TT_ "$name.tacho" >"$name/.logs/tracy_ops_times.csv" || fail 'no zones'
	# The only issue is the missing device log.
	"$TACHO" ops -o "$name" >out 2>err
	grep -v "^kind\|$allowed" "$name/reports/report_issues.csv" && fail "$name: problems in the logs"
	cp "$name/reports/ops_perf_results.csv" report
}

record layers "$examples/layers"
expect_exit 0 python3 - report <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
codes = [r["OP CODE"] for r in rows]
assert codes == ["warm up", "Matmul", "Relu", "Matmul", "replay", "Matmul", "Relu", "Matmul",
                 "(host) softmax"], codes
ops = [r for r in rows if r["OP TYPE"] == "tt_dnn_device"]
assert [int(r["GLOBAL CALL COUNT"]) for r in ops] == [n << 10 for n in range(1, 7)]
assert [r["PROGRAM CACHE HIT"] for r in ops] == ["False"] * 3 + ["True"] * 3
assert {r["MATH FIDELITY"] for r in ops} == {"HiFi2"}
first = ops[0]
assert first["INPUT_0_Y_PAD[LOGICAL]"] == "64[64]" and first["INPUT_1_X_PAD[LOGICAL]"] == "128[128]"
assert first["OUTPUT_0_MEMORY"] == "DEV_0_DRAM_INTERLEAVED" and first["INPUT_0_DATATYPE"] == "BFLOAT16"
assert int(first["PM IDEAL [ns]"]) > 1 and first["PM REQ I BW"].startswith("[")
assert "mm_compute.c" in first["COMPUTE KERNEL SOURCE"] and "mm_reader.c" in first["DATA MOVEMENT KERNEL SOURCE"]
assert int(first["TENSIX DM 0 MAX KERNEL SIZE [B]"]) > 0
assert all(int(r["HOST DURATION [ns]"]) > 0 for r in ops)
host = rows[8]
assert host["OP TYPE"] == "python_fallback" and int(host["GLOBAL CALL COUNT"]) == 1 << 31 | 7 << 10
assert host["INPUT_0_MEMORY"] == "HOST"
assert rows[4]["ATTRIBUTES"] == "three times"
PYTHON

# Its .tracy file, and a Tracy viewer that connects, have each op of each replay: the report is the same.
expect_exit 0 "$TACHO" ops -o native layers.tacho
# Eight products ran; the two captured ones did not and do not count in the mean; host ops have no device time.
expect_line out ' Matmul$' ' 0 ns +1 +- +0 ns +- +\(host\) softmax$'
awk '/ Matmul$/ { if ($5 != 8 || $3 / 8 - $6 > 0.01 || $6 - $3 / 8 > 0.01) exit 1 }' out || fail "the mean: $(cat out)"
"$TACHO" export -q --to=tracy layers.tacho || fail export
"$TACHO" ops -q -o file layers.tracy >out || fail "ops of a Tracy file: $(cat out)"
# In that file a zone has a source location per op; statistics merge them.
expect_exit 0 "$TACHO" stats --format csv -n BRISC-FW layers.tracy
[ "$(cut -d, -f1,14,15 out)" = "$(printf 'count,name,function\n48,BRISC-FW,')" ] || fail "not one row: $(cat out)"
expect_exit 0 "$TACHO" stats --format csv -n BRISC-FW layers.tacho
expect_line out '^48,'
# Host ops are distinguished from device ops.
expect_exit 0 "$TACHO" perf-report --no-color native/reports/ops_perf_results.csv
expect_line out ' 9 device ops, 1 host ops, 0 signposts '
"$TACHO" serve -1 -p 0 layers.tacho 2>serving &
wait_for grep -q 'on port' serving
expect_exit 0 "$BUILD/tracy-capture" -o seen.tracy -p "$(sed -n 's/.* on port \([0-9]*\);.*/\1/p' serving)"
wait $! || fail serve
"$TACHO" ops -q -o seen seen.tracy >out || fail "ops of what a viewer saw: $(cat out)"
expect_exit 0 python3 - native file seen <<'PYTHON'
import csv, sys
names = ["OP CODE", "GLOBAL CALL COUNT", "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "CORE COUNT"]
times = ["DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "DEVICE BRISC KERNEL DURATION [ns]",
         "DEVICE NCRISC KERNEL DURATION [ns]", "DEVICE TRISC1 KERNEL DURATION [ns]"]
native, *others = [list(csv.DictReader(open(d + "/reports/ops_perf_results.csv"))) for d in sys.argv[1:]]
assert sum(r[times[0]] != "" for r in native) == 12
for other in others:
    assert len(other) == len(native)
    for a, b in zip(native, other):
        assert [a[n] for n in names] == [b[n] for n in names], (a, b)
        for n in times:  # nanoseconds of the host were rounded
            assert a[n] == b[n] or abs(int(a[n]) - int(b[n])) <= 3, (n, a[n], b[n])
PYTHON

# An op on two devices is a row for each device, with different numbers.
record two "$examples/two_devices"
expect_exit 0 python3 - report <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert sorted((r["OP CODE"], r["DEVICE ID"], int(r["GLOBAL CALL COUNT"])) for r in rows) == [
    ("Copy", "0", 1 << 10), ("Copy", "1", 2 << 10 | 1),
    ("MeshCopy", "0", 3 << 10), ("MeshCopy", "1", 3 << 10 | 1)]
PYTHON
# The kernels' zones carry the same numbers.
expect_exit 0 "$TACHO" zones --format csv two.tacho
expect_line out ',0,NCRISC-FW,.*,3073,$' ',0,NCRISC-FW,.*,2049,$' ',0,NCRISC-FW,.*,1024,$'

# A replay also has its trace and its number.
expect_exit 0 "$TACHO" zones --format csv layers.tacho
expect_line out ',0,BRISC-FW,.*,"?5120[,; ]+4294967299"?,$'
expect_no_line out '4294967300'

# Every example names its ops.
for e in loopback:Copy ring:NocRing events:Events full_buffer:FullBuffer matmul:Matmul; do
	# This example fills the buffers, to show that losses are reported.
	[ $e = full_buffer:FullBuffer ] && allowed='missing-file\|markers-dropped'
	record one "$examples/${e%:*}"
	allowed=missing-file
	expect_line report "^${e#*:},tt_dnn_device,1024,0,"
done

# With full descriptions each time, if requested; messages of traces are omitted, except their end.
expect_exit 0 env TT_METAL_PROFILER_NO_CACHE_OP_INFO=1 TT_METAL_PROFILER_TRACE_TRACKING=0 \
	"$TACHO" run -q -o all.tacho -- "$examples/layers"
expect_exit 0 "$TACHO" messages --format json all.tacho
[ "$(grep -c global_call_count out)" = 7 ] || fail 'not every op is described in full'
expect_line out 'TT_METAL_TRACE_END: 0, 1'
expect_no_line out 'TRACE_BEGIN|TRACE_REPLAY|TRACE_RELEASE'

# Full areas in DRAM are reported by device, core and RISC.
expect_exit 0 env TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=43 "$TACHO" run -q -o full.tacho -- "$examples/full_buffer" 2
expect_exit 0 "$TACHO" messages full.tacho
expect_line out 'Profiler DRAM buffers were full, markers were dropped! device 0, worker core 1, 1, Risc TRISC_0,  bufferEndIndex = 512\.'

# Summed runs belong to no op. No log files are named, because the source is a trace.
expect_exit 0 env TT_METAL_DEVICE_PROFILER=1 TT_METAL_PROFILER_ACCUMULATE=1 "$TACHO" run -q -f -o sum.tacho -- "$examples/loopback"
expect_exit 4 "$TACHO" ops -o sum sum.tacho
expect_line err 'warning: op 1024: the trace has nothing about its device' '1 problem in the trace; all are listed in sum/reports/report_issues.csv'
expect_no_line err 'csv:'
expect_line sum/reports/report_issues.csv '^no-device-data,yes,,,1024,0,,,'

# A device that is opened again is the same device, and its clock has continued.
expect_exit 0 env TT_METAL_DEVICE_PROFILER=1 "$TACHO" run -q -f -o again.tacho -- "$BUILD/tests/device_reopen" "$SOURCE/tests/device/plain.c"
expect_exit 0 "$TACHO" ops -o again again.tacho
expect_exit 0 python3 - again/reports/ops_perf_results.csv <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [(r["GLOBAL CALL COUNT"], r["DEVICE ID"]) for r in rows] == [(str(n << 10), "0") for n in range(1, 7)]
starts = [int(r["DEVICE FW START CYCLE"]) for r in rows]
assert starts == sorted(starts), starts
assert len({r["DEVICE KERNEL DURATION [ns]"] for r in rows}) == 1 and int(rows[0]["DEVICE KERNEL DURATION [ns]"]) > 0
PYTHON
expect_exit 0 "$TACHO" info --show clocks --format csv again.tacho
awk -F, '/Device 0 clock/ {n++; if ($5 > 3000) exit 1} END {exit n != 1}' out || fail "the clock's bound is wide"

# All cores of a small program start in the same cycle: not an issue of the trace.
expect_exit 0 "$TACHO" ops -f --force-legacy-device-logs -o again again.tacho
expect_line out '^6 ops, 6 with device data'

# Two processes have ops of the same numbers: each gets a report.
expect_exit 0 env TT_METAL_DEVICE_PROFILER=1 "$TACHO" run -q -f -o pair.tacho -- sh -c "'$examples/loopback' & '$examples/loopback'; wait"
expect_exit 0 "$TACHO" ops -o pair pair.tacho
[ "$(grep -c '^1 op, 1 with device data' out)" = 2 ] || fail 'a report for each process'
pid=$(sed -n 's/^process \([0-9]*\), loopback$/\1/p' out | tail -n 1)
[ -s "pair/reports/$pid/ops_perf_results_$pid.csv" ] || fail "no report of $pid"
expect_exit 0 "$TACHO" ops -f -o pair -p "$pid" pair.tacho
expect_no_line out '^process'
expect_line out '^1 op, 1 with device data'
# Their logs go to separate folders, which give the same reports.
expect_exit 0 "$TACHO" export --to tt-logs -o apart pair.tacho
[ "$(grep -c '^tacho: wrote apart' err)" = 2 ] || fail 'logs of each process'
[ -s apart/.logs/tracy_profile_log_host.tracy ] || fail 'no .tracy file'
first=$(ls pair/reports | grep -vx -e "$pid" -e '.*\..*')
for dir in apart apart/process-$pid; do
	expect_exit 0 "$TACHO" ops -q -o $dir
done
cmp apart/reports/ops_perf_results.csv "pair/reports/$first/ops_perf_results_$first.csv" || fail 'the first process'
cmp "apart/process-$pid/reports/ops_perf_results.csv" "pair/reports/$pid/ops_perf_results_$pid.csv" || fail 'the second process'
expect_exit 5 "$TACHO" export --to tt-logs -o apart pair.tacho
expect_exit 0 "$TACHO" export -q -f --to tt-logs -o apart pair.tacho
expect_exit 0 "$TACHO" ops stats pair.tacho
[ "$(grep -c '^process [0-9]*, loopback$' out)" = 2 ] || fail 'statistics of each process'
expect_exit 2 "$TACHO" ops stats --format json pair.tacho
expect_exit 0 "$TACHO" ops stats --format json -p "$pid" pair.tacho
