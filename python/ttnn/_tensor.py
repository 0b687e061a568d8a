# SPDX-License-Identifier: Apache-2.0
"""Tensors: on the host as floats in the order of rows, on a device as tiles."""
from __future__ import annotations

import array
import ctypes
import importlib.util
import math
import random
from typing import Any, Iterable, Sequence

from ttnn import _library
from ttnn._device import Device
from ttnn._library import call, lib


class _Name:
    """A constant that prints as its name."""

    def __init__(self, name: str, value: int = 0) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return self.name


bfloat16, float32 = _Name("DataType.BFLOAT16", _library.BFLOAT16), _Name("DataType.FLOAT32")
ROW_MAJOR_LAYOUT, TILE_LAYOUT = _Name("Layout.ROW_MAJOR"), _Name("Layout.TILE")
DRAM_MEMORY_CONFIG = _Name("MemoryConfig(INTERLEAVED,DRAM)", _library.DRAM)
L1_MEMORY_CONFIG = _Name("MemoryConfig(INTERLEAVED,L1)", _library.L1)


class Tensor:
    """Values with a shape. Use from_torch() or zeros() to make one."""

    def __init__(self, shape: Sequence[int], dtype: _Name, values: array.array | None = None,
                 device: Device | None = None, memory: _Name = DRAM_MEMORY_CONFIG) -> None:
        self.shape, self.dtype = tuple(shape), dtype
        self.values, self.memory = values, memory
        self._device, self.buffers = device, []
        self.layout = ROW_MAJOR_LAYOUT if device is None else TILE_LAYOUT
        if device is not None:
            device.tensors.add(self)
            for handle in device.open_handles():
                self.buffers.append(call("ttnn_buffer", handle, self.matrices(), memory.value))

    def device(self) -> Device | None:
        return self._device

    def matrices(self) -> _library.Shape:
        """The shape as matrices: all but the last two dimensions count as one."""
        rows, columns = ((1, 1) + self.shape)[-2:]
        return _library.Shape(math.prod(self.shape[:-2]), rows, columns, self.dtype.value)

    def four(self) -> tuple[int, ...]:
        """The shape with four dimensions."""
        return (math.prod(self.shape[:-3]), *((1, 1, 1) + self.shape)[-3:])

    def is_allocated(self) -> bool:
        return bool(self.buffers) or self.values is not None

    def deallocate(self) -> None:
        """Frees the memory; the tensor must not be used afterwards."""
        buffers, self.buffers, self.values = self.buffers, [], None
        if self._device is not None and self._device.handles:
            for buffer in buffers:
                lib.tacho_buffer_free(buffer)

    def __del__(self) -> None:
        if getattr(self, "buffers", None):
            self.deallocate()

    def to_list(self) -> Any:
        """Nested lists."""
        values = from_device(self).values
        assert values is not None
        return _nested(values, 0, self.shape)[0]

    def cpu(self) -> Tensor:
        return from_device(self)

    def __repr__(self) -> str:
        where = "host" if self._device is None else "device"
        return f"ttnn.Tensor(shape={list(self.shape)}, dtype={self.dtype}, on {where})"

    def __add__(self, other: Any) -> Tensor:
        from ttnn import _ops
        return _ops.add(self, other)

    def __sub__(self, other: Any) -> Tensor:
        from ttnn import _ops
        return _ops.subtract(self, other)

    def __mul__(self, other: Any) -> Tensor:
        from ttnn import _ops
        return _ops.multiply(self, other)

    def __matmul__(self, other: Tensor) -> Tensor:
        from ttnn import _ops
        return _ops.matmul(self, other)


def _nested(values: array.array, at: int, shape: Sequence[int]) -> tuple[Any, int]:
    if not shape:
        return values[at], at + 1
    if len(shape) == 1:
        return list(values[at:at + shape[0]]), at + shape[0]
    out = []
    for _ in range(shape[0]):
        inner, at = _nested(values, at, shape[1:])
        out.append(inner)
    return out, at


def _shape_of(values: Any) -> tuple[int, ...]:
    shape = []
    while isinstance(values, (list, tuple)):
        shape.append(len(values))
        values = values[0] if values else None
    return tuple(shape)


