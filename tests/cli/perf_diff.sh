# SPDX-License-Identifier: Apache-2.0
# perf-report --diff: ops matched by name, shape and order, sorted by the time lost.
. "$SOURCE/tests/perf_lib.sh"
ops >before.csv <<'ROWS'
Copy;dev;0;1000;0;8
Copy;dev;0;1000;0;8
LayerNorm;dev;0;5000;1000;8
Old;dev;0;300;0;8
ROWS
ops >after.csv <<'ROWS'
LayerNorm;dev;0;3000;0;8
Copy;dev;0;1000;0;8
Copy;dev;0;9000;2000;8
New;dev;0;400;0;8
ROWS
expect_exit 0 "$REPORT" --diff before.csv after.csv
expect_line out '^device time +7.3 +13.4 +6.1 +\+83.6 %$' '^gaps +1.0 +2.0 +1.0 +\+100.0 %' '^total +8.3 +15.4 +7.1 +\+85.5 %' '^ops +4 +4$' 'Slower, by op' 'Faster, by op' '1 op only before' '1 op only after'
sed -n '/Slower, one by one/,$p' out >pairs
expect_line pairs '^ +8.0 +\+800.0 % +1.0 +9.0 +8.0 +2.0 +2 +3  Copy' '^ +-2.0 +-40.0 % +5.0 +3.0 .* 3 +1  LayerNorm' \
	' - +4  New' ' 4 +-  Old'
expect_exit 0 "$REPORT" --diff before.csv after.csv --top 1
[ "$(grep -c Copy out)" = 2 ] || fail "more than one line of each list"
expect_exit 0 "$REPORT" --diff before.csv after.csv --format=json
python3 - <<'PY' || fail "JSON"
import json
d = json.load(open("out"))
assert abs(d["change_us"] - 6.1) < 1e-9 and d["metric"] == "device-time" and d["fail_above_percent"] is None
assert abs(d["after"]["total"]["mean_us"] - d["before"]["total"]["mean_us"] - 7.1) < 1e-9
changes = [g["change_us"] for g in d["by_op"]]
assert changes == sorted(changes, reverse=True) and d["by_op"][0]["op_code"] == "Copy" and d["by_op"][0]["before"]["ops"] == 2
PY
expect_exit 0 "$REPORT" --diff before.csv before.csv
expect_no_line out 'Slower|Faster|only'
# Times and gaps that doubles cannot hold exactly: rounding errors are not a change.
ops >odd.csv <<'ROWS'
Copy;dev;0;1003;5711;8
Copy;dev;0;5643;10539;8
Copy;dev;0;4171;5227;8
LayerNorm;dev;0;2509;8813;8
LayerNorm;dev;0;3343;4001;8
ROWS
expect_exit 0 "$REPORT" --diff odd.csv odd.csv
expect_no_line out 'Slower|Faster|only'

# Ops that one side has more do not shift those after them; ops that moved are matched all the same.
layers() { # TIMES: of layers of three ops; x: there is no such op
	local i=0 names=(Norm Copy Mul)
	for t in "$@"; do
		[ "$t" = x ] || echo "${names[i % 3]};dev;0;$t;0;8"
		i=$((i + 1))
	done | ops
}
layers 1000 500 2000 3000 600 4000 5000 700 6000 7000 800 8000 >layers.csv
layers 1000 500 2000 3000 600 x 5000 700 6000 x 800 9500 >fewer.csv
pairs() { # CHANGES: those of the pairs, not 0
	python3 - "$1" <<'PY' || fail "the pairs"
import json, sys
got = [round(p["change_us"], 6) for p in json.load(open("out"))["one_by_one"] if abs(p["change_us"]) > 1e-9]
assert got == json.loads(sys.argv[1]), got
PY
}
expect_exit 0 "$REPORT" --diff layers.csv fewer.csv --format=json
pairs '[1.5, -4, -7]'
expect_exit 0 "$REPORT" --diff fewer.csv layers.csv --format=json
pairs '[7, 4, -1.5]'
# The default regions of the two files have other names.
printf '%s\n' 'go;sign' 'Copy;dev;0;1000;0;8' 'Copy;dev;0;1000;0;8' | ops >go.csv
sed 's/^go,/run,/' go.csv >run.csv
expect_exit 0 "$REPORT" --diff go.csv run.csv
expect_line err "^tacho: warning: go.csv: from signpost 'go', but run.csv: from signpost 'run': these may be different"
expect_exit 0 "$REPORT" --diff go.csv fewer.csv
expect_line err "but fewer.csv: from signpost '.none.'"
expect_exit 0 "$REPORT" --diff go.csv go.csv
expect_count 0 err
# Several runs: each is aligned with the first.
expect_exit 0 "$REPORT" --diff layers.csv fewer.csv fewer.csv layers.csv --before 1 --format=json
pairs '[1]'

# Another metric changes the order and headline of the lists.
expect_exit 0 "$REPORT" --diff before.csv after.csv --metric total
sed -n '/Slower, one by one/,$p' out >pairs
expect_line pairs '^ +10.0 +\+1000.0 % +1.0 +11.0 +8.0 +2.0 +2 +3  Copy'

