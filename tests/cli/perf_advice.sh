# SPDX-License-Identifier: Apache-2.0
# Advice that can be followed, and none for ops that never ran.
# labels: plain
. "$SOURCE/tests/perf_lib.sh"

# One slow matmul per line: NAME and its attributes.
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
	slow Matmul "'program_config': 'P(in0_block_w=1;out_subblock_h=1;out_subblock_w=1)'" | sed 's/;32;1024/;128;1024/'
} | ops >slow.csv
expect_exit 0 "$REPORT" slow.csv --format=csv
expect_line out '^2,.*Raise in0_block_w from 1' '^4,.*Give it a program_config: without' \
	'^8,.*Raise in0_block_w from 1.*Raise out_subblock_h x out_subblock_w from 1x1.*if it then comes to 65 %'
expect_no_line out '^[13567],.*(Raise|Give)'
expect_no_line out '^4,.*(block|grid)'
# The savings of an op's items add up to less than its time.
expect_exit 0 "$REPORT" slow.csv --format=json
python3 - <<'PY' || fail "the savings"
import json
for o in json.load(open("out"))["ops"]:
    assert sum(a["saves_at_most_us"] for a in o["advice"]) <= o["device_time_us"] * (1 - max(o["dram_percent"], o["flops_percent"]) / 100) + 1e-9, o
PY
expect_exit 0 "$REPORT" slow.csv --format=csv --model=next
expect_line out '^2,.*in0_block_w=4 is in order' '^3,.*Raise in0_block_w from 1' '^4,.*No setting of it is known to be wrong' \
	'^5,.*Give it a program_config' '^6,.*Give it a program_config' '^7,.*No setting of it' '^8,.*No setting of it' \
	'^9,.*Raise in0_block_w from 1.*Raise the output subblock from 1x1'
expect_no_line out '^[2-4],.*subblock_h'
expect_no_line out '^[478],.*in0_block_w'
# Release 1.2.4 advises a subblock for a DRAM-sharded config, which has no such setting.
expect_exit 0 "$REPORT" slow.csv --format=csv --model=1.2.4
expect_line out '^2,.*does not say out_subblock_h' '^4,.*Give it a program_config'

# At the DRAM limit: a DRAM-sharded config is advised only for ops that accept a program config.
sed 's/,100000,1\[1\]/,9000,1[1]/' slow.csv >dram.csv
expect_exit 0 "$REPORT" dram.csv --format=csv
expect_line out '^3,[^,]*,DRAM' '^4,.*Try the DRAM-sharded program config'
expect_no_line out '^[1237],.*DRAM-sharded program config'

# A trace, captured and replayed twice: no advice for captured ops, and none to use a trace for replays.
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
	'SLOW: limited by neither .* 2 ops' '^95.24 %  Matmul .* 2 +Compute'
expect_no_line out 'Record the ops|record the ops|trace the ops to shorten|more than 6 μs'
# The first op that ran has no gap: ops captured before it did not run.
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
expect_line out 'not measured: captured into a trace' 'none: a figure is missing'
expect_exit 0 "$REPORT" replays.csv --format=json
python3 - <<'PY' || fail "the JSON"
import json
r = json.load(open("out"))
assert [o["replay"] for o in r["ops"]] == [False] * 2 + [True] * 4 + [False] * 2, r["ops"]
assert r["ops"][0]["device_time_us"] is None and r["ops"][0]["bound"] is None and r["ops"][0]["advice"] == []
assert r["totals"]["device_ops"] == 4 and r["totals"]["unmeasured_ops"] == 2 and r["totals"]["host_time_us"] == 49.173
assert r["summary"]["bounds"]["SLOW"]["ops"] == 2
PY

# One of two devices was not measured: the other one represents both.
ops >half.csv <<'ROWS'
Copy;dev;0;;;8
Copy;dev;1;3000;100;8
ROWS
expect_exit 0 "$REPORT" half.csv --format=csv
expect_count 2 out
expect_line out '^1,100.0,,Copy,1,3.0,'
expect_exit 0 "$REPORT" half.csv --format=csv --model=1.2.4
expect_line out '^2,.*,Copy,0,0,'

