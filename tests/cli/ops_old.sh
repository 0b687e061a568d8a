# SPDX-License-Identifier: Apache-2.0
# Traces of earlier versions, whose markers and op records are zones and messages, always give the same reports; so do
# those whose ops are records.
. "$SOURCE/tests/lib.sh"
for name in replays counters records; do
	expect_exit 0 "$TACHO" ops -q -o "$name" "$SOURCE/tests/golden/ops-$name.tacho"
	expect_same "$name/reports/ops_perf_results.csv" "$SOURCE/tests/golden/ops-$name.csv"
done
# The op records, as rows and as messages.
"$TACHO" export --to json -o records.json "$SOURCE/tests/golden/ops-records.tacho"
expect_line records.json '"kind": "op".*"op": 1024, .*"text": "add.u0000\{' '"op": 3072, .*"text": "add"\}'
expect_exit 0 "$TACHO" messages "$SOURCE/tests/golden/ops-records.tacho"
expect_line out 'TT_DNN_DEVICE_OP: "add", [0-9]*, 0, true, 3072'
expect_exit 0 "$TACHO" export --to tracy -o records.tracy "$SOURCE/tests/golden/ops-records.tacho"
expect_exit 0 "$TACHO" import -o imported.tacho records.tracy
"$TACHO" messages --format csv imported.tacho | cut -d, -f8- >imported
"$TACHO" messages --format csv "$SOURCE/tests/golden/ops-records.tacho" | cut -d, -f8- >own
expect_same imported own
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
