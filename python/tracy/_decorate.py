"""zone as a decorator: functions, generators and coroutines."""
from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Callable, Generator


def _steps(zone: Any, inner: Any) -> Generator[Any, Any, Any]:
    """Runs a generator or coroutine; each of its steps is a zone, so waiting is not in it."""
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


def decorate(zone: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """What ``@zone(...)`` makes of a function."""
    if inspect.isasyncgenfunction(function):
        raise TypeError("zone: an asynchronous generator cannot be decorated")
    if inspect.iscoroutinefunction(function):
        steps = types.coroutine(_steps)

        @functools.wraps(function)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            return await steps(zone, function(*args, **kwargs))
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
