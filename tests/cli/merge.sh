# SPDX-License-Identifier: Apache-2.0
# tacho merge: recordings of several ranks on one clock.
. "$SOURCE/tests/lib.sh"
MKRANK=$BUILD/tests/mkrank

# Ranks 0 and 1 share a host; rank 2 is 1.2 s ahead and drifts, rank 3 is 5 ms behind.
"$MKRANK" 0 0 0 200 h0 r0.tacho && "$MKRANK" 1 0 0 200 h0 r1.tacho &&
	"$MKRANK" 2 1200000000 30 200 h1 r2.tacho && "$MKRANK" 3 -5000000 -12 200 h2 r3.tacho || fail "mkrank"
expect_exit 0 "$TACHO" merge -o all.tacho r3.tacho r0.tacho r2.tacho r1.tacho
expect_line err '^tacho: all.tacho: 4 recordings of 3 hosts, 1,600 zones, '
expect_line out '^h0 +0 1 .* reference' '^h1 +2 +1.200 s +30.* 200 +collectives' '^h2 +3 .* 200 +collectives'
"$TACHO" check all.tacho >out || fail "check: $(cat out)"

# errors FILE: how far marks of the same moment are apart, in ns, at most
errors() {
	"$TACHO" query --format=csv "$1" "WITH m AS (SELECT track_id, ts, row_number() OVER (PARTITION BY track_id ORDER BY ts) AS k
		FROM slice WHERE name = 'mark') SELECT max(d) FROM (SELECT max(ts) - min(ts) AS d FROM m GROUP BY k)" | tail -1
}
[ "$(errors all.tacho)" -lt 5000 ] || fail "marks are $(errors all.tacho) ns apart"

# The stated error covers the true one.
expect_exit 0 "$TACHO" merge -q -f --format=json -o all.tacho r0.tacho r2.tacho
python3 - "$(errors all.tacho)" <<'PY' || fail "the bound is less than the error"
import json, sys
h = json.load(open("out"))[1]
assert int(sys.argv[1]) <= h["bound_ns"] < 100_000, h
assert abs(h["drift_ppm"] - 30) < 1, h
PY

# Twenty minutes in which a crystal warms up: no line is right, a line per window is.
"$MKRANK" 0 0 0 24000 h0 long0.tacho && "$MKRANK" 2 1200000000 30~0.5 24000 h1 long2.tacho || fail "mkrank"
expect_exit 0 "$TACHO" merge -q -f --format=json -o long.tacho long0.tacho long2.tacho
python3 - "$(errors long.tacho)" <<'PY' || fail "the drift of $(errors long.tacho) ns is not followed"
import json, sys
h = json.load(open("out"))[1]
assert h["windows"] > 30 and h["trouble"] == "" and h["by"] == "collectives", h
assert int(sys.argv[1]) < 5000 and int(sys.argv[1]) <= h["bound_ns"] < 50_000, (sys.argv, h)
PY
"$TACHO" check long.tacho >out || fail "check: $(cat out)"

# Order and a common shift of the inputs do not matter.
expect_exit 0 "$TACHO" merge -q -f -o b.tacho r2.tacho r0.tacho
for sql in 'SELECT ts, dur, name FROM slice ORDER BY 1, 2'; do
	"$TACHO" query --format=csv all.tacho "$sql" >a.csv
	"$TACHO" query --format=csv b.tacho "$sql" >b.csv
	cmp a.csv b.csv || fail "the order of the inputs matters"
done

# Other tools' traces: a Tracy file; a merged trace may be merged again.
"$MKRANK" 2 1200000000 30 50 h1 few.tacho && "$MKRANK" 0 0 0 50 h0 few0.tacho || fail "mkrank"
expect_exit 0 "$TACHO" export --to tracy few.tacho
expect_exit 0 "$TACHO" merge -q -f -o all.tacho few0.tacho few.tracy
expect_line out '^h0 +0 ' 'real time|collectives'
"$TACHO" check all.tacho >out || fail "check: $(cat out)"
mkdir rank7 && "$MKRANK" 3 0 0 50 h0 rank7/x.tacho || fail "mkrank"
expect_exit 0 "$TACHO" merge -q -f -o again.tacho all.tacho rank7/x.tacho
"$TACHO" check again.tacho >out || fail "check: $(cat out)"
[ "$("$TACHO" query --format=csv again.tacho "SELECT count(*) FROM slice" | tail -1)" = 300 ] || fail "a merge of a merge lost zones"

# One boot: the clock is the same, without an estimate.
expect_exit 0 "$TACHO" merge -q -f -o all.tacho r0.tacho r1.tacho
expect_line out '^h0 +0 1 +0 ns +0 +0 ns .*reference'
[ "$(errors all.tacho)" -le 1 ] || fail "recordings of one boot are $(errors all.tacho) ns apart"

# Without collectives real time decides, and the error is unknown.
"$MKRANK" 4 7000 0 0 h3 r4.tacho || fail "mkrank"
expect_exit 0 "$TACHO" merge -q -f -o all.tacho r0.tacho r4.tacho
expect_line out '^h3 +4 +0 ns .* real time'
expect_exit 4 "$TACHO" merge -q -f --align=collectives -o all.tacho r0.tacho r4.tacho
expect_line out 'no collective in common'
expect_exit 4 "$TACHO" merge -q -f --max-bound=1us -o all.tacho r0.tacho r2.tacho
expect_exit 0 "$TACHO" merge -q -f --align=realtime --offset 2=-1200000000 -o all.tacho r0.tacho r2.tacho
expect_line out -- '--offset'
[ "$(errors all.tacho)" -lt 400000 ] || fail "--offset: $(errors all.tacho)"

# Errors
expect_error 2 'two recordings' "$TACHO" merge r0.tacho
expect_error 2 'both of rank 0' "$TACHO" merge -o x.tacho r0.tacho few0.tacho
expect_error 2 'no rank 9' "$TACHO" merge --reference 9 -o x.tacho r0.tacho r2.tacho
expect_error 2 "is not RANK=NS" "$TACHO" merge --offset 3 -o x.tacho r0.tacho r2.tacho
expect_error 2 'markers' "$TACHO" merge --markers '(' -o x.tacho r0.tacho r2.tacho
expect_error 3 'no.tacho' "$TACHO" merge -o x.tacho r0.tacho no.tacho
expect_error 5 'exists' "$TACHO" merge -o all.tacho r0.tacho r2.tacho
[ ! -e x.tacho ] && [ ! -e x.tacho.part ] || fail "an error left a file"

# Everything that a trace can have is copied.
"$MKTRACE" -c t.tacho && cp t.tacho u.tacho || fail "mktrace"
expect_exit 0 "$TACHO" merge -q -f -o all.tacho t.tacho u.tacho
"$TACHO" check all.tacho >out || fail "check: $(cat out)"
for sql in 'SELECT count(*) FROM slice' 'SELECT count(*) FROM args' 'SELECT count(*) FROM message' 'SELECT count(*) FROM counter' \
	'SELECT sum(dur) FROM frame' 'SELECT count(*) FROM lock_span' 'SELECT sum(bytes) FROM alloc' 'SELECT sum(self_dur) FROM slice'; do
	one=$("$TACHO" query --format=csv t.tacho "$sql" | tail -1)
	two=$("$TACHO" query --format=csv all.tacho "$sql" | tail -1)
	[ $((2 * one)) = "$two" ] || fail "$sql: $one, merged $two"
done
