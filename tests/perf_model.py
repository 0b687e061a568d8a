# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of perf-report once more, slowly and from its description, and inputs to try it on.

Nothing here is shared with the program: it is what the property test compares with.
"""
import csv
import io
import math
import random
import re

ARCHS = {  # cores, DRAM GB/s, TFLOP/s of a core by fidelity
    "wormhole": (64, 288, {"HiFi4": 74 / 72, "HiFi3": 74 / 72 * 4 / 3, "HiFi2": 148 / 72, "LoFi": 262 / 72}),
    "blackhole": (130, 512, {"HiFi4": 4096 * 1.35 / 1000 / 4, "HiFi3": 4096 * 1.35 / 1000 / 3,
                             "HiFi2": 4096 * 1.35 / 1000 / 2, "LoFi": 4096 * 1.35 / 1000}),
    "bh20": (20, 512, {"HiFi4": 1.3824, "HiFi3": 4096 * 1.35 / 1000 / 3, "HiFi2": 2.7648, "LoFi": 5.5296}),
    "n1": (20, 120, {"HiFi4": 4096 * 0.65 / 1000 / 4, "HiFi3": 4096 * 0.65 / 1000 / 3,
                     "HiFi2": 4096 * 0.65 / 1000 / 2, "LoFi": 4096 * 0.65 / 1000}),
}
SHORT = {"FLOAT32": "FP32", "BFLOAT16": "BF16", "BFLOAT8_B": "BFP8", "BFLOAT4_B": "BFP4"}
MANTISSA = {"FLOAT32": 23, "BFLOAT16": 8, "BFLOAT8_B": 7, "BFLOAT4_B": 3}
TENSORS = ("INPUT_0", "INPUT_1", "OUTPUT_0")
SHARDED = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"


def total(values):
    s = c = 0.0
    for x in values:
        t = s + x
        c += (s - t) + x if abs(s) >= abs(x) else (x - t) + s
        s = t
    return s + c if c and math.isfinite(c) else s


def text(x):
    return "" if x is None else repr(x) if isinstance(x, float) else str(x)


class Row:
    """One line of the input as a dictionary, with what its cells mean."""

    def __init__(self, cells, index, padded):
        self.c, self.index, self.padded = cells, index, padded
        self.name, self.type = cells["OP CODE"], cells["OP TYPE"]
        self.duration = float(cells["DEVICE KERNEL DURATION [ns]"] or "nan")

    def device(self):
        return int(self.c["DEVICE ID"]) if self.c["DEVICE ID"] else None

    def dim(self, tensor, d):
        return int(self.c[f"{tensor}_{d}" + ("_PAD[LOGICAL]" if self.padded else "")].split("[")[0])

    def size(self, tensor):
        bits = re.search(r"\d+", self.c[tensor + "_DATATYPE"])
        return int(bits[0]) / 8 if bits else 4

    def attribute(self, name):
        m = re.search(name + r"=(\d+)", self.c["ATTRIBUTES"])
        return int(m[1]) if m and "program_config" in self.c["ATTRIBUTES"] else None


def verdict(row):
    types = [row.c[t + "_DATATYPE"] for t in TENSORS]
    if any("INT" in t for t in types):
        return "not_applicable"
    if any(t not in MANTISSA for t in types):
        return "unknown"
    in0, in1, out = (MANTISSA[t] for t in types)
    f = row.c["MATH FIDELITY"]
    if in0 == 8 and out >= 7:
        return "sufficient" if f == "HiFi4" else "too_low"
    if in0 == 8 or in1 >= 7:
        return {"HiFi2": "sufficient", "LoFi": "too_low"}.get(f, "too_high")
    return "sufficient" if f == "LoFi" else "too_high"


def advice_count(row, op):
    """How many items of advice a matmul gets."""
    v, n = op["verdict"], 0
    if op["Bound"] in ("DRAM", "BOTH"):
        return (not op["sharded"]) + (v == "too_high" or (v == "too_low" and op["FLOPs %"] < 40))
    if op["Bound"] == "FLOP":
        return (op["Cores"] < 64) + (v == "too_high")
    if op["Bound"] != "SLOW":
        return 0
    n += "L1" not in row.c["INPUT_0_MEMORY"]
    w, h, b = row.attribute("out_subblock_w"), row.attribute("out_subblock_h"), row.attribute("in0_block_w")
    if w is None and h is None and b is None:
        return n + 1
    wrong = (b is None or b < 2) + (w is None or h is None or w * h < 2)
    n += wrong or 1
    out4 = row.c["OUTPUT_0_DATATYPE"] == "BFLOAT4_B"
    bf16 = row.c["INPUT_0_DATATYPE"] == "BFLOAT16"
    f = row.c["MATH FIDELITY"]
    remark = v == "sufficient" and ((bf16 and not out4 and f != "HiFi2") or (out4 and f == "HiFi2"))
    return n + (v in ("too_high", "too_low", "not_applicable", "unknown") or remark)


def conv_extra(row):
    a = row.c["ATTRIBUTES"]
    found = [a.partition(n)[2] for n in ("per_core_out_matrix_height_ntile", "act_block_h_ntiles")]
    found = [re.fullmatch(r".\s*(\d+)\s*", f.split(";")[0]) for f in found]  # the whole up to the next ;
    s = " [ABH=" + "|".join(m[1] if m else "x" for m in found)
    for name, word in (("enable_act_double_buffer", " ADB"), ("enable_split_reader", " SR")):
        m = re.search(name + r"': '([^']*)", a)
        s += word if not m or m[1] == "true" else ""
    return s + "]"


def matmul(row, op, arch, workers):
    s = row.duration * 1e-9
    c = row.c
    size = sum(row.dim(t, "W") * row.dim(t, "Y") * row.dim(t, "Z") * row.dim(t, "X") * row.size(t)
               for t in TENSORS if "DRAM" in c[t + "_MEMORY"])
    op["DRAM"] = size / s / 1e9 if size else None
    op["DRAM %"] = op["DRAM"] / arch[1] * 100 if size else None
    m, k, n = row.dim("INPUT_0", "Y"), row.dim("INPUT_0", "X"), row.dim("INPUT_1", "X")
    w = max(row.dim("INPUT_0", "W"), row.dim("INPUT_1", "W"))
    z = max(row.dim("INPUT_0", "Z"), row.dim("INPUT_1", "Z"))
    op["sharded"] = SHARDED in c["ATTRIBUTES"]
    cores = 12 if op["sharded"] else float(c["CORE COUNT"])
    op["Cores"] = 12 if op["sharded"] else c["CORE COUNT"]
    rate = m * k * n * w * z * 2 / s
    op["FLOPs"] = rate / 1e12
    op["FLOPs %"] = rate / (arch[2][c["MATH FIDELITY"]] * 1e12 * cores) * 100
    op["OP Code"] = row.name + (f" b={{{w * z}}} x" if w * z > 1 else "") + f" {m} x {k} x {n}"
    if op["DRAM %"]:
        d, f = op["DRAM %"] >= 65, op["FLOPs %"] >= 65
        op["Bound"] = "BOTH" if d and f else "DRAM" if d else "FLOP" if f else "SLOW"


def conv(row, op, arch, workers):
    s = row.duration * 1e-9
    h, w = re.search(r"window_hw=\((\d+);(\d+)\)", row.c["ATTRIBUTES"]).groups()
    m, k, n = row.dim("OUTPUT_0", "Y"), row.dim("INPUT_0", "X") * int(h) * int(w), row.dim("INPUT_1", "X")
    rate = m * k * n * 2 / s
    op["FLOPs"] = rate / 1e12
    op["FLOPs %"] = rate / (arch[2][row.c["MATH FIDELITY"]] * 1e12 * workers) * 100
    op["OP Code"] = f"{row.name} {m} x {k} x {n}" + conv_extra(row)


def halo(row, op):
    a, found = row.c["ATTRIBUTES"], []
    for name, n in (("window_hw=", 2), ("stride_hw=", 2), ("padding=", 4), ("dilation_hw=", 2)):
        found.append(",".join(a.split(name)[1].split(";")[:n]) if name in a else "x")
    layout = a.split("memory_layout=")[1].split(";")[0].split("::")[1] if "memory_layout=" in a else "x"
    op["OP Code"] = "{} w={} s={} p={} d={} | {}".format(row.name, *found, layout)


def analyze(row, previous, arch, workers):
    c = row.c
    op = {"ID": row.index + 2, "Bound": "", "OP Code": row.name, "Device": row.device(), "sharded": False,
          "verdict": "", "row": row}
    for key in ("DRAM", "DRAM %", "FLOPs", "FLOPs %"):
        op[key] = None
    op["Device Time"] = 0 if math.isnan(row.duration) else row.duration / 1000
    gap = c["OP TO OP LATENCY [ns]"]
    op["Op-to-Op Gap"] = float(gap) / 1000 if previous and gap else None
    op["Cores"] = int(float(c["CORE COUNT"])) if c["CORE COUNT"] else None
    types = [SHORT.get(c[t + "_DATATYPE"], c[t + "_DATATYPE"]) for t in TENSORS]
    inputs = ", ".join(t for t in types[:2] if t)
    op["Math Fidelity"] = inputs + (" => " + types[2] if types[2] else "")
    if row.type == "signpost":
        op["OP Code"] += " (signpost)"
        op["Device Time"] = None
    elif "(torch)" in row.name:
        op["Bound"], op["Device Time"] = "HOST", None
    elif "HaloDeviceOperation" in row.name:
        halo(row, op)
    elif "Matmul" in row.name or "Conv2d" in row.name or "OptimizedConvNew" in row.name:
        (matmul if "Matmul" in row.name else conv)(row, op, arch, workers)
        op["Math Fidelity"] = "{} {} x {} => {}".format(c["MATH FIDELITY"], *types)
        op["verdict"] = verdict(row)
    return op


def merge(rows):
    """One row for all devices, by the heads of their queues."""
    devices = sorted({r.device() for r in rows if r.device() is not None})
    if not devices:
        return rows
    queues = {d: [r for r in rows if r.type == "tt_dnn_device" and r.device() == d] for d in devices}
    out = [r for r in rows if r.type != "tt_dnn_device"]
    merged = []
    while any(queues.values()):
        name, taken = None, []
        for d in devices:
            if queues[d] and name in (None, queues[d][0].name):
                name = queues[d][0].name
                taken.append(queues[d].pop(0))
        if any(w in name for w in ("AllGather", "ReduceScatter", "AllReduce")):
            known = [r.duration for r in taken if not math.isnan(r.duration)]
            taken[0].duration = sum(known) / len(known) if known else math.nan
            merged.append(taken[0])
        else:
            best = taken[0]
            for r in taken[1:]:
                if r.duration > best.duration:
                    best = r
            merged.append(best)
    return sorted(merged + out, key=lambda r: r.index) if merged else []


def window(rows, opts):
    start, end = opts.get("--start-signpost"), opts.get("--end-signpost")
    if opts.get("--ignore-signposts") or not any(r.type == "signpost" for r in rows):
        return rows
    hits = [r for r in rows if r.type == "signpost" and r.name == start]
    ends = [r for r in rows if r.type == "signpost" and r.name == end][start == end:]
    if hits or ends:
        first, last = hits[0].index if hits else -1, ends[0].index if ends else len(rows) * 10
        rows = [r for r in rows if first < r.index < last]
    else:
        last = [r for r in rows if r.type == "signpost"][-1].name
        at = [r.name for r in rows].index(last)
        rows = rows[at + 1:]
    return [r for r in rows if opts.get("--print-signposts") or r.type != "signpost"]


def behind_each_other(datas):
    """The lines of all files; devices of later ones follow those of earlier ones."""
    lines, n = [], None
    for i, data in enumerate(datas):
        part = list(csv.DictReader(io.StringIO(data)))
        n = n or 1 + max(int(c["DEVICE ID"] or -1) for c in part)
        for c in part:
            c["DEVICE ID"] = c["DEVICE ID"] and str(int(c["DEVICE ID"]) + i * n)
        lines += part
    return lines


def report(datas, opts):
    """The ops with all that is printed of them."""
    lines = behind_each_other(datas)
    padded = any("_PAD[LOGICAL]" in k for k in lines[0])
    rows = [Row(c, i, padded) for i, c in enumerate(lines)]
    if "DEVICE ARCH" in lines[0]:
        arch = ARCHS[lines[0]["DEVICE ARCH"]]
        workers = next(int(c["AVAILABLE WORKER CORE COUNT"]) for c in lines if c["AVAILABLE WORKER CORE COUNT"])
    else:
        arch = ARCHS[opts.get("--arch", "wormhole")]
        workers = arch[0]
    order = sorted(rows, key=lambda r: (r.c["HOST START TS"] == "", int(r.c["HOST START TS"] or 0)))
    order = rows if opts.get("--tracing-mode") else order
    order = window(order, opts)
    apart = opts.get("--no-merge-devices") and len({r.device() for r in order} - {None}) > 1
    order = order if apart else merge(order)
    ops, previous = [], False
    for r in order:
        ops.append(analyze(r, previous, arch, workers))
        previous = previous or r.type != "signpost"
    counts = (sum(o["row"].type != "signpost" and "(torch)" not in o["OP Code"] for o in ops),
              sum("(torch)" in o["OP Code"] for o in ops), sum(o["row"].type == "signpost" for o in ops))
    if "--id-range" in opts:
        low, high = opts["--id-range"].split("-")
        ops = [o for o in ops if int(low or 0) <= o["ID"] <= int(high or 10**9)]
        if ops:
            ops[0]["Op-to-Op Gap"] = None
    if opts.get("--no-host-ops"):
        ops = [o for o in ops if "(torch)" not in o["OP Code"]]
    whole = total(o["Device Time"] or 0 for o in ops) + total(o["Op-to-Op Gap"] or 0 for o in ops)
    real = {c: any(not x[c] or not re.fullmatch(r"\d+", x[c]) for x in lines) for c in ("CORE COUNT", "GLOBAL CALL COUNT")}
    for o in ops:
        both = o["Device Time"], o["Op-to-Op Gap"]
        o["Total %"] = None if both == (None, None) or whole == 0 else ((both[0] or 0) + (both[1] or 0)) / whole * 100
        o["Advice"] = advice_count(o["row"], dict(o, Cores=float(o["Cores"] or 0))) if o["verdict"] and "Matmul" in o["OP Code"] else 0
        if isinstance(o["Cores"], str):
            o["Cores"] = float(o["Cores"]) if real["CORE COUNT"] else int(o["Cores"])
        calls = o["row"].c["GLOBAL CALL COUNT"]
        o["Global Call Count"] = "nan" if not calls else float(calls) if real["GLOBAL CALL COUNT"] else int(calls)
    return ops, counts


# The table.

GREY, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, ORANGE = 8, 9, 10, 11, 12, 13, 14, 15, 208
HEADERS = ["ID", "Total %", "Bound", "OP Code", "Device ", "Device Time", "Op-to-Op Gap", "Cores", "DRAM", "DRAM %", "FLOPs",
           "FLOPs %", "Math Fidelity"]
UNITS = {"Total %": "%", "Device Time": "\u03bcs", "Op-to-Op Gap": "\u03bcs", "DRAM": "GB/s", "DRAM %": "%", "FLOPs": "TFLOPs",
         "FLOPs %": "%"}
NAMES = [("(torch)", RED), ("Matmul", MAGENTA), ("OptimizedConvNew", ORANGE), ("Conv2d", ORANGE), ("LayerNorm", CYAN),
         ("AllGather", CYAN), ("AllReduce", CYAN), ("ScaledDotProductAttentionDecode", BLUE),
         ("ScaledDotProductAttentionGQADecode", BLUE), ("NlpCreateHeadsDeviceOperation", BLUE),
         ("NLPConcatHeadsDecodeDeviceOperation", BLUE), ("UpdateCache", BLUE)]


def colors(op, least):
    if op["Total %"] is not None and op["Total %"] < least and op["Bound"] != "HOST":
        return {h: GREY for h in HEADERS}
    c = {"OP Code": next((color for part, color in NAMES if part in op["OP Code"]), WHITE)}
    if op["Cores"] is not None:
        c["Cores"] = RED if op["Cores"] < 10 else GREEN if op["Cores"] == 64 else None
    if op["Bound"] == "HOST":
        c["Bound"] = RED
    elif op["Bound"] == "DRAM":
        c.update({"Bound": GREEN, "DRAM": GREEN, "DRAM %": GREEN})
    elif op["Bound"] == "FLOP":
        c.update({"Bound": GREEN, "FLOPs": GREEN, "FLOPs %": GREEN})
    elif op["Bound"] == "SLOW":
        near = "DRAM" if op["DRAM %"] > op["FLOPs %"] else "FLOPs"
        c.update({"Bound": YELLOW, near: YELLOW, near + " %": YELLOW})
    if op["Op-to-Op Gap"] is not None and op["Op-to-Op Gap"] > 6.5:
        c["Op-to-Op Gap"] = RED
    if op["verdict"] and ("Matmul" in op["OP Code"] or "OptimizedConvNew" in op["OP Code"]):
        c["Math Fidelity"] = {"sufficient": GREEN, "too_high": RED, "too_low": CYAN}.get(op["verdict"], WHITE)
    return c


def paint(words, color):
    return words if color is None else f"\x1b[38;5;{color}m{words}\x1b[0m"


def cell(op, h, color):
    """A cell's text with colours, and its width."""
    key = h.strip()
    v = op[key]
    if v is None:
        return "", 0
    if key == "OP Code" and op["row"].type == "signpost":
        name = op["row"].name
        return "\U0001faa7 " + (name if color is None else paint(name + " ", color)), len(name) + 2 + (color is not None)
    if key in ("Bound", "OP Code", "Math Fidelity"):
        name, blank, rest = v.partition(" ")
        apart = any(p in v for p in ("Matmul", "OptimizedConvNew", "Conv2dDeviceOperation", "HaloDeviceOperation"))
        if key == "OP Code" and apart and blank and color is not None:
            return paint(name, color) + " " + paint(rest, color), len(v)
        return paint(v, color), len(v)
    words = str(v) if key == "ID" else f"{v:,.{1 if key in ('Total %', 'DRAM %', 'FLOPs', 'FLOPs %') else 0}f}"
    if key not in UNITS:
        return paint(words, color), len(words)
    return paint(words, color) + " " + paint(UNITS[key], color), len(words) + 1 + len(UNITS[key])


