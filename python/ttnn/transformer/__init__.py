# SPDX-License-Identifier: Apache-2.0
"""Ops of attention."""
from __future__ import annotations

import math
from typing import Any, Sequence

from ttnn import _library, _rows
from ttnn._cache import places_of
from ttnn._run import fidelity_of, on_one_device, run
from ttnn._tensor import Tensor
from ttnn._types import (DRAM_MEMORY_CONFIG, TILE_LAYOUT, MathFidelity, SDPAProgramConfig,
                         check)

__all__ = ["SDPAProgramConfig", "attention_softmax", "attention_softmax_", "concatenate_heads",
           "paged_scaled_dot_product_attention_decode", "scaled_dot_product_attention", "scaled_dot_product_attention_decode",
           "split_query_key_value_and_split_heads"]


def heads_split(name: str, x: Tensor, kv: Tensor | None, heads: int, kv_heads: int,
                transpose: bool, memory_config: Any) -> tuple[Tensor, Tensor, Tensor]:
    """X: [batch, 1, rows, (heads + 2 kv_heads) * width], or the queries' part of it."""
    device = on_one_device(name, [x] + ([kv] if kv is not None else []))
    check(x.layout is TILE_LAYOUT, f"{name}: Input tensor must be tilized")
    total = x.shape[-1] + (kv.shape[-1] if kv is not None else 0)
    check(total % (heads + 2 * kv_heads) == 0,
          f"{name}: width {total} is not divisible by {heads} + 2 x {kv_heads} heads")
    width = total // (heads + 2 * kv_heads)
    check(width % 32 == 0, f"{name}: Head size must be a multiple of 32, not {width}")
    check(kv is None or x.shape[-1] == heads * width,
          f"{name}: the queries' width {x.shape[-1]} is not {heads} heads of {width}")
    batch, rows = math.prod(x.shape[:-2]), x.shape[-2]
    shapes = [(batch, heads, rows, width),
              (batch, kv_heads, width, rows) if transpose else (batch, kv_heads, rows, width),
              (batch, kv_heads, rows, width)]
    outs = [Tensor.make(s, x.dtype, TILE_LAYOUT, None, device, memory_config or x.memory)
            for s in shapes]
    seen = [(batch, 1, rows, t.shape[-1]) for t in (x, kv) if t is not None]
    how = _library.Heads((heads, kv_heads, kv_heads), 2 if transpose else 0)
    run("heads_split", "NlpCreateHeadsDeviceOperation",
        list(zip([t for t in (x, kv) if t is not None], seen)), outs, how, {
            "num_q_heads": heads, "num_kv_heads": kv_heads, "head_dim": width,
            "transpose_k_heads": transpose, "output_mem_config": outs[0].memory})
    return outs[0], outs[1], outs[2]


def split_query_key_value_and_split_heads(
        input_tensor: Tensor, kv_input_tensor: Tensor | None = None, *, num_heads: int,
        num_kv_heads: int | None = None, transpose_key: bool = True,
        memory_config: Any = None) -> tuple[Tensor, Tensor, Tensor]:
    """[batch, rows, 3 * heads * width] to queries, keys (transposed) and values by heads."""
    check(len(input_tensor.shape) == 3, "split_query_key_value_and_split_heads: Invalid input "
          f"tensor: expected 3 dimensions, but found {len(input_tensor.shape)}")
    return heads_split("split_query_key_value_and_split_heads", input_tensor, kv_input_tensor,
                       num_heads, num_kv_heads or num_heads, transpose_key, memory_config)


def heads_merge(input_tensor: Tensor, shape: Sequence[int], memory_config: Any) -> Tensor:
    device = on_one_device("concatenate_heads", [input_tensor])
    check(input_tensor.layout is TILE_LAYOUT and len(input_tensor.shape) == 4,
          "concatenate_heads: Input tensor must be tilized and have 4 dimensions, not "
          f"{len(input_tensor.shape)}")
    check(input_tensor.shape[-1] % 32 == 0, "concatenate_heads: Head size must be a multiple of "
          f"32, not {input_tensor.shape[-1]}")
    out = Tensor.make(shape, input_tensor.dtype, TILE_LAYOUT, None, device,
                      memory_config or input_tensor.memory)
    batch, heads, rows, width = input_tensor.shape
    run("heads_merge", "NLPConcatHeadsDeviceOperation", [input_tensor],
        [(out, (batch, 1, rows, heads * width))], None, {"output_mem_config": out.memory})
    return out


