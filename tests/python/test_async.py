# SPDX-License-Identifier: Apache-2.0
"""Tasks, exceptions, frames that are older than the recording."""
from __future__ import annotations

import unittest

from support import HOOK, Case

TASKS = """
    import asyncio
    def t_plain(): pass
    async def t_inner(n):
        await asyncio.sleep(0)
        t_plain()
    async def t_outer(n):
        await t_inner(n)
    async def main():
        await asyncio.gather(*(asyncio.create_task(t_outer(i), name=f"job {i}") for i in range(3)))
    asyncio.run(main())
"""


PROFILE = (["--c-calls"], ["-l"])


class Tasks(Case):
    def test_names(self) -> None:
        for words in ([], ["--c-calls"]):
            with self.subTest(words):
                self.script(TASKS, *words)
                zones = [z for z in self.zones() if z["name"] == "t_outer"]
                self.assertEqual(sorted(z["text"] for z in zones),
                                 [f"job {i}" for i in range(3) for _ in range(2)])
                self.assertFalse([z for z in self.zones() if z["name"] == "t_inner" and z["text"]])

    def test_tracks(self) -> None:
        self.script(TASKS, "--task-tracks")
        zones = self.zones()
        for name, count in (("t_outer", 2), ("t_inner", 2), ("t_plain", 1)):
            where = sorted(z["thread"] for z in zones if z["name"] == name)
            self.assertEqual(where, [f"job {i}" for i in range(3) for _ in range(count)])
        self.assertNotIn("job", next(z for z in zones if z["name"] == "<module>")["thread"])

    def test_unusual_names(self) -> None:
        """A name that changes, an empty one, one that is not a string, and a task of another type."""
        self.script("""
            import asyncio
            class Own(asyncio.Task):
                def get_name(self): return "own " + super().get_name()
            async def renamed():
                asyncio.current_task().set_name("before")
                await asyncio.sleep(0)
                asyncio.current_task().set_name("after")
                await asyncio.sleep(0)
            async def empty(): await asyncio.sleep(0)
            async def broken(): await asyncio.sleep(0)
            async def owned(): await asyncio.sleep(0)
            async def raising():
                await asyncio.sleep(0)
                raise KeyError
            async def main():
                tasks = [asyncio.create_task(renamed(), name="first"),
                         asyncio.create_task(empty(), name=""),
                         asyncio.create_task(broken(), name="\\udc80"),
                         Own(owned(), name="task"),
                         asyncio.create_task(raising(), name="failing")]
                await asyncio.gather(*tasks, return_exceptions=True)
            asyncio.run(main())
        """)
        texts = {}
        for z in sorted(self.zones(), key=lambda z: z["start_ns"]):
            texts.setdefault(z["name"], []).append(z["text"])
        self.assertEqual([texts[n] for n in ("renamed", "empty", "broken", "owned")],
                         [["first", "before", "after"], ["", ""], ["", ""],
                          ["own task", "own task"]])
        self.assertEqual(texts["raising"][0], "failing")
        self.assertIn("raised KeyError", texts["raising"][1])

    def test_threads_with_loops(self) -> None:
        self.script("""
            import asyncio, threading
            async def step(n):
                for _ in range(20): await asyncio.sleep(0)
            async def main(n):
                await asyncio.create_task(step(n), name=f"of {n}")
            threads = [threading.Thread(target=lambda n=n: asyncio.run(main(n)), name=f"of {n}")
                       for n in range(3)]
            for t in threads: t.start()
            for t in threads: t.join()
        """)
        steps = [z for z in self.zones() if z["name"] == "step"]
        self.assertEqual(len(steps), 63)
        self.assertFalse([z for z in steps if z["text"] != z["thread"]])