def table_lines(ops, counts, least, colored):
    """The lines of the ops and the footer."""
    width = [len(h) for h in HEADERS]
    for o in ops:
        for i, h in enumerate(HEADERS):
            n = len(f"{o['ID']:,}") if h == "ID" else cell(o, h, None)[1]
            width[i] = max(width[i], len(o["OP Code"]) if h == "OP Code" else n)
    footer = {h.strip(): "" for h in HEADERS}
    footer.update({"OP Code": "{} device ops, {} host ops, {} signposts".format(*counts), "Total %": 100.0, "row": Footer,
                   "Device Time": total(o["Device Time"] or 0 for o in ops), "Op-to-Op Gap": total(o["Op-to-Op Gap"] or 0 for o in ops)})
    lines = []
    for o in ops + [footer]:
        painted = {} if not colored else {h.strip(): GREY for h in HEADERS} if o is footer else colors(o, least)
        if colored and o is not footer and painted.get("Device ") == GREY:
            painted["Device"] = GREY
        parts = []
        for h, w in zip(HEADERS, width):
            color = painted.get(h.strip())
            words, n = (paint("", color), 0) if o[h.strip()] == "" and o is footer else cell(o, h, color)
            blanks = " " * max(0, w - n)
            parts.append(words + blanks if h == "OP Code" else blanks + words)
        lines.append("  ".join(parts))
    return lines


