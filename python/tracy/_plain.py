# SPDX-License-Identifier: Apache-2.0
"""The extension in Python: for interpreters that it was not built for, such as PyPy.

It calls libtacho through ctypes and sees functions through sys.setprofile or sys.settrace. It records
the same except for --min-duration and the names of exceptions, and is much slower.
"""
from __future__ import annotations

import ctypes
import os
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any, Callable

_CO_COROUTINE = 0x80 | 0x100
_U32 = 0xFFFFFFFF


#: The reason why the extension cannot be loaded; empty if none was found. Set by tracy._api.
REASON = ""
#: Why libtacho cannot be loaded: nothing can be recorded then.
MISSING = ""
# PyPy's ctypes has no PyDLL.
_DLL = getattr(ctypes, "PyDLL", ctypes.CDLL)


def _load() -> ctypes.CDLL | None:
    """libtacho: where the extension would find it, or where the system does."""
    global MISSING
    package = os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.normpath(os.path.join(package, up, "libtacho.so.0"))
             for up in ("_tacho/lib", "../..", "../../..")]
    try:
        return _DLL(next(filter(os.path.exists, paths), "libtacho.so.0"))
    except OSError as error:
        MISSING = str(error)
        return None


_library = _load()


def _function(name: str, result: Any, *arguments: Any) -> Any:
    if not _library:
        return lambda *_: 0
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_int, _long, _text = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p
_key = _long.in_dll(_library, "tacho_control") if _library else _long(0)
_make_place = _function("tacho_srcloc_make", _int, _text, _text, _text, _int, _int)
# A zone is a structure of eight bytes, which is passed as a number of that size.
_begin = _function("___tracy_emit_zone_begin_alloc", _long, _long, ctypes.c_int32)
_end = _function("___tracy_emit_zone_end", None, _long)
_zone_text = _function("tacho_zone_text", None, _long, _text, ctypes.c_size_t)
_zone_name = _function("tacho_zone_name", None, _long, _text, ctypes.c_size_t)
_zone_color = _function("tacho_zone_color", None, _long, _int)
_message = _function("tacho_message", None, _text, ctypes.c_size_t, ctypes.c_uint, _int)
_frame = _function("tacho_frame", None, _text)
_plot_int = _function("tacho_plot_int", None, _text, ctypes.c_int64)
_plot_double = _function("tacho_plot_double", None, _text, ctypes.c_double)
_alloc = _function("tacho_alloc", None, _text, ctypes.c_void_p, ctypes.c_size_t)
_free = _function("tacho_free", None, _text, ctypes.c_void_p)
_thread_name = _function("tacho_thread_name", None, _text)
_app_info = _function("tacho_app_info", None, _text, ctypes.c_size_t)
_fiber_enter = _function("tacho_fiber_enter", None, _text)
_fiber_leave = _function("tacho_fiber_leave", None)


def _utf8(text: Any) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"a string is needed, not {type(text).__name__}")
    return text.encode("utf-8", "backslashreplace")


def _utf8_or_none(text: str | None) -> bytes | None:
    return None if text is None else _utf8(text)


def _place(name: str | None, function: str | None, file: str | None, line: int,
           color: int) -> int:
    """The number of a place in the source."""
    texts = (_utf8_or_none(name), _utf8_or_none(function), _utf8_or_none(file))
    return (_make_place(*texts, max(line, 0), color & _U32)
            or _make_place(b"(more functions than fit)", None, None, 0, 0))


def recording() -> bool:
    """Whether this process is being recorded."""
    return _key.value != 0


def message(message: str, color: int = 0, severity: int = 2) -> None:
    """Records a text, of any length."""
    text = _utf8(message)
    _message(text, len(text), severity, color & _U32)


def frame(name: str | None = None) -> None:
    """The end of a frame."""
    _frame(_utf8_or_none(name))


def plot(name: str, value: float) -> None:
    """A point of a plot."""
    if isinstance(value, int) and -1 << 63 <= value < 1 << 63:
        _plot_int(_utf8(name), value)
    else:
        _plot_double(_utf8(name), float(value))


def alloc(address: int, size: int, pool: str | None = None) -> None:
    """Memory was allocated."""
    _alloc(_utf8_or_none(pool), address, size)


def free(address: int, pool: str | None = None) -> None:
    """Memory will be released."""
    _free(_utf8_or_none(pool), address)


def set_thread_name(name: str) -> None:
    """Names the calling thread."""
    _thread_name(_utf8(name))


def app_info(text: str) -> None:
    """Describes the program."""
    _app_info(_utf8(text), len(_utf8(text)))


# ---- zones by hand

