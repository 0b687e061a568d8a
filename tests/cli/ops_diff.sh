# SPDX-License-Identifier: Apache-2.0
# Compare two ops reports.
. "$SOURCE/tests/lib.sh"
MKLOGS=$BUILD/tests/mklogs
"$MKLOGS" --ops 6 --replays 2 a
expect_exit 0 "$TACHO" ops -q -o a
cp a/reports/ops_perf_results.csv one.csv
expect_exit 0 "$TACHO" diff one.csv one.csv
expect_line out ': 0 cells differ; 0 rows only in the first, 0 only in the second$'

# One cell, one row or one column less, another order.
python3 - <<'END'
import csv
rows = list(csv.DictReader(open('one.csv', newline='')))
names = [n for n in rows[0] if n != 'PM FPU UTIL (%)']
rows[2]['DEVICE KERNEL DURATION [ns]'] = str(float(rows[2]['DEVICE KERNEL DURATION [ns]']) * 1.04)
rows[1]['DEVICE ARCH'] = 'wormhole_b0'
rows[1]['NOC UTIL (%)'] = 'nan'
del rows[-2]
rows.reverse()
with open('two.csv', 'w', newline='') as f:
    w = csv.DictWriter(f, names, extrasaction='ignore')
    w.writeheader()
    w.writerows(rows)
END
expect_exit 1 "$TACHO" diff one.csv two.csv
expect_line out '^2048: DEVICE KERNEL DURATION \[ns\]: [0-9]+ != [0-9.]+$' '^6144/7/2: only in the first report$' ': 1 cells differ; 1 rows only'
expect_exit 1 "$TACHO" diff --tolerance 5 one.csv two.csv
expect_line out ': 0 cells differ; 1 rows only'
expect_exit 1 "$TACHO" diff --only-compare-op-ids one.csv two.csv
expect_exit 1 "$TACHO" diff --max-differences 1 one.csv two.csv
expect_line out '^and 1 more$'
expect_error 2 'two ops reports' "$TACHO" diff one.csv
expect_error 3 'cannot open' "$TACHO" diff one.csv nothing.csv
echo a,b >no.csv
expect_error 3 'is not an ops report' "$TACHO" diff one.csv no.csv
exit 0