class Footer:
    type, name = "footer", ""


# The stacked report.

CATEGORIES = {"Compute": "Matmul MinimalMatmulOp Conv2d OptimizedConvNew LayerNorm", "DM": "Copy Halo ReduceScatter PagedUpdateCache"
              "DeviceOperation Where", "TM": "Reshape PadDeviceOperation", "Host": "(torch)"}


def category(word):
    for c, names in CATEGORIES.items():
        if word in names.split() or (word.endswith("DeviceOperation") and word[:-len("DeviceOperation")] in names.split()):
            return c
    return "Other"


def key_of(op, group):
    word, memory = op["OP Code"].split()[0], op["row"].c["INPUT_0_MEMORY"]
    if group == "category":
        return category(word)
    if group == "op" or not memory:
        return word
    return f"{word} (in0:{'_'.join(memory.split('_')[-2:]).lower()})" if "_" in memory else None


def stacked(ops, group, apart):
    """The lines of the stacked CSV after its header; None if all times are 0."""
    groups, over_all = {}, {}
    for o in ops:
        key, device = key_of(o, group), o["Device"]
        if "signpost" in o["OP Code"] or key is None or (apart and device is None):
            continue
        groups.setdefault((key, device if apart else None), []).append(o)
        over_all.setdefault(key, []).append(o)
    sums = {k: math.fsum(o["Device Time"] or 0 for o in v) for k, v in groups.items()}
    lines = []
    for (key, device), v in sorted(groups.items(), key=lambda g: (-sums[g[0]], g[0])):
        all_time = sum(t for (_, d), t in sums.items() if d == device)
        time, known = sums[key, device], [o["FLOPs %"] for o in v if o["FLOPs %"] is not None]
        figures = [time / all_time * 100 if all_time else 0]
        cells = [f"{figures[0]:.2f}", key] + ([str(device)] if apart else []) + [f"{time:.2f}", str(len(v))]
        if group != "category":
            weights = [(o["Device Time"], o["FLOPs %"]) for o in over_all[key] if o["FLOPs %"] is not None]
            mean = math.fsum(known) / len(known) if known else None
            std = math.sqrt(math.fsum((x - mean) ** 2 for x in known) / (len(known) - 1)) if len(known) > 1 else None
            weighted = math.fsum(t * f for t, f in weights) / math.fsum(t for t, _ in weights) if weights else None
            figures = [min(known, default=None), max(known, default=None), mean, std, weighted]
            cells += [category(v[0]["OP Code"].split()[0])] + ["" if f is None else f"{f:.2f}" for f in figures]
        lines.append(cells)
    return lines if any(sums.values()) else None


