# SPDX-License-Identifier: Apache-2.0
"""Reference results of ops: functions of torch with the same arguments."""
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
    """The arguments without those that only a device uses."""
    known = ("dim", "keepdim", "bias", "k", "largest", "sorted", "negative_slope", "alpha", "min",
             "max", "activation", "transpose_a", "transpose_b", "weight", "epsilon", "min_val", "max_val",
             "beta", "threshold", "rounding_mode", "decimals", "eps", "rtol", "atol", "equal_nan", "scale",
             "mask", "num_heads", "num_kv_heads", "transpose_key", "head_size", "attention_mask", "value",
             "residual_input_tensor", "dims", "start_dim", "lambd", "approximate")
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


def _in_nn(name: str) -> Callable[..., Any]:
    return lambda torch, x, *a, **k: getattr(torch.nn.functional, name)(x, *a, **k)


def _heads(torch: Any, x: Any, kv: Any = None, *, num_heads: int, num_kv_heads: int | None = None,
           transpose_key: bool = True) -> Any:
    kv_heads = num_kv_heads or num_heads
    x = x if kv is None else torch.cat([x, kv], dim=-1)
    width = x.shape[-1] // (num_heads + 2 * kv_heads)
    q, k, v = (t.reshape(*x.shape[:2], -1, width).permute(0, 2, 1, 3) for t in torch.split(
        x, [num_heads * width, kv_heads * width, kv_heads * width], dim=-1))
    return q, k.transpose(-2, -1) if transpose_key else k, v


def _attention(torch: Any, x: Any, *, head_size: int | None = None, attention_mask: Any = None) -> Any:
    x = x if head_size is None else x / head_size ** 0.5
    return torch.softmax(x if attention_mask is None else x + attention_mask, -1)


def _rms_norm(torch: Any, x: Any, weight: Any = None, *, epsilon: float = 1e-12, bias: Any = None,
              residual_input_tensor: Any = None) -> Any:
    x = x if residual_input_tensor is None else x + residual_input_tensor
    out = x / torch.sqrt((x.float() ** 2).mean(-1, keepdim=True) + epsilon)
    out = out if weight is None else out * weight.reshape(-1)
    return (out if bias is None else out + bias.reshape(-1)).to(x.dtype)


