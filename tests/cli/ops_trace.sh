# SPDX-License-Identifier: Apache-2.0
# Reports and logs made from a trace are byte for byte those made from logs.
# labels: plain
. "$SOURCE/tests/lib.sh"
MKLOGS=$BUILD/tests/mklogs
unset TT_METAL_PROFILER_DIR TT_METAL_HOME

# same NAME MKLOGS-SWITCHES...: logs become a trace, which gives back the same logs and report.
same() {
	local name=$1 mode
	shift
	rm -rf d e t.* && "$MKLOGS" "$@" d
	"$BUILD/tests/logs2trace" d "$name.tacho"
	expect_exit 0 "$TACHO" export --to tt-logs -o e "$name.tacho"
	expect_line err '^tacho: wrote e/.logs: [0-9,]+ device rows'
	cmp d/.logs/tracy_ops_data.csv e/.logs/tracy_ops_data.csv || fail "$name: messages"
	# The invented logs have invented hashes and another order.
	cut -d, -f1-4,6,8-12,15 d/.logs/profile_log_device.csv | sort >want
	cut -d, -f1-4,6,8-12,15 e/.logs/profile_log_device.csv | sort >got
	expect_same got want
	for mode in '' --force-legacy-device-logs --device-only; do
		rm -rf e/reports t
		expect_exit 0 "$TACHO" ops -q $mode -o e
		expect_exit 0 "$TACHO" ops -q $mode -o t "$name.tacho"
		[ ! -e t/reports/profile_log_device.csv ] || fail "$name $mode: a device log that nobody asked for"
		expect_exit 0 "$TACHO" ops -q -f --logs $mode -o t "$name.tacho"
		cmp e/reports/ops_perf_results.csv t/reports/ops_perf_results.csv || fail "$name $mode: the report"
		cmp e/.logs/profile_log_device.csv t/reports/profile_log_device.csv || fail "$name $mode: the device log beside it"
	done
	# The original raw log gives the same report as the one made from the trace.
	expect_exit 0 "$TACHO" ops -q -o d
	rm -rf e/reports
	expect_exit 0 "$TACHO" ops -q --force-legacy-device-logs -o e
	cmp d/reports/ops_perf_results.csv e/reports/ops_perf_results.csv || fail "$name: by way of the trace"
}
same plain --ops 12
same devices --ops 7 --devices 3 --cores 9
same replays --ops 10 --replays 3
same zones --ops 5 --zones 4
same clock --ops 6 --mhz 1350
same counters --ops 5 --counters 4
[ ! -e e/.logs/cpp_device_perf_report.csv ] || fail 'counters are in the raw log alone'
same plain --ops 12
for f in tracy_ops_data.csv tracy_ops_times.csv profile_log_device.csv cpp_device_perf_report.csv sync_device_info.csv zone_src_locations.log tracy_profile_log_host.tracy; do
	[ -s e/.logs/$f ] || fail "no $f"
done
[ "$(wc -l <e/.logs/cpp_device_perf_report.csv)" = 13 ] || fail 'a row for each program'
expect_exit 0 "$TACHO" info -q e/.logs/tracy_profile_log_host.tracy

# The output, and its place without -o.
expect_exit 0 "$TACHO" ops plain.tacho
expect_line out '^12 ops, 12 with device data'
expect_line out '^most uneven is op ' ' gaps   uneven  op$'
expect_line out '^report: ./generated/profiler/reports/ops_perf_results.csv$'
expect_exit 0 "$TACHO" export --to tt-logs -o p plain.tacho
expect_line err '^tacho: wrote p/.logs: [0-9,]+ device rows, 12 program runs'
expect_exit 0 "$TACHO" ops -o p # the runtime's report exists, and has no cores
expect_line out ' gaps  op$'
TT_METAL_PROFILER_DIR=env expect_exit 0 "$TACHO" ops -q -n a plain.tacho
[ -s env/reports/a/ops_perf_results_a.csv ] || fail 'TT_METAL_PROFILER_DIR, -n'
expect_exit 0 "$TACHO" ops -q plain.tacho
[ -s generated/profiler/reports/ops_perf_results.1.csv ] || fail 'the older report is kept'

