#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every column of perf-report --model=next, on synthetic ops: cli/perf_next.sh runs it.

COMMAND is perf-report. Each op is given by what differs from a plain one, and with what its line must say.
"""
import csv
import io
import subprocess
import sys

TENSORS = ("INPUT_0", "INPUT_1", "OUTPUT_0")
DRAM, L1 = "DEV_0_DRAM_INTERLEAVED", "DEV_0_L1_INTERLEAVED"
PEAK = {"HiFi4": 1.3824, "HiFi3": 4096 * 1.35 / 3000, "HiFi2": 2.7648, "LoFi": 5.5296}  # TFLOP/s of a blackhole's core
BANDWIDTH = 512


def op(name, duration="10000", gap="500", **cells):
    row = {"OP CODE": name, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": "7", "DEVICE ID": "0", "DEVICE ARCH": "blackhole", "ATTRIBUTES": "",
           "MATH FIDELITY": "HiFi2", "CORE COUNT": "110", "AVAILABLE WORKER CORE COUNT": "", "SUB DEVICE ID": "", "HOST START TS": "1",
           "DEVICE FW START CYCLE": "", "DEVICE FW END CYCLE": "", "DEVICE FW DURATION [ns]": "", "OP TO OP LATENCY [ns]": gap, "DEVICE KERNEL DURATION [ns]": duration}
    for t, (y, x) in zip(TENSORS, ((64, 128), (128, 256), (64, 256))):
        row.update({f"{t}_W_PAD[LOGICAL]": "1[1]", f"{t}_Z_PAD[LOGICAL]": "1[1]", f"{t}_Y_PAD[LOGICAL]": f"{y}[{y}]", f"{t}_X_PAD[LOGICAL]": f"{x}[{x}]",
                    f"{t}_DATATYPE": "BFLOAT16", f"{t}_MEMORY": DRAM})
    row.update({k.replace("__", " "): v for k, v in cells.items()})
    return row


def signpost(name):
    row = dict.fromkeys(op(""), "")
    row.update({"OP CODE": name, "OP TYPE": "signpost", "HOST START TS": "1"})
    return row


def report(command, rows, *options):
    with open("made.csv", "w", newline="") as f:
        w = csv.DictWriter(f, list(rows[0]))
        w.writeheader()
        w.writerows(rows)
    p = subprocess.run([command, "made.csv", "--model=next", "--format=csv", "--ignore-signposts", *options], capture_output=True, text=True)
    assert p.returncode in (0, 4), (p.returncode, p.stderr)
    return {int(r["ID"]): r for r in csv.DictReader(io.StringIO(p.stdout))}


def expect(got, id_, **want):
    for column, value in want.items():
        column = {"Total": "Total %", "DRAM_pct": "DRAM %", "FLOPs_pct": "FLOPs %", "Gap": "Op-to-Op Gap"}.get(column, column.replace("_", " "))
        text = got[id_][column]
        if isinstance(value, float):
            assert text and abs(float(text) - value) <= 1e-9 * abs(value), (id_, column, text, value)
        else:
            assert text == value, (id_, column, text, value)


def figures(duration_ns, cores, fidelity="HiFi2", batches=1, dram=(True, True, True), m=64, k=128, n=256):
    """What a matmul's line says."""
    sizes = (m * k, k * n, m * n)
    gbs = sum(2 * s for s, counts in zip(sizes, dram) if counts) * batches / duration_ns
    tflops = 2 * m * k * n * batches / duration_ns / 1000
    shares = gbs / BANDWIDTH * 100, tflops / (PEAK[fidelity] * cores) * 100
    bound = {(True, True): "BOTH", (True, False): "DRAM", (False, True): "FLOP", (False, False): "SLOW"}[shares[0] >= 65, shares[1] >= 65]
    return {"DRAM": gbs, "DRAM_pct": shares[0], "FLOPs": tflops, "FLOPs_pct": shares[1], "Bound": bound, "Bound_Analysis": "full"}


NOTHING = {"DRAM": "", "DRAM_pct": "", "FLOPs": "", "FLOPs_pct": "", "Bound": ""}


