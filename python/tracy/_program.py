"""Runs the program in this process just as the interpreter would."""
from __future__ import annotations

import builtins
import os
import runpy
import shutil
import sys
import types
import zipfile
from importlib.machinery import SourceFileLoader
from typing import Callable, NoReturn

from tracy import _session

STARTED_WITH: frozenset[str] = frozenset()  # the modules that were there before ours
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _new_main() -> types.ModuleType:
    """A ``__main__`` of the program's own: what it defines can be pickled and found there."""
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    return main


def _set_path(entry: str) -> None:
    """Our own entry, which ``-m`` put first, is replaced by the one that the program would have."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = entry
        _step_aside(entry)


def _step_aside(folder: str) -> None:
    """Modules that we needed and that the program has files of the same name for are forgotten."""
    try:
        names = {file.partition(".")[0] for file in os.listdir(folder or os.curdir)}
    except OSError:  # an archive
        return
    for module in set(sys.modules) - STARTED_WITH:
        top = module.partition(".")[0]
        if top in names and top != "tracy":
            del sys.modules[module]


def _program_traceback(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """Without our frames at its beginning."""
    while traceback:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(_OURS) and not file.endswith(("/runpy.py", "<frozen runpy>")):
            break
        traceback = traceback.tb_next
    return traceback


def _guarded(run: Callable[[], object]) -> None:
    """Runs it, and shows its errors as the interpreter would."""
    try:
        run()
    except SystemExit:
        raise
    except KeyboardInterrupt:  # the interpreter shows it, and ends by the signal
        show = sys.excepthook

        def hook(kind: type[BaseException], error: BaseException,
                 traceback: types.TracebackType | None) -> None:
            traceback = _program_traceback(traceback)
            show(kind, error.with_traceback(traceback), traceback)
        sys.excepthook = hook
        raise
    except BaseException as error:
        traceback = _program_traceback(error.__traceback__)
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, traceback
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        sys.exit(1)


def _run_code(code: types.CodeType, main: types.ModuleType) -> None:
    _session.begin()
    exec(code, main.__dict__)


def _run_module(name: str, set_argv: bool) -> None:
    _new_main()
    _session.begin()
    # The function behind "python -m": run_module() would clear the globals while threads and exit
    # handlers of the program still use them.
    runpy._run_module_as_main(name, set_argv)  # type: ignore[attr-defined]


def _is_python(path: str) -> bool:
    """Whether a file is for the interpreter; else it is a program."""
    if path.endswith((".py", ".pyw", ".pyc")) or os.path.isdir(path) or zipfile.is_zipfile(path):
        return True
    with open(path, "rb") as file:
        head = file.readline(256)
        if head.startswith(b"#!"):
            return b"python" in head
        if b"\0" in head:
            return False
        try:
            compile(head + file.read(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def _exec(path: str, arguments: list[str]) -> NoReturn:
    try:
        os.execvp(path, [path, *arguments])
    except OSError as error:
        print(f"tracy: {path}: {error.strerror}", file=sys.stderr)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def is_missing(path: str) -> bool:
    """Whether there is neither such a script nor such a program."""
    return not (path == "-" or os.path.exists(path)
                or (not path.endswith(".py") and shutil.which(path)))


def run_script(path: str, arguments: list[str]) -> None:
    """A script, a folder or archive with a ``__main__``, "-", or any other program."""
    if path != "-" and not os.path.exists(path):
        _exec(path, arguments)
    if path != "-" and not _is_python(path):
        _exec(path if os.sep in path else os.path.join(os.curdir, path), arguments)
    sys.argv[:] = [path, *arguments]
    if os.path.isdir(path) or zipfile.is_zipfile(path):
        _set_path(os.path.abspath(path))
        _guarded(lambda: _run_module("__main__", False))
    elif path.endswith(".pyc"):
        _set_path(os.path.dirname(os.path.realpath(path)))
        _session.begin()
        _guarded(lambda: runpy.run_path(path, run_name="__main__"))
    else:
        _guarded(lambda: _run_source(path))


def _run_source(path: str) -> None:
    main = _new_main()
    if path == "-":
        _set_path("")
        file, source = "<stdin>", sys.stdin.buffer.read()
    else:
        _set_path(os.path.dirname(os.path.realpath(path)))
        file = os.path.abspath(path)
        with open(path, "rb") as stream:
            source = stream.read()
        main.__file__ = file
        main.__dict__["__cached__"] = None
        main.__loader__ = SourceFileLoader("__main__", file)
    _run_code(compile(source, file, "exec", dont_inherit=True), main)


def run_code(code: str, arguments: list[str]) -> None:
    """As ``python -c``."""
    sys.argv[:] = ["-c", *arguments]
    _set_path("")
    main = _new_main()
    _guarded(lambda: _run_code(compile(code, "<string>", "exec", dont_inherit=True), main))


def run_module(name: str, arguments: list[str]) -> None:
    """As ``python -m``."""
    sys.argv[:] = ["-m", *arguments]
    if not getattr(sys.flags, "safe_path", False):
        _step_aside(sys.path[0])
    if name == "pytest" and _session.VARIABLE in os.environ:  # its processes know where we are
        plugins = os.environ.get("PYTEST_PLUGINS")
        os.environ["PYTEST_PLUGINS"] = (plugins + "," if plugins else "") + "tracy.pytest_plugin"
    _guarded(lambda: _run_module(name, True))