# Every kind of op: its bound by its bytes, and advice that names only settings of its own config.
other() { # NAME ATTRIBUTES CORES NS: an op of 1024 x 1024 BFLOAT16 from and to DRAM
	echo "$1;dev;0;$4;0;$3;1024;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED;$2"
}
{
	other LayerNormDeviceOperation "'program_config': 'LayerNormDefaultProgramConfig(legacy_reduction=0)'" 32 100000
	other LayerNormDeviceOperation "'program_config': 'LayerNormShardedMultiCoreProgramConfig(compute_with_storage_grid_size=(x=8;y=8);subblock_w=1;block_h=4;block_w=8;inplace=0)'" 64 100000
	other SDPAOperation "'is_causal': 'true'; 'program_config': 'SDPAProgramConfig(compute_with_storage_grid_size=(x=8;y=8);q_chunk_size=32;k_chunk_size=128)'" 64 900000
	other AllGatherAsyncDeviceOperation "'num_links': '1'; 'topology': 'Topology::Linear'" 8 100000
	other AllGatherAsyncDeviceOperation "'num_links': '2'; 'topology': 'Topology::Linear'" 8 100000
	other Conv2dDeviceOperation "'block_config': 'Conv2dBlockConfig(act_block_h_ntiles=4;out_subblock_h_ntiles=1;out_subblock_w_ntiles=1)'; 'c': 'C(window_hw=(3;3); stride_hw=(1;1))'; 'enable_act_double_buffer': 'false'; 'enable_weights_double_buffer': 'true'" 64 900000
	other BinaryNgDeviceOperation "" 8 100000
	other UnaryDeviceOperation "" 64 24000
	other MinimalMatmulOp "'config': 'MinimalMatmulConfig(M_block_size=2;K_block_size=1;N_block_size=8;subblock_h=1;subblock_w=1;compute_with_storage_grid_size=(x=4;y=4))'" 16 900000
	other SliceDeviceOperation "" 64 1000
} | ops | sed 's/DEV_0_L1_INTERLEAVED$/DEV_0_DRAM_INTERLEAVED/' >others.csv
expect_exit 0 "$REPORT" others.csv --format=json
python3 - <<'PY' || fail "bounds and advice of other ops"
import json, re
ops = json.load(open("out"))["ops"]
text = [" ".join(a["text"] for a in o["advice"]) for o in ops]
mb = 1024 * 1024 * 2
assert ops[0]["dram_bytes"] == 3 * mb and ops[0]["bound"] == "SLOW" and "LayerNormShardedMultiCoreProgramConfig" in text[0] and len(ops[0]["advice"]) == 1
assert "subblock_w from 1" in text[1] and "block_h" not in text[1]
assert ops[2]["operations"] == 4 * 1024 ** 3 / 2 and "q_chunk_size from 32" in text[2] and "k_chunk_size" not in text[2]
assert "num_links from 1" in text[3] and text[4] == ""
assert "enable_act_double_buffer" in text[5] and "enable_weights" not in text[5] and "1x1 tiles" in text[5]
assert "runs on 8 of 64 cores" in text[6]
assert ops[7]["bound"] == "DRAM" and ops[7]["dram_percent"] > 65 and "keep input 0 in L1" in text[7]
assert "K_block_size from 1" in text[8] and "subblock_h x subblock_w from 1x1" in text[8] and "16 of 64" in text[8]
assert not re.search("in0_block_w|out_subblock", text[8])
# It cannot have moved 6 MB in 1 us: no figure.
assert ops[9]["dram_percent"] is None and ops[9]["bound"] is None and text[9] == "", ops[9]
for o in ops:
    assert sum(a["saves_at_most_us"] for a in o["advice"]) <= o["device_time_us"] + 1e-9
PY
expect_exit 0 "$REPORT" others.csv
expect_line out 'MFU [0-9.]+ % of the region' 'DRAM [0-9.]+ % of the region'
# An input that fills more than a third of all L1 does not fit there: its output and buffers need room, too.
for rows in 8192 32768; do
	echo "UnaryDeviceOperation;dev;0;$((rows * 20));0;64;$rows;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED"
done | ops | sed 's/DEV_0_L1_INTERLEAVED$/DEV_0_DRAM_INTERLEAVED/' >large.csv
expect_exit 0 "$REPORT" large.csv --format=csv
expect_line out '^1,.*,DRAM,Unary.*keep input 0 in L1' '^2,.*,DRAM,Unary'
expect_no_line out '^2,.*keep input 0 in L1'
# A convolution that does not name its window: the rows of its weights say as much.
other Conv2dDeviceOperation "'groups': '1'" 64 900000 | ops >window.csv
expect_exit 0 "$REPORT" window.csv --format=json
python3 - <<'PY' || fail "a convolution without a window"
import json
[o] = json.load(open("out"))["ops"]
assert o["operations"] == 2 * 1024 ** 3 and o["op_code"].startswith("Conv2dDeviceOperation 1024 x 1024 x 1024 "), o
PY
# A trace is not advised for gaps without an op dispatch.
printf '%s\n' 'Copy;dev;0;1000;0;8' 'Copy;dev;0;1000;50000000;8' 'Copy;dev;0;1000;20000;8' | ops >compile.csv
expect_exit 0 "$REPORT" compile.csv
expect_line out 'compile before measuring .* 1 op$' 'trace the ops to shorten gaps .* 14.0 μs .* 1 op$' 'kernels were compiled'

