# SPDX-License-Identifier: Apache-2.0
# tacho stragglers: who is late to collectives, with and without a common clock.
. "$SOURCE/tests/lib.sh"
MKRANK=$BUILD/tests/mkrank

# Traces of 8 ranks on two hosts with other clocks; rank 5 works 5 ms longer.
for i in 0 1 2 3 4 5 6 7; do
	"$MKRANK" $i $((i / 4 * 1200000000)) $((i / 4 * 9)) 150 h$((i / 4)) 5 r$i.tacho || fail "mkrank"
done
expect_exit 0 "$TACHO" stragglers r?.tacho
expect_line out '^rank 5 +150 +150 +100.00 +0 ns +0 ns ' '^rank 0 +150 +0 ' '^straggler: rank 5; the others wait (4\.9|5\.0).. ms to (4\.9|5\.0).. ms' \
	'^before its collectives it spends more in: work \(\+74.\.. ms, \+49\.. %\)$'
expect_no_line out 'by clock'
cp out separate
# The order of files does not matter.
expect_exit 0 "$TACHO" stragglers r7.tacho r3.tacho r5.tacho r0.tacho r1.tacho r2.tacho r6.tacho r4.tacho
cmp out separate || fail "the order of the files matters"
# On one clock arrivals say the same.
expect_exit 0 "$TACHO" merge -q -o all.tacho r?.tacho
expect_exit 0 "$TACHO" stragglers all.tacho
expect_line out 'mean wait +by clock' '^rank 5 +150 +150 +100.00 +0 ns +0 ns +0 ns' '^straggler: rank 5;'
expect_exit 0 "$TACHO" stragglers --format=json all.tacho
python3 - <<'PY' || fail "waits by duration and by clock differ"
import json
rows = json.load(open("out"))
assert [m["rank"] for m in rows] == list(range(8)) and [m["rank"] for m in rows if m["straggler"]] == [5], rows
for m in rows:
    assert m["host"] == f"h{m['rank'] // 4}", m
    assert abs(m["waited_ns"] - m["clock_waited_ns"]) < 150 * 3000, m  # members leave within 1.5 us
    assert m["compute_ns"] > 0 and m["both_ns"] == 0 and m["idle_ns"] > 0
PY
expect_exit 0 "$TACHO" stragglers --by=host all.tacho
expect_line out '^host h1 +150 +150 +100.00' '^straggler: host h1;'
expect_exit 0 "$TACHO" stragglers --list=collectives --format=csv all.tacho
expect_count 151 out
expect_line out '^name,number,group,last,lead_ns,clock_lead_ns,' '^AllReduce,149,0,rank 5,'
expect_exit 0 "$TACHO" stragglers --list=causes --top=1 --format=csv all.tacho
expect_count 2 out
expect_line out '^work,'
# In groups of four the first has no straggler, the second has.
expect_exit 0 "$TACHO" stragglers --ring=4 all.tacho
expect_line out '^300 collectives' '^straggler: rank 5;'

# Reports, against a computation of their own. Overlapping ops, ties, a collective that one device does not have; clocks of
# ranks that differ by any constant.
cat >make.py <<'PY'
import csv, os, random, sys
shift = int(sys.argv[2])
random.seed(3)
N, late = 60, 1
waits, last, spent = {}, {}, {}
files = {}
for rank in range(2):
    os.makedirs(f"{sys.argv[1]}/rank{rank}/reports", exist_ok=True)
    f = files[rank] = csv.writer(open(f"{sys.argv[1]}/rank{rank}/reports/ops_perf_results.csv", "w", newline=""))
    f.writerow(["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "HOST START TS", "DEVICE FW START CYCLE",
                "DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "CORE COUNT"])
members = [(r, d) for r in range(2) for d in range(2)]
at = {m: 0 for m in members}
for n in range(N):
    tie = n % 10 == 0
    work = {m: 50_000 if tie else 40_000 + random.randrange(0, 5_000) + (20_000 if members.index(m) == late else 0) for m in members}
    arrive = {m: max(at.values()) + 1_000 + work[m] for m in members}
    end = max(arrive.values()) + 30_000
    for m in members:
        base = (shift if m[0] else 0) + m[1] * 777_777_777
        def op(name, start, stop):
            files[m[0]].writerow([name, "tt_dnn_device", n << 10 | m[1], m[1], base + start, base + start, base + stop, stop - start, stop - start - 5, 8])
        op("Gelu", max(at.values()) + 1_000, arrive[m])
        op("AllReduceAsync", arrive[m], end)
        waits[m] = waits.get(m, 0) + max(arrive.values()) - arrive[m]
    durations = sorted((end - arrive[m], m) for m in members)
    if durations[1][0] - durations[0][0] > 0.02 * durations[0][0]:
        last[durations[0][1]] = last.get(durations[0][1], 0) + 1
    at = {m: end for m in members}
files[0].writerow(["AllReduceAsync", "tt_dnn_device", N << 10, 0, end + 50, end + 50, end + 59, 9, 9, 8])
import json
json.dump([[m[0], m[1], waits[m], last.get(m, 0)] for m in members], open("expected.json", "w"))
PY
python3 make.py job 0 || fail "make.py"
expect_exit 0 "$TACHO" stragglers --format=json job
python3 - <<'PY' || fail "the figures differ"
import json
rows = json.load(open("out"))
assert [[m["rank"], m["device"], m["waited_ns"], m["last"]] for m in rows] == json.load(open("expected.json")), rows
assert rows[1]["straggler"] == 1 and rows[1]["last"] == 54 and rows[1]["clock_waited_ns"] is None, rows
for m in rows[1:]:
    assert m["collectives"] == 60 and m["transfer_ns"] == 60 * 30_000 and m["both_ns"] == 0, m
    assert m["communication_ns"] == m["waited_ns"] + m["transfer_ns"] and m["short_idle_ns"] == m["idle_ns"] == 59_000, m
PY
expect_exit 0 "$TACHO" stragglers job
expect_line out '^rank 0 device 1 +60 +54 ' '^60 collectives; 6 ties .*; 1 skipped' '^straggler: rank 0 device 1;' 'Gelu \(\+'
cp out first
python3 make.py moved 1000000000000 || fail "make.py"
expect_exit 0 "$TACHO" stragglers moved
cmp out first || fail "a rank's clock matters"
expect_exit 0 "$TACHO" stragglers --by=rank job
expect_line out '^rank 0 +60 +54 ' '^straggler: rank 0;'

# Fewer than 20 collectives name nobody.
for i in 0 1 2; do "$MKRANK" $i 0 0 19 h0 1 few$i.tacho; done
expect_exit 0 "$TACHO" stragglers few?.tacho
expect_line out '^rank 1 +19 +19 +100' '^no straggler'

# Names of zones are shown, never run by the terminal; --markers chooses others.
expect_exit 0 "$TACHO" stragglers --markers='^mark$' all.tacho
expect_line out '^150 collectives; .* ties'

# Errors
expect_error 2 'takes traces' "$TACHO" stragglers
expect_error 2 'markers' "$TACHO" stragglers --markers='(' all.tacho
expect_error 2 'ring' "$TACHO" stragglers --ring=1 all.tacho
expect_error 3 'only one member' "$TACHO" stragglers r0.tacho
expect_error 3 'no collectives' "$TACHO" stragglers --markers=nothing all.tacho
expect_error 3 'missing' "$TACHO" stragglers missing.tacho
exit 0
