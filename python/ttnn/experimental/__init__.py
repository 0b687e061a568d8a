# SPDX-License-Identifier: Apache-2.0
"""Experimental ops."""
from __future__ import annotations

from typing import Any

from ttnn import _eltwise, _move
from ttnn._cache import paged_fill_cache, paged_update_cache
from ttnn._composite import gelu_bw
from ttnn._move import view
from ttnn._run import on_one_device
from ttnn._rows import fast_reduce_nc
from ttnn._tensor import Tensor
from ttnn._types import TILE_LAYOUT, check
from ttnn.transformer import heads_merge, heads_split

__all__ = ["broadcast_to", "fast_reduce_nc", "gelu_bw", "nlp_concat_heads", "nlp_create_qkv_heads",
           "paged_fill_cache", "paged_update_cache", "rotary_embedding", "view"]

broadcast_to = _move.expand


def nlp_create_qkv_heads(input_tensor: Tensor, input_tensor_kv: Tensor | None = None, *,
                         num_heads: int, num_kv_heads: int | None = None,
                         transpose_k_heads: bool = True, memory_config: Any = None,
                         output_tensors: Any = None) -> tuple[Tensor, Tensor, Tensor]:
    """[batch, 1, rows, (heads + 2 kv_heads) * width] to queries, keys and values by heads."""
    check(len(input_tensor.shape) == 4, "nlp_create_qkv_heads: 4 dimensions are needed, not "
          f"{len(input_tensor.shape)}")
    return heads_split("nlp_create_qkv_heads", input_tensor, input_tensor_kv, num_heads,
                       num_kv_heads or num_heads, transpose_k_heads, memory_config)


def nlp_concat_heads(input_tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """[batch, heads, rows, width] to [batch, 1, rows, heads * width]."""
    batch, heads, rows, width = input_tensor.shape
    return heads_merge(input_tensor, (batch, 1, rows, heads * width), memory_config)


def rotary_embedding(input_tensor: Tensor, cos_cache: Tensor, sin_cache: Tensor,
                     token_index: int | None = None, *, memory_config: Any = None,
                     compute_kernel_config: Any = None) -> Tensor:
    """x cos + (x with its halves exchanged, the second one negated) sin; caches: [1, 1, rows,
    width], of which row TOKEN_INDEX or the first rows are used."""
    x = input_tensor
    on_one_device("rotary_embedding", [x, cos_cache, sin_cache])
    width, rows = x.shape[-1], x.shape[-2]
    check(x.layout is TILE_LAYOUT and width % 64 == 0,
          f"rotary_embedding: width {width} must be a multiple of 64, in tiles")
    check(cos_cache.shape[-1] == width and sin_cache.shape[-1] == width,
          f"rotary_embedding: caches of width {cos_cache.shape[-1]} for {width}")
    first, count = (0, rows) if token_index is None else (token_index, 1)
    check(first + count <= cos_cache.shape[-2],
          f"rotary_embedding: rows {first} to {first + count} of {cos_cache.shape[-2]}")
    rank = len(cos_cache.shape)
    parts = [_move.slice(c, [0] * (rank - 2) + [first, 0],
                         list(c.shape[:-2]) + [first + count, width])
             for c in (cos_cache, sin_cache)]
    left, right = _move.split(x, width // 2, -1)
    turned = _move.concat([_eltwise.neg(right), left], -1)  # type: ignore[attr-defined]
    return _eltwise.add(  # type: ignore[attr-defined]
        _eltwise.multiply(x, parts[0]),  # type: ignore[attr-defined]
        _eltwise.multiply(turned, parts[1]),  # type: ignore[attr-defined]
        memory_config=memory_config)
