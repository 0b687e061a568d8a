"""The workloads of bench/python.sh, and the table of their ratios.

``python_calls.py ROUNDS`` runs itself once for each workload and each way of profiling and prints the
table; ``python_calls.py run WORKLOAD [FLOOR]`` is one run and prints its best CPU time in seconds,
or what "with zone" costs (zone), or how much of the ring a call takes (bytes).
The floors are what the interpreter charges for an event that is only noted: see python_floor.c. A goal
that is below its floor cannot be met on this machine.
"""
from __future__ import annotations

import asyncio
import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Callable


def fib(n: int = 20) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Node:
    def __init__(self, key: int) -> None:
        self.key, self.left, self.right = key, None, None

    def insert(self, key: int) -> None:
        side = "left" if key < self.key else "right"
        below = getattr(self, side)
        if below is None:
            setattr(self, side, Node(key))
        else:
            below.insert(key)


def classes() -> None:
    tree, key = Node(500), 1
    for _ in range(400):
        key = key * 7919 % 1009
        tree.insert(key)
    text = "\n".join(f"x{i} = [a + {i} for a in range({i}) if a % 3]" for i in range(60))
    ast.unparse(ast.parse(text))
    json.dumps([{"k": [i, {"n": str(i)}]} for i in range(300)], indent=1)


def generators() -> None:
    def numbers(n):
        for i in range(n):
            yield i

    def twice(source):
        for i in source:
            yield 2 * i

    async def task():
        for _ in range(50):
            await asyncio.sleep(0)

    async def tasks():
        await asyncio.gather(*(task() for _ in range(20)))
    sum(twice(twice(numbers(5000))))
    asyncio.run(tasks())


def loop() -> int:
    total = 0
    for i in range(200000):
        total += i & 3
    return total


WORKLOADS: dict[str, Callable] = {"fib": fib, "class": classes, "gen": generators, "loop": loop}
MONITORING = getattr(sys, "monitoring", None)
FUNCTIONS = ("PY_START", "PY_RESUME", "PY_THROW", "PY_RETURN", "PY_YIELD", "PY_UNWIND")
EVENTS = {"functions": FUNCTIONS, "C calls": (*FUNCTIONS, "CALL", "C_RETURN", "C_RAISE"),
          "lines": (*FUNCTIONS, "LINE")}


class Way:
    """A way to run the workloads, with the floor that it measures or the goals that it has."""

    def __init__(self, words: list[str], floor: str = "", goals: dict[str, float] | None = None):
        self.words, self.floor, self.goals = words, floor, goals or {}


def tracy(*words: str, **goals: float) -> Way:
    goals = {work.replace("klass", "class"): goal for work, goal in goals.items()}
    return Way(["-m", "tracy", "-q", *words], goals=goals)


# A floor stands before the way that it is the floor of.
if MONITORING:
    WAYS = {
        "bare": Way([]),
        "floor: monitoring": Way([], "functions"),
        "floor: evaluator": Way([], "eval"),
        "tracy": tracy(fib=2.7, klass=1.45 if sys.version_info < (3, 13) else 1.2, loop=1.0),
        "floor: C calls": Way([], "C calls"),
        "tracy --c-calls": tracy("--c-calls", fib=3.5),
        "floor: lines": Way([], "lines"),
        "tracy --lines": tracy("--lines"),
        "cProfile": Way(["-m", "cProfile", "-o", "profile.out"]),
    }
else:
    WAYS = {
        "bare": Way([]),
        "floor: evaluator": Way([], "eval"),
        "tracy": tracy(fib=2.1, klass=1.25, gen=1.6, loop=1.0),
        "floor: SetProfile": Way([], "profile"),
        "tracy --c-calls": tracy("--c-calls", fib=4.4, klass=2.2),
        "floor: SetTrace": Way([], "trace"),
        "tracy --lines": tracy("--lines", fib=6.0, klass=3.0, loop=3.6),
        "cProfile": Way(["-m", "cProfile", "-o", "profile.out"]),
    }


def set_floor(name: str) -> None:
    """Each event is only noted."""
    import python_floor
    if name not in EVENTS:
        python_floor.set(name)
        return
    MONITORING.use_tool_id(3, "floor")
    mask = 0
    for event in EVENTS[name]:
        bit = getattr(MONITORING.events, event)
        MONITORING.register_callback(3, bit, python_floor.monitor)
        if event not in ("C_RETURN", "C_RAISE"):  # they come with CALL
            mask |= bit
    MONITORING.set_events(3, mask)


def best_of(work: Callable[[], object]) -> float:
    """Of as many runs as fit into a while: the ring's memory is new at first, then used again."""
    best, spent = 1e9, 0.0
    while spent < 0.3:
        start = time.process_time()
        work()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
    return best


def zone_ns() -> float:
    """Of "with zone", less that of an empty loop."""
    from tracy import zone
    again, count = zone("again"), 100000

    def zones():
        for _ in range(count):
            with again:
                pass

    def empty():
        for _ in range(count):
            pass
    return (best_of(zones) - best_of(empty)) / count * 1e9


def call_bytes() -> float:
    """Of the ring, for a call of fib: see docs/ring.md, "One event"."""
    import ctypes
    library = ctypes.CDLL("libtacho.so.0")
    thread = ctypes.c_void_p.in_dll(library, "tacho_self")
    if not thread.value:
        return 0  # nothing of this thread is recorded
    position, calls, least = ctypes.c_uint64.from_address(thread.value), 177, 1e9
    for _ in range(9):  # some come to the end of a segment
        before = position.value; fib(10); after = position.value  # noqa: E702: one line
        if before < after < before + 0x10000:
            least = min(least, (after - before) / calls)
    return least


def one(folder: str, way: list[str], work: str, floor: str = "") -> float:
    done = subprocess.run([sys.executable, *way, os.path.abspath(__file__), "run", work, floor],
                          cwd=folder, check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[0])


def row(name: str, cells: list[str]) -> None:
    print(f"  {name:22}" + "".join(f"{cell:>8}" for cell in cells))


def table(rounds: int) -> None:
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for work in WORKLOADS:
                for name, way in WAYS.items():
                    seconds = one(folder, way.words, work, way.floor)
                    best[name, work] = min(best.get((name, work), 1e9), seconds)
        taken = [one(folder, ["-m", "tracy", "-q", *words], "bytes")
                 for words in ([], ["--c-calls"], ["--lines"])]
        zones = min(one(folder, ["-m", "tracy", "-qp"], "zone") for _ in range(rounds))
    print(f"{sys.executable} {sys.version.split()[0]}")
    row("", list(WORKLOADS))
    for name, way in WAYS.items():
        row(name, [f"{best[name, work] / best['bare', work]:.2f}x" for work in WORKLOADS])
        if way.goals:
            row("  goal", [f"{way.goals[work]:.2f}" if work in way.goals else ""
                           for work in WORKLOADS])
    print(f"  with zone: {zones:.0f} ns (goal 110)")
    print("  ring: {:.1f} bytes per call (goal 16), {:.1f} with --c-calls, {:.1f} with --lines"
          .format(*taken))


if __name__ == "__main__":
    if sys.argv[1] == "run":
        if sys.argv[3]:
            set_floor(sys.argv[3])
        others = {"zone": zone_ns, "bytes": call_bytes}
        print(others[sys.argv[2]]() if sys.argv[2] in others else best_of(WORKLOADS[sys.argv[2]]))
    else:
        table(int(sys.argv[1]))