# Inputs.

def tensor(rng, cells, name, padded, wide=False):
    dims = [rng.choice([1, 1, 1, 2, 3]) if wide else 1, rng.choice([1, 1, 8]) if wide else 1,
            32 * rng.randint(1, 200), 32 * rng.randint(1, 200)]
    for d, n in zip("WZYX", dims):
        cells[f"{name}_{d}" + ("_PAD[LOGICAL]" if padded else "")] = f"{n}[{max(1, n - 3)}]" if padded else str(n)
    cells[name + "_DATATYPE"] = rng.choice(list(MANTISSA) * 6 + ["UINT16", "INT32", "BOOL", "FP8_E4M3"])
    cells[name + "_MEMORY"] = rng.choice(["DEV_0_DRAM_INTERLEAVED", "DEV_0_L1_HEIGHT_SHARDED", "DEV_1_DRAM_WIDTH_SHARDED"] * 5 +
                                         ["L1", "L1_x"])


def config(rng):
    parts = [f"{n}={rng.randint(1, 8)}" for n in ("in0_block_w", "out_subblock_h", "out_subblock_w") if rng.random() < 0.7]
    name = SHARDED if rng.random() < 0.2 else "MatmulMultiCoreReuseProgramConfig"
    return rng.choice(["{'x': '1'}", "{'program_config': '" + name + "(" + ";".join(parts) + ")'; 'y': '2'}"])


