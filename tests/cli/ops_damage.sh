# SPDX-License-Identifier: Apache-2.0
# Logs with gaps: still a report, every issue listed, exit 4; hostile ones: one line and the exit code.
. "$SOURCE/tests/lib.sh"
MKLOGS=$BUILD/tests/mklogs
rows() { python3 -c 'import csv, sys; print(sum(1 for _ in csv.reader(open(sys.argv[1], newline=""))) - 1)' "$1"; }

# damaged KIND ROWS WORD [SWITCH...]: a report of ROWS rows, and an issue WORD.
damaged() {
	local kind=$1 want=$2 word=$3
	shift 3
	rm -rf d
	"$MKLOGS" --ops 10 --damage "$kind" "$@" d
	expect_exit 4 "$TACHO" ops -o d
	[ "$(rows d/reports/ops_perf_results.csv)" = "$want" ] || fail "$kind: $(rows d/reports/ops_perf_results.csv) rows, not $want"
	expect_line d/reports/report_issues.csv "^$word,yes,"
	expect_line err '^tacho: warning: .*listed in d/reports/report_issues.csv'
}
damaged drop-op 12 no-device-data
damaged drop-op 12 no-device-data --cpp
damaged extra-op 13 device-op-unknown-to-host
damaged repeat-op 13 op-ran-again
damaged repeat-op 23 op-ran-again --replays 2
damaged drop-fw-end 12 op-without-end
damaged old-header 12 old-header
damaged garbage 12 bad-row
damaged cut-line 12 bad-row
damaged truncate-json 12 bad-message
damaged lost-quote 12 bad-row
damaged no-replay 22 replay-count --replays 2

# Two programs append to the same logs: the calls of the first are not dropped without a word.
rm -rf d e && "$MKLOGS" --ops 5 --cpp d && "$MKLOGS" --ops 5 --cpp --seed 2 e
tail -n +2 e/.logs/tracy_ops_data.csv >>d/.logs/tracy_ops_data.csv
expect_exit 4 "$TACHO" ops -o d
expect_count 6 d/reports/report_issues.csv
expect_line d/reports/report_issues.csv '^repeated-id,yes,tracy_ops_data.csv,18,1024,0,'
tail -n +2 e/.logs/cpp_device_perf_report.csv >>d/.logs/cpp_device_perf_report.csv
expect_exit 4 "$TACHO" ops -f -o d
expect_count 11 d/reports/report_issues.csv
expect_line d/reports/report_issues.csv '^repeated-id,yes,cpp_device_perf_report.csv,7,1024,0,'

# A row without a line end for megabytes is one bad row.
rm -rf d
"$MKLOGS" --ops 10 d
expect_exit 0 "$TACHO" ops -q -o d
cp d/reports/ops_perf_results.csv whole
python3 - d/.logs/profile_log_device.csv <<'END'
import sys
lines = open(sys.argv[1]).readlines()
lines.insert(40, "x" * 3000000 + "\n")
open(sys.argv[1], "w").writelines(lines)
END
expect_exit 4 "$TACHO" ops -q -f -o d
expect_line d/reports/report_issues.csv '^bad-row,yes,profile_log_device.csv,41,.*longer than 1048576 bytes'
expect_count 2 d/reports/report_issues.csv
expect_same whole d/reports/ops_perf_results.csv

# A cut message still gives the op's name, device and hash.
damaged truncate-json 12 bad-message
python3 - d/reports/ops_perf_results.csv <<'END' || fail 'nothing is salvaged of the cut message'
import csv, sys
row = [r for r in csv.DictReader(open(sys.argv[1], newline='')) if r['GLOBAL CALL COUNT'] == '2048'][0]
assert row['OP CODE'] == 'AddOp' and row['DEVICE ID'] == '0' and row['DEVICE KERNEL DURATION [ns]']
END

# A captured trace that never runs.
rm -rf d && "$MKLOGS" --ops 10 --replays 1 --damage no-replay d
grep -v ',7,1,' d/.logs/profile_log_device.csv >log && mv log d/.logs/profile_log_device.csv
expect_exit 4 "$TACHO" ops -o d
expect_line d/reports/report_issues.csv '^captured-not-replayed,yes,tracy_ops_data.csv,[0-9]+,6144,0,'

# Missing files.
rm -rf d && "$MKLOGS" d && rm d/.logs/profile_log_device.csv
expect_exit 4 "$TACHO" ops -o d
expect_line err 'profile_log_device.csv: no device data'
[ "$(rows d/reports/ops_perf_results.csv)" = 12 ] || fail 'the host alone'
# Files without their header: the other logs are reported.
for head in '' 'nonsense\n'; do
	for cpp in '' --cpp; do
		rm -rf e && "$MKLOGS" $cpp e && printf "$head" >e/.logs/profile_log_device.csv
		expect_exit 4 "$TACHO" ops -o e
		expect_line err 'profile_log_device.csv.*the report is without it'
		[ "$(rows e/reports/ops_perf_results.csv)" = 12 ] || fail "a device log of '$head'"
	done
