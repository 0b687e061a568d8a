# SPDX-License-Identifier: Apache-2.0
# python -m tracy --perf-counter-multipass: several runs, one report with the counters of all.
. "$SOURCE/tests/lib.sh"
[ -z "${SANITIZE-}" ] || skip "the programs here cannot load sanitized libraries"
. "$SOURCE/tests/device.sh"
export PYTHONPATH=$BUILD/python
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TT_METAL_DEVICE_ARCH TT_ARCH_NAME ARCH_NAME TACHO_ARCH
python=$(command -v python3)
cat >ops.py <<'PY'
import os, sys, ttnn
with open("runs", "a") as runs:
    print(os.environ["TT_METAL_PROFILE_PERF_COUNTERS"], file=runs)
run = len(open("runs").readlines())
device = ttnn.open_device(device_id=0)
a = ttnn.from_torch([[1.0] * 64] * 64, device=device, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
b = ttnn.relu(ttnn.matmul(a, a))
if "more" in sys.argv and run == 2:
    ttnn.relu(b)
ttnn.close_device(device)
sys.exit(3 if "fail" in sys.argv else 0)
PY
# counters COMMAND...: the counters and metrics that the report has for every op.
counters() {
	rm -rf generated runs
	expect_exit 0 python3 -m tracy -r "$@"
	python3 - generated/profiler/reports/*/ops_perf_results*.csv <<'PY' || fail 'an op has no duration, or a counter no value'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 2, rows
columns = [c for c in rows[0] if any(w in c for w in ("Util", "Rate", "Efficiency", "Wait", "COUNTER", "Ratio"))]
assert len(columns) > 5, columns
for r in rows:
    assert float(r["DEVICE KERNEL DURATION [ns]"]) > 0, r
with open("columns", "w") as out:
    print(*[c for c in columns if all(r[c] not in ("", "nan") for r in rows)], sep="\n", file=out)
PY
}
counters --profiler-capture-perf-counters=all,l1_1 ops.py # the software device counts all at once
mv columns want
[ "$(cat runs)" = 63 ] || fail "one run: $(cat runs)"
counters --perf-counter-multipass --profiler-capture-perf-counters=all ops.py
expect_line err '^tracy: the counters need 2 runs; the first: l1_0,fpu,unpack$' '^tracy: run 2: l1_1,pack,instrn$'
[ "$(cat runs)" = $'13\n50' ] || fail "two runs: $(cat runs)"
expect_same columns want
grep -q 'FPU Execution Efficiency' columns || fail 'a metric of two runs'
[ -z "$(ls -A generated/profiler | grep run)" ] || fail 'a folder of a further run is left'
# Groups that fit into one run; a program whose runs differ, and one that fails.
counters --perf-counter-multipass --profiler-capture-perf-counters=fpu,unpack,l1 ops.py
[ "$(wc -l <runs)" = 1 ] || fail "$(cat runs)"
rm -rf generated runs
expect_exit 0 python3 -m tracy -r --perf-counter-multipass --profiler-capture-perf-counters=all ops.py more
expect_line err 'counters belong to no op of .*profile_log_device.csv: the runs differ'
rm -rf generated runs
expect_exit 3 python3 -m tracy -r --perf-counter-multipass --profiler-capture-perf-counters=all ops.py fail
expect_line err 'failed with status 3: no further runs'
[ "$(wc -l <runs)" = 1 ] || fail "$(cat runs)"
# tt_profile does the same for a command.
profiled() {
	rm -rf generated results runs
	expect_exit 0 "$BUILD/tt_profile" "$@"
	python3 - want <<'PY' || fail "tt_profile $*: a counter is missing"
import csv, sys
rows = list(csv.DictReader(open("results/perf/device_ops_perf_trace.csv", newline="")))
assert len(rows) == 2 and all(float(r["DEVICE KERNEL DURATION [ns]"]) > 0 for r in rows), rows
for column in open("want").read().splitlines():
    assert all(r.get(column) not in (None, "", "nan") for r in rows), column
PY
	[ -z "$(ls -A generated/profiler | grep run)" ] || fail 'tt_profile leaves a folder of a further run'
}
profiled --profiler-capture-perf-counters all,l1_1 "$python ops.py"
[ "$(cat runs)" = 63 ] || fail "tt_profile, one run: $(cat runs)"
profiled --perf-counter-multipass --profiler-capture-perf-counters all "$python ops.py"
expect_line err '^tacho: the counters need 2 runs; the first: fpu,unpack,l1_0$' '^tacho: run 2: pack,instrn,l1_1$'
[ "$(cat runs)" = $'13\n50' ] || fail "tt_profile, two runs: $(cat runs)"
rm -f runs
expect_exit 0 "$BUILD/tt_profile" --perf-counter-multipass --profiler-capture-perf-counters all "$python ops.py more"
expect_line err 'counters belong to no op of .*profile_log_device.csv: the runs differ'
rm -f runs
expect_exit 3 "$BUILD/tt_profile" --perf-counter-multipass --profiler-capture-perf-counters all "$python ops.py fail"
expect_line err 'failed with status 3: no further runs'
[ "$(wc -l <runs)" = 1 ] || fail "$(cat runs)"
expect_error 2 "needs --profiler-capture-perf-counters" "$BUILD/tt_profile" --perf-counter-multipass true
expect_error 2 "no group of counters 'l2'" "$BUILD/tt_profile" --profiler-capture-perf-counters fpu,l2 true
TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES=1 expect_error 2 'merges device logs, which' \
	"$BUILD/tt_profile" --perf-counter-multipass --profiler-capture-perf-counters all true

expect_exit 2 python3 -m tracy --perf-counter-multipass ops.py
expect_line err '^tracy: --perf-counter-multipass needs --profiler-capture-perf-counters'
expect_exit 2 python3 -m tracy --perf-counter-multipass --profiler-capture-perf-counters=all --no-device ops.py
expect_line err '^tracy: --perf-counter-multipass merges device logs, which are turned off'
# Device logs are merged by 'tacho ops merge'.
printf 'ARCH: x\nno columns\n' >bad.csv
expect_error 3 'columns' "$TACHO" ops merge -o m.csv bad.csv bad.csv
[ ! -e m.csv ] || fail 'half a log'
exit 0