def _flatten(values: Any, shape: Sequence[int], out: array.array) -> None:
    if not shape:
        out.append(values)
        return
    if not isinstance(values, (list, tuple)) or len(values) != shape[0]:
        raise ValueError("the lists are not of one length")
    if len(shape) == 1:
        out.extend(values)
        return
    for inner in values:
        _flatten(inner, shape[1:], out)


def _floats(source: Any) -> tuple[array.array, tuple[int, ...]]:
    """Of a torch tensor, a numpy array, nested lists or a number."""
    if hasattr(source, "detach"):
        source = source.detach().cpu().float().numpy()
    if hasattr(source, "astype"):
        flat = array.array("f")
        flat.frombytes(source.astype("float32").tobytes())
        return flat, tuple(int(n) for n in source.shape)
    shape = _shape_of(source)
    flat = array.array("f")
    _flatten(source, shape, flat)
    return flat, shape


def from_torch(tensor: Any, dtype: _Name | None = None, *, layout: _Name | None = None,
               device: Device | None = None, memory_config: _Name | None = None,
               **settings: Any) -> Tensor:
    """A tensor of a torch tensor, a numpy array or nested lists; on a device when one is given."""
    values, shape = _floats(tensor)
    if not values:
        raise ValueError("a tensor needs at least one value")
    host = Tensor(shape, dtype or bfloat16, values)
    return host if device is None else to_device(host, device, memory_config)


as_tensor = from_torch


def to_device(tensor: Tensor, device: Device, memory_config: _Name | None = None) -> Tensor:
    """A copy on the device, in tiles."""
    if tensor.values is None:
        tensor = from_device(tensor)
    out = Tensor(tensor.shape, tensor.dtype, None, device, memory_config or DRAM_MEMORY_CONFIG)
    values = (ctypes.c_float * len(tensor.values)).from_buffer(tensor.values)
    for buffer in out.buffers:
        call("ttnn_write", buffer, out.matrices(), values)
    return out


def from_device(tensor: Tensor) -> Tensor:
    """A copy on the host; of a mesh, that of the first device."""
    if tensor.values is not None:
        return tensor
    if not tensor.buffers:
        raise RuntimeError("the tensor was deallocated")
    values = array.array("f", bytes(4 * math.prod(tensor.shape)))
    call("ttnn_read", tensor.buffers[0], tensor.matrices(),
         (ctypes.c_float * len(values)).from_buffer(values))
    return Tensor(tensor.shape, tensor.dtype, values)


def to_torch(tensor: Tensor, **settings: Any) -> Any:
    """A torch tensor; without torch a numpy array, and without that nested lists."""
    host = from_device(tensor)
    for name in ("torch", "numpy"):
        if importlib.util.find_spec(name):
            module = importlib.import_module(name)
            flat = module.frombuffer(host.values, dtype=module.float32)
            return flat.reshape(host.shape).clone() if name == "torch" else \
                flat.reshape(host.shape).copy()
    return host.to_list()


def to_layout(tensor: Tensor, layout: _Name, **settings: Any) -> Tensor:
    """Does nothing: tensors are always tiled on a device, never on the host."""
    return tensor


def full(shape: Iterable[int], fill_value: float, dtype: _Name | None = None, *,
         layout: _Name | None = None, device: Device | None = None,
         memory_config: _Name | None = None) -> Tensor:
    shape = tuple(shape)
    host = Tensor(shape, dtype or bfloat16, array.array("f", [fill_value]) * math.prod(shape))
    return host if device is None else to_device(host, device, memory_config)


def zeros(shape: Iterable[int], **settings: Any) -> Tensor:
    return full(shape, 0.0, **settings)


def ones(shape: Iterable[int], **settings: Any) -> Tensor:
    return full(shape, 1.0, **settings)


def rand(shape: Iterable[int], device: Device | None = None, *, dtype: _Name | None = None,
         layout: _Name | None = None, memory_config: _Name | None = None, low: float = 0.0,
         high: float = 1.0, seed: int = 0) -> Tensor:
    """Uniform values from low to high; reproducible with a seed other than 0."""
    shape = tuple(shape)
    uniform = random.Random(seed or None).uniform
    values = array.array("f", (uniform(low, high) for _ in range(math.prod(shape))))
    host = Tensor(shape, dtype or bfloat16, values)
    return host if device is None else to_device(host, device, memory_config)


def deallocate(tensor: Tensor, force: bool = True) -> None:
    tensor.deallocate()