class zone:  # pylint: disable=invalid-name
    """A span of time with a name: with zone('load'), @zone('load') or @zone."""

    def __new__(cls, name: Any, *args: Any, **keywords: Any) -> Any:
        if isinstance(name, str):
            return object.__new__(cls)
        from tracy import _decorate
        return _decorate.name(zone, name)

    def __init__(self, name: str, color: int = 0, text: str | None = None, *,
                 file: str | None = None, line: int = 0) -> None:
        if not isinstance(text, (str, type(None))):
            raise TypeError("zone: the text must be a string")
        function = None
        if file is None:
            caller = sys._getframe(1)
            function, file, line = (caller.f_code.co_name, caller.f_code.co_filename,
                                    caller.f_lineno)
        self.name, self.color, self._text = name, color, text
        self._place, self._open = _place(name, function, file, line, color), []

    def __enter__(self) -> zone:
        if _key.value:
            self._open.append(_begin(self._place, 1))
            if self._text is not None:
                _zone_text(self._open[-1], _utf8(self._text), len(_utf8(self._text)))
        return self

    def __exit__(self, kind: Any = None, *rest: Any) -> bool:
        if self._open:
            if kind is not None:
                text = f"raised {kind.__name__}".encode()
                _zone_text(self._open[-1], text, len(text))
            _end(self._open.pop())
        return False

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        from tracy import _decorate
        return _decorate.decorate(self, function)


zone.__module__ = "tracy"


class _Thread(threading.local):
    """The open zones of a thread: by hand, and of functions as (owner, zone, coroutine)."""

    def __init__(self) -> None:
        self.manual: list[int] = []
        self.open: list[tuple[Any, int, bool]] = []
        self.epoch = 0
        self.coroutines = 0
        self.fiber = -1  # how many were open when the track of a task began


_thread = _Thread()


def start_zone(file: str, name: str, line: int, color: int = 0) -> None:
    """Begins a zone that stop_zone() ends."""
    _thread.manual.append(_begin(_place(name, None, file, line, color), 1))


def stop_zone(name: str = "", color: int = 0) -> bool:
    """True: no zone to stop."""
    if not _thread.manual:
        return True
    opened = _thread.manual.pop()
    if name:
        _zone_name(opened, _utf8(name), len(_utf8(name)))
    if color:
        _zone_color(opened, color & _U32)
    _end(opened)
    return False


# ---- functions

_options: dict[str, Any] = {}
_epoch = 0
_active = ""
_places: dict[int, tuple[Any, int]] = {}  # by address, with a reference to the object


def configure(**options: Any) -> None:
    """Like configure() of the extension."""
    if _active:
        raise RuntimeError("tracy: cannot be changed while it is active")
    _options.clear()
    _options.update(options)
    _places.clear()
    if options.get("min_duration"):
        print("tracy: there is no extension for this Python: --min-duration has no effect",
              file=sys.stderr)


def _wanted(code: CodeType, name: str) -> bool:
    package = _options.get("package")
    if package and code.co_filename.startswith(package):
        return False
    wants = _options.get("filter")
    return not (wants and _options.get("asks", True)) or bool(wants(code.co_filename, name))


def _code_place(code: CodeType) -> int:
    known = _places.get(id(code))
    if known:
        return known[1]
    name = getattr(code, "co_qualname", code.co_name)
    shown = f"PY_FUNC_{code.co_name}" if _options.get("tt_names") else None
    number = 0
    if _wanted(code, name):
        number = _place(shown, name, code.co_filename, code.co_firstlineno, 0)
    _places[id(code)] = code, number
    return number


def _line_place(code: CodeType, line: int) -> int:
    name = getattr(code, "co_qualname", code.co_name)
    shown = f"PY_LINE_{code.co_name}" if _options.get("tt_names") else f"{name}:{line}"
    return _place(shown, name, code.co_filename, line, 0)


def _c_place(function: Any) -> int:
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, type(sys)):
        module = getattr(function, "__module__", None)
        name = function.__name__ if module in (None, "builtins") else (
            f"{module}.{function.__name__}")
    else:
        kind = owner if isinstance(owner, type) else type(owner)
        name = f"{kind.__name__}.{function.__name__}"
    return _place(None, name, "<builtin>", 0, 0)


def _task_name() -> bytes | None:
    """The name of this thread's running task."""
    asyncio = sys.modules.get("asyncio")
    try:
        task = asyncio.current_task() if asyncio else None  # type: ignore[attr-defined]
    except RuntimeError:  # no loop runs
        return None
    return _utf8(task.get_name()) if task else None


