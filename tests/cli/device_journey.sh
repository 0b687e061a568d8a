# SPDX-License-Identifier: Apache-2.0
# From a program on a device to advice: record it, then report from the trace and from the logs.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
examples=$BUILD/examples/device
export TT_METAL_DEVICE_PROFILER=1
unset TT_METAL_PROFILER_DIR TT_METAL_HOME

TT_METAL_PROFILER_DIR=$PWD/own expect_exit 0 "$TACHO" run -q -o layers.tacho -- "$examples/layers"
expect_exit 0 "$TACHO" ops -o t layers.tacho
expect_line out '^13 ops, 12 with device data' '^besides, 3 captured into traces' '^most uneven is op ' ' Matmul$' ' Relu$'
python3 - t/reports/ops_perf_results.csv <<'PYTHON' || fail 'the report'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
replays = [r for r in rows if r["METAL TRACE REPLAY SESSION ID"]]
assert [(r["OP CODE"], r["METAL TRACE REPLAY SESSION ID"]) for r in replays] == \
    [(code, session) for session in "123" for code in ("Matmul", "Relu", "Matmul")], replays
measured = [r for r in rows if r["DEVICE KERNEL DURATION [ns]"]]
assert len(measured) == 12
for r in measured:
    assert 0 < int(r["DEVICE KERNEL DURATION [ns]"]) < int(r["DEVICE FW DURATION [ns]"])
    assert int(r["DEVICE FW END CYCLE"]) - int(r["DEVICE FW START CYCLE"]) == int(r["DEVICE FW DURATION [ns]"])
    assert r["DEVICE ARCH"] and int(r["CORE COUNT"]) == int(r["AVAILABLE WORKER CORE COUNT"])
PYTHON
expect_exit 0 "$TACHO" export -q --to tt-logs -o e layers.tacho
# The program's own log equals the one made from its trace.
expect_same own/.logs/profile_log_device.csv e/.logs/profile_log_device.csv
for mode in '' --force-legacy-device-logs --device-only; do
	rm -rf e/reports t
	expect_exit 0 "$TACHO" ops -q $mode -o e
	expect_exit 0 "$TACHO" ops -q $mode -o t layers.tacho
	expect_same e/reports/ops_perf_results.csv t/reports/ops_perf_results.csv
done
rm -rf t && expect_exit 0 "$TACHO" ops -q -o t layers.tacho
expect_exit 0 "$TACHO" perf-report --start-signpost replay t/reports/ops_perf_results.csv
expect_line out 'Matmul' 'Relu'

# NoC events: the files agree with the columns of the report.
TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 expect_exit 0 "$TACHO" run -q -o ring.tacho -- "$examples/ring"
expect_exit 0 "$TACHO" export -q --to tt-logs -o r ring.tacho
[ -s r/.logs/noc_trace_dev0_NocRing_ID1024.json ] || fail "no NoC trace: $(ls r/.logs)"
python3 - r/.logs/noc_trace_dev0_NocRing_ID1024.json <<'PYTHON' || fail 'the NoC trace'
import json, sys
events = json.load(open(sys.argv[1]))
order = [(e["sx"], e["sy"], e["proc"], e["timestamp"]) for e in events]
assert order == sorted(order)
assert all(list(e) == sorted(e) for e in events)
moved = [e for e in events if "type" in e]
assert len(moved) == 3 * len({(e["sx"], e["sy"]) for e in events}) and {e["type"] for e in moved} == {"WRITE_"} and all(e["num_bytes"] for e in moved), moved[:2]
assert {e["zone"] for e in events if "zone" in e} == {"BRISC-KERNEL", "ROUND"}
PYTHON
expect_exit 0 "$TACHO" ops -q --analyze-noc-traces -o r
expect_exit 0 "$TACHO" ops -q --analyze-noc-traces -o rt ring.tacho
expect_same r/reports/ops_perf_results.csv rt/reports/ops_perf_results.csv
expect_line rt/reports/ops_perf_results.csv 'NOC BYTES,NOC EVENTS'
expect_exit 0 "$TACHO" perf-report rt/reports/ops_perf_results.csv

# With counters the raw log is the source.
TT_METAL_PROFILE_PERF_COUNTERS=1 expect_exit 0 "$TACHO" run -q -o mm.tacho -- "$examples/matmul"
# 64 tiles of the result, 4 products each, 32 cycles at HiFi2: all are counted.
expect_exit 0 "$TACHO" plots --format csv mm.tacho
[ "$(awk -F, '/ FPU_COUNTER /{ n += $NF } END { print n }' out)" = 8192 ] || fail 'busy cycles of the FPU'
expect_exit 0 "$TACHO" ops -q -o m mm.tacho
expect_line m/reports/ops_perf_results.csv 'FPU Util'
expect_exit 0 "$TACHO" perf-report m/reports/ops_perf_results.csv

# The trace and its logs report dropped markers.
expect_exit 0 "$TACHO" run -q -o full.tacho -- "$examples/full_buffer"
expect_exit 0 "$TACHO" ops -o f full.tacho
expect_line out '^markers were dropped 20 times'
expect_line f/reports/report_issues.csv '^markers-dropped,no,.*BRISC were full'
expect_exit 0 "$TACHO" export -q --to tt-logs -o f full.tacho
expect_exit 0 "$TACHO" ops -o f
expect_line out '^markers were dropped 1 times'

# The same with one command.
TT_METAL_PROFILER_DIR=$PWD/one expect_exit 0 "$BUILD/tt_profile" -o one.csv "$examples/layers"
expect_line out '^13 ops, 12 with device data'
[ "$(wc -l <one.csv)" = "$(wc -l <t/reports/ops_perf_results.csv)" ] || fail 'tt_profile: rows'
expect_line one.csv ',LOC,CONST_EVAL_OP,PROGRAM_METADATA'
exit 0
