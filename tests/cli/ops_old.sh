# SPDX-License-Identifier: Apache-2.0
# Traces of earlier versions, whose markers and op records are zones and messages, give the same reports for ever.
. "$SOURCE/tests/lib.sh"
for name in replays counters; do
	expect_exit 0 "$TACHO" ops -q -o "$name" "$SOURCE/tests/golden/ops-$name.tacho"
	expect_same "$name/reports/ops_perf_results.csv" "$SOURCE/tests/golden/ops-$name.csv"
done