class Exceptions(Case):
    def test_unwound(self) -> None:
        text = """
            def a(): b()
            def b(): raise KeyError
            def fine(): pass
            try: a()
            except KeyError: fine()
        """
        for words in ([], ["--c-calls"], ["-l"], ["--max-depth=9"]):
            with self.subTest(words):
                self.script(text, *words)
                texts = {z["name"]: z["text"] for z in self.zones()}
                # a profile function does not learn which
                raised = "raised an exception" if HOOK and words in PROFILE else "raised KeyError"
                self.assertEqual([texts[n] for n in ("a", "b", "fine", "<module>")],
                                 [raised, raised, "", ""])

    def test_by_hand(self) -> None:
        self.script("""
            from tracy import zone
            from contextlib import ExitStack
            try:
                with zone("failing"): {}["x"]
            except KeyError: pass
            with ExitStack() as stack:
                stack.enter_context(zone("in a stack"))
            z = zone("attributes")
            z.__enter__(); z.__exit__(None, None, None)
            assert type(z).__exit__(z, None, None, None) is False
        """, "-p")
        self.assertEqual({z["name"]: z["text"] for z in self.zones()},
                         {"failing": "raised KeyError", "in a stack": "", "attributes": ""})


class Older(Case):
    TEXT = """
        from tracy import Profiler
        def leaf(): pass
        def f(p):
            p.enable()
            leaf()
        def g():
            leaf()
        def t_outer():
            p = Profiler()
            f(p)
            g()
            leaf()
            p.disable()
        t_outer()
        leaf()
    """

    def test_frames_on_the_stack(self) -> None:
        for words in ([], ["--c-calls"], ["-l"]):
            with self.subTest(words):
                self.script(self.TEXT, "-p", *words)
                counts = self.counts()
                self.assertEqual([counts[n] for n in ("<module>", "t_outer", "f", "g", "leaf")],
                                 [1, 1, 1, 1, 3])
                zones = [z for z in self.zones() if ":" not in z["name"] and z["file"] != "<builtin>"]
                depth = {}
                for z in sorted(zones, key=lambda z: z["start_ns"]):
                    depth.setdefault(z["name"], []).append(z["depth"])
                if not words:
                    self.assertEqual(depth, {"<module>": [0], "t_outer": [1], "f": [2], "g": [2],
                                             "leaf": [3, 3, 2]})

    def test_nothing_older_without_partial(self) -> None:
        self.script("def f(): pass\nf()\n")
        counts = self.counts()
        self.assertEqual([counts["<module>"], counts["f"], counts["_run_code"]], [1, 1, 0])

    def test_other_threads(self) -> None:
        text = """
            import threading, time
            from tracy import Profiler
            go, done = threading.Event(), threading.Event()
            def work():
                go.wait()
                for i in range(10): step()
                done.set()
            def step(): ord("a")
            t = threading.Thread(target=work); t.start()
            with Profiler():
                go.set(); done.wait()
            t.join()
        """
        for words in ([], ["--c-calls"], ["-l"]):
            with self.subTest(words):
                self.script(text, "-p", *words)
                self.assertEqual(self.counts()["step"], 10)
                if words == ["--c-calls"]:
                    self.assertEqual(self.counts()["ord"], 10)

    def test_stopped_while_others_run(self) -> None:
        text = """
            import threading, tracy
            def inner(inside, leave):
                inside.set()
                leave.wait()
            def after(): pass
            def work(go, inside, leave):
                go.wait()
                inner(inside, leave)
                tracy.message("left")
                after()
            events = [[threading.Event() for _ in range(3)] for _ in range(3)]
            threads = [threading.Thread(target=work, args=e) for e in events]
            for t in threads: t.start()
            with tracy.Profiler():
                for go, inside, _ in events: go.set(); inside.wait()
            for t, (_, inside, leave) in zip(threads, events):
                leave.set(); t.join()
                inner(inside, leave)  # what one thread does must not hide it from the others
        """
        for words in ([], ["--c-calls"], ["-l"], ["--min-duration=1us"]):
            with self.subTest(words):
                self.script(text, "-p", *words)
                counts = self.counts()
                self.assertEqual([counts["inner"], counts["after"]], [3, 0])
                left = {m["thread"]: m["time_ns"] for m in self.read("messages")}
                for zone in self.zones():
                    if zone["name"] == "inner":
                        end = zone["start_ns"] + zone["duration_ns"]
                        self.assertLessEqual(end, left[zone["thread"]])

    def test_across_own_zones(self) -> None:
        """Recording begins and ends within zones that the program has begun before."""
        text = """
            import tracy
            p = tracy.Profiler()
            def step(): pass
            def begins_inside():
                for i in range(4):
                    with tracy.zone("one"):
                        if i == 1: p.enable()
                        step()
                        if i == 2: p.disable()
            def ends_inside():
                p.enable()
                for i in range(3):
                    with tracy.zone("two"):
                        tracy.start_tracy_zone("file", "three", 1)
                        step()
                        if i == 1: p.disable()
                        tracy.stop_tracy_zone()
            begins_inside()
            ends_inside()
        """
        for words in ([], ["--c-calls"], ["-l"], ["--min-duration=1ns"], ["--max-depth=9"]):
            with self.subTest(words):
                self.script(text, "-p", *words)
                counts = self.counts()  # none was crossed by another
                self.assertEqual([counts[n] for n in ("step", "one", "two", "three")], [4, 4, 3, 3])
                self.assertFalse([n for n in counts if n.startswith("tracy.zone")])
                zones = sorted(self.zones(), key=lambda z: z["start_ns"])
                inside = [z["depth"] for z in zones if z["name"] in ("two", "three")][:4]
                self.assertEqual(inside, [2, 3, 2, 3])

    def test_own_zone_ended_by_another_function(self) -> None:
        text = """
            import tracy
            p, z = tracy.Profiler(), tracy.zone("own")
            def after(): pass
            def end(): z.__exit__(None, None, None)
            z.__enter__()
            p.enable()
            end(); after()
            p.disable()
        """
        for words in (["--c-calls"], ["-l"], ["--min-duration=1ns"], ["--max-depth=9"]):
            with self.subTest(words):
                self.script(text, "-p", *words)
                counts = self.counts()
                self.assertEqual([counts["own"], counts["after"]], [1, 1])

    def test_on_and_off_while_others_run(self) -> None:
        text = """
            import sys, threading, tracy
            sys.setswitchinterval(1e-5)
            running = True
            def leaf(): return len("abc")
            def failing(): raise KeyError
            def several():
                for i in range(3):
                    leaf(); yield i
            def nested(n):
                if n: nested(n - 1)
                try: failing()
                except KeyError: pass
                for _ in several(): pass
                with tracy.zone("own"): leaf()
            def work():
                while running: nested(4)
            threads = [threading.Thread(target=work) for _ in range(2)]
            for t in threads: t.start()
            for i in range(100):
                with tracy.Profiler(): nested(2)
                nested(1)
            running = False
            for t in threads: t.join()
        """
        for words in ([], ["--c-calls"], ["-l"], ["--max-depth=5"]):
            with self.subTest(words):
                self.script(text, "-p", *words)
                self.assertGreater(self.counts()["nested"], 100)

    def test_enabled_in_a_fixture(self) -> None:
        self.script("""
            from tracy import Profiler
            p = Profiler()
            def start(): helper()
            def helper(): p.enable()
            def stop(): p.disable()
            def body(): pass
            for _ in range(3):
                start(); body(); body(); stop()
            body()
        """, "-p")
        counts = self.counts()
        self.assertEqual([counts[n] for n in ("start", "helper", "body", "<module>")], [3, 3, 6, 3])


class Decorated(Case):
    def test_asynchronous_generator(self) -> None:
        self.script("""
            import asyncio, inspect
            from tracy import zone
            closed = []
            @zone("steps")
            async def numbers(n):
                try:
                    for i in range(n):
                        await asyncio.sleep(0)
                        try:
                            got = yield i
                        except ValueError:
                            got = yield "caught"
                        if got: yield got
                finally:
                    closed.append(n)
            async def main():
                assert [i async for i in numbers(3)] == [0, 1, 2]
                a = numbers(9)
                assert await a.__anext__() == 0 and await a.asend("sent") == "sent"
                assert await a.__anext__() == 1
                assert await a.athrow(ValueError) == "caught"
                await a.aclose()
                assert closed == [3, 9], closed
                try:
                    await a.__anext__()
                except StopAsyncIteration: pass
            assert inspect.isasyncgenfunction(numbers)
            asyncio.run(main())
        """, "-p")
        self.assertGreaterEqual(self.counts()["steps"], 7)


if __name__ == "__main__":
    unittest.main()
