# SPDX-License-Identifier: Apache-2.0
# The ops report on invented logs: rows, columns, figures that the logs determine, file names.
# labels: plain
. "$SOURCE/tests/lib.sh"
MKLOGS=$BUILD/tests/mklogs
unset TT_METAL_PROFILER_DIR TT_METAL_HOME

rows() { python3 -c 'import csv, sys; print(sum(1 for _ in csv.reader(open(sys.argv[1], newline=""))) - 1)' "$1"; }
expect_rows() {
	[ "$(rows "$1")" = "$2" ] || fail "$1 has $(rows "$1") rows, not $2"
}

# Host and device are joined: ten ops between two signposts.
"$MKLOGS" --cores 4 --ops 10 a
expect_exit 0 "$TACHO" ops -o a
expect_count 0 err
expect_line out '^10 ops, 10 with device data' '^report: a/reports/ops_perf_results.csv$' ' AddOp$'
r=a/reports/ops_perf_results.csv
expect_rows $r 12
expect_cell $r 1 'OP CODE' start
expect_cell $r 1 'OP TYPE' signpost
expect_cell $r 2 'OP CODE' MatmulOp
expect_cell $r 2 'GLOBAL CALL COUNT' 1024
expect_cell $r 2 'CORE COUNT' 4
expect_cell $r 2 'ATTRIBUTES' "{'kind': \"it's0\"; 'grid': '(8;8)'}"
expect_cell $r 2 'PROGRAM HASH' 17000000000000000000
expect_cell $r 2 'PROGRAM CACHE HIT' False
expect_cell $r 7 'PROGRAM CACHE HIT' True
expect_cell $r 7 'OP CODE' MatmulOp
expect_cell $r 2 'INPUT_0_MEMORY' DEV_0_DRAM_INTERLEAVED
expect_cell $r 2 'INPUT_0_X_PAD[LOGICAL]' '64[50]'
expect_cell $r 2 'PM REQ I BW' '[1.5]'
expect_cell $r 2 'CompileProgram_TT_HOST_FUNC [ns]' 9000
expect_cell $r 7 'CompileProgram_TT_HOST_FUNC [ns]' ''
expect_cell $r 2 'TENSIX DM 0 MAX KERNEL SIZE [B]' 100
expect_cell $r 12 'ATTRIBUTES' 'all; done'
[ -f a/reports/profile_log_device.csv ] || fail 'the device log is not beside the report'
[ -f a/reports/report_issues.csv ] && fail 'a clean run lists issues'
# The first and last firmware marker of op 2048 in the device log.
want=$(awk -F, '$8 == 2048 && $11 ~ /-FW$/ { if (!a || $6 < a) a = $6; if ($6 > b) b = $6 } END { print b - a }' a/.logs/profile_log_device.csv)
expect_cell $r 3 'DEVICE FW DURATION [ns]' "$want"
want=$(awk -F, '$8 == 2048 && $11 ~ /-KERNEL$/ { if (!a || $6 < a) a = $6; if ($6 > b) b = $6 } END { print b - a }' a/.logs/profile_log_device.csv)
expect_cell $r 3 'DEVICE KERNEL DURATION [ns]' "$want"

# A second run numbers the older report; -f replaces it.
cp $r first
echo older >>$r
expect_exit 0 "$TACHO" ops -q -o a
expect_count 0 out
expect_same $r first
expect_line a/reports/ops_perf_results.1.csv older
expect_exit 0 "$TACHO" ops -q -f -o a
[ -f a/reports/ops_perf_results.2.csv ] && fail '-f keeps the older one'
[ -f a/reports/profile_log_device.1.csv ] && fail 'an equal copy is kept twice'

# Names, dates, the folder from the environment.
expect_exit 0 "$TACHO" ops -q -o a -n trial
expect_same a/reports/trial/ops_perf_results_trial.csv first
TT_METAL_PROFILER_DIR=a expect_exit 0 "$TACHO" ops --date
expect_line out '^report: a/reports/[0-9_]{19}/ops_perf_results_[0-9_]{19}.csv$'
expect_error 2 'cannot be part of a file name' "$TACHO" ops -o a -n ../x
expect_error 2 "no analysis 'nonsense', but 'device_kernel_duration'" "$TACHO" ops -o a -a nonsense
expect_error 2 "did you mean 'device_fw_duration'" "$TACHO" ops -o a -a device_fw_durations
expect_error 3 'logs are in a/.logs itself' "$TACHO" ops -o a/.logs
expect_error 3 'cannot read more' "$TACHO" ops -o a more

# Selected analyses.
expect_exit 0 "$TACHO" ops -q -f -o a -a device_kernel_duration
expect_cell $r 3 'DEVICE KERNEL DURATION [ns]' "$want"
expect_cell $r 3 'DEVICE FW DURATION [ns]' ''