def _push(thread: _Thread, owner: Any, place: int, coroutine: bool = False) -> None:
    depth = _options.get("max_depth", 0)
    hidden = not place or bool(depth and len(thread.open) >= depth)
    task = _task_name() if coroutine and not thread.coroutines and not hidden else None
    if task and _options.get("task_tracks"):
        _fiber_enter(task)
        thread.fiber = len(thread.open)
    opened = 0 if hidden else _begin(place, 1)
    if task and not _options.get("task_tracks"):
        _zone_text(opened, task, len(task))
    thread.open.append((owner, opened, coroutine))
    thread.coroutines += coroutine


def _pop(thread: _Thread) -> None:
    _, opened, coroutine = thread.open.pop()
    thread.coroutines -= coroutine
    if opened:
        _end(opened)
    if thread.fiber == len(thread.open):
        thread.fiber = -1
        _fiber_leave()


def _pop_down_to(thread: _Thread, owner: Any) -> None:
    """Ends the zone of OWNER and unfinished ones inside it."""
    if thread.open and thread.open[-1][0] is owner:
        _pop(thread)
    elif any(entry[0] is owner for entry in thread.open):
        while thread.open[-1][0] is not owner:
            _pop(thread)
        _pop(thread)


def _frames(innermost: FrameType | None) -> list[FrameType]:
    """The program's frames, outermost first; ours are on both sides of them."""
    found: list[FrameType] = []
    while innermost:
        ours = innermost.f_code.co_filename.startswith(_options.get("package") or "\0")
        if ours and found:
            break
        if not ours:
            found.insert(0, innermost)
        innermost = innermost.f_back
    return found


def _current(innermost: FrameType | None) -> _Thread:
    """The calling thread; after a start its old zones end and its running frames begin."""
    thread = _thread
    if thread.epoch != _epoch:
        while thread.open:
            _pop(thread)
        thread.epoch = _epoch
        for running in _frames(innermost) if _options.get("stack") else ():
            _push_code(thread, running)
    return thread


def _push_code(thread: _Thread, running: FrameType) -> None:
    code = running.f_code
    place = _code_place(code)
    if place:
        _push(thread, running, place, bool(code.co_flags & _CO_COROUTINE))


def _on_event(running: FrameType, event: str, arg: Any) -> Any:
    if event == "call":
        _push_code(_current(running.f_back), running)
    elif event == "return":
        _pop_down_to(_current(running), running)
    elif event == "c_call":
        if _options.get("c_calls") and _code_place(running.f_code):
            _push(_current(running), arg, _c_place(arg))
    elif event in ("c_return", "c_exception"):
        _pop_down_to(_current(running), arg)
    elif event == "line":
        thread = _current(running)
        line = (running, "line")
        if thread.open and thread.open[-1][0] == line:
            _pop(thread)
        if thread.open and thread.open[-1][0] is running:
            _push(thread, line, _line_place(running.f_code, running.f_lineno))
    return _on_event


def start(stack: bool) -> None:
    """Records functions from now on; with stack also the running ones."""
    global _active, _epoch
    if _active:
        return
    place = "settrace" if _options.get("lines") else "setprofile"
    if getattr(sys, place.replace("set", "get"))():
        what = "debugger or coverage tool" if _options.get("lines") else "profiler"
        raise RuntimeError(f"tracy: another {what} is active (sys.{place}); only one can be")
    _options["stack"] = stack
    _active = place
    _epoch += 1
    _current(sys._getframe(1))
    everywhere = getattr(threading, place + "_all_threads", getattr(threading, place))
    everywhere(_on_event)
    getattr(sys, place)(_on_event)


def stop() -> None:
    """Stops recording functions."""
    global _active
    place, _active = _active, ""
    if not place:
        return
    getattr(sys, place)(None)
    getattr(threading, place + "_all_threads", getattr(threading, place))(None)
    while _thread.open:
        _pop(_thread)


def active() -> str | None:
    """The source of events that is in use."""
    return "profile" if _active else None


def displaced() -> bool:
    """Whether another profiler has replaced it since start()."""
    if not _active:
        return False
    now = getattr(sys, _active.replace("set", "get"))()
    if now is None and sys.implementation.name == "pypy":  # which clears it before atexit
        return False
    return now is not _on_event


def outermost(function: Callable[..., object], *arguments: object) -> bool:
    """Calls it; False: it raised an error, which was printed. Our frames stay below it."""
    try:
        function(*arguments)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        traceback = error.__traceback__
        while traceback and traceback.tb_frame.f_code.co_filename == __file__:
            traceback = traceback.tb_next
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, traceback
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        return False
    return True
