# SPDX-License-Identifier: Apache-2.0
"""Which functions become zones, when not all do; and their colours."""
from __future__ import annotations

import unittest

from support import Case


class Filters(Case):
    def test_filters(self) -> None:
        text = """
            import json
            def a(): b()
            def b(): json.dumps([1], indent=1)
            a()
        """
        self.script(text, "--include=*/script.py")
        self.assertEqual(set(self.counts()), {"<module>", "a", "b"})
        self.script(text, "--exclude=b", "--exclude=*/json/*")
        self.assertFalse({"b", "dumps"} & set(self.counts()))
        for words in ([], ["--c-calls"], ["-l"]):
            self.script(text, "--max-depth=2", *words)
            self.assertEqual({z["depth"] for z in self.zones()}, {0, 1})
            self.script("""
                def down(n):
                    if n: down(n - 1)
                down(9)
                def after(): pass
                after()
            """, "--max-depth=4", *words)
            zones = self.zones()
            self.assertEqual({z["depth"] for z in zones}, {0, 1, 2, 3})
            first = min(z["start_ns"] for z in zones if z["name"] == "after")
            ends = [z["start_ns"] + z["duration_ns"] for z in zones if z["name"] == "down"]
            self.assertLessEqual(max(ends), first)
            self.assertEqual(len(ends), 1 if words == ["-l"] else 3)
        self.script(text, "--tt-names")
        self.assertEqual(self.counts()["PY_FUNC_a"], 1)

    def test_log_gc(self) -> None:
        text = """
            import gc
            gc.disable()
            def cycle():
                a = []
                a.append(a)
            def collects():
                for i in range(7): cycle()
                gc.collect()
            collects(); gc.collect(0); collects()
        """
        self.script(text, "--include=*script.py")
        self.assertFalse([name for name in self.counts() if "gc" in name])
        self.script(text, "--include=*script.py", "--log-gc")
        counts = self.counts()
        self.assertEqual(counts["gc generation 0"], 1)
        # The interpreter collects all at its end.
        self.assertIn(counts["gc generation 2"], range(2, 6))
        self.assertEqual(counts["collects"], 2)
        self.assertNotIn("collected", counts)
        zones = self.zones()
        outer = [z for z in zones if z["name"] == "collects"]
        inner = [z for z in zones if z["name"] == "gc generation 2"]
        for z in outer:
            self.assertEqual(sum(z["start_ns"] <= c["start_ns"] < z["start_ns"] + z["duration_ns"]
                                 and c["depth"] == z["depth"] + 1 for c in inner), 1)

    def test_min_duration(self) -> None:
        text = """
            import time
            from tracy import message, zone
            def quick(): pass
            def slow():
                quick(); time.sleep(0.02); quick()
            def caller():
                quick(); slow(); quick()
            def tells(): message("x")
            def marks():
                with zone("mark"): quick()
            for i in range(50): quick()
            caller(); tells(); marks(); caller()
        """
        for words in ([], ["--c-calls"]):
            with self.subTest(words):
                self.script(text, "--min-duration=10ms", "--include=*script.py", *words)
                counts = self.counts()
                self.assertEqual({n: counts[n] for n in ("<module>", "caller", "slow", "tells",
                                                         "marks", "mark")},
                                 {"<module>": 1, "caller": 2, "slow": 2, "tells": 1, "marks": 1,
                                  "mark": 1})
                # On a busy machine some took long indeed.
                self.assertLess(counts["quick"], 59)
                self.assertEqual([z for z in self.zones()
                                  if z["name"] == "quick" and z["duration_ns"] < 9.9e6], [])
                depth = {z["name"]: z["depth"] for z in self.zones()}
                self.assertEqual([depth[n] for n in ("caller", "slow", "marks", "mark")],
                                 [1, 2, 1, 2])
                self.assertEqual(counts["exec"], 0)  # the profiler's own call
        for wrong in ("10", "ms", "-1ms", "1e99s", "nans"):
            self.tracy("--min-duration=" + wrong, "-c", "pass", status=2)
            self.assertIn("is not a time", self.stderr)

    def test_signposts(self) -> None:
        text = """
            from tracy import signpost
            def f(): pass
            def g(): pass
            def h(): pass
            f(); signpost("start"); g(); signpost("stop", "x"); h()
            signpost("start"); g(); signpost("stop"); h()
        """
        for words, expected in ((["--start-signpost=start", "--end-signpost=stop"], [0, 2, 0]),
                                (["--start-signpost=start"], [0, 2, 2]),
                                (["--end-signpost=stop"], [1, 1, 0]),
                                (["-p", "--start-signpost=start", "--end-signpost=stop"],
                                 [0, 2, 0])):
            with self.subTest(words):
                self.script(text, *words)
                counts = self.counts()
                self.assertEqual([counts[n] for n in "fgh"], expected)

    def test_site_packages(self) -> None:
        self.write("lib/site-packages/pack.py", "def inside(call): call()\n")
        text = """
            import sys
            sys.path.append("lib/site-packages")
            import pack
            def mine(): pass
            pack.inside(mine)
        """
        self.script(text)
        self.assertEqual([self.counts()[n] for n in ("inside", "mine")], [1, 1])
        self.script(text, "--hide-site-packages")
        self.assertEqual([self.counts()[n] for n in ("inside", "mine")], [0, 1])

    def test_colors(self) -> None:
        def colors() -> dict:
            return {z["name"]: z["color"] for z in self.zones()}
        self.script("import json\ndef f(): pass\nf(); json.dumps([1], indent=1)\n")
        first = colors()
        self.script("import json\njson.dumps([1], indent=1)\n")
        self.assertEqual(colors()["dumps"], first["dumps"])
        self.assertRegex(first["f"], "^#[0-9a-f]{6}$")
        self.assertNotEqual(first["dumps"], first["f"])


if __name__ == "__main__":
    unittest.main()
