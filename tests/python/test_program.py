# SPDX-License-Identifier: Apache-2.0
"""The program runs as it would without the profiler."""
from __future__ import annotations

import fcntl
import os
import pty
import signal
import stat
import sys
import subprocess
import termios
import unittest

from support import PATIENCE, TACHO, Case, free_port

SHOW = """
    import sys, json
    main = sys.modules["__main__"]
    print(json.dumps([sys.argv[1:], __name__, main.__dict__ is globals(), sys.path[0]]))
"""
ODD = ["a b", "", "'", '"', "$HOME", "x[c(1, 2)]", "-p", "--", "*", "\\", "caf\udce9"]


class Program(Case):
    def test_arguments(self) -> None:
        path = self.write("sub dir/show.py", SHOW)
        bare = self.python(path, *ODD).stdout
        self.assertEqual(self.tracy(path, *ODD), bare)

    def test_modules(self) -> None:
        self.write("pack/__init__.py", "")
        self.write("pack/__main__.py", SHOW)
        bare = self.python("-m", "pack", "-k", "a or b").stdout
        self.assertEqual(self.tracy("-m", "pack", "-k", "a or b"), bare)
        self.assertEqual(self.tracy("-pm", "pack -k 'a or b'"), bare)
        self.assertEqual(self.tracy("-c", "import sys; print(sys.argv)", "-x"), "['-c', '-x']\n")
        self.assertEqual(self.tracy("pack", "1"), self.python("pack", "1").stdout)
        self.assertEqual(self.tracy("-", "1", input="import sys; print(sys.argv)"),
                         "['-', '1']\n")

    def test_streams_and_folder(self) -> None:
        text = "import os, sys; print(os.getcwd(), sys.stdin.read()); print('e', file=sys.stderr)"
        self.assertEqual(self.tracy("-c", text, input="in\n"),
                         os.path.realpath(self.folder) + " in\n\n")
        self.assertRegex(self.stderr, r"\Ae\ntracy: trace: .*\.tacho.*\n\Z")
        self.assertEqual(os.listdir(self.folder), ["generated"])

    def test_logs(self) -> None:
        """Those of ops, which list every zone, are for programs that have some."""
        files = ["tracy_profile_log_host.tacho", "tracy_profile_log_host.tracy"]
        for call, logs in (("message('hello')", []),
                           ("signpost('start')", ["tracy_ops_data.csv", "tracy_ops_times.csv"])):
            self.tracy("-c", f"from tracy import *; {call}")
            self.assertEqual(sorted(os.listdir(os.path.dirname(self.trace))), logs + files)

    def test_status(self) -> None:
        for code, status in (("pass", 0), ("raise SystemExit(1)", 1), ("exit(7)", 7),
                             ("import os; os._exit(9)", 9), ("1 / 0", 1),
                             ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137)):
            with self.subTest(code):
                self.tracy("-c", code, status=status)
        self.tracy("-m", "no_such_module", status=1)
        self.tracy("none.py", status=2)
        self.tracy("--no-such-option", status=2)
        self.tracy(status=2)
        self.tracy("-m", "pytest 'open", status=2)
        self.assertIn("No closing quotation", self.stderr)
        self.tracy("-m", " ", status=2)
        self.tracy("--check-exit-code", "-c", "exit(7)", status=4)

    def test_traceback_is_the_programs(self) -> None:
        path = self.write("bad.py", "def f():\n    1 / 0\nf()\n")
        bare = self.python(path).stderr
        self.tracy("-q", path, status=1)
        self.assertEqual(self.stderr, bare)

    def test_interrupted(self) -> None:
        path = self.write("wait.py", "import time\nprint(1, flush=True)\n"
                          "while True: time.sleep(0.1)  # not long: see support.py\n")
        told = []
        for words in ([path], ["-m", "tracy", "-q", path], ["-m", "tracy", "-q", "-m", "wait"]):
            master, slave = pty.openpty()  # Ctrl-C of a terminal reaches all at once
            process = subprocess.Popen(
                [sys.executable, *words], cwd=self.folder, stdin=slave, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            self.assertEqual(process.stdout.readline(), "1\n")
            os.write(master, b"\x03")
            told.append(process.communicate(timeout=PATIENCE)[1])
            self.assertIn(process.returncode, (-signal.SIGINT, 130))
            os.close(master)
            os.close(slave)
        for text in told:
            self.assertTrue(text.endswith("KeyboardInterrupt\n"), text)
            self.assertNotIn("/tracy/", text)
        self.assertEqual(told[0].count("File "), told[1].count("File "))
        self.assertIn("<module>", {zone["name"] for zone in self.zones()})

    def test_signals_come_once(self) -> None:
        path = self.write("wait.py", """
            import os, signal, sys, time
            for name in ("SIGINT", "SIGUSR1", "SIGHUP"):  # print() may still be busy with "ready"
                signal.signal(getattr(signal, name), lambda n, f, s=name: os.write(1, (s + "\\n").encode()))
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(6))
            print("ready", flush=True)
            while True: time.sleep(0.1)  # not long: see support.py
        """)

        def start() -> subprocess.Popen[str]:
            process = subprocess.Popen([sys.executable, "-m", "tracy", "-q", path],
                                       cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                       start_new_session=True)
            self.assertEqual(process.stdout.readline(), "ready\n")
            return process

        def end(process: subprocess.Popen[str], rest: str) -> None:
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (6, rest))
        # To the one process that the user knows.
        process = start()
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), number.name + "\n")
        end(process, "")
        # To all of its group, as a shell does it: what the others send on must not come again.
        process = start()
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
            os.killpg(process.pid, number)
            self.assertEqual(process.stdout.readline(), number.name + "\n")
        end(process, "")

    def test_interrupted_many_times(self) -> None:
        path = self.write("wait.py", """
            import os, signal, sys
            signal.signal(signal.SIGINT, lambda *_: os.write(1, b"asked\\n"))
            print("ready", flush=True)
            sys.stdin.read()
            sys.exit(6)
        """)
        process = subprocess.Popen([sys.executable, "-m", "tracy", "-q", path], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   start_new_session=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for _ in range(3):
            os.killpg(process.pid, signal.SIGINT)
            self.assertEqual(process.stdout.readline(), "asked\n")
        process.communicate("", timeout=PATIENCE)
        self.assertEqual(process.returncode, 6)

    def test_nohup(self) -> None:
        path = self.write("wait.py", """
            import signal, sys
            print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN, flush=True)
            sys.stdin.read()
            print("end")
        """)
        process = subprocess.Popen(
            [sys.executable, "-m", "tracy", "-q", path], cwd=self.folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(process.stdout.readline(), "True\n")
        os.killpg(process.pid, signal.SIGHUP)
        self.assertEqual(process.communicate("", timeout=PATIENCE)[0], "end\n")
        self.assertEqual(process.returncode, 0)

    def test_names_of_modules(self) -> None:
        loaded = self.python("-c", "import sys; print(*sys.modules)").stdout.split()
        names = {"optparse", "fnmatch", "shlex", "tempfile", "zipfile",
                 "threading"}.difference(loaded)
        for name in names:  # what site has loaded already nobody can replace
            self.write(name + ".py", "mine = 1\n")
        path = self.write("script.py", "".join(f"import {n}; print({n}.mine)\n" for n in names))
        bare = self.python(path).stdout
        self.assertTrue(bare)
        for words in ([path], ["-m", "script"], ["-p", "--exclude=a b%20", path]):
            self.assertEqual(self.tracy(*words), bare)

    def test_logs_only(self) -> None:
        self.tracy("--process-logs-only", "-o", "none", status=3)
        self.assertIn("nothing to report", self.stderr)
        self.tracy("-r", "--no-device", "-c", "from tracy import signpost; signpost('a')")
        self.assertNotIn("device data:", self.stderr)
        self.assertNotIn("status", self.stderr)
        self.tracy("--process-logs-only", "--no-device")

    def test_terminated_with_its_group(self) -> None:
        # As timeout(1) does it: once to the process, once to all.
        path = self.write("wait.py", """
            import signal, sys, time
            signal.signal(signal.SIGTERM, lambda *_: None)
            print("ready", flush=True)
            time.sleep(0.5)
            sys.exit(6)
        """)
        for _ in range(5):  # usually once, but a machine may stall
            process = subprocess.Popen([sys.executable, "-m", "tracy", path], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       start_new_session=True)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGTERM)
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=PATIENCE)
            if process.returncode == 6:
                break
        self.assertEqual(process.returncode, 6)

    def test_no_standard_error(self) -> None:
        out = self.python("-c", "import os, sys; os.close(2); os.execv(sys.executable, "
                          "[sys.executable, '-m', 'tracy', '-c', 'print(3)'])").stdout
        self.assertEqual(out, "3\n")

    def test_viewer_first(self) -> None:
        """A capture tool that waits for the port gets the run, however short it is."""
        for text in ("def f(): pass\nf()",
                     "import time\ndef f(): pass\nfor i in range(30): f(); time.sleep(0.01)"):
            port = free_port()
            saved = os.path.join(self.folder, "saved.tracy")
            capture = subprocess.Popen([os.path.join(os.path.dirname(TACHO), "tracy-capture"), "-f", "-o", saved,
                                        "-p", str(port)], stdout=subprocess.DEVNULL)
            self.script(text, "-t", str(port))
            self.assertIn(f"a Tracy viewer can connect to port {port}", self.stderr)
            self.assertEqual(capture.wait(timeout=PATIENCE), 0)
            seen = subprocess.run([TACHO, "stats", "--format=csv", "-n", "=f", saved], check=True,
                                  capture_output=True, text=True).stdout
            self.assertEqual(seen.count("\n"), 2, seen)

    def test_tracy_port(self) -> None:
        client = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tracy_client.py")
        path = self.write("host.py", f"""
            import os, subprocess, sys
            subprocess.run([sys.executable, {client!r}, os.environ["TRACY_PORT"], "end", "77"],
                           check=True)
        """)
        port = free_port()
        self.assertIn("good-bye", self.tracy("-t", str(port), path))
        self.assertIn("hello from 77", {row["text"] for row in self.read("messages")})
        self.tracy("-t", "0", path, status=2)

    def test_other_programs(self) -> None:
        path = self.write("tool", "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 3\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        self.assertEqual(self.tracy("tool", "a b", "", status=3), "<a b><>")
        self.assertEqual(self.tracy("printf", "%s,", "a b", "c"), "a b,c,")

    def test_terminated(self) -> None:
        path = self.write("wait.py", """
            import os, signal, sys, time
            def stop(number, frame):
                os.write(1, b"asked\\n")
                sys.exit(5)
            signal.signal(signal.SIGTERM, stop)
            print("ready", flush=True)
            while True: time.sleep(0.1)  # not long: see support.py
        """)
        process = subprocess.Popen([sys.executable, "-m", "tracy", path], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out), (5, "asked\n"))
        self.assertIn("stop", self.counts())

    def test_view(self) -> None:
        port = free_port()
        process = subprocess.Popen([sys.executable, "-m", "tracy", "--view",
                                    f"--web-app-port={port}", "-c", "print('seen', flush=True)"],
                                   cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "seen\n")
        self.assertIn(f"127.0.0.1:{port}", process.stderr.readline())
        for line in process.stderr:
            if "stays until" in line:
                break
        process.terminate()
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)
        self.assertIn("<module>", {zone["name"] for zone in self.zones()})

    def test_nothing_is_deleted(self) -> None:
        kept = self.write("generated/profiler/.logs/mine.txt", "x")
        self.tracy("-c", "pass")
        self.tracy("-c", "pass")
        self.assertTrue(os.path.exists(kept))
        with open(self.trace, "rb") as file:
            before = file.read()
        self.tracy("no_such.py", status=2)  # a slip of the finger does not cost the last trace
        with open(self.trace, "rb") as file:
            self.assertEqual(file.read(), before)
        self.tracy("-o", "my out", "-c", "pass")
        self.assertEqual(sorted(os.listdir(self.folder)), ["generated", "my out"])

    def test_at_the_same_time(self) -> None:
        path = self.write("child.py", """
            import subprocess, sys
            def outer(): pass
            def inner(): pass
            if len(sys.argv) > 1:
                inner()
            else:
                outer()
                for _ in range(2):
                    subprocess.run([sys.executable, "-m", "tracy", "--no-follow-children",
                                    __file__, "x"], check=True)
        """)
        self.tracy("--no-follow-children", path)
        self.assertIn("another run is using", self.stderr)
        self.assertIn("outer", self.counts())
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "generated"))),
                         ["profiler", "profiler.2"])

    def test_options_reach_the_program(self) -> None:
        show = "import os; print(sorted((k, v) for k, v in os.environ.items() if 'TT_' in k))"
        env = dict(os.environ, TT_METAL_DEVICE_PROFILER="1")
        out = self.tracy("--no-device", "--sync-host-device", "--op-support-count=5", "-o", "d",
                         "--profiler-capture-perf-counters=fpu,l1", "-c", show, env=env)
        folder = os.path.join(os.path.realpath(self.folder), "d")
        self.assertEqual(eval(out), [
            ("TT_METAL_PROFILER_DIR", folder), ("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT", "5"),
            ("TT_METAL_PROFILER_SYNC", "1"), ("TT_METAL_PROFILE_PERF_COUNTERS", "9")])
        self.tracy("-r", "--enable-accumulate-profiling", "-c", "pass", status=2)


if __name__ == "__main__":
    unittest.main()
