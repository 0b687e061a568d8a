# SPDX-License-Identifier: Apache-2.0
"""Results of ttnn's ops over shapes, with and without padding, against numpy."""
from __future__ import annotations

import shutil
import unittest
from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

import ttnn
from ttnn._conv import _Windows

TILE, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def norm(x: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def attend(q: Any, k: Any, v: Any, mask: Any) -> Any:
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + mask) @ v


@unittest.skipUnless(np is not None and shutil.which("riscv64-unknown-elf-gcc"), "numpy, compiler")
class Ops(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.device = ttnn.open_device(device_id=0)
        cls.random = np.random.default_rng(1)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.device.close()

    def on(self, a: Any, dtype: Any = ttnn.bfloat16, layout: Any = TILE) -> Any:
        return ttnn.from_torch(a, dtype, layout=layout, device=self.device)

    def normal(self, *shape: int) -> Any:
        """Values that bfloat16 has."""
        bits = self.random.standard_normal(shape).astype(np.float32).view(np.uint32)
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)

    def ids(self, most: int, *shape: int) -> Any:
        return self.random.integers(0, most, shape).astype(np.int32)

    def same(self, tensor: Any, want: Any, bound: float = 2 ** -7, what: Any = "") -> None:
        """Within BOUND of each value, and of the rounding of intermediates."""
        got = tensor.to_numpy().astype(np.float64)
        want = np.asarray(want, np.float64)
        self.assertEqual(got.shape, want.shape, what)
        self.assertFalse(np.isnan(got).any(), what)
        slack = bound * (np.abs(want) + 0.05 * np.abs(want).max() + 1e-6)
        self.assertTrue((np.abs(got - want) <= slack).all(),
                        f"{what}: {np.abs(got - want).max()} of {np.abs(want).max()}")

    def test_types_and_layouts(self) -> None:
        for dtype in (ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b, ttnn.int32, ttnn.uint32, ttnn.uint16,
                      ttnn.uint8):
            for shape in ((3, 5), (2, 33, 70), (1,), (1, 2, 3, 4, 5)):
                floats = dtype in (ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b)
                a = self.normal(*shape) if floats else self.ids(256, *shape)
                bound = 0.5 if dtype is ttnn.bfloat8_b else 0
                self.same(self.on(a, dtype), a, bound, dtype)
                if dtype is not ttnn.bfloat8_b:
                    self.same(self.on(a, dtype, ROWS), a, 0, dtype)
                if dtype in (ttnn.bfloat16, ttnn.float32, ttnn.int32, ttnn.uint32):
                    self.same(ttnn.to_layout(self.on(a, dtype, ROWS), TILE), a, 0, dtype)
                    self.same(ttnn.to_layout(self.on(a, dtype), ROWS), a, 0, dtype)

    def test_two_tensors(self) -> None:
        shapes = (((70, 40), (70, 40)), ((70, 40), (1, 40)), ((70, 1), (70, 40)), ((1, 1), (33, 40)),
                  ((2, 3, 33, 40), (3, 1, 40)), ((1, 40), (70, 1)), ((2, 1, 5), (4, 1)), ((40,), (3, 40)))
        ops = ((ttnn.add, np.add), (ttnn.subtract, np.subtract), (ttnn.multiply, np.multiply),
               (ttnn.maximum, np.maximum), (ttnn.gt, np.greater), (ttnn.divide, np.divide))
        for one, other in shapes:
            a, b = self.normal(*one), self.normal(*other)
            for op, want in ops:
                self.same(op(self.on(a), self.on(b)), want(a, b), what=(op.__name__, one, other))
        a, i = self.normal(40, 33), self.ids(100, 40, 33) - 50
        t = self.on(a)
        self.same(t * 0.5, a * 0.5)
        self.same(1 - t, 1 - a)
        self.same(2 / self.on(np.abs(a) + 1), 2 / (np.abs(a) + 1), 2 ** -6)
        self.same(t ** 2, a ** 2)
        self.same(-t, -a)
        self.same(self.on(i, ttnn.int32) * 3 + self.on(i, ttnn.int32), 4 * i, 0)
        self.same(ttnn.where(t > 0, t, 0.0), np.where(a > 0, a, 0), 0)
        self.same(ttnn.add(t, t, activations=["relu"]), np.maximum(2 * a, 0))
        self.assertIs(ttnn.multiply_(t, 3.0), t)
        self.same(t, a * 3)

    def test_one_tensor(self) -> None:
        a = self.normal(33, 40)
        for op, want in ((ttnn.relu, lambda x: np.maximum(x, 0)), (ttnn.exp, np.exp), (ttnn.tanh, np.tanh),
                         (ttnn.silu, lambda x: x / (1 + np.exp(-x))), (ttnn.sin, np.sin), (ttnn.neg, np.negative),
                         (ttnn.square, np.square), (ttnn.abs, np.abs), (ttnn.sigmoid, lambda x: 1 / (1 + np.exp(-x)))):
            self.same(op(self.on(a)), want(a), what=op.__name__)
        p = np.abs(a) + 0.1
        for op, want in ((ttnn.log, np.log), (ttnn.sqrt, np.sqrt), (ttnn.rsqrt, lambda x: x ** -0.5),
                         (ttnn.reciprocal, lambda x: 1 / x)):
            self.same(op(self.on(p)), want(self.on(p).to_numpy()), what=op.__name__)
        self.same(ttnn.clamp(self.on(a), -1, 1), np.clip(a, -1, 1), 0)
        self.same(ttnn.leaky_relu(self.on(a), 0.5), np.where(a > 0, a, a / 2))
        rows = ttnn.relu(self.on(a, layout=ROWS))
        self.assertIs(rows.layout, ROWS)
        self.same(rows, np.maximum(a, 0), 0)

    def test_parameters(self) -> None:
        """Scales and parameters that the vector unit needs in a form of its own."""
        a = self.normal(33, 40)
        t, p = self.on(a), np.abs(a) + 0.1
        high = self.on(p)
        for op, want in ((ttnn.log2, np.log2), (ttnn.log10, np.log10)):
            self.same(op(high), want(high.to_numpy()), what=op.__name__)
        self.same(ttnn.celu(t, 2.0), np.maximum(a, 0) + np.minimum(2 * np.expm1(a / 2), 0))
        self.same(ttnn.softplus(t, beta=2.0), np.log1p(np.exp(2 * a)) / 2)
        self.same(ttnn.hardtanh(t, -0.5, 0.25), np.clip(a, -0.5, 0.25))
        self.same(ttnn.hardswish(t), a * np.clip(a / 6 + 0.5, 0, 1))
        self.same(ttnn.log_sigmoid(t), -np.log1p(np.exp(-a)))
        self.same(ttnn.round(t, decimals=1), np.round(a, 1))
        self.same(ttnn.swiglu(t), a[:, :20] * a[:, 20:] / (1 + np.exp(-a[:, 20:])))
        self.same(ttnn.prelu(t, 0.25), np.where(a >= 0, a, a / 4))
        i = self.ids(100, 33, 40) - 50
        for op in (ttnn.exp, ttnn.gelu_bw, ttnn.softplus):
            with self.assertRaises((RuntimeError, TypeError)):
                op(self.on(i, ttnn.int32))
        self.same(ttnn.bitwise_not(self.on(i, ttnn.int32)), ~i, 0)

    def test_two_values(self) -> None:
        a, b = self.normal(33, 40), self.normal(1, 40)
        t, u = self.on(a), self.on(b)
        for name, want in (("squared_difference", lambda x, y: (x - y) ** 2), ("hypot", np.hypot),
                           ("logaddexp", np.logaddexp), ("logaddexp2", np.logaddexp2), ("ldexp", lambda x, y: x * 2 ** y),
                           ("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor),
                           ("atan2", np.arctan2), ("fmod", np.fmod)):
            op = getattr(ttnn, name)
            self.same(op(t, u), want(a, b), what=name)
            self.same(op(t, 1.5), want(a, np.float32(1.5)), what=name)
        self.same(ttnn.div(t, u, rounding_mode="floor"), np.floor(a / b))
        self.same(ttnn.isclose(t, t + 0.0), np.ones_like(a), 0)
        self.same(ttnn.outer(self.on(a[0]), self.on(b[0])), np.outer(a[0], b[0])[None, None])
        i, j = self.ids(100, 33, 40) - 50, self.ids(9, 33, 40) + 1
        x, y = self.on(i, ttnn.int32), self.on(j, ttnn.int32)
        self.same(ttnn.div(x, y, rounding_mode="floor"), i // j, 0)
        self.same(ttnn.div(x, y, rounding_mode="trunc"), np.trunc(i / j), 0)
        quotient = ttnn.div(x, y)
        self.assertIs(quotient.dtype, ttnn.float32)
        self.same(quotient, i / j, 1e-6)
        self.same(ttnn.logical_and(x, 3), i != 0, 0)
        self.same(ttnn.tanh_bw(t, t)[0], a * (1 - np.tanh(a) ** 2))
        self.same(ttnn.silu_bw(t, t)[0], a * (lambda s: s * (1 + a * (1 - s)))(1 / (1 + np.exp(-a))))

    def test_running(self) -> None:
        for shape, dim in (((3, 33, 40), -1), ((3, 33, 40), 1), ((2, 3, 5, 7), 1), ((70,), 0)):
            a, i = self.normal(*shape), self.ids(9, *shape) - 4
            t = ttnn.fill_implicit_tile_padding(self.on(a), 1e30)
            self.same(t, a, 0)
            self.same(ttnn.cumsum(t, dim, dtype=ttnn.float32), np.cumsum(a, dim, np.float64), 1e-4, (shape, dim))
            self.same(ttnn.cumsum(self.on(i, ttnn.int32), dim), i.cumsum(dim), 0, (shape, dim))
            self.same(ttnn.cumprod(t, dim, dtype=ttnn.float32, reverse_order=True),
                      np.flip(np.flip(a, dim).astype(np.float64).cumprod(dim), dim), 1e-3, (shape, dim))
            self.same(ttnn.sort(t, dim)[0], np.sort(a, dim), 0, (shape, dim))
            self.same(ttnn.sort(t, dim, descending=True)[1], np.argsort(-a, dim, kind="stable"), 0, (shape, dim))
            self.same(ttnn.argmax(t, dim, True), np.expand_dims(a.argmax(dim), dim), 0, (shape, dim))
            places = self.ids(shape[dim], *shape)
            for layout in (TILE, ROWS):
                self.same(ttnn.gather(self.on(a, layout=layout), dim, self.on(places, ttnn.uint32, layout)),
                          np.take_along_axis(a, places, dim), 0, (shape, dim))
            self.same(ttnn.roll(t, 2, dim), np.roll(a, 2, dim), 0, (shape, dim))
        a = self.normal(2, 4, 6, 5)
        self.same(ttnn.fold(self.on(a, layout=ROWS), 2, 2),
                  a.reshape(2, 2, 2, 3, 2, 5).transpose(0, 1, 3, 2, 4, 5).reshape(1, 1, 12, 20), 0)
        self.same(ttnn.upsample(self.on(a), (2, 3)), a.repeat(2, 1).repeat(3, 2), 0)
        self.same(ttnn.global_avg_pool2d(self.on(a)), a.mean((1, 2), keepdims=True))

    def test_nothing(self) -> None:
        a = self.normal(33, 40)
        for layout in (TILE, ROWS):
            t, none = self.on(a, layout=layout), self.on(np.zeros((3, 0), np.float32), layout=layout)
            self.same(ttnn.concat([t, t[5:5]], 0), a, 0)
            self.assertEqual(t[:, 7:7].shape, (33, 0))
            self.assertEqual(ttnn.relu(none + none).to_numpy().shape, (3, 0))
            self.assertEqual(ttnn.permute(none, (1, 0)).shape, (0, 3))
            self.assertRaisesRegex(RuntimeError, "without values", ttnn.sum, none)
        self.same(ttnn.Tensor([1.0, 2.0, 3.0], (1, 3), ttnn.float32, ROWS, self.device), [[1, 2, 3]], 0)
        self.same(ttnn.pad(self.on(a), (40, 41), (0, 1), 2.0), np.pad(a, ((0, 7), (1, 0)), constant_values=2), 0)

    def test_text(self) -> None:
        rows = "[ 0.0000,  1.0000,  ...,  4.0000,  5.0000]"
        self.assertEqual(str(self.on(np.arange(6, dtype=np.float32))),
                         f"ttnn.Tensor({rows}, shape=Shape([6]), dtype=DataType::BFLOAT16, layout=Layout::TILE)")
        with ttnn.manage_device(0) as other:
            self.assertIsNot(other, self.device)
        wrapped = ttnn.from_torch(np.array([-1, 70000]), ttnn.uint16, device=self.device)
        self.same(wrapped, [65535, 4464], 0)

    def test_products(self) -> None:
        for m, k, n in ((32, 32, 32), (70, 40, 33), (10, 784, 120), (5, 10, 84)):
            a, b, c = self.normal(m, k), self.normal(k, n), self.normal(n)
            for dtype in (ttnn.bfloat16, ttnn.float32):
                self.same(self.on(a, dtype) @ self.on(b, dtype), a @ b, what=(m, k, n))
            self.same(self.on(a, ttnn.bfloat8_b) @ self.on(b, ttnn.bfloat8_b), a @ b, 0.5, (m, k, n))
            self.same(ttnn.matmul(self.on(a.T.copy()), self.on(b), transpose_a=True), a @ b)
            self.same(ttnn.matmul(self.on(a), self.on(b.T.copy()), transpose_b=True), a @ b)
            self.same(ttnn.linear(self.on(a), self.on(b), bias=self.on(c), activation="relu"),
                      np.maximum(a @ b + c, 0))
            # Padding that is not 0.
            x, y = ttnn.exp(self.on(a)), ttnn.exp(self.on(b))
            self.same(x @ y, x.to_numpy() @ y.to_numpy())
        for one, other in (((2, 3, 33, 40), (2, 3, 40, 65)), ((2, 3, 33, 40), (40, 65)),
                           ((1, 1, 33, 40), (2, 3, 40, 65)), ((2, 1, 33, 40), (2, 3, 40, 65))):
            a, b = self.normal(*one), self.normal(*other)
            self.same(self.on(a) @ self.on(b), a @ b, what=(one, other))

    def test_moves(self) -> None:
        a = self.normal(2, 3, 33, 40)
        for layout in (TILE, ROWS):
            t = self.on(a, layout=layout)
            for dims in ((0, 1, 3, 2), (1, 0, 2, 3), (0, 2, 1, 3), (3, 2, 1, 0), (0, 2, 3, 1)):
                self.same(ttnn.permute(t, dims), a.transpose(dims), 0, dims)
            self.same(ttnn.reshape(t, (6, -1)), a.reshape(6, -1), 0)
            self.same(ttnn.reshape(t, (2, 99, 40)), a.reshape(2, 99, 40), 0)
            self.same(t[1, :, 3:20:2, ...], a[1, :, 3:20:2, ...], 0)
            for dim in range(4):
                self.same(ttnn.concat([t, t, t], dim), np.concatenate([a, a, a], dim), 0, dim)
            pads = [(0, 1), (0, 0), (2, 3), (0, 5)]
            self.same(ttnn.pad(t, pads, 1.5), np.pad(a, pads, constant_values=1.5), 0)
            self.same(ttnn.repeat(t, (1, 2, 2, 1)), np.tile(a, (1, 2, 2, 1)), 0)
            for got, want in zip(ttnn.split(t, 20, 3), np.split(a, [20], 3)):
                self.same(got, want, 0)
            self.same(ttnn.stack([t, t], 0), np.stack([a, a]), 0)
        b = self.normal(2, 64, 96)  # whole tiles
        t = self.on(b)
        self.same(t[:, 32:64, 32:96], b[:, 32:64, 32:96], 0)
        self.same(ttnn.concat([t] * 9, 2), np.concatenate([b] * 9, 2), 0)
        self.same(ttnn.repeat(t, (1, 1, 2)), np.tile(b, (1, 1, 2)), 0)

    def test_shards(self) -> None:
        a = self.normal(2, 96, 128)
        height, width, block = (getattr(ttnn.ShardStrategy, n) for n in ("HEIGHT", "WIDTH", "BLOCK"))
        turned = ttnn.ShardOrientation.COL_MAJOR
        cores = ttnn.num_cores_to_corerangeset(4, ttnn.CoreCoord(2, 2), True)
        # The second shard, of 6 rows of tiles, has one row only.
        partly = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1,
                                   ttnn.ShardSpec(ttnn.CoreRangeSet([ttnn.CoreRange((0, 1), (1, 1))]), [160, 128]))
        configs = [ttnn.create_sharded_memory_config(a.shape, ttnn.CoreGrid(y=y, x=x), strategy, order)
                   for y, x, strategy, order in ((1, 2, height, None), (2, 1, height, turned), (2, 2, width, None),
                                                 (2, 2, block, None), (2, 1, block, turned))]
        configs += [partly, ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG, ttnn.create_sharded_memory_config(
            (1, 64, 128), cores, height, use_height_and_width_as_shard_shape=True)]
        whole = self.on(a)
        for dtype in (ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b):
            for config in configs:
                t = ttnn.from_torch(a, dtype, layout=TILE, device=self.device, memory_config=config)
                self.same(t, a, 0.5 if dtype is ttnn.bfloat8_b else 0, config)
        for config in configs:  # values that kernels move there and back
            t = ttnn.to_memory_config(whole, config)
            self.assertTrue(t.is_sharded())
            self.assertEqual(t.memory_config().memory_layout, config.memory_layout)
            self.same(t, a, 0, config)
            for other in configs:
                self.same(ttnn.to_memory_config(t, other), a, 0, (config, other))
            twice = t + t
            self.assertEqual(twice.memory_config(), t.memory_config())
            self.same(ttnn.sharded_to_interleaved(twice), 2 * a, 0, config)
            self.same(ttnn.softmax(t), softmax(a), what=config)
            self.same(ttnn.matmul(t, whole, transpose_b=True, memory_config=ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG),
                      a @ a.swapaxes(1, 2), what=config)
            self.same(ttnn.concat([t] * 5, 2), np.concatenate([a] * 5, 2), 0, config)
            self.same(ttnn.reshape(t, (1, 192, 128)), a.reshape(1, 192, 128), 0, config)
            self.same(ttnn.transpose(t, 1, 2), a.swapaxes(1, 2), 0, config)
            self.same(ttnn.sum(t, 1), a.sum(1), 0.1, config)
            self.same(ttnn.to_layout(t, ROWS), a, 0, config)
        rows = ttnn.from_torch(a, ttnn.bfloat16, device=self.device, memory_config=configs[0])
        self.same(rows, a, 0)
        self.same(ttnn.to_layout(rows, TILE), a, 0)
        for strategy, shape, message in (("HEIGHT", [96, 64], "Shard width 64 must match"),
                                         ("WIDTH", [96, 32], "Shard height 96 must match"),
                                         ("BLOCK", [48, 64], "must be made of whole tiles"),
                                         ("BLOCK", [32, 32], "must not exceed number of cores")):
            spec = ttnn.ShardSpec(cores, shape)
            config = ttnn.MemoryConfig(getattr(ttnn.TensorMemoryLayout, strategy + "_SHARDED"), ttnn.BufferType.L1, spec)
            for call in (lambda: ttnn.to_memory_config(whole, config), lambda: ttnn.from_torch(
                    a, ttnn.bfloat16, layout=TILE, device=self.device, memory_config=config)):
                self.assertRaisesRegex(RuntimeError, "^TT_FATAL: .*" + message, call)
        self.assertRaisesRegex(RuntimeError, "does not divide", ttnn.create_sharded_memory_config, a.shape,
                               ttnn.CoreGrid(y=1, x=5), height)
        outside = ttnn.create_sharded_memory_config(a.shape, ttnn.CoreGrid(y=1, x=64), width)
        self.assertRaises(RuntimeError, ttnn.to_memory_config, whole, outside)

    def test_reductions(self) -> None:
        for a in (self.normal(2, 3, 33, 40), self.normal(2, 3, 4, 5, 6)):
            t = self.on(a)
            for dim in (None, -1, -2, 0, 1, (2, 3), [0, 1]):
                axis = tuple(dim) if isinstance(dim, list) else dim
                for keep in (False, True):
                    for name in ("sum", "mean", "max", "min"):
                        want = getattr(np, name)(a, axis=axis, keepdims=keep)
                        self.same(getattr(ttnn, name)(t, dim, keep), want, 0.1, (name, dim, keep))
            self.same(ttnn.std(t, -1, True), a.std(-1, keepdims=True, ddof=1), 0.05)
            self.same(ttnn.argmax(t, -1), a.argmax(-1), 0)
            self.same(ttnn.argmax(t), a.argmax(), 0)
            values, places = ttnn.topk(t, 5)
            self.same(values, np.sort(a, -1)[..., :-6:-1], 0)
            self.same(places, np.argsort(-a, -1, kind="stable")[..., :5], 0)

    def test_rows(self) -> None:
        for shape in ((70, 40), (2, 3, 33, 64), (5, 10)):
            x, r = self.normal(*shape), self.normal(*shape)
            w, b = self.normal(shape[-1]), self.normal(shape[-1])
            self.same(ttnn.softmax(self.on(x)), softmax(x))
            self.same(ttnn.softmax(self.on(x), -2), softmax(x, -2))
            self.same(ttnn.layer_norm(self.on(x), epsilon=1e-5), norm(x), 0.02)
            self.same(ttnn.layer_norm(self.on(x), epsilon=1e-5, weight=self.on(w), bias=self.on(b),
                                      residual_input_tensor=self.on(r)), norm(x + r) * w + b, 0.04)
            root = np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5)
            self.same(ttnn.rms_norm(self.on(x), epsilon=1e-5, weight=self.on(w)), x / root * w, 0.04)
        x, w = self.normal(33, 64), self.normal(64)
        self.same(ttnn.layer_norm(self.on(x), epsilon=1e-5, weight=self.on(w.reshape(2, 32), layout=ROWS)),
                  norm(x) * w, 0.04)
        scores = self.normal(2, 4, 64, 96)
        mask = np.where(self.random.random((2, 1, 1, 96)) > 0.3, 0, -1e9).astype(np.float32)
        self.same(ttnn.transformer.attention_softmax(self.on(scores), head_size=64, attention_mask=self.on(mask)),
                  softmax(scores / 8 + mask))
        ids, table = self.ids(50, 2, 32), self.normal(50, 64)
        for layout in (TILE, ROWS):
            self.same(ttnn.embedding(self.on(ids, ttnn.uint32, ROWS), self.on(table, layout=ROWS), layout=layout),
                      table[ids], 0)

    def test_attention(self) -> None:
        q, k, v = self.normal(2, 4, 50, 64), self.normal(2, 2, 50, 64), self.normal(2, 2, 50, 64)
        all_k, all_v = np.repeat(k, 2, 1), np.repeat(v, 2, 1)
        causal = np.where(np.tril(np.ones((50, 50))) > 0, 0, -1e9)
        mask = self.normal(2, 1, 50, 50)
        op, three = ttnn.transformer.scaled_dot_product_attention, [self.on(t) for t in (q, k, v)]
        self.same(op(*three), attend(q, all_k, all_v, causal), 0.05)
        self.same(op(*three, is_causal=False), attend(q, all_k, all_v, 0), 0.05)
        self.same(op(*three, is_causal=False, attn_mask=self.on(mask)), attend(q, all_k, all_v, mask), 0.05)
        one = self.normal(1, 2, 4, 64)
        want = np.zeros_like(one)
        for user, last in enumerate((20, 40)):
            want[0, user] = attend(one[0, user][:, None], all_k[user, :, :last + 1], all_v[user, :, :last + 1], 0)[:, 0]
        decode = ttnn.transformer.scaled_dot_product_attention_decode
        self.same(decode(self.on(one), three[1], three[2], cur_pos=[20, 40]), want, 0.05)

    def test_blocks(self) -> None:
        """Caches in blocks, which a table names, and positions that only the device has."""
        users, heads, rows, count, width = 3, 2, 64, 3, 64
        keys, values = self.normal(users * count, heads, rows, width), self.normal(users * count, heads, rows, width)
        table = self.random.permutation(users * count).reshape(users, count).astype(np.int32)
        q, new, last = self.normal(1, users, 4, width), self.normal(1, users, heads, width), np.array([5, 100, 191])
        whole = self.normal(1, heads, 130, width)
        cache, places, blocks = [self.on(keys), self.on(values)], self.on(last, ttnn.int32, ROWS), \
            self.on(table, ttnn.int32, ROWS)
        ttnn.experimental.paged_update_cache(cache[0], self.on(new), update_idxs_tensor=places, page_table=blocks)
        ttnn.experimental.paged_fill_cache(cache[1], self.on(whole), blocks, batch_idx=1)
        padded = np.zeros((heads, count * rows, width), np.float32)
        padded[:, :130] = whole[0]
        got = cache[1].to_numpy()
        for i in range(count):
            end = min(130 - 64 * i, rows)
            self.assertTrue((got[table[1, i]][:, :end] == padded[:, 64 * i:64 * i + end]).all())
        others = [i for i in range(users * count) if i not in table[1]]
        self.assertTrue((got[others] == values[others]).all())
        for user, at in enumerate(last):
            keys[table[user, at // rows], :, at % rows] = new[0, user]
        self.same(cache[0], keys, 0)
        values = got
        want, plain = np.zeros_like(q), np.zeros((users, heads, count * rows, width), np.float32)
        for user, at in enumerate(last):
            k, v = (t[table[user]].transpose(1, 0, 2, 3).reshape(heads, -1, width)[:, :at + 1].repeat(2, 0)
                    for t in (keys, values))
            want[0, user] = attend(q[0, user][:, None], k, v, 0)[:, 0]
            plain[user] = keys[table[user]].transpose(1, 0, 2, 3).reshape(heads, -1, width)
        self.same(ttnn.transformer.paged_scaled_dot_product_attention_decode(
            self.on(q), *cache, blocks, cur_pos_tensor=places), want, 0.05)
        k = self.on(plain)
        decode = ttnn.transformer.scaled_dot_product_attention_decode
        self.same(decode(self.on(q), k, k, cur_pos_tensor=places),
                  decode(self.on(q), k, k, cur_pos=list(last)).to_numpy(), 0)
        long = self.normal(1, 1, 2048, 128)  # more keys than fit into L1
        self.same(decode(self.on(q[:, :1, :, :].repeat(2, 3)), self.on(long), self.on(long)),
                  attend(q[:, :1].repeat(2, 3), long, long, 0), 0.05)

    def test_heads(self) -> None:
        x = self.normal(2, 64, 3 * 4 * 32)
        q, k, v = ttnn.transformer.split_query_key_value_and_split_heads(self.on(x), num_heads=4)
        parts = x.reshape(2, 64, 3, 4, 32).transpose(2, 0, 3, 1, 4)
        self.same(q, parts[0], 0)
        self.same(k, parts[1].swapaxes(2, 3), 0)
        self.same(v, parts[2], 0)
        self.same(ttnn.transformer.concatenate_heads(q), x[..., :128], 0)
        a, b = self.normal(2, 33, 128), self.normal(2, 33, 128)
        q, k, v = ttnn.transformer.split_query_key_value_and_split_heads(
            self.on(a), self.on(b), num_heads=4, num_kv_heads=2, transpose_key=False)
        parts = b.reshape(2, 33, 2, 2, 32).transpose(2, 0, 3, 1, 4)
        self.same(q, a.reshape(2, 33, 4, 32).transpose(0, 2, 1, 3), 0)
        self.same(k, parts[0], 0)
        self.same(v, parts[1], 0)

    def test_caches(self) -> None:
        want, rows, row = self.normal(2, 4, 96, 64), self.normal(1, 4, 64, 64), self.normal(1, 4, 2, 64)
        cache = self.on(want)
        ttnn.fill_cache(cache, self.on(rows), 1)
        want[1, :, :64] = rows[0]
        self.same(cache, want, 0)
        ttnn.update_cache(cache, self.on(row), 50)
        want[:, :, 50] = row[0].swapaxes(0, 1)
        self.same(cache, want, 0)
        users, places = self.normal(1, 2, 4, 64), np.array([7, 90], np.int32)
        ttnn.experimental.paged_update_cache(cache, self.on(users),
                                             update_idxs_tensor=self.on(places, ttnn.uint32, ROWS))
        want[0, :, 7], want[1, :, 90] = users[0]
        self.same(cache, want, 0)

    def test_images(self) -> None:
        for batch, side, channels, out, kernel, stride, pad, groups in (
                (2, 9, 3, 8, 3, 1, 1, 1), (1, 8, 4, 6, 2, 2, 0, 2), (1, 7, 40, 5, 3, 2, 1, 1)):
            x, bias = self.normal(batch, side, side, channels), self.normal(out)
            w = self.normal(out, channels // groups, kernel, kernel)
            got, size = ttnn.conv2d(
                input_tensor=self.on(x, layout=ROWS), weight_tensor=ttnn.from_torch(w, ttnn.bfloat16),
                bias_tensor=ttnn.from_torch(bias, ttnn.bfloat16), device=self.device, in_channels=channels,
                out_channels=out, batch_size=batch, input_height=side, input_width=side,
                kernel_size=(kernel, kernel), stride=(stride, stride), padding=(pad, pad), groups=groups,
                return_output_dim=True)
            padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
            n = (side + 2 * pad - kernel) // stride + 1
            self.assertEqual(size, (n, n))
            each, inner = out // groups, channels // groups
            want = np.zeros((batch, n, n, out), np.float32) + bias
            for r in range(kernel):
                for c in range(kernel):
                    part = padded[:, r:r + n * stride:stride, c:c + n * stride:stride][:, :n, :n]
                    for g in range(groups):
                        want[..., g * each:(g + 1) * each] += \
                            part[..., g * inner:(g + 1) * inner] @ w[g * each:(g + 1) * each, :, r, c].T
            self.same(got, want.reshape(1, 1, -1, out), what=(side, channels))
        # The report names the window as that of tt-metal does: perf-report reads it.
        windows = _Windows("conv2d", self.on(self.normal(1, 8, 9, 3)), (1, 8, 9, 3), (3, 2), 1, (1, 2), 1)
        for part in ("input_hw=(8;9); ", "window_hw=(3;2); ", "stride_hw=(1;1); ", "padding=((1; 1); (2; 2)); ",
                     "dilation_hw=(1;1))"):
            self.assertIn(part, windows.text())
        x = self.normal(2, 8, 8, 5)
        halves = x.reshape(2, 4, 2, 4, 2, 5)
        t = self.on(x.reshape(1, 1, 128, 5))
        self.same(ttnn.max_pool2d(t, 2, 8, 8, 5, (2, 2), (2, 2), (0, 0)), halves.max((2, 4)).reshape(1, 1, -1, 5), 0)
        self.same(ttnn.avg_pool2d(t, 2, 8, 8, 5, (2, 2), (2, 2), (0, 0)), halves.mean((2, 4)).reshape(1, 1, -1, 5))


if __name__ == "__main__":
    unittest.main()
