# SPDX-License-Identifier: Apache-2.0
# The logs that a program writes itself: what, where and when, and what happens if it cannot.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
examples=$BUILD/examples/device
logs=generated/profiler/.logs
export TT_METAL_DEVICE_PROFILER=1

# rows FILE: all lines but the two of the header, sorted
rows() {
	tail -n +3 "$1" | sort
}

# The same rows as in the log made from the trace: cycles are restored exactly.
for example in matmul events layers two_devices; do
	rm -rf generated exported
	expect_exit 0 env TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 TT_METAL_PROFILE_PERF_COUNTERS=39 \
		TT_METAL_PROFILER_SUM=1 "$TACHO" run -q -f -o t.tacho -- "$examples/$example"
	expect_exit 0 "$TACHO" check t.tacho
	expect_line out 'verdict +whole' '^lost +0'
	expect_exit 0 "$TACHO" export --to tt-logs -o exported t.tacho
	rows $logs/profile_log_device.csv >a
	rows exported/.logs/profile_log_device.csv >b
	[ -s a ] || fail "$example: no rows"
	expect_same a b
done
expect_line $logs/profile_log_device.csv '^ARCH: tiny, CHIP_FREQ\[MHz\]: 1000, Max Compute Cores: 4$' \
	'^1,1,1,NCRISC,[0-9]+,[0-9]+,0,[0-9]+,,,NCRISC-FW,ZONE_START,[0-9]+,.*/subordinate.c,$'
[ "$(grep -c ARCH $logs/profile_log_device.csv)" = 1 ] || fail 'more than one head'
# The times and transfers of each execution equal those from the trace, written at once or in parts.
for example in layers two_devices; do
	for mid_run in 0 1; do
		rm -rf generated exported
		expect_exit 0 env TT_METAL_DEVICE_PROFILER_NOC_EVENTS=2 TT_METAL_PROFILER_CPP_POST_PROCESS=1 \
			TT_METAL_PROFILER_MID_RUN_DUMP=$mid_run "$TACHO" run -q -f -o t.tacho -- "$examples/$example"
		expect_exit 0 "$TACHO" export --to tt-logs -o exported t.tacho
		(cd $logs && ls noc_trace_dev*) >a
		(cd exported/.logs && ls noc_trace_dev*) >b
		expect_same a b
		while read -r name; do expect_same $logs/$name exported/.logs/$name; done <a
		sort $logs/cpp_device_perf_report.csv >a
		sort exported/.logs/cpp_device_perf_report.csv >b
		expect_same a b
	done
done
expect_exit 0 env TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH=transfers/here \
	TT_METAL_PROFILER_DIR=quiet "$examples/matmul"
[ -s transfers/here/noc_trace_dev0_Matmul_ID1024.json ] || fail "no transfers: $(ls transfers/here)"
[ ! -e quiet/.logs/cpp_device_perf_report.csv ] || fail 'measurements that nobody asked for'
expect_count 0 err

# Consecutive runs: their ops and device times continue in the logs, but not in a trace.
for i in 1 2 3; do expect_exit 0 env TT_METAL_PROFILER_DIR=doubled "$examples/layers"; done
expect_exit 0 "$TACHO" ops -q -o doubled
python3 - doubled/reports/ops_perf_results.csv <<'PYTHON' || fail 'three runs are not three times one'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 36, len(rows)
ids = [int(r["GLOBAL CALL COUNT"]) >> 10 & 0x1fffff for r in rows]
assert min(ids) == 1 and max(ids) == 20 and len(set(ids)) == 18, ids
spans = sorted((int(r["DEVICE FW START CYCLE"]), int(r["DEVICE FW END CYCLE"])) for r in rows)
assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), spans
PYTHON
# A new recording starts a new log, which the two programs in it share.
expect_exit 0 env TT_METAL_PROFILER_DIR=doubled "$TACHO" run -q -f -o t.tacho -- sh -c "'$examples/matmul' && '$examples/matmul'"
expect_line doubled/.logs/profile_log_device.csv.old ',20480,'
cut -d, -f8 doubled/.logs/profile_log_device.csv | tail -n +3 | sort -u >ids
printf '1024\n2048\n' >two
expect_same two ids
# A log of another program is not appended to.
mv doubled/.logs/profile_log_device.csv.old copy
cp copy doubled/.logs/profile_log_device.csv
expect_exit 0 env TT_METAL_PROFILER_DIR=doubled "$examples/layers"
expect_exit 4 "$TACHO" ops -o doubled
expect_line err 'op 1024, core [0-9]+,[0-9]+: the core starts its firmware again .*several runs of a program'
# Concurrent runs: the second one finds the folder in use.
mkdir -p busy/.logs
python3 - busy/.logs/.writer <<'PYTHON' &
import fcntl, os, sys, time
f = open(sys.argv[1], "w")
fcntl.lockf(f, fcntl.LOCK_EX)
open("taken", "w").close()
while not os.path.exists("done"):
    time.sleep(0.05)
