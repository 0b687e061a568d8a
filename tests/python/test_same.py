# SPDX-License-Identifier: Apache-2.0
"""What the program prints and how it ends is what it does without the profiler."""
from __future__ import annotations

import contextlib
import io
import os
import shlex
import signal
import subprocess
import sys
import unittest

from support import PATIENCE, Case
from tracy import _options

# What is below the program on the stack, and how deep it may go.
STACK = """
    import faulthandler, inspect, sys, threading, traceback, warnings
    def deep(n):
        try:
            return deep(n + 1)
        except RecursionError:
            return n
    def show():
        print([frame.function for frame in inspect.stack()])
        faulthandler.dump_traceback(all_threads=False)
        traceback.print_stack()
        print(deep(0))
    show()
    sys.setrecursionlimit(300)
    print(deep(0))
    thread = threading.Thread(target=show)
    thread.start()
    thread.join()
    warnings.warn("of whoever called", stacklevel=2)
    def fail():
        try:
            1 / 0
        except ZeroDivisionError as error:
            raise KeyError("k") from error
    fail()
"""
HOOKS = {
    "raises": "raise ValueError('in the hook')",
    "exits": "sys.exit(17)",
    "prints": "print(value, traceback.tb_frame.f_code.co_name)",
}


def _plain(text: str) -> str:
    """Without what differs from run to run."""
    lines = (line for line in text.splitlines() if not line.startswith("Extension modules: tracy"))
    return "\n".join("Current thread" if line.startswith("Current thread") else line
                     for line in lines)


