# SPDX-License-Identifier: Apache-2.0
"""Ops along dimensions: reductions, softmax, norms, selections; and embeddings."""
from __future__ import annotations

import math
import random
from typing import Any, Sequence

from ttnn import _eltwise, _library, _move
from ttnn._device import Device, GetDefaultDevice
from ttnn._run import fidelity_of, on_one_device, run, step
from ttnn._tensor import Tensor, fold, pad_shape
from ttnn._types import (BLOCKS, DRAM_MEMORY_CONFIG, FLOATS, ROW_MAJOR_LAYOUT, TILE_LAYOUT,
                         MathFidelity, bfloat16, check, uint16, uint32)

_add, _sub = _eltwise.add, _eltwise.subtract  # type: ignore[attr-defined]


def _tiled(name: str, tensor: Tensor) -> Tensor:
    on_one_device(name, [tensor])
    return _move.to_layout(tensor, TILE_LAYOUT)


def _plain(tensor: Tensor) -> Tensor:
    """Without blocks, whose padding the kernels cannot overwrite."""
    return _eltwise.typecast(tensor, bfloat16) if tensor.dtype in BLOCKS else tensor


# ---- reductions
_KINDS = {"sum": 0, "mean": 0, "max": 1, "min": 2}


def _reduce_one(kind: str, tensor: Tensor, dim: int, scale: float, memory_config: Any,
                dtype: Any = None) -> Tensor:
    """One dimension becomes 1."""
    rank = len(tensor.shape)
    shape = [1 if i == dim else n for i, n in enumerate(tensor.shape)]
    late = dim - rank + 4  # among the last four
    out = Tensor.make(shape, dtype or tensor.dtype, TILE_LAYOUT, None, tensor.device(),
                      memory_config or tensor.memory)
    last = 3 if late == 3 else 2 if late == 2 else 1
    if last >= 2:
        seen_in, seen_out = fold(tensor.shape), fold(shape)
    else:  # [what is before, this, what is after and rows]
        rows = tiles_rows(tensor.shape)
        before, after = math.prod(tensor.shape[:dim]), math.prod(tensor.shape[dim + 1:-2])
        seen_in = (before, tensor.shape[dim], after * rows, tensor.shape[-1])
        seen_out = (before, 1, after * rows, tensor.shape[-1])
    letters = {3: "ReduceOpDim::W", 2: "ReduceOpDim::H"}
    name = "ReduceDeviceOperation" if last >= 2 else "FastReduceNCDeviceOperation"
    run("reduce", name, [(tensor, seen_in)], [(out, seen_out)],
        _library.Reduce(_KINDS[kind], last, scale), {
            "math_op": f"ReduceOpMath::{'SUM' if kind == 'mean' else kind.upper()}",
            "dim": letters.get(last, f"{{{dim}}}"), "scaler": f"{scale:g}",
            "output_mem_config": memory_config or tensor.memory, "output_dtype": out.dtype})
    return out


def tiles_rows(shape: Sequence[int]) -> int:
    """Rows of a matrix with its padding."""
    return pad_shape(shape, TILE_LAYOUT)[-2]


def _dims(name: str, dim: Any, rank: int) -> list[int]:
    if dim is None:
        return list(range(rank))
    dims = [dim] if isinstance(dim, int) else list(dim)
    for d in dims:
        check(-rank <= d < rank, f"{name}: Unsupported dim {d} for a tensor of rank {rank}")
    return sorted({d % rank for d in dims})


def _reduction(kind: str, tensor: Tensor, dim: Any, keepdim: bool, memory_config: Any,
               scalar: float) -> Tensor:
    x = _plain(_tiled(kind, tensor))
    rank = len(x.shape)
    dims = _dims(kind, dim, rank)
    if rank < 2:
        x = _move.reshape(x, (1, x.shape[0] if rank else 1))
        dims = [1]
    count = math.prod(x.shape[d] for d in dims)
    for d in reversed(dims):  # the last ones first: they have the most values
        scale = scalar / (count if kind == "mean" else 1) if d == dims[-1] else 1.0
        x = _reduce_one(kind, x, d, scale, memory_config)
    if tensor.dtype in BLOCKS:
        x = _eltwise.typecast(x, tensor.dtype)
    if not keepdim or rank < 2:
        kept = [] if rank < 2 else [n for i, n in enumerate(x.shape) if i not in dims]
        x = _move.reshape(x, kept if rank >= 2 or not keepdim else [1])
    return x


