# SPDX-License-Identifier: Apache-2.0
# tacho stats: figures, filters, orders, formats.
. "$SOURCE/tests/lib.sh"
"$MKTRACE" t.tacho || fail "mktrace"

expect_exit 0 "$TACHO" stats t.tacho
expect_count 23 out
expect_line out '^count +total +% +self +wait +mean +median +p99 +max +open +name$' \
	'^ +3 +1.800 ms +10.75 +1.800 ms +0 ns +600.0 us +600.0 us +700.0 us +700.0 us +0  load_input$' \
	'^ +0 +0 ns +0.00 +1  waits for ever$'

expect_exit 0 "$TACHO" stats -n =load_input --format=csv t.tacho
expect_count 2 out
expect_line out '^3,1800000,10.7527,1800000,0,1800000,500000,600000,600000,700000,700000,81650,0,load_input,load_input,src/app.c,30$'

# names(): the order of the names in "out", joined by commas
names() { tail -n +2 out | sed 's/.* \([a-z]*\)$/\1/' | paste -sd,; }
check_order() {
	local want=$1
	shift
	expect_exit 0 "$TACHO" stats -n '/^(main|step|compute)$/' "$@" t.tacho
	[ "$(names)" = "$want" ] || fail "$*: $(names)"
}
check_order main,step,compute
check_order compute,step,main --reverse
check_order compute,main,step --sort=name
check_order compute,step,main --sort=self
check_order main,step --top=2
for sort in name count total self wait sum min mean median p99 max sigma unfinished; do
	expect_exit 0 "$TACHO" stats --sort=$sort t.tacho
done

# Three ways to say a name, and a wrong one.
expect_exit 0 "$TACHO" stats --name ste t.tacho
expect_count 2 out
expect_exit 0 "$TACHO" stats --name 's?ep' t.tacho
expect_count 2 out
expect_exit 0 "$TACHO" stats --name '/^st.p$|^main$/' t.tacho
expect_count 3 out
expect_error 2 'not a regular expression' "$TACHO" stats --name '/(/' t.tacho

# Ranges: zones that start in them.
for range in 1ms..2ms 1..2ms 1ms+1ms '1ms .. 2ms' 1ms,2ms 1ms-2ms 1ms:2ms 10%..20% -9ms..-8ms; do
	expect_exit 0 "$TACHO" stats --range="$range" --format=csv t.tacho
	expect_count 3 out
	expect_line out '^1,2500000,.*,step,' '^1,500000,.*,load_input,'
done
expect_exit 0 "$TACHO" stats --range=..1 --format=csv t.tacho
expect_count 2 out
expect_exit 0 "$TACHO" stats --range=8ms.. --format=csv t.tacho
expect_count 2 out
expect_error 2 "is not a range of times" "$TACHO" stats --range=yesterday t.tacho
expect_error 2 "is not a range of times" "$TACHO" stats --range=1x..2x t.tacho
expect_error 2 'ends before it begins' "$TACHO" stats --range=2s..1s t.tacho

# Processes and threads, by number and by name.
expect_exit 0 "$TACHO" stats -p 1001 t.tacho
expect_count 2 out
expect_exit 0 "$TACHO" stats -p work t.tacho
expect_count 2 out
expect_exit 0 "$TACHO" stats -p app -t 1003 t.tacho
expect_count 3 out
expect_exit 0 "$TACHO" stats -t fiber -t 1003 t.tacho
expect_count 4 out
expect_error 1 "no process 'nobody'" "$TACHO" stats -p nobody t.tacho
expect_error 1 "no thread '77'" "$TACHO" stats -t 77 t.tacho

expect_exit 0 "$TACHO" stats --format=json t.tacho
python3 - <<'END' || fail "the JSON is not what it should be"
import json
rows = json.load(open("out"))
assert len(rows) == 22
wait = [r for r in rows if r["name"] == "waits for ever"][0]
assert wait["unfinished"] == 1 and wait["count"] == 0 and wait["mean_ns"] is None, wait
END

# Text shows the places of several source locations with one name; tables for programs have columns for them.
[ -z "$SANITIZE" ] || skip "the rest: programs without the sanitizer cannot load sanitized libraries"
cat >same.c <<'END'
#include <tacho/tacho.h>

static void one(void)
{
	TACHO_ZONE("same");
}

int main(void)
{
	TACHO_ZONE("only");
	TACHO_ZONE("same");
	one();
	return 0;
}
END
cc -I"$SOURCE/include" same.c -o same -L"$BUILD" -ltacho -Wl,-rpath,"$BUILD" || fail "same.c"
expect_exit 0 "$TACHO" run -q -- ./same
expect_exit 0 "$TACHO" stats same.tacho
expect_line out '  same  same.c:5$' '  same  same.c:11$' '  only$'
expect_exit 0 "$TACHO" stats --format=csv same.tacho
expect_line out ',same,one,same.c,5$'

# A zone inside another one of its source location does not count again in the total, but in the sum: a calls
# itself, b calls a, c is called by two threads at once.
cat >recursive.json <<'END'
[{"ph":"X","pid":1,"tid":1,"name":"a","ts":0,"dur":100},
 {"ph":"X","pid":1,"tid":1,"name":"a","ts":10,"dur":80},
 {"ph":"X","pid":1,"tid":1,"name":"b","ts":20,"dur":60},
 {"ph":"X","pid":1,"tid":1,"name":"a","ts":30,"dur":40},
 {"ph":"X","pid":1,"tid":1,"name":"c","ts":40,"dur":10},
 {"ph":"X","pid":1,"tid":1,"name":"a","ts":200,"dur":50},
 {"ph":"X","pid":1,"tid":2,"name":"c","ts":30,"dur":50}]
END
expect_exit 0 "$TACHO" import -q -o recursive.tacho recursive.json
expect_exit 0 "$TACHO" export -q --to=tracy -o recursive.tracy recursive.tacho
expect_exit 0 "$TACHO" import -q -o again.tacho recursive.tracy
figures() { python3 -c '
import json, sys
for r in json.load(sys.stdin):
    print(r["name"], r["count"], *(round(r[k + "_ns"] / 1000) for k in ("total", "self", "sum")))' <out; }
for file in recursive.tacho again.tacho; do
	expect_exit 0 "$TACHO" stats --sort=name --format=json $file
	[ "$(figures | paste -sd,)" = 'a 4 150 120 270,b 1 60 20 60,c 2 60 60 60' ] || fail "$file: $(figures)"
done
# A range that begins inside: at least the self time.
expect_exit 0 "$TACHO" stats -n =a -r 5us..150us --format=json recursive.tacho
[ "$(figures)" = 'a 2 50 50 120' ] || fail "a range: $(figures)"