def concatenate_heads(input_tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """[batch, heads, rows, width] to [batch, rows, heads * width]."""
    check(len(input_tensor.shape) == 4, "concatenate_heads: expected 4 dimensions, but found "
          f"{len(input_tensor.shape)}")
    batch, heads, rows, width = input_tensor.shape
    return heads_merge(input_tensor, (batch, rows, heads * width), memory_config)


def attention_softmax(input_tensor: Tensor, *, head_size: int | None = None,
                      attention_mask: Tensor | None = None, program_config: Any = None,
                      causal_mask: bool = False, memory_config: Any = None) -> Tensor:
    """Softmax of scores over the root of the heads' size, with a mask."""
    on_one_device("attention_softmax", [input_tensor])
    scale = 1 / math.sqrt(head_size) if head_size else 1.0
    return _rows.scaled("attention_softmax", input_tensor, scale, attention_mask, False,
                        _rows._like(input_tensor, memory_config))


def attention_softmax_(input_tensor: Tensor, *, head_size: int | None = None,
                       attention_mask: Tensor | None = None, program_config: Any = None,
                       causal_mask: bool = False) -> Tensor:
    """The same, in the memory of the scores."""
    scale = 1 / math.sqrt(head_size) if head_size else 1.0
    return _rows.scaled("attention_softmax_", input_tensor, scale, attention_mask, False,
                        input_tensor)


def _check_heads(name: str, q_heads: int, k: Tensor, v: Tensor) -> None:
    check(k.shape == v.shape and len(k.shape) == 4,
          f"{name}: shapes of keys {list(k.shape)} and values {list(v.shape)} must be equal")
    check(q_heads % k.shape[1] == 0,
          f"{name}: {k.shape[1]} heads of keys do not divide {q_heads} heads of queries")


def scaled_dot_product_attention(
        input_tensor_q: Tensor, input_tensor_k: Tensor, input_tensor_v: Tensor, *,
        attn_mask: Tensor | None = None, is_causal: bool = True, scale: float | None = None,
        sliding_window_size: int | None = None, memory_config: Any = None,
        program_config: Any = None, compute_kernel_config: Any = None,
        attention_sink: Tensor | None = None) -> Tensor:
    """softmax(scale * q k^T + mask) v; keys and values may have fewer heads."""
    name, q, k, v = "scaled_dot_product_attention", input_tensor_q, input_tensor_k, input_tensor_v
    device = on_one_device(name, [t for t in (q, k, v, attn_mask) if t is not None])
    check(not (is_causal and attn_mask is not None),
          f"{name}: is_causal and attn_mask exclude each other")
    check(sliding_window_size is None and attention_sink is None,
          f"{name}: sliding_window_size and attention_sink are not implemented")
    _check_heads(name, q.shape[1], k, v)
    check(q.shape[0] == k.shape[0] and q.shape[-1] == k.shape[-1],
          f"{name}: queries {list(q.shape)} do not go with keys {list(k.shape)}")
    check(not is_causal or q.shape[2] == k.shape[2],
          f"{name}: causal attention needs equal lengths, not {q.shape[2]} and {k.shape[2]}")
    scale = scale if scale is not None else 1 / math.sqrt(q.shape[-1])
    out = Tensor.make(q.shape, q.dtype, TILE_LAYOUT, None, device,
                      memory_config or DRAM_MEMORY_CONFIG)
    inputs = [q, k, v] + ([attn_mask] if attn_mask is not None else [])
    fidelity = fidelity_of(compute_kernel_config, MathFidelity.HiFi2)
    run("attention", "SDPAOperation", inputs, [out],
        _library.Attention(scale, is_causal, attn_mask is not None, 0), {
            "scale": f"{scale:g}", "output_mem_config": out.memory,
            "program_config": program_config or "std::nullopt", "is_causal": is_causal,
            "compute_kernel_config": f"math_fidelity={fidelity.text}"}, fidelity)
    return out


def _decode(name: str, q: Tensor, k: Tensor, v: Tensor, table: Tensor | None, cur_pos: Any,
            cur_pos_tensor: Tensor | None, is_causal: bool, attn_mask: Any, scale: float | None,
            memory_config: Any, compute_kernel_config: Any) -> Tensor:
    """With a table keys and values are blocks: [blocks, heads, rows, width]."""
    device = on_one_device(name, [q, k, v])
    check(attn_mask is None, f"{name}: attn_mask is not implemented")
    _check_heads(name, q.shape[2], k, v)
    check(q.shape[0] == 1 and (table is not None or q.shape[1] == k.shape[0]) and
          q.shape[3] == k.shape[3],
          f"{name}: queries {list(q.shape)} do not go with keys {list(k.shape)}")
    users, keys, decode, places = q.shape[1], k.shape[2], 1, []
    check(users <= _library.USERS, f"{name}: more than {_library.USERS} users")
    if table is not None:
        check(k.shape[2] % 32 == 0 and table.shape[0] == users,
              f"{name}: a page table {list(table.shape)} for {users} users and blocks of {keys} rows")
        keys *= table.shape[1]
    positions = [keys - 1] * users if cur_pos is None or not len(cur_pos) else list(cur_pos)
    if cur_pos_tensor is not None and is_causal:  # a trace can be replayed for other positions
        places.append(places_of(name, cur_pos_tensor))
        decode, positions = 3, [0] * users
    elif not is_causal:
        positions = [keys - 1] * users
    check(len(positions) == users and all(-1 <= p < keys for p in positions),
          f"{name}: positions {positions} for {users} users and {keys} keys")
    if table is not None:
        places.append(places_of(name, table))
        decode |= 4
    scale = scale if scale is not None else 1 / math.sqrt(q.shape[-1])
    out = Tensor.make(q.shape, q.dtype, TILE_LAYOUT, None, device,
                      memory_config or DRAM_MEMORY_CONFIG)
    how = _library.Attention(scale, 0, 0, decode)
    how.positions[:users] = [p & 0xffffffff for p in positions]
    fidelity = fidelity_of(compute_kernel_config, MathFidelity.HiFi2)
    run("attention", "SdpaDecodeDeviceOperation", [q, k, v, *places], [out], how, {
        "is_causal": is_causal, "cur_pos": positions if cur_pos_tensor is None else "tensor",
        "paged_attention": table is not None, "scale": f"{scale:g}", "output_mem_config": out.memory,
        "compute_kernel_config": f"math_fidelity={fidelity.text}"}, fidelity)
    return out


def scaled_dot_product_attention_decode(
        input_tensor_q: Tensor, input_tensor_k: Tensor, input_tensor_v: Tensor, *,
        is_causal: bool = True, attn_mask: Tensor | None = None,
        cur_pos: Sequence[int] | None = None, cur_pos_tensor: Tensor | None = None,
        scale: float | None = None, memory_config: Any = None, program_config: Any = None,
        compute_kernel_config: Any = None) -> Tensor:
    """One query for each user against the keys up to its position; q: [1, batch, heads, width]."""
    return _decode("scaled_dot_product_attention_decode", input_tensor_q, input_tensor_k, input_tensor_v,
                   None, cur_pos, cur_pos_tensor, is_causal, attn_mask, scale, memory_config,
                   compute_kernel_config)


def paged_scaled_dot_product_attention_decode(
        input_tensor_q: Tensor, input_tensor_k: Tensor, input_tensor_v: Tensor,
        page_table_tensor: Tensor, *, is_causal: bool = True, attn_mask: Tensor | None = None,
        cur_pos_tensor: Tensor | None = None, scale: float | None = None, memory_config: Any = None,
        program_config: Any = None, compute_kernel_config: Any = None) -> Tensor:
    """The same with keys and values in blocks, which each row of the page table names."""
    return _decode("paged_scaled_dot_product_attention_decode", input_tensor_q, input_tensor_k,
                   input_tensor_v, page_table_tensor, None, cur_pos_tensor, is_causal, attn_mask, scale,
                   memory_config, compute_kernel_config)
