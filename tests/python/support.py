# SPDX-License-Identifier: Apache-2.0
"""What the tests of ``python -m tracy`` share: run a program, read its trace."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from collections import Counter

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from view_client import PATIENCE, free_port  # noqa: E402, F401

TACHO = os.path.join(os.environ["BUILD"], "tacho")
HOOK = sys.version_info < (3, 12)


class Case(unittest.TestCase):
    """Each test has a folder of its own, which is also the working directory of what it runs."""

    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    # A program that waits for a signal does so in short sleeps: one that comes right before a sleep
    # begins is handled at its end, by any Python.
    def write(self, name: str, text: str) -> str:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def python(self, *words: str, **keywords: object) -> subprocess.CompletedProcess[str]:
        """Runs this interpreter with the given words."""
        return subprocess.run([sys.executable, *words], cwd=self.folder, capture_output=True,
                              text=True, timeout=PATIENCE, **keywords)

    def tracy(self, *words: str, status: int = 0, **keywords: object) -> str:
        """Runs ``python -m tracy`` with the given words; its standard output."""
        done = self.python("-m", "tracy", *words, **keywords)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-3000:])
        self.stderr = done.stderr
        return done.stdout

    def script(self, text: str, *words: str, status: int = 0) -> str:
        """The same with a script of this text."""
        return self.tracy(*words, self.write("script.py", text), status=status)

    @property
    def trace(self) -> str:
        return os.path.join(self.folder, "generated/profiler/.logs/tracy_profile_log_host.tacho")

    def read(self, verb: str) -> list[dict]:
        answer = subprocess.run([TACHO, verb, "--format=json", self.trace], check=True,
                                capture_output=True, text=True)
        return json.loads(answer.stdout)

    def zones(self) -> list[dict]:
        """All zones; the trace must be whole and nothing in it unfinished."""
        subprocess.run([TACHO, "check", "-q", self.trace], check=True, capture_output=True)
        return self.read("zones")

    def counts(self, unfinished: int | None = 0) -> Counter:
        """How many zones there are of each name; unfinished ones are those, None: any number."""
        zones = self.zones()
        left = [zone["name"] for zone in zones if zone["state"]]
        if unfinished is not None:
            self.assertEqual(len(left), unfinished, left)
        return Counter(zone["name"] for zone in zones)

    def named(self, qualname: str) -> str:
        """The name of a function's zones: before 3.11 code objects do not know more."""
        return qualname if sys.version_info >= (3, 11) else qualname.rpartition(".")[2]
