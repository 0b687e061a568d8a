# SPDX-License-Identifier: Apache-2.0
"""Ops value by value: of one tensor, of two with broadcasting in both directions, of three."""
from __future__ import annotations

import functools
import math
from typing import Any, Callable, Sequence

from ttnn import _library, _move
from ttnn._run import float_bits, on_one_device, run, step, value_bits
from ttnn._tensor import Tensor
from ttnn._types import (BLOCKS, FLOATS, ROW_MAJOR_LAYOUT, TILE_LAYOUT, MemoryConfig, UnaryOpType,
                         UnaryWithParam, bfloat16, check, fatal, float32, int32, uint32)

_INT, _UNSIGNED, _SCALED = 1 << 22, 1 << 23, 1 << 21  # TE_INT, TE_UNSIGNED, TE_SCALED
# What the vector unit does to integers; it would return others as they are.
_OF_INTEGERS = {"relu", "abs", "negative", "square", "sign", "signbit", "ltz", "eqz", "logical_not", "nez",
                "gtz", "lez", "gez", "bitwise_not", "relu_max", "identity", "fill", "clamp"}

# Name in ttnn: name in the tile engine, defaults of its parameters (floats).
UNARIES: dict[str, tuple[str, tuple[float, ...]]] = {
    name: (name, ()) for name in
    "relu sqrt sigmoid abs square log1p rsqrt tanh silu sign signbit exp2 expm1 sin cos tan asin "
    "acos atan sinh cosh asinh acosh atanh erf erfc erfinv i0 i1 lgamma digamma cbrt floor ceil "
    "trunc frac softsign hardsigmoid mish logical_not isinf isposinf isneginf isnan isfinite eqz "
    "nez ltz gtz lez gez tanhshrink identity bitwise_not hardmish".split()}
UNARIES.update({
    "exp": ("exp", (1.0,)), "log": ("log", (1.0,)), "log2": ("log", (1 / math.log(2),)),
    "log10": ("log", (1 / math.log(10),)), "reciprocal": ("recip", ()), "neg": ("negative", ()),
    "relu6": ("relu_max", (6.0,)), "logical_not_": ("logical_not", ())})
_ACTIVATIONS = {"gelu_approx": "gelu_tanh"}
# Activations with parameters, and their defaults.
_PARAMETRIC = {"leaky_relu": (0.01,), "elu": (1.0,), "celu": (1.0,), "hardshrink": (0.5,),
               "softshrink": (0.5,), "relu_max": (6.0,), "relu_min": (0.0,), "clamp": (-1.0, 1.0),
               "softplus": (1.0, 20.0), "threshold": (0.0, 0.0), "heaviside": (0.0,)}


def _flags(name: str, dtype: Any) -> int:
    if name in ("exp", "log"):  # of a scale
        return _SCALED
    if dtype in FLOATS or name in ("identity",):
        return 0
    return _INT if dtype is int32 else _INT | _UNSIGNED


def unary_step(name: str, tile: int, dtype: Any = float32, *parameters: float) -> _library.Step:
    """By its name in ttnn or in the tile engine."""
    engine, defaults = UNARIES.get(name, (name, ()))
    values = parameters or defaults
    if engine == "celu":
        values = (values[0], 1 / values[0])
    elif engine == "softplus" and len(values) == 2:
        values = (values[0], 1 / values[0], values[1])
    return step(engine, tile, parameters=[value_bits(v, dtype) for v in values],
                flags=_flags(engine, dtype))


