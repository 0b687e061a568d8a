# SPDX-License-Identifier: Apache-2.0
"""For pytest: a zone for each test and for its setup, call and teardown.

``python -m tracy -m pytest`` loads it; otherwise ``-p tracy.pytest_plugin`` does. With ``-p`` of
``python -m tracy`` functions are recorded where the fixture tracy_profile or the option --tracy asks
for it:

    --tracy=call      while tests themselves run
    --tracy=item      their fixtures too (--tracy alone)
    --tracy=session   everything

The marker @pytest.mark.tracy does it for one test, @pytest.mark.tracy(lines=True) line by line.
"""
from __future__ import annotations

from typing import Any, Generator

import pytest

try:
    from tracy import Profiler, _session, recording, zone
except ImportError:  # no extension for this interpreter: tests run as they always do
    from contextlib import nullcontext as zone  # type: ignore[assignment]

    def recording() -> bool:  # type: ignore[misc]
        """Never."""
        return False

    class Profiler:  # type: ignore[no-redef]
        """Records nothing."""

        def enable(self) -> None:
            """Does nothing."""

        disable = enable

        def __enter__(self) -> Profiler:
            return self

        def __exit__(self, *exception: Any) -> None:
            pass

_COLORS = {"setup": 0x9BB3D0, "call": 0x4C72B0, "teardown": 0x9BB3D0}


def _zone(name: str, color: int, file: str, line: int) -> Any:
    return zone(name, color, file=file, line=line) if zone.__module__ == "tracy" else zone()


def pytest_addoption(parser: Any) -> None:
    """Each form is a separate option: an optional value would consume the next word."""
    group = parser.getgroup("tracy")
    for option, scope, text in (("--tracy=call", "call", "record the functions of tests"),
                                ("--tracy=item", "item", "of their fixtures too"),
                                ("--tracy", "item", "the same"),
                                ("--tracy=session", "session", "of everything")):
        group.addoption(option, action="store_const", const=scope, dest="tracy", help=text)


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "tracy(lines=False): record the functions of this test")


@pytest.fixture
def tracy_profile() -> Generator[Profiler, None, None]:
    """Records functions while the test runs."""
    with Profiler() as profiler:
        yield profiler


def _profiled(item: Any, what: str) -> bool:
    return item.config.getoption("tracy") == what


@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop(session: Any) -> Generator[None, Any, None]:
    profiler = Profiler()
    if session.config.getoption("tracy") == "session":
        profiler.enable()
    yield
    profiler.disable()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Generator[None, Any, None]:
    file, line, _ = item.location
    profiler = Profiler()
    with _zone(item.nodeid, 0, file, (line or 0) + 1):
        if _profiled(item, "item"):
            profiler.enable()
        yield
        profiler.disable()


def _phase(name: str) -> Any:
    return _zone(name, _COLORS[name], "", 0)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup(item: Any) -> Generator[None, Any, None]:
    with _phase("setup"):
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, None]:
    profiler, marker = Profiler(), item.get_closest_marker("tracy")
    lines = bool(marker and marker.kwargs.get("lines")) and recording()
    with _phase("call"):
        if lines:
            before = _session.set_lines(True)
        if marker or _profiled(item, "call"):
            profiler.enable()
        yield
        profiler.disable()
        if lines:
            _session.set_lines(before)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: Any) -> Generator[None, Any, None]:
    with _phase("teardown"):
        yield