def columns(command):
    config = "{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=4;per_core_M=1;per_core_N=6)'}"
    window = "window_hw=(3;3); 'enable_act_double_buffer': 'false'; 'enable_split_reader': 'false'"
    rows = [op("Matmul"),
            op("Matmul", "100", CORE__COUNT="4"),
            op("Matmul", "100", CORE__COUNT="110", ATTRIBUTES=config),
            op("Matmul", CORE__COUNT=""),                        # 5: makes the column one of fractions elsewhere
            op("Matmul", CORE__COUNT="10.5"),
            op("Matmul", "0"),
            op("Matmul", **{"INPUT_1_Y_PAD[LOGICAL]": "0[0]"}),  # 8
            op("Matmul", MATH__FIDELITY="HiFi3"),
            op("Conv2d", ATTRIBUTES=window),                     # 10
            op("Conv2d"),
            op("NLPCreateQKVHeadsDecodeDeviceOperation", CORE__COUNT="-1"),
            op("AllGatherAsync"),
            op("=1+\x1b\x07\u009b\n1"),
            op("x\ty", **{"GLOBAL CALL COUNT": "9", "INPUT_1_DATATYPE": "", "INPUT_0_MEMORY": ""}),  # 15
            signpost("Matmul"),
            op("x.add (torch)", "", "", OP__TYPE="python_fallback", **{"DEVICE ID": "", "CORE COUNT": ""})]
    got = report(command, rows)
    assert len(got) == len(rows)
    expect(got, 2, **figures(10000, 110), OP_Code="Matmul 64 x 128 x 256", Device="0", Device_Time="10.0", Gap="", Cores="110",
           Math_Fidelity="HiFi2 BF16 x BF16 => BF16", Output_Datatype="BFLOAT16", Input_0_Datatype="BFLOAT16", Input_1_Datatype="BFLOAT16",
           DRAM_Sharded="False", Input_0_Memory=DRAM, Inner_Dim_Block_Size="", Output_Subblock_H="", Output_Subblock_W="", Global_Call_Count="7.0",
           Sub_Device_ID="", Available_Cores="110", Op_Category="Compute", Overlap="")
    expect(got, 3, **figures(100, 4), Gap="0.5", Cores="4")
    expect(got, 4, **figures(100, 8), Cores="8", DRAM_Sharded="True", Inner_Dim_Block_Size="4")
    for id_ in (5, 6):
        expect(got, id_, **{**figures(10000, 1), "FLOPs_pct": "", "Bound": ""}, Cores="", OP_Code="Matmul 64 x 128 x 256")
    expect(got, 7, **NOTHING, Device_Time="0.0", Cores="110", Bound_Analysis="full")
    expect(got, 8, **NOTHING, OP_Code="Matmul unknown shape", Bound_Analysis="full", Device_Time="10.0", Op_Category="Compute")
    expect(got, 9, **figures(10000, 110, "HiFi3"), Math_Fidelity="HiFi3 BF16 x BF16 => BF16")
    tflops = 2 * 64 * 128 * 9 * 256 / 10000 / 1000
    expect(got, 10, OP_Code="Conv2d 64 x 1152 x 256 [ABH=x|x]", Bound="", DRAM="", DRAM_pct="", FLOPs=tflops, FLOPs_pct=tflops / (PEAK["HiFi2"] * 110) * 100,
           Cores="110", Bound_Analysis="flops_only", Op_Category="Compute", Math_Fidelity="HiFi2 BF16 x BF16 => BF16")
    expect(got, 11, **NOTHING, OP_Code="Conv2d unknown shape [ABH=x|x ADB SR]", Bound_Analysis="flops_only")
    expect(got, 12, **NOTHING, Op_Category="TM", Bound_Analysis="none", Cores="", Math_Fidelity="BF16, BF16 => BF16")
    expect(got, 13, Op_Category="CCL", Bound_Analysis="none", Cores="110")
    expect(got, 14, OP_Code="'=1+1", Op_Category="Other")
    expect(got, 15, OP_Code="x\ty", Global_Call_Count="9.0", Input_1_Datatype="nan", Math_Fidelity="BF16 => BF16", Input_0_Memory="")
    expect(got, 16, OP_Code="Matmul (signpost)", Device="", Device_Time="", Gap="", Cores="", Op_Category="", Bound_Analysis="none", Available_Cores="110", Total="", Advice="")
    expect(got, 17, Bound="HOST", Device="", Device_Time="", Cores="", Op_Category="Host", Bound_Analysis="none")
    total = sum(float(r["Device Time"] or 0) + max(0, float(r["Op-to-Op Gap"] or 0)) for r in got.values())
    for id_, r in got.items():
        if r["Device Time"] or r["Op-to-Op Gap"]:
            expect(got, id_, Total=(float(r["Device Time"] or 0) + max(0, float(r["Op-to-Op Gap"] or 0))) / total * 100)
    assert "Give it" in got[2]["Advice"] and got[8]["Advice"] == got[13]["Advice"] == ""


