# SPDX-License-Identifier: Apache-2.0
"""Products of matrices, with bias and activation."""
from __future__ import annotations

import math
import warnings
from typing import Any

from ttnn import _library, _move
from ttnn._device import Device
from ttnn._eltwise import activation_steps, activation_text, typecast
from ttnn._run import fidelity_of, on_one_device, run
from ttnn._tensor import Tensor
from ttnn._types import (BLOCKS, DRAM_MEMORY_CONFIG, FLOATS, TILE_LAYOUT, CoreGrid, MathFidelity,
                         bfloat4_b, bfloat16, check, float32, grid_of)


def _fidelity(a: Tensor, b: Tensor, device: Device, chosen: bool, config: Any) -> Any:
    if a.dtype is float32 and b.dtype is float32:
        default = MathFidelity.HiFi4 if device.arch_name == "blackhole" else MathFidelity.HiFi3
    elif chosen or (a.dtype in BLOCKS and b.dtype in BLOCKS):
        default = MathFidelity.LoFi
    else:
        default = MathFidelity.HiFi2
    return fidelity_of(config, default)


def _grid(device: Device, core_grid: Any, program_config: Any) -> CoreGrid | None:
    size = getattr(program_config, "compute_with_storage_grid_size", None) or core_grid
    if size is None:
        return None
    size = grid_of(size)
    if size.x > device.columns or size.y > device.rows:
        warnings.warn(f"a grid of {size.x} x {size.y} cores is cut to the device's "
                      f"{device.columns} x {device.rows}", stacklevel=4)
    return CoreGrid(y=min(size.y, device.rows), x=min(size.x, device.columns))