def activation_steps(activation: Any, tile: int = 0) -> list[_library.Step]:
    """Of a name, a UnaryOpType, a UnaryWithParam, or a list of them."""
    if activation is None:
        return []
    if isinstance(activation, (list, tuple)):
        return [s for a in activation for s in activation_steps(a, tile)]
    parameters: Sequence[float] = ()
    if isinstance(activation, UnaryWithParam):
        activation, parameters = activation.op_type, activation.params
    name = (activation if isinstance(activation, str) else activation.name).lower()
    name = {"recip": "reciprocal", "power_iterative": "power", "swish": "silu", "hardtanh": "clamp",
            "clamp_tss": "clamp", "add_unary_sfpu": "add_unary", "sub_unary_sfpu": "sub_unary",
            "mul_unary_sfpu": "mul_unary", "rsub": "rsub_unary"}.get(name, name)
    if name not in UNARIES and name not in ("gelu", "power", "add_unary", "sub_unary", "mul_unary",
                                            "rsub_unary", *_PARAMETRIC, *_ACTIVATIONS):
        raise fatal(f"activation {name!r} is not among {', '.join(sorted(UNARIES))}")
    parameters = () if name == "gelu" else parameters or _PARAMETRIC.get(name, ())
    return [unary_step(_ACTIVATIONS.get(name, name), tile, float32, *parameters)]


def activation_text(activation: Any) -> str:
    if not activation:
        return "{}"
    if isinstance(activation, (list, tuple)):
        return "{" + ",".join(activation_text(a).strip("{}") for a in activation) + "}"
    name = activation if isinstance(activation, str) else \
        getattr(activation, "name", None) or activation.op_type.name
    return f"{{UnaryWithParam(op_type=UnaryOpType::{name.upper()})}}"