def _gate(name: str) -> Callable[..., Any]:
    def gate(torch: Any, x: Any, dim: int = -1) -> Any:
        value, half = torch.split(x, x.shape[dim] // 2, dim)
        apply = torch.sigmoid if name == "sigmoid" else getattr(torch.nn.functional, name)
        return value * apply(half)
    return gate


def _derivative(name: str) -> Callable[..., Any]:
    def backward(torch: Any, grad: Any, x: Any, *_: Any) -> Any:
        x = x.detach().clone().requires_grad_()
        function = getattr(torch.nn.functional if name in _IN_NN else torch, name)
        function(x).backward(gradient=grad.to(x.dtype))
        return [x.grad]
    return backward


_SPECIAL.update({
    "sigmoid_accurate": lambda torch, x: torch.sigmoid(x),
    "bias_gelu": lambda torch, a, b: torch.nn.functional.gelu(a + b),
    "hardtanh": lambda torch, x, low=-1.0, high=1.0, min_val=None, max_val=None:
    torch.clamp(x, low if min_val is None else min_val, high if max_val is None else max_val),
    "softplus": lambda torch, x, beta=1.0, threshold=20.0:
    torch.nn.functional.softplus(x, beta=beta, threshold=threshold),
    "selu": _in_nn("selu"), "hardswish": _in_nn("hardswish"), "log_sigmoid": _in_nn("logsigmoid"),
    "swish": _in_nn("silu"), "glu": _gate("sigmoid"), "reglu": _gate("relu"), "geglu": _gate("gelu"),
    "swiglu": _gate("silu"), "softcap": lambda torch, x, cap: cap * torch.tanh(x / cap),
    "prelu": lambda torch, x, w: torch.nn.functional.prelu(x, w) if isinstance(w, torch.Tensor) else
    torch.nn.functional.leaky_relu(x, w),
    "addalpha": lambda torch, a, b, alpha: a + alpha * b,
    "subalpha": lambda torch, a, b, alpha: a - alpha * b,
    "floor_div": lambda torch, a, b: torch.floor_divide(a, b),
    "div_no_nan": lambda torch, a, b: torch.where(torch.as_tensor(b) == 0, 0.0, a / b),
    "softmax_in_place": lambda torch, x, dim=-1: torch.softmax(x, dim),
    "scale_mask_softmax": lambda torch, x, scale=None, mask=None:
    torch.softmax(x * (scale or 1) + (0 if mask is None else mask), -1),
    "rms_norm": _rms_norm, "attention_softmax": _attention,
    "split_query_key_value_and_split_heads": _heads,
    "concatenate_heads": lambda torch, x: x.transpose(1, 2).flatten(2),
    "relu_max": lambda torch, x, limit: torch.relu(torch.clamp(x, max=limit)),
    "relu_min": lambda torch, x, limit: torch.clamp(x, min=limit),
    "multigammaln": lambda torch, x: torch.special.multigammaln(x, 4),
    "typecast": lambda torch, x, dtype: x, "to_layout": lambda torch, x, *a: x,
    "bcast": lambda torch, a, b, op, dim: getattr(torch, op)(a, b),
    "isposinf": lambda torch, x: torch.isposinf(x), "eqz": lambda torch, x: torch.eq(x, 0),
    "nez": lambda torch, x: torch.ne(x, 0), "ltz": lambda torch, x: torch.lt(x, 0),
    "gtz": lambda torch, x: torch.gt(x, 0), "lez": lambda torch, x: torch.le(x, 0),
    "gez": lambda torch, x: torch.ge(x, 0), "cbrt": lambda torch, x: x.sign() * x.abs() ** (1 / 3),
    "rdiv": lambda torch, x, value, rounding_mode=None: torch.div(value, x, rounding_mode=rounding_mode),
    "rpow": lambda torch, x, value: torch.pow(value, x),
    "argmax": lambda torch, x, dim=None, keepdim=False: torch.argmax(x, dim=dim, keepdim=keepdim),
    "cumsum": lambda torch, x, dim: torch.cumsum(x, dim), "cumprod": lambda torch, x, dim:
    torch.cumprod(x, dim), "repeat_interleave": lambda torch, x, repeats, dim=0:
    torch.repeat_interleave(x, repeats, dim),
    "pad": lambda torch, x, padding, value=0.0: torch.nn.functional.pad(
        x, [n for pair in reversed([tuple(p) for p in padding]) for n in pair], value=value),
})


def attach_golden_function(operation: Any, golden_function: Callable[..., Any], **_: Any) -> None:
    _attached[operation] = golden_function


def _in_float(function: Callable[..., Any]) -> Callable[..., Any]:
    """FUNCTION; with float32 if this torch lacks it for bfloat16."""
    def golden(*arguments: Any, **settings: Any) -> Any:
        try:
            return function(*arguments, **settings)
        except RuntimeError as error:
            if "not implemented for 'BFloat16'" not in str(error):
                raise
            plain = [a.float() if hasattr(a, "detach") else a for a in arguments]
            return function(*plain, **settings).bfloat16()
    return golden


def get_golden_function(operation: Any) -> Callable[..., Any]:
    """A function of torch tensors."""
    if operation in _attached:
        return _attached[operation]
    own = getattr(operation, "golden_function", None)
    if own is not None and not getattr(own, "of_tacho", False):  # a program's own
        return own
    torch = importlib.import_module("torch")
    name = operation.__name__.rstrip("_")
    if name in _SPECIAL or name.endswith("_bw"):
        special = _SPECIAL.get(name) or _derivative(name[:-3])
        return _in_float(lambda *a, **k: special(torch, *a, **_plain(k)))
    found = getattr(torch.nn.functional if name in _IN_NN else torch, _RENAMED.get(name, name), None)
    if found is None:
        raise RuntimeError(f"{operation.__name__} does not have a golden function")
    return _in_float(lambda *a, **k: found(*a, **_plain(k)))


def golden_attach(operation: Any) -> None:
    """Gives an op the attribute golden_function, which is looked up when it is called."""
    def golden(*arguments: Any, **settings: Any) -> Any:
        return get_golden_function(operation)(*arguments, **settings)
    golden.of_tacho = True  # type: ignore[attr-defined]
    operation.golden_function = golden


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