class Same(Case):
    def compare(self, *words: str, flags: tuple[str, ...] = (), **keywords: object) -> str:
        """Runs it both ways; what it prints."""
        bare = self.python(*flags, *words, **keywords)
        done = self.python(*flags, "-m", "tracy", "-q", *words, **keywords)
        self.assertEqual(_plain(done.stderr), _plain(bare.stderr))
        self.assertEqual(done.stdout, bare.stdout)
        self.assertEqual(done.returncode, bare.returncode)
        return done.stdout

    def test_stack(self) -> None:
        path = self.write("pack/stack.py", STACK)
        self.write("pack/__init__.py", "")
        self.write("pack/__main__.py", STACK)
        for words in ("./pack/stack.py",), (path,), ("-m", "pack.stack"), ("pack",):
            self.assertIn("'show', '<module>'", self.compare(*words))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.compare("-c", text)
        self.compare("-", input=text)

    def test_excepthook(self) -> None:
        for name, body in HOOKS.items():
            with self.subTest(name):
                path = self.write("hook.py", f"""
                    import sys
                    def hook(kind, value, traceback):
                        print("hook")
                        {body}
                    sys.excepthook = hook
                    raise RuntimeError("x")
                """)
                self.assertEqual(self.compare(path).count("hook\n"), 1)

    def test_ends(self) -> None:
        for code in ("raise SystemExit('why')", "raise SystemExit(None)", "exit(256 + 5)", "exit(-1)",
                     "raise SystemExit((1, 2))", "raise GeneratorExit", "x = ", "import no_such"):
            with self.subTest(code):
                self.compare("-c", code)
                self.compare(self.write("ends.py", code))

    def test_interpreter(self) -> None:
        path = self.write("show.py", """
            import sys
            print(__file__, __spec__, sorted(globals()), __annotations__, sys.flags, sys.warnoptions)
            print(sorted(sys._xoptions.items()), sys.argv)
        """)
        self.compare("./show.py")
        show = "print({n: v for n, v in globals().items() if n != 'show'})"
        self.compare("-c", show)
        self.compare("-", input=show)
        self.compare(path, flags=("-OO", "-W", "error:a b", "-X", "int_max_str_digits=1000",
                                  "-X", "pycache_prefix=none", "-X", "own=1=2"))
        self.assertEqual(self.compare("-c", "y = 7", flags=("-i",), input="print(y + 1)\n"), "8\n")

    def test_files(self) -> None:
        """Whatever kind of file it is, and with errors in it."""
        text = "import sys; print(__file__, sys.argv)"
        self.assertTrue(self.compare("/dev/stdin", "x", input=text))
        self.write("text", text)
        for words in ("", "-m tracy -q "):
            shell = f"{sys.executable} {words}<(cat text) x"
            done = subprocess.run(["bash", "-c", shell], cwd=self.folder, capture_output=True, text=True)
            self.assertRegex(done.stdout + done.stderr, r"\A(/dev/fd/\d+) \['\1', 'x'\]\n\Z")
        self.write("wrong", "print(]\n")
        self.compare("wrong")

    def test_modules(self) -> None:
        """What the profiler needs for itself is not there: the program's imports are its own."""
        show = "import sys; print(*(name for name in sys.modules if 'tracy' not in name))"
        needed = "import __future__, atexit, runpy, threading; "  # of -m, and of what threads are called
        bare, done = self.python("-c", needed + show).stdout, self.tracy("-c", show)
        self.assertEqual(set(done.split()) - set(bare.split()), set())

    def wait_with(self, number: int, **keywords: object) -> subprocess.Popen[str]:
        path = self.write("wait.py", """
            import os, signal, sys, time
            if "handle" in sys.argv:
                signal.signal(signal.SIGQUIT, lambda *_: sys.exit(6))
            print(os.getpid(), flush=True)
            while True: time.sleep(0.1)  # not long: see support.py
        """)
        process = subprocess.Popen([sys.executable, "-m", "tracy", path, *keywords.get("words", ())],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        self.pid = int(process.stdout.readline())
        (os.killpg if keywords.get("group") else os.kill)(process.pid, number)
        self.said = process.communicate(timeout=PATIENCE)  # all of them have closed their ends by then
        return process

    def test_quit(self) -> None:
        for group in (False, True):
            process = self.wait_with(signal.SIGQUIT, group=group)
            self.assertEqual(process.returncode, 128 + signal.SIGQUIT)
            self.assertIn("trace: ", self.said[1])
            self.assertIn("<module>", {zone["name"] for zone in self.zones()})
            self.assertEqual(self.wait_with(signal.SIGQUIT, group=group, words=["handle"]).returncode, 6)

    def test_killed(self) -> None:
        """Who kills it with SIGKILL means the program, of which the trace is kept."""
        self.assertEqual(self.wait_with(signal.SIGKILL).returncode, -signal.SIGKILL)
        self.assertRaises(ProcessLookupError, os.kill, self.pid, 0)
        self.assertIn("<module>", {zone["name"] for zone in self.zones()})

    def test_no_trace(self) -> None:
        """Errors with the trace are reported and do not fail the program."""
        for status in (0, 7):
            self.tracy("-c", f"import shutil; shutil.rmtree('generated'); exit({status})", status=status)
            self.assertRegex(self.stderr, "tracy: there is no trace of this run\n")

    def test_children_are_ignored(self) -> None:
        """As some who start programs do: the status is the program's, and so is what it ignores."""
        path = self.write("ignore.py", """
            import os, signal, sys
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            code = "import signal; print(signal.getsignal(signal.SIGCHLD)); exit(3)"
            os.execv(sys.executable, [sys.executable, *sys.argv[1:], "-c", code])
        """)
        bare, done = self.python(path), self.python(path, "-m", "tracy", "-q")
        self.assertEqual((done.stdout, done.returncode), (bare.stdout, 3))

    def test_usage(self) -> None:
        """What is wrong with the words is one line, before anything is run."""
        alone = """|-m|-c|-o|-n|-t|-a|--max-depth|--min-duration|--include|--op-support-count|-m '  '
            -m 'json "'"""
        with_program = """-z|--no-such|--partial=1|--no|--help=1|-t 0|-t 65536|-t x
            --max-depth=x|--max-depth=-1|--max-depth=9999999999|--web-app-port=0|--web-app-port=65535
            --min-duration=5|--min-duration=|--min-duration=-1us|--min-duration=nans|--min-duration=1h
            --op-support-count=0|--op-support-count=x|--op-support-count=99999999999
            --include=|--exclude=|--enable-accumulate-profiling -r
            --profiler-capture-perf-counters=|--profiler-capture-perf-counters=fpu,zz
            --dump-device-data-mid-run --profile-dispatch-cores
            --dump-device-data-mid-run --device-trace-profiler"""
        wrong = [shlex.split(words) for words in alone.replace("\n", "|").split("|")]
        wrong += [[*shlex.split(words), "-c", "1"]
                  for words in with_program.replace("\n", "|").split("|")]
        for words in wrong:
            said = io.StringIO()
            with self.subTest(words), contextlib.redirect_stderr(said):
                self.assertRaisesRegex(SystemExit, "^2$", _options.parse, words)
            self.assertRegex(said.getvalue(), r"\Atracy: .*\n\Z")
        for words in (["-z"], ["-r", "-a", "none", "-c", "1"], ["-r", "-n", "a/b", "-c", "1"],
                      ["missing.py"], ["missing"], ["--", "-c"]):
            self.assertEqual(self.tracy(*words, status=2), "")
            self.assertRegex(self.stderr, r"\Atracy: .*\n\Z")


if __name__ == "__main__":
    unittest.main()
