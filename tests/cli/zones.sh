# SPDX-License-Identifier: Apache-2.0
# tacho zones: the list, its filters, the longest.
. "$SOURCE/tests/lib.sh"
"$MKTRACE" t.tacho || fail "mktrace"

expect_exit 0 "$TACHO" zones t.tacho
expect_count 29 out
expect_line out '^ +start +duration +self +process +thread +name +details$' \
	'^ +0 ns +10.00 ms +2.500 ms +app +main +main$' '^5.000 ms .* compute the second .* first line.nsecond, "quoted"$' \
	'\(unfinished\)$' '\(end lost\)$' 'two\\nlines$'

expect_exit 0 "$TACHO" zones --longest=3 --format=csv t.tacho
expect_count 4 out
cut -d, -f1-3 out >figures
printf 'start_ns,duration_ns,self_ns\n0,10000000,2500000\n500000,9500000,9400000\n2000000,6000000,6000000\n' >want
expect_same figures want

# The longest of a filtered list are those of the whole list that pass.
expect_exit 0 "$TACHO" zones --longest=100 -t 1000 --format=csv t.tacho
sort out >longest
expect_exit 0 "$TACHO" zones -t 1000 --format=csv t.tacho
sort out >all
expect_same longest all

expect_exit 0 "$TACHO" zones -d 2.5ms t.tacho
expect_count 7 out
expect_exit 0 "$TACHO" zones --top=5 t.tacho
expect_count 6 out
expect_exit 0 "$TACHO" zones -r 2ms..2.1ms t.tacho
expect_count 4 out

# A name given at run time finds its zone, and so does the name of the source location.
expect_exit 0 "$TACHO" zones -n 'the second' t.tacho
expect_count 2 out
expect_exit 0 "$TACHO" zones -n =compute t.tacho
expect_count 4 out

expect_error 2 'cannot be negative' "$TACHO" zones --longest=-1 t.tacho
expect_error 2 'is not a time' "$TACHO" zones -d fast t.tacho

# With one process, nobody wants to read its name in each row.
"$MKTRACE" -c c.tacho
expect_exit 0 "$TACHO" zones --format=json c.tacho
python3 - <<'END' || fail "the JSON is not what it should be"
import json
zones = json.load(open("out"))
assert len(zones) == 28
named = [z for z in zones if z["name"] == "compute the second"][0]
assert named["text"] == 'first line\nsecond, "quoted"' and named["values"] == "42 18446744073709551615", named
assert named["color"] == "#336699" and named["depth"] == 2 and named["function"] == "compute", named
END

# Many zones: self times of the list add up to those of the statistics, in memory that stays small.
"$MKTRACE" -n 200000 b.tacho
[ -n "$SANITIZE" ] || ulimit -v 400000
expect_exit 0 "$TACHO" zones -t =bulk --format=csv b.tacho
expect_count 200001 out
awk -F, 'NR > 1 { n[$9]++; total[$9] += $2; self[$9] += $3 }
	END { for (k in n) print n[k] "," total[k] "," self[k] "," k }' out | sort >sums
expect_exit 0 "$TACHO" stats -t =bulk --format=csv b.tacho
awk -F, 'NR > 1 { print $1 "," $2 "," $4 "," $14 }' out | sort >want
expect_same sums want
