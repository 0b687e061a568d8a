"""Inside pytest and IPython, where an interpreter has them."""
from __future__ import annotations

import importlib.util
import unittest

from support import Case

TESTS = """
    import pytest
    def helper(): pass
    @pytest.fixture
    def thing():
        helper()
        yield 1
        helper()
    def test_one(thing): helper()
    def test_two(tracy_profile): helper()
    def test_bad(): assert False
"""


@unittest.skipUnless(importlib.util.find_spec("pytest"), "no pytest")
class Pytest(Case):
    def test_zones(self) -> None:
        self.write("test_it.py", TESTS)
        for words, helpers in ((["-p"], 1), (["-p", "--tracy=call"], 2), (["-p", "--tracy"], 4)):
            with self.subTest(words):
                self.tracy(words[0], "-m", "pytest", "-q", "test_it.py", *words[1:], status=1)
                counts = self.counts()
                self.assertEqual(counts["helper"], helpers)
                self.assertEqual([counts[n] for n in ("test_it.py::test_one", "setup", "call",
                                                      "teardown")], [1, 3, 3, 3])

    def test_without_recorder(self) -> None:
        self.write("test_it.py", TESTS)
        done = self.python("-m", "pytest", "-q", "-p", "tracy.pytest_plugin", "test_it.py")
        self.assertIn("1 failed, 2 passed", done.stdout)


@unittest.skipUnless(importlib.util.find_spec("IPython"), "no IPython")
class IPython(Case):
    def test_magics(self) -> None:
        self.script("""
            from IPython.core.interactiveshell import InteractiveShell
            shell = InteractiveShell.instance()
            shell.run_line_magic("load_ext", "tracy")
            shell.run_cell("def f(): return 1")
            shell.run_line_magic("tracy", "f()")
            shell.run_cell("%%tracy two calls\\nf()\\nx = f()")
            assert shell.user_ns["x"] == 1
        """, "-p")
        counts = self.counts()
        self.assertEqual([counts[n] for n in ("f", "f()", "two calls")], [3, 1, 1])


if __name__ == "__main__":
    unittest.main()
