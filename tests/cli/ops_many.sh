# SPDX-License-Identifier: Apache-2.0
# 100,000 ops in a trace: report and export need memory for the ops, not for their markers. labels: long
. "$SOURCE/tests/lib.sh"
[ -z "$SANITIZE" ] || skip "too slow with sanitizers"
unset TT_METAL_PROFILER_DIR TT_METAL_HOME
"$BUILD/tests/mklogs" --ops 100000 --cores 1 --zones 10 d
"$BUILD/tests/logs2trace" d many.tacho
rm -rf d
# 12 million markers: storing them would take 300 MB.
(ulimit -v 380000 && exec "$TACHO" ops -q -o t many.tacho) || fail 'the report'
[ "$(wc -l <t/reports/ops_perf_results.csv)" = 100003 ] || fail "$(wc -l <t/reports/ops_perf_results.csv) lines"
rm -rf t
(ulimit -v 300000 && exec "$TACHO" export -q --to tt-logs -o e many.tacho) || fail 'the logs'
[ "$(wc -l <e/.logs/cpp_device_perf_report.csv)" = 100001 ] || fail 'the runtime report'
exit 0