def _batches(a: Tensor, b: Tensor, name: str) -> tuple[Tensor, Tensor, tuple[int, ...]]:
    """Both tensors with batches that the kernel takes: equal, or one of them a single matrix."""
    ba, bb = tuple(a.shape[:-2]), tuple(b.shape[:-2])
    if math.prod(bb) == 1 or math.prod(ba) == 1:
        return a, b, ba if math.prod(bb) == 1 and len(ba) >= len(bb) else \
            bb if math.prod(ba) == 1 and len(bb) >= len(ba) else max(ba, bb, key=len)
    rank = max(len(ba), len(bb))
    full = [(1,) * (rank - len(s)) + s for s in (ba, bb)]
    out = tuple(map(max, *full))
    check(all(n in (1, o) for f in full for n, o in zip(f, out)),
          f"{name}: batch dimensions {list(ba)} and {list(bb)} of shapes {list(a.shape)} and "
          f"{list(b.shape)} must be equal, or 1")
    expanded = []
    for t, f in zip((a, b), full):
        if f != out:
            t = _move.repeat(_move.reshape(t, f + tuple(t.shape[-2:])),
                             [o // n for o, n in zip(out, f)] + [1, 1])
        expanded.append(t)
    return expanded[0], expanded[1], out


def _blocks(program_config: Any, out: Tensor, grid: CoreGrid | None) -> list[int]:
    """per_core_M, per_core_N and in0_block_w of a program config, which must cover the output."""
    rows, columns = getattr(program_config, "per_core_M", 0), getattr(program_config, "per_core_N", 0)
    if not rows or not columns:
        return [0, 0, 0]
    padded = out.padded_shape
    tiles_m, tiles_n = math.prod(padded[:-1]) // 32, padded[-1] // 32
    cores = -(-tiles_m // rows) * -(-tiles_n // columns)
    check(grid is None or cores <= grid.num_cores,
          f"matmul: {cores} blocks of per_core_M {rows} x per_core_N {columns} tiles exceed the "
          f"{grid.num_cores if grid else 0} cores of the grid")
    return [rows, columns, getattr(program_config, "in0_block_w", 0)]


def _product(name: str, a: Tensor, b: Tensor, bias: Tensor | None, transpose_a: bool,
             transpose_b: bool, memory_config: Any, dtype: Any, program_config: Any,
             activation: Any, config: Any, core_grid: Any, output_tile: Any,
             output: Tensor | None) -> Tensor:
    inputs = [t for t in (a, b, bias) if t is not None]
    device = on_one_device(name, inputs)
    check(not (core_grid is not None and program_config is not None),
          f"{name}: Cannot use core_grid with program_config")
    check(output_tile is None or list(getattr(output_tile, "tile_shape", [32, 32])) == [32, 32],
          f"{name}: only tiles of 32 x 32 are implemented")
    for t in inputs:
        check(t.layout is TILE_LAYOUT, f"{name}: inputs to matmul must be tilized, not in "
              f"{t.layout!r}")
        check(t.dtype in FLOATS, f"{name}: Unsupported data format {t.dtype!r}")
    vector = len(a.shape) == 1
    if vector:
        a = _move.reshape(a, (1, a.shape[0]))
    check(len(b.shape) >= 2, f"{name}: the second tensor must have rank 2 or more")
    m, k = a.shape[-2:] if not transpose_a else a.shape[-2:].to_rank(2)[::-1]
    kb, n = b.shape[-2:] if not transpose_b else b.shape[-2:][::-1]
    check(k == kb, f"{name}: The width of the first tensor must be equal to the height of the "
          f"second tensor: shapes {list(a.shape)} and {list(b.shape)} are incompatible, {k} != {kb}")
    if bias is not None:
        check(bias.shape[-1] == n, f"{name}: bias of width {bias.shape[-1]} for {n} columns")
        check(len(bias.shape) < 2 or bias.shape[-2] in (1, 32),
              f"{name}: bias must have one row: {list(bias.shape)}")
    a, b, batch = _batches(a, b, name)
    if k % 32:  # the kernel clears padding, which it cannot in blocks of 4 bits
        a, b = (typecast(t, bfloat16) if t.dtype is bfloat4_b else t for t in (a, b))
    out_dtype = dtype or (output.dtype if output is not None else a.dtype)
    out = output if output is not None else Tensor.make(
        (*batch, m, n), out_dtype, TILE_LAYOUT, None, device, memory_config or DRAM_MEMORY_CONFIG)
    grid = _grid(device, core_grid, program_config)
    fused = activation or getattr(program_config, "fused_activation", None)
    steps = activation_steps(fused)
    how = _library.Product(transpose_a, transpose_b, *_blocks(program_config, out, grid), len(steps))
    how.steps[:len(steps)] = steps
    fidelity = _fidelity(a, b, device, grid is not None, config)
    shaped = [a, b] + ([(bias, (1, 1, 1, n))] if bias is not None else [])
    run("product", "MatmulDeviceOperation", shaped, [out], how, {
        "compute_kernel_config": f"math_fidelity={fidelity.text}",
        "user_core_coord": f"{grid.x}-{grid.y}" if grid else "std::nullopt",
        "user_fused_activation": activation_text(fused),
        "user_run_batched": str(math.prod(batch) > 1).lower(), "untilize_out": "false"},
        fidelity, grid)
    return _move.reshape(out, (*batch, n)) if vector else out


def matmul(input_tensor_a: Tensor, input_tensor_b: Tensor, *, transpose_a: bool = False,
           transpose_b: bool = False, memory_config: Any = None, dtype: Any = None,
           program_config: Any = None, activation: Any = None, compute_kernel_config: Any = None,
           core_grid: Any = None, output_tile: Any = None,
           optional_output_tensor: Tensor | None = None, queue_id: Any = None,
           global_cb: Any = None, sub_device_id: Any = None) -> Tensor:
    """The product of matrices; either may be one for all of the other's."""
    return _product("matmul", input_tensor_a, input_tensor_b, None, transpose_a, transpose_b,
                    memory_config, dtype, program_config, activation, compute_kernel_config,
                    core_grid, output_tile, optional_output_tensor)


def linear(input_tensor_a: Tensor, input_tensor_b: Tensor, *, bias: Tensor | None = None,
           transpose_a: bool = False, transpose_b: bool = False, memory_config: Any = None,
           dtype: Any = None, program_config: Any = None, activation: Any = None,
           compute_kernel_config: Any = None, core_grid: Any = None, output_tile: Any = None,
           optional_output_tensor: Tensor | None = None, queue_id: Any = None,
           global_cb: Any = None, sub_device_id: Any = None) -> Tensor:
    """A linear layer: product, bias and activation in one op."""
    return _product("linear", input_tensor_a, input_tensor_b, bias, transpose_a, transpose_b,
                    memory_config, dtype, program_config, activation, compute_kernel_config,
                    core_grid, output_tile, optional_output_tensor)


def addmm(input_tensor: Tensor, mat1_tensor: Tensor, mat2_tensor: Tensor, *, alpha: float = 1.0,
          beta: float = 1.0, memory_config: Any = None, dtype: Any = None, program_config: Any = None,
          compute_kernel_config: Any = None, core_grid: Any = None, output_tile: Any = None,
          optional_output_tensor: Tensor | None = None) -> Tensor:
    """beta * input + alpha * mat1 mat2."""
    from ttnn import _eltwise as e
    check(beta == 0 or tuple(input_tensor.shape) == (*mat1_tensor.shape[:-1], mat2_tensor.shape[-1]),
          "addmm: input_tensor must have shape matching one of result of mat1_tensor @ mat2_tensor")
    product = matmul(mat1_tensor, mat2_tensor, memory_config=memory_config, dtype=dtype,
                     program_config=program_config, compute_kernel_config=compute_kernel_config,
                     core_grid=core_grid, output_tile=output_tile)
    scaled = product if alpha == 1 else e.multiply(product, alpha)  # type: ignore[attr-defined]
    if beta == 0:
        return scaled if optional_output_tensor is None else _move.copy(scaled, optional_output_tensor)
    other = input_tensor if beta == 1 else e.multiply(input_tensor, beta)  # type: ignore[attr-defined]
    return e.add(scaled, other, output_tensor=optional_output_tensor)  # type: ignore[attr-defined]