# A limit: exit status 1 and the names of the ops, else 0.
expect_exit 1 "$REPORT" --diff before.csv after.csv --fail-above 3%
expect_line out '^failed: worse by more than 3 % .device time.' '^ +\+83.6 %  all ops together' '^ +\+400.0 %  Copy$'
expect_exit 0 "$REPORT" --diff after.csv before.csv --fail-above 500
expect_line out '^passed: nothing is worse by more than 500 %'
expect_exit 0 "$REPORT" --diff before.csv before.csv --fail-above 0%
# Ops that are small compared with the total cannot fail.
printf '%s\n' 'Big;dev;0;900000;0;8' 'Tiny;dev;0;100;0;8' | ops >tiny0.csv
printf '%s\n' 'Big;dev;0;900000;0;8' 'Tiny;dev;0;200;0;8' | ops >tiny1.csv
expect_exit 0 "$REPORT" --diff tiny0.csv tiny1.csv --fail-above 3
expect_exit 1 "$REPORT" --diff tiny0.csv tiny1.csv --fail-above 3 --min-percentage 0
expect_line out '\+100.0 %  Tiny'
# Gaps are noise: the limit applies to device time, unless another metric is chosen.
printf '%s\n' 'A;dev;0;1000;0;8' 'A;dev;0;1000;1000;8' | ops >gap0.csv
printf '%s\n' 'A;dev;0;900;0;8' 'A;dev;0;900;3000;8' | ops >gap1.csv
expect_exit 0 "$REPORT" --diff gap0.csv gap1.csv --fail-above 3
expect_exit 1 "$REPORT" --diff gap0.csv gap1.csv --fail-above 3 --metric gap
expect_exit 1 "$REPORT" --diff gap0.csv gap1.csv --fail-above 3 --metric total

# An op of another shape is another op.
{
	echo "Matmul;dev;0;1000;0;64;32;64;64;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED"
	echo "Unary;dev;0;1000;0;64;32;64;64;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED"
} | ops >shape0.csv
sed 's/,64\[64\],BFLOAT16,DEV_0_DRAM/,96[96],BFLOAT16,DEV_0_DRAM/' shape0.csv >shape1.csv
expect_exit 0 "$REPORT" --diff shape0.csv shape1.csv
expect_line out '^2 ops only before' '^2 ops only after'

# Several runs of each side: changes within their noise do not count.
run() { printf '%s\n' "A;dev;0;$1;0;8" "B;dev;0;$2;0;8" | ops; }
run 1000 5000 >a1.csv
run 1100 5010 >a2.csv
run 1050 5005 >a3.csv
run 1080 5500 >b1.csv
run 1120 5510 >b2.csv
run 1090 5520 >b3.csv
expect_exit 1 "$REPORT" --diff a1.csv a2.csv a3.csv b1.csv b2.csv b3.csv --fail-above 3
expect_line out '^ +\+10.1 %  B$' '^runs +3 +3' 'device time .* beyond the noise' 'A  .within the noise.'
expect_no_line out '^ +\+4.4 %  A$'
expect_exit 0 "$REPORT" --diff a1.csv a2.csv a3.csv a2.csv a1.csv a3.csv --fail-above 0
expect_exit 1 "$REPORT" --diff a1.csv a2.csv a3.csv b1.csv --before 3 --fail-above 3
expect_exit 1 "$REPORT" --diff a1.csv a2.csv a3.csv b1.csv b2.csv b3.csv --fail-above 3 --format=json
python3 - <<'PY' || fail "the diff as JSON"
import json
d = json.load(open("out"))
b = next(g for g in d["by_op"] if g["op_code"] == "B")
a = next(g for g in d["by_op"] if g["op_code"] == "A")
assert d["failed"] and d["fail_above_percent"] == 3 and b["failed"] and b["beyond_noise"] and not a["failed"] and not a["beyond_noise"]
assert b["before"]["device_time"] == {"runs": 3, "mean_us": 5.005, "least_us": 5, "most_us": 5.01, "deviation_us": b["before"]["device_time"]["deviation_us"]}
assert abs(b["before"]["device_time"]["deviation_us"] - .005) < 1e-9
PY
expect_exit 1 "$REPORT" --diff a1.csv a2.csv a3.csv b1.csv b2.csv b3.csv --fail-above 3 --format=junit
python3 - <<'PY' || fail "JUnit"
import xml.etree.ElementTree as E
suite = E.parse("out").getroot()[0]
assert suite.get("tests") == "3" and suite.get("failures") == "2", suite.attrib
assert sorted(c.get("name") for c in suite if len(c)) == ["B", "all ops together"]
PY
expect_exit 1 "$REPORT" --diff a1.csv a2.csv a3.csv b1.csv b2.csv b3.csv --fail-above 3 --format=markdown
expect_line out '^### Performance: failed' '^\| device time \| 6.1 \| 6.6 \| 0.6 \| \+9.[0-9] % \| failed \|' '^\| `B` \| 5.0 \| 5.5 \|.*failed'
# A name cannot leave its cell or element.
printf '%s\n' 'A|<b>&`"x;dev;0;1000;0;8' | ops >odd0.csv
sed 's/,1000,/,2000,/' odd0.csv >odd1.csv
expect_exit 0 "$REPORT" --diff odd0.csv odd1.csv --format=junit
python3 -c 'import xml.etree.ElementTree as E; E.parse("out")' || fail "XML of an odd name"
expect_exit 0 "$REPORT" --diff odd0.csv odd1.csv --format=markdown
[ "$(grep -c 'x' out)" -ge 1 ] && ! grep -q '`A|' out || fail "Markdown of an odd name"

expect_exit 2 "$REPORT" --diff before.csv
expect_exit 2 "$REPORT" --diff before.csv after.csv before.csv
expect_exit 2 "$REPORT" --diff before.csv after.csv --fail-above x
expect_exit 2 "$REPORT" before.csv --fail-above 3
expect_exit 2 "$REPORT" before.csv --format=junit
