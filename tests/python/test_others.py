# SPDX-License-Identifier: Apache-2.0
"""Beside other profilers, debuggers, frame evaluators and binding generators."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import unittest

from support import HOOK, Case

OTHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "other.c")


class Others(Case):
    def test_cprofile(self) -> None:
        text = """
            import cProfile, io, pstats
            def f(): pass
            f()
            p = cProfile.Profile(); p.enable(); f(); p.disable()
            f()
            out = io.StringIO(); pstats.Stats(p, stream=out).print_stats("f")
            assert "(f)" in out.getvalue()
        """
        self.script(text)
        self.assertEqual(self.counts()["f"], 3)
        self.assertNotIn("another tool", self.stderr)
        self.script(text, "--c-calls")
        if HOOK:  # there is one place for a profile function, and cProfile takes it
            self.assertIn("another tool has taken the place of this one (sys.setprofile)",
                          self.stderr)
            self.assertEqual(self.counts(unfinished=2)["f"], 1)
            self.assertTrue([m for m in self.read("messages") if "another tool" in m["text"]])
        else:
            self.assertEqual(self.counts()["f"], 3)

    def test_trace_functions(self) -> None:
        """As coverage and debuggers set them."""
        text = """
            import sys
            def f(): pass
            def tracer(frame, event, arg):
                seen.append(event)
                return tracer
            seen = []
            f(); sys.settrace(tracer); f(); sys.settrace(None); f()
            assert "line" in seen
        """
        for words in ([], ["--c-calls"]):
            self.script(text, *words)
            self.assertEqual(self.counts()["f"], 3)
            self.assertNotIn("another tool", self.stderr)
        self.script(text, "-l")
        if HOOK:
            self.assertIn("another tool has taken the place of this one (sys.settrace)",
                          self.stderr)
        else:
            self.assertEqual(self.counts()["f"], 3)

    def test_they_do_not_see_this_one(self) -> None:
        text = """
            import sys
            seen = set()
            def tracer(frame, event, arg):
                seen.add(frame.f_code.co_filename)
                return tracer
            def f(): pass
            def g(): f()
            {}(tracer); g(); {}(None)
            assert seen == {{__file__}}, seen
        """
        for setter in ("sys.settrace", "sys.setprofile"):
            for words in ([], ["--exclude=nothing*"]):
                self.script(text.format(setter, setter), *words)
                self.assertEqual(self.counts()["f"], 1)

    @unittest.skipUnless(HOOK, "sys.monitoring has room for several")
    def test_place_is_taken(self) -> None:
        for setter, words, what in (("setprofile", ["--c-calls"], "another profiler is active"),
                                    ("settrace", ["-l"], "another debugger or coverage tool")):
            self.script(f"""
                import sys
                from tracy import Profiler
                mine = lambda *a: None
                sys.{setter}(mine)
                with Profiler(): pass
                assert sys.{setter.replace("set", "get")}() is mine
            """, "-p", *words)
            self.assertIn(what, self.stderr)

    def test_pdb(self) -> None:
        path = self.write("script.py", """
            import pdb
            def f(): return 5
            f()
            pdb.set_trace()
            f()
        """)
        out = self.tracy(path, input="p f() + 1\nc\n")
        self.assertIn("6", out)
        # sys.monitoring does not report a debugger's calls
        self.assertEqual(self.counts()["f"], 3 if sys.version_info < (3, 13) else 2)

    @unittest.skipUnless(HOOK, "no other interpreter may have the extension")
    def test_interpreters(self) -> None:
        """Another one in the process cannot change what is recorded; its program does not mind."""
        out = self.script("""
            import _xxsubinterpreters as interpreters
            text = "from tracy import Profiler; Profiler().enable(); print('there')"
            interpreters.run_string(interpreters.create(), text)
            def f(): pass
            f()
        """)
        self.assertEqual(out, "there\n")
        self.assertEqual(self.counts()["f"], 1)

    @unittest.skipIf(HOOK, "there is no sys.monitoring")
    def test_tool_numbers(self) -> None:
        self.script("""
            import sys
            from tracy import Profiler
            def f(): pass
            for n in (4, 3): sys.monitoring.use_tool_id(n, "x")
            with Profiler(): f()
            sys.monitoring.use_tool_id(2, "x")
            with Profiler(): f()
        """, "-p")
        self.assertEqual(self.counts()["f"], 1)
        self.assertIn("have taken all tool numbers", self.stderr)


@unittest.skipUnless(shutil.which("cc"), "no compiler")
class Extensions(Case):
    def setUp(self) -> None:
        super().setUp()
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-I" + sysconfig.get_paths()["include"],
                        OTHER, "-o", os.path.join(self.folder, "other" + sysconfig.get_config_var(
                            "EXT_SUFFIX"))], check=True)

    def test_evaluator_that_was_there(self) -> None:
        self.script("""
            import other, sys
            from tracy import Profiler
            def f(): pass
            other.install(False)
            before = other.count(); f(); assert other.count() == before + 1
            with Profiler():
                assert other.on_top() == (sys.version_info >= (3, 12))  # by sys.monitoring
                f()  # the first time the filter is asked, which has frames of its own
                before = other.count(); f(); assert other.count() == before + 1
            assert other.on_top()
            before = other.count(); f(); assert other.count() == before + 1
        """, "-p")
        self.assertEqual(self.counts()["f"], 2)
        self.assertNotIn("another", self.stderr)

    def test_evaluator_that_comes_later(self) -> None:
        self.script("""
            import other
            from tracy import Profiler
            def f(): pass
            p = Profiler()
            p.enable(); other.install(True); f(); p.disable()   # stays below the other
            assert other.on_top()
            f()
            p.enable(); f(); p.disable()
            other.remove()
            p.enable(); f(); p.disable()
            f()
        """, "-p")
        self.assertEqual(self.counts()["f"], 3)
        self.assertNotIn("another", self.stderr)

    def test_evaluator_for_a_while(self) -> None:
        self.script("""
            import other
            def f(): pass
            f(); other.install(True); f(); other.remove(); f()
        """)
        self.assertEqual(self.counts()["f"], 3)
        self.assertNotIn("another", self.stderr)

    @unittest.skipIf(sys.version_info >= (3, 13), "sys.monitoring reports functions")
    def test_evaluator_that_calls_nobody(self) -> None:
        self.script("""
            import other
            def f(): pass
            f(); other.install(False); f()
        """)
        self.assertEqual(self.counts()["f"], 1)
        self.assertIn("another tool has taken the place of this one (the frame evaluator)",
                      self.stderr)

    def test_names_of_bound_functions(self) -> None:
        self.script("""
            import other
            one, two = other.function("one"), other.function("two")
            for i in range(3): one(); two()
            for i in range(300): other.function(f"f{i}")()      # each at the address of the last
            for i in range(300): other.captured(f"c{i}")()
        """, "--c-calls")
        counts = self.counts()
        self.assertEqual([i for i in range(300) if counts[f"bindings.c{i}"] != 1], [])
        if not HOOK:  # a profile function gets no events for called objects
            self.assertEqual([counts["bindings.Class.one"], counts["bindings.Class.two"]], [3, 3])
            self.assertEqual([i for i in range(300) if counts[f"bindings.Class.f{i}"] != 1], [])

    def test_wrapped(self) -> None:
        self.script("""
            import other, types, tracy
            module = types.ModuleType("bindings")
            module.one, module.two = other.function("one"), other.captured("two")
            module.inner = types.ModuleType("bindings.inner")
            module.inner.three, module.inner.value = other.function("three"), 5
            module.inner.python = lambda: 7
            module.__dunder__ = keep = other.function("dunder")
            module.inner.back = module
            assert tracy.wrap(module) is module
            module.one(); module.two(); module.inner.three(); module.inner.python()
            assert module.__dunder__ is keep and module.inner.value == 5
            assert module.one.__name__ == "one"
        """, "-p")
        self.assertEqual(self.counts(), {"bindings.Class.one": 1, "bindings.two": 1,
                                         "bindings.Class.three": 1})


if __name__ == "__main__":
    unittest.main()
