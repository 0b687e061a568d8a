# SPDX-License-Identifier: Apache-2.0
"""An encoder of BERT-tiny's shape: 2 layers, 128 wide, 2 heads; seeded random weights. The result of
each layer is compared with numpy.

    python -m tracy -p -r examples/ttnn/bert_tiny.py
"""
from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import ttnn
from tracy import signpost

LAYERS, HEADS, WIDTH, WORDS, PLACES = 2, 2, 128, 1000, 128
HEAD, EPSILON = WIDTH // HEADS, 1e-12


def weights(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    def norm(name: str) -> dict[str, np.ndarray]:
        return {f"{name}.weight": 1 + normal(1, WIDTH), f"{name}.bias": normal(1, WIDTH)}
    out = {"words": normal(WORDS, WIDTH), "places": normal(PLACES, WIDTH), "kinds": normal(2, WIDTH), **norm("embedded")}
    for i in range(LAYERS):
        for name, inner, outer in (("qkv", WIDTH, 3 * WIDTH), ("out", WIDTH, WIDTH), ("up", WIDTH, 4 * WIDTH),
                                   ("down", 4 * WIDTH, WIDTH)):
            out[f"{i}.{name}.weight"], out[f"{i}.{name}.bias"] = normal(inner, outer), normal(1, outer)
        out.update({**norm(f"{i}.attended"), **norm(f"{i}.output")})
    return out


# ---- numpy
def numpy_norm(w: dict[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON)
    return x * w[f"{name}.weight"] + w[f"{name}.bias"]


def numpy_layers(w: dict[str, np.ndarray], ids: np.ndarray, mask: np.ndarray) -> list[np.ndarray]:
    """What each layer gives."""
    batch, n = ids.shape
    x = numpy_norm(w, "embedded", w["words"][ids] + w["places"][:n] + w["kinds"][0])
    out = []
    for i in range(LAYERS):
        def linear(name: str, value: np.ndarray) -> np.ndarray:
            return value @ w[f"{i}.{name}.weight"] + w[f"{i}.{name}.bias"]
        q, k, v = linear("qkv", x).reshape(batch, n, 3, HEADS, HEAD).transpose(2, 0, 3, 1, 4)
        scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(HEAD) + mask
        e = np.exp(scores - scores.max(-1, keepdims=True))
        attended = (e / e.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(batch, n, WIDTH)
        x = numpy_norm(w, f"{i}.attended", x + linear("out", attended))
        up = linear("up", x)
        up = up * 0.5 * (1 + np.vectorize(math.erf)(up / math.sqrt(2)))
        x = numpy_norm(w, f"{i}.output", x + linear("down", up))
        out.append(x)
    return out


# ---- ttnn
def parameters(w: dict[str, np.ndarray], device: Any) -> dict[str, Any]:
    rows = ("words", "places", "kinds")
    return {name: ttnn.from_torch(value, ttnn.bfloat16, device=device, layout=ttnn.ROW_MAJOR_LAYOUT
                                  if name in rows else ttnn.TILE_LAYOUT) for name, value in w.items()}


def layer(p: dict[str, Any], i: int, x: Any, mask: Any) -> Any:
    def linear(name: str, value: Any, activation: str | None = None) -> Any:
        return ttnn.linear(value, p[f"{i}.{name}.weight"], bias=p[f"{i}.{name}.bias"], activation=activation)

    def norm(name: str, value: Any, residual: Any) -> Any:
        return ttnn.layer_norm(value, epsilon=EPSILON, weight=p[f"{i}.{name}.weight"],
                               bias=p[f"{i}.{name}.bias"], residual_input_tensor=residual)
    q, k, v = ttnn.transformer.split_query_key_value_and_split_heads(linear("qkv", x), num_heads=HEADS)
    scores = ttnn.matmul(q, k)
    shares = ttnn.transformer.attention_softmax_(scores, head_size=HEAD, attention_mask=mask)
    attended = ttnn.transformer.concatenate_heads(ttnn.matmul(shares, v))
    x = norm("attended", linear("out", attended), x)
    return norm("output", linear("down", linear("up", x, "gelu")), x)


def encode(p: dict[str, Any], ids: np.ndarray, mask: np.ndarray, device: Any) -> list[Any]:
    batch, n = ids.shape

    def embedded(name: str, values: np.ndarray) -> Any:
        held = ttnn.from_torch(np.ascontiguousarray(values, np.int32), ttnn.uint32, device=device)
        return ttnn.embedding(held, p[name], layout=ttnn.TILE_LAYOUT)
    x = embedded("words", ids) + embedded("places", np.tile(np.arange(n), (batch, 1)))
    x = x + embedded("kinds", np.zeros((batch, n)))
    x = ttnn.layer_norm(x, epsilon=EPSILON, weight=p["embedded.weight"], bias=p["embedded.bias"])
    hidden, out = ttnn.from_torch(mask.astype(np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device), []
    for i in range(LAYERS):
        signpost(f"layer {i + 1}")
        x = layer(p, i, x, hidden)
        out.append(x)
    return out


def main(batch: int = 2) -> int:
    random, values = np.random.default_rng(5), weights(6)
    ids = random.integers(0, WORDS, (batch, PLACES))
    used = random.integers(PLACES // 2, PLACES + 1, batch)  # the rest of a sequence is padding
    mask = np.where(np.arange(PLACES) < used[:, None], 0, -1e5).reshape(batch, 1, 1, PLACES)
    with ttnn.open_device(device_id=0) as device:
        got = [t.to_numpy() for t in encode(parameters(values, device), ids, mask, device)]
    close = [float(np.corrcoef(a.ravel(), b.ravel())[0, 1])
             for a, b in zip(got, numpy_layers(values, ids, mask))]
    print("correlation with numpy after each layer: " + ", ".join(f"{c:.5f}" for c in close))
    return 0 if min(close) > 0.99 else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2))