def _laid(tensor: Tensor, layout: Any) -> Tensor:
    return tensor if layout is None else _move.to_layout(tensor, layout)


def sum(input_tensor: Tensor, dim: Any = None, keepdim: bool = False, *, memory_config: Any = None,
        compute_kernel_config: Any = None, scalar: float = 1.0, correction: Any = True,
        sub_core_grids: Any = None,
         output_layout: Any = None, fast_and_approximate_mode: Any = None) -> Tensor:
    return _laid(_reduction("sum", input_tensor, dim, keepdim, memory_config, scalar), output_layout)


def mean(input_tensor: Tensor, dim: Any = None, keepdim: bool = False, *,
         memory_config: Any = None, compute_kernel_config: Any = None, scalar: float = 1.0,
         correction: Any = True, sub_core_grids: Any = None,
         output_layout: Any = None, fast_and_approximate_mode: Any = None) -> Tensor:
    return _laid(_reduction("mean", input_tensor, dim, keepdim, memory_config, scalar), output_layout)


def max(input_tensor: Tensor, dim: Any = None, keepdim: bool = False, *, memory_config: Any = None,
        compute_kernel_config: Any = None, scalar: float = 1.0, correction: Any = True,
        sub_core_grids: Any = None,
         output_layout: Any = None, fast_and_approximate_mode: Any = None) -> Tensor:
    return _laid(_reduction("max", input_tensor, dim, keepdim, memory_config, 1.0), output_layout)


def min(input_tensor: Tensor, dim: Any = None, keepdim: bool = False, *, memory_config: Any = None,
        compute_kernel_config: Any = None, scalar: float = 1.0, correction: Any = True,
        sub_core_grids: Any = None,
         output_layout: Any = None, fast_and_approximate_mode: Any = None) -> Tensor:
    return _laid(_reduction("min", input_tensor, dim, keepdim, memory_config, 1.0), output_layout)


def fast_reduce_nc(input: Tensor, *, dims: Sequence[int], output: Tensor | None = None,
                   memory_config: Any = None, compute_kernel_config: Any = None,
                   sub_core_grids: Any = None) -> Tensor:
    """Sums over dimensions before the last two, which stay as 1."""
    rank = len(input.shape)
    check(all(d % rank < rank - 2 for d in dims), f"fast_reduce_nc: dims {list(dims)} are not before the "
          "last two")
    out = sum(input, list(dims), True, memory_config=memory_config)
    return out if output is None else _move.copy(out, output)


def var(input_tensor: Tensor, dim: Any = None, keepdim: bool = False, *, memory_config: Any = None,
        compute_kernel_config: Any = None, scalar: float = 1.0, correction: bool = True,
        sub_core_grids: Any = None) -> Tensor:
    """The mean of squared distances from the mean; CORRECTION: of n - 1 values."""
    x = _tiled("var", input_tensor)
    dims = _dims("var", dim, len(x.shape))
    count = math.prod(x.shape[d] for d in dims)
    centred = _sub(x, _reduction("mean", x, dims, True, memory_config, 1.0))
    squares = _eltwise.square(centred)  # type: ignore[attr-defined]
    divisor = count - 1 if correction else count
    check(divisor > 0, f"var: {count} values are too few")
    return _reduction("sum", squares, dims, keepdim, memory_config, 1 / divisor)


def std(input_tensor: Tensor, dim: Any = None, keepdim: bool = False, *, memory_config: Any = None,
        compute_kernel_config: Any = None, scalar: float = 1.0, correction: bool = True,
        sub_core_grids: Any = None) -> Tensor:
    return _eltwise.sqrt(var(input_tensor, dim, keepdim,  # type: ignore[attr-defined]
                             memory_config=memory_config, correction=correction))