PYTHON
wait_for test -e taken
expect_exit 0 env TT_METAL_PROFILER_DIR=busy "$examples/two_devices"
touch done
wait
expect_line err '^tacho: warning: another process writes busy/.logs: the logs of this one are in busy/process-[0-9]+$'
expect_count 1 err
[ ! -e busy/.logs/profile_log_device.csv ] || fail 'it writes to the folder of another'
expect_exit 0 "$TACHO" ops -q -o busy/process-*
# Devices of another architecture get a separate log: a log has one header.
expect_exit 0 env TT_METAL_PROFILER_DIR=kinds "$examples/loopback"
expect_exit 0 env TT_METAL_PROFILER_DIR=kinds TACHO_ARCH=blackhole "$examples/loopback"
expect_line err '^tacho: warning: kinds/.logs is of other devices: the logs of blackhole with 140 cores are in kinds/blackhole-140$'
expect_exit 0 "$TACHO" ops -o kinds
expect_line err '^tacho: kinds/blackhole-140 has logs of its own: tacho ops -o kinds/blackhole-140$'
expect_line kinds/.logs/profile_log_device.csv '^ARCH: tiny, CHIP_FREQ\[MHz\]: 1000, Max Compute Cores: 4$'
expect_line kinds/blackhole-140/.logs/profile_log_device.csv '^ARCH: blackhole, CHIP_FREQ\[MHz\]: 1350, Max Compute Cores: 140$'
# The same in one process; a report from the trace uses each device's frequency, also from raw markers.
for counters in 0 fpu; do
	rm -rf two
	expect_exit 0 env TT_METAL_PROFILER_DIR=two TT_METAL_PROFILE_PERF_COUNTERS=$counters \
		"$TACHO" run -q -f -o t.tacho -- "$BUILD/tests/device_kinds" "$SOURCE/tests/device/spin.c"
	expect_line two/blackhole-140/.logs/profile_log_device.csv '^ARCH: blackhole'
	expect_exit 0 "$TACHO" ops -q -o two t.tacho
	python3 - two/reports/ops_perf_results.csv <<'PYTHON' || fail 'not the frequency of each device'
import csv, sys
ns = {r["DEVICE ID"]: int(r["DEVICE KERNEL DURATION [ns]"]) for r in csv.DictReader(open(sys.argv[1]))}
assert abs(ns["0"] / ns["1"] - 1.35) < 0.01, ns
PYTHON
done
expect_exit 0 "$TACHO" export --to tt-logs -o exported2 t.tacho
expect_line err 'warning: the devices are of several kinds'
awk -F, 'NR > 2 && NF != 15 { exit 1 }' $logs/profile_log_device.csv || fail 'not 15 columns'
expect_line $logs/zone_src_locations.log \
	"note: '#pragma message: BRISC-FW,.*/brisc.c,[0-9]+,KERNEL_PROFILER'$"

# By core, RISC and time; each start has an end.
expect_exit 0 "$examples/matmul"
python3 - $logs/profile_log_device.csv <<'PYTHON' || fail 'order or pairs'
import csv, sys
rows = list(csv.reader(list(open(sys.argv[1]))[2:]))[-1000:]
stacks = {}
for r in rows:
    key = tuple(r[:4])
    if r[11] == "ZONE_START":
        stacks.setdefault(key, []).append((r[10], r[4]))
    elif r[11] == "ZONE_END" and stacks.get(key):
        assert stacks[key].pop() == (r[10], r[4])
order = ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC"]
keys = [(int(r[1]), int(r[2]), order.index(r[3]), int(r[5])) for r in rows[-700:]]
assert keys == sorted(keys)
PYTHON

