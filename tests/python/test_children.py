# SPDX-License-Identifier: Apache-2.0
"""Processes below the program, and programs that die."""
from __future__ import annotations

import unittest

from support import Case

POOL = """
    import multiprocessing, sys
    class Item:
        def __init__(self, n): self.n = n
    def work(item):
        return Item(item.n * 2)
    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        with context.Pool(2) as pool:
            print([i.n for i in pool.map(work, [Item(i) for i in range(8)], chunksize=1)])
            pool.close(); pool.join()
"""


class Children(Case):
    def test_pools(self) -> None:
        path = self.write("script.py", POOL)
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                self.assertEqual(self.tracy(path, method), "[0, 2, 4, 6, 8, 10, 12, 14]\n")
                zones = [z for z in self.zones() if z["name"] == "work"]
                self.assertEqual(len(zones), 8)
                main = next(z for z in self.zones() if z["name"] == "<module>")
                self.assertNotIn(main["pid"], {z["pid"] for z in zones})

    def test_executors(self) -> None:
        out = self.script("""
            import concurrent.futures as futures, multiprocessing
            def work(n): return n * n
            def main():
                with futures.ThreadPoolExecutor(3, thread_name_prefix="pool") as pool:
                    print(sum(pool.map(work, range(20))))
                context = multiprocessing.get_context("spawn")
                with futures.ProcessPoolExecutor(2, mp_context=context) as pool:
                    print(sum(pool.map(work, range(20))))
            if __name__ == "__main__": main()
        """)
        self.assertEqual(out, "2470\n2470\n")
        zones = self.zones()
        main = next(z for z in zones if z["name"] == "main")["pid"]
        work = [z for z in zones if z["name"] == "work"]
        self.assertEqual([sum(z["pid"] == main for z in work), len(work)], [20, 40])
        self.assertTrue(all(z["thread"].startswith("pool") for z in work if z["pid"] == main))

    def test_killed_child(self) -> None:
        self.script("""
            import os, signal, subprocess, sys
            if len(sys.argv) > 1:
                def in_child(): pass
                for i in range(500): in_child()
                os.kill(os.getpid(), signal.SIGKILL)
            assert subprocess.run([sys.executable, __file__, "x"]).returncode == -9
            pid = os.fork()
            if not pid:
                def in_fork(): pass
                for i in range(500): in_fork()
                os._exit(0)
            os.waitpid(pid, 0)
        """)
        counts = {}
        for zone in self.zones():
            counts[zone["name"]] = counts.get(zone["name"], 0) + 1
        self.assertEqual([counts["in_child"], counts["in_fork"]], [500, 500])

    def test_subprocess(self) -> None:
        self.write("child.py", "def in_child(): pass\nin_child()\n")
        text = """
            import subprocess, sys
            subprocess.run([sys.executable, "child.py"], check=True)
            subprocess.run(f"{sys.executable} child.py", shell=True, check=True)
        """
        self.script(text)
        self.assertEqual(self.counts()["in_child"], 2)
        self.script(text, "-p")
        self.assertEqual(self.counts()["in_child"], 0)
        self.script(text, "--no-follow-children")
        self.assertEqual(self.counts()["in_child"], 0)

    def test_ranks(self) -> None:
        """Processes as a launcher of MPI or Slurm starts them."""
        self.script("""
            import os, subprocess, sys
            if len(sys.argv) > 1:
                def work(): pass
                work()
            else:
                for rank, name in enumerate(("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")):
                    subprocess.run([sys.executable, __file__, "x"], env={**os.environ, name: str(rank)}, check=True)
        """)
        self.assertEqual([z["thread"] for z in self.zones() if z["name"] == "work"], [f"rank {i}" for i in range(4)])

    def test_sitecustomize_of_the_user(self) -> None:
        self.write("mine/sitecustomize.py", "import builtins\nbuiltins.mine = 1\n")
        out = self.script("""
            import os, subprocess, sys
            os.environ["PYTHONPATH"] += os.pathsep + os.path.abspath("mine")
            subprocess.run([sys.executable, "-c", "import sys; print(mine, "
                            "[p for p in sys.path if '_children' in p])"], check=True)
        """)
        self.assertEqual(out, "1 []\n")

    def test_fork(self) -> None:
        self.script("""
            import os
            def f(): pass
            def fork():
                pid = os.fork()
                f()
                if not pid: os._exit(0)
                os.waitpid(pid, 0)
            fork()
            f()
        """)
        self.assertEqual(self.counts()["f"], 3)

    def test_deaths(self) -> None:
        for end, status in (("os._exit(3)", 3), ("os.kill(os.getpid(), 9)", 137),
                            ("os.abort()", 134)):
            with self.subTest(end):
                self.script(f"""
                    import os
                    def f(): pass
                    for i in range(1000): f()
                    {end}
                """, status=status)
                self.assertEqual(self.counts(unfinished=1)["f"], 1000)


if __name__ == "__main__":
    unittest.main()
