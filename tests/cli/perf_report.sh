# SPDX-License-Identifier: Apache-2.0
# perf-report on a small invented file: the exact table, the window, the filters.
. "$SOURCE/tests/perf_lib.sh"

expect_exit 0 "$REPORT" small.csv
expect_count 0 err
cat >want <<'TABLE'
ID  Total %  Bound  OP Code                                 Device   Device Time  Op-to-Op Gap  Cores  DRAM     DRAM %  FLOPs        FLOPs %  Math Fidelity
-----------------------------------------------------------------------------------------------------------------------------------------------------------------------
 1   55.4 %   SLOW  Matmul 1024 x 1024 x 1024                     0       100 μs                   64  42 GB/s  14.6 %  21.5 TFLOPs   32.6 %  HiFi4 BF16 x BF16 => BF16
 2   33.2 %   SLOW  MatmulDeviceOperation 512 x 1024 x 512        0        50 μs         10 μs     32  11 GB/s   3.9 %  10.7 TFLOPs   16.3 %  HiFi2 BFP8 x BFP8 => BFP8
 3            HOST  (torch) add
 4   11.4 %         LayerNorm                                     0        20 μs          0 μs     64                                                      BF16 => BF16
-----------------------------------------------------------------------------------------------------------------------------------------------------------------------
    100.0 %         3 device ops, 1 host ops, 0 signposts                 170 μs         10 μs
TABLE
sed -n '/^ID /,/device ops/p' out >got
sed 's/ *$//' got | diff - want >&2 || fail "the table is another"
expect_line out "Region: from 'go' to the end, 4 ops. Others: 'warm' .--list-signposts." '^Format v2.1, architecture wormhole, 64 worker cores' \
	'Fallback to the host' 'Long gaps between ops' 'Keep input 0 in L1' 'Raise in0_block_w from 1' 'Raise out_subblock_h x out_subblock_w' \
	'Stacked report' 'Where the time goes' 'HOST: on the CPU' 'gaps: the device waits'

# Times in the summary are aligned whatever the length of the titles.
[ "$(sed -n '/advice would save/,/Performance Report/p' out | grep -o '^  .* μs' | awk '{print length}' | sort -u | wc -l)" = 1 ] || fail "the summary is not aligned"

# Host ops that are not torch's: by name, and except in release 1.2.4 also by type.
sed -e 's/^(torch) add,/softmax,/' -e 's/^LayerNorm,/(host) norm,/' small.csv >host.csv
expect_exit 0 "$REPORT" host.csv
expect_line out '^ 4 .* HOST  \(host\) norm' ' 2 device ops, 2 host ops, 0 signposts'
expect_exit 0 "$REPORT" --model=1.2.4 host.csv
expect_line out '^ 8 .* HOST  \(host\) norm' ' 3 device ops, 1 host ops, 0 signposts'
expect_exit 0 "$REPORT" --model=next host.csv
expect_line out '^ 7 +HOST  softmax *$' '^ 8 .* HOST  \(host\) norm' ' 2 device ops, 2 host ops, 0 signposts' ' softmax +0.00 μs +1 +Host '

