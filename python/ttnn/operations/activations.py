# SPDX-License-Identifier: Apache-2.0
"""Functions of torch for activations."""
from __future__ import annotations

import importlib
from typing import Any, Callable


def get_golden_function_for_activation(activation: Any) -> Callable[..., Any]:
    """By a name, a UnaryOpType or a UnaryWithParam; None is the identity."""
    torch = importlib.import_module("torch")
    if activation is None:
        return lambda x: x
    if isinstance(activation, (list, tuple)):
        steps = [get_golden_function_for_activation(a) for a in activation]

        def chain(x: Any) -> Any:
            for step in steps:
                x = step(x)
            return x
        return chain
    parameters = getattr(activation, "params", [])
    name = getattr(activation, "op_type", activation)
    name = (name if isinstance(name, str) else name.name).lower()
    found = getattr(torch.nn.functional, name, None) or getattr(torch, name)
    return lambda x: found(x, *parameters)
