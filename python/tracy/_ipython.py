# SPDX-License-Identifier: Apache-2.0
"""``%load_ext tracy``: the magics ``%tracy`` and ``%%tracy``.

    %tracy run()                    records one statement
    %%tracy step one                records a cell, in a zone with that name
    %%tracy -l -o step.tacho        line by line, to a trace of its own

    -o FILE   a trace of its own; without it the recording that the kernel runs under (``tacho run --
              jupyter lab``) or, when there is none, tracy_cell.tacho. It is replaced.
    -l        a zone for each line too
    -p        only zones of the program, and functions where it enables a Profiler

What has a trace of its own returns an object with its .path.
"""
from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from typing import Any, Iterator

from tracy import Profiler, _session, _tools, recording, zone


_SHOWN_BY = ("showtraceback", "showsyntaxerror")


class _Refused(Exception):
    """Reported in one line without a traceback: the user's code is not at fault."""


class Trace:
    """Where a trace is."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"trace: {self.path}"


class _Capture:
    """Records this process, which already runs, to a file."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)

    def __enter__(self) -> None:
        tacho = _tools.find_tacho()
        if not tacho:
            raise _Refused("tracy: the program 'tacho' is not found: not beside this package "
                           "and not in the PATH")
        self.process = subprocess.Popen(
            [tacho, "capture", "-q", "-f", f"--pid={os.getpid()}", "-o", self.path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True)  # Ctrl-C is for the cell
        while not recording():
            if self.process.poll() is not None:
                raise _Refused("tracy: " + self.process.communicate()[1].strip())
            time.sleep(0.005)

    def __exit__(self, *exception: Any) -> None:
        self.process.send_signal(signal.SIGINT)
        output = self.process.communicate()[1]
        if output:
            print(output, end="", file=sys.stderr)


@contextmanager
def _silent(shell: Any) -> Iterator[None]:
    """The cell of the magic shows an error when it ends: do not show it twice."""
    own = vars(shell)
    before = {name: own[name] for name in _SHOWN_BY if name in own}
    own.update({name: lambda *_, **__: None for name in _SHOWN_BY})
    try:
        yield
    finally:
        for name in _SHOWN_BY:
            del own[name]
        own.update(before)


def _run(shell: Any, code: str, name: str, partial: bool) -> None:
    __tracebackhide__ = True
    with _silent(shell), zone(name), nullcontext() if partial else Profiler():
        result = shell.run_cell(code)
    result.raise_error()


def _words(line: str) -> tuple[set[str], str | None, str]:
    """The letters of the options, the file of -o, and the rest of the line as it is."""
    letters: set[str] = set()
    path = None
    rest = line.strip()
    while rest.startswith("-"):
        word, _, rest = rest.partition(" ")
        rest = rest.strip()
        if word == "--":
            break
        if word == "-o":
            lexer = shlex.shlex(rest, posix=True)  # one word, perhaps in quotes
            lexer.whitespace_split, lexer.commenters = True, ""
            path = lexer.get_token()
            rest = lexer.instream.read().strip()
        elif set(word[1:]) <= set("lp") and word != "-":
            letters |= set(word[1:])
        else:
            raise _Refused(f"tracy: unknown option {word}; the options are -l, -p and -o FILE")
        if word == "-o" and not path:
            raise _Refused("tracy: -o needs a file")
    return letters, path, rest


def _magic(shell: Any, line: str, cell: str | None) -> Trace | None:
    __tracebackhide__ = True
    letters, path, rest = _words(line)
    if path and recording():
        raise _Refused("tracy: this kernel is being recorded already: -o has no place here")
    if not path and not recording():
        path = "tracy_cell.tacho"
    code = rest if cell is None else cell
    lines = _session.set_lines("l" in letters)
    try:
        with _Capture(path) if path else nullcontext():  # type: ignore[attr-defined]
            _run(shell, code, rest or "cell", "p" in letters)
    finally:
        _session.set_lines(lines)
    return Trace(os.path.abspath(path)) if path else None


def load(shell: Any) -> None:
    """Registers the magics."""
    from IPython.core.error import UsageError

    def tracy(line: str, cell: str | None = None) -> Trace | None:
        __tracebackhide__ = True
        try:
            return _magic(shell, line, cell)
        except _Refused as error:
            raise UsageError(str(error)) from None
    tracy.__doc__ = __doc__
    shell.register_magic_function(tracy, "line_cell", "tracy")
