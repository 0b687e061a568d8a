# SPDX-License-Identifier: Apache-2.0
"""Whether functions of this process become zones, and which.

What ``python -m tracy`` was asked for is in the variable TACHO_PYTHON, so that the Python processes
which the program starts do the same: a list of words as "partial lines c-calls max-depth=5
exclude=*/site-packages/*", with blanks in them as %20.
"""
from __future__ import annotations

import os
import sys
from tracy import _tracy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, MutableMapping

VARIABLE = "TACHO_PYTHON"
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
HOOK = os.path.join(_PACKAGE, "_children")
_SWITCHES = ("partial", "lines", "c-calls", "tt-names", "hide-site-packages", "task-tracks",
             "log-gc")
_VALUES = {"max_depth": int, "min_duration": float, "start_signpost": str, "end_signpost": str,
           "unused": str}
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")

_threading: Any = None  # the module; the program may have another one of that name
_users = 0
_settings: Settings | None = None
_begun = False
_signposted = False  # enter() was called for the whole program, or by a signpost


class Settings:
    """The words of TACHO_PYTHON."""

    def __init__(self) -> None:
        self.switches: set[str] = set()
        self.include: list[str] = []
        self.exclude: list[str] = []
        self.max_depth = 0
        self.min_duration = 0.0  # seconds
        self.start_signpost = ""
        self.end_signpost = ""
        self.unused = ""  # a file that the first enter() of any process removes

    def to_words(self) -> str:
        """The form of the variable."""
        words = sorted(self.switches)
        words += [f"include={pattern}" for pattern in self.include]
        words += [f"exclude={pattern}" for pattern in self.exclude]
        words += [f"{name.replace('_', '-')}={getattr(self, name)}"
                  for name in _VALUES if getattr(self, name)]
        return " ".join(word.replace("%", "%25").replace(" ", "%20") for word in words)

    @staticmethod
    def from_words(text: str) -> Settings:
        """Skips unknown words: they may belong to a newer version."""
        self = Settings()
        for word in text.split(" "):
            name, _, value = word.replace("%20", " ").replace("%25", "%").partition("=")
            if name in _SWITCHES:
                self.switches.add(name)
            elif name in ("include", "exclude"):
                getattr(self, name).append(value)
            elif name.replace("-", "_") in _VALUES:
                name = name.replace("-", "_")
                setattr(self, name, _VALUES[name](value))
        return self

    def filters(self) -> bool:
        """Whether functions of the program may be unwanted."""
        return bool(self.include or self.exclude or "hide-site-packages" in self.switches)

    def filter(self) -> Callable[[str, str], bool]:
        """The filter, called once for each function outside this package: is it wanted?"""
        include, exclude = self.include, list(self.exclude)
        if "hide-site-packages" in self.switches:
            exclude += ["*/site-packages/*", "*/dist-packages/*"]
        if not self.filters():
            return lambda file, name: True
        from fnmatch import fnmatchcase

        def matches(patterns: list[str], file: str, name: str) -> bool:
            return any(fnmatchcase(file, p) or fnmatchcase(name, p) for p in patterns)

        def wanted(file: str, name: str) -> bool:
            return (not matches(exclude, file, name)
                    and (not include or matches(include, file, name)))
        return wanted


def use(settings: Settings) -> None:
    """Applies the settings; only while no functions are recorded."""
    global _settings
    _settings = settings
    _tracy.configure(c_calls="c-calls" in settings.switches, lines="lines" in settings.switches,
                     tt_names="tt-names" in settings.switches, max_depth=settings.max_depth,
                     min_duration=settings.min_duration,
                     task_tracks="task-tracks" in settings.switches, filter=settings.filter(),
                     asks=settings.filters(), package=_PACKAGE)


def _used() -> Settings:
    if _settings is None:
        use(Settings.from_words(os.environ.get(VARIABLE, "")))
    assert _settings is not None
    return _settings