def conv_attributes(rng):
    s = f"{{'w': 'C(window_hw=({rng.randint(1, 7)};{rng.randint(1, 7)}); stride_hw=(2;2))'"
    if rng.random() < 0.7:
        s += f"; 'p': 'P(per_core_out_matrix_height_ntile={rng.randint(1, 9)};act_block_h_ntiles={rng.randint(1, 9)}{rng.choice([';', ''])})'"
    if rng.random() < 0.7:
        s += f"; 'enable_act_double_buffer': '{rng.choice(['true', 'false'])}'"
    return s + "}"


def halo_attributes(rng):
    parts = [f"{n}=({';'.join(str(rng.randint(0, 9)) for _ in range(k))})" for n, k in
             (("window_hw", 2), ("stride_hw", 2), ("padding", 4), ("dilation_hw", 2)) if rng.random() < 0.8]
    if rng.random() < 0.7:
        parts.append("memory_layout=TensorMemoryLayout::" + rng.choice(["HEIGHT_SHARDED;x=1", "BLOCK_SHARDED"]))
    return "{'config': '" + "; ".join(parts) + ";'}"


def one_row(rng, kind, padded, device):
    c = {}
    for name in TENSORS:
        tensor(rng, c, name, padded, wide=kind == "Matmul")
    c["OP TYPE"] = "tt_dnn_device"
    c["OP CODE"] = rng.choice({"Matmul": ["Matmul", "MatmulDeviceOperation", "MinimalMatmulOp"],
                               "Conv2d": ["Conv2d", "Conv2dDeviceOperation", "OptimizedConvNew"],
                               "halo": ["HaloDeviceOperation"],
                               "other": ["LayerNorm", "AllGatherAsync", "Copy, \"odd\"", "ReduceScatter", "Gr\u00f6\u00dfe",
                                         "PadDeviceOperation", "PagedUpdateCacheDeviceOperation", "Reshape"],
                               "host": ["(torch) add", "(torch) conv2d"],
                               "signpost": ["warm up", "run", "run"]}[kind])
    c["ATTRIBUTES"] = config(rng) if kind == "Matmul" else conv_attributes(rng) if kind == "Conv2d" else \
        halo_attributes(rng) if kind == "halo" else ""
    c["MATH FIDELITY"] = rng.choice(["HiFi4", "HiFi3", "HiFi2", "LoFi"])
    c["CORE COUNT"] = str(rng.choice([1, 8, 20, 63, 64]))
    c["DEVICE ID"] = str(device)
    c["DEVICE KERNEL DURATION [ns]"] = str(rng.choice([rng.randint(1, 10**6), rng.randint(1, 10**4), round(rng.random() * 1e5, 4)]))
    c["OP TO OP LATENCY [ns]"] = rng.choice(["", "0", str(rng.randint(-500, 10**5)), "1500.5"])
    c["GLOBAL CALL COUNT"] = str(rng.randint(1, 10**6))
    if kind in ("host", "signpost"):
        c["OP TYPE"] = "signpost" if kind == "signpost" else "python_fallback"
        for key in list(c):
            if key not in ("OP TYPE", "OP CODE"):
                c[key] = ""
    elif kind == "other":
        if rng.random() < 0.3:
            c["INPUT_1_DATATYPE"] = ""
        if rng.random() < 0.2:
            c["DEVICE KERNEL DURATION [ns]"] = ""
    return c


