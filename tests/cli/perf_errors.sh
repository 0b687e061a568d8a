# SPDX-License-Identifier: Apache-2.0
# perf-report with wrong options and wrong files.
. "$SOURCE/tests/perf_lib.sh"
mkdir folder
touch empty.csv
echo >blank.csv
echo 'name,age' >other.csv
head -c 100000 /dev/urandom >binary.csv

expect_error 2 'no CSV file' "$REPORT"
expect_error 2 '\-\-foo' "$REPORT" small.csv --foo
expect_error 2 '\-\-no-s may be --no-summary or --no-stack' "$REPORT" small.csv --no-s
# A prefix that is unique among the older options still selects those.
for word in --t --m=3 --a=n1 --to=2 --mod=next --act=2; do
	expect_exit 0 "$REPORT" small.csv "$word"
done
expect_error 2 'group-by' "$REPORT" small.csv --group-by foo
expect_error 2 'min-percentage' "$REPORT" small.csv --min-percentage abc
expect_error 2 'active-experts' "$REPORT" small.csv --active-experts 0
expect_error 2 'two files' "$REPORT" --diff small.csv
for range in 5 5-6-7 a-b - ''; do
	expect_error 2 'id-range' "$REPORT" small.csv --id-range "$range"
done
expect_error 3 'missing.csv.*No such file' "$REPORT" missing.csv
expect_error 3 'folder is a directory' "$REPORT" folder
expect_error 3 'empty.csv is empty' "$REPORT" empty.csv
expect_error 3 'blank.csv is empty' "$REPORT" blank.csv
expect_error 3 "other.csv:1: not an ops report.*'tacho ops' makes one" "$REPORT" other.csv
expect_exit 3 "$REPORT" binary.csv
expect_count 1 err
expect_error 3 'missing.csv' "$REPORT" small.csv missing.csv
expect_exit 0 "$REPORT" - <small.csv
expect_line out '^ 1 +55.4 %'

# An unknown architecture in a file only removes the shares of peaks; as an option it is an error.
sed 's/wormhole_b0/toaster/' small.csv >toaster.csv
expect_exit 0 "$REPORT" toaster.csv
expect_line err "unknown architecture 'toaster'"
expect_line out '^ 1 +55.4 %         Matmul 1024 x 1024 x 1024 .*42 GB/s +21.5 TFLOPs +HiFi4'
expect_exit 0 "$REPORT" toaster.csv --arch n1
expect_line err "unknown architecture 'toaster': n1 is taken instead"
expect_count 1 err
sed '5s/,64,64,/,64,some,/' small.csv >workers.csv
expect_exit 0 "$REPORT" workers.csv
expect_line err "column 'AVAILABLE WORKER CORE COUNT': 'some' is not understood"
cut -d, -f1-4,6-8,10- small.csv >v2.csv
expect_error 2 "unknown --arch 'toaster'; known are wormhole" "$REPORT" v2.csv --arch toaster
expect_exit 0 "$REPORT" v2.csv --arch blackhole
expect_line out '^Format v2, architecture blackhole, 130 worker cores'

# A bad cell blanks what depends on it; its place is named and the exit code is 4.
sed '5s/,100000,/,soon,/; 6s/,10000,/,x,/' small.csv >bad.csv
expect_exit 4 "$REPORT" bad.csv --no-advice --no-summary
expect_line err "bad.csv:5: column 'DEVICE KERNEL DURATION \[ns\]': 'soon' is not understood" \
	"bad.csv:6: column 'OP TO OP LATENCY \[ns\]': 'x' is not understood"
expect_count 2 err
expect_line out '^ 2 +70.9 %' 'MatmulDeviceOperation.* 50 μs +32'
sed '5s/,HiFi4,/,,/; 6s/BFLOAT8_B/??/; s/^LayerNorm/"Layer, Norm",x/' small.csv >bad2.csv
expect_exit 4 "$REPORT" bad2.csv
expect_line err '1 multiplication without'

