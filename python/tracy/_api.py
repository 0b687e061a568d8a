# SPDX-License-Identifier: Apache-2.0
"""The public names of ``import tracy``: see tracy/__init__.py."""
from __future__ import annotations

import sys

try:
    import tracy._tracy
except ImportError as error:  # not built for this Python, or it cannot be loaded
    from tracy import _plain
    _plain.REASON = "" if isinstance(error, ModuleNotFoundError) else str(error)
    sys.modules["tracy._tracy"] = _plain
    if _plain.MISSING and sys.argv[:1] != ["-m"] and sys.stderr:
        print(f"tracy: nothing is recorded: {_plain.MISSING}", file=sys.stderr)

from tracy import _session
from tracy._query import query
from tracy._tracy import alloc, frame, free, message, plot, recording, set_thread_name, zone
from tracy._tracy import message as _message
from tracy._tracy import start_zone as _start_zone
from tracy._tracy import stop_zone as _stop_zone

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "Profiler", "alloc", "frame", "free", "message", "plot", "query", "recording", "set_thread_name",
    "signpost", "start_tracy_zone", "stop_tracy_zone", "tracy_frame", "tracy_message",
    "wrap", "zone",
]

ALICE_BLUE = 0xF0F8FF


def signpost(header: str, message: str | None = None) -> None:
    """Marks a point of the run: a message in the trace, a row in the ops report."""
    text = f"{header}\n{message}" if message is not None else str(header)
    tracy_message(f"`TT_SIGNPOST: {text}`")
    if recording():
        _session.signpost(str(header))


class Profiler:
    """Makes zones of the functions that are called between enable() and disable().

    Profilers nest, in one thread or in several: recording lasts until the last one is disabled.
    It works whenever the process is recorded, and does nothing otherwise. With ``python -m tracy``
    and without ``-p`` everything is recorded anyway.
    """

    def __init__(self) -> None:
        self._enabled = 0

    def enable(self) -> None:
        """Begins; may be called again before disable()."""
        if _session.enter():
            self._enabled += 1

    def disable(self) -> None:
        """Ends what enable() began; without one it does nothing."""
        if self._enabled:
            self._enabled -= 1
            _session.leave()

    def __enter__(self) -> Profiler:
        self.enable()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.disable()


def wrap(what: Any) -> Any:
    """Zones for callables of an extension that --c-calls does not see before 3.12.

    A function is returned wrapped; in a module, and those inside it, all functions that are not
    Python's own are replaced, and the module is returned.
    """
    from tracy import _wrap
    if not isinstance(what, type(_session)):
        return _wrap.wrap_function(what)
    _wrap.wrap_module(what)
    return what


def start_tracy_zone(source: str, functName: str, lineNum: int | None = None, color: int = 0, *,
                     line_number: int | None = None) -> None:
    """Begins a zone that stop_tracy_zone() of the same thread ends."""
    line = lineNum if lineNum is not None else line_number
    if line is None:
        raise TypeError("start_tracy_zone() needs lineNum or line_number")
    _start_zone(source, functName, line, color)


def stop_tracy_zone(name: str = "", color: int = 0) -> bool:
    """Ends the last zone that start_tracy_zone() began; True when there is none."""
    return _stop_zone(name, color)


def tracy_message(source: str | None = None, color: int = ALICE_BLUE, *,
                  message: str | None = None) -> None:
    """Records a text, of any length; guides call it source or message."""
    text = source if source is not None else message
    if text is None:
        raise TypeError("tracy_message() needs a text")
    _message(text, color)


def tracy_frame() -> None:
    """The end of a frame."""
    frame()


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext tracy``."""
    from tracy import _ipython
    _ipython.load(shell)
