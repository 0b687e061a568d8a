# SPDX-License-Identifier: Apache-2.0
"""Ops: each is a program on the device, and a row of the ops report."""
from __future__ import annotations

import array
import ctypes
import math
import os
from typing import Any, Sequence

from ttnn import _library
from ttnn._device import Device
from ttnn._library import call, lib
from ttnn._tensor import DRAM_MEMORY_CONFIG, Tensor, from_device, full

_KERNELS = os.path.join(_library.HERE, "kernels")
_NONE, _COLUMN, _ROW, _SCALAR = range(4)  # the part of the second tensor that a binary op uses
_FIDELITY = 2                             # TACHO_HIFI2


def _tiles(n: int) -> int:
    return (n + 31) // 32


def _strings(words: Sequence[str]) -> Any:
    return (ctypes.c_char_p * (len(words) + 1))(*(word.encode() for word in words), None)


def _on_one_device(tensors: Sequence[Tensor]) -> Device:
    device = tensors[0].device()
    if device is None or any(t.device() is not device for t in tensors):
        raise ValueError("the tensors must be on one device: use from_torch(..., device=device)")
    if any(not t.buffers for t in tensors):
        raise RuntimeError("the tensor was deallocated")
    return device


def _cycles(*functions: str) -> int:
    """Cost of a tile in the tile engine, whose units work in parallel."""
    return max(lib.tacho_tile_cycles(name.encode(), _FIDELITY) for name in functions)


def _bytes(tensor: Tensor) -> int:
    m = tensor.matrices()
    return m.batch * _tiles(m.rows) * _tiles(m.columns) * 1024 * (2 if m.format else 4)


class _Op:
    """The description of the op for the report, and the files of the program."""

    def __init__(self, name: str, reader: str, compute: str, cycles: int) -> None:
        self.name, self.reader, self.compute, self.cycles = name, reader, compute, cycles
        self.arguments: list[int] = []
        self.defines: list[str] = []

    def key(self, tensors: Sequence[Tensor]) -> Any:
        """Programs are reused for tensors of the same shapes."""
        return (self.name, tuple(self.arguments), tuple(self.defines),
                tuple((t.shape, t.dtype, t.memory) for t in tensors))

    def job(self, inputs: Sequence[Tensor], out: Tensor) -> _library.Job:
        files = [os.path.join(_KERNELS, name).encode()
                 for name in (self.reader, "write.c", self.compute)]
        shapes = [t.matrices() for t in (*inputs, *[out] * (3 - len(inputs)))]
        return _library.Job(*files, _strings(self.defines),
                            (ctypes.c_uint32 * len(self.arguments))(*self.arguments),
                            len(self.arguments), len(inputs), _FIDELITY,
                            (_library.Shape * 3)(*shapes))

    def describe(self, inputs: Sequence[Tensor], out: Tensor,
                 device: Device | None) -> _library.Description:
        three = (*inputs, *[out] * (3 - len(inputs)))
        words = ["dtype", out.dtype.name.partition(".")[2], "memory_config", out.memory.name]
        for define in self.defines:
            words += [part.lower() for part in define.split("=")]
        d = _library.Description(self.name.encode(), None, _strings(words), len(words) // 2,
                                 len(inputs))
        for i, tensor in enumerate(three):
            d.tensors[i] = _library.TensorOf((ctypes.c_uint32 * 4)(*tensor.four()),
                                             tensor.dtype.value, tensor.memory.value,
                                             tensor.device() is None)
        if device is None:
            d.type = b"python_fallback"
            return d
        m = out.matrices()
        tiles = m.batch * _tiles(m.rows) * _tiles(m.columns)
        most = (tiles + device.cores - 1) // device.cores  # of a core
        d.compute_ns = most * self.cycles * 1000 // device.mhz
        moved = sum(_bytes(t) for t in (*inputs, out) if t.memory.value == _library.DRAM)
        d.bandwidth_ns = int(moved / device.dram_gbs)
        d.ideal_ns = max(d.compute_ns, d.bandwidth_ns, 1)
        for i, tensor in enumerate(three):
            d.bandwidths[i] = _bytes(tensor) / d.ideal_ns
        return d

    def run(self, inputs: Sequence[Tensor], shape: Sequence[int],
            memory_config: Any = None) -> Tensor:
        device = _on_one_device(inputs)
        out = Tensor(shape, inputs[0].dtype, None, device, memory_config or DRAM_MEMORY_CONFIG)
        description = self.describe(inputs, out, device)
        handles = device.open_handles()
        programs = self.programs(device, inputs, out, description)
        if len(handles) > 1:
            call("ttnn_group_begin", (ctypes.c_void_p * len(handles))(*handles), len(handles),
                 description)
        three = (*inputs, *[out] * (3 - len(inputs)))
        in_l1 = (ctypes.c_uint32 * 3)(*(t.memory.value for t in three))
        try:
            for i, handle in enumerate(handles):
                buffers = (ctypes.c_void_p * 3)(*(t.buffers[i] for t in three))
                call("ttnn_run", handle, programs[i], buffers, in_l1)
        finally:
            if len(handles) > 1:
                call("tacho_op_end", handles[0])
        if device.capture is not None:  # a trace runs the same program on the same memory again
            device.capture += [*inputs, out]
        return out

    def programs(self, device: Device, inputs: Sequence[Tensor], out: Tensor,
                 description: _library.Description) -> list[int]:
        key = self.key((*inputs, out))
        if device.capture is not None:
            key = (len(device.programs), key)
        if key not in device.programs:
            job = self.job(inputs, out)
            device.programs[key] = [call("ttnn_program", h, job) for h in device.handles]
            for program in device.programs[key]:
                call("ttnn_describe", program, description)
        return device.programs[key]