def broadcast(name: str, shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The shape that all have when dimensions of 1 are repeated."""
    rank = max(map(len, shapes))
    full = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    out = []
    for sizes in zip(*full):
        most = max(sizes) if all(sizes) else 0
        if any(n not in (1, most) for n in sizes):
            raise fatal(f"{name}: Invalid broadcasting: shapes "
                        f"{' and '.join(str(list(s)) for s in shapes)} are incompatible "
                        f"(sizes {' and '.join(map(str, sizes))})")
        out.append(most)
    return tuple(out)


def _folded(tensor: Tensor, out: Sequence[int]) -> Tensor:
    """Leading dimensions beyond four are one in the kernel: repeated ones must be there."""
    if len(out) <= 4 or tensor.shape[:-3].volume() in (1, math.prod(out[:-3])):
        return tensor
    full = (1,) * (len(out) - len(tensor.shape)) + tuple(tensor.shape)
    return _move.repeat(_move.reshape(tensor, full),
                        [o // n if i < len(out) - 3 else 1
                         for i, (o, n) in enumerate(zip(out, full))])


def apply(op: str, inputs: Sequence[Tensor], steps: Sequence[_library.Step],
          attributes: dict[str, Any], *, dtype: Any = None, memory_config: Any = None,
          output: Tensor | None = None, math_op: int = 0) -> Tensor:
    """Runs the steps on the inputs, which are tiles 0, 1, 2."""
    device = on_one_device(op, inputs)
    first, shape = inputs[0], broadcast(op, [t.shape for t in inputs])
    if any(t.layout is ROW_MAJOR_LAYOUT for t in inputs):
        tiled = [_move.to_layout(t, TILE_LAYOUT) for t in inputs]
        out = apply(op, tiled, steps, attributes, dtype=dtype, memory_config=memory_config,
                    math_op=math_op)
        if first.layout is ROW_MAJOR_LAYOUT:
            out = _move.to_layout(out, ROW_MAJOR_LAYOUT)
        return out if output is None else _move.copy(out, output)
    inputs = [_folded(t, shape) for t in inputs]
    dtype = dtype or (output.dtype if output is not None else first.dtype)
    out = output if output is not None else Tensor.make(
        shape, dtype, TILE_LAYOUT, None, device, memory_config or first.memory)
    check(out.shape == shape, f"{op}: the output tensor's shape {list(out.shape)} is not "
          f"{list(shape)}")
    how = _library.Eltwise(math_op, 0, len(steps))
    how.steps[:len(steps)] = steps
    run("eltwise", op, inputs, [out], how, attributes)
    return out


# ---- of one tensor
def _unary(name: str, tensor: Tensor, steps: Sequence[_library.Step], parameters: Sequence[float],
           memory_config: Any, output: Tensor | None, dtype: Any = None) -> Tensor:
    on_one_device(name, [tensor])
    out = dtype or (output.dtype if output is not None else tensor.dtype)
    text = ",".join(f"{p:g}" for p in parameters)
    return apply("UnaryDeviceOperation", [tensor], steps, {
        "op_chain": f"{{UnaryWithParam(op_type=UnaryOpType::{name.upper()};params={{{text}}})}}",
        "output_dtype": out, "output_memory_config": memory_config or tensor.memory},
        dtype=dtype, memory_config=memory_config, output=output)


def _make_unary(name: str) -> Callable[..., Tensor]:
    def op(input_tensor: Tensor, *, memory_config: Any = None, output_tensor: Tensor | None = None,
           fast_and_approximate_mode: bool = False, queue_id: Any = None,
           sub_core_grids: Any = None) -> Tensor:
        on_one_device(name, [input_tensor])
        check(input_tensor.dtype in FLOATS or UNARIES[name][0] in _OF_INTEGERS,
              f"{name}: Unsupported data type {input_tensor.dtype!r}")
        return _unary(name, input_tensor, [unary_step(name, 0, input_tensor.dtype)], (),
                      memory_config, output_tensor)
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} of each value, on the device."
    return op


for _name in UNARIES:
    globals()[_name] = _make_unary(_name)


class GeluVariant:
    """How gelu() is computed: exactly, or by tanh."""
    Accurate, Tanh, FastApprox = "accurate", "tanh", "fast_approx"


def gelu(input_tensor: Tensor, *, fast_and_approximate_mode: bool = False, variant: Any = None,
         memory_config: Any = None, output_tensor: Tensor | None = None,
         queue_id: Any = None) -> Tensor:
    """x times the normal distribution's probability of x; the model computes it exactly."""
    engine = "gelu_tanh" if variant == GeluVariant.Tanh else "gelu"
    return _unary("gelu", input_tensor, [unary_step(engine, 0)], (), memory_config, output_tensor)


def sigmoid_accurate(input_tensor: Tensor, *, memory_config: Any = None,
                     output_tensor: Tensor | None = None) -> Tensor:
    return sigmoid(input_tensor, memory_config=memory_config,  # type: ignore[name-defined]
                   output_tensor=output_tensor)


def _make_parametric(name: str, names: Sequence[str], defaults: Sequence[Any],
                     engine: str = "") -> Callable[..., Tensor]:
    def op(input_tensor: Tensor, *values: float, memory_config: Any = None,
           output_tensor: Tensor | None = None, queue_id: Any = None,
           **settings: float) -> Tensor:
        unknown = [s for s in settings if s not in names]
        if unknown or len(values) > len(names):
            raise TypeError(f"{name}() got an unexpected argument {unknown[0] if unknown else ''}")
        given = {**dict(zip(names, defaults)), **dict(zip(names, values)), **settings}
        if any(given[n] is None for n in names):
            raise TypeError(f"{name}() needs {', '.join(names)}")
        parameters = [given[n] for n in names]
        return _unary(name, input_tensor, [unary_step(engine or name, 0, input_tensor.dtype,
                                                      *parameters)],
                      parameters, memory_config, output_tensor)
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name}, with {', '.join(names)}, of each value."
    return op


leaky_relu = _make_parametric("leaky_relu", ["negative_slope"], [0.01])
elu = _make_parametric("elu", ["alpha"], [1.0])
celu = _make_parametric("celu", ["alpha"], [1.0])
heaviside = _make_parametric("heaviside", ["value"], [None])
hardshrink = _make_parametric("hardshrink", ["lambd"], [0.5])
softshrink = _make_parametric("softshrink", ["lambd"], [0.5])
threshold = _make_parametric("threshold", ["threshold", "value"], [None, None])
relu_max = _make_parametric("relu_max", ["upper_limit"], [None])
relu_min = _make_parametric("relu_min", ["lower_limit"], [None])
fill = _make_parametric("fill", ["fill_value"], [None])


