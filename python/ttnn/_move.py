# SPDX-License-Identifier: Apache-2.0
"""Ops that move values: layouts, memory, permutations, parts and joins of tensors."""
from __future__ import annotations

import array
import builtins
import itertools
import math
from typing import Any, Sequence

from ttnn import _library
from ttnn._run import on_one_device, run, value_bits
from ttnn._tensor import Tensor, code_of, convert, pad_shape, shards_check, tiles
from ttnn._types import (BLOCKS, FLOATS, ROW_MAJOR_LAYOUT, TILE_LAYOUT, BufferType, CoreRange,
                         CoreRangeSet, MemoryConfig, Shape, ShardSpec, bfloat16, check, fatal, grid_of)


class Part:
    """Where a part of the output comes from: value idx from base + sum of idx * stride of TENSOR,
    for idx in [low, high)."""

    def __init__(self, tensor: Tensor, strides: Sequence[int], base: int = 0,
                 low: Sequence[int] | None = None, high: Sequence[int] | None = None) -> None:
        self.tensor, self.strides, self.base, self.low, self.high = tensor, strides, base, low, high


def strides_of(shape: Sequence[int]) -> list[int]:
    out, step = [], 1
    for n in reversed(shape):
        out.append(step)
        step *= n
    return out[::-1]


def _format_bits(value: float, dtype: Any) -> int:
    bits = value_bits(value, dtype)
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16 if dtype is bfloat16 else bits


def _host_gather(shape: Sequence[int], extents: Sequence[int], parts: Sequence[Part],
                 fill: float, like: Tensor, layout: Any) -> Tensor:
    values = array.array(code_of(like.dtype))
    fill = float(fill) if like.dtype in FLOATS else int(fill)
    for at in itertools.product(*map(range, extents)):
        for p in parts:
            low, high = p.low or [0] * len(extents), p.high or extents
            if all(a <= i < b for a, i, b in zip(low, at, high)):
                values.append(p.tensor.values[p.base + sum(i * s for i, s in zip(at, p.strides))])
                break
        else:
            values.append(fill)
    return Tensor.make(shape, like.dtype, layout, values)


def gather(name: str, attributes: dict[str, Any], shape: Sequence[int], parts: Sequence[Part], *,
           extents: Sequence[int] | None = None, layout: Any = None, memory_config: Any = None,
           fill: float = 0, pages: bool = False, output: Tensor | None = None,
           place: tuple[int, Sequence[int]] | None = None,
           forms: Sequence[_library.Form] = (), dtype: Any = None) -> Tensor:
    """A tensor of SHAPE, made of parts of others. PAGES: extents and strides count pages."""
    first = parts[0].tensor
    extents = tuple(shape if extents is None else extents) or (1,)
    layout = layout or first.layout
    if not math.prod(extents):  # nothing to move
        return Tensor.make(shape, dtype or first.dtype, layout, None if first.device() else array.array(
            code_of(first.dtype)), first.device(), memory_config or first.memory)
    if first.device() is None:
        return _host_gather(shape, extents, parts, fill, first, layout)
    if not pages and first.dtype in BLOCKS:  # values of blocks have no address
        from ttnn._eltwise import typecast
        plain = [Part(typecast(p.tensor, bfloat16), p.strides, p.base, p.low, p.high)
                 for p in parts]
        out = gather(name, attributes, shape, plain, extents=extents, layout=layout,
                     memory_config=memory_config, fill=fill, forms=forms)
        return typecast(out, first.dtype) if layout is TILE_LAYOUT else out
    check(len(extents) <= _library.DIMS, f"{name}: {len(extents)} dimensions are too many")
    out = output if output is not None else Tensor.make(
        shape, dtype or first.dtype, layout, None, first.device(), memory_config or first.memory)
    how = _library.Gather(pages, len(extents), fill=_format_bits(fill, first.dtype),
                          form_count=len(forms), placed=place is not None)
    how.extents[:len(extents)] = extents
    how.forms[:len(forms)] = forms
    if place:
        how.place.base = place[0]
        how.place.strides[:len(extents)] = place[1]
    for source, part in zip(how.sources, parts):
        source.base = part.base
        source.strides[:len(extents)] = list(part.strides)
        source.low[:len(extents)] = list(part.low or [0] * len(extents))
        source.high[:len(extents)] = list(part.high or extents)
    run("gather", name, [p.tensor for p in parts], [out], how, attributes)
    return out


def _grid_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """The dimensions of a tensor's pages, if it is in tiles."""
    full = (1,) * (2 - len(shape)) + tuple(shape)
    return (*full[:-2], tiles(full[-2]), tiles(full[-1]))


def _dim(name: str, dim: int, rank: int) -> int:
    if not -rank <= dim < rank:
        raise fatal(f"{name}: dimension {dim} is out of range for rank {rank}")
    return dim % rank


