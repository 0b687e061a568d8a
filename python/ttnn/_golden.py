# SPDX-License-Identifier: Apache-2.0
"""What ops should compute: functions of torch with the same arguments."""
from __future__ import annotations

import importlib
from typing import Any, Callable

from ttnn._library import lib
from ttnn._tensor import Tensor, from_torch, to_torch

_attached: dict[Any, Callable[..., Any]] = {}
_RENAMED = {"subtract": "sub", "multiply": "mul", "divide": "div", "neg": "neg",
            "reciprocal": "reciprocal", "concat": "concat", "logical_not_": "logical_not"}
_IN_NN = ("relu", "gelu", "silu", "leaky_relu", "elu", "softplus", "mish", "relu6", "hardsigmoid",
          "softsign", "celu", "hardshrink", "softshrink", "tanhshrink")


def _plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """Without what only a device knows."""
    known = ("dim", "keepdim", "bias", "k", "largest", "sorted", "negative_slope", "alpha", "min",
             "max", "activation", "transpose_a", "transpose_b", "weight", "epsilon")
    return {n: v for n, v in arguments.items() if n in known and v is not None}


def _matmul(torch: Any, a: Any, b: Any, *, bias: Any = None, transpose_a: bool = False,
            transpose_b: bool = False, activation: Any = None) -> Any:
    a = a.transpose(-2, -1) if transpose_a else a
    b = b.transpose(-2, -1) if transpose_b else b
    out = torch.matmul(a.to(b.dtype), b)
    out = out if bias is None else out + bias.reshape(bias.shape[-1])
    return out if activation is None else getattr(torch.nn.functional, activation)(out)


def _layer_norm(torch: Any, x: Any, *, epsilon: float = 1e-12, weight: Any = None, bias: Any = None,
                residual_input_tensor: Any = None) -> Any:
    x = x if residual_input_tensor is None else x + residual_input_tensor
    flat = [None if t is None else t.reshape(-1) for t in (weight, bias)]
    return torch.nn.functional.layer_norm(x, x.shape[-1:], flat[0], flat[1], epsilon)


def _reshape(torch: Any, x: Any, shape: Any) -> Any:
    return x.reshape(tuple(shape))


_SPECIAL: dict[str, Callable[..., Any]] = {
    "matmul": _matmul, "linear": _matmul, "layer_norm": _layer_norm, "reshape": _reshape,
    "softmax": lambda torch, x, dim=-1, **_: torch.softmax(x, dim),
    "permute": lambda torch, x, dims, **_: x.permute(tuple(dims)),
    "transpose": lambda torch, x, a=-2, b=-1, **_: x.transpose(a, b),
    "embedding": lambda torch, ids, w, **_: torch.nn.functional.embedding(ids, w),
    "rsub": lambda torch, a, b, **_: b - a,
    "squared_difference": lambda torch, a, b, **_: (a - b) ** 2,
    "repeat": lambda torch, x, n, **_: x.repeat(tuple(n)),
    "sum": lambda torch, x, dim=None, keepdim=False, **_: x.sum() if dim is None else
    x.sum(dim, keepdim),
    "mean": lambda torch, x, dim=None, keepdim=False, **_: x.mean() if dim is None else
    x.mean(dim, keepdim),
    "max": lambda torch, x, dim=None, keepdim=False, **_: x.max() if dim is None else
    x.max(dim, keepdim)[0],
    "min": lambda torch, x, dim=None, keepdim=False, **_: x.min() if dim is None else
    x.min(dim, keepdim)[0],
}


def attach_golden_function(operation: Any, golden_function: Callable[..., Any], **_: Any) -> None:
    _attached[operation] = golden_function


def get_golden_function(operation: Any) -> Callable[..., Any]:
    """A function of torch tensors."""
    if operation in _attached:
        return _attached[operation]
    torch = importlib.import_module("torch")
    name = operation.__name__.rstrip("_")
    if name in _SPECIAL:
        special = _SPECIAL[name]
        return lambda *a, **k: special(torch, *a, **_plain(k))
    found = getattr(torch.nn.functional if name in _IN_NN else torch, _RENAMED.get(name, name), None)
    if found is None:
        raise RuntimeError(f"{operation.__name__} does not have a golden function")
    return lambda *a, **k: found(*a, **_plain(k))


def get_fallback_function(operation: Any) -> Callable[..., Any]:
    """The golden function on tensors of ttnn: the host computes it, and the report shows that."""
    golden = get_golden_function(operation)

    def fallback(*arguments: Any, **settings: Any) -> Any:
        tensors = [a for a in (*arguments, *settings.values()) if isinstance(a, Tensor)]
        started = lib.ttnn_host_begin(f"ttnn.{operation.__name__}".encode(), b"python_fallback")
        plain = [to_torch(a) if isinstance(a, Tensor) else a for a in arguments]
        named = {n: to_torch(a) if isinstance(a, Tensor) else a for n, a in settings.items()}
        out = golden(*plain, **named)
        lib.ttnn_host_end(started)
        first = tensors[0]
        return from_torch(out, first.dtype, layout=first.layout, device=first.device(),
                          memory_config=first.memory if first.device() else None)
    return fallback
