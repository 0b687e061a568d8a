"""``%load_ext tracy``: the magics ``%tracy`` and ``%%tracy``.

    %tracy run()          records one statement
    %%tracy step one      records a cell, in a zone with that name

The notebook's kernel must be recorded: ``tacho run -- jupyter lab``, or ``tacho capture``.
"""
from __future__ import annotations

import sys
from typing import Any

from tracy import Profiler, recording, zone


def _run(shell: Any, code: str, name: str) -> None:
    if not recording():
        print("tracy: nothing records this kernel; start it by 'tacho run'", file=sys.stderr)
    with zone(name), Profiler():
        shell.run_cell(code).raise_error()


def load(shell: Any) -> None:
    """Registers the magics."""
    def tracy(line: str, cell: str | None = None) -> None:
        if cell is None:
            _run(shell, line, line)
        else:
            _run(shell, cell, line.strip() or "cell")
    shell.register_magic_function(tracy, "line_cell", "tracy")
