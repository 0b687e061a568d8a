# SPDX-License-Identifier: Apache-2.0
"""Inside pytest and IPython, where an interpreter has them."""
from __future__ import annotations

import importlib.util
import os
import shutil
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
        for words, helpers in (([], 1), (["--tracy=call"], 2), (["--tracy"], 4),
                               (["--tracy=session"], 4)):
            with self.subTest(words):
                self.tracy("-p", "-m", "pytest", "-q", *words, "test_it.py", status=1)
                counts = self.counts()
                self.assertEqual(counts["helper"], helpers)
                self.assertEqual([counts[n] for n in ("test_it.py::test_one", "setup", "call",
                                                      "teardown")], [1, 3, 3, 3])

    def test_lines(self) -> None:
        """As the guide prints it: lines of the tests that ask for it, a hint if none does."""
        self.write("test_it.py", TESTS)
        self.tracy("-p", "-l", "-m", "pytest", "-q", "test_it.py", status=1)
        self.assertNotIn("enabled none", self.stderr)
        self.assertEqual([self.counts()[n] for n in ("test_two:10", "helper:3", "test_one:9")],
                         [1, 1, 0])
        self.write("test_none.py", "def test_none(): pass")
        self.tracy("-p", "-l", "-m", "pytest", "-q", "test_none.py")
        self.assertRegex(self.stderr, "-p records only .* enabled none: give a test the fixture")

    def test_marker(self) -> None:
        self.write("test_it.py", """
            import pytest
            def helper():
                a = 1
                return a
            @pytest.mark.tracy
            def test_one(): helper()
            @pytest.mark.tracy(lines=True)
            def test_lines(): helper()
            def test_none(): helper()
        """)
        self.tracy("-p", "-m", "pytest", "-q", "--strict-markers", "test_it.py")
        counts = self.counts()
        self.assertEqual([counts[n] for n in ("helper", "helper:4", "helper:5")], [2, 1, 1])

    def test_without_extension(self) -> None:
        self.write("test_it.py", TESTS)
        self.write("tracy/__init__.py", "raise ImportError")
        package = os.path.join(os.environ["BUILD"], "python/tracy/pytest_plugin.py")
        shutil.copy(package, os.path.join(self.folder, "plugin.py"))
        done = self.python("-m", "pytest", "-q", "-p", "plugin", "--tracy", "test_it.py")
        self.assertIn("1 failed, 2 passed", done.stdout, done.stderr)

    def test_without_recorder(self) -> None:
        self.write("test_it.py", TESTS)
        done = self.python("-m", "pytest", "-q", "-p", "tracy.pytest_plugin", "test_it.py")
        self.assertIn("1 failed, 2 passed", done.stdout, done.stderr)


@unittest.skipUnless(importlib.util.find_spec("IPython"), "no IPython")
class IPython(Case):
    """It has a thread that saves the history, whose zones may be open when a cell ends."""

    def test_magics(self) -> None:
        self.script("""
            from IPython.core.error import UsageError
            from IPython.core.interactiveshell import InteractiveShell
            shell = InteractiveShell.instance()
            shell.run_line_magic("load_ext", "tracy")
            shell.run_cell("def f(): return 1")
            shell.run_line_magic("tracy", "f()")
            shell.run_cell("%%tracy two calls\\nf()\\nx = f()")
            assert shell.user_ns["x"] == 1
        """, "-p")
        counts = self.counts(unfinished=None)
        self.assertEqual([counts[n] for n in ("f", "f()", "two calls")], [3, 1, 1])

    def test_lines_and_errors(self) -> None:
        told = self.script("""
            from IPython.core.error import UsageError
            from IPython.core.interactiveshell import InteractiveShell
            shell = InteractiveShell.instance()
            shell.run_line_magic("load_ext", "tracy")
            shell.run_cell("def f():\\n    a = 1\\n    return a")
            shell.run_cell_magic("tracy", "-l by lines", "f()")
            shell.run_cell_magic("tracy", "-p only zones", "f()")
            shell.run_line_magic("tracy", "f()")
            for line in ("-o x.tacho f()", "-x f()", "-o"):
                try:
                    shell.run_line_magic("tracy", line)
                except UsageError as error:
                    print(error)
            shell.run_cell("%%tracy\\n%tracy 1 / 0")
            shell.run_cell("%%tracy\\nx = ")
            shell.run_cell("1 / 0")
        """, "-p")
        for error, times in (("division by zero", 2), ("invalid syntax", 1)):
            self.assertEqual(told.count(error), times, told)  # each of them once
        counts = self.counts(unfinished=None)
        self.assertEqual([counts[n] for n in ("f", "f:2", "f:3", "by lines", "only zones")],
                         [2, 1, 1, 1, 1])

    def test_trace_of_its_own(self) -> None:
        path = self.write("script.py", """
            from IPython.core.error import UsageError
            from IPython.core.interactiveshell import InteractiveShell
            shell = InteractiveShell.instance()
            shell.run_line_magic("load_ext", "tracy")
            shell.run_cell("def f(): return 1")
            for i in range(2):
                trace = shell.run_cell_magic("tracy", "-o 'my trace.tacho' mine", "f()\\nf()")
                print(trace.path)
            print(shell.run_line_magic("tracy", "f()"))
            from tracy import recording
            assert not recording()
            try:
                shell.run_line_magic("tracy", "-o no/such/folder/x f()")
            except UsageError as error:
                print(error)
        """)
        done = self.python(path)
        lines = [line for line in done.stdout.splitlines() if "Out[" not in line]
        folder = os.path.realpath(self.folder)
        self.assertEqual([os.path.realpath(line) for line in lines[:2]],
                         [os.path.join(folder, "my trace.tacho")] * 2, done.stderr)
        self.assertIn("trace: ", lines[2])
        self.assertIn("no/such/folder", lines[3])
        for name, expected in (("my trace.tacho", 2), ("tracy_cell.tacho", 1)):
            shutil.copy(os.path.join(self.folder, name), self.write("generated/profiler/.logs/x", "")
                        [:-1] + "tracy_profile_log_host.tacho")
            self.assertEqual(self.counts(unfinished=None)["f"], expected)


if __name__ == "__main__":
    unittest.main()
