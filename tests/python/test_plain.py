# SPDX-License-Identifier: Apache-2.0
"""Without the extension: what it does, libtacho and sys.setprofile do."""
from __future__ import annotations

import os
import sys
import unittest

from support import Case

import test_api
import test_async
import test_zones


@unittest.skipUnless(os.environ.get("TRACY_PLAIN"), "the extension is there")
class Plain(Case):
    def test_is_told(self) -> None:
        self.script("def f(): pass\nf()")
        self.assertIn("there is no extension for this Python", self.stderr)
        self.assertEqual(self.counts()["f"], 1)
        self.script("import sys; print('tracy._plain' in sys.modules)", "-q")
        self.assertEqual(self.stderr, "")
        done = self.python("-c", "import tracy; tracy.signpost('x'); print(tracy.recording())")
        self.assertEqual((done.stdout, done.stderr), ("False\n", ""))

    def test_api(self) -> None:
        test_api.Api.test_records(self)  # type: ignore[arg-type]

    def test_zones(self) -> None:
        for name in ("functions", "generators", "threads", "code_addresses", "lines", "partial"):
            with self.subTest(name):
                getattr(test_zones.Zones, "test_" + name)(self)

    def test_tasks(self) -> None:
        for name in ("names", "tracks", "threads_with_loops"):
            with self.subTest(name):
                getattr(test_async.Tasks, "test_" + name)(self)

    def test_c_calls(self) -> None:
        self.script("""
            import math
            def f(x):
                x.append(math.sqrt(len(x) + 1))
            for i in range(3): f([])
        """, "--c-calls")
        counts = self.counts()
        self.assertEqual([counts[n] for n in ("f", "math.sqrt", "list.append", "len")], [3] * 4)

    def test_filters(self) -> None:
        self.script("""
            def down(n): return down(n - 1) if n else other()
            def other(): pass
            down(9)
        """, "--exclude=other", "--max-depth=4", "--tt-names")
        counts = self.counts()
        self.assertEqual((counts["PY_FUNC_down"], counts["PY_FUNC_other"]), (3, 0))

    def test_children(self) -> None:
        self.script("""
            import subprocess, sys, os
            def parent(): pass
            parent()
            if not os.fork():
                parent(); os._exit(0)
            os.wait()
            subprocess.run([sys.executable, "-c", "def child(): pass\\nchild()"], check=True)
        """)
        counts = self.counts(unfinished=None)
        self.assertEqual((counts["parent"], counts["child"]), (2, 1))

    def test_place_is_taken(self) -> None:
        self.script("""
            import sys
            from tracy import Profiler
            sys.setprofile(lambda *_: None)
            with Profiler(): pass
        """, "-p")
        self.assertIn("another profiler is active", self.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main(defaultTest="Plain"))
