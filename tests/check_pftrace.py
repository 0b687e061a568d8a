#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a Perfetto trace with a decoder of its own: check_pftrace.py FILE [what=count ...]

Every track is declared once and has its parent, slices nest in order of time as the file gives it, interned ids are
known before they are used, and each flow has one beginning or more and one end.
"""
import collections
import sys


def fields(data):
    """(number, value) of a message: int, or bytes of a nested one."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        assert kind in (0, 1, 2), f"wire type {kind}"
        if kind == 0:
            value = varint()
        else:
            length = 8 if kind == 1 else varint()
            value = data[at : at + length]
            assert len(value) == length, "cut short"
            at += length
        yield key >> 3, value


def message(data):
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


class Trace:
    def __init__(self, path):
        self.counts = collections.Counter()
        self.tracks, self.events, self.interned = {}, [], collections.defaultdict(dict)
        self.stacks = []
        for number, packet in fields(open(path, "rb").read()):
            assert number == 1
            self.packet(message(packet))
        for uuid, track in self.tracks.items():
            parent = track.get(5, [0])[0]
            assert parent == 0 or parent in self.tracks, f"track {uuid} has no parent"
        self.nesting()
        self.flows()

    def packet(self, p):
        assert p[10] == [1], "sequence"
        for data in p[12]:
            for kind, value in fields(data):
                entry = message(value)
                assert entry[1][0] not in self.interned[kind], f"{kind} {entry[1]} twice"
                self.interned[kind][entry[1][0]] = entry
        for data in p[60]:
            track = message(data)
            assert track[1][0] not in self.tracks, "a track twice"
            self.tracks[track[1][0]] = track
        self.counts["clocks"] += len(p[6])
        for data in p[11]:
            event = message(data)
            event["ns"] = p[8][0]
            self.event(event)
        for data in p[66]:
            self.sample(message(data))

    def event(self, e):
        kind = ["", "slices", "ends", "instants", "counters"][e[9][0]]
        self.counts[kind] += 1
        assert e[11][0] in self.tracks or e[11][0] == 0, f"unknown track {e[11]}"
        if kind == "slices" or kind == "instants":
            e["name"] = (e[23][0] if e[23] else self.interned[2][e[10][0]][2][0]).decode()
        for iid in e[34]:
            assert iid in self.interned[4]
        if kind == "counters":
            assert len(e[30]) + len(e[44]) == 1 and 8 in self.tracks[e[11][0]]
        self.events.append(e)

    def sample(self, s):
        self.counts["samples"] += 1
        stack = []
        for iid in s[4]:
            for frame in self.interned[7][iid][2]:
                f = self.interned[6][frame]
                mapping = self.interned[19][f[3][0]]
                assert mapping[7][0] in self.interned[17]
                stack.append(self.interned[5][f[2][0]][2][0].decode())
        self.stacks.append(stack)

    def nesting(self):
        """Readers sort by time and keep the order of the file."""
        open_slices = collections.defaultdict(list)
        self.slices = []
        for e in sorted(self.events, key=lambda e: e["ns"]):
            if e[9][0] == 1:
                open_slices[e[11][0]].append(e)
            elif e[9][0] == 2:
                begin = open_slices[e[11][0]].pop()
                depth = len(open_slices[e[11][0]])
                self.slices.append((begin["name"], begin["ns"], e["ns"] - begin["ns"], depth, begin))
        assert not any(open_slices.values()), "slices without an end"

    def flows(self):
        begins, ends = collections.Counter(), collections.Counter()
        for e in self.events:
            begins.update(e[47])
            ends.update(e[48])
        self.counts["flows"] = len(ends)
        assert all(n == 1 for n in ends.values()) and set(ends) <= set(begins), (begins, ends)
        self.arrows = sorted(
            (a["name"], b["name"])
            for flow in ends
            for a in self.events
            if flow in a[47]
            for b in self.events
            if flow in b[48]
        )


if __name__ == "__main__":
    trace = Trace(sys.argv[1])
    for expected in sys.argv[2:]:
        what, count = expected.split("=")
        assert trace.counts[what] == int(count), f"{trace.counts[what]} {what}, not {count}"
