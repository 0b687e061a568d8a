# SPDX-License-Identifier: Apache-2.0
"""What programs call by hand."""
from __future__ import annotations

import time
import unittest

from support import Case


class Api(Case):
    def test_inert(self) -> None:
        done = self.python("-c", """if True:
            import sys
            before = set(sys.modules)
            import tracy
            assert not tracy.recording()
            with tracy.Profiler(), tracy.zone("x"):
                tracy.signpost("a"); tracy.message("b"); tracy.plot("c", 1); tracy.frame()
            assert tracy.stop_tracy_zone()
            new = {name for name in sys.modules if not name.startswith("tracy")} - before
            assert new <= {"__future__"}, new
        """)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_records(self) -> None:
        self.script("""
            import asyncio, tracy
            from tracy import zone
            tracy.signpost("start")
            tracy.signpost(header="stop", message="two words")
            tracy.message("odd \\udce9")
            tracy.tracy_message(message="of a guide", color=0xff)
            tracy.plot("p", 1); tracy.plot("p", 2.5)
            tracy.frame()
            tracy.alloc(4096, 64); tracy.free(4096)
            tracy.set_thread_name("the main one")
            tracy.start_tracy_zone("file.py", "by hand", lineNum=7)
            tracy.start_tracy_zone("file.py", "again", line_number=8, color=0xff)
            assert tracy.stop_tracy_zone("renamed") is False
            assert tracy.stop_tracy_zone() is False and tracy.stop_tracy_zone() is True
            again = zone("again and again", color=0xff0000)
            def nested(n):
                with again:
                    return nested(n - 1) if n else 0
            nested(2)
            @zone
            def plain(x): return x
            @zone("steps")
            def gen():
                got = yield 1
                return got
            @zone("async")
            async def coroutine():
                await asyncio.sleep(0)
                return 5
            def run():
                got = yield from gen()
                assert got == "sent"
            g = run(); next(g)
            try: g.send("sent")
            except StopIteration: pass
            assert plain(3) == 3 and asyncio.run(coroutine()) == 5
            try:
                with zone("failing"): 1 / 0
            except ZeroDivisionError: pass
        """, "-p")
        self.assertEqual(self.counts(), {"by hand": 1, "renamed": 1, "again and again": 3,
                                         "plain": 1, "steps": 2, "async": 2, "failing": 1})
        texts = [m["text"] for m in self.read("messages")]
        self.assertEqual(texts, ["`TT_SIGNPOST: start`", "`TT_SIGNPOST: stop\ntwo words`",
                                 "odd \\udce9", "of a guide"])
        hand = next(z for z in self.zones() if z["name"] == "by hand")
        self.assertEqual((hand["file"], hand["line"], hand["thread"]),
                         ("file.py", 7, "the main one"))
        plain = next(z for z in self.zones() if z["name"] == "plain")
        self.assertTrue(plain["file"].endswith("script.py"))

    def test_odd_names(self) -> None:
        """What UTF-8 cannot carry is escaped, everywhere."""
        self.script("""
            import tracy
            odd = "odd \\udce9"
            tracy.signpost(odd); tracy.frame(odd); tracy.plot(odd, 1); tracy.set_thread_name(odd)
            tracy.alloc(64, 1, odd); tracy.free(64, odd)
            tracy.start_tracy_zone(odd, odd, 1); tracy.stop_tracy_zone(odd)
            with tracy.zone(odd, text=odd): pass
            for wrong in (lambda: tracy.plot(None, 1), lambda: tracy.plot(odd, "x"), lambda: tracy.frame(1),
                          lambda: tracy.alloc(64, 1, b"x"), lambda: tracy.stop_tracy_zone(5)):
                try: wrong()
                except TypeError: continue
                raise AssertionError(wrong)
        """)
        self.assertEqual(self.counts()["odd \\udce9"], 2)
        self.assertEqual({row["name"] for row in self.read("plots")}, {"odd \\udce9"})

    def test_decorated(self) -> None:
        self.script("""
            import functools
            from tracy import zone
            class Callable:
                def __call__(self): return 1
            class Some:
                @zone
                @classmethod
                def of_class(cls): return cls
                @zone("static")
                @staticmethod
                def of_nobody(): return 2
                @zone
                @functools.lru_cache
                def cached(self): return 3
            assert Some().of_class() is Some and Some.of_class() is Some and Some().of_nobody() == 2
            assert Some().cached() == 3
            assert zone(Callable())() == 1 and zone(len)("ab") == 2
            assert zone(functools.partial(int, "5"))() == 5
            for wrong in (Some, 5, None):
                for made in (zone, zone("x")):
                    try: made(wrong)
                    except TypeError as error: assert "a name or a function" in str(error), error
                    else: raise AssertionError(wrong)
        """, "-p")
        counts = self.counts()
        self.assertEqual({name.rpartition(".")[2]: n for name, n in counts.items()},
                         {"of_class": 2, "static": 1, "cached": 1, "Callable": 1, "len": 1,
                          "partial": 1})

    def test_import_is_quick(self) -> None:
        """It loads nothing that a program may not want; bench/python.sh has its time."""
        loaded = self.python("-c", """if True:
            import sys; before = set(sys.modules); import tracy; print(*set(sys.modules) - before)
        """).stdout.split()
        self.assertEqual(set(loaded), {"__future__", "tracy", "tracy._api", "tracy._query",
                                       "tracy._session", "tracy._tracy"})


if __name__ == "__main__":
    unittest.main()