# Missing columns are listed in one line.
python3 - <<'PY'
import csv
rows = list(csv.reader(open("small.csv")))
drop = {rows[0].index(c) for c in ("DEVICE ID", "ATTRIBUTES", "INPUT_0_X_PAD[LOGICAL]")}
csv.writer(open("narrow.csv", "w")).writerows([[c for i, c in enumerate(r) if i not in drop] for r in rows])
lines = open("small.csv").read().splitlines()
open("wide.csv", "w").write("\n".join([lines[0]] + [l + ",extra" for l in lines[1:]]))
open("cut.csv", "w").write("\n".join(lines[:-1] + ['"never closed']))
PY
expect_exit 4 "$REPORT" narrow.csv
expect_line err 'narrow.csv: 3 missing columns.*: DEVICE ID, ATTRIBUTES, INPUT_0_X_PAD'
# Kernels without tensors: a report without input columns is complete.
python3 - <<'PY'
import csv
rows = list(csv.reader(open("small.csv")))
keep = [i for i, c in enumerate(rows[0]) if not c.startswith(("INPUT_", "OUTPUT_"))]
csv.writer(open("bare.csv", "w")).writerows([[r[i] for i in keep] for r in rows if "Matmul" not in r[0]])
PY
expect_exit 0 "$REPORT" bare.csv
expect_count 0 err
expect_exit 4 "$REPORT" wide.csv
expect_line err 'wide.csv:2: more cells than the header has columns.*7 such rows'
expect_exit 4 "$REPORT" cut.csv
expect_line err 'cut.csv:8: the file ends inside a quoted cell; the rows before are reported'

# Columns that only ops outside of the window need may be missing: shapes of matmuls, names, gaps.
python3 - <<'PY'
import csv
head, *rows = csv.reader(open("small.csv"))
at = {name: i for i, name in enumerate(head)}
def write(name, rows, drop=()):
    gone = {at[c] for c in drop}
    csv.writer(open(name, "w")).writerows([[c for i, c in enumerate(r) if i not in gone] for r in [head] + rows])
def with_(row, **cells):
    row = list(row)
    for name, value in cells.items():
        row[at[name.replace("_", " ") if name.replace("_", " ") in at else name]] = value
    return row
matmul = next(r for r in rows if r[at["OP CODE"]] == "Matmul")
other = next(r for r in rows if "Norm" in r[at["OP CODE"]])
post = with_([""] * len(head), OP_CODE="go", OP_TYPE="signpost")
early = lambda row, **c: with_(row, HOST_START_TS="1", **c)
mark = with_(post, HOST_START_TS="2")
late = lambda row, **c: with_(row, HOST_START_TS="3", **c)
shape = {"INPUT_0_X_PAD[LOGICAL]": "wide"}
write("column.csv", [early(matmul), mark, late(other)], ["INPUT_0_DATATYPE"])
write("column_in.csv", [early(other), mark, late(matmul)], ["INPUT_0_DATATYPE"])
write("shape.csv", [early(matmul, **shape), mark, late(other)])
write("shape_in.csv", [early(other), mark, late(matmul, **shape)])
write("name.csv", [early(other, OP_CODE=""), mark, late(other)])
write("name_in.csv", [early(other), mark, late(other, OP_CODE="")])
write("gap.csv", [early(other), mark, late(other)], ["OP TO OP LATENCY [ns]"])
write("gap_in.csv", [early(other), mark, late(other), late(other)], ["OP TO OP LATENCY [ns]"])
write("calls.csv", [late(other, GLOBAL_CALL_COUNT="9007199254740993"), late(other, GLOBAL_CALL_COUNT="-0")])
PY
for what in column shape name gap; do
	expect_exit 0 "$REPORT" $what.csv
	expect_exit 4 "$REPORT" ${what}_in.csv
done
# Call counts are whole numbers, however large.
expect_exit 0 "$REPORT" --no-summary --csv calls.out.csv calls.csv
python3 -c '
import csv
assert [r["Global Call Count"] for r in csv.DictReader(open("calls.out.csv"))] == ["9007199254740993", "0"]' || fail 'numbers of calls'

# A closed pipe and a full disk.
"$REPORT" small.csv | head -n 1 >/dev/null
expect_exit 5 bash -c '"$0" small.csv >/dev/full' "$REPORT"
expect_line err 'cannot write'

