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
expect_line out '^change +7.1 μs \(\+85.5 %\)' 'Slower, by op' 'Faster, by op' '1 op only before' '1 op only after'
sed -n '/Slower, one by one/,$p' out >pairs
expect_line pairs '^ +10.0 +\+1000.0 % +1.0 +11.0 +8.0 +2.0 +2 +3  Copy' '^ +-3.0 +-50.0 % +6.0 +3.0 .* 3 +1  LayerNorm' \
	' - +4  New' ' 4 +-  Old'
expect_exit 0 "$REPORT" --diff before.csv after.csv --top 1
[ "$(grep -c Copy out)" = 2 ] || fail "more than one line of each list"
expect_exit 0 "$REPORT" --diff before.csv after.csv --format=json
python3 - <<'PY' || fail "JSON"
import json
d = json.load(open("out"))
assert abs(d["change_us"] - 7.1) < 1e-9
changes = [g["change_us"] for g in d["by_op"]]
assert changes == sorted(changes, reverse=True) and d["by_op"][0]["op_code"] == "Copy" and d["by_op"][0]["before"]["ops"] == 2
PY
expect_exit 0 "$REPORT" --diff before.csv before.csv
expect_no_line out 'Slower|Faster|only'
# Times and gaps that no double holds exactly: what rounding makes of them is no change.
ops >odd.csv <<'ROWS'
Copy;dev;0;1003;5711;8
Copy;dev;0;5643;10539;8
Copy;dev;0;4171;5227;8
LayerNorm;dev;0;2509;8813;8
LayerNorm;dev;0;3343;4001;8
ROWS
expect_exit 0 "$REPORT" --diff odd.csv odd.csv
expect_no_line out 'Slower|Faster|only'