# ---- layouts and memory
def to_layout(tensor: Tensor, layout: Any, dtype: Any = None, memory_config: Any = None, *,
              pad_value: float = 0.0, sub_core_grids: Any = None) -> Tensor:
    """A tensor with the same values in tiles or in rows."""
    if tensor.layout is layout:
        check(dtype is None or dtype is tensor.dtype,
              "to_layout: dtype can only be specified when the layout changes")
        return tensor
    if tensor.device() is None:
        return Tensor.make(tensor.shape, dtype or tensor.dtype, layout,
                           convert(tensor.values, tensor.shape, tensor.dtype,
                                   dtype or tensor.dtype))
    on_one_device("to_layout", [tensor])
    aligned = tuple(pad_shape(tensor.shape, TILE_LAYOUT)) == tuple(tensor.shape)
    if layout is TILE_LAYOUT:
        name = "TilizeDeviceOperation" if aligned else "TilizeWithValPaddingDeviceOperation"
    else:
        name = "UntilizeDeviceOperation" if aligned else "UntilizeWithUnpaddingDeviceOperation"
        if tensor.dtype in BLOCKS:  # rows have no block formats
            from ttnn._eltwise import typecast
            tensor = typecast(tensor, dtype or bfloat16)
    attributes: dict[str, Any] = {"output_mem_config": memory_config or tensor.memory,
                                  "output_dtype": dtype or tensor.dtype, "use_multicore": True}
    if not aligned and layout is TILE_LAYOUT:
        attributes["pad_value"] = f"{pad_value:g}"
    volume = tensor.volume()
    out = gather(name, attributes, tensor.shape, [Part(tensor, [1])], extents=[volume],
                 layout=layout, memory_config=memory_config)
    if dtype is not None and dtype is not out.dtype:
        from ttnn._eltwise import typecast
        out = typecast(out, dtype)
    return out


def tilize(input_tensor: Tensor, *, memory_config: Any = None, dtype: Any = None,
           use_multicore: bool = True) -> Tensor:
    return to_layout(input_tensor, TILE_LAYOUT, dtype, memory_config)


def tilize_with_zero_padding(input_tensor: Tensor, *, memory_config: Any = None,
                             dtype: Any = None, use_multicore: bool = True) -> Tensor:
    return to_layout(input_tensor, TILE_LAYOUT, dtype, memory_config)


def tilize_with_val_padding(input_tensor: Tensor, output_tensor_shape: Sequence[int],
                            pad_value: float, *, memory_config: Any = None, dtype: Any = None,
                            use_multicore: bool = True) -> Tensor:
    """The tensor in tiles; cells outside the shape are undefined, as after any op."""
    want = list(output_tensor_shape)
    check(len(want) == len(input_tensor.shape) and
          all(n >= m for n, m in zip(want, input_tensor.shape)),
          f"tilize_with_val_padding: Output tensor shape {want} must be greater than or equal to input "
          f"shape {list(input_tensor.shape)} in each dimension")
    return to_layout(input_tensor, TILE_LAYOUT, dtype, memory_config, pad_value=pad_value)


def untilize_with_unpadding(input_tensor: Tensor, output_tensor_end: Sequence[int], *,
                            memory_config: Any = None, use_multicore: bool = True,
                            use_pack_untilize: bool = True) -> Tensor:
    """The tensor in rows, up to and including the index OUTPUT_TENSOR_END."""
    rows = to_layout(input_tensor, ROW_MAJOR_LAYOUT, None, memory_config)
    ends = [n + 1 for n in output_tensor_end]
    return rows if ends == list(rows.shape) else slice(rows, [0] * len(ends), ends)


def untilize(input_tensor: Tensor, *, memory_config: Any = None, use_multicore: bool = True,
             use_pack_untilize: bool = True) -> Tensor:
    return to_layout(input_tensor, ROW_MAJOR_LAYOUT, None, memory_config)


def _copy_pages(name: str, tensor: Tensor, memory_config: Any, attributes: dict[str, Any],
                output: Tensor | None = None) -> Tensor:
    count = math.prod(_grid_shape(tensor.shape)) if tensor.layout is TILE_LAYOUT else \
        max(1, math.prod(tensor.shape[:-1]))
    return gather(name, attributes, tensor.shape, [Part(tensor, [1])], extents=[count], pages=True,
                  memory_config=memory_config, output=output)


