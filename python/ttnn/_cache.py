# SPDX-License-Identifier: Apache-2.0
"""Caches of keys and values: [batch, heads, rows, width]."""
from __future__ import annotations

from typing import Any, Sequence

from ttnn import _library
from ttnn._move import Part, gather, reshape, to_layout
from ttnn._run import on_one_device, run
from ttnn._tensor import Tensor, from_torch, tiles
from ttnn._types import BLOCKS, ROW_MAJOR_LAYOUT, TILE_LAYOUT, check, int32, uint32


def places_of(name: str, tensor: Tensor) -> Tensor:
    """Integers that kernels read, in rows."""
    check(tensor.dtype in (int32, uint32), f"{name}: places must be int32 or uint32, not {tensor.dtype!r}")
    return to_layout(tensor, ROW_MAJOR_LAYOUT)


def _check(name: str, cache: Tensor, x: Tensor) -> None:
    on_one_device(name, [cache, x])
    check(cache.layout is TILE_LAYOUT and x.layout is TILE_LAYOUT,
          f"{name}: Inputs to update_cache must be tilized")
    check(len(cache.shape) == 4 and len(x.shape) == 4, f"{name}: rank 4 is needed")
    check(cache.shape[-1] == x.shape[-1], f"{name}: Expect the last dimension to be the same: "
          f"{cache.shape[-1]} and {x.shape[-1]}")
    check(x.shape[0] == 1, f"{name}: Expect the batch of the input to be 1, not {x.shape[0]}")
    check(cache.dtype is x.dtype, f"{name}: data types {cache.dtype!r} and {x.dtype!r} must be equal")


def fill_cache(cache: Tensor, input: Tensor, batch_idx: int, *, update_idx: int = 0) -> Tensor:
    """Writes [1, heads, rows, width] to rows from UPDATE_IDX on of one user."""
    _check("fill_cache", cache, input)
    users, heads, rows, _ = cache.shape
    check(input.shape[1] == heads, f"fill_cache: {input.shape[1]} heads for a cache of {heads}")
    check(0 <= batch_idx < users, f"fill_cache: batch_idx {batch_idx} is out of range of {users}")
    check(update_idx % 32 == 0, f"fill_cache: row {update_idx} is not a multiple of 32")
    check(update_idx + input.shape[2] <= rows, f"fill_cache: {update_idx} + {input.shape[2]} rows "
          f"exceed the cache's {rows}")
    down, across, part = tiles(rows), tiles(cache.shape[3]), tiles(input.shape[2])
    gather("UpdateKVCacheOperation", {"batch_idx": batch_idx, "update_idx": update_idx,
                                      "batch_offset": 0, "op_type": "UpdateCacheOpType::FILL"},
           cache.shape, [Part(input, [part * across, across, 1])], extents=[heads, part, across],
           pages=True, output=cache,
           place=((batch_idx * heads * down + update_idx // 32) * across,
                  [down * across, across, 1]))
    return cache


def _update(name: str, op: str, cache: Tensor, x: Tensor, positions: Sequence[int],
            index: Sequence[Tensor], users_first: bool, first: int,
            attributes: dict[str, Any]) -> Tensor:
    users = x.shape[1] if users_first else cache.shape[0]
    check(cache.dtype not in BLOCKS, f"{name}: a cache of blocks is not implemented")
    check(users <= _library.USERS, f"{name}: more than {_library.USERS} users")
    check(all(0 <= p < cache.shape[2] for p in positions),
          f"{name}: rows {list(positions)} are out of range of {cache.shape[2]}")
    how = _library.Cache(users_first, first)
    how.positions[:len(positions)] = list(positions)
    run("cache_update", op, [x, *index], [cache], how, attributes)
    return cache


def update_cache(cache: Tensor, input: Tensor, update_idx: int, batch_offset: int = 0, *,
                 compute_kernel_config: Any = None) -> Tensor:
    """Writes row UPDATE_IDX of all users; input: [1, heads, users, width]."""
    _check("update_cache", cache, input)
    users = cache.shape[0]
    check(input.shape[1] == cache.shape[1],
          f"update_cache: {input.shape[1]} heads for a cache of {cache.shape[1]}")
    check(batch_offset + users <= input.padded_shape[2],
          f"update_cache: {batch_offset} + {users} users exceed the input's {input.shape[2]}")
    return _update("update_cache", "UpdateKVCacheOperation", cache, input, [update_idx] * users,
                   [], False, batch_offset, {
                       "batch_idx": 0, "update_idx": update_idx, "batch_offset": batch_offset,
                       "op_type": "UpdateCacheOpType::UPDATE"})


def paged_update_cache(cache_tensor: Tensor, input_tensor: Tensor, *,
                       update_idxs: Sequence[int] | None = None,
                       update_idxs_tensor: Tensor | None = None, share_cache: Any = None,
                       page_table: Tensor | None = None, batch_offset: int = 0,
                       compute_kernel_config: Any = None) -> Tensor:
    """Writes a row of each user, at a place of its own; input: [1, users, heads, width]. With a
    tensor of places a trace can be replayed for each of them."""
    _check("paged_update_cache", cache_tensor, input_tensor)
    name, users = "paged_update_cache", input_tensor.shape[1]
    check(not batch_offset, f"{name}: batch_offset is not implemented")
    places = list(update_idxs or [])
    index = [] if update_idxs_tensor is None else [places_of(name, update_idxs_tensor)]
    if page_table is None:
        check(users == cache_tensor.shape[0],
              f"{name}: {users} users for a cache of {cache_tensor.shape[0]}")
    else:
        check(cache_tensor.shape[2] % 32 == 0, f"{name}: blocks of {cache_tensor.shape[2]} rows, not tiles")
        check(page_table.shape[0] == users, f"{name}: {users} users for {page_table.shape[0]} rows of blocks")
        if not index:
            index, places = [from_torch(places, uint32, device=cache_tensor.device())], []
        index.append(places_of(name, page_table))
        index = [index[0], reshape(index[1], (1, 1, *page_table.shape[-2:]))]
    return _update(name, "PagedUpdateCacheDeviceOperation", cache_tensor, input_tensor, places, index, True,
                   0, {"update_idxs": list(update_idxs or []), "batch_offset": batch_offset})


def paged_fill_cache(cache_tensor: Tensor, input_tensor: Tensor, page_table: Tensor, *,
                     batch_idx: int = 0, batch_idx_tensor: Tensor | None = None,
                     compute_kernel_config: Any = None) -> Tensor:
    """Writes [1, heads, rows, width] to the blocks that a row of the page table names."""
    name = "paged_fill_cache"
    _check(name, cache_tensor, input_tensor)
    check(batch_idx_tensor is None, f"{name}: batch_idx_tensor is not implemented")
    heads, block = cache_tensor.shape[1:3]
    check(input_tensor.shape[1] == heads and block % 32 == 0,
          f"{name}: {input_tensor.shape[1]} heads for a cache of {heads}, with blocks of {block} rows")
    check(0 <= batch_idx < page_table.shape[0] and input_tensor.shape[2] <= block * page_table.shape[1],
          f"{name}: {input_tensor.shape[2]} rows of user {batch_idx} do not fit {list(page_table.shape)} "
          f"blocks of {block}")
    run("blocks_fill", "PagedFillCacheDeviceOperation", [input_tensor, places_of(name, page_table)],
        [cache_tensor], _library.Blocks(batch_idx), {"batch_idx_fallback": batch_idx})
    return cache_tensor


class kv_cache:
    """The names of older programs."""
    update_cache_for_token_ = staticmethod(update_cache)
    fill_cache_for_user_ = staticmethod(fill_cache)