# Compiling hides the ops that ran longest from the table, but not from the advice; it counts all long gaps, too.
{
	echo 'Copy;dev;0;1000;0;8'
	for i in $(seq 30); do echo "Unary;dev;0;1000;$((90000000 + i));8"; done
	for i in $(seq 40); do echo 'LayerNormDeviceOperation;dev;0;100000;7000;8;1024;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED'; done
} | ops >hidden.csv
expect_exit 0 "$REPORT" hidden.csv
expect_line out '^Hidden: ' 'the longest of 40 like it, 4,000 μs in all' '^and 50 more, all shorter' '^30 of them, 2,[67][0-9,]+ μs, were for more' \
	'trace the ops to shorten gaps .* 40 ops$' 'for up to 40 μs less'
expect_exit 0 "$REPORT" hidden.csv --top 2
expect_no_line out 'the longest of 40'

# Reader, compute or writer: by the waits of the compute kernels, or by the RISCs' times.
printf 'Unary;dev;0;100000;0;64;1024;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_L1_INTERLEAVED\n%.0s' 1 2 3 4 5 6 7 8 | ops >kernels0.csv
python3 - <<'PY'
import csv
rows = list(csv.DictReader(open("kernels0.csv")))
cells = [  # reader, compute, writer, input wait, output wait, slowest core, mean
    (9000, 5000, 6000, "", "", 9000, 8900), (9000, 9500, 9000, "", "", "", ""), (9000, 9500, 9100, 6000, 10, "", ""),
    (9000, 9500, 9100, 10, 6000, 9000, 4500), (2000, 9500, 2000, 10, 10, "", ""), (4000, 4000, 6000, "", "", "", ""),
    (2000, 3000, 9000, "", "", "", ""), (9000, 9500, 9100, 10, 6000, "", "")]
names = ["DEVICE NCRISC KERNEL DURATION [ns]", "DEVICE TRISC1 KERNEL DURATION [ns]", "DEVICE BRISC KERNEL DURATION [ns]",
         "DEVICE COMPUTE CB WAIT FRONT [ns]", "DEVICE COMPUTE CB RESERVE BACK [ns]",
         "DEVICE KERNEL DURATION PER CORE MAX [ns]", "DEVICE KERNEL DURATION PER CORE AVG [ns]"]
for r, c in zip(rows, cells):
    r.update(zip(names, c))
for r in rows[:7]:
    r["OUTPUT_0_MEMORY"] = "DEV_0_DRAM_INTERLEAVED"
w = csv.DictWriter(open("kernels.csv", "w"), list(rows[0]))
w.writeheader()
w.writerows(rows)
PY
expect_exit 0 "$REPORT" kernels.csv --format=json
python3 - <<'PY' || fail "which kernel is the limit"
import json
ops = json.load(open("out"))["ops"]
assert [o["limit"] for o in ops] == ["reader", "balanced", "reader", "writer", "compute", "balanced", "writer", "writer"], [o["limit"] for o in ops]
assert abs(ops[3]["balance_percent"] - 50) < 1e-6 and ops[1]["balance_percent"] is None
text = [" ".join(a["text"] for a in o["advice"]) for o in ops]
assert "Reader-bound" in text[0] and "Reader-bound" in text[2] and "Writer-bound" in text[3], text
assert "mean is 50 % of the slowest" in text[3] and "bound:" not in text[1], text
# The writer is the last to end: only a long tail is its own. An output in L1 cannot be moved there.
assert "bound:" not in text[5] and "Writer-bound" in text[6] and "bound:" not in text[7], text
PY
expect_exit 0 "$REPORT" kernels.csv --why 4
expect_line out 'the writer is the limit' 'slowest core 9.0 μs, mean of all 4.5: balance 50 %' 'waits 0.0 μs for input and 6.0 for room'
# Two tiles cannot be balanced over 64 cores.
sed 's/1024\[1024\],1024\[1024\]/32[32],64[64]/g' kernels.csv >unbalanced.csv
expect_exit 0 "$REPORT" unbalanced.csv --format=csv
expect_line out ',50.0,'
expect_no_line out 'not equally busy'
# A Quasar report has other columns for the same data.
sed '1s/OP TO OP LATENCY/OP TO OP DM LATENCY/; 1s/DEVICE NCRISC KERNEL/DEVICE QUASAR_DM KERNEL/; 1s/DEVICE TRISC1 KERNEL/DEVICE QUASAR_NEO_TRISC KERNEL/' kernels.csv >quasar.csv
expect_exit 0 "$REPORT" quasar.csv --format=json
expect_count 0 err
python3 - <<'PY' || fail "a Quasar's columns"
import json
ops = json.load(open("out"))["ops"]
assert [o["op_to_op_gap_us"] for o in ops] == [None] + [0] * 7 and ops[0]["limit"] == "reader", ops[0]
PY