def to_memory_config(tensor: Tensor, memory_config: MemoryConfig, dtype: Any = None, *,
                     output_tensor: Tensor | None = None) -> Tensor:
    """A copy in the given memory, or the tensor itself if it is already there."""
    on_one_device("to_memory_config", [tensor])
    if output_tensor is not None:
        return copy(tensor, output_tensor)
    if dtype is not None and dtype is not tensor.dtype:
        from ttnn._eltwise import typecast
        return typecast(tensor, dtype, memory_config=memory_config)
    if memory_config == tensor.memory:
        return tensor
    shards_check(memory_config, tensor.shape, tensor.layout)
    sharded = tensor.memory.is_sharded(), memory_config.is_sharded()
    name = {(False, True): "InterleavedToShardedDeviceOperation",
            (True, False): "ShardedToInterleavedDeviceOperation",
            (True, True): "ReshardDeviceOperation"}.get(sharded, "CopyDeviceOperation")
    return _copy_pages(name, tensor, memory_config, {"output_mem_config": memory_config,
                                                     "output_dtype": tensor.dtype})


def interleaved_to_sharded(input_tensor: Tensor, sharded_memory_config: Any, shard_shape: Any = None,
                           shard_scheme: Any = None, shard_orientation: Any = None,
                           output_dtype: Any = None, *, keep_l1_aligned: bool = False) -> Tensor:
    """As to_memory_config(); in place of the configuration a grid, with the shape and kind of shards."""
    config = sharded_memory_config
    if not isinstance(config, MemoryConfig):
        size = None if isinstance(config, CoreRangeSet) else grid_of(config)
        grid = CoreRangeSet([CoreRange((0, 0), (size.x - 1, size.y - 1))]) if size else config
        config = MemoryConfig(shard_scheme, BufferType.L1, ShardSpec(grid, shard_shape, shard_orientation))
    check(config.is_sharded(), "interleaved_to_sharded: a sharded memory config is needed")
    return to_memory_config(input_tensor, config, output_dtype)


def sharded_to_interleaved(input_tensor: Tensor, memory_config: Any = None, *,
                           output_dtype: Any = None, is_l1_aligned: Any = None) -> Tensor:
    from ttnn._types import DRAM_MEMORY_CONFIG
    return to_memory_config(input_tensor, memory_config or DRAM_MEMORY_CONFIG, output_dtype)


def reshard(input_tensor: Tensor, output_memory_config: Any,
            output_tensor: Tensor | None = None) -> Tensor:
    return to_memory_config(input_tensor, output_memory_config)


def clone(input_tensor: Tensor, *, memory_config: Any = None, dtype: Any = None,
          compute_kernel_config: Any = None) -> Tensor:
    if dtype is not None and dtype is not input_tensor.dtype:
        from ttnn._eltwise import typecast
        return typecast(input_tensor, dtype, memory_config=memory_config)
    return _copy_pages("CloneOperation", input_tensor, memory_config,
                       {"output_mem_config": memory_config or input_tensor.memory,
                        "output_dtype": input_tensor.dtype})


def copy(input_a: Tensor, input_b: Tensor) -> Tensor:
    """Copies the first into the second."""
    check(input_a.shape == input_b.shape and input_a.layout is input_b.layout,
          f"copy: shapes and layouts of {input_a.shape} and {input_b.shape} must be equal")
    return _copy_pages("CopyDeviceOperation", input_a, None,
                       {"output_mem_config": input_b.memory}, input_b)


assign = copy


def reallocate(input_tensor: Tensor, memory_config: Any = None) -> Tensor:
    """Moves a tensor: the old memory is free afterwards."""
    out = _copy_pages("MoveDeviceOperation", input_tensor, memory_config,
                      {"output_mem_config": memory_config or input_tensor.memory})
    input_tensor.deallocate()
    return out


move = reallocate


def fill_implicit_tile_padding(input_tensor: Tensor, fill_value: float, *, memory_config: Any = None,
                               sub_core_grids: Any = None) -> Tensor:
    """The same values, with others in the padding of tiles."""
    on_one_device("fill_implicit_tile_padding", [input_tensor])
    check(input_tensor.layout is TILE_LAYOUT, "fill_implicit_tile_padding: the input must be in TILE layout")
    shape = tuple(input_tensor.shape)
    padded = pad_shape(shape, TILE_LAYOUT)
    full = (1,) * (len(padded) - len(shape)) + shape
    if full == tuple(padded):
        return input_tensor
    whole = pad(_view(input_tensor, full), [(0, n - m) for m, n in zip(full, padded)], fill_value,
                memory_config=memory_config, op="FillPadDeviceOperation")
    return Tensor.make(shape, whole.dtype, TILE_LAYOUT, None, whole.device(), whole.memory, whole.storage)


def to_dtype(tensor: Tensor, dtype: Any) -> Tensor:
    """Of a tensor on the host."""
    check(tensor.device() is None, "to_dtype: the tensor must be on host")
    layout = TILE_LAYOUT if dtype in BLOCKS else tensor.layout
    return Tensor.make(tensor.shape, dtype, layout,
                       convert(tensor.values, tensor.shape, tensor.dtype, dtype))


