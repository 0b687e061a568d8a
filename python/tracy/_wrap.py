# SPDX-License-Identifier: Apache-2.0
"""Callables of extensions as zones, where the interpreter itself does not report them."""
from __future__ import annotations

import functools
import types
from typing import Any, Callable

from tracy._tracy import zone


def _named(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", "")
    if type(getattr(function, "__self__", None)).__name__ == "PyCapsule":  # of a binding generator
        name = function.__name__
    module = getattr(function, "__module__", None)
    return f"{module}.{name}" if module else str(name)


def wrap_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same with a zone around each call."""
    around = zone(_named(function), file="<builtin>", line=0)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with around:
            return function(*args, **kwargs)
    return wrapper


def _is_foreign(value: Any) -> bool:
    return (callable(value) and not isinstance(value, (type, types.FunctionType, types.MethodType))
            and bool(getattr(value, "__name__", "")))


def wrap_module(module: types.ModuleType) -> None:
    """All functions of a module and of those below it that are not Python's own."""
    seen: set[int] = set()
    todo = [module]
    while todo:
        current = todo.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for name, value in list(vars(current).items()):
            if name.startswith("__"):
                continue
            if isinstance(value, types.ModuleType):
                if value.__name__.startswith(module.__name__ + "."):
                    todo.append(value)
            elif _is_foreign(value):
                setattr(current, name, wrap_function(value))
