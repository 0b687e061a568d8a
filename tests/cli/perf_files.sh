# SPDX-License-Identifier: Apache-2.0
# The files that perf-report writes: CSV files, pictures, and which files it refuses to replace.
. "$SOURCE/tests/perf_lib.sh"

expect_exit 0 "$REPORT" small.csv --csv out.csv
expect_line out '^Wrote out.csv' 'out_stacked.csv, out_stacked.svg and out_stacked.png'
python3 - <<'PY' || fail "the CSV"
import csv, zlib, struct, xml.dom.minidom
raw = open("out.csv", newline="").read()
assert raw.count("\r\n") == raw.count("\n") == 5
rows = list(csv.DictReader(open("out.csv", newline="")))
assert [r["ID"] for r in rows] == ["1", "2", "3", "4"]
assert rows[0]["Device Time"] == "100.0" and rows[0]["Op-to-Op Gap"] == "" and rows[1]["Op-to-Op Gap"] == "10.0"
assert rows[0]["DRAM"] == "41.94304" and rows[0]["DRAM Sharded"] == "False"
assert rows[1]["Inner Dim Block Size"] == "1" and rows[3]["Input 1 Datatype"] == ""
assert len(rows[1]["Advice"].split(" \u2022 ")) == 2
stacked = open("out_stacked.csv", newline="").read()
assert stacked.startswith("Total % [%],Op Code,Device Time Sum [\u03bcs],Op Count,Op Category,Min FLOPs [%]") and "\r" not in stacked
assert "58.82,Matmul (in0:dram_interleaved),100.00,1,Compute,32.65,32.65,32.65,,32.65" in stacked
xml.dom.minidom.parse("out_stacked.svg")
png = open("out_stacked.png", "rb").read()
assert png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", png[16:24]) == (1800, 2400)
PY

# An older report is replaced; other files only with an option.
expect_exit 0 "$REPORT" small.csv --csv out.csv
echo precious >out.csv
expect_exit 5 "$REPORT" small.csv --csv out.csv
expect_line err 'out.csv exists'
[ "$(cat out.csv)" = precious ] || fail "out.csv is gone"
expect_exit 0 "$REPORT" small.csv --csv out.csv --force
expect_exit 5 "$REPORT" small.csv --csv no/such/out.csv
expect_exit 5 "$REPORT" small.csv --summary-file no/such/sum
ls | grep -q tmp && fail "a temporary file is left"

# Names: the extension is always added; --csv drops its own.
expect_exit 0 "$REPORT" small.csv --csv a.b.csv
expect_exit 0 "$REPORT" small.csv --csv plain
expect_exit 0 "$REPORT" small.csv --summary-file sum.csv --no-advice
expect_exit 0 "$REPORT" small.csv --stacked-csv old --classic-colors
for file in a.b_stacked.csv plain plain_stacked.png sum.csv.csv sum.csv.png old.svg; do
	[ -s $file ] || fail "no $file"
done
expect_exit 0 "$REPORT" small.csv --csv none.csv --no-summary
[ -e none_stacked.csv ] && fail "a stacked report although --no-summary"
expect_exit 0 "$REPORT" small.csv --csv raw.csv --raw-op-codes --no-advice
expect_line raw.csv ',Balance %,Raw OP Code' ',Matmul.$'

# All times 0: a share of 0, and 0.00 where each device is separate.
ops >zero.csv <<'ROWS'
Copy;dev;0;0;0;8
Copy;dev;1;0;0;8
ROWS
expect_exit 0 "$REPORT" zero.csv --summary-file nothing --no-advice
expect_line nothing.csv "^0,Copy .in0:l1_interleaved.,0.00,1,"
expect_exit 0 "$REPORT" zero.csv --no-merge-devices --summary-file none --no-advice
expect_line none.csv '^0.00,Copy .in0:l1_interleaved.,0,0.00,1,' '^0.00,Copy .in0:l1_interleaved.,1,0.00,1,'

# Two devices: merged, the slower one counts; separately, one bar for each.
ops >two.csv <<'ROWS'
Copy;dev;0;1000;0;8
Copy;dev;1;3000;0;8
AllGather;dev;0;1000;0;8
AllGather;dev;1;2000;0;8
Move;dev;1;700;0;8
ROWS
expect_exit 0 "$REPORT" two.csv --csv=- --no-summary
expect_line err 'device 0 ran out of ops first: 1 op was not run by all'
expect_line out '^1,.*,Copy,1,3.0' '^2,.*,AllGather,0,1.5' '^3,.*,Move,1,0.7'
expect_count 4 out
expect_exit 0 "$REPORT" two.csv --no-merge-devices --summary-file apart --no-advice
expect_count 6 apart.csv
expect_line apart.csv '^50.00,Copy \(in0:l1_interleaved\),0,1.00,1,DM,' '^12.28,Move'

# Several files: the devices of the second follow those of the first.
expect_exit 0 "$REPORT" small.csv small.csv --ignore-signposts --no-merge-devices --csv=- --no-summary
expect_line out ',LayerNorm,1,20.0.*,15,measured'
ops >eight.csv <<'ROWS'
Copy;dev;7;1000;0;8
Copy;dev;0;1000;0;8
ROWS
expect_error 3 'eight.csv: highest device id 7' "$REPORT" small.csv eight.csv
ops >beside.csv <<'ROWS'
Copy;dev;4;1000;0;8
ROWS
expect_exit 0 "$REPORT" small.csv beside.csv --ignore-signposts
expect_line err 'beside.csv: devices 4 to 4 beside 0 to 0'

# The call count is only copied: its column may contain text.
sed '2s/,1010,/,,/; 5s/,1040,/,four,/; 6s/,1050,/,0050,/' small.csv >calls.csv
expect_exit 0 "$REPORT" calls.csv --csv=- --ignore-signposts --no-summary --no-advice --model=1.2.4
expect_count 0 err
expect_line out '^2,.*,nan.$' '^3,.*,1020.$' '^5,.*,four.$' '^6,.*,0050.$'
