# SPDX-License-Identifier: Apache-2.0
"""Functions of values with parameters, gated units and derivatives: chains of instructions of the
vector unit in one op."""
from __future__ import annotations

import math
from typing import Any, Callable, Sequence

from ttnn import _eltwise as e
from ttnn import _library, _move
from ttnn._run import float_bits, on_one_device, step
from ttnn._tensor import Tensor
from ttnn._types import FLOATS, check, fatal, float32

_SELU = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717


def _one(name: str, tile: int, *parameters: float) -> _library.Step:
    return e.unary_step(name, tile, float32, *parameters)


def _two(name: str, a: int, b: int, out: int) -> _library.Step:
    return step(name, a, b, out)


def _copy(source: int, to: int) -> _library.Step:
    return step("copy_dest_values", source, source, to)


# ---- of one tensor: parameters with their defaults, the steps on tile 0
def _logit(eps: float | None) -> list[_library.Step]:
    clamped = [] if eps is None or eps < 0 else [_one("clamp", 0, eps, 1 - eps)]
    return [*clamped, _copy(0, 1), _one("rsub_unary", 1, 1.0),
            _two("div_binary", 0, 1, 0), _one("log", 0, 1.0)]


def _hardswish() -> list[_library.Step]:
    return [_copy(0, 1), _one("hardsigmoid", 1), _two("mul_binary", 0, 1, 0)]


def _log_sigmoid() -> list[_library.Step]:
    return [_copy(0, 1), _one("negative", 1), _one("exp", 1, 1.0),
            _two("logsigmoid", 0, 1, 0)]


def _multigammaln() -> list[_library.Step]:
    """The logarithm of the gamma function of order 4."""
    steps = []
    for tile in (1, 2, 3):
        steps += [_copy(0, tile), _one("sub_unary", tile, tile / 2),
                  _one("lgamma", tile)]
    steps.append(_one("lgamma", 0))
    return [*steps, *(_two("add_binary", 0, tile, 0) for tile in (1, 2, 3)),
            _one("add_unary", 0, 3 * math.log(math.pi))]


_FUNCTIONS: dict[str, tuple[dict[str, Any], Callable[..., list[_library.Step]]]] = {
    "softplus": ({"beta": 1.0, "threshold": 20.0},
                 lambda beta, threshold: [_one("softplus", 0, beta, 1 / beta, threshold)]),
    "hardtanh": ({"min_val": -1.0, "max_val": 1.0},
                 lambda low, high: [_one("clamp", 0, low, high)]),
    "selu": ({"scale": _SELU[0], "alpha": _SELU[1]},
             lambda scale, alpha: [_one("selu", 0, scale, alpha)]),
    "xielu": ({"alpha_p": 0.8, "alpha_n": 0.8}, lambda p, n: [_one("xielu", 0, p, n)]),
    "hardswish": ({}, _hardswish),
    "log_sigmoid": ({}, _log_sigmoid),
    "swish": ({}, lambda: [_one("silu", 0)]),
    "logit": ({"eps": None}, _logit),
    "deg2rad": ({}, lambda: [_one("mul_unary", 0, math.pi / 180)]),
    "rad2deg": ({}, lambda: [_one("mul_unary", 0, 180 / math.pi)]),
    "multigammaln": ({}, _multigammaln),
}


def _make_function(name: str) -> Callable[..., Tensor]:
    defaults, steps = _FUNCTIONS[name]

    def op(input_tensor: Tensor, *values: float, memory_config: Any = None,
           output_tensor: Tensor | None = None, queue_id: Any = None, **settings: Any) -> Tensor:
        unknown = [s for s in settings if s not in defaults]
        if unknown or len(values) > len(defaults):
            raise TypeError(f"{name}() got an unexpected argument {unknown[0] if unknown else ''}")
        given = {**defaults, **dict(zip(defaults, values)), **settings}
        on_one_device(name, [input_tensor])
        check(input_tensor.dtype in FLOATS, f"{name}: Unsupported data type {input_tensor.dtype!r}")
        return e._unary(name, input_tensor, steps(*given.values()),
                        [v for v in given.values() if v is not None], memory_config, output_tensor)
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} of each value{', with ' + ', '.join(defaults) if defaults else ''}."
    return op


for _name in _FUNCTIONS:
    globals()[_name] = _make_function(_name)


def softcap(input_tensor: Tensor, cap: float, *, memory_config: Any = None,
            output_tensor: Tensor | None = None) -> Tensor:
    """cap * tanh(x / cap)."""
    on_one_device("softcap", [input_tensor])
    check(cap > 0, f"softcap: the cap must be positive, not {cap}")
    return e._unary("softcap", input_tensor, [_one("softcap", 0, cap, 1 / cap)], [cap], memory_config,
                    output_tensor)


def round(input_tensor: Tensor, *, decimals: int = 0, memory_config: Any = None,
          output_tensor: Tensor | None = None) -> Tensor:
    """To a number of decimals; halves to even."""
    on_one_device("round", [input_tensor])
    place = step("round", 0, parameters=[decimals & 0xffffffff])
    return e._unary("round", input_tensor, [place], [decimals], memory_config, output_tensor)


