# SPDX-License-Identifier: Apache-2.0
# The default region of a report: pairs of signposts, the last one with ops, the whole file.
# labels: plain
. "$SOURCE/tests/perf_lib.sh"

# Each op in these files takes as many us as its name says.
posts() { # NAME...: a signpost, or a number: an op that takes so many us
	local name
	for name in "$@"; do
		case $name in
		[0-9]*) echo "Op$name;dev;0;${name}000;0;8" ;;
		*) echo "$name;sign" ;;
		esac
	done | ops
}
expect_region() { # "OPS" FROM TO NAME...
	local want=$1 from=$2 to=$3
	shift 3
	posts "$@" >posts.csv
	expect_exit 0 "$REPORT" posts.csv --format=json
	python3 - "$want" "$from" "$to" <<'PY' || fail "the region of $*"
import json, sys
r = json.load(open("out"))
got = " ".join(o["op_code"][2:] for o in r["ops"])
region = r["region"] or {"from": None, "to": None}
assert got == sys.argv[1] and (region["from"] or "") == sys.argv[2] and (region["to"] or "") == sys.argv[3], (got, region)
assert [o["id"] for o in r["ops"]] == list(range(1, len(r["ops"]) + 1))
PY
}
# X and X_END; other words, cases and positions of the word; a file that ends with the second signpost
expect_region '2' PERF_DECODE PERF_DECODE_END 1 PERF_DECODE 2 PERF_DECODE_END
expect_region '2' 'start' 'stop' 1 start 2 stop
expect_region '2' 'prefillBegin' 'prefillEnd' prefillBegin 1 prefillEnd prefillBegin 2 prefillEnd 3
expect_region '2' 'Model forward started' 'Model forward finished' 1 'Model forward started' 2 'Model forward finished' 3
expect_region '2' 'start of run' 'end of run' 'start of run' 2 'end of run'
# The same name twice
expect_region '2' perf perf 1 perf 2 perf
expect_region '2 3' perf '' perf 1 perf 2 3
# Nested pairs: the outer one ends last. An end may have fewer words than its start.
expect_region '1 2 3' 'OftNet module started' 'OftNet finished' 9 'OftNet module started' 1 'block started' 2 'block finished' 3 'OftNet finished' 4
# A signpost without a partner after the last pair counts, one inside it does not
expect_region '3 4' perf '' warm_start 1 warm_end perf 3 4
expect_region '1 2' run_start run_end run_start 1 middle 2 run_end
# The last signpost with ops after it; an end without a start only if there is nothing else
expect_region '2' go '' warm 1 go 2 finale
expect_region '1 2' go '' 9 go 1 'other finished' 2
expect_region '2' 'compile done' '' 1 'compile done' 2
# Pairs without ops do not count; ops before the first signpost do if there are no others
expect_region '1' a_start a_end a_start 1 a_end b_start b_end
expect_region '1 2' '' '' 1 2 end
expect_region '1 2' '' '' 1 2

posts warm 1 go_start 2 go_end go_start 3 4 go_end >list.csv
expect_exit 0 "$REPORT" list.csv --list-signposts
expect_line out '^list.csv$' '^ +4 +4 +10.0  warm .. the end' '^ +1 +1 +2.0  go_start .. go_end' '^\* +2 +2 +7.0  go_start .. go_end'
expect_exit 0 "$REPORT" list.csv --list-signposts --format=json
python3 - <<'PY' || fail "the list as JSON"
import json
regions = json.load(open("out"))[0]["regions"]
assert [(r["from"], r["to"], r["ops"], r["device_time_us"], r["default"]) for r in regions] == [
    ("warm", None, 4, 10, False), ("go_start", "go_end", 1, 2, False), ("go_start", "go_end", 2, 7, True)], regions
PY
expect_exit 0 "$REPORT" list.csv
expect_line out "Region: from 'go_start' to 'go_end', 2 ops. Others: 'warm' .--list-signposts." ' 2 device ops'
expect_exit 0 "$REPORT" list.csv --signpost warm
expect_line out "Region: from 'warm' to the end, 4 ops" ' 4 device ops'
# A diff uses the same region of both files.
expect_exit 0 "$REPORT" --diff list.csv list.csv
expect_line out '^device time +7.0 +7.0' '^ops +2 +2'

# Ops below the limit are hidden, with a note; a report with only small ops shows the largest.
{
	echo 'Big;dev;0;900000;0;8'
	for i in $(seq 1 30); do echo "Small$i;dev;0;$((i * 10));0;8"; done
} | ops >small30.csv
expect_exit 0 "$REPORT" small30.csv --no-advice --no-summary
expect_line out ' Big ' ' Small30 ' '31 device ops' '^Hidden: 11 ops below 0.5 % .0.1 % of all time.; --min-percentage=0 shows all'
expect_no_line out ' Small11 '
expect_exit 0 "$REPORT" small30.csv --no-advice --no-summary --min-percentage=0
expect_line out ' Small1 '
expect_no_line out '^Hidden'
expect_exit 0 "$REPORT" small30.csv --csv=- --no-summary
expect_count 32 out
# The other models hide no ops.
expect_exit 0 "$REPORT" small30.csv --no-advice --no-summary --model=1.2.4
expect_line out ' Small1 '

# The summary comes first, except in the other models.
expect_exit 0 "$REPORT" small30.csv
awk '/Summary/ { s = NR } /Performance Report/ { t = NR } END { exit !(s && s < t) }' out || fail "the summary is not first"
expect_exit 0 "$REPORT" small30.csv --model=1.2.4
awk '/Summary/ { s = NR } /Performance Report/ { t = NR } END { exit !(s > t) }' out || fail "the summary is first"

# A pager on a terminal, and only there.
cat >pager <<'SH'
#!/bin/sh
echo "paged $(wc -l)"
SH
chmod +x pager
TACHO_PAGER=$PWD/pager python3 "$SOURCE/tests/on_terminal.py" 200 "$REPORT" small30.csv >tty
grep -q '^paged [0-9]' tty || fail "no pager on a terminal"
TACHO_PAGER=$PWD/pager python3 "$SOURCE/tests/on_terminal.py" 200 "$REPORT" small30.csv --no-pager >tty
grep -q '^paged' tty && fail "a pager in spite of --no-pager"
TACHO_PAGER=$PWD/pager "$REPORT" small30.csv | grep -q '^paged' && fail "a pager without a terminal"
exit 0