def clamp(input_tensor: Tensor, min: Any = None, max: Any = None, *, memory_config: Any = None,
          output_tensor: Tensor | None = None, queue_id: Any = None) -> Tensor:
    """Values below MIN become MIN, those above MAX become MAX."""
    check(min is not None or max is not None, "clamp: Only one of 'min' or 'max' can be None. Please provide one value")
    dtype = input_tensor.dtype
    if min is None:
        steps, parameters = [unary_step("unary_min", 0, dtype, max)], [max]
    elif max is None:
        steps, parameters = [unary_step("unary_max", 0, dtype, min)], [min]
    else:
        steps, parameters = [unary_step("unary_max", 0, dtype, min),
                             unary_step("unary_min", 0, dtype, max)], [min, max]
    return _unary("clamp", input_tensor, steps, parameters, memory_config, output_tensor)


clip = clamp


def typecast(input_tensor: Tensor, *dtypes: Any, dtype: Any = None, memory_config: Any = None,
             output_tensor: Tensor | None = None, output_dtype: Any = None,
             sub_core_grids: Any = None) -> Tensor:
    """The same values in another type; DTYPES: the new one, or the old and the new one."""
    for given in dtypes:  # a memory configuration may be among them
        if isinstance(given, MemoryConfig):
            memory_config = given
        else:
            dtype = given
    dtype = dtype or output_dtype
    if dtype is None:
        raise TypeError("typecast() needs a data type")
    if input_tensor.device() is None:
        return _move.to_dtype(input_tensor, dtype)
    on_one_device("typecast", [input_tensor])
    if dtype is input_tensor.dtype and output_tensor is None:
        return input_tensor
    if input_tensor.layout is ROW_MAJOR_LAYOUT:
        check(dtype not in BLOCKS, f"{dtype!r} tensors must be in TILE layout")
        out = typecast(_move.to_layout(input_tensor, TILE_LAYOUT), dtype,
                       memory_config=memory_config)
        return _move.to_layout(out, ROW_MAJOR_LAYOUT)
    steps = []
    if (dtype in FLOATS) != (input_tensor.dtype in FLOATS):
        steps = [step("typecast", 0, parameters=[
            0 if input_tensor.dtype in FLOATS else input_tensor.dtype.value,
            0 if dtype in FLOATS else dtype.value])]
    return apply("TypecastDeviceOperation", [input_tensor], steps, {
        "input_dtype": input_tensor.dtype, "output_dtype": dtype,
        "output_memory_config": memory_config or input_tensor.memory}, dtype=dtype,
        memory_config=memory_config, output=output_tensor)


# ---- of two tensors, or a tensor and a number
# Name: operation on tiles, operation with a number, and with the number first.
_BINARIES = {
    "add": ("add_binary", "add_unary", "add_unary"), "sub": ("sub_binary", "sub_unary", "rsub_unary"),
    "mul": ("mul_binary", "mul_unary", "mul_unary"), "div": ("div_binary", None, "rdiv"),
    "rsub": ("rsub_binary", "rsub_unary", "sub_unary"), "pow": ("power_binary", "power", "rpow"),
    "maximum": ("binary_max", "unary_max", "unary_max"),
    "minimum": ("binary_min", "unary_min", "unary_min"),
    "eq": ("eq_binary", "unary_eq", "unary_eq"), "ne": ("ne_binary", "unary_ne", "unary_ne"),
    "lt": ("lt_binary", "unary_lt", "unary_gt"), "gt": ("gt_binary", "unary_gt", "unary_lt"),
    "le": ("le_binary", "unary_le", "unary_ge"), "ge": ("ge_binary", "unary_ge", "unary_le"),
    "fmod": ("fmod_binary", "fmod", None), "remainder": ("remainder_binary", "remainder", None),
    "atan2": ("atan2_binary", None, None), "xlogy": ("xlogy_binary", None, None),
    "gcd": ("gcd", None, None), "lcm": ("lcm", None, None),
    "bitwise_and": ("bitwise_and_binary", "bitwise_and", "bitwise_and"),
    "bitwise_or": ("bitwise_or_binary", "bitwise_or", "bitwise_or"),
    "bitwise_xor": ("bitwise_xor_binary", "bitwise_xor", "bitwise_xor"),
    "bitwise_left_shift": ("binary_left_shift", "left_shift", None),
    "bitwise_right_shift": ("binary_right_shift", "right_shift", None),
    "logical_left_shift": ("binary_left_shift", "left_shift", None),
    "logical_right_shift": ("binary_logical_shift", None, None),
}
_MATHS = {"add": 1, "sub": 2, "mul": 3}  # enum nn_math
_TYPES = {"pow": "POWER"}
# An operation and what is done to both operands before it, and to the result.
_FUSED: dict[str, tuple[str, Any, Any, Any]] = {
    "squared_difference": ("sub", None, None, "square"), "hypot": ("add", "square", "square", "sqrt"),
    "logaddexp": ("add", "exp", "exp", "log"), "logaddexp2": ("add", "exp2", "exp2", "log2"),
    "ldexp": ("mul", None, "exp2", None), "bias_gelu": ("add", None, None, "gelu"),
    "logical_and": ("mul", "nez", "nez", None), "logical_or": ("maximum", "nez", "nez", None),
    "logical_xor": ("ne", "nez", "nez", None)}


