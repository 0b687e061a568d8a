# SPDX-License-Identifier: Apache-2.0
"""The workloads of bench/python.sh, and the table of their ratios.

``python_calls.py TURNS`` prints the table. For a workload the bare run and each way of profiling is
a process of its own (``python_calls.py run WORKLOAD [FLOOR]``) that stays: for each line that it
reads it runs the workload so many times and answers with the CPU seconds. One of them runs at a
time, turn after turn. A processor may change its speed by half within a second, so one more process
without a profiler runs before and after each; the result is the ratio to these neighbours.
It has more of its data in the caches than those that wait for their turn: all ratios are divided by
the median of that of the bare run. The table has their medians over the turns, and as "±" half the
distance of the quartiles. After TURNS turns all restart, three times: where the memory of a
process lies makes a difference of 2 %.
``run zone`` prints what "with zone" costs, ``run import`` what "import tracy" does, ``run bytes``
how much of the ring a call takes.
The floors are what the interpreter charges for an event that is only noted: see python_floor.c. A
goal that is below its floor cannot be met on this machine.
"""
from __future__ import annotations

import asyncio
import ast
import json
import os
import statistics
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
        self.words, self.floor, self.goals = [sys.executable, *words], floor, goals or {}


def tracy(*words: str, **goals: float) -> Way:
    """Like "python -m tracy", without the files that it writes after the program's end."""
    way = Way(["-m", "tracy", "--no-capture-tool", *words])
    way.words[:0] = ["tacho", "run", "--wrapped", "-qf", "-o", "trace.tacho", "--"]
    way.goals = {work.replace("klass", "class"): goal for work, goal in goals.items()}
    return way


# A floor precedes the way it belongs to.
if MONITORING:
    WAYS = {
        "bare": Way([]),
        "floor: monitoring": Way([], "functions"),
        **({"floor: evaluator": Way([], "eval")} if sys.version_info < (3, 13) else {}),
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
    """Each event only stores a time."""
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


def seconds(work: Callable[[], object], count: int = 1) -> float:
    start = time.process_time()
    for _ in range(count):
        work()
    return time.process_time() - start


def serve(work: Callable[[], object]) -> None:
    """A run for each line, which says how many times; one before, since others had the caches."""
    for line in sys.stdin:
        seconds(work, int(line))
        print(seconds(work, int(line)), flush=True)


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
    fastest = [min(seconds(work) for _ in range(30)) for work in (zones, empty)]
    return (fastest[0] - fastest[1]) / count * 1e9


def import_ms() -> float:
    def load():
        import tracy  # noqa: F401
    return seconds(load) * 1e3


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


class Runner:
    """A process that runs a workload in one of the ways."""

    def __init__(self, folder: str, way: Way, work: str) -> None:
        folder = tempfile.mkdtemp(dir=folder)  # each has its own files
        self.words = [*way.words, os.path.abspath(__file__), "run", work, way.floor]
        self.process = subprocess.Popen(self.words, cwd=folder, text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answer(self) -> float:
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"python_calls.py: {' '.join(self.words)} has ended")
        return float(answer)

    def run(self, count: int = 1) -> float:
        self.process.stdin.write(f"{count}\n")
        return self.answer()

    def warm(self) -> float:
        """What is new at first, as the ring's memory, is used again then. The time of one run."""
        spent = 0.0
        while spent < WARM:
            last = self.run()
            spent += last
        return last

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


WARM, RUN = 0.05, 0.01  # seconds of a process before it is measured, and of a bare run
STARTS = 3


def ratios(folder: str, work: str, turns: int) -> dict[str, list[float]]:
    """Of each way to its neighbours, for each turn."""
    pace = Runner(folder, WAYS["bare"], work)
    runners = {name: Runner(folder, way, work) for name, way in WAYS.items()}
    for runner in runners.values():
        runner.warm()
    count = max(1, round(RUN / pace.warm()))
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    before = pace.run(count)
    for _ in range(turns):
        for name, runner in runners.items():
            way, after = runner.run(count), pace.run(count)
            found[name].append(2 * way / (before + after))
            before = after
    for runner in (pace, *runners.values()):
        runner.end()
    return found


def measure(folder: str, work: str, turns: int) -> dict[str, list[float]]:
    """The ratios of each way to the bare run."""
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(STARTS):
        for name, some in ratios(folder, work, turns).items():
            found[name] += some
    bare = statistics.median(found["bare"])
    return {name: [ratio / bare for ratio in some] for name, some in found.items()}


def once(folder: str, way: Way, what: str) -> float:
    runner = Runner(folder, way, what)
    found = runner.answer()
    runner.end()
    return found


def row(name: str, cells: list[str]) -> None:
    print(f"  {name:22}" + "".join(f"{cell:>13}" for cell in cells))


def spread(found: list[float]) -> str:
    low, middle, high = statistics.quantiles(found, n=4)
    return f"{middle:.2f}x ±{(high - low) / 2:.2f}"


def table(turns: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = {work: measure(folder, work, turns) for work in WORKLOADS}
        taken = [once(folder, WAYS["tracy" + option], "bytes")
                 for option in ("", " --c-calls", " --lines")]
        zones = min(once(folder, tracy("-p"), "zone") for _ in range(3))
        loads = min(once(folder, WAYS["bare"], "import") for _ in range(5))
    print(f"{sys.executable} {sys.version.split()[0]}")
    row("", list(WORKLOADS))
    for name, way in WAYS.items():
        row(name, [spread(found[work][name]) for work in WORKLOADS])
        if way.goals:
            row("  goal", [f"{way.goals[work]:.2f}       " if work in way.goals else ""
                           for work in WORKLOADS])
    print(f"  with zone: {zones:.0f} ns (goal 110); import tracy: {loads:.1f} ms (goal 10)")
    print("  ring: {:.1f} bytes per call (goal 16), {:.1f} with --c-calls, {:.1f} with --lines"
          .format(*taken))


if __name__ == "__main__":
    if sys.argv[1] == "run":
        if sys.argv[3]:
            set_floor(sys.argv[3])
        if sys.argv[2] in WORKLOADS:
            serve(WORKLOADS[sys.argv[2]])
        else:
            others = {"zone": zone_ns, "import": import_ms, "bytes": call_bytes}
            print(others[sys.argv[2]]())
    else:
        table(int(sys.argv[1]))