# Windows and filters. IDs count the ops of the report; in the other models they are line numbers.
ids() { sed -n '/^ID /,/device ops/p' out | grep -oE '^ *[0-9]+ ' | tr -d ' ' | paste -sd ' '; }
expect_ids() {
	local want=$1
	shift
	expect_exit 0 "$REPORT" small.csv --min-percentage=0 "$@"
	[ "$(ids)" = "$want" ] || fail "IDs '$(ids)' with $*, not '$want'"
}
expect_ids '2 3 4 5 6 7 8' --ignore-signposts --model=1.2.4
expect_ids '1 2 3 4 5' --ignore-signposts
expect_ids '1 2 3 4 5' --signpost warm
expect_ids '1 2 3 4 5' --start warm
expect_ids '3 5 6 7 8' --start warm --model=1.2.4
expect_ids '3 5 6 7 8' --signpost warm --model=1.2.4
expect_ids '1' --start-signpost=warm --end-signpost=go
expect_ids '3 4 5 6 7 8' --start-signpost=warm --print-signposts --model=1.2.4
expect_ids '1 2 3 4 5' --start-signpost=warm --print-signposts
expect_ids '1 2' --id-range 1-2
expect_ids '4' --id-range 4-
expect_ids '1 2 4' --no-host-ops
expect_ids '1 2' --top 2
expect_ids '2' --id-range 2-3 --no-host-ops
expect_exit 0 "$REPORT" small.csv --start-signpost nowhere
expect_line err "warning: no signpost 'nowhere'"
expect_exit 0 "$REPORT" small.csv --signpost nowhere
expect_line err "warning: no signpost 'nowhere' with ops after it"
expect_exit 0 "$REPORT" small.csv --id-range 900-
expect_line out 'No ops to show'

# A signpost is recognized by its type, not its name.
sed 's/^go,/Matmul of (torch),/' small.csv >named.csv
expect_exit 0 "$REPORT" named.csv --print-signposts --ignore-signposts --no-advice
expect_line out '^ +🪧 Matmul of \(torch\) *$' '4 device ops, 1 host ops, 2 signposts'
expect_exit 0 "$REPORT" named.csv
expect_line out "Region: from 'Matmul of .torch.'" '^ 1 +55.4 %'

# Release 1.2.4 reports nothing of a program that ends with a signpost; a note names the one that has ops.
printf '%s\n' 'warm;sign' 'go;sign' 'Copy;dev;0;1000;0;8' 'end;sign' | ops >ends.csv
expect_exit 0 "$REPORT" ends.csv --model=1.2.4
expect_line err "no op follows that signpost: try --start-signpost='go'"
printf '%s\n' 'Copy;dev;0;1000;0;8' 'end;sign' | ops >ends.csv
expect_exit 0 "$REPORT" ends.csv --model=1.2.4
expect_line err 'no op follows that signpost: try --ignore-signposts'

# A numeric name is shown as a number, as in the reference tables; that of a signpost is not.
sed -e 's/^go,/0012,/' -e 's/^LayerNorm,/1_234,/' -e 's/^Copy,/infinity,/' small.csv >digits.csv
expect_exit 0 "$REPORT" digits.csv --print-signposts --ignore-signposts --no-advice --no-summary
expect_line out '^ +🪧 0012 *$' '^ [0-9] .* 1,234 ' '^ 1 .* inf '

# An --arch of blanks counts as none.
sed '0,/wormhole_b0/s//  /' small.csv >blank.csv
expect_exit 0 "$REPORT" blank.csv --ignore-signposts
expect_line out 'architecture wormhole'
expect_no_line out 'architecture  '

# A missing column of data types is blank; an empty cell of it is marked.
cut -d, -f1-16,18- small.csv | sed '/^Matmul/d' >untyped.csv
expect_exit 0 "$REPORT" untyped.csv --csv=- --no-summary -q --model=1.2.4
python3 - out <<'PY' || fail "data types of columns that are not there"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert rows and all(r["Input 0 Datatype"] == "" and r["Input 1 Datatype"] == "nan" for r in rows), rows
PY

# Without parts that are turned off.
expect_exit 0 "$REPORT" small.csv --no-advice --no-summary
expect_no_line out 'Advice|Stacked|Where the time'

# Colour: only if requested, never with NO_COLOR or on a pipe; --no-color overrides.
expect_exit 0 "$REPORT" small.csv --color
expect_line out $'\x1b\\[38;5;13mMatmul\x1b\\[0m \x1b\\[38;5;13m1024 x'
expect_exit 0 "$REPORT" small.csv --no-color --color
expect_no_line out $'\x1b'
expect_exit 0 "$REPORT" small.csv
expect_no_line out $'\x1b'
# A narrow terminal: shorter names and fewer columns, and a line that names those.
for width in 80 120; do
	python3 "$SOURCE/tests/on_terminal.py" $width "$REPORT" small.csv --color=never >tty
	python3 - $width <<'PY' || fail "wider than $width columns"