def _subtile(a: Sequence[int], b: Sequence[int]) -> str:
    """The operand that is repeated within tiles."""
    a, b = ((1, 1) + tuple(a))[-2:], ((1, 1) + tuple(b))[-2:]
    parts = []
    for one, other, name in ((a, b, "A"), (b, a, "B")):
        row, column = one[0] < other[0], one[1] < other[1]
        if row or column:
            parts.append(("SCALAR_" if row and column else "ROW_" if row else "COL_") + name)
    return "SubtileBroadcastType::" + ("_".join(parts) if parts else "NONE")


def _tensors_steps(name: str, a: Tensor, b: Tensor, pre: bool) -> tuple[int, list[_library.Step],
                                                                        Tensor, Tensor]:
    """The operation of two tensors: the matrix unit's if it can, else the vector unit's."""
    floats = a.dtype in FLOATS and b.dtype in FLOATS
    if name in _MATHS and floats and not pre:
        shape = broadcast(name, [a.shape, b.shape])[-2:]
        whole = [tuple(((1, 1) + tuple(t.shape))[-2:]) == tuple(((1, 1) + shape)[-2:])
                 for t in (a, b)]
        if not whole[0] and whole[1] and name != "sub":
            a, b, whole[0] = b, a, True
        if whole[0]:
            return _MATHS[name], [], a, b
    flags = 0 if floats else (_INT if int32 in (a.dtype, b.dtype) else _INT | _UNSIGNED)
    if a.dtype in FLOATS or b.dtype in FLOATS:
        flags = 0
    return 0, [step(_BINARIES[name][0], 0, 1, 0, flags=flags)], a, b


def _number_steps(name: str, number: float, swap: bool, dtype: Any) -> list[_library.Step]:
    """The operation with a number, by an instruction of its own or with a tile of that number."""
    engine = _BINARIES[name][2 if swap else 1]
    parameter, kind = number, dtype
    if name == "div" and not swap:
        engine, parameter = "mul_unary", 1 / number if number else math.copysign(math.inf, number)
        kind = float32
    if engine == "rdiv":
        kind = float32
    if isinstance(number, float) and not number.is_integer() and dtype not in FLOATS:
        kind = float32
    if engine is not None:
        return [unary_step(engine, 0, kind, parameter)]
    flags = 0 if dtype in FLOATS else _INT if dtype is int32 else _INT | _UNSIGNED
    a, b = (1, 0) if swap else (0, 1)
    return [unary_step("fill", 1, kind, number), step(_BINARIES[name][0], a, b, 0, flags=flags)]


def _types_steps(names: Any, tile: int, dtype: Any) -> list[_library.Step]:
    """Of a name of _FUSED."""
    return [] if names is None else [unary_step("gelu" if names == "gelu" else names, tile, dtype)]


