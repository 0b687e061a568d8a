# Advice that can be followed, and no judgement on ops that never ran.
. "$SOURCE/tests/perf_lib.sh"

# One matmul a line, all of them slow: NAME and what its attributes say.
slow() {
	echo "$1;dev;0;100000;0;64;32;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_L1_INTERLEAVED;$2"
}
{
	slow Matmul "'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=4;per_core_M=1;per_core_N=6)'"
	slow Matmul "'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=1;per_core_M=1;per_core_N=6)'"
	slow MinimalMatmulOp "'config': 'MinimalMatmulConfig(M_block_size=2;K_block_size=8;N_block_size=8;subblock_h=2;subblock_w=2)'"
	slow Matmul "'dtype': 'BFLOAT16'; 'program_config': 'std::nullopt'"
	slow Matmul ""
	slow Matmul "'program_config': 'MatmulMultiCoreProgramConfig()'"
	slow Matmul "'dtype': 'BFLOAT16'; 'math_fidelity': 'HiFi2'"
	slow Matmul "'program_config': 'P(in0_block_w=1;out_subblock_h=1;out_subblock_w=1)'"
} | ops >slow.csv
# IDs count from 1, in the other models from 2.
for model in tacho next; do
	expect_exit 0 "$REPORT" slow.csv --format=csv --model=$model
	[ $model = next ] || awk -F, -v OFS=, 'NR > 1 { $1++ } 1' out >o && [ $model = next ] || mv o out
	expect_line out '^2,.*in0_block_w=4 is in order' '^3,.*Raise in0_block_w from 1' '^4,.*No setting of it is known to be wrong' \
		'^5,.*Give it a program_config' '^6,.*Give it a program_config' '^7,.*No setting of it' '^8,.*No setting of it' \
		'^9,.*Raise in0_block_w from 1.*Raise the output subblock from 1x1'
	expect_no_line out '^[2-4],.*subblock_h'
	expect_no_line out '^[478],.*in0_block_w'
done
# Release 1.2.4 has an item for the subblock of a DRAM-sharded config, which has no such setting.
expect_exit 0 "$REPORT" slow.csv --format=csv --model=1.2.4
expect_line out '^2,.*does not say out_subblock_h' '^4,.*Give it a program_config'

# At the limit of the DRAM: only an op that takes a program config can take a DRAM-sharded one.
sed 's/,100000,1\[1\]/,9000,1[1]/' slow.csv >dram.csv
expect_exit 0 "$REPORT" dram.csv --format=csv
expect_line out '^3,[^,]*,DRAM' '^4,.*Try the DRAM-sharded program config'
expect_no_line out '^[1237],.*DRAM-sharded program config'

# A trace: captured, replayed twice. Nothing is said of the captured ops, and no trace is advised for replays.
ops >plain.csv <<'ROWS'
Matmul;dev;0;;;64;1024;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED
Copy;dev;0;;;
Matmul;dev;0;100000;9000;64;1024;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED
Copy;dev;0;5000;7000;8
Matmul;dev;0;100000;8000;64;1024;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED
Copy;dev;0;5000;2000;8
(torch) add;python_fallback
(torch) mul;python_fallback
ROWS
with_columns() { # FILE SESSION...: the columns of traces and of the host's time
	python3 - "$@" <<'PY'
import csv, sys
rows = list(csv.DictReader(open("plain.csv")))
for r, session in zip(rows, sys.argv[2:] + [""] * len(rows)):
    r.update({"METAL TRACE ID": session and "1", "METAL TRACE REPLAY SESSION ID": session})
    r["HOST DURATION [ns]"] = {"(torch) add": "49173"}.get(r["OP CODE"], "")
w = csv.DictWriter(open(sys.argv[1], "w"), list(rows[0]))
w.writeheader()
w.writerows(rows)
PY
}
with_columns replays.csv "" "" 1 1 2 2
with_columns called.csv "" "" "" "" 2 2
expect_exit 0 "$REPORT" replays.csv --min-percentage=0
expect_line out '^ 1 +Matmul 1024 x 1024 x 1024 +0 +64 +HiFi4' '^ 2 +Copy' ' 4 device ops, 2 host ops' \
	'^2 ops without a device time' 'Long gaps between ops' 'waited more than 6.5 μs' '2 of them are of a replayed trace' \
	'2 host ops: 49.2 μs on the CPU .of 1 the input does not have the time' '2 ops were not measured' \
	'SLOW: neither is .* 2 ops' '^95.24 %  Matmul .* 2 +Compute'
expect_no_line out 'Record the ops|record the ops|trace the ops to shorten|more than 6 μs'
# The first op that ran has no gap: what was captured before it did not run.
expect_line out '^ 3 .* SLOW  Matmul 1024 x 1024 x 1024 +0 +100 μs +64'
expect_exit 0 "$REPORT" called.csv
expect_line out '1 of them is of a replayed trace' 'record the ops as a trace' 'for up to 1 μs less' 'trace the ops to shorten gaps .* 1 op$'
for id in 3 5; do
	expect_exit 0 "$REPORT" replays.csv --why $id
	expect_line out 'an op of a trace that was replayed'
	expect_no_line out 'as a trace:'
done
expect_exit 0 "$REPORT" replays.csv --why 7
expect_line out '49.173 μs on the CPU'
for model in tacho next 1.2.4; do
	expect_exit 0 "$REPORT" replays.csv --why $([ $model = tacho ] && echo 1 || echo 2) --model=$model
	expect_no_line out '(^|[^a-z])-?nan'
done
expect_line out 'the duration is missing: no figure' 'release 1.2.4 says so'
expect_exit 0 "$REPORT" replays.csv --why 1
expect_line out 'not measured: captured into a trace' 'none: both figures are needed'
expect_exit 0 "$REPORT" replays.csv --format=json
python3 - <<'PY' || fail "the JSON"
import json
r = json.load(open("out"))
assert [o["replay"] for o in r["ops"]] == [False] * 2 + [True] * 4 + [False] * 2, r["ops"]
assert r["ops"][0]["device_time_us"] is None and r["ops"][0]["bound"] is None and r["ops"][0]["advice"] == []
assert r["totals"]["device_ops"] == 4 and r["totals"]["unmeasured_ops"] == 2 and r["totals"]["host_time_us"] == 49.173
assert r["summary"]["bounds"]["SLOW"]["ops"] == 2
PY

# Of two devices one was not measured: the other stands for both.
ops >half.csv <<'ROWS'
Copy;dev;0;;;8
Copy;dev;1;3000;100;8
ROWS
expect_exit 0 "$REPORT" half.csv --format=csv
expect_count 2 out
expect_line out '^1,100.0,,Copy,1,3.0,'
expect_exit 0 "$REPORT" half.csv --format=csv --model=1.2.4
expect_line out '^2,.*,Copy,0,0,'
