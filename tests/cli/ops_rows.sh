# SPDX-License-Identifier: Apache-2.0
# Every op in any log has a row with exactly what is known of it; each problem is listed.
# labels: plain
. "$SOURCE/tests/lib.sh"
MKLOGS=$BUILD/tests/mklogs
REPORT=d/reports/ops_perf_results.csv
ISSUES=d/reports/report_issues.csv

# edit FILE CODE: CODE changes "lines", the lines of d/.logs/FILE.
edit() {
	python3 - "d/.logs/$1" "$2" <<'END'
import sys
path = sys.argv[1]
lines = open(path).read().split("\n")
exec(sys.argv[2])
open(path, "w").write("\n".join(lines))
END
}
# rows CODE: CODE is true of "rows", the ops of the report by call count, and of "lines", every row.
rows() {
	python3 - "$REPORT" "$1" <<'END' || fail "$1: $(cut -c1-150 "$REPORT")"
import csv, sys
lines = list(csv.DictReader(open(sys.argv[1], newline="")))
rows = {r["GLOBAL CALL COUNT"]: r for r in lines}
assert eval(sys.argv[2])
END
}
logs() {
	rm -rf d
	"$MKLOGS" --ops 4 --cores 2 "$@" d
}
report() { # CODE OPTION...
	local code=$1
	shift
	rm -rf d/reports
	expect_exit "$code" "$TACHO" ops -o d "$@"
}

# Cells that are not numbers, in every column of the runtime's report that has numbers.
for bad in 26z7 =1+1; do
	logs --cpp
	columns=$(head -1 d/.logs/cpp_device_perf_report.csv | tr ',' '\n' | wc -l)
	for ((i = 7; i <= columns; i++)); do
		logs --cpp
		edit cpp_device_perf_report.csv "cells = lines[2].split(','); cells[$i - 1] = '$bad'; lines[2] = ','.join(cells)"
		report 4
		expect_line "$ISSUES" "^bad-row,yes,cpp_device_perf_report.csv,3,.*'${bad/+/.}' in column $i is not a number"
		grep -qF -e "$bad" "$REPORT" && fail "column $i is copied: $bad"
		rows 'len(rows) == 5 and rows["2048"]["OP CODE"] == "AddOp"'
	done
done
# The same in messages: figures of the model, sizes of kernels, columns by name.
for member in '"ideal_ns": 950' '"TENSIX_DM_0_max_kernel_size": 101' '"program_cache_hit": false'; do
	logs
	edit tracy_ops_data.csv "lines[6] = lines[6].replace('''$member''', '''${member%:*}: \"=1+1\", \"core_count\": \"26z7\"''')"
	report 4
	case $member in *hit*) ;; *)
		expect_line "$ISSUES" '^bad-message,yes,tracy_ops_data.csv,6,2048,0,.*is not a number; left out'
		grep -qF -e '=1+1' "$REPORT" && fail "$member is copied" ;;
	esac
	grep -qF -e 26z7 "$REPORT" && fail "a message fills a column of numbers"
done

# A description without a name or device: the message's head has both.
logs
edit tracy_ops_data.csv "lines[6] = lines[6].replace('\"op_code\": \"AddOp\", ', '').replace('\"device_id\": 0, \"global', '\"global')"
report 4
expect_line "$ISSUES" '^bad-message,yes,tracy_ops_data.csv,6,2048,0,,,.*no op_code; the name of its head' '^bad-message,.*no device; the one of its head'
rows 'rows["2048"]["OP CODE"] == "AddOp" and rows["2048"]["DEVICE ID"] == "0" and rows["2048"]["DEVICE KERNEL DURATION [ns]"]'

