"""Tell a profiler what a Python program does and when.

    from tracy import Profiler, signpost, zone

    signpost("warm", "after 5 runs")      # a mark in the trace and in the ops report
    with zone("load"):                    # a span of time; also a decorator
        ...
    with Profiler():                      # every function that is called from here
        ...

Run the program by ``python -m tracy``, or in any way below ``tacho run``. While nothing is
recorded all of it does nothing, so the calls may stay in the program.
"""
from __future__ import annotations

try:
    import tracy._tracy
except ModuleNotFoundError:
    import sys
    try:
        from tracy import _plain as _tracy
    except ModuleNotFoundError as error:
        raise ImportError(f"the package tracy was not built for this Python, "
                          f"{sys.version_info[0]}.{sys.version_info[1]}: {error}") from None
    sys.modules["tracy._tracy"] = _tracy

from tracy import _session
from tracy._tracy import alloc, frame, free, message, plot, recording, set_thread_name, zone
from tracy._tracy import message as _message
from tracy._tracy import start_zone as _start_zone
from tracy._tracy import stop_zone as _stop_zone

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "Profiler", "alloc", "frame", "free", "message", "plot", "recording", "set_thread_name",
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

    Profilers nest, in one thread or in several: recording goes on until the last one is disabled.
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
    """What ``%load_ext tracy`` calls."""
    from tracy import _ipython
    _ipython.load(shell)