# Cores of a Tracy client: the firmware's description of one RISC holds for the others of the core.
without() { # the columns that depend on when a device began to count
	python3 - "$1" <<'EOF'
import csv, sys
for r in csv.DictReader(open(sys.argv[1], newline='')):
    print([(k, v) for k, v in r.items() if 'CYCLE' not in k])
EOF
}
for more in '' '--replays 3' '--devices 2'; do
	rm -rf d t && "$MKLOGS" --ops 8 --cores 5 $more d
	"$BUILD/tests/logs2trace" -t d tracy.tacho
	expect_exit 0 "$TACHO" ops -q -o d
	expect_exit 0 "$TACHO" ops -q -o t tracy.tacho
	without d/reports/ops_perf_results.csv >want
	without t/reports/ops_perf_results.csv >got
	expect_same got want
done

# Our .tracy file gives the same report.
expect_exit 0 "$TACHO" ops -q -o tracy e/.logs/tracy_profile_log_host.tracy
expect_exit 0 "$TACHO" ops -q -o direct plain.tacho
expect_exit 0 python3 - tracy direct <<'EOF'
import csv, sys
a, b = [[(r["OP CODE"], r["GLOBAL CALL COUNT"], r["CORE COUNT"], r["DEVICE KERNEL DURATION [ns]"])
         for r in csv.DictReader(open(d + "/reports/ops_perf_results.csv"))] for d in sys.argv[1:]]
assert len(a) == len(b) > 5
for x, y in zip(a, b):
    assert x[:3] == y[:3] and abs(int(x[3] or 0) - int(y[3] or 0)) <= 3, (x, y)
EOF

# Nothing is overwritten; -f moves older logs aside.
cp -r e/.logs before
expect_error 5 'has logs already' "$TACHO" export --to tt-logs -o e plain.tacho
diff -r before e/.logs || fail 'older logs were touched'
expect_exit 0 "$TACHO" export -q --to tt-logs -f -o e plain.tacho
diff -r before e/.logs.1 || fail 'older logs were not kept'
diff -r before e/.logs || fail 'the same trace gives other logs'
# Other files are not touched and cause no error.
mkdir -p mixed/.logs/mine && cp plain.tacho mixed/.logs
expect_exit 0 "$TACHO" export -q --to tt-logs -o mixed mixed/.logs/plain.tacho
expect_exit 0 "$TACHO" export -q --to tt-logs -f -o mixed mixed/.logs/plain.tacho
cmp -s plain.tacho mixed/.logs/plain.tacho && [ -d mixed/.logs/mine ] || fail 'files of others were moved'
diff -r before mixed/.logs.1 || fail 'older logs were not put aside'
diff -r before mixed/.logs | grep -v '^Only in mixed/.logs: \(mine\|plain.tacho\)$' && fail 'the logs are others'
[ "$(ls -A mixed)" = $'.logs\n.logs.1' ] || fail "left over: $(ls -A mixed)"
expect_error 2 'whole trace' "$TACHO" export --to tt-logs -o x -r 1s.. plain.tacho
expect_error 2 'a folder' "$TACHO" export --to tt-logs -o - plain.tacho
expect_error 2 'one trace' "$TACHO" ops plain.tacho plain.tacho
expect_error 3 '' "$TACHO" ops nowhere.tacho
expect_error 2 'for traces' "$TACHO" ops -p 1 -o e
expect_exit 0 "$TACHO" ops -q -p 4242 -o p plain.tacho
expect_exit 1 "$TACHO" ops -q -p 4243 -o p plain.tacho
: >file
expect_error 5 'folder' "$TACHO" export --to tt-logs -o file plain.tacho
expect_error 5 'folder' "$TACHO" ops -o file plain.tacho
ls -A . | grep -q 'logs.part' && fail 'a temporary folder is left'

# A truncated trace: its intact part, exit 4.
size=$(stat -c %s replays.tacho)
for part in 30 60 90 99; do
	head -c $((size * part / 100)) replays.tacho >cut.tacho
	rm -rf c
	"$TACHO" ops -o c cut.tacho >out 2>err
	code=$?
	case $code in 3 | 4) ;; *) fail "cut at $part %: exit $code" ;; esac
	[ -s err ] || fail "cut at $part %: not a word"
	[ $code = 3 ] || [ -s c/reports/ops_perf_results.csv ] || fail "cut at $part %: no report"
done
[ $code = 4 ] || fail 'a trace without its end gives no report'
rm -rf c && expect_exit 4 "$TACHO" export --to tt-logs -o c cut.tacho
[ -s c/.logs/profile_log_device.csv ] || fail 'no logs of a cut trace'

