"""The workloads of bench/python.sh, and the table of their ratios.

``python_calls.py ROUNDS`` runs itself once for each workload and each way of profiling and prints the
table; ``python_calls.py run WORKLOAD [FLOOR]`` is one run and prints its best CPU time in seconds.
The floors are what the interpreter charges for an event that is only noted: see python_floor.c.
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
# Words before the script, and the floor that the run is to measure.
WAYS: dict[str, tuple[list[str], str]] = {
    "bare": ([], ""),
    "floor": ([], "functions"),
    "tracy": (["-m", "tracy", "-q"], ""),
    "SetProfile floor": ([], "profile"),
    "tracy --c-calls": (["-m", "tracy", "-q", "--c-calls"], ""),
    "SetTrace floor": ([], "trace"),
    "tracy --lines": (["-m", "tracy", "-q", "--lines"], ""),
    "cProfile": (["-m", "cProfile", "-o", "profile.out"], ""),
}


def set_floor(name: str) -> None:
    """The way that tracy takes for functions: a frame evaluator, or sys.monitoring."""
    import python_floor
    monitoring = getattr(sys, "monitoring", None)
    if name != "functions" or not monitoring:
        python_floor.set("eval" if name == "functions" else name)
        return
    monitoring.use_tool_id(3, "floor")
    mask = 0
    for event in ("PY_START", "PY_RESUME", "PY_THROW", "PY_RETURN", "PY_YIELD", "PY_UNWIND"):
        bit = getattr(monitoring.events, event)
        monitoring.register_callback(3, bit, python_floor.monitor)
        mask |= bit
    monitoring.set_events(3, mask)


def best_of(work: Callable[[], object]) -> float:
    """Of as many runs as fit into a while: the ring's memory is new at first, then used again."""
    best, spent = 1e9, 0.0
    while spent < 0.6:
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


def one(folder: str, way: list[str], work: str, floor: str = "") -> float:
    done = subprocess.run([sys.executable, *way, os.path.abspath(__file__), "run", work, floor],
                          cwd=folder, check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[0])


def table(rounds: int) -> None:
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for work in WORKLOADS:
                for way, (words, floor) in WAYS.items():
                    seconds = one(folder, words, work, floor)
                    best[way, work] = min(best.get((way, work), 1e9), seconds)
        zones = min(one(folder, ["-m", "tracy", "-qp"], "zone") for _ in range(rounds))
    print(f"{sys.executable} {sys.version.split()[0]}")
    print(f"  {'':18}" + "".join(f"{work:>8}" for work in WORKLOADS))
    for way in WAYS:
        print(f"  {way:18}" + "".join(f"{best[way, work] / best['bare', work]:7.2f}x"
                                      for work in WORKLOADS))
    print(f"  with zone: {zones:.0f} ns")


if __name__ == "__main__":
    if sys.argv[1] == "run":
        if sys.argv[3]:
            set_floor(sys.argv[3])
        print(zone_ns() if sys.argv[2] == "zone" else best_of(WORKLOADS[sys.argv[2]]))
    else:
        table(int(sys.argv[1]))