import sys
lines = open("tty", encoding="utf-8").read().split("\n")
table = lines[next(i for i, l in enumerate(lines) if l.startswith("ID")):]
end = next(i for i, l in enumerate(table) if l.startswith("No room"))
assert max(map(len, table[:end])) <= int(sys.argv[1]), max(table[:end], key=len)
stack = lines[next(i for i, l in enumerate(lines) if l.startswith("Total %")):]
assert max(map(len, stack)) <= int(sys.argv[1]), stack
PY
done
expect_line tty '^ *[0-9]+ .* Matmul 512 x 1024 x 512 ' '^No room for the columns Device, Math Fidelity; --csv'
python3 "$SOURCE/tests/on_terminal.py" 200 "$REPORT" small.csv >tty
grep -q $'\x1b' tty || fail "no colour on a terminal"
NO_COLOR=1 python3 "$SOURCE/tests/on_terminal.py" 200 "$REPORT" small.csv >tty
grep -q $'\x1b' tty && fail "colour in spite of NO_COLOR"

# Control characters are written to files, but not to terminals.
sed 's/^LayerNorm/Lay\x1b[31mer/' small.csv >escape.csv
expect_exit 0 "$REPORT" escape.csv
expect_line out $'Lay\x1b\\[31mer'
python3 "$SOURCE/tests/on_terminal.py" 200 env NO_COLOR=1 "$REPORT" escape.csv >tty
grep -q $'\x1b' tty && fail "an escape of the input reaches the terminal"
expect_exit 0 "$REPORT" escape.csv --model=next
expect_no_line out $'\x1b'

# Sums by op.
expect_exit 0 "$REPORT" small.csv --group-by op --no-advice
expect_line out '^58.82 %  Matmul  .*100.00 μs +1 +Compute +32.65 % +32.65 % +32.65 % +32.65 %' '^ 0.00 %  \(torch\)'
expect_exit 0 "$REPORT" small.csv --group-by category --no-advice
expect_line out '^100.00 %  Compute +170.00 μs +3$'

# JSON has the same values.
expect_exit 0 "$REPORT" small.csv --format=json
python3 - <<'PY' || fail "JSON"
import json
r = json.load(open("out"))
assert [o["id"] for o in r["ops"]] == [1, 2, 3, 4] and [o["csv_line"] for o in r["ops"]] == [5, 6, 7, 8]
assert r["region"] == {"from": "go", "to": None}
o = r["ops"][0]
assert o["bound"] == "SLOW" and o["device_time_us"] == 100 and o["operations"] == 2 * 1024**3 and o["dram_bytes"] == 4 * 1024**2
assert o["op_to_op_gap_us"] is None and r["ops"][2]["device_time_us"] is None
assert r["summary"]["bounds"]["SLOW"]["ops"] == 2 and r["totals"]["host_ops"] == 1
assert [a["what"] for a in o["advice"]] == ["keep input 0 in L1"]
PY
expect_exit 0 "$REPORT" small.csv --format=csv
expect_line out '^ID,Total %,Bound,OP Code.*,Global Call Count,CSV Line,Run,Op Category,Limit,Balance %,Advice' '^1,55\..*,5,measured,Compute,'

# A single op.
expect_exit 0 "$REPORT" small.csv --why 1
expect_line out '^ID 1 \(line 5\): Matmul 1024 x 1024 x 1024' '2147483648 operations / 100000 ns = 21.475 TFLOP/s' \
	'64 cores x 1.0278 TFLOP/s each \(wormhole, HiFi4\)' 'of 288 GB/s' 'SLOW: neither reaches 65 %' 'OP CODE = Matmul'
expect_exit 2 "$REPORT" small.csv --why 5
expect_line err 'no op with ID 5'
expect_exit 2 "$REPORT" small.csv --why x