# Statistics of a trace equal those of its log, also per execution with --series.
"$MKLOGS" --ops 6 --cores 3 sd && "$BUILD/tests/logs2trace" sd sd.tacho
expect_exit 0 "$TACHO" ops stats -d sd/.logs/profile_log_device.csv && mv out want
expect_exit 0 "$TACHO" ops stats sd.tacho
expect_same out want
expect_exit 0 "$TACHO" ops stats --format=json --series sd.tacho
python3 - <<'EOF' || fail 'the series'
import json
device = json.load(open('out'))['data']['devices']['0']['cores']['DEVICE']
ops = device['riscs']['TENSIX']['ops']
assert [o['run_host_id'] for o in ops] == [n << 10 for n in range(1, 7)]
for name in ('device_fw_duration', 'device_kernel_duration'):
    series = [o['analysis'][name]['series'][0] for o in ops]
    assert all(s['end_cycle'] - s['start_cycle'] == s['duration_cycles'] > 0 for s in series)
    assert sum(s['duration_cycles'] for s in series) == device['analysis'][name]['stats']['Sum']
assert all(o['analysis']['device_kernel_duration_per_core']['stats']['Count'] == 3 for o in ops)
EOF
"$BUILD/tests/mktrace" -c none.tacho
expect_error 3 'no device' "$TACHO" ops stats none.tacho
expect_error 2 'instead of a trace' "$TACHO" ops stats -d log sd.tacho

# The slowest core of each op and its RISC with the longest kernel equal those in the device log, by
# executions and by single markers (which counters need).
for kind in '--ops 7 --devices 3 --cores 9' '--ops 5 --cores 6 --counters 1'; do
	rm -rf s s.tacho && "$MKLOGS" $kind s && "$BUILD/tests/logs2trace" s s.tacho
	"$TACHO" perf-report -q --no-merge-devices --ignore-signposts --format=json s.tacho >out
	python3 - out s/.logs/profile_log_device.csv <<'PY' || fail "the slowest cores of $kind"
import csv, json, sys
rows = list(csv.reader(open(sys.argv[2]).readlines()[2:], skipinitialspace=True))
kernels, spans = {}, {}
for r in rows:
    if not r[10].endswith("-KERNEL"):
        continue
    op, core, risc, time = (int(r[0]), int(r[7])), (int(r[1]), int(r[2])), r[3].replace("_", ""), int(r[5])
    kernels.setdefault((op, core), {}).setdefault(risc, []).append(time)
for (op, core), riscs in kernels.items():
    times = [t for list in riscs.values() for t in list]
    longest = max(riscs.values(), key=lambda t: max(t) - min(t))
    spans.setdefault(op, []).append((max(times) - min(times), core, {k for k, t in riscs.items() if max(t) - min(t) == max(longest) - min(longest)}))
ops = [o for o in json.load(open(sys.argv[1]))["ops"] if o["slowest_core"]]
assert len(ops) >= 5, ops
for o in ops:
    c = o["slowest_core"]
    all = spans[o["device"], o["global_call_count"] if (o["device"], o["global_call_count"]) in spans else o["global_call_count"] >> 10]
    most = max(s[0] for s in all)
    best = {s[1]: s[2] for s in all if s[0] == most}
    assert (c["x"], c["y"]) in best and c["risc"] in best[c["x"], c["y"]], (o, best)
PY
done
"$TACHO" perf-report -q --why 2 s.tacho >out
expect_line out '^  slowest core x=[0-9]+, y=[0-9]+ of the NoC, longest there [A-Z0-9]+$'

# The folder that ttnn-visualizer opens: a device log, a .tracy file and a report of this run.
rm -rf v && expect_exit 0 "$TACHO" ops -q --visualizer -o v plain.tacho
for f in profile_log_device.csv tracy_profile_log_host.tracy ops_perf_results.csv; do
	[ -s v/reports/$f ] || fail "--visualizer: no $f"
