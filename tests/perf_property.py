#!/usr/bin/env python3
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
    for flag in ("--ignore-signposts", "--print-signposts", "--no-host-ops", "--no-merge-devices"):
        if rng.random() < 0.3:
            o[flag] = True
    if rng.random() < 0.3:
        o["--start-signpost"] = rng.choice(["run", "warm up", "nowhere"])
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


def main():
    command, cases, seed = sys.argv[1], int((sys.argv + ["300"])[2]), int((sys.argv + ["1", "1"])[3])
    rows = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.csv")
        for case in range(seed, seed + cases):
            data = model.table(case)
            o = options(random.Random(case), data)
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(data)
            p = subprocess.run([command, "perf-report", path, "--csv=-", "-q"] + words(o), capture_output=True)
            want = model.report(data, o)
            why = f"exit {p.returncode}: {p.stderr.decode()}" if p.returncode else compare(p.stdout.decode(), want)
            if why:
                print(f"seed {case}, options {words(o)}: {why}")
                return 1
            rows += len(want)
    print(f"{cases} inputs, {rows} ops, every figure equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