def _eltwise(name: str, inputs: Sequence[Tensor], strides: Sequence[Sequence[int]],
             shape: Sequence[int], defines: Sequence[str], memory_config: Any) -> Tensor:
    functions = [define.partition("=")[2] for define in defines
                 if define.startswith(("BINARY=", "UNARY="))]
    if not any(define.startswith("BINARY=") for define in defines):
        functions.append("transpose" if "TRANSPOSE=1" in defines else "copy")
    op = _Op(name, "read.c", "eltwise.c", _cycles(*functions))
    rows, columns = ((1, 1) + tuple(shape))[-2:]
    op.arguments = [len(inputs), _tiles(rows), _tiles(columns)]
    for three in (*strides, (0, 0, 0))[:2]:
        op.arguments += three
    op.defines = list(defines)
    return op.run(inputs, shape, memory_config)


def _plain_strides(tensor: Tensor) -> tuple[int, int, int]:
    m = tensor.matrices()
    return _tiles(m.rows) * _tiles(m.columns), _tiles(m.columns), 1


def _unary(name: str, function: str) -> Any:
    def op(input_tensor: Tensor, *, memory_config: Any = None, **settings: Any) -> Tensor:
        return _eltwise(name, [input_tensor], [_plain_strides(input_tensor)], input_tensor.shape,
                        [f"UNARY={function}"], memory_config)
    op.__name__ = op.__qualname__ = function
    op.__doc__ = f"{function} of each value, on the device."
    return op


relu = _unary("UnaryDeviceOperation", "relu")
gelu = _unary("UnaryDeviceOperation", "gelu")
exp = _unary("UnaryDeviceOperation", "exp")
sqrt = _unary("UnaryDeviceOperation", "sqrt")
reciprocal = _unary("UnaryDeviceOperation", "recip")
sigmoid = _unary("UnaryDeviceOperation", "sigmoid")
_ACTIVATIONS = ("relu", "gelu", "exp", "sqrt", "sigmoid")


def _activation(name: str | None) -> list[str]:
    if name is None:
        return []
    if name not in _ACTIVATIONS:
        raise ValueError(f"activation {name!r} is not among {', '.join(_ACTIVATIONS)}")
    return [f"UNARY={name}"]


def _broadcast(a: Tensor, b: Tensor) -> tuple[int, tuple[int, int, int]]:
    """How b, which may be smaller, is broadcast over a: the part of its tiles, and their strides."""
    ma, mb = a.matrices(), b.matrices()
    if mb.batch not in (1, ma.batch) or mb.rows not in (1, ma.rows) or \
            mb.columns not in (1, ma.columns):
        raise ValueError(f"shapes {list(a.shape)} and {list(b.shape)} do not go together: the "
                         "second one may have 1 where the first has more")
    one_row, one_column = mb.rows < ma.rows, mb.columns < ma.columns
    batch, row, column = _plain_strides(b)
    how = _SCALAR if one_row and one_column else _ROW if one_row else _COLUMN if one_column \
        else _NONE
    return how, (batch if mb.batch > 1 else 0, 0 if one_row else row, 0 if one_column else column)


