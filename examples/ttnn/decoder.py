# SPDX-License-Identifier: Apache-2.0
"""A small decoder with a cache of keys and values: a prompt at once (prefill), then token by token
(decode) by replaying one captured trace. The tokens are compared with those of numpy.

    python -m tracy -p -r examples/ttnn/decoder.py
"""
from __future__ import annotations

import sys
from typing import Any

import numpy as np
import ttnn
from tracy import signpost

LAYERS, HEADS, WIDTH, WORDS, LENGTH, PROMPT = 2, 4, 128, 64, 64, 32
HEAD = WIDTH // HEADS


def weights(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def normal(rows: int, columns: int, scale: float = 0.1) -> np.ndarray:
        return (random.standard_normal((rows, columns)) * scale).astype(np.float32)
    out = {"words": normal(WORDS, WIDTH, 1), "places": normal(LENGTH, WIDTH, 0.5), "last": normal(WIDTH, WORDS)}
    for i in range(LAYERS):
        out.update({f"qkv{i}": normal(WIDTH, 3 * WIDTH), f"out{i}": normal(WIDTH, WIDTH),
                    f"up{i}": normal(WIDTH, 4 * WIDTH), f"down{i}": normal(4 * WIDTH, WIDTH),
                    f"norm{i}": np.ones((1, WIDTH), np.float32), f"middle{i}": np.ones((1, WIDTH), np.float32)})
    return out


# ---- numpy
def numpy_norm(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5) * weight


def numpy_logits(w: dict[str, np.ndarray], tokens: list[int]) -> np.ndarray:
    """Of the token after the last one; all tokens again each time, without a cache."""
    n = len(tokens)
    x = w["words"][tokens] + w["places"][:n]
    hidden = np.where(np.tril(np.ones((n, n))) > 0, 0, -1e9)
    for i in range(LAYERS):
        q, k, v = (numpy_norm(x, w[f"norm{i}"]) @ w[f"qkv{i}"]).reshape(n, 3, HEADS, HEAD).transpose(1, 2, 0, 3)
        scores = q @ k.transpose(0, 2, 1) / HEAD ** 0.5 + hidden
        e = np.exp(scores - scores.max(-1, keepdims=True))
        attended = (e / e.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, WIDTH)
        x = x + attended @ w[f"out{i}"]
        up = numpy_norm(x, w[f"middle{i}"]) @ w[f"up{i}"]
        x = x + up / (1 + np.exp(-up)) @ w[f"down{i}"]
    return x[-1] @ w["last"]


# ---- ttnn
class Decoder:
    """One user. Positions are tensors, so that a trace serves all of them."""

    def __init__(self, device: Any, values: dict[str, np.ndarray]) -> None:
        self.device = device
        self.w = {name: self.put(v, rows=name in ("words", "places")) for name, v in values.items()}
        self.caches = [[self.put(np.zeros((1, HEADS, LENGTH, HEAD))) for _ in "kv"] for _ in range(LAYERS)]
        self.token, self.place = self.ids([0]), self.ids([0])
        self.mask = self.put(np.zeros((1, 1, 1, LENGTH)))

    def put(self, values: np.ndarray, rows: bool = False, device: bool = True) -> Any:
        layout = ttnn.ROW_MAJOR_LAYOUT if rows else ttnn.TILE_LAYOUT
        return ttnn.from_torch(values.astype(np.float32), ttnn.bfloat16 if rows else ttnn.float32,
                               layout=layout, device=self.device if device else None)

    def ids(self, values: list[int], device: bool = True) -> Any:
        return ttnn.from_torch(np.array([values], np.int32), ttnn.uint32,
                               device=self.device if device else None)

    def embedded(self, tokens: Any, places: Any) -> Any:
        both = [ttnn.to_layout(ttnn.embedding(ids, self.w[name]), ttnn.TILE_LAYOUT)
                for ids, name in ((tokens, "words"), (places, "places"))]
        return ttnn.add(ttnn.typecast(both[0], ttnn.float32), ttnn.typecast(both[1], ttnn.float32))

    def block_end(self, i: int, x: Any, attended: Any) -> Any:
        x = x + ttnn.linear(attended, self.w[f"out{i}"])
        up = ttnn.linear(ttnn.rms_norm(x, epsilon=1e-5, weight=self.w[f"middle{i}"]), self.w[f"up{i}"],
                         activation="silu")
        return x + ttnn.linear(up, self.w[f"down{i}"])

    def heads(self, i: int, x: Any) -> Any:
        qkv = ttnn.linear(ttnn.rms_norm(x, epsilon=1e-5, weight=self.w[f"norm{i}"]), self.w[f"qkv{i}"])
        return ttnn.transformer.split_query_key_value_and_split_heads(qkv, num_heads=HEADS, transpose_key=False)

    def prefill(self, prompt: list[int]) -> Any:
        """Logits after the prompt; fills the caches."""
        x = self.embedded(self.ids(prompt), self.ids(list(range(len(prompt)))))
        for i in range(LAYERS):
            q, k, v = self.heads(i, x)
            for cache, new in zip(self.caches[i], (k, v)):
                ttnn.fill_cache(cache, new, 0)
            attended = ttnn.transformer.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = self.block_end(i, x, ttnn.transformer.concatenate_heads(attended))
        return ttnn.linear(x[:, -1:, :], self.w["last"])

    def decode(self) -> Any:
        """Logits after self.token at self.place; self.mask hides the rest of the caches."""
        x = self.embedded(self.token, self.place)
        for i in range(LAYERS):
            q, k, v = self.heads(i, x)  # [1, heads, 1, width]
            for cache, new in zip(self.caches[i], (k, v)):
                ttnn.experimental.paged_update_cache(cache, ttnn.permute(new, (0, 2, 1, 3)),
                                                     update_idxs_tensor=self.place)
            keys, values = self.caches[i]
            scores = ttnn.matmul(q, keys, transpose_b=True)
            shares = ttnn.transformer.attention_softmax(scores, head_size=HEAD, attention_mask=self.mask)
            attended = ttnn.matmul(shares, values)
            x = self.block_end(i, x, ttnn.transformer.concatenate_heads(attended))
        return ttnn.linear(x, self.w["last"])

    def set(self, token: int, place: int) -> None:
        """What the next decode() or replay of it works on."""
        mask = np.where(np.arange(LENGTH) <= place, 0, -1e9).reshape(1, 1, 1, LENGTH)
        for device, host in ((self.token, self.ids([token], False)), (self.place, self.ids([place], False)),
                             (self.mask, self.put(mask, device=False))):
            ttnn.copy_host_to_device_tensor(host, device)


def generate(device: Any, values: dict[str, np.ndarray], prompt: list[int], count: int) -> tuple[list[int], list[Any]]:
    """COUNT tokens after the prompt, the likeliest each time, and the logits they were taken from."""
    model, tokens, seen = Decoder(device, values), list(prompt), []
    signpost("prefill", f"{len(prompt)} tokens")
    seen.append(model.prefill(prompt).to_numpy().ravel())
    tokens.append(int(seen[-1].argmax()))
    model.set(tokens[-1], len(tokens) - 1)
    model.decode()  # compiles
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    logits = model.decode()
    ttnn.end_trace_capture(device, trace, cq_id=0)
    for step in range(1, count):
        model.set(tokens[-1], len(tokens) - 1)
        signpost(f"decode {step}")
        ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
        seen.append(logits.to_numpy().ravel())
        tokens.append(int(seen[-1].argmax()))
    ttnn.release_trace(device, trace)
    return tokens[len(prompt):], seen


def main(count: int = 17) -> int:
    values = weights(3)
    prompt = [int(t) for t in np.random.default_rng(4).integers(0, WORDS, PROMPT)]
    with ttnn.open_device(device_id=0) as device:
        tokens, seen = generate(device, values, prompt, count)
    far = 0.0
    for i, logits in enumerate(seen):
        want = numpy_logits(values, prompt + tokens[:i])
        far = max(far, float(np.abs(logits - want).max()))
        if tokens[i] != int(want.argmax()):
            print(f"token {i + 1} is {tokens[i]}, numpy's {int(want.argmax())}")
            return 1
    print(f"{count} tokens as numpy's; logits differ by at most {far:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 17))