# A lost firmware marker in the middle: its op is not merged with the next one, also with the device log alone.
for type in ZONE_START ZONE_END; do
	logs
	edit profile_log_device.csv "lines = [l for l in lines if not (',2048,,,BRISC-FW,$type,' in l)]"
	report 4 --device-only
	rows 'list(rows) == ["1024", "2048", "3072", "4096"] and len(lines) == 4'
	expect_line "$ISSUES" '^op-without-end,yes,profile_log_device.csv,[0-9]+,2048,0,'
	cp "$REPORT" broken
	logs
	report 0 --device-only
	for id in 1024 3072 4096; do
		[ "$(grep "^$id," broken | cut -d, -f1-4)" = "$(grep "^$id," "$REPORT" | cut -d, -f1-4)" ] || fail "op $id changed with its neighbour"
	done
	logs
	edit profile_log_device.csv "lines = [l.replace('BRISC-FW', 'BR\x01SC') if ',2048,,,BRISC-FW,$type,' in l else l for l in lines]"
	report 4 --device-only
	rows 'list(rows) == ["1024", "2048", "3072", "4096"] and len(lines) == 4'
done

# The first message of a hash is cut: those that refer to it have its name. Without times there is still a row for each.
for cpp in '' --cpp; do
	logs $cpp
	edit tracy_ops_data.csv "
lines[6] = lines[6][:100] + '\`;5000150000'
for at, op in ((7, 3072), (9, 4096)):
    lines[at] = f'\`TT_DNN_DEVICE_OP: \"AddOp\", 17000000000000000001, 0, true, {op}\`;50003{op}0'
    lines[at + 1] = None
lines = [l for l in lines if l is not None]"
	: >d/.logs/tracy_ops_times.csv
	report 4
	rows 'lines[0]["OP TYPE"] == "signpost" and [rows[i]["OP CODE"] for i in ("1024", "2048", "3072", "4096")] == ["MatmulOp", "AddOp", "AddOp", "AddOp"]'
	rows 'all(rows[i]["DEVICE KERNEL DURATION [ns]"] for i in ("2048", "3072", "4096"))'
	expect_line "$ISSUES" '^bad-message,yes,tracy_ops_data.csv,6,2048' '^bad-message,.*,3072,.*refers to the description of line 6' '^bad-message,.*,4096,'
	# No message describes the hash: the device log has the op, so it has a row.
	edit tracy_ops_data.csv "lines[5:7] = []"
	report 4
	rows '[rows[i]["OP CODE"] for i in ("3072", "4096")] == ["AddOp", "AddOp"] and rows["2048"]["DEVICE KERNEL DURATION [ns]"]'
	expect_line "$ISSUES" '^cached-op-unknown,.*,3072' '^device-op-unknown-to-host,yes,.*,2048,0'
done
# With replays the device log may have unknown ops: they have rows, too.
logs --replays 2
edit tracy_ops_data.csv "at = [i for i, l in enumerate(lines) if ', 1024 ->' in l][0]; lines[at:at + 2] = []"
edit tracy_ops_times.csv "lines = [l for l in lines if 'id:1024' not in l]"
report 0
rows 'rows["1024"]["DEVICE KERNEL DURATION [ns]"] and rows["1024"]["OP TYPE"] == "tt_dnn_device"'
expect_line "$ISSUES" '^device-op-of-trace,no,.*,1024,0'

# Without the times file there are names, without the messages times.
for cpp in '' --cpp; do
	logs $cpp
	rm d/.logs/tracy_ops_times.csv
	report 4
	rows '[r["OP CODE"] for r in lines] == ["start", "MatmulOp", "AddOp", "SoftmaxOp", "NormOp", "stop"] and rows["4096"]["DEVICE KERNEL DURATION [ns]"]'
	expect_line "$ISSUES" '^missing-file,yes,tracy_ops_times.csv,.*times of the host are unknown'
	logs $cpp
	rm d/.logs/tracy_ops_data.csv
	report 4
	rows 'len(lines) == 4 and rows["4096"]["DEVICE KERNEL DURATION [ns]"] and rows["4096"]["HOST DURATION [ns]"]'
	expect_line "$ISSUES" '^missing-file,yes,tracy_ops_data.csv,.*names of the ops are unknown'
done

# --device-only without a device log names the missing file.
logs
rm d/.logs/profile_log_device.csv
expect_error 3 'd/.logs has no profile_log_device.csv, and --device-only' "$TACHO" ops -o d --device-only