def enter(stack: bool = True) -> bool:
    """Adds a user of function recording; False if nothing records, or it fails."""
    global _users
    if not _tracy.recording():
        return False
    if not _users:
        try:
            settings = _used()
            _tracy.start(stack)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            _tracy.message(str(error), 0xFF0000, 3)
            return False
        if settings.unused:
            try:
                os.unlink(settings.unused)
            except OSError:
                pass
            settings.unused = ""
    _users += 1
    return True


def leave() -> None:
    """The opposite of enter()."""
    global _users
    _users -= 1
    if not _users:
        _warn_if_displaced()
        _tracy.stop()


def set_lines(on: bool) -> bool:
    """Sets line recording from the next enter() on and returns the old value. Not during recording."""
    settings = _used()
    was = "lines" in settings.switches
    if was != on and not _users:
        (settings.switches.add if on else settings.switches.discard)("lines")
        use(settings)
    return was


def _warn_if_displaced() -> None:
    """Warns if a later profiler, debugger or coverage tool replaced ours."""
    if not _tracy.displaced():
        return
    place = {"profile": "sys.settrace" if "lines" in _used().switches else "sys.setprofile",
             "eval": "the frame evaluator"}.get(_tracy.active() or "", "sys.monitoring")
    text = (f"tracy: another tool has taken the place of this one ({place}): "
            "functions are not recorded from then on")
    print(text, file=sys.stderr)
    _tracy.message(text, 0xFF0000, 3)


def load() -> None:
    """Imports what begin() needs."""
    global _threading
    if not _threading:
        import threading
        _threading = threading


def _name_threads() -> None:
    """Gives threads their Python names."""
    # A thread's first own step; it returns before the program's code begins.
    set_ident = _threading.Thread._set_ident
    dummy = _threading._DummyThread

    def named(self: Any) -> None:
        set_ident(self)
        if not isinstance(self, dummy):
            _tracy.set_thread_name(self.name)
    _threading.Thread._set_ident = named


def _log_gc() -> None:
    """Records each garbage collection as a zone, and the number of freed objects as a plot."""
    import gc
    begun = False  # collections are not nested, and end on their thread

    def collected(phase: str, info: dict[str, int]) -> None:
        nonlocal begun
        if phase == "start":
            begun = _tracy.recording()
            if begun:
                _tracy.start_zone("gc", f"gc generation {info['generation']}", 0)
        elif begun:
            begun = False
            _tracy.stop_zone()
            _tracy.plot("gc: objects collected", info["collected"])
    gc.callbacks.append(collected)


def begin() -> None:
    """The program is about to run: called once, before its first line."""
    global _begun
    if _begun or not _tracy.recording():
        return
    _begun = True
    load()
    import atexit
    atexit.register(_warn_if_displaced)
    _name_threads()
    if "log-gc" in _used().switches:
        _log_gc()
    for variable in _RANKS:
        if os.environ.get(variable):
            _tracy.set_thread_name(f"rank {os.environ[variable]}")
            break
    if "partial" not in _used().switches and not _used().start_signpost:
        _by_signpost(enter(stack=False))


def _by_signpost(entered: bool) -> None:
    global _signposted
    _signposted = entered


def signpost(header: str) -> None:
    """Starts and stops function recording at the configured signposts."""
    settings = _used()
    if not _signposted and header == settings.start_signpost:
        _by_signpost(enter())
    elif _signposted and header == settings.end_signpost:
        _by_signpost(False)
        leave()


def hand_down(settings: Settings) -> None:
    """Makes child Python processes start in the same way, by their sitecustomize."""
    hand_back(os.environ)
    os.environ[VARIABLE] = settings.to_words()
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = HOOK + (os.pathsep + path if path else "")


def hand_back(environ: MutableMapping[str, str]) -> None:
    """Removes the settings inherited from an outer ``python -m tracy``."""
    environ.pop(VARIABLE, None)
    if HOOK in environ.get("PYTHONPATH", "").split(os.pathsep):
        rest = [p for p in environ["PYTHONPATH"].split(os.pathsep) if p != HOOK]
        if rest:
            environ["PYTHONPATH"] = os.pathsep.join(rest)
        else:
            del environ["PYTHONPATH"]