done
rm d/.logs/tracy_ops_times.csv
expect_exit 4 "$TACHO" ops -o d
expect_line d/reports/report_issues.csv '^no-host-time,yes'
rm -rf d && "$MKLOGS" d && echo 'There are currently no messages!' >d/.logs/tracy_ops_data.csv
expect_exit 4 "$TACHO" ops -o d
expect_line d/reports/report_issues.csv '^no-host-message,yes'
[ "$(rows d/reports/ops_perf_results.csv)" = 10 ] || fail 'ops that only the zones name'
rm -rf d && mkdir -p d/.logs
expect_error 3 'neither' "$TACHO" ops -o d
expect_error 3 'neither' "$TACHO" ops -o nowhere

# Columns of older versions, by their names.
rm -rf d && "$MKLOGS" --device-only --ops 4 d
expect_exit 0 "$TACHO" ops -q -o d
cp d/reports/ops_perf_results.csv now
python3 - d/.logs/profile_log_device.csv <<'END'
import sys
path = sys.argv[1]
lines = open(path).read().splitlines()
out = ['ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000',
       'PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], stat value, Run ID, run host ID,  zone name, zone phase, source line, source file']
for line in lines[2:]:
    f = line.split(',')
    phase = {'ZONE_START': 'begin', 'ZONE_END': 'end'}[f[11]]
    out.append(','.join(f[:7] + ['5', f[7], f[10], phase, f[12], f[13]]))
open(path, 'w').write('\n'.join(out) + '\n')
END
expect_exit 4 "$TACHO" ops -q -f -o d
expect_same d/reports/ops_perf_results.csv now
expect_line d/reports/report_issues.csv '^old-header,yes,profile_log_device.csv,1,'

# Not a log.
rm -rf d && mkdir -p d/.logs
head -c 100000 /dev/urandom >d/.logs/profile_log_device.csv
expect_error 3 'device log' "$TACHO" ops -o d
: >d/.logs/profile_log_device.csv
expect_error 3 'columns are missing' "$TACHO" ops -o d
head -c 3000000 /dev/zero | tr '\0' x >d/.logs/profile_log_device.csv
expect_error 3 'line longer' "$TACHO" ops -o d
rm d/.logs/profile_log_device.csv && mkdir d/.logs/profile_log_device.csv
expect_error 3 'is a directory' "$TACHO" ops -o d

# Flipped bits anywhere: never a signal, and always a message if the exit code is not 0.
"$MKLOGS" --ops 6 --replays 2 --counters 2 --noc x
for seed in 1 2 3 4 5 6 7 8; do
	rm -rf y && cp -r x y
	python3 - $seed y/.logs/* <<'END'
import random, sys
random.seed(int(sys.argv[1]))
for path in sys.argv[2:]:
    b = bytearray(open(path, 'rb').read())
    for _ in range(20): b[random.randrange(len(b))] = random.randrange(256)
    if random.random() < .3: del b[random.randrange(len(b)):]
    open(path, 'wb').write(b)
END
	"$TACHO" ops -o y --analyze-noc-traces >out 2>err
	code=$?
	case $code in 0 | 3 | 4) ;; *) fail "seed $seed: exit $code: $(head -c 300 err)" ;; esac
	[ $code = 0 ] || [ -s err ] || fail "seed $seed: exit $code without a word"
done

# Very many different functions, traces and missing descriptions: quadratic time would show. The
# report has thousands of columns: with more ops a slow machine would need minutes to write it.
rm -rf d && mkdir -p d/.logs
python3 - <<'END'
with open('d/.logs/tracy_ops_data.csv', 'w') as f:
    f.write('MessageName;total_ns\n`TT_DNN_DEVICE_OP: "A", 1, 0, true, 1024 ->\n{"global_call_count": 1024, "device_id": 0}`;1\n')
    for i in range(10000):
        f.write(f'`TT_METAL_TRACE_REPLAY: 0, {i}`;{i}\n`TT_DNN_DEVICE_OP: "A", {i}, 0, true, {i + 5000}`;{i}\n')
with open('d/.logs/tracy_ops_times.csv', 'w') as f:
    f.write('name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text\n')
    for i in range(10000):
        f.write(f'f{i},f,1,,,1,1,1,id:1024\nTT_DNN_DEVICE_OP,f,1,,"id:{i + 5000}",1,1,1,\n')
END
expect_exit 4 "$TACHO" ops -q -o d
[ "$(rows d/reports/ops_perf_results.csv)" = 10001 ] || fail 'an op of many is lost'

# No space, no permission: exit 5, no partial files.
rm -rf d && "$MKLOGS" d && mkdir -p d/reports
if [ -e /dev/full ] && [ "$(id -u)" != 0 ]; then
	chmod a-w d/reports
	expect_exit 5 "$TACHO" ops -o d
	chmod u+w d/reports
fi
rm -rf d/reports && : >d/reports
expect_error 5 'reports' "$TACHO" ops -o d
exit 0