def table(seed):
    """A CSV, as text, of ops that nobody ran."""
    rng = random.Random(seed)
    form = rng.choice(["v1", "v2", "v2.1"])
    devices = rng.choice([1, 1, 2, 4])
    kinds = ["Matmul", "Matmul", "Conv2d", "other", "other", "halo"] + (["host", "signpost"] if rng.random() < 0.5 else [])
    arch, cores = rng.choice(list(ARCHS)), rng.choice([20, 64, 110])
    rows, clock = [], 10**10
    for _ in range(rng.randint(1, 40)):
        kind = rng.choice(kinds)
        copies = devices if kind not in ("host", "signpost") else 1
        base = one_row(rng, kind, form != "v1", 0)
        for d in range(copies):
            c = dict(base)
            clock += rng.choice([0, 1, 50, -20])
            if copies > 1:
                c["DEVICE ID"] = str(d)
                c["DEVICE KERNEL DURATION [ns]"] = str(rng.randint(1, 10**6))
                if rng.random() < 0.03:
                    continue
            c["HOST START TS"] = "" if rng.random() < 0.03 else str(clock)
            if form == "v2.1":
                c["DEVICE ARCH"], c["AVAILABLE WORKER CORE COUNT"] = arch, str(cores)
            rows.append(c)
    if not rows:
        return table(seed + 7919)
    out = io.StringIO()
    w = csv.DictWriter(out, sorted({k for c in rows for k in c}), lineterminator=rng.choice(["\n", "\r\n"]))
    w.writeheader()
    w.writerows(rows)
    return out.getvalue()
