# SPDX-License-Identifier: Apache-2.0
# csvexport: columns and options of the original, and right where that is wrong.
# labels: plain
. "$SOURCE/tests/lib.sh"
golden=$SOURCE/../shared/golden/tracy
old=$BUILD/csvexport-release
new=$BUILD/tracy-csvexport

$MKTRACE -c a.tacho || fail mktrace
$TACHO export -q --to=tracy a.tacho || fail export

for f in a.tacho a.tracy; do
	expect_exit 0 $new $f
	expect_line out '^name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns$' \
		'^main,src/app.c,10,10000000,100.000000,1,10000000,10000000,10000000,0.000000$' \
		'^step,src/app.c,20,7500000,75.000000,3,2500000,2500000,2500000,0.000000$' \
		'^load_input,src/app.c,30,1800000,18.000000,3,600000,500000,700000,100000.000000$' \
		'^"""double"" and .single. quotes",src/app.c'
	expect_no_line out 'waits for ever' # it never ended

	expect_exit 0 $new -e $f
	expect_line out '^main,src/app.c,10,2500000,25.000000,1,2500000,2500000,2500000,0.000000$' \
		'^step,src/app.c,20,2700000,27.000000,3,900000,800000,1000000,100000.000000$'

	# A text belongs to its own row.
	expect_exit 0 $old -u $f
	expect_line out '^name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text$' \
		'^step,src/app.c,20,,"0",1000000,2500000,1,$' '^load_input,src/app.c,30,,,1100000,500000,1,$' \
		'^in the child,src/app.c,500,,,2000000,6000000,5,$'
	expect_line out '^compute,src/app.c,40,compute the second,"first line$'
	expect_exit 0 $new -u $f
	expect_line out ',thread,value,special_parent_text$' '^step,src/app.c,20,,"0",1000000,2500000,1,0,$'
	expect_exit 0 $new -u --layout=upstream --tid $f
	expect_line out '^name,src_file,src_line,ns_since_start,exec_time_ns,thread,value$' \
		'^step,src/app.c,20,1000000,2500000,1000,0$'

	# Rows with and without texts have the same columns, whatever separates them.
	for layout in tt tt-0.10 upstream; do
		expect_exit 0 $new -u --layout=$layout -s '<->' -f load $f
		sed 's/<->/,/g' out >got
		expect_exit 0 $new -u --layout=$layout -f load $f
		expect_same got out
	done
	expect_line out '^load_input,src/app.c,30,1100000,500000,1,$'

	# The parent of special functions.
	expect_exit 0 $old -u -p te -x load_input $f
	expect_line out '^load_input,src/app.c,30,,,1100000,500000,1,0$' '^load_input,src/app.c,30,,,4100000,600000,1,1$' \
		'^step,src/app.c,20,,"0",1000000,2500000,1,$'
	expect_exit 0 $new -u -t te -x load_input $f
	expect_line out '^load_input,src/app.c,30,,,1100000,500000,1,,0$' '^step,src/app.c,20,,"0",1000000,2500000,1,0,0$'

	expect_exit 0 $new -f STEP $f
	expect_count 2 out
	expect_exit 0 $new -f STEP -c $f
	expect_count 1 out
	expect_exit 0 $new -s ';' -f step $f
	expect_line out '^step;src/app.c;20;'
	expect_exit 0 $new -m -s ';' $f
	expect_line out '^MessageName;total_ns$' '^ready;3000000$' '^hello from the child;3000000$'
	expect_exit 0 $new -u -p --layout=upstream -f nothing $f
	expect_line out 'queue depth,,,1000000,,,-1.000000$' 'textures,,,5000000,,,3145728.000000$'
	expect_exit 0 $new -g $f
	expect_line out '^name,src_file,Time from start of program,GPU execution time$'
done
python3 - <<'PY' || fail 'a row is broken'
import csv, subprocess, os
out = subprocess.run([os.environ["BUILD"] + "/tracy-csvexport", "-u", "a.tracy"], stdout=subprocess.PIPE).stdout
rows = list(csv.reader(out.decode("utf8", "replace").splitlines(True)))
assert all(len(r) == 10 for r in rows), [r for r in rows if len(r) != 10][:2]
PY
$MKTRACE -c -n 0 empty.tacho || fail mktrace
expect_error 3 'cannot read' $new nothing.tracy
expect_error 2 'one file' $new

# What the original printed, where it was right.
[ -d "$golden" ] || skip "the rest: no $golden"
sorted() { "$@" | sort; }
for f in host bridge gpu synthetic client_sigkill; do
	expect_same <(sorted $old "$golden/$f.tracy") <(sort "$golden/csv/$f.tt.csv")
	expect_same <($old -m -s ';' "$golden/$f.tracy") "$golden/csv/$f.tt-m-semicolon.csv"
done
for f in gpu client_sigkill; do
	expect_same <(sorted $old -u "$golden/$f.tracy") <(sort "$golden/csv/$f.tt-u.csv")
done
for f in upstream014 merged014; do
	expect_same <(sorted $new "$golden/$f.tracy") <(sort "$golden/csv/$f.v014.csv")
	expect_same <(sorted $new -u --layout=upstream "$golden/$f.tracy") <(sort "$golden/csv/$f.v014-u.csv")
done
expect_same <(sorted $new -g "$golden/gpu.tracy") <(sort "$golden/csv/gpu.v014-g.csv")
expect_same <(sorted $new -f ZONE "$golden/host.tracy") <(sort "$golden/csv/host.tt-f_ZONE.csv")
expect_same <(sorted $new -f ZONE -c "$golden/host.tracy") <(sort "$golden/csv/host.tt-f_ZONE-c.csv")