def _binary(name: str, a: Any, b: Any, dtype: Any, memory_config: Any, output: Tensor | None,
            activations: Any, lhs: Any, rhs: Any, rounding: str | None = None) -> Tensor:
    if not isinstance(a, (Tensor, int, float)) or not isinstance(b, (Tensor, int, float)) or not (
            isinstance(a, Tensor) or isinstance(b, Tensor)):
        raise TypeError(f"{name}(): incompatible function arguments: tensors or numbers, not "
                        f"{type(a).__name__} and {type(b).__name__}")
    scalar, math_op = None, 0
    own, own_a, own_b, own_post = _FUSED.get(name, (name, None, None, None))
    one = a if isinstance(a, Tensor) else b
    other = b if isinstance(b, Tensor) else a
    pre_a = activation_steps(lhs, 0) + _types_steps(own_a, 0, one.dtype)
    pre_b = activation_steps(rhs, 1) + _types_steps(own_b, 1, other.dtype)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        inputs = [a, b]
        on_one_device(name, inputs)
        math_op, steps, *inputs = _tensors_steps(own, a, b, bool(pre_a or pre_b))
    else:
        tensor, scalar, swap = (a, b, False) if isinstance(a, Tensor) else (b, a, True)
        inputs = [tensor]
        on_one_device(name, inputs)
        if own_b is None:
            steps = _number_steps(own, scalar, swap, tensor.dtype)
        else:  # what is done to tensors is done to a tile of the number
            flags = 0 if tensor.dtype in FLOATS else _INT
            steps = [step(_BINARIES[own][0], *((1, 0) if swap else (0, 1)), 0, flags=flags)]
            pre_b = _types_steps(own_b if swap is False else own_a, 1, tensor.dtype)
            pre_a = activation_steps(lhs, 0) + _types_steps(own_a if swap is False else own_b, 0,
                                                            tensor.dtype)
            pre_b = [unary_step("fill", 1, tensor.dtype, scalar), *pre_b]
    post = _types_steps(own_post, 0, float32) + activation_steps(activations)
    whole = name == "div" and all(t.dtype not in FLOATS for t in inputs)
    if whole and rounding is None:  # the quotients of integers are float32
        dtype = dtype or (output.dtype if output is not None else float32)
        if len(inputs) == 2:
            casts = [step("typecast", i, parameters=[t.dtype.value, 0]) for i, t in enumerate(inputs)]
            steps = [*casts, step("div_binary", 0, 1, 0)]
        else:
            steps = [step("typecast", 0, parameters=[inputs[0].dtype.value, 0]), *steps]
    elif whole and len(inputs) == 2:
        flags = _INT if inputs[0].dtype is int32 else _INT | _UNSIGNED
        steps = [step(f"div_int32_{rounding}", 0, 1, 0, flags=flags)]
    elif rounding is not None:
        post = [unary_step(rounding, 0)] + post
    first = inputs[0]
    kind = _TYPES.get(name, name.upper())
    described: dict[str, Any] = {
        "binary_op_type": f"BinaryOpType::{kind}", "lhs_activations": activation_text(lhs),
        "rhs_activations": activation_text(rhs), "post_activations": activation_text(activations)}
    if scalar is not None:
        described["scalar"] = f"{scalar:g}"
    described.update({
        "memory_config": memory_config or first.memory, "input_dtype": first.dtype,
        "dtype": dtype or first.dtype,
        "subtile_broadcast_type": _subtile(inputs[0].shape, inputs[-1].shape)})
    if isinstance(a, Tensor) and dtype is None and output is None:
        dtype = a.dtype
    return apply("BinaryNgDeviceOperation", inputs, [*pre_a, *pre_b, *steps, *post], described,
                 dtype=dtype, memory_config=memory_config or
                 (a.memory if isinstance(a, Tensor) else None), output=output, math_op=math_op)