# Work of a tile is not divided: no more cores, and no larger subblock, than there are tiles.
tiles() { # NAME CORES M K N MEMORY ATTRIBUTES
	echo "$1;dev;0;100000;0;$2;$3;$4;$5;HiFi4;FLOAT32;BFLOAT16;FLOAT32;$6;${7:-}"
}
config="'program_config': 'MatmulMultiCoreReuseMultiCastProgramConfig(compute_with_storage_grid_size=(x=8;y=8);in0_block_w=2;out_subblock_h=1;out_subblock_w=1)'"
{
	tiles Matmul 1 32 1024 32 DEV_0_L1_INTERLEAVED "$config"
	tiles Matmul 1 64 1024 64 DEV_0_L1_INTERLEAVED "$config"
	tiles TopKDeviceOperation 1 32 32 32 DEV_0_DRAM_INTERLEAVED
	tiles TopKDeviceOperation 1 64 64 32 DEV_0_DRAM_INTERLEAVED
	tiles TopKDeviceOperation 1 64 64 32 DEV_0_DRAM_HEIGHT_SHARDED
	tiles InterleavedToShardedDeviceOperation 1 64 64 32 DEV_0_DRAM_INTERLEAVED
} | ops >tiles.csv
expect_exit 0 "$REPORT" tiles.csv --format=json
python3 - <<'PY' || fail "advice on few tiles"
import json
ops = json.load(open("out"))["ops"]
text = [" ".join(a["text"] for a in o["advice"]) for o in ops]
assert text[0] == "" and text[2] == "", text
assert "out_subblock_h" in text[1] and "grid_size" in text[1] and "a sharded input" in text[3] and "shards of input 0" in text[4], text
assert "shards on more cores" in text[5], text
saved = [a["saves_at_most_us"] for o in ops[3:] for a in o["advice"]]
assert saved == [75, 75, 75], saved  # four tiles
# FP32 needs all passes, whatever release 1.2.4 says.
assert not any("HiFi2" in t for t in text), text
PY
expect_exit 0 "$REPORT" tiles.csv --format=csv --model=1.2.4
expect_line out 'Try HiFi2 instead of HiFi4: FP32 x BF16'

# No op exceeds a peak: a little above it counts as the peak, more has no figure. 8 MiB in DRAM at 288 GB/s take 29.1 us.
{
	for us in 29 28 27; do
		echo "Matmul;dev;0;${us}000;0;64;2048;1024;1024;LoFi;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED"
	done
	echo 'Matmul;dev;0;100;0;64;32;1024;1024;LoFi;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_L1_INTERLEAVED'
} | sed 's/2048;1024;1024/3072;1024;1024/' | ops >peak.csv
expect_exit 0 "$REPORT" peak.csv --format=json --arch=wormhole
python3 - <<'PY' || fail "the peaks"
import json
ops = json.load(open("out"))["ops"]
assert [o["dram_percent"] for o in ops] == [100, 100, None, None], [o["dram_percent"] for o in ops]
assert [o["dram_gb_per_s"] and round(o["dram_gb_per_s"], 6) for o in ops] == [288, 288, None, None] and ops[3]["flops_percent"] is None, ops
PY
expect_exit 0 "$REPORT" peak.csv --why 2
expect_line out '= 288.00 GB/s .the peak, which it seems to exceed a little.'
expect_exit 0 "$REPORT" peak.csv --why 3
expect_line out 'more than the DRAM can move in that time'
