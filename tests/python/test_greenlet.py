# SPDX-License-Identifier: Apache-2.0
"""Greenlets: each has a track of its own, whatever is open in the one that was switched from."""
from __future__ import annotations

import importlib.util
import unittest

from support import Case

SWITCHES = """
    from greenlet import greenlet
    def work(): pass
    def a():
        work(); b_.switch(); work(); b_.switch()
    def b():
        work(); a_.switch(); work(); inner()
    def inner(): pass
    def dies():
        try: main_.switch()
        finally: work()
    a_, b_ = greenlet(a), greenlet(b)
    main_ = a_.parent
    def main():
        a_.switch()
        d = greenlet(dies)
        d.switch()
        del d  # GreenletExit unwinds it
    main()
    def later(): pass
    later()
"""


@unittest.skipUnless(importlib.util.find_spec("greenlet"), "no greenlet")
class Greenlets(Case):
    def tracks(self) -> dict[str, list[str]]:
        """The names of the program's zones by track, in order."""
        found: dict[str, list[str]] = {}
        for zone in self.zones():
            if zone["name"] in ("a", "b", "work", "inner", "dies", "main", "later"):
                found.setdefault(zone["thread"], []).append(zone["name"])
        return found

    def test_tracks(self) -> None:
        for words in ([], ["--c-calls"], ["-l"], ["--max-depth=50"]):
            with self.subTest(words):
                self.script(SWITCHES, *words)
                tracks = self.tracks()
                self.assertEqual(tracks.pop("greenlet 1"), ["a", "work", "work"])
                self.assertEqual(tracks.pop("greenlet 2"), ["b", "work", "work", "inner"])
                self.assertEqual(tracks.pop("greenlet 3"), ["dies", "work"])
                self.assertEqual(list(tracks.values()), [["main", "later"]])

    def test_zones_by_hand(self) -> None:
        self.script("""
            from greenlet import greenlet
            from tracy import zone, start_tracy_zone, stop_tracy_zone
            def a():
                with zone("za"):
                    start_tracy_zone("f", "ma", 1)
                    b_.switch()
                    stop_tracy_zone()
            def b():
                with zone("zb"):
                    start_tracy_zone("f", "mb", 1)
                    a_.switch()
            a_, b_ = greenlet(a), greenlet(b)
            with zone("outer"): a_.switch()
        """, "-p")
        found = {z["name"]: z["thread"] for z in self.zones()}
        self.assertEqual(found["za"], found["ma"])
        self.assertEqual(found["zb"], found["mb"])
        self.assertEqual(len({found[n] for n in ("outer", "za", "zb")}), 3)

    def test_own_trace_function(self) -> None:
        """One that the program set before is called too."""
        self.assertEqual(self.script("""
            import greenlet
            seen = []
            greenlet.settrace(lambda event, args: seen.append(event))
            def f(): pass
            f()
            g = greenlet.greenlet(f)
            g.switch()
            print(seen)
        """), "['switch', 'switch']\n")

    @unittest.skipUnless(importlib.util.find_spec("gevent"), "no gevent")
    def test_gevent(self) -> None:
        """Tracks are reused: as many as there are greenlets at a time."""
        self.script("""
            import gevent
            def leaf(n): gevent.sleep(0)
            def task(n): leaf(n); leaf(n)
            for i in range(20):
                gevent.joinall([gevent.spawn(task, n) for n in range(3)])
        """)
        mine = [z for z in self.zones() if z["name"] in ("task", "leaf")]
        self.assertEqual(len(mine), 20 * 3 * 3)
        self.assertLess(len({z["thread"] for z in mine}), 10)
        self.assertTrue(all(z["thread"].startswith("greenlet") for z in mine))


if __name__ == "__main__":
    unittest.main()