def prelu(input_tensor: Tensor, weight: Any, *, memory_config: Any = None,
          output_tensor: Tensor | None = None) -> Tensor:
    """x where it is not negative, else weight * x; a weight for all, for each channel or each value."""
    if isinstance(weight, (list, tuple)):
        check(len(weight) == 1, "prelu: one weight is needed")
        weight = weight[0]
    if not isinstance(weight, Tensor):
        return e.leaky_relu(input_tensor, weight, memory_config=memory_config,
                            output_tensor=output_tensor)
    shape, rank = tuple(weight.shape), len(input_tensor.shape)
    if len(shape) == 1 and rank > 2 and shape[0] == input_tensor.shape[1]:
        weight = _move.reshape(weight, (1, shape[0], *(1,) * (rank - 2)))
    steps = [_two("mul_binary", 0, 1, 1), _copy(0, 2), _one("gez", 2),
             step("where", 2, 0, 1, 0)]
    return e.apply("BinaryNgDeviceOperation", [input_tensor, weight], steps,
                   {"binary_op_type": "BinaryOpType::PRELU", "dtype": input_tensor.dtype},
                   memory_config=memory_config, output=output_tensor)


def unary_chain(input_tensor: Tensor, ops_chain: Sequence[Any], *, memory_config: Any = None,
                output_tensor: Tensor | None = None) -> Tensor:
    """Several functions in one op."""
    on_one_device("unary_chain", [input_tensor])
    check(len(ops_chain) > 0, "unary_chain: Op chain cannot be empty")
    return e.apply("UnaryDeviceOperation", [input_tensor], e.activation_steps(list(ops_chain)), {
        "op_chain": e.activation_text(list(ops_chain)), "output_dtype": input_tensor.dtype,
        "output_memory_config": memory_config or input_tensor.memory},
        memory_config=memory_config, output=output_tensor)


def pearson_correlation_coefficient(expected: Any, actual: Any) -> float:
    """Of all values of two torch tensors."""
    x, y = (t.detach().double().flatten() for t in (expected, actual))
    x, y = x - x.mean(), y - y.mean()
    scale = float((x.norm() * y.norm()).item())
    return float((x @ y).item()) / scale if scale else float(bool((x == y).all()))


