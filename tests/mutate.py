#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py TACHO TRACE ROUNDS: damages the trace in ROUNDS ways and runs every reading verb on each."""
import os
import random
import subprocess
import sys

VERBS = ["info", "stats", "zones", "messages", "plots", "frames", "memory", "locks", "check",
         "stats -r 10%..50%", "export --to=chrome -o -", "export --to=json -o -", "zones --longest=10"]


def flip(data, rng):
    for _ in range(rng.choice([1, 1, 2, 8])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def overwrite(data, rng):
    at = rng.randrange(len(data))
    word = rng.choice([b"\xff" * 4, b"\x00" * 8, b"\xff" * 8, b"\x7f\xff\xff\xff", rng.randbytes(16)])
    data[at:at + len(word)] = word


def cut(data, rng):
    del data[rng.randrange(len(data)):]


def remove(data, rng):
    at = rng.randrange(len(data))
    del data[at:at + rng.randrange(1, 200)]


def repeat(data, rng):
    at = rng.randrange(len(data))
    data[at:at] = data[at:at + rng.randrange(1, 2000)]


def run(tacho, verb, path, seed):
    command = [tacho, *verb.split(), path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=float(os.environ["PATIENCE"]))
    lines = done.stderr.count(b"\n")
    if done.returncode not in (0, 3, 4) or lines > 1 or (done.returncode and lines == 0 and verb != "check"):
        sys.exit(f"seed {seed}: {verb} exits with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.returncode


def main():
    tacho, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path, "rb") as file:
        whole = file.read()
    codes = {}
    for seed in range(rounds):
        rng = random.Random(seed)
        data = bytearray(whole)
        rng.choice([flip, overwrite, cut, remove, repeat])(data, rng)
        with open("mutant.tacho", "wb") as file:
            file.write(data)
        for verb in VERBS:
            code = run(tacho, verb, "mutant.tacho", seed)
            codes[code] = codes.get(code, 0) + 1
    print(codes)


main()