# A second run is appended; zones are not reported twice.
cp $logs/profile_log_device.csv before
sort $logs/zone_src_locations.log | uniq -d >twice
[ ! -s twice ] || fail 'zones twice'
cp $logs/zone_src_locations.log zones
expect_exit 0 "$examples/matmul"
expect_same zones $logs/zone_src_locations.log
cmp -n "$(stat -c %s before)" before $logs/profile_log_device.csv || fail 'not appended'
[ "$(stat -c %s $logs/profile_log_device.csv)" -gt "$(stat -c %s before)" ] || fail 'nothing appended'
[ "$(grep -c ARCH $logs/profile_log_device.csv)" = 1 ] || fail 'more than one head'

# The folder: TT_METAL_PROFILER_DIR, else below TT_METAL_HOME.
rm -rf generated
expect_exit 0 env TT_METAL_PROFILER_DIR=own/dir TT_METAL_HOME=home "$examples/events"
[ -s own/dir/.logs/profile_log_device.csv ] || fail 'no log in TT_METAL_PROFILER_DIR'
expect_exit 0 env TT_METAL_HOME=home "$examples/events"
[ -s home/generated/profiler/.logs/profile_log_device.csv ] || fail 'no log in TT_METAL_HOME'
[ ! -e generated ] || fail 'a log here, too'

# No logs if they are turned off, or if profiling was not requested from outside.
expect_exit 0 env TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES=1 "$examples/events"
expect_exit 0 env -u TT_METAL_DEVICE_PROFILER "$examples/events"
[ ! -e generated ] || fail 'a log that was not asked for'

# An unwritable folder: one line, and the program continues.
echo >file
expect_exit 0 env TT_METAL_PROFILER_DIR=file/x "$examples/matmul"
expect_line out right
expect_line err '^tacho: warning: cannot make the folder file/?.*: Not a directory: devices write no logs$'
[ "$(wc -l <err)" = 1 ] || fail 'more than one line'
mkdir -p full/.logs
ln -s /dev/full full/.logs/profile_log_device.csv
expect_exit 0 env TT_METAL_PROFILER_DIR=full "$examples/layers"
expect_line err '^tacho: warning: cannot write full/.logs/profile_log_device.csv: No space left on device$'
[ "$(wc -l <err)" = 1 ] || fail 'more than one line'

# Kernels can be excluded from the trace, but not from the log.
expect_exit 0 env TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY=1 "$TACHO" run -q -f -o t.tacho -- "$examples/matmul"
expect_exit 0 "$TACHO" info t.tacho
expect_no_line out '^core '
[ -s $logs/profile_log_device.csv ] || fail 'no log'

# One-way clock samples: 249 at open, 249 at close, and the right frequency.
expect_exit 0 env TT_METAL_PROFILER_SYNC=1 "$examples/events"
[ "$(wc -l <$logs/sync_device_info.csv)" = $((1 + 2 * 249)) ] || fail 'not 2 x 249 samples'
awk -F, 'NR > 1 && (NF != 14 || $10 < 0.9999 || $10 > 1.0001) { exit 1 }' $logs/sync_device_info.csv ||
	fail 'frequency'
expect_line $logs/sync_device_info.csv '^    0,    1,    1, +[0-9]+, +[0-9]+, +[0-9]+\.[0-9][0-9],'

# An unknown variable is reported once, by the program or by the recorder.
expect_exit 0 env TT_METAL_PROFILER_SYNK=1 TT_METAL_DEVICE_PROFILER_NOCEVENTS=1 "$examples/two_devices"
expect_line err '^tacho: warning: unknown environment variable TT_METAL_PROFILER_SYNK; the nearest known one is TT_METAL_PROFILER_SYNC$' \
	'TT_METAL_DEVICE_PROFILER_NOCEVENTS; the nearest known one is TT_METAL_DEVICE_PROFILER_NOC_EVENTS$'
[ "$(grep -c warning err)" = 2 ] || fail 'reported more than once'
expect_exit 0 env TT_METAL_PROFILER_SYNK=1 "$TACHO" run -f -o t.tacho -- "$examples/two_devices"
[ "$(grep -c SYNK err)" = 1 ] || fail 'reported more than once'