def invalid(command):
    """Times that cannot be true, and the gaps beside them."""
    far = "2000000"
    rows = [op("A"), op("B", "-5", far), op("C", gap=far), op("D", gap=far),
            op("E", "", "900000"), signpost("between"), op("F", gap=far), op("G", gap="-300"),      # 6, 7, 8, 9
            op("H", "10000", "-1000001"), op("I", "4000000", "-1500000"), op("J", "", "-" + far),   # 10, 11, 12
            op("add (torch)", "", "", OP__TYPE="python_fallback"), op("K", gap=far)]
    got = report(command, rows)
    gaps = {2: "", 3: "", 4: "", 5: "2000.0", 6: "900.0", 7: "", 8: "", 9: "-0.3", 10: "", 11: "", 12: "", 13: "", 14: ""}
    gaps[11] = ""  # beside an invalid one; its own is valid, being shorter than half of its time
    times = {2: "10.0", 3: "", 4: "10.0", 5: "10.0", 6: "", 8: "10.0", 9: "10.0", 10: "", 11: "4000.0", 12: "", 13: "", 14: "10.0"}
    for id_, gap in gaps.items():
        expect(got, id_, Gap=gap, Device_Time=times.get(id_, ""))


def partitions(command):
    """Sub-devices, their cores, and what ran beside what: the later op of two has the overlap."""
    def timed(name, duration, end, device="0", sub="", cores="", **more):
        return op(name, str(duration), DEVICE__ID=device, SUB__DEVICE__ID=sub, AVAILABLE__WORKER__CORE__COUNT=cores, **{
            "DEVICE FW START CYCLE": str(end - 20000), "DEVICE FW END CYCLE": str(end), "DEVICE FW DURATION [ns]": "10000", **more})
    # Two cycles a nanosecond.
    rows = [timed("A", 4000, 100000, sub="0", cores="64"), timed("B", 4000, 104000, sub="1", cores="46"),
            timed("C", 4000, 112001, sub="1.5"), timed("D", 1000, 111000, sub="-x", cores="0.5"), timed("E", 4000, 200000)]
    got = report(command, rows)
    expect(got, 2, Sub_Device_ID="0", Available_Cores="64", Overlap="")
    expect(got, 3, Sub_Device_ID="1", Available_Cores="46", Overlap=2.0)
    expect(got, 4, Sub_Device_ID="1.5", Available_Cores="64", Overlap="")  # half a nanosecond is none
    expect(got, 5, Sub_Device_ID="'-x", Available_Cores="64", Overlap=1.0)
    expect(got, 6, Sub_Device_ID="", Available_Cores="64", Overlap="")
    # Without the op that it ran beside, an op has no overlap.
    expect(report(command, rows, "--id-range", "3-"), 3, Overlap="")
    # On one grid nothing runs beside anything.
    plain = [timed("A", 4000, 100000), timed("B", 4000, 104000)]
    expect(report(command, plain), 3, Overlap="", Available_Cores="110")
    # Numbers of cores alone divide a grid, too.
    expect(report(command, [timed("A", 4000, 100000, cores="60"), timed("B", 4000, 104000, cores="50")]), 3, Overlap=2.0)
    # The clock of each device is its own; a valid row beats an invalid one, and is what a collective's mean is of.
    rows = [timed("A", 4000, 100000, "0", "0"), timed("A", "", 900000, "1", "0"), timed("AllGather", 4000, 104000, "0", "1"), timed("AllGather", 1000, 904000, "1", "1"),
            timed("B", "", 300000, "0", "0"), timed("B", 3000, 1100000, "1", "0")]
    got = report(command, rows)
    assert list(got) == [2, 4, 7], list(got)
    expect(got, 4, Device_Time=2.5, Overlap=2.0)
    expect(got, 7, Device_Time="3.0", Device="1")


def sparse(command):
    rows = [op("SparseMatmul", ATTRIBUTES="{'nnz': '3'}", **{f"{t}_Z_PAD[LOGICAL]": "8[8]" for t in TENSORS[1:]}),
            op("SparseMatmul", ATTRIBUTES="{'nnz': 'std::nullopt'}", **{f"{t}_Z_PAD[LOGICAL]": "8[8]" for t in TENSORS[1:]})]
    got = report(command, rows)
    expect(got, 2, **figures(10000, 110, batches=3), OP_Code="SparseMatmul active=3/8 x 64 x 128 x 256", Op_Category="Compute")
    expect(got, 3, **NOTHING, OP_Code="SparseMatmul active=?/8 x 64 x 128 x 256", Bound_Analysis="full")
    expect(report(command, rows, "--active-experts", "2"), 3, **figures(10000, 110, batches=2))


for test in (columns, invalid, partitions, sparse):
    test(sys.argv[1])