# ---- shapes
def _view(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    return Tensor.make(shape, tensor.dtype, tensor.layout, tensor.values, tensor.device(),
                       tensor.memory, tensor.storage)


def _is_view(tensor: Tensor, shape: Sequence[int]) -> bool:
    """Whether the bytes stay where they are."""
    if tensor.device() is None:
        return True
    if not shape or not len(tensor.shape):
        return False
    if shape[-1] != tensor.shape[-1]:
        return False
    if tensor.layout is ROW_MAJOR_LAYOUT:
        return True
    old, new = ((1,) + tuple(tensor.shape))[-2], ((1,) + tuple(shape))[-2]
    return old == new or (old % 32 == 0 and new % 32 == 0)


def _wanted(name: str, shape: Any, volume: int) -> tuple[int, ...]:
    shape = [int(n) for n in shape]
    check(shape.count(-1) <= 1, f"{name}: only one dimension can be -1")
    if -1 in shape:
        rest = math.prod(n for n in shape if n != -1)
        check(rest and volume % rest == 0, f"{name}: {volume} values do not fit shape {shape}")
        shape[shape.index(-1)] = volume // rest
    check(math.prod(shape) == volume,
          f"{name}: volumes must be equal: {volume} values, shape {shape}")
    return tuple(shape)


def reshape(input_tensor: Tensor, shape: Any, padded_shape: Any = None, *,
            memory_config: Any = None, pad_value: Any = None, queue_id: Any = None,
            reshape_tile_mode: Any = None) -> Tensor:
    """A tensor with the same values in another shape; one size may be -1."""
    if isinstance(shape, int):
        shape = (shape,)
    shape = _wanted("reshape", shape, input_tensor.volume())
    if shape == tuple(input_tensor.shape) or _is_view(input_tensor, shape):
        out = _view(input_tensor, shape)
        return out if memory_config in (None, out.memory) else to_memory_config(out, memory_config)
    on_one_device("reshape", [input_tensor])
    return gather("ReshapeViewDeviceOperation",
                  {"logical_output_shape": Shape(shape),
                   "padded_output_shape": pad_shape(shape, input_tensor.layout),
                   "output_mem_config": memory_config or input_tensor.memory},
                  shape, [Part(input_tensor, [1])], extents=[input_tensor.volume()],
                  memory_config=memory_config)


def view(input_tensor: Tensor, shape: Any) -> Tensor:
    shape = _wanted("view", shape, input_tensor.volume())
    check(_is_view(input_tensor, shape), f"view: {list(input_tensor.shape)} cannot be seen as "
          f"{list(shape)} without moving values")
    return _view(input_tensor, shape)


experimental_view = view


def unsqueeze(input_tensor: Tensor, dim: int) -> Tensor:
    rank = len(input_tensor.shape)
    at = _dim("unsqueeze", dim, rank + 1)
    shape = list(input_tensor.shape)
    return reshape(input_tensor, (*shape[:at], 1, *shape[at:]))


def squeeze(input_tensor: Tensor, dim: Any = None) -> Tensor:
    """Removes dimensions of 1: all, or the given ones."""
    rank, shape = len(input_tensor.shape), tuple(input_tensor.shape)
    if dim is None:
        dims = list(range(rank))
    else:
        dims = [_dim("squeeze", d, max(rank, 1)) for d in ([dim] if isinstance(dim, int) else dim)]
        check(len(set(dims)) == len(dims), f"squeeze: dims {dim} must be unique")
    return reshape(input_tensor, [n for i, n in enumerate(shape) if i not in dims or n != 1])


def unsqueeze_to_4D(tensor: Tensor) -> Tensor:
    check(len(tensor.shape) <= 4, "unsqueeze_to_4D: the rank is greater than 4")
    return reshape(tensor, (1,) * (4 - len(tensor.shape)) + tuple(tensor.shape))


def permute(input_tensor: Tensor, dims: Sequence[int], *, memory_config: Any = None,
            pad_value: Any = 0.0, queue_id: Any = None) -> Tensor:
    """Dimension i of the result is dimension dims[i]."""
    rank, shape = len(input_tensor.shape), tuple(input_tensor.shape)
    dims = [_dim("permute", d, rank) for d in dims]
    check(sorted(dims) == list(range(rank)),
          f"permute: The number of dimensions in the tensor input does not match the length of the "
          f"desired ordering: {rank} and {dims}")
    if dims == list(range(rank)):
        return input_tensor
    out, config = [shape[d] for d in dims], memory_config
    moved = [i for i, d in enumerate(dims) if i != d]
    device = input_tensor.device()
    name = "TransposeDeviceOperation" if len(moved) == 2 else "PermuteDeviceOperation"
    attributes: dict[str, Any] = {"dims": dims, "output_mem_config": config or input_tensor.memory}
    if len(moved) == 2:
        letters = dict(zip(range(rank - 1, -1, -1), "WHCN" + "ABCD"))
        attributes = {"dim": f"TransposeOpDim::{letters[moved[0]]}{letters[moved[1]]}"
                      if rank <= 4 else str(moved), **attributes, "pad_value": "0"}
        del attributes["dims"]
    if device is not None and input_tensor.layout is TILE_LAYOUT:
        if moved == [rank - 2, rank - 1]:
            on_one_device(name, [input_tensor])
            result = Tensor.make(out, input_tensor.dtype, TILE_LAYOUT, None, device,
                                 config or input_tensor.memory)
            run("eltwise", name, [input_tensor], [result], _library.Eltwise(0, 1, 0), attributes)
            return result
        if moved and max(moved) < rank - 2:
            grid = _grid_shape(shape)
            steps = strides_of(grid)
            return gather(name, attributes, out,
                          [Part(input_tensor, [steps[d] for d in dims])],
                          extents=[grid[d] for d in dims], pages=True, memory_config=config)
    steps = strides_of(shape)
    return gather(name, attributes, out, [Part(input_tensor, [steps[d] for d in dims])],
                  memory_config=config)


def transpose(input_tensor: Tensor, dim1: int = -2, dim2: int = -1, *, memory_config: Any = None,
              pad_value: Any = 0.0, queue_id: Any = None) -> Tensor:
    """Exchanges two dimensions."""
    rank = len(input_tensor.shape)
    dims = list(range(rank))
    i, j = _dim("transpose", dim1, rank), _dim("transpose", dim2, rank)
    dims[i], dims[j] = dims[j], dims[i]
    return permute(input_tensor, dims, memory_config=memory_config)


# ---- parts and joins
def _step_grid(tensor: Tensor, begins: Sequence[int], steps: Sequence[int]) -> bool:
    """Whether a slice is one of whole tiles."""
    if tensor.device() is None or tensor.layout is not TILE_LAYOUT or len(tensor.shape) < 2:
        return False
    return all(b % 32 == 0 and s == 1 for b, s in list(zip(begins, steps))[-2:])


def slice(input_tensor: Tensor, slice_start: Sequence[int] | None = None,
          slice_end: Sequence[int] | None = None, slice_step: Sequence[int] | None = None, *,
          starts: Sequence[int] | None = None, ends: Sequence[int] | None = None,
          steps: Sequence[int] | None = None, memory_config: Any = None,
          output_tensor: Tensor | None = None, pad_value: Any = None,
          queue_id: Any = None) -> Tensor:
    """The values from starts to ends, without the ends."""
    shape, rank = tuple(input_tensor.shape), len(input_tensor.shape)
    begins = list(slice_start if slice_start is not None else starts or [0] * rank)
    stops = list(slice_end if slice_end is not None else ends or shape)
    by = list(slice_step if slice_step is not None else steps or [1] * rank)
    check(len(begins) == len(stops) == len(by) == rank,
          f"slice: Input rank {rank} and begins {len(begins)}, ends {len(stops)}, steps "
          f"{len(by)} must have the same size")
    begins = [b + n if b < 0 else b for b, n in zip(begins, shape)]
    stops = [min(e + n if e < 0 else e, n) for e, n in zip(stops, shape)]
    check(all(s > 0 for s in by), f"slice: steps {by} must be positive")
    check(all(0 <= b <= n for b, n in zip(begins, shape)),
          f"slice: starts {begins} are out of range of shape {list(shape)}")
    out = [max(0, -(-(e - b) // s)) for b, e, s in zip(begins, stops, by)]
    if out == list(shape) and input_tensor.device() is None:
        return input_tensor
    attributes = {"slice_start": Shape(begins), "slice_end": Shape(stops), "step": Shape(by),
                  "output_mem_config": memory_config or input_tensor.memory}
    if _step_grid(input_tensor, begins, by):
        steps_ = strides_of(_grid_shape(shape))
        first = [b // 32 if i >= rank - 2 else b for i, b in enumerate(begins)]
        return gather("SliceDeviceOperation", attributes, out,
                      [Part(input_tensor, [s * b for s, b in zip(steps_, by)],
                            sum(f * s for f, s in zip(first, steps_)))],
                      extents=_grid_shape(out), pages=True, memory_config=memory_config,
                      output=output_tensor)
    steps_ = strides_of(shape)
    return gather("SliceDeviceOperation", attributes, out,
                  [Part(input_tensor, [s * b for s, b in zip(steps_, by)],
                        sum(f * s for f, s in zip(begins, steps_)))],
                  memory_config=memory_config, output=output_tensor)


def tensor_at(tensor: Tensor, key: Any) -> Tensor:
    """tensor[key]."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if sum(k is Ellipsis for k in keys) > 1:
        raise ValueError("only one Ellipsis is allowed")
    shape = tuple(tensor.shape)
    if sum(k is not Ellipsis for k in keys) > len(shape):
        raise IndexError(f"too many indices for a tensor of rank {len(shape)}")
    if Ellipsis in [k for k in keys if not isinstance(k, Tensor)]:
        at = [k is Ellipsis for k in keys].index(True)
        keys[at:at + 1] = [builtins.slice(None)] * (len(shape) - len(keys) + 1)
    keys += [builtins.slice(None)] * (len(shape) - len(keys))
    begins, ends, steps, kept = [], [], [], []
    for k, n in zip(keys, shape):
        if isinstance(k, int):
            if not -n <= k < n:
                raise IndexError(f"index {k} is out of range for a dimension of {n}")
            k %= n
            begins.append(k), ends.append(k + 1), steps.append(1)
        elif isinstance(k, builtins.slice):
            b, e, s = k.indices(n)
            begins.append(b), ends.append(e), steps.append(s)
            kept.append(-(-(e - b) // s))
        else:
            raise TypeError(f"an index must be an integer, a slice or Ellipsis, not "
                            f"{type(k).__name__}")
    if begins == [0] * len(shape) and tuple(ends) == shape and steps == [1] * len(shape):
        return tensor
    return reshape(slice(tensor, begins, ends, steps), kept)


def split(input_tensor: Tensor, split_size: Any, dim: int = 0, *, memory_config: Any = None,
          queue_id: Any = None) -> list[Tensor]:
    """Parts of SPLIT_SIZE, or of the sizes in it."""
    rank = len(input_tensor.shape)
    dim = _dim("split", dim, rank)
    n = input_tensor.shape[dim]
    sizes = [split_size] * (n // split_size) + ([n % split_size] if n % split_size else []) \
        if isinstance(split_size, int) else list(split_size)
    check(sum(sizes) == n, f"split: sizes {sizes} do not add up to {n}")
    out, at = [], 0
    for size in sizes:
        begins, ends = [0] * rank, list(input_tensor.shape)
        begins[dim], ends[dim] = at, at + size
        out.append(slice(input_tensor, begins, ends, memory_config=memory_config))
        at += size
    return out


def chunk(input_tensor: Tensor, chunks: int, dim: int = 0) -> list[Tensor]:
    return split(input_tensor, -(-input_tensor.shape[dim] // chunks), dim)


def _join(name: str, tensors: Sequence[Tensor], dim: int, memory_config: Any,
          output: Tensor | None) -> Tensor:
    shape = list(tensors[0].shape)
    shape[dim] = sum(t.shape[dim] for t in tensors)
    rank, first = len(shape), tensors[0]
    pages = first.device() is not None and first.layout is TILE_LAYOUT and rank >= 2 and \
        (dim < rank - 2 or all(t.shape[dim] % 32 == 0 for t in tensors[:-1]))
    parts, at = [], 0
    extents = _grid_shape(shape) if pages else shape
    for t in tensors:
        own = _grid_shape(t.shape) if pages else tuple(t.shape)
        steps = strides_of(own)
        low, high = [0] * rank, list(extents)
        low[dim], high[dim] = at, at + own[dim]
        parts.append(Part(t, steps, -at * steps[dim], low, high))
        at += own[dim]
    return gather(name, {"dim": dim, "groups": 1,
                         "output_mem_config": memory_config or first.memory},
                  shape, parts, extents=extents, pages=pages, memory_config=memory_config,
                  output=output)


def concat(tensors: Sequence[Tensor], dim: int = 0, *, memory_config: Any = None,
           output_tensor: Tensor | None = None, groups: int = 1, queue_id: Any = None,
           sub_core_grids: Any = None) -> Tensor:
    """Joins tensors along a dimension."""
    tensors = list(tensors)
    check(tensors, "concat: at least one tensor is needed")
    check(groups == 1, "concat: groups other than 1 are not implemented")
    first, rank = tensors[0], len(tensors[0].shape)
    dim = _dim("concat", dim, rank)
    for t in tensors:
        check(len(t.shape) == rank and all(
            a == b for i, (a, b) in enumerate(zip(t.shape, first.shape)) if i != dim),
            f"concat: All dimensions must be the same size except for the dimension along which "
            f"the contenation is taking place: {list(first.shape)} and {list(t.shape)}")
        check(t.layout is first.layout and t.dtype is first.dtype,
              "concat: All tensors must have the same layout and data type")
    if first.device() is not None:
        on_one_device("concat", tensors)
    most = 3 if any(t.shards for t in tensors) else _library.TENSORS - 1
    while len(tensors) > most:
        tensors = [_join("ConcatDeviceOperation", tensors[:most], dim, memory_config, None)] + \
            tensors[most:]
    tensors = [t for t in tensors if t.volume()] or tensors[:1]
    if len(tensors) == 1:
        return tensors[0]
    return _join("ConcatDeviceOperation", tensors, dim, memory_config, output_tensor)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Joins tensors along a new dimension."""
    return concat([unsqueeze(t, dim) for t in tensors], dim if dim >= 0 else dim)


def pad(input_tensor: Tensor, padding: Any, value: Any = 0.0, later: float = 0.0, *, use_multicore: bool = True,
        memory_config: Any = None, queue_id: Any = None, sub_core_grids: Any = None,
        op: str = "PadDeviceOperation") -> Tensor:
    """PADDING: (before, after) for each dimension, or for the last ones; or the new shape, where the
    input starts in it, and the value."""
    shape, rank = tuple(input_tensor.shape), len(input_tensor.shape)
    padding, starts = list(padding), value if isinstance(value, (list, tuple)) else None
    if padding and isinstance(padding[0], int):  # the padded shape, and where the input starts in it
        check(len(padding) == rank, f"pad: shape {padding} for a tensor of rank {rank}")
        begins = list(starts or [0] * rank)
        value = later if starts is not None else value
        padding = [(b, n - m - b) for n, m, b in zip(padding, shape, begins)]
    padding = [tuple(p) for p in padding]
    check(len(padding) <= rank, "ttnn.pad: padding len can't be larger than input tensor rank")
    padding = [(0, 0)] * (rank - len(padding)) + padding
    check(len(padding) == rank and all(a >= 0 and b >= 0 for a, b in padding),
          f"pad: padding {padding} does not fit shape {list(shape)}")
    out = [n + a + b for n, (a, b) in zip(shape, padding)]
    low = [a for a, _ in padding]
    high = [a + n for n, (a, _) in zip(shape, padding)]
    attributes = {"output_padded_shape": pad_shape(out, input_tensor.layout), "pad_value":
                  f"{value:g}", "output_mem_config": memory_config or input_tensor.memory}
    steps = strides_of(shape)
    return gather(op, attributes, out,
                  [Part(input_tensor, steps, -sum(a * s for a, s in zip(low, steps)), low, high)],
                  memory_config=memory_config, fill=value)


def repeat(input_tensor: Tensor, repeat_dims: Any, *, memory_config: Any = None,
           implementation: str | None = None) -> Tensor:
    """Each dimension as many times as its number says."""
    counts = [int(n) for n in repeat_dims]
    shape = (1,) * (len(counts) - len(input_tensor.shape)) + tuple(input_tensor.shape)
    check(len(counts) == len(shape), f"repeat: {counts} does not fit shape {list(shape)}")
    out = [n * c for n, c in zip(shape, counts)]
    if all(c == 1 for c in counts):
        return reshape(input_tensor, shape)
    if sum(c > 1 for c in counts) > 3:  # more dimensions than a gather has: first the last three
        last = [1] * (len(counts) - 3) + counts[-3:]
        return repeat(repeat(_view(input_tensor, shape), last), [*counts[:-3], 1, 1, 1],
                      memory_config=memory_config)
    pages = input_tensor.device() is not None and input_tensor.layout is TILE_LAYOUT and \
        all(c == 1 or n % 32 == 0 for c, n in list(zip(counts, shape))[-2:])
    own = _grid_shape(shape) if pages else shape
    extents: list[int] = []
    steps: list[int] = []
    for n, c, s in zip(own, counts, strides_of(own)):
        if c > 1:
            extents, steps = extents + [c], steps + [0]
        if steps and steps[-1] == n * s:  # one with the dimension before
            extents[-1], steps[-1] = extents[-1] * n, s
        elif n > 1 or not extents:
            extents, steps = extents + [n], steps + [s]
    if steps and steps[-1] != 1:
        extents, steps = extents + [1], steps + [1]
    return gather("RepeatDeviceOperation",
                  {"repetition_vector": Shape(counts),
                   "output_mem_config": memory_config or input_tensor.memory},
                  out, [Part(_view(input_tensor, shape), steps)], extents=extents, pages=pages,
                  memory_config=memory_config)


def roll(input_tensor: Tensor, shifts: Any, dim: Any = None) -> Tensor:
    """Values move along dimensions; those that leave at the end come in at the beginning."""
    if dim is None:
        flat = roll(reshape(input_tensor, (input_tensor.volume(),)), shifts, 0)
        return reshape(flat, tuple(input_tensor.shape))
    shifts, dims = ([x] if isinstance(x, int) else list(x) for x in (shifts, dim))
    check(len(shifts) == len(dims), "roll: shifts and dims must have the same size")
    out = input_tensor
    for shift, d in zip(shifts, dims):
        d = _dim("roll", d, len(out.shape))
        n = out.shape[d]
        if shift % n:
            first, last = split(out, [n - shift % n, shift % n], d)
            out = concat([last, first], d)
    return out


def narrow(input_tensor: Tensor, dim: int, start: int, length: int) -> Tensor:
    """LENGTH indices of a dimension, from START on."""
    dim = _dim("narrow", dim, len(input_tensor.shape))
    n = input_tensor.shape[dim]
    start = start + n if start < 0 else start
    check(0 <= start and length > 0 and start + length <= n,
          f"narrow: {length} from {start} on are not in a dimension of {n}")
    begins, ends = [0] * len(input_tensor.shape), list(input_tensor.shape)
    begins[dim], ends[dim] = start, start + length
    return slice(input_tensor, begins, ends)


def fold(input_tensor: Tensor, stride_h: int, stride_w: int, use_transpose_as_fold: bool = False,
         output_shape: Any = None, pad_c: int = 0, pad_h: int = 0, pad_w: int = 0, grid_size: Any = None,
         override_memory_config: Any = None, *, padding: Any = None) -> Tensor:
    """[n, h, w, c] to [1, 1, n * h/sh * w/sw, c * sh * sw]: the values of a window become channels."""
    if padding is not None:
        pads = list(padding) + [0] * (6 - len(padding)) if len(padding) > 2 else \
            [padding[0], padding[0], padding[1], padding[1], 0, 0]
        input_tensor = pad(input_tensor, [(0, 0), *zip(pads[::2], pads[1::2])])
    n, h, w, c = input_tensor.shape
    check(h % stride_h == 0 and w % stride_w == 0,
          f"fold: strides {stride_h} and {stride_w} do not divide {h} and {w}")
    parts = reshape(to_layout(input_tensor, ROW_MAJOR_LAYOUT),
                    (n, h // stride_h, stride_h, w // stride_w, stride_w, c))
    out = permute(parts, (0, 1, 3, 2, 4, 5))
    return reshape(out, (1, 1, n * h // stride_h * w // stride_w, c * stride_h * stride_w))


def upsample(input_tensor: Tensor, scale_factor: Any, *, mode: str = "nearest", memory_config: Any = None,
             compute_kernel_config: Any = None) -> Tensor:
    """Each pixel of [n, h, w, c] several times."""
    check(mode == "nearest", f"upsample: mode {mode!r} is not implemented")
    scales = [scale_factor] * 2 if isinstance(scale_factor, (int, float)) else list(scale_factor)
    check(len(input_tensor.shape) == 4 and all(s == int(s) and s > 0 for s in scales),
          f"upsample: whole factors and 4 dimensions are needed, not {scales} and "
          f"{list(input_tensor.shape)}")
    rows = to_layout(input_tensor, ROW_MAJOR_LAYOUT)
    n, h, w, c = rows.shape
    down, across = map(int, scales)
    out = gather("UpSampleOperation", {"scale_factor_h": down, "scale_factor_w": across, "mode": mode},
                 (n, h * down, w * across, c), [Part(rows, [h * w * c, w * c, 0, c, 0, 1])],
                 extents=(n, h, down, w, across, c), memory_config=memory_config)
    return to_layout(out, input_tensor.layout)


def repeat_interleave(input_tensor: Tensor, repeats: int, dim: int = 0, *,
                      memory_config: Any = None) -> Tensor:
    """Repeats each index of a dimension REPEATS times."""
    shape, rank = tuple(input_tensor.shape), len(input_tensor.shape)
    dim = _dim("repeat_interleave", dim, rank)
    out = [n * repeats if i == dim else n for i, n in enumerate(shape)]
    steps = strides_of(shape)
    return gather("RepeatInterleaveDeviceOperation", {"repeats": repeats, "dim": dim}, out,
                  [Part(input_tensor, [*steps[:dim + 1], 0, *steps[dim + 1:]])],
                  extents=[*shape[:dim + 1], repeats, *shape[dim + 1:]],
                  memory_config=memory_config)


def expand(input_tensor: Tensor, shape: Sequence[int], *, memory_config: Any = None) -> Tensor:
    """Repeats dimensions of 1; -1 keeps a size."""
    full = (1,) * (len(shape) - len(input_tensor.shape)) + tuple(input_tensor.shape)
    wanted = [n if w == -1 else w for n, w in zip(full, shape)]
    check(all(n in (1, w) for n, w in zip(full, wanted)),
          f"expand: {list(input_tensor.shape)} cannot become {list(shape)}")
    return repeat(reshape(input_tensor, full), [w // n for n, w in zip(full, wanted)],
                  memory_config=memory_config)
