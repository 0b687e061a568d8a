# SPDX-License-Identifier: Apache-2.0
"""Runs the program in this process just as the interpreter would."""
from __future__ import annotations

import builtins
import os
import sys

from tracy import _session, _tracy

try:  # importlib.machinery loads more
    from _frozen_importlib import BuiltinImporter
    from _frozen_importlib_external import SourceFileLoader, SourcelessFileLoader
except ImportError:
    from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from typing import Callable, NoReturn

STARTED_WITH: frozenset[str] = frozenset()  # the modules loaded before ours
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _new_main() -> types.ModuleType:
    """Creates the program's own ``__main__``: its definitions can be pickled and found there."""
    main = type(sys)("__main__")
    main.__dict__.update(__loader__=BuiltinImporter, __annotations__={}, __builtins__=builtins)
    sys.modules["__main__"] = main
    return main


def _set_path(entry: str) -> None:
    """Replaces our own entry, which ``-m`` put first, by the program's."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = entry
        _step_aside(entry)


def _step_aside(folder: str) -> None:
    """Unloads modules that we needed if the program has files of the same name."""
    try:
        names = {file.partition(".")[0] for file in os.listdir(folder or os.curdir)}
    except OSError:  # an archive
        return
    for module in set(sys.modules) - STARTED_WITH:
        top = module.partition(".")[0]
        if top in names and top != "tracy":
            del sys.modules[module]


def program_traceback(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """Removes our frames, and those that called us, from the start of a traceback."""
    while traceback and not traceback.tb_frame.f_code.co_filename.startswith(_OURS):
        traceback = traceback.tb_next
    while traceback and traceback.tb_frame.f_code.co_filename.startswith(_OURS):
        traceback = traceback.tb_next
    return traceback


def _run(function: Callable[..., object], *arguments: object) -> None:
    """Runs it as the interpreter would: it sees none of our frames, and its errors are printed."""
    _session.begin()
    try:
        if not _tracy.outermost(function, *arguments):
            sys.exit(1)
    except KeyboardInterrupt:  # the interpreter prints it and exits by the signal
        show = sys.excepthook

        def hook(kind: type[BaseException], error: BaseException,
                 traceback: types.TracebackType | None) -> None:
            traceback = program_traceback(traceback)
            show(kind, error.with_traceback(traceback), traceback)
        sys.excepthook = hook
        raise


def _run_code(get: Callable[[], types.CodeType], main: types.ModuleType) -> None:
    try:
        code = get()
    except Exception as error:  # its message about an unreadable file is complete
        sys.excepthook(type(error), error.with_traceback(None), None)
        sys.exit(1)
    _run(exec, code, main.__dict__)


def _run_module(name: str, set_argv: bool) -> None:
    import runpy
    _new_main()
    # The function that implements "python -m": run_module() would clear the globals while threads and exit
    # handlers of the program still use them.
    _run(runpy._run_module_as_main, name, set_argv)  # type: ignore[attr-defined]


def _has_modules(path: str) -> bool:
    """Whether it is a folder or an archive, by the interpreter's own test."""
    for hook in sys.path_hooks:
        try:
            hook(path)
            return True
        except ImportError:
            pass
    return False


def _is_python(path: str) -> bool:
    """Whether a file is for the interpreter; else it is a program."""
    if path.endswith((".py", ".pyw", ".pyc")) or _has_modules(path):
        return True
    if not os.path.isfile(path):  # a pipe, as of the shell's <(...): it can be read only once
        return True
    if not os.access(path, os.X_OK):
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


def run_script(path: str, arguments: list[str]) -> None:
    """A script, a folder or archive with a ``__main__``, "-", or any other program."""
    if path != "-" and not os.path.exists(path):
        _exec(path, arguments)
    if path != "-" and not _is_python(path):
        _exec(path if os.sep in path else os.path.join(os.curdir, path), arguments)
    sys.argv[:] = [path, *arguments]
    if path != "-" and _has_modules(path):
        _set_path(os.path.abspath(path))
        _run_module("__main__", False)
    else:
        _run_file(path)


def _run_file(path: str) -> None:
    main = _new_main()
    if path == "-":
        _set_path("")
        main.__dict__.update(__file__="<stdin>", __cached__=None)
        source = sys.stdin.buffer.read()
        _run_code(lambda: _compile(source, "<stdin>"), main)
        return
    _set_path(os.path.dirname(os.path.realpath(path)))
    file = os.path.join(os.getcwd(), path)  # keeps "./", as the interpreter does
    kind = SourcelessFileLoader if path.endswith(".pyc") else SourceFileLoader
    loader = kind("__main__", file)
    main.__file__, main.__loader__ = file, loader
    main.__dict__["__cached__"] = None
    if kind is SourcelessFileLoader:
        _run_code(lambda: loader.get_code("__main__"), main)
    else:
        _run_code(lambda: _compile(loader.get_data(path), file), main)


def _compile(source: str | bytes, file: str) -> types.CodeType:
    return compile(source, file, "exec", dont_inherit=True)


def run_code(code: str, arguments: list[str]) -> None:
    """As ``python -c``."""
    sys.argv[:] = ["-c", *arguments]
    _set_path("")
    if sys.version_info >= (3, 13):  # shows lines of it in tracebacks
        import linecache
        linecache.cache["<string>"] = len(code), None, code.splitlines(True), "<string>"
    _run_code(lambda: _compile(code, "<string>"), _new_main())


def run_module(name: str, arguments: list[str]) -> None:
    """As ``python -m``."""
    sys.argv[:] = ["-m", *arguments]
    if not getattr(sys.flags, "safe_path", False):
        _step_aside(sys.path[0])
    if name == "pytest" and _session.VARIABLE in os.environ:  # its processes know where we are
        plugins = os.environ.get("PYTEST_PLUGINS")
        os.environ["PYTEST_PLUGINS"] = (plugins + "," if plugins else "") + "tracy.pytest_plugin"
    _run_module(name, True)


def become(settings: _session.Settings, follow: bool, kind: str, program: list[str]) -> None:
    """Turns this process into the program."""
    folder = sys.path.pop(0) if not getattr(sys.flags, "safe_path", False) else None
    _session.load()
    _session.use(settings)
    if folder is not None:
        sys.path.insert(0, folder)
    if follow:
        _session.hand_down(settings)
    run = {"-c": run_code, "-m": run_module}.get(kind, run_script)
    run(program[0], program[1:])