def prod(input_tensor: Tensor, dim: int | None = None, keepdim: bool = False, *,
         memory_config: Any = None) -> Tensor:
    """The product of all values along a dimension, by halves."""
    x = _tiled("prod", input_tensor)
    if dim is None:
        x, dim = _move.reshape(x, (1, x.volume())), -1
    dim %= len(x.shape)
    while x.shape[dim] > 1:
        half = x.shape[dim] // 2
        parts = _move.split(x, [half, half] + [1] * (x.shape[dim] % 2), dim)
        x = _eltwise.multiply(parts[0], parts[1])  # type: ignore[attr-defined]
        if len(parts) > 2:
            x = _move.concat([x, parts[2]], dim)
    return x if keepdim else _move.squeeze(x, dim)


def _accumulated(name: str, engine: str, tensor: Tensor, dim: int, dtype: Any, reverse: bool,
                 memory_config: Any, output: Tensor | None) -> Tensor:
    """By a dimension in front of the tiles: another one goes there and back."""
    rank = len(tensor.shape)
    check(rank and -rank <= dim < rank, f"{name}: dimension {dim} is out of range for rank {rank}")
    dim %= rank
    x = _plain(_tiled(name, tensor))
    if dtype is not None and dtype is not x.dtype:
        x = _eltwise.typecast(x, dtype)
    order = [dim] + [i for i in range(rank) if i != dim]
    moved = _move.permute(x, order)
    shape = tuple(moved.shape)
    lead = _move.reshape(moved, (shape[0], math.prod(shape[1:-2]), *((1, 1) + shape[1:])[-2:]))
    out = Tensor.make(lead.shape, x.dtype, TILE_LAYOUT, None, x.device(), memory_config or x.memory)
    flags = 0 if x.dtype in FLOATS else 1 << 22  # TE_INT
    run("accumulate", "AccumulationDeviceOperation", [lead], [out],
        _library.Accumulate(0, reverse, step(engine, 0, 1, 0, flags=flags)),
        {"dim": dim, "dtype": x.dtype, "flip": reverse, "op": name.upper()})
    back = [order.index(i) for i in range(rank)]
    result = _move.to_layout(_move.permute(_move.reshape(out, shape), back), tensor.layout)
    return result if output is None else _move.copy(result, output)


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, reverse_order: bool = False,
           memory_config: Any = None, out: Tensor | None = None) -> Tensor:
    """Sums of all values up to each along a dimension."""
    return _accumulated("cumsum", "add_binary", input, dim, dtype, reverse_order, memory_config, out)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, reverse_order: bool = False,
            memory_config: Any = None, out: Tensor | None = None) -> Tensor:
    """Products of all values up to each along a dimension."""
    return _accumulated("cumprod", "mul_binary", input, dim, dtype, reverse_order, memory_config, out)


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False,
           memory_config: Any = None, out: Tensor | None = None, sub_core_grids: Any = None) -> Tensor:
    """Values by their indices of a dimension."""
    rank = len(input.shape)
    check(len(index.shape) == rank, f"gather: Index tensor must have the same number of dimensions as "
          f"input tensor: {len(index.shape)} and {rank}")
    on_one_device("gather", [input, index])
    dim %= rank
    sizes = [n if i == dim else index.shape[i] for i, n in enumerate(input.shape)]
    check(all(s <= n for s, n in zip(sizes, input.shape)), f"gather: index {list(index.shape)} is larger "
          f"than input {list(input.shape)}")
    x = _move.slice(_plain(input), [0] * rank, sizes) if sizes != list(input.shape) else _plain(input)
    ids = _eltwise.typecast(index, uint32) if index.dtype is not uint32 else index
    x, ids = (_move.to_layout(_move.transpose(t, dim, -1) if dim != rank - 1 else t, ROW_MAJOR_LAYOUT)
              for t in (x, ids))
    picked = Tensor.make(ids.shape, x.dtype, ROW_MAJOR_LAYOUT, None, x.device(),
                         memory_config or DRAM_MEMORY_CONFIG)
    run("pick", "GatherDeviceOperation", [x, ids], [picked], None, {"dim": dim, "sparse_grad": sparse_grad})
    result = _move.to_layout(picked, input.layout)
    result = _move.transpose(result, dim, -1) if dim != rank - 1 else result
    return result if out is None else _move.copy(result, out)


