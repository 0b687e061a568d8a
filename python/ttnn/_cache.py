# SPDX-License-Identifier: Apache-2.0
"""Caches of keys and values: [batch, heads, rows, width]."""
from __future__ import annotations

from typing import Any, Sequence

from ttnn import _library
from ttnn._move import Part, gather
from ttnn._run import on_one_device, run
from ttnn._tensor import Tensor, tiles
from ttnn._types import BLOCKS, TILE_LAYOUT, check


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
            index: Tensor | None, users_first: bool, first: int,
            attributes: dict[str, Any]) -> Tensor:
    users = cache.shape[0]
    check(cache.dtype not in BLOCKS, f"{name}: a cache of blocks is not implemented")
    check(users <= _library.USERS, f"{name}: more than {_library.USERS} users")
    check(all(0 <= p < cache.shape[2] for p in positions),
          f"{name}: rows {list(positions)} are out of range of {cache.shape[2]}")
    how = _library.Cache(users_first, first)
    how.positions[:len(positions)] = list(positions)
    run("cache_update", op, [x] + ([index] if index is not None else []), [cache], how, attributes)
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
                   None, False, batch_offset, {
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
    check(page_table is None and not batch_offset,
          "paged_update_cache: page_table and batch_offset are not implemented")
    check(input_tensor.shape[1] == cache_tensor.shape[0],
          f"paged_update_cache: {input_tensor.shape[1]} users for a cache of "
          f"{cache_tensor.shape[0]}")
    return _update("paged_update_cache", "PagedUpdateCacheDeviceOperation", cache_tensor,
                   input_tensor, list(update_idxs or []), update_idxs_tensor, True, 0,
                   {"update_idxs": list(update_idxs or []), "batch_offset": batch_offset})


class kv_cache:
    """The names of older programs."""
    update_cache_for_token_ = staticmethod(update_cache)
    fill_cache_for_user_ = staticmethod(fill_cache)