done
head -1 v/reports/profile_log_device.csv >head
expect_line head '^ARCH: [a-z_0-9]+, CHIP_FREQ\[MHz\]: [0-9]+, Max Compute Cores: [0-9]+'
expect_exit 0 "$TACHO" info -q v/reports/tracy_profile_log_host.tracy
expect_exit 0 "$TACHO" ops -q --visualizer -o v replays.tacho
expect_exit 0 "$TACHO" export --to tracy -o replays.tracy --tracy-version=0.10 replays.tacho
cmp v/reports/tracy_profile_log_host.tracy replays.tracy || fail 'the .tracy file of an earlier report'
[ -s v/reports/tracy_profile_log_host.1.tracy ] || fail 'the older .tracy file is kept'
expect_exit 0 "$TACHO" ops -q --visualizer -f -o e
rm -rf lone && mkdir -p lone && cp -r d/.logs lone && rm -f lone/.logs/*.tracy
expect_exit 0 "$TACHO" ops -q --visualizer -o lone
expect_line err 'ttnn-visualizer cannot open lone/reports without tracy_profile_log_host.tracy, which the logs do not have'
expect_error 2 'for the report' "$TACHO" ops stats --visualizer plain.tacho

# Counters of two runs: the first report, with the additional counters of the second.
rm -rf m1 m2 && "$MKLOGS" --ops 4 --replays 2 --counters 1 m1 && "$MKLOGS" --ops 4 --replays 2 --counters 3 m2
expect_exit 0 "$TACHO" ops -o m1
expect_line out '^performance counters' 'FPU_COUNTER$' '^efficiency' ' FPU Util$'
awk '/^performance counters/ || /^efficiency/ {table = 1; next} !NF {table = 0}
	table && $1 + 0 && !($2 <= $3 && $3 <= $4 && $2 <= $5 && $5 <= $4) {bad = 1; print}
	table && $1 + 0 && $2 < $4 {spread = 1} END {exit bad || !spread}' out ||
	fail 'minimum, median, mean and maximum are out of order'
expect_exit 0 "$TACHO" ops -q -o m2
expect_exit 0 "$TACHO" ops merge -o m.csv m1/reports/ops_perf_results.csv m2/reports/ops_perf_results.csv
expect_line err '^tacho: wrote m.csv: [0-9]+ rows'
python3 - <<'EOF' || fail 'the merged report'
import csv
a, b, m = ([r for r in csv.DictReader(open(p, newline=''))] for p in ('m1/reports/ops_perf_results.csv', 'm2/reports/ops_perf_results.csv', 'm.csv'))
assert len(m) == len(a) and set(m[0]) == set(a[0]) | set(b[0])
for x, y, z in zip(a, b, m):
    for k in z:
        want = x.get(k, '')
        if want in ('', 'nan'): want = y.get(k, '') or want
        assert z[k] == want, (k, z[k], x.get(k), y.get(k))
assert any(r['SFPU Util Avg (%)' if 'SFPU Util Avg (%)' in r else 'SFPU Util Max (%)'] not in ('', 'nan') for r in m)
EOF
expect_error 5 'exists' "$TACHO" ops merge -o m.csv m1/reports/ops_perf_results.csv m2/reports/ops_perf_results.csv
expect_error 2 'two reports' "$TACHO" ops merge -o n.csv m1/reports/ops_perf_results.csv
expect_error 2 'needs -o' "$TACHO" ops merge m1/reports/ops_perf_results.csv m2/reports/ops_perf_results.csv
echo 'a,b' >no.csv
expect_error 3 'not an ops report' "$TACHO" ops merge -o n.csv m1/reports/ops_perf_results.csv no.csv
[ ! -e n.csv ] || fail 'a file of a failed merge'

# Nothing to report: a trace of a program without ops.
expect_error 3 'nothing to report on' "$TACHO" ops -o n none.tacho
expect_exit 0 "$TACHO" export -q --to tt-logs -o n none.tacho

# Signposts alone make a report.
rm -rf s && "$MKLOGS" s && rm s/.logs/profile_log_device.csv s/.logs/tracy_ops_times.csv
printf 'MessageName;total_ns\n`TT_SIGNPOST: warm\nup`;5\n`TT_SIGNPOST: go`;9\nsome text\nof two lines;10\n' >s/.logs/tracy_ops_data.csv
expect_exit 4 "$TACHO" ops -o s
expect_line s/reports/ops_perf_results.csv '^warm,signpost,'
expect_line s/reports/ops_perf_results.csv '^go,signpost,'
expect_line err 'no device data'
"$BUILD/tests/logs2trace" s s.tacho
expect_exit 4 "$TACHO" ops -q -o s2 s.tacho
cmp s/reports/ops_perf_results.csv s2/reports/ops_perf_results.csv || fail 'signposts of a trace'
exit 0
