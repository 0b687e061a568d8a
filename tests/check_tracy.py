#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what csvexport says of a .tracy file with what an independent reader finds in it.
usage: check_tracy.py READER.py BUILD FILE.tracy"""
import collections
import csv
import importlib.util
import io
import subprocess
import sys

reader, build, path = sys.argv[1:]
spec = importlib.util.spec_from_file_location("reader", reader)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
trace = module.load(path)
failures = []


def run(*words):
    return subprocess.run([build + "/csvexport-release", *words, path], check=True, stdout=subprocess.PIPE).stdout.decode(
        "utf8", "replace"
    )


def compare(what, want, got):
    want, got = collections.Counter(want), collections.Counter(got)
    if want != got:
        failures.append(f"{what}: missing {list((want - got).items())[:3]}, too many {list((got - want).items())[:3]}")


def text(index):
    return "" if index is None else trace["stringData"][index]


def zones(timeline, tid):
    for name, start, end, extra, children in timeline:
        _, line, own, _ = trace["zoneExtra"][extra]
        if end >= 0:
            yield (name or "?", text(own), text(line), start, end - start, tid)
        yield from zones(children, tid)


def device_zones(timeline):
    for name, _, _, _, start, end, _, children in timeline:
        if end >= 0:
            yield (name, start, end - start)
        yield from device_zones(children)


rows = csv.DictReader(io.StringIO(run("-u", "--tid"), newline=""))
compare(
    "zones",
    [z for t in trace["threads"] for z in zones(t["timeline"], t["tid"])],
    [
        (r["name"], r["zone_name"], r["zone_text"], int(r["ns_since_start"]), int(r["exec_time_ns"]), int(r["thread"]))
        for r in rows
    ],
)
rows = csv.DictReader(io.StringIO(run("-g"), newline=""))
compare(
    "device zones",
    [z for g in trace["gpu"] for t in g["tracks"].values() for z in device_zones(t)],
    [(r["name"], int(r["Time from start of program"]), int(r["GPU execution time"])) for r in rows],
)
said = run("-m", "-s", "\x1f")
want = "".join(f"{m[2]}\x1f{m[1]}\n" for m in trace["messages"])
if want and said != "MessageName\x1ftotal_ns\n" + want:
    failures.append("messages differ")
if trace["trailing"]:
    failures.append(f"{trace['trailing']} bytes after the end")
print("\n".join(failures))
sys.exit(1 if failures else 0)
