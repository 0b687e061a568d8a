# SPDX-License-Identifier: Apache-2.0
# Reports of several hosts: each file has its own clock, and no result depends on how it is set.
# labels: plain
. "$SOURCE/tests/perf_lib.sh"

for host in 0 1; do
	ops >host$host.csv <<ROWS
warm;sign
Copy;dev;0;9000;0;8
go;sign
Copy;dev;0;$((1000 + host * 500));70000;8
Move;dev;0;$((3000 - host * 500));200;8
AllGather;dev;0;2000;300;8
ROWS
done
# Host 1 with every setting of its clock.
for offset in 15 25 1000000000000 -500; do
	awk -F, -v OFS=, -v o=$offset 'NR > 1 { $10 = sprintf("%.0f", $10 + o) } 1' host1.csv >late$offset.csv
done
awk -F, -v OFS=, '{ $10 = "" } 1' host1.csv >blank.csv

same() {
	local offset
	expect_exit 0 "$REPORT" host0.csv host1.csv "$@"
	sed 's/host1.csv/HOST/' out >want
	for offset in 15 25 1000000000000 -500; do
		expect_exit 0 "$REPORT" host0.csv late$offset.csv "$@"
		sed "s/late$offset.csv/HOST/" out | cmp - want || fail "the answer depends on the clock: $offset $*"
	done
}
for model in tacho next; do
	same --model=$model
	same --model=$model --no-merge-devices
	same --model=$model --start-signpost warm --end-signpost go
	same --model=$model --ignore-signposts --print-signposts --format=json
	same --model=$model --format=csv --print-signposts
done

# The slower op of each pair. A host's first op has no gap, whichever host's row is used.
expect_exit 0 "$REPORT" host0.csv host1.csv --format=csv
expect_line out '^1,.*,Move,0,3.0,0.2' '^2,.*,AllGather,0,2.0,0.3' '^3,.*,Copy,1,1.5,,.*,11,measured'
expect_count 4 out
# A host whose first op belongs to another host has a gap before its second.
expect_exit 0 "$REPORT" host1.csv host0.csv --format=csv
expect_line out '^1,.*,Copy,0,1.5,,' '^2,.*,AllGather,0,2.0,0.3' '^3,.*,Move,1,3.0,0.2.*,12,measured'
# Without merging they are listed by the time since the first op of their host.
expect_exit 0 "$REPORT" host0.csv late1000000000000.csv --format=csv --no-merge-devices
lines() { grep -oE ',[0-9]+,measured,' out | tr -dc '0-9\n' | paste -sd ' '; }
[ "$(lines)" = "5 11 6 12 7 13" ] || fail "the order: $(lines)"
expect_line out '^1,.*,1.0,,' '^2,.*,1.5,,'
expect_exit 0 "$REPORT" host0.csv blank.csv --format=csv --no-merge-devices
[ "$(lines)" = "5 6 7 11 12 13" ] || fail "without a clock: $(lines)"

# The window of each file is named; a file without signposts is reported as a whole, with a note.
expect_exit 0 "$REPORT" host0.csv host1.csv --no-advice
expect_line out "^host0.csv: Region: from 'go' to the end" "^host1.csv: Region: from 'go' to the end"
grep -v signpost host1.csv >bare.csv
expect_exit 0 "$REPORT" host0.csv bare.csv
expect_line err 'bare.csv: no signposts, unlike other files'

# --why names the file of the row.
expect_exit 0 "$REPORT" host0.csv host1.csv --why 3
expect_line out '^The row .*host1.csv, row 5'

# The folder of a job, as tt-run writes it: the newest report of each rank, by number.
mkdir -p job/rank{0,1,10,2}/reports/2026_01_01 job/rank0/reports/2025_01_01 job/ranks
cp host0.csv job/rank0/reports/2026_01_01/ops_perf_results_2026_01_01.csv
grep -v Move host0.csv >job/rank0/reports/2025_01_01/ops_perf_results_2025_01_01.csv
touch -d 2025-01-01 job/rank0/reports/2025_01_01/*.csv
for rank in 1 2 10; do
	cp host1.csv job/rank$rank/reports/2026_01_01/ops_perf_results_2026_01_01.csv
done
expect_exit 0 "$REPORT" job --format=csv --no-merge-devices
mv out got
expect_exit 0 "$REPORT" --format=csv --no-merge-devices job/rank{0,1,2,10}/reports/2026_01_01/ops_perf_results_2026_01_01.csv
expect_same got out
expect_exit 0 "$REPORT" job/rank0 --format=csv
mv out got
expect_exit 0 "$REPORT" host0.csv --format=csv
expect_same got out
expect_error 3 'ranks' "$REPORT" job/ranks
# ... whose logs give one report each.
mkdir logs
for rank in 0 1; do
	"$BUILD/tests/mklogs" --ops 4 logs/rank$rank
done
expect_exit 0 "$TACHO" ops -o logs
expect_line out '^report: logs/rank0/reports/ops_perf_results.csv$' '^report: logs/rank1/reports/ops_perf_results.csv$'
expect_line err 'tacho perf-report logs$'
"$REPORT" logs --format=json >out
python3 -c 'import json; r = json.load(open("out")); assert r["totals"]["device_ops"] == 4, r["totals"]' || fail 'the job as one'
