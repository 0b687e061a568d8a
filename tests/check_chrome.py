#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a file of Chrome trace events strictly: check_chrome.py FILE [phase=count ...]"""
import collections
import json
import sys


def no_constant(word):
    raise ValueError(f"{word} is not JSON")


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key twice in {keys}"
    return dict(pairs)


def check_fields(event):
    phase = event["ph"]
    assert phase in "XMiCbe", f"phase {phase}"
    assert isinstance(event["name"], str), event
    for key in ("pid", "tid"):
        assert isinstance(event[key], int) and event[key] >= 0, event
    if phase != "M":
        assert isinstance(event["ts"], float) and event["ts"] >= 0, event
    if phase == "X":
        assert isinstance(event["dur"], float) and event["dur"] >= 0, event
    if phase == "i":
        assert event["s"] in ("t", "p", "g"), event
    if phase == "C":
        assert event["args"] and all(isinstance(v, (int, float)) for v in event["args"].values()), event
    if phase in "be":
        assert event["cat"] and event["id"], event


def ns(microseconds):
    return round(microseconds * 1000)


def check_nesting(events):
    """Zones of a thread lie inside each other or beside each other."""
    threads = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append(event)
    for zones in threads.values():
        zones.sort(key=lambda e: (ns(e["ts"]), -ns(e["dur"])))
        stack = []
        for zone in zones:
            start, end = ns(zone["ts"]), ns(zone["ts"]) + ns(zone["dur"])
            while stack and stack[-1] <= start:
                stack.pop()
            assert not stack or end <= stack[-1], f"not nested: {zone}"
            stack.append(end)


def check_spans(events):
    """Each asynchronous begin has its end, and spans with one id do not overlap."""
    open_spans = {}
    spans = [e for e in events if e["ph"] in "be"]
    for event in sorted(spans, key=lambda e: ns(e["ts"])):
        key = (event["pid"], event["cat"], event["id"], event["name"])
        if event["ph"] == "b":
            assert key not in open_spans, f"overlaps: {event}"
            open_spans[key] = event
        else:
            assert open_spans.pop(key, None), f"end without begin: {event}"
    assert not open_spans, f"begin without end: {open_spans}"


def check_names(events):
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    for event in events:
        assert event["pid"] in processes, f"nameless process: {event}"
        if event["ph"] == "X":
            assert (event["pid"], event["tid"]) in named, f"nameless thread: {event}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file, parse_constant=no_constant, object_pairs_hook=no_duplicates)
    events = document["traceEvents"]
    for event in events:
        check_fields(event)
    check_nesting(events)
    check_spans(events)
    check_names(events)
    counts = collections.Counter(event["ph"] for event in events)
    for word in sys.argv[2:]:
        phase, count = word.split("=")
        assert counts[phase] == int(count), f"{counts[phase]} events {phase}, not {count}"
    print(dict(counts))


main()
