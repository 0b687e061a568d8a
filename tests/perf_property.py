#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares perf-report with tests/perf_model.py on inputs made at random.

usage: perf_property.py COMMAND [CASES [SEED]]
"""
import csv
import io
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perf_model as model  # noqa: E402

COLUMNS = ["ID", "Total %", "Bound", "OP Code", "Device", "Device Time", "Op-to-Op Gap", "Cores", "DRAM", "DRAM %",
           "FLOPs", "FLOPs %", "Math Fidelity", "Global Call Count"]


def options(rng, data):
    o = {}
    for flag in ("--ignore-signposts", "--print-signposts", "--no-host-ops", "--no-merge-devices", "--tracing-mode"):
        if rng.random() < 0.3:
            o[flag] = True
    if rng.random() < 0.3:
        o["--start-signpost"] = rng.choice(["run", "warm up", "nowhere"])
    if rng.random() < 0.3:
        o["--end-signpost"] = rng.choice(["run", "warm up", "nowhere"])
    if rng.random() < 0.3:
        o["--min-percentage"] = rng.choice(["0", "2", "-1", "40.5"])
    o["--group-by"] = rng.choice(["op", "memory", "category"])
    if rng.random() < 0.3:
        o["--id-range"] = rng.choice(["5-20", "-12", "7-"])
    if rng.random() < 0.5 and "DEVICE ARCH" not in data.split("\n", 1)[0]:
        o["--arch"] = rng.choice(list(model.ARCHS))
    return o


def words(o):
    return [k if v is True else f"{k}={v}" for k, v in o.items()]


def compare(got, want):
    rows = list(csv.DictReader(io.StringIO(got, newline="")))
    if len(rows) != len(want):
        return f"{len(rows)} rows, expected {len(want)}"
    for g, w in zip(rows, want):
        for c in COLUMNS:
            expected = model.text(w[c])
            if g[c] != expected:
                return f"ID {w['ID']} {c}: got {g[c]!r}, expected {expected!r}"
        if g["DRAM Sharded"] != str(w["sharded"]):
            return f"ID {w['ID']}: sharded"
        items = len(g["Advice"].split(" \u2022 ")) if g["Advice"] else 0
        if items != w["Advice"]:
            return f"ID {w['ID']} ({w['Bound']}, {w['verdict']}): {items} items of advice, expected {w['Advice']}: {g['Advice']}"
    return None


def lines_of(text):
    """The lines between the head of the table of ops and the end of its footer, without the rules."""
    lines = text.split("\n")
    heads = [i for i, line in enumerate(lines) if line.startswith("ID ")]
    if not heads:
        return []
    rules = [i for i in range(heads[0], len(lines)) if lines[i] and set(lines[i]) == {"-"}]
    return lines[rules[0] + 1:rules[1]] + [lines[rules[1] + 1]]


def compare_lines(got, want):
    got = lines_of(got)
    if len(got) != len(want):
        return f"{len(got)} lines of the table, expected {len(want)}"
    for g, w in zip(got, want):
        if g != w:
            return f"table:\n  got      {g!r}\n  expected {w!r}"
    return None


def near(a, b):
    """The last digit depends on the order of additions."""
    return a == b or ("." in a and "." in b and abs(float(a) - float(b)) < 0.0101)


def compare_stacked(path, want):
    if want is None:
        return None
    with open(path, encoding="utf-8", newline="") as f:
        got = list(csv.reader(f))[1:]
    os.unlink(path)
    same = len(got) == len(want) and all(len(g) == len(w) and all(map(near, g, w)) for g, w in zip(got, want))
    return None if same else f"stacked:\n  got      {got}\n  expected {want}"


def run(command, paths, o, *more):
    return subprocess.run([command, "perf-report", "--model=1.2.4", "-q"] + paths + words(o) + list(more), capture_output=True)


def check(command, folder, datas, o):
    paths = [os.path.join(folder, f"in{i}.csv") for i in range(len(datas))]
    for path, data in zip(paths, datas):
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(data)
    want, counts = model.report(datas, o)
    p = run(command, paths, o, "--csv=-")
    if p.returncode:
        return f"exit {p.returncode}: {p.stderr.decode()}", 0
    least = float(o.get("--min-percentage", 0.5))
    base = os.path.join(folder, "sum")
    why = compare(p.stdout.decode(), want)
    for color, more in (("--no-color", ["--no-summary"]), ("--color=always", ["--no-advice", "--summary-file", base])):
        p = run(command, paths, o, color, *more)
        why = why or compare_lines(p.stdout.decode(), want and model.table_lines(want, counts, least, color != "--no-color"))
    lines = model.stacked(want, o["--group-by"], "--no-merge-devices" in o)
    return why or (compare_stacked(base + ".csv", lines) if lines else None), len(want)


def main():
    command, cases, seed = sys.argv[1], int((sys.argv + ["300"])[2]), int((sys.argv + ["1", "1"])[3])
    rows = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in range(seed, seed + cases):
            datas = [model.table(case)]
            o = options(random.Random(case), datas[0])
            if case % 4 == 0:
                datas.append(datas[0])
            why, n = check(command, folder, datas, o)
            if why:
                print(f"seed {case}, {len(datas)} files, options {words(o)}: {why}")
                return 1
            rows += n
    print(f"{cases} inputs, {rows} ops, every figure equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
