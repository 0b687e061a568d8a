# SPDX-License-Identifier: Apache-2.0
# --model=next: the newer rules, where their results differ from the older ones.
. "$SOURCE/tests/perf_lib.sh"

# --arch overrides the file; the largest number of worker cores in the file counts, also for grids.
expect_exit 0 "$REPORT" small.csv --arch p100
expect_line err '\-\-arch=p100 is not used'
expect_exit 0 "$REPORT" small.csv --arch p100 --model=next
expect_count 0 err
expect_line out '^Format v2.1, architecture blackhole_p100, 64 worker cores' '42 GB/s +9.4 %'

# Negative gaps are shown but not summed; impossible durations are left out.
ops >odd.csv <<'ROWS'
Copy;dev;0;1000;0;8
Copy;dev;0;1000;-400;8
Copy;dev;0;;0;8
ROWS
expect_exit 0 "$REPORT" odd.csv --csv=- --no-summary --model=1.2.4
expect_line out '^3,37.4999' '^4,0.0,,Copy,0,0,'
expect_exit 0 "$REPORT" odd.csv --csv=- --no-summary --model=next
expect_line out '^3,50.0,,Copy,0,1.0,-0.4' '^4,0.0,,Copy,0,,0.0' 'Sub Device ID,Available Cores,Op Category,Bound Analysis,Overlap,Advice'
expect_line err '1 op with a duration that cannot be true'

# Collectives have a category; formulas are escaped.
ops >names.csv <<'ROWS'
AllGather;dev;0;1000;0;8
=1+1;dev;0;1000;0;8
ROWS
expect_exit 0 "$REPORT" names.csv --group-by category --no-advice --model=next
expect_line out ' CCL +1.00'
expect_exit 0 "$REPORT" names.csv --csv=- --no-summary
expect_line out ',=1\+1,'
expect_exit 0 "$REPORT" names.csv --csv=- --no-summary --model=next
expect_line out ",'=1\\+1,"

# Sparse matmuls: only active batches count.
ops >sparse.csv <<'ROWS'
SparseMatmul;dev;0;100000;0;64;1024;1024;1024;HiFi2;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED
SparseMatmul;dev;0;100000;0;64;1024;1024;1024;HiFi2;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED;'nnz': '3'
ROWS
sed -i '2,3s/DEV_0_DRAM_INTERLEAVED,1\[1\],1\[1\]/DEV_0_DRAM_INTERLEAVED,1[1],8[8]/' sparse.csv
expect_exit 0 "$REPORT" sparse.csv --csv=- --no-summary --model=1.2.4
expect_line out 'SparseMatmul b=\{8\} x 1024 x 1024 x 1024'
expect_exit 0 "$REPORT" sparse.csv --csv=- --no-summary --model=next
expect_line out '^2,.*active=\?/8 x 1024 x 1024 x 1024,0,100.0,,64,,,,,' '^3,.*active=3/8 x .*,64.42450944,'
expect_line err 'sparse matmuls without a number of active batches'
expect_exit 0 "$REPORT" sparse.csv --csv=- --no-summary --active-experts 2
expect_line out '^1,.*active=2/8 x 1024 x 1024 x 1024,0,100.0,,64,.*,42.94967296,'

# Concurrent ops on one device, by its clock.
python3 - <<'PY'
import csv
rows = list(csv.DictReader(open("odd.csv")))[:2]
for r, end in zip(rows, (10000, 10400)):
    r.update({"DEVICE FW START CYCLE": end - 1000, "DEVICE FW END CYCLE": end, "DEVICE FW DURATION [ns]": 1000, "SUB DEVICE ID": end // 10400})
w = csv.DictWriter(open("beside.csv", "w"), list(rows[0]))
w.writeheader()
w.writerows(rows)
PY
expect_exit 0 "$REPORT" beside.csv
expect_line out 'busy for 1 μs, for 1 with ops side by side'
expect_exit 0 "$REPORT" beside.csv --model=next
expect_line out '^ID .*Device +Sub Device ID  Device Time  Op-to-Op Gap  Overlap  Cores  Available Cores  DRAM ' \
	'^ 2 .*Copy +0 +0 +1 μs +8 +64 +BF16' '^ 3 .*Copy +0 +1 +1 μs +-0 μs +1 μs +8 +64 +BF16' 'busy for 1 μs, for 1 with'
expect_exit 0 "$REPORT" beside.csv --model=next --csv=- --no-summary
expect_line out '^2,.*,0,64,DM,none,,' '^3,.*,1,64,DM,none,0.6,'

# Every column of the CSV, on invented ops; the expected values are computed here by the rules in docs/perf-report.md.
python3 "$SOURCE/tests/perf_next.py" "$REPORT" || fail "see above"
