# SPDX-License-Identifier: Apache-2.0
"""SQL on traces and ops reports, by ``tacho query``."""
from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def query(files: str | os.PathLike | Sequence[str | os.PathLike], sql: str, *,
          frame: bool = False, timeout: float | None = None) -> Any:
    """Runs one SQL statement on one or more traces (.tacho, .tracy) or ops reports (.csv).

    Returns a list of dicts, one per row; with ``frame`` a pandas.DataFrame. Wrong SQL raises
    ValueError, a file that cannot be read OSError. The tables are described in docs/query.md.
    """
    # "import tracy" itself must be fast.
    import json
    import subprocess

    from tracy._tools import find_tacho

    tacho = find_tacho()
    if tacho is None:
        raise OSError("tracy.query: the program tacho is not in PATH")
    if isinstance(files, (str, os.PathLike)):
        files = [files]
    command = [tacho, "query", "--quiet", "--format=json", "-e", sql]
    if timeout is not None:
        command.append(f"--timeout={timeout}s")
    done = subprocess.run(command + ["--"] + [os.fspath(f) for f in files],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    # 4: a damaged file was read as far as it goes.
    if done.returncode not in (0, 4):
        text = done.stderr.decode(errors="replace").strip().removeprefix("tacho: ")
        raise ValueError(text) if done.returncode == 2 else OSError(text)
    rows = json.loads(done.stdout or b"[]")
    if not frame:
        return rows
    import pandas  # only for those who have it
    return pandas.DataFrame(rows)
