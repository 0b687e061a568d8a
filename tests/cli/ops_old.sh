# SPDX-License-Identifier: Apache-2.0
# Traces of earlier versions, whose markers and op records are zones and messages, give the same reports for ever.
. "$SOURCE/tests/lib.sh"
for name in replays counters; do
	expect_exit 0 "$TACHO" ops -q -o "$name" "$SOURCE/tests/golden/ops-$name.tacho"
	expect_same "$name/reports/ops_perf_results.csv" "$SOURCE/tests/golden/ops-$name.csv"
done
# Markers as rows and markers as zones of one run: same report, same logs.
"$BUILD/tests/mklogs" --cores 4 --ops 12 run
"$BUILD/tests/logs2trace" run rows.tacho
"$BUILD/tests/logs2trace" -z run zones.tacho
for mode in '' --force-legacy-device-logs --device-only; do
	rm -rf rows zones
	expect_exit 0 "$TACHO" ops -q $mode -o rows rows.tacho
	expect_exit 0 "$TACHO" ops -q $mode -o zones zones.tacho
	expect_same rows/reports/ops_perf_results.csv zones/reports/ops_perf_results.csv
done
for form in rows zones; do
	expect_exit 0 "$TACHO" export -q --to tt-logs -o "logs-$form" $form.tacho
done
expect_same logs-rows/.logs/profile_log_device.csv logs-zones/.logs/profile_log_device.csv
"$TACHO" export --to json -o rows.json rows.tacho
expect_line rows.json '"kind": *"marker"'