# Infinite times are times for release 1.2.4: all other ones are negligible.
sed '6s/,50000,/,inf,/' small.csv >infinite.csv
expect_exit 0 "$REPORT" infinite.csv --no-advice --group-by op --model=1.2.4 --ignore-signposts
expect_count 0 err
expect_line out ' MatmulDeviceOperation 512 .* inf μs +10 μs ' ' 0.00 % +MatmulDeviceOperation +inf μs'
expect_exit 4 "$REPORT" infinite.csv --format=json
python3 -c 'import json, sys; json.load(sys.stdin, parse_constant=lambda name: sys.exit(name))' <out || fail "JSON knows no infinity"
expect_exit 4 "$REPORT" infinite.csv --summary-file picture
grep -q '="[^"]*\(nan\|inf\)' picture.svg && fail "a picture of infinity"
sed '6s/,32,64,/,inf,64,/' small.csv >infinite.csv
expect_exit 4 "$REPORT" infinite.csv --no-advice
expect_line err "column 'CORE COUNT': 'inf' is not understood"

# Errors in rows outside of the window are reported and have no effect.
sed '3s/,tt_dnn_device,/,,/; 3s/,8,64,/,many,64,/' small.csv >before.csv
expect_exit 0 "$REPORT" before.csv
expect_line err "'OP TYPE': blank" "'CORE COUNT': 'many'"
expect_exit 4 "$REPORT" before.csv --ignore-signposts
sed '6s/,10[0-9][0-9],10000,/,soon,10000,/' small.csv >notime.csv
expect_exit 0 "$REPORT" notime.csv
expect_line err "'HOST START TS': 'soon'"

# Settings of convolutions and halos: only the first of a name counts, and only as a whole.
conv() { printf 'Conv2dDeviceOperation;dev;0;1000;0;8;32;32;32;HiFi2;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_L1_INTERLEAVED;window_hw=(1@1)@ %s\n' "$1" | ops | tr @ ';' >conv.csv
	expect_exit 0 "$REPORT" conv.csv --no-advice --no-summary; }
conv "act_block_h_ntiles=4)"
expect_line out ' 32 x 32 x 32 \[ABH=x\|x ADB SR\]'
conv "per_core_out_matrix_height_ntile= 7 @act_block_h_ntiles=x@act_block_h_ntiles=5@enable_act_double_buffer=false@'enable_split_reader': 'True'"
expect_line out ' \[ABH=7\|x ADB\]'
conv "act_block_h_ntiles=5@'enable_act_double_buffer': 'false'@'enable_split_reader': 'true'"
expect_line out ' \[ABH=x\|5 SR\]'
halo() { printf 'HaloDeviceOperation;dev;0;1000;0;8;;;;;;;;;%s\n' "$1" | ops | tr @ ';' >halo.csv
	expect_exit 0 "$REPORT" halo.csv --no-advice --no-summary; }
halo "padding=(1@1)@output_padding=(0@0)@memory_layout=A::B::C@"
expect_line out ' w=x s=x p=\(1,1\),output_ d=x \| B '
halo "memory_layout=HEIGHT"
expect_line out ' d=x \| x '

# Data types: the comma belongs to the second one.
sed 's/BFLOAT16,DEV_0_L1_INTERLEAVED,,,,,,,/,DEV_0_L1_INTERLEAVED,,,,,BFLOAT8_B,,/' small.csv >second.csv
expect_exit 0 "$REPORT" second.csv --csv out.csv
expect_line out.csv ',", BFP8 => BF16",'
sed 's/BFLOAT16,DEV_0_L1_INTERLEAVED,,,,,,,/,DEV_0_L1_INTERLEAVED,,,,,,,/' small.csv >third.csv
expect_exit 0 "$REPORT" third.csv --csv out.csv
expect_line out.csv ',=> BF16,'