# ---- gated units: the second half of a dimension decides about the first
def _make_gate(name: str, engine: str) -> Callable[..., Tensor]:
    def op(input_tensor: Tensor, dim: int = -1, *, memory_config: Any = None) -> Tensor:
        rank = len(input_tensor.shape)
        check(-rank <= dim < rank and input_tensor.shape[dim] % 2 == 0,
              f"{name}: dimension {dim} of shape {list(input_tensor.shape)} has no halves")
        value, gate = _move.split(input_tensor, input_tensor.shape[dim] // 2, dim)
        return e.apply("BinaryNgDeviceOperation", [value, gate],
                       [_one(engine, 1), _two("mul_binary", 0, 1, 0)],
                       {"binary_op_type": "BinaryOpType::MUL", "rhs_activations":
                        e.activation_text(engine)}, memory_config=memory_config)
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"The first half of a dimension times {engine} of the second."
    return op


glu, reglu = _make_gate("glu", "sigmoid"), _make_gate("reglu", "relu")
geglu, swiglu = _make_gate("geglu", "gelu"), _make_gate("swiglu", "silu")


# ---- of two
def isclose(input_tensor_a: Tensor, input_tensor_b: Tensor, rtol: float = 1e-5, atol: float = 1e-8,
            equal_nan: bool = False, *, memory_config: Any = None,
            output_tensor: Tensor | None = None) -> Tensor:
    """1 where |a - b| <= atol + rtol * |b|."""
    steps = []
    if equal_nan:
        steps = [_copy(0, 2), _copy(1, 3), _one("isnan", 2),
                 _one("isnan", 3), _two("mul_binary", 2, 3, 2)]
    steps.append(step("isclose_binary", 0, 1, 0, parameters=[float_bits(rtol), float_bits(atol)]))
    if equal_nan:
        steps.append(_two("binary_max", 0, 2, 0))
    return e.apply("BinaryNgDeviceOperation", [input_tensor_a, input_tensor_b], steps,
                   {"binary_op_type": "BinaryOpType::ISCLOSE", "rtol": f"{rtol:g}", "atol": f"{atol:g}"},
                   memory_config=memory_config, output=output_tensor)


def _make_weighted(name: str, engine: str) -> Callable[..., Tensor]:
    def op(input_tensor_a: Tensor, input_tensor_b: Tensor, alpha: float = 1.0, *,
           memory_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        return e.apply("BinaryNgDeviceOperation", [input_tensor_a, input_tensor_b],
                       [_one("mul_unary", 1, alpha), _two(engine, 0, 1, 0)],
                       {"binary_op_type": f"BinaryOpType::{engine[:3].upper()}",
                        "rhs_activations": f"{{MUL_UNARY_SFPU({alpha:g})}}"},
                       memory_config=memory_config, output=output_tensor)
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name[:3]} of a tensor and alpha times another."
    return op


addalpha, subalpha = _make_weighted("addalpha", "add_binary"), _make_weighted("subalpha", "sub_binary")


def div_no_nan(input_tensor_a: Tensor, input_tensor_b: Any, *, memory_config: Any = None) -> Tensor:
    """a / b, and 0 where b is 0."""
    if not isinstance(input_tensor_b, Tensor):
        return e.multiply(input_tensor_a, 1 / input_tensor_b if input_tensor_b else 0.0,
                          memory_config=memory_config)
    steps = [_two("div_binary", 0, 1, 0), _one("fill", 2, 0.0), _one("nez", 1), step("where", 1, 0, 2, 0)]
    return e.apply("BinaryNgDeviceOperation", [input_tensor_a, input_tensor_b], steps,
                   {"binary_op_type": "BinaryOpType::DIV_NO_NAN"}, memory_config=memory_config)


def floor_div(input_tensor_a: Tensor, input_tensor_b: Any, *, memory_config: Any = None) -> Tensor:
    """The greatest whole number not above a / b."""
    return e.divide(input_tensor_a, input_tensor_b, rounding_mode="floor", memory_config=memory_config)


def outer(input_tensor_a: Tensor, input_tensor_b: Tensor, *, memory_config: Any = None) -> Tensor:
    """All products of the values of two vectors."""
    a, b = (_move.reshape(t, shape) for t, shape in (
        (input_tensor_a, (1, 1, input_tensor_a.volume(), 1)),
        (input_tensor_b, (1, 1, 1, input_tensor_b.volume()))))
    return e.multiply(a, b, memory_config=memory_config)


class BcastOpMath:
    """The operations of bcast()."""
    ADD, SUB, MUL = "add", "subtract", "multiply"


class BcastOpDim:
    """What bcast() repeats."""
    H, W, HW = "H", "W", "HW"


def bcast(input_a: Tensor, input_b: Tensor, math_op: str, dim: str, *, memory_config: Any = None,
          output_tensor: Tensor | None = None) -> Tensor:
    """An operation on two tensors, of which the second is repeated along a dimension."""
    return getattr(e, math_op)(input_a, input_b, memory_config=memory_config, output_tensor=output_tensor)


# ---- derivatives: of the gradient (tile 0) and the input (tile 1)
_DERIVATIVES: dict[str, tuple[str, ...]] = {
    "relu": ("gtz 1",), "tanh": ("tanh_derivative 1",), "exp": ("exp 1",), "square": ("mul_unary 1 2",),
    "neg": ("fill 1 -1",), "abs": ("sign 1",), "sin": ("cos 1",), "cos": ("sin 1", "negative 1"),
    "log": ("recip 1",), "sqrt": ("rsqrt 1", "mul_unary 1 0.5"),
    "rsqrt": ("rsqrt 1", "power 1 3", "mul_unary 1 -0.5"),
    "reciprocal": ("square 1", "recip 1", "negative 1"), "gelu": ("gelu_derivative 1",),
    "sigmoid": ("sigmoid 1", "copy 1 2", "rsub_unary 2 1", "mul_binary 1 2 1"),
    "silu": ("copy 1 2", "sigmoid 2", "copy 2 3", "rsub_unary 3 1",
             "mul_binary 1 3 1", "add_unary 1 1", "mul_binary 1 2 1"),
}


def _parsed(text: str) -> _library.Step:
    name, *words = text.split()
    if name == "copy":
        return _copy(int(words[0]), int(words[1]))
    if name == "mul_binary":
        return step(name, *map(int, words))
    defaults = e.UNARIES.get(name, ("", ()))[1]
    return _one(name, int(words[0]), *(map(float, words[1:]) if words[1:] else defaults))


def _make_derivative(name: str) -> Callable[..., list[Tensor]]:
    def op(grad_tensor: Tensor, input_tensor: Tensor, *, memory_config: Any = None,
           input_grad: Tensor | None = None, approximate: str = "none", queue_id: Any = None) -> Any:
        if approximate not in ("none", "tanh"):
            raise fatal(f"{name}_bw: approximate must be 'none' or 'tanh', not {approximate!r}")
        check(approximate == "none", f"{name}_bw: the derivative of the approximation is not implemented")
        code = "GeluBwDeviceOperation" if name == "gelu" else "BinaryNgDeviceOperation"
        return [e.apply(code, [grad_tensor, input_tensor],
                        [*map(_parsed, _DERIVATIVES[name]), _two("mul_binary", 0, 1, 0)],
                        {"binary_op_type": f"{name.upper()}_BW", "dtype": grad_tensor.dtype},
                        memory_config=memory_config, output=input_grad)]
    op.__name__ = op.__qualname__ = name + "_bw"
    op.__doc__ = f"The gradient times the derivative of {name}; in a list."
    return op


for _name in _DERIVATIVES:
    globals()[_name + "_bw"] = _make_derivative(_name)
