# SPDX-License-Identifier: Apache-2.0
"""Two networks for digits, written with ops of ttnn: a perceptron that also trains, and a
convolutional network. Each has a reference in numpy.

    python -m tracy -p -r examples/ttnn/mnist.py
"""
from __future__ import annotations

import sys
from typing import Any

import numpy as np
import ttnn
from tracy import signpost

import digits

PIXELS, HIDDEN, CLASSES = digits.SIDE ** 2, 128, digits.CLASSES


def tensor(values: np.ndarray, device: Any, dtype: Any = ttnn.bfloat16) -> Any:
    return ttnn.from_torch(np.ascontiguousarray(values), dtype, layout=ttnn.TILE_LAYOUT, device=device)


# ---- the perceptron: 784 to 128 to 10
def mlp_weights(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def normal(rows: int, columns: int) -> np.ndarray:
        return (random.standard_normal((rows, columns)) * (2 / rows) ** 0.5).astype(np.float32)
    return {"w1": normal(PIXELS, HIDDEN), "b1": np.zeros((1, HIDDEN), np.float32),
            "w2": normal(HIDDEN, CLASSES), "b2": np.zeros((1, CLASSES), np.float32)}


class Mlp:
    """Weights in float32 on a device, activations in bfloat16."""

    def __init__(self, device: Any, seed: int = 1) -> None:
        self.device = device
        self.weights = {name: tensor(value, device, ttnn.float32)
                        for name, value in mlp_weights(seed).items()}

    def forward(self, x: Any) -> tuple[Any, Any, Any]:
        """What comes before the activation, after it, and the logits."""
        w = self.weights
        before = ttnn.linear(x, w["w1"], bias=w["b1"])
        hidden = ttnn.relu(before)
        return before, hidden, ttnn.linear(hidden, w["w2"], bias=w["b2"], dtype=ttnn.float32)

    def train(self, images: np.ndarray, labels: np.ndarray, rate: float) -> Any:
        """A step down the gradient of the cross entropy; the logits before it."""
        count = len(labels)
        x = tensor(images.reshape(count, PIXELS), self.device)
        right = tensor(np.eye(CLASSES, dtype=np.float32)[labels], self.device, ttnn.float32)
        before, hidden, logits = self.forward(x)
        # of the logits, then of each layer's weights
        error = (ttnn.softmax(logits) - right) * (1 / count)
        back = ttnn.matmul(error, self.weights["w2"], transpose_b=True) * (before > 0.0)
        steps = {"w2": ttnn.matmul(hidden, error, transpose_a=True, dtype=ttnn.float32),
                 "b2": ttnn.sum(error, 0, True),
                 "w1": ttnn.matmul(x, back, transpose_a=True, dtype=ttnn.float32),
                 "b1": ttnn.sum(back, 0, True)}
        for name, step in steps.items():
            self.weights[name] = self.weights[name] - step * rate
        return logits


def mlp_numpy(weights: dict[str, np.ndarray], images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    before = images.reshape(len(images), PIXELS) @ weights["w1"] + weights["b1"]
    return before, np.maximum(before, 0) @ weights["w2"] + weights["b2"]


def probabilities(logits: np.ndarray) -> np.ndarray:
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def mlp_numpy_train(w: dict[str, np.ndarray], images: np.ndarray, labels: np.ndarray,
                    rate: float) -> np.ndarray:
    before, logits = mlp_numpy(w, images)
    error = (probabilities(logits) - np.eye(CLASSES)[labels]) / len(labels)
    back = error @ w["w2"].T * (before > 0)
    steps = {"w2": np.maximum(before, 0).T @ error, "b2": error.sum(0, keepdims=True),
             "w1": images.reshape(len(images), PIXELS).T @ back, "b1": back.sum(0, keepdims=True)}
    for name, step in steps.items():
        w[name] = (w[name] - rate * step).astype(np.float32)
    return logits


def loss_of(logits: np.ndarray, labels: np.ndarray) -> float:
    return float(-np.log(probabilities(logits)[np.arange(len(labels)), labels]).mean())


# ---- the convolutional network: 3 x 3 to 8 channels, halved, 3 x 3 to 16, halved, 784 to 10
def cnn_weights(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        inner = np.prod(shape[1:])
        return (random.standard_normal(shape) * (2 / inner) ** 0.5).astype(np.float32)
    return {"c1": normal(8, 1, 3, 3), "c2": normal(16, 8, 3, 3), "w": normal(CLASSES, 784).T.copy(),
            "b1": np.full(8, 0.1, np.float32), "b2": np.full(16, 0.1, np.float32)}


class Cnn:
    def __init__(self, device: Any, seed: int = 2) -> None:
        weights = cnn_weights(seed)
        self.device = device
        self.filters = {n: ttnn.from_torch(weights[n], ttnn.bfloat16) for n in ("c1", "c2", "b1", "b2")}
        self.last = tensor(weights["w"], device)

    def forward(self, images: np.ndarray) -> Any:
        count, side, channels = len(images), digits.SIDE, 1
        x = ttnn.from_torch(images.reshape(count, side, side, 1), ttnn.bfloat16, device=self.device)
        for n, out in (("1", 8), ("2", 16)):
            x, (weight, bias) = ttnn.conv2d(
                input_tensor=x, weight_tensor=self.filters["c" + n], bias_tensor=self.filters["b" + n],
                device=self.device, in_channels=channels, out_channels=out, batch_size=count,
                input_height=side, input_width=side, kernel_size=(3, 3), padding=(1, 1),
                conv_config=ttnn.Conv2dConfig(activation="relu"), return_weights_and_bias=True)
            self.filters["c" + n], self.filters["b" + n] = weight, bias  # prepared
            x = ttnn.max_pool2d(x, count, side, side, out, (2, 2), (2, 2), (0, 0))
            side, channels = side // 2, out
        return ttnn.matmul(ttnn.reshape(x, (count, side * side * channels)), self.last)


def cnn_numpy(weights: dict[str, np.ndarray], images: np.ndarray) -> np.ndarray:
    x = images[..., None]
    for n in ("1", "2"):
        count, side = len(x), x.shape[1]
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        out = weights["b" + n] + sum(
            padded[:, r:r + side, c:c + side] @ weights["c" + n][:, :, r, c].T
            for r in range(3) for c in range(3))
        x = np.maximum(out, 0).reshape(count, side // 2, 2, side // 2, 2, -1).max((2, 4))
    return x.reshape(len(x), -1) @ weights["w"]


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])


def main(steps: int = 40) -> None:
    random = np.random.default_rng(0)
    with ttnn.open_device(device_id=0) as device:
        model = Mlp(device)
        for step in range(steps):
            images, labels = digits.batch(64, random)
            signpost(f"step {step + 1}")
            logits = model.train(images, labels, 0.3).to_numpy()
            if step % 10 == 9:
                print(f"step {step + 1}: loss {loss_of(logits, labels):.3f}")
        signpost("eval")
        images, labels = digits.batch(64, random)
        found = ttnn.argmax(model.forward(tensor(images.reshape(64, PIXELS), device))[2], -1)
        print(f"perceptron: {np.mean(found.to_numpy() == labels):.0%} of 64 digits")
        signpost("cnn")
        got = Cnn(device).forward(images[:8]).to_numpy()
        print(f"convolutional network: correlation {correlation(got, cnn_numpy(cnn_weights(2), images[:8])):.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