def tosa_gather(input_tensor: Tensor, index_tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """[n, k, c] and [n, w] to [n, w, c]: rows by their indices."""
    n, w = index_tensor.shape
    rows = _move.repeat(_move.reshape(index_tensor, (n, w, 1)), (1, 1, input_tensor.shape[-1]))
    return gather(input_tensor, 1, rows, memory_config=memory_config)


def _top(name: str, tensor: Tensor, count: int, largest: bool, outputs: Sequence[Tensor],
         seen: Sequence[Any]) -> None:
    run("top", name, [tensor], [(o, s) for o, s in zip(outputs, seen)],
        _library.Top(count, largest), {"dim": -1, "k": count, "largest": largest})


def argmax(input_tensor: Tensor, dim: int | None = None, keepdim: bool = False, *,
           sub_core_grids: Any = None, use_multicore: bool = False, memory_config: Any = None,
           output_tensor: Tensor | None = None) -> Tensor:
    """The place of the greatest value: of the last dimension, or of all values."""
    rank = len(input_tensor.shape)
    check(dim is None or -rank <= dim < rank, f"argmax: dim {dim} is out of range for rank {rank}")
    if dim is not None and dim % rank != rank - 1:
        turned = argmax(_move.transpose(input_tensor, dim, -1), -1, True, memory_config=memory_config)
        out = _move.transpose(turned, dim, -1)
        return out if keepdim else _move.squeeze(out, dim)
    x = _plain(_move.to_layout(input_tensor, TILE_LAYOUT)) if input_tensor.dtype in BLOCKS \
        else input_tensor
    x = _move.to_layout(x, ROW_MAJOR_LAYOUT)
    if dim is None:
        x = _move.reshape(x, (1, 1, 1, x.volume()))
    lead = tuple(x.shape[:-1])
    out = Tensor.make((*lead, 1), uint32, ROW_MAJOR_LAYOUT, None, x.device(),
                      memory_config or DRAM_MEMORY_CONFIG)
    _top("ArgMaxDeviceOperation", x, 1, True, [out], [None])
    if dim is None:
        return _move.reshape(out, [1] * rank if keepdim else [])
    return out if keepdim else _move.reshape(out, lead)


def topk(input_tensor: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *,
         memory_config: Any = None, output_tensor: Any = None, sub_core_grids: Any = None,
         indices_tensor: Any = None, op: str = "TopKDeviceOperation") -> tuple[Tensor, Tensor]:
    """The K greatest or least values of a dimension, sorted, and their places."""
    rank = len(input_tensor.shape)
    dim %= rank
    check(0 < k <= input_tensor.shape[dim],
          f"topk: K {k} must not exceed the dimension of {input_tensor.shape[dim]}")
    x = input_tensor
    if dim != rank - 1:
        x = _move.transpose(x, dim, -1)
    rows = _move.to_layout(_plain(_move.to_layout(x, TILE_LAYOUT))
                           if x.dtype in BLOCKS else x, ROW_MAJOR_LAYOUT)
    outs = [Tensor.make((*rows.shape[:-1], k), dtype, ROW_MAJOR_LAYOUT, None, rows.device(),
                        memory_config or DRAM_MEMORY_CONFIG) for dtype in (rows.dtype, uint32)]
    _top(op, rows, k, largest, outs, [None, None])
    outs = [_move.to_layout(o, input_tensor.layout) for o in outs]
    if input_tensor.layout is TILE_LAYOUT and rows.shape[-1] <= 0xffff:
        outs[1] = _eltwise.typecast(outs[1], uint16)
    if dim != rank - 1:
        outs = [_move.transpose(o, dim, -1) for o in outs]
    return outs[0], outs[1]


def sort(input_tensor: Tensor, dim: int = -1, descending: bool = False, stable: bool = False, *,
         memory_config: Any = None, out: Any = None) -> tuple[Tensor, Tensor]:
    """All values of a dimension in order, and their places."""
    rank = len(input_tensor.shape)
    on_one_device("sort", [input_tensor])
    check(rank and -rank <= dim < rank, f"sort: dimension {dim} is out of range for rank {rank}")
    found = topk(input_tensor, input_tensor.shape[dim], dim, descending, op="SortDeviceOperation",
                 memory_config=memory_config)
    if input_tensor.layout is ROW_MAJOR_LAYOUT and input_tensor.shape[dim] <= 0xffff:
        found = found[0], _eltwise.typecast(found[1], uint16)
    return found if out is None else (_move.copy(found[0], out[0]), _move.copy(found[1], out[1]))


# ---- softmax
def softmax_run(x: Tensor, mask: Tensor | None, scale: float, causal: bool, out: Tensor,
                attributes: dict[str, Any], config: Any) -> None:
    inputs = [x] + ([mask] if mask is not None else [])
    fidelity = fidelity_of(config, MathFidelity.HiFi4)
    run("softmax", "SoftmaxDeviceOperation", inputs, [out], _library.Softmax(scale, causal), {
        "dim": -1, "scale": f"{scale:g}", **attributes, "output_mem_config": out.memory,
        "is_causal_mask": causal, "compute_kernel_config":
        f"math_fidelity={fidelity.text}", "numeric_stable": True}, fidelity)


def softmax(input_tensor: Tensor, dim: int = -1, *, memory_config: Any = None,
            compute_kernel_config: Any = None, numeric_stable: bool = True,
            queue_id: Any = None) -> Tensor:
    """exp(x) divided by its sum along a dimension."""
    on_one_device("softmax", [input_tensor])
    rank = len(input_tensor.shape)
    check(-rank <= dim < rank, f"softmax: dim {dim} is out of range for rank {rank}")
    check(input_tensor.dtype in FLOATS, f"softmax: Unsupported data type {input_tensor.dtype!r}")
    dim %= rank
    if dim != rank - 1:
        turned = softmax(_move.transpose(input_tensor, dim, -1), -1, memory_config=memory_config)
        return _move.transpose(turned, dim, -1)
    x = _tiled("softmax", input_tensor)
    if x.shape[-1] % 32:
        x = _plain(x)
    out = Tensor.make(x.shape, input_tensor.dtype, TILE_LAYOUT, None, x.device(),
                      memory_config or input_tensor.memory)
    softmax_run(x, None, 1.0, False, out,
                {"softmax_type": "SoftmaxOperationType::Softmax", "inplace": False},
                compute_kernel_config)
    return _move.to_layout(out, input_tensor.layout)


def scaled(name: str, x: Tensor, scale: float, mask: Tensor | None, causal: bool, out: Tensor,
           config: Any = None) -> Tensor:
    """softmax(scale * x + mask) to OUT, which may be X."""
    on_one_device(name, [x, out] + ([mask] if mask is not None else []))
    check(x.layout is TILE_LAYOUT, f"{name}: the input must be in TILE layout")
    if x.shape[-1] % 32:
        check(x.dtype not in BLOCKS, f"{name}: block formats need a width that is a multiple of 32")
    if mask is not None:
        m, s = fold(mask.shape), fold(x.shape)
        check(m[3] == s[3] and m[2] in (1, 32, s[2]) and m[1] in (1, s[1]) and m[0] in (1, s[0]),
              f"{name}: mask of shape {list(mask.shape)} does not go with {list(x.shape)}")
        mask = _move.to_layout(mask, TILE_LAYOUT)
        if m[2] == 32 and s[2] != 32:
            mask = _move.reshape(_move.slice(_move.reshape(mask, m), [0] * 4, [m[0], m[1], 1, m[3]]),
                                 (m[0], m[1], 1, m[3]))
    softmax_run(x, mask, scale, causal and mask is None, out, {
        "softmax_type": "SoftmaxOperationType::ScaleMaskSoftmax",
        "inplace": out.storage is x.storage}, config)
    return out


def softmax_in_place(input_tensor: Tensor, dim: int = -1, *, program_config: Any = None,
                     compute_kernel_config: Any = None, numeric_stable: bool = True) -> Tensor:
    check(dim % len(input_tensor.shape) == len(input_tensor.shape) - 1,
          "softmax_in_place: only the last dimension is implemented")
    return scaled("softmax_in_place", input_tensor, 1.0, None, False, input_tensor,
                  compute_kernel_config)


def _like(tensor: Tensor, memory_config: Any) -> Tensor:
    return Tensor.make(tensor.shape, tensor.dtype, TILE_LAYOUT, None, tensor.device(),
                       memory_config or tensor.memory)


def scale_mask_softmax(input_tensor: Tensor, scale: float | None = None,
                       mask: Tensor | None = None, *, memory_config: Any = None,
                       is_causal_mask: bool = False, compute_kernel_config: Any = None,
                       numeric_stable: bool = True) -> Tensor:
    """softmax(scale * x + mask) of the last dimension."""
    on_one_device("scale_mask_softmax", [input_tensor])
    return scaled("scale_mask_softmax", input_tensor, scale or 1.0, mask, False,
                  _like(input_tensor, memory_config), compute_kernel_config)


def scale_mask_softmax_in_place(input_tensor: Tensor, scale: float | None = None,
                                mask: Tensor | None = None, *, program_config: Any = None,
                                is_causal_mask: bool = False, compute_kernel_config: Any = None,
                                numeric_stable: bool = True) -> Tensor:
    return scaled("scale_mask_softmax_in_place", input_tensor, scale or 1.0, mask, False,
                  input_tensor, compute_kernel_config)


def scale_causal_mask_hw_dims_softmax_in_place(
        input_tensor: Tensor, scale: float | None = None, mask: Tensor | None = None, *,
        program_config: Any = None, compute_kernel_config: Any = None,
        numeric_stable: bool = True) -> Tensor:
    return scaled("scale_causal_mask_hw_dims_softmax_in_place", input_tensor, scale or 1.0, mask,
                  True, input_tensor, compute_kernel_config)


# ---- norms
def _norm(name: str, rms: bool, x: Tensor, epsilon: float, weight: Tensor | None,
          bias: Tensor | None, residual: Tensor | None, memory_config: Any,
          config: Any, program_config: Any) -> Tensor:
    given = [t for t in (x, residual, weight, bias) if t is not None]
    on_one_device(name, given)
    check(x.layout is TILE_LAYOUT, f"{name}: the input must be in TILE layout")
    width = x.shape[-1]
    shaped: list[Any] = [x]
    if residual is not None:
        check(residual.shape == x.shape, f"{name}: shapes of input {list(x.shape)} and residual "
              f"{list(residual.shape)} must be equal")
        shaped.append(residual)
    for what, t in (("gamma", weight), ("beta", bias)):
        if t is None:
            continue
        rows = t.layout is ROW_MAJOR_LAYOUT
        if rows and t.shape[-1] == width and width != 32:
            t = _move.to_layout(_move.reshape(t, (1, 1, 1, width)), TILE_LAYOUT)
            rows = False
        count = t.volume() if rows else t.shape[-1]
        check(count == width, f"{name}: {what} of width {count} for an input of width {width}")
        shaped.append((t, (1, 1, t.volume() // 32, 32) if rows else (1, 1, 1, width)))
    flags = rms | (residual is not None) << 1 | (weight is not None) << 2 | (bias is not None) << 3
    fidelity = fidelity_of(config, MathFidelity.HiFi4)
    out = _like(x, memory_config)
    run("norm", "LayerNormDeviceOperation", shaped, [out], _library.Norm(flags, epsilon), {
        "norm_type": f"LayerNormType::{'RMSNORM' if rms else 'LAYERNORM'}", "eps": f"{epsilon:g}",
        "output_mem_config": out.memory, "program_config": program_config or
        "LayerNormDefaultProgramConfig()", "compute_kernel_config":
        f"math_fidelity={fidelity.text}"}, fidelity)
    return out


def layer_norm(input_tensor: Tensor, *, epsilon: float = 1e-12, weight: Tensor | None = None,
               bias: Tensor | None = None, residual_input_tensor: Tensor | None = None,
               memory_config: Any = None, program_config: Any = None,
               compute_kernel_config: Any = None, recip_tensor: Any = None) -> Tensor:
    """(x - mean) / deviation of each row, times the weight, plus the bias."""
    return _norm("layer_norm", False, input_tensor, epsilon, weight, bias, residual_input_tensor,
                 memory_config, compute_kernel_config, program_config)


def rms_norm(input_tensor: Tensor, *, epsilon: float = 1e-12, weight: Tensor | None = None,
             bias: Tensor | None = None, residual_input_tensor: Tensor | None = None,
             memory_config: Any = None, program_config: Any = None,
             compute_kernel_config: Any = None) -> Tensor:
    """x over the root of the mean of squares of each row, times the weight, plus the bias."""
    return _norm("rms_norm", True, input_tensor, epsilon, weight, bias, residual_input_tensor,
                 memory_config, compute_kernel_config, program_config)


# ---- embedding, new values
def embedding(input_tensor: Tensor, weight: Tensor, *, padding_idx: Any = None, layout: Any = None,
              dtype: Any = None, memory_config: Any = None, output_tensor: Tensor | None = None,
              compute_kernel_config: Any = None) -> Tensor:
    """Rows of WEIGHT by ids."""
    device = on_one_device("embedding", [input_tensor, weight])
    layout = layout or ROW_MAJOR_LAYOUT
    ids = _move.to_layout(input_tensor, ROW_MAJOR_LAYOUT)
    if ids.dtype in FLOATS:
        ids = _move.to_layout(_eltwise.typecast(_move.to_layout(ids, TILE_LAYOUT), uint32),
                              ROW_MAJOR_LAYOUT)
    check(ids.dtype is uint32, f"embedding: ids must be uint32, not {input_tensor.dtype!r}")
    table = _move.to_layout(weight, ROW_MAJOR_LAYOUT)
    check(math.prod(table.shape[:-2]) == 1, "embedding: the weights must be one matrix")
    width = table.shape[-1]
    out = output_tensor if output_tensor is not None else Tensor.make(
        (*ids.shape, width), table.dtype, layout, None, device, memory_config or DRAM_MEMORY_CONFIG)
    count = ids.shape[-1] if len(ids.shape) else 1
    seen = (1, math.prod(ids.shape[:-1]), count, width)
    run("embedding", "EmbeddingsDeviceOperation", [ids, table], [(out, seen)], None, {
        "output_mem_config": out.memory, "tilized": layout is TILE_LAYOUT, "embeddings_type":
        "EmbeddingsType::GENERIC" if padding_idx is None else "EmbeddingsType::PADDED",
        "pad_token": padding_idx if padding_idx is not None else "std::nullopt"})
    return out


def rand(shape: Sequence[int], device: Device | None = None, *, dtype: Any = None,
         layout: Any = None, memory_config: Any = None, low: float = 0.0, high: float = 1.0,
         seed: int = 0) -> Tensor:
    """Uniform values from low to high; repeatable with a seed other than 0."""
    shape, dtype = tuple(shape), dtype or bfloat16
    device = device or GetDefaultDevice()
    layout = layout or TILE_LAYOUT
    if device is None:
        import array
        from ttnn._tensor import code_of, convert
        uniform = random.Random(seed or None).uniform
        values = array.array(code_of(dtype), (uniform(low, high) for _ in range(math.prod(shape))))
        return Tensor.make(shape, dtype, layout, convert(values, shape, None, dtype))
    out = Tensor.make(shape, dtype, TILE_LAYOUT, None, device, memory_config)
    run("random", "RandDeviceOperation", [], [out],
        _library.Random(low, high, seed or random.getrandbits(32)),
        {"seed": seed, "from": f"{low:g}", "to": f"{high:g}", "memory_config": out.memory,
         "dtype": dtype})
    return _move.to_layout(out, layout)


def _triangle(name: str, tensor: Tensor, diagonal: int, lower: bool, memory_config: Any) -> Tensor:
    """Sets values above or below a diagonal to 0, by a mask that the host makes."""
    from ttnn._tensor import from_torch
    rows, columns = tensor.shape[-2:]
    mask = [[1.0 if (c - r <= diagonal if lower else c - r >= diagonal) else 0.0
             for c in range(columns)] for r in range(rows)]
    on_one_device(name, [tensor])
    held = from_torch(mask, tensor.dtype, layout=TILE_LAYOUT, device=tensor.device())
    return _eltwise.multiply(tensor, held, memory_config=memory_config)  # type: ignore[attr-defined]


def tril(input_tensor: Tensor, diagonal: int = 0, *, memory_config: Any = None) -> Tensor:
    return _triangle("tril", input_tensor, diagonal, True, memory_config)


def triu(input_tensor: Tensor, diagonal: int = 0, *, memory_config: Any = None) -> Tensor:
    return _triangle("triu", input_tensor, diagonal, False, memory_config)