def _make_binary(name: str, in_place: bool = False, public: str = "") -> Callable[..., Tensor]:
    def op(input_tensor_a: Any, input_tensor_b: Any, *, dtype: Any = None,
           memory_config: Any = None, output_tensor: Tensor | None = None,
           activations: Any = None, input_tensor_a_activations: Any = None,
           input_tensor_b_activations: Any = None, use_legacy: Any = None,
           fast_and_approximate_mode: Any = None, sub_core_grids: Any = None,
           round_mode: Any = None, rounding_mode: Any = None, accurate_mode: Any = None,
           sub_device_id: Any = None, queue_id: Any = None) -> Tensor:
        if in_place:
            output_tensor = input_tensor_a
        mode = rounding_mode or round_mode
        check(mode in (None, "None", "trunc", "floor"), f"{name}: Incorrect rounding mode {mode!r} "
              "(expected None, 'trunc', or 'floor')")
        return _binary(name, input_tensor_a, input_tensor_b, dtype, memory_config, output_tensor,
                       activations, input_tensor_a_activations, input_tensor_b_activations,
                       None if mode == "None" else mode)
    op.__name__ = op.__qualname__ = public or name
    op.__doc__ = f"{name} of two tensors, either of which may be repeated, or of one and a number."
    return op


_PUBLIC = {"sub": "subtract", "mul": "multiply", "div": "divide"}
for _name in (*_BINARIES, *_FUSED):
    globals()[_name] = _make_binary(_name, public=_PUBLIC.get(_name, _name))
    globals()[_name + "_"] = _make_binary(_name, True, _name + "_")
    if _name in _PUBLIC:
        globals()[_PUBLIC[_name]] = globals()[_name]
        globals()[_PUBLIC[_name] + "_"] = globals()[_name + "_"]
max_binary, min_binary = globals()["maximum"], globals()["minimum"]


def rdiv(input_tensor: Tensor, value: float, *, memory_config: Any = None,
         output_tensor: Tensor | None = None) -> Tensor:
    """The number by the tensor."""
    return _binary("div", value, input_tensor, None, memory_config, output_tensor, None, None, None)


def rpow(input_tensor: Tensor, exponent: float, *, memory_config: Any = None) -> Tensor:
    """The number to the power of the tensor."""
    return _binary("pow", exponent, input_tensor, None, memory_config, None, None, None, None)


def polyval(input_tensor: Tensor, coeffs: Sequence[float]) -> Tensor:
    """The polynomial with these coefficients, the highest power first."""
    return functools.reduce(
        lambda out, c: _binary("add", _binary("mul", out, input_tensor, None, None, None, None,
                                              None, None), c, None, None, None, None, None, None),
        coeffs[1:], apply("UnaryDeviceOperation", [input_tensor],
                          [unary_step("fill", 0, float32, coeffs[0])], {"op_chain": "{FILL}"}))


# ---- of three
def where(predicate: Tensor, true_value: Any, false_value: Any, *, memory_config: Any = None,
          output_tensor: Tensor | None = None) -> Tensor:
    """TRUE_VALUE where the predicate is not 0, else FALSE_VALUE; both may be numbers."""
    inputs, steps, tiles = [predicate], [], [0]
    for i, value in enumerate((true_value, false_value)):
        if isinstance(value, Tensor):
            tiles.append(len(inputs))
            inputs.append(value)
        else:
            tiles.append(3 + i)
            steps.append(unary_step("fill", 3 + i, float32, float(value)))
    dtype = inputs[1].dtype if len(inputs) > 1 else predicate.dtype
    return apply("TernaryDeviceOperation", inputs, [*steps, step("where", *tiles, 0)],
                 {"ternary_op_type": "TernaryOpType::WHERE",
                  "memory_config": memory_config or predicate.memory, "dtype": dtype},
                 dtype=dtype, memory_config=memory_config, output=output_tensor)


def _make_ternary(name: str, value: bool) -> Callable[..., Tensor]:
    def op(input_a: Tensor, input_b: Tensor, input_c: Tensor, *, value: float = 1.0,
           memory_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        return apply("TernaryDeviceOperation", [input_a, input_b, input_c],
                     [step(name, 0, 1, 2, 0, parameters=[float_bits(value)])],
                     {"ternary_op_type": f"TernaryOpType::{name.upper()}", "scalar": f"{value:g}",
                      "memory_config": memory_config or input_a.memory},
                     memory_config=memory_config, output=output_tensor)
    op.__name__ = op.__qualname__ = name
    return op


addcmul, addcdiv = _make_ternary("addcmul", True), _make_ternary("addcdiv", True)
mac, lerp = _make_ternary("mac", False), _make_ternary("lerp", False)