# Only the device.
expect_exit 0 "$TACHO" ops -q -o a --device-only -n dev
d=a/reports/dev/ops_perf_results_dev.csv
expect_rows $d 10
expect_cell $d 2 'DEVICE KERNEL DURATION [ns]' "$want"
expect_cell $d 1 'OP TO OP LATENCY [ns]' 0
expect_cell $d 1 'OP CODE' '(no column)'
expect_rows a/reports/dev/per_core_op_to_op_times_dev.csv 9
expect_cell a/reports/dev/per_core_op_to_op_times_dev.csv 1 'op2op ID' '1024 -> 2048'
"$MKLOGS" --device-only --devices 2 --ops 3 b
expect_exit 0 "$TACHO" ops -q -o b
expect_rows b/reports/ops_perf_results.csv 6

# Replays: captured ops keep their rows, and each replay has its own.
"$MKLOGS" --ops 10 --replays 3 --devices 2 c
expect_exit 0 "$TACHO" ops -q -o c
c=c/reports/ops_perf_results.csv
expect_rows $c $((2 + 2 * 10 + 2 * 5 * 3))
python3 - $c <<'END' || fail 'replays are not distinguished'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='')))
replays = [r for r in rows if r['METAL TRACE REPLAY SESSION ID']]
assert len(replays) == 30 and {r['METAL TRACE ID'] for r in replays} == {'7'}
for s in '123':
    assert len([r for r in replays if r['METAL TRACE REPLAY SESSION ID'] == s]) == 10
captured = [r for r in rows if r['OP TYPE'] != 'signpost' and not r['DEVICE FW DURATION [ns]']]
assert len(captured) == 10
END

# The runtime's report is preferred; --force-legacy-device-logs selects the raw log.
"$MKLOGS" --cpp --ops 6 e
expect_exit 0 "$TACHO" ops -q -o e
expect_cell e/reports/ops_perf_results.csv 2 'DEVICE KERNEL DURATION [ns]' 8500
expect_cell e/reports/ops_perf_results.csv 2 'DEVICE ARCH' wormhole_b0
expect_cell e/reports/ops_perf_results.csv 3 'OP TO OP LATENCY [ns]' 31000
expect_exit 0 "$TACHO" ops -q -f -o e --force-legacy-device-logs
expect_cell e/reports/ops_perf_results.csv 2 'DEVICE ARCH' ''

# Counters and NoC traces add columns.
"$MKLOGS" --counters 6 --noc --ops 4 g
expect_exit 0 "$TACHO" ops -q -o g --analyze-noc-traces
g=g/reports/ops_perf_results.csv
expect_cell $g 2 'NOC BYTES' 6000
expect_cell $g 2 'NOC EVENTS' 4
expect_cell $g 2 'NOC CORES' 2
expect_cell $g 2 'NOC MAX CORE SHARE (%)' 66.7
expect_cell $g 5 'NOC BYTES' ''
python3 - $g g/.logs/profile_log_device.csv <<'END' || fail 'the counters come out wrong'
import csv, json, sys
rows = [r for r in csv.DictReader(open(sys.argv[1], newline='')) if r['OP TYPE'] != 'signpost']
utils = []
for line in open(sys.argv[2]).read().splitlines()[2:]:
    f = line.split(',')
    if f[7] == '1024' and 'THREAD_STALLS_0' in f[14]:
        m = json.loads(f[14].replace(';', ','))
        utils.append(m['value'] / m['ref cnt'] * 100)
assert abs(float(rows[0]['Thread 0 Stall Rate Max (%)']) - max(utils)) < 1e-9
assert abs(float(rows[0]['Thread 0 Stall Rate Avg (%)']) - sum(utils) / len(utils)) < 1e-9
assert 'Thread 1 Stall Rate Max (%)' not in rows[0]
assert float(rows[0]['Avg FPU util on full grid (%)']) > 0
END

# Statistics of the log: text and JSON agree.
expect_exit 0 "$TACHO" ops stats -o a
expect_line out '^=+ device_kernel_duration =+$' '^       Count          =         10$'
expect_exit 0 "$TACHO" ops stats --format json -d a/.logs/profile_log_device.csv
python3 -c '
import json
d = json.load(open("out"))["data"]["devices"]["0"]["cores"]["DEVICE"]["analysis"]
s = d["device_kernel_duration_per_core"]["stats"]
assert s["Count"] == 40 and s["Max"] - s["Min"] == s["Range"] and s["Sum"] / s["Count"] == s["Average"]
assert d["op2op"]["stats"]["Count"] == 36' || fail 'the statistics as JSON'
expect_error 3 'cannot open' "$TACHO" ops stats -d nothing.csv
exit 0