# Rows of commas, as spreadsheets leave them, and the header of a file that was appended are no ops; lines count on.
{ cat small.csv; sed 's/[^,]//g; 2,$d' small.csv; cat small.csv; } >joined.csv
expect_exit 0 "$REPORT" joined.csv --ignore-signposts --format=json
expect_line err "joined.csv:$(($(wc -l <small.csv) + 2)): the header again .1 time.: joined files are reported as one"
expect_count 1 err
python3 - <<'PY' || fail "the lines of a joined file"
import csv, json
rows = list(csv.reader(open("joined.csv")))
ops = json.load(open("out"))["ops"]
assert len(ops) == 14, [o["raw_op_code"] for o in ops]
assert all(rows[o["csv_line"] - 1][0] == o["raw_op_code"] for o in ops), ops
PY
# An empty --arch counts as none; blanks before a name do not make another op.
expect_exit 0 "$REPORT" small.csv --arch ''
expect_count 0 err
sed 's/^LayerNorm,/ LayerNorm\tx,/' small.csv >blanks.csv
expect_exit 0 "$REPORT" blanks.csv --group-by op
expect_line out '% +LayerNorm +20.00 μs +1 +Compute'

# A file of the host alone next to one with devices: both are reported, with a note.
(head -1 small.csv; grep '^(torch)' small.csv) >hosts.csv
for files in 'small.csv hosts.csv' 'hosts.csv small.csv'; do
	expect_exit 0 "$REPORT" $files --ignore-signposts
	expect_line err 'hosts.csv: no row has a device, unlike'
	expect_count 1 err
	expect_line out ' 2 host ops, '
done
expect_exit 0 "$REPORT" hosts.csv hosts.csv
expect_count 0 err

# Impossible times count nowhere: no sum is infinite.
ops >times.csv <<'ROWS'
Copy;dev;0;5000;0;8
Move;dev;0;inf;100;8
Tilize;dev;0;-5;inf;8
Pad;dev;0;1e308;1e308;8
Slice;dev;0;7000;200;8
ROWS
expect_exit 4 "$REPORT" times.csv
expect_line err '5 impossible times \(negative, infinite or of years\), the first in line 3: left out'
! grep -qwE 'inf|nan' out || fail 'an infinite figure'
expect_exit 4 "$REPORT" times.csv --format=json
python3 -c 'import json; t = json.load(open("out"))["totals"]; assert t["device_time_us"] == 12 and abs(t["op_to_op_gap_us"] - 0.3) < 1e-9, t' || fail 'the sums'
# Release 1.2.4 accepts only files; otherwise a folder is that of a job or of reports.
mkdir -p some/reports && cp small.csv some/reports/ops_perf_results.csv
expect_exit 0 "$REPORT" some
expect_exit 3 "$REPORT" some --model=1.2.4

# Files that are not an ops report: the line says what they are.
expect_exit 0 "$REPORT" small.csv --csv made.csv -q
expect_error 3 'made.csv is a table that perf-report wrote' "$REPORT" made.csv
tr , ';' <small.csv >semicolons.csv
expect_error 3 'its columns are separated by semicolons' "$REPORT" semicolons.csv
tr , '\t' <small.csv >tabs.csv
expect_error 3 'its columns are separated by tabs' "$REPORT" tabs.csv
iconv -t UTF-16 small.csv >wide.csv
expect_error 3 'wide.csv is UTF-16: save it as UTF-8' "$REPORT" wide.csv
# Files without an op say so; no filter has removed any.
head -1 small.csv >header.csv
expect_exit 0 "$REPORT" header.csv
expect_line out '^No ops to show: the file has none.$'
expect_exit 0 "$REPORT" small.csv --min-percentage=200 --id-range=90-
! grep -q 'the file has none' out || fail 'ops, but none shown'

# The report that tt-metal writes without the host has another name for that of an op.
printf 'GLOBAL CALL COUNT,DEVICE ID,OP NAME,CORE COUNT,DEVICE KERNEL DURATION [ns]\n1,0,Frobnicate,4,5000\n' >device.csv
expect_exit 4 "$REPORT" device.csv
expect_line out ' Frobnicate .* 5 '
expect_exit 4 "$REPORT" device.csv --list-signposts
expect_line err 'missing columns'
