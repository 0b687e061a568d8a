# SPDX-License-Identifier: Apache-2.0
"""zone as a decorator: functions, generators and coroutines."""
from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Callable, Generator


def _steps(zone: Any, inner: Any) -> Generator[Any, Any, Any]:
    """Runs a generator or coroutine; each step is a zone, so waits are excluded."""
    step, value = inner.send, None
    while True:
        try:
            with zone:
                out = step(value)
        except StopIteration as stop:
            return stop.value
        try:
            value = yield out
            step = inner.send
        except GeneratorExit:
            with zone:
                inner.close()
            raise
        except BaseException as error:
            step, value = inner.throw, error


@types.coroutine
def _await(zone: Any, inner: Any) -> Generator[Any, Any, Any]:
    return (yield from _steps(zone, inner))


def _async_generator(zone: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for an asynchronous generator, whose steps are coroutines."""
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        inner = function(*args, **kwargs)
        step, value = inner.asend, None
        try:
            while True:
                try:
                    out = await _await(zone, step(value))
                except StopAsyncIteration:
                    return
                try:
                    value = yield out
                    step = inner.asend
                except GeneratorExit:
                    raise
                except BaseException as error:
                    step, value = inner.athrow, error
        finally:
            await inner.aclose()
    return wrapper


def decorate(zone: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Applies ``@zone(...)`` to a function or a method of a class."""
    if isinstance(function, (classmethod, staticmethod)):
        return type(function)(decorate(zone, function.__func__))
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"zone: expected a name or a function, not {function!r:.50}")
    if inspect.isasyncgenfunction(function):
        return _async_generator(zone, function)
    if inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            return await _await(zone, function(*args, **kwargs))
    elif inspect.isgeneratorfunction(function):
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return (yield from _steps(zone, function(*args, **kwargs)))
    else:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with zone:
                return function(*args, **kwargs)
    return wrapper


def name(zone: Any, function: Any) -> Callable[..., Any]:
    """Applies ``@zone`` to an object that is not a Python function, but may wrap one."""
    inner = inspect.unwrap(getattr(function, "__func__", function))
    code = getattr(inner, "__code__", None)
    place = {"file": code.co_filename, "line": code.co_firstlineno} if code else {"file": ""}
    return decorate(zone(getattr(inner, "__qualname__", type(function).__qualname__), **place),
                    function)