def _binary(name: str, function: str) -> Any:
    def op(input_tensor_a: Tensor, input_tensor_b: Tensor | float, *, memory_config: Any = None,
           activation: str | None = None, **settings: Any) -> Tensor:
        a, b = input_tensor_a, input_tensor_b
        if not isinstance(b, Tensor):
            b = full((1, 1), float(b), a.dtype, device=_on_one_device([a]))
        how, strides = _broadcast(a, b)
        defines = [f"BINARY={function}", f"BCAST={how}", *_activation(activation)]
        return _eltwise("BinaryDeviceOperation", [a, b], [_plain_strides(a), strides], a.shape,
                        defines, memory_config)
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} of two tensors; the second one may be a number, a row or a column."
    return op


add = _binary("add", "add")
subtract = sub = _binary("subtract", "sub")
multiply = mul = _binary("multiply", "mul")


def matmul(input_tensor_a: Tensor, input_tensor_b: Tensor, *, memory_config: Any = None,
           activation: str | None = None, **settings: Any) -> Tensor:
    """The product of matrices; the second may be one for all of the first's."""
    a, b = input_tensor_a, input_tensor_b
    ma, mb = a.matrices(), b.matrices()
    if ma.columns != mb.rows or mb.batch not in (1, ma.batch):
        raise ValueError(f"matmul: shapes {list(a.shape)} and {list(b.shape)} do not go together")
    inner, columns = _tiles(ma.columns), _tiles(mb.columns)
    op = _Op("MatmulDeviceOperation", "matmul_read.c", "matmul.c", inner * _cycles("matmul"))
    op.arguments = [inner, _tiles(ma.rows), columns, inner * columns if mb.batch > 1 else 0]
    op.defines = _activation(activation)
    return op.run([a, b], (*a.shape[:-1], mb.columns), memory_config)


def linear(input_tensor_a: Tensor, input_tensor_b: Tensor, *, bias: Tensor | None = None,
           activation: str | None = None, memory_config: Any = None, **settings: Any) -> Tensor:
    """A layer: matmul, then the bias, then the activation."""
    if bias is None:
        return matmul(input_tensor_a, input_tensor_b, activation=activation,
                      memory_config=memory_config)
    return add(matmul(input_tensor_a, input_tensor_b), bias, activation=activation,
               memory_config=memory_config)


def transpose(input_tensor: Tensor, dim1: int = -2, dim2: int = -1, *, memory_config: Any = None,
              **settings: Any) -> Tensor:
    """Exchanges the last two dimensions."""
    n = len(input_tensor.shape)
    if n < 2 or {dim1 % n, dim2 % n} != {n - 2, n - 1}:
        raise ValueError("transpose: only the last two dimensions can be exchanged")
    *batch, rows, columns = input_tensor.shape
    strides = (_tiles(rows) * _tiles(columns), 1, _tiles(columns))
    return _eltwise("TransposeDeviceOperation", [input_tensor], [strides],
                    (*batch, columns, rows), ["TRANSPOSE=1"], memory_config)


def softmax(input_tensor: Tensor, dim: int = -1, **settings: Any) -> Tensor:
    """Softmax of the last dimension. The host computes it: the report shows a host op."""
    if dim not in (-1, len(input_tensor.shape) - 1):
        raise ValueError("softmax: only of the last dimension")
    device, host = input_tensor.device(), from_device(input_tensor)
    out = Tensor(host.shape, host.dtype, array.array("f"))
    started = lib.ttnn_host_begin(_Op("ttnn.softmax (host)", "", "", 0).describe([host], out, None))
    columns = host.shape[-1]
    for at in range(0, len(host.values), columns):
        row = host.values[at:at + columns]
        most = max(row)
        powers = [math.exp(value - most) for value in row]
        total = sum(powers)
        out.values.extend(power / total for power in powers)
    lib.ttnn_host_end(started)
    if device is None:
        return out
    from ttnn._tensor import to_device
    return to_device(out, device, input_tensor.memory)
