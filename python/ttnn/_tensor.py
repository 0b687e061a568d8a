# SPDX-License-Identifier: Apache-2.0
"""Tensors: on the host as values in the order of rows, on a device in pages."""
from __future__ import annotations

import array
import contextlib
import ctypes
import importlib
import importlib.util
import math
from typing import Any, Iterable, Iterator, Sequence

from ttnn import _library
from ttnn._device import Device, GetDefaultDevice
from ttnn._library import call, lib
from ttnn._shards import fits_rows, shards_chosen, shards_of
from ttnn._types import (BLOCKS, DRAM_MEMORY_CONFIG, FLOATS, ROW_MAJOR_LAYOUT, TILE_LAYOUT,
                         FatalError, MemoryConfig, Shape, StorageType, bfloat16, check,
                         float32, fp8_e4m3, int8, int32, uint16, uint32, uint8)


def code_of(dtype: Any) -> str:
    """The type of values in array.array, four bytes each."""
    return "f" if dtype in FLOATS else "i" if dtype is int32 else "I"


def fold(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape with four dimensions."""
    return (math.prod(shape[:-3]), *((1, 1, 1) + tuple(shape))[-3:])


def tiles(n: int) -> int:
    return (n + 31) // 32


def pad_shape(shape: Sequence[int], layout: Any) -> Shape:
    if layout is not TILE_LAYOUT:
        return Shape(shape)
    full = (1,) * (2 - len(shape)) + tuple(shape) if len(shape) < 2 else tuple(shape)
    return Shape((*full[:-2], tiles(full[-2]) * 32, tiles(full[-1]) * 32))


class Storage:
    """Memory on all devices of a mesh; tensors that are views of each other share it."""

    def __init__(self, device: Device, like: _library.NnTensor) -> None:
        self.parts: list[int] = []
        device.storages.add(self)
        self.device = device
        for handle in device.open_handles():
            try:
                call("ttnn_tensor_make", handle, like)
            except RuntimeError as error:
                self.free()
                raise RuntimeError(f"TT_FATAL: Out of Memory: {error}") from None
            self.parts.append(like.buffer)

    def free(self) -> None:
        parts, self.parts = self.parts, []
        if self.device.handles:
            for buffer in parts:
                lib.tacho_buffer_free(buffer)

    def __del__(self) -> None:
        if getattr(self, "parts", None):
            self.free()


class Tensor:
    """Values with a shape, on the host or on a device."""
    shape: Shape
    dtype: Any
    layout: Any
    shards: _library.Shards | None  # for the C side; of sharded tensors

    def __init__(self, data: Any, dtype: Any = None, device: Any = None,
                 layout: Any = None, mem_config: Any = None,
                 tile: Any = None, *, pad_value: Any = None, memory_config: Any = None) -> None:
        mem_config = mem_config or memory_config
        if isinstance(dtype, Sequence):  # values, shape, type, layout, device
            kind = device or float32
            flat = convert(array.array("f", map(float, data)), (len(data),), float32, kind)
            host = Tensor.make(tuple(dtype), kind, layout or ROW_MAJOR_LAYOUT, flat)
            made = host if mem_config is None else to_device(host, mem_config)
            self.__dict__.update(made.__dict__)
            return
        if isinstance(layout, Device) or (device is not None and not isinstance(device, Device)):
            device, layout = layout, device
        made = from_torch(data, dtype, layout=layout, device=device, memory_config=mem_config,
                          pad_value=pad_value)
        self.__dict__.update(made.__dict__)

    @staticmethod
    def make(shape: Sequence[int], dtype: Any, layout: Any, values: array.array | None = None,
             device: Device | None = None, memory: MemoryConfig | None = None,
             storage: Storage | None = None) -> Tensor:
        """On the host with VALUES; else on DEVICE, in STORAGE or in new memory."""
        t = Tensor.__new__(Tensor)
        t.shape, t.dtype, t.layout, t.values = Shape(shape), dtype, layout, values
        t._device, t.memory, t.storage, t.shards = device, memory or DRAM_MEMORY_CONFIG, storage, None
        if t.memory.is_sharded() and device is not None and fits_rows(t.memory, layout) and t.volume():
            t.cut()
        check(not (layout is ROW_MAJOR_LAYOUT and dtype in BLOCKS),
              f"{dtype!r} tensors must be in TILE layout")
        check(dtype not in (int8, fp8_e4m3), f"Unsupported data type {dtype!r}")
        if device is not None and not t.volume():
            t.values = array.array(code_of(dtype))
        elif device is not None and storage is None:
            t.storage = Storage(device, t.part(None))
        return t

    def cut(self) -> None:
        """Finds the tensor's shards: by its memory configuration, else over all cores."""
        what = self.shape, self.padded_shape, self.layout
        try:
            self.shards = shards_of(self.memory, *what)
        except (FatalError, AttributeError):  # of an input of another shape, or without any
            self.memory = shards_chosen(self.memory, *what, self._device)
            self.shards = shards_of(self.memory, *what)

    # ---- what it is
    def part(self, index: int | None, shape: Sequence[int] | None = None) -> _library.NnTensor:
        """Of one device, for the C side."""
        return _library.NnTensor(None if index is None else self.storage.parts[index],
                                 (ctypes.c_uint32 * 4)(*fold(self.shape if shape is None else shape)),
                                 self.dtype.value, self.memory.buffer_type.value,
                                 self.layout.value,
                                 ctypes.pointer(self.shards) if self.shards else None)

    @property
    def padded_shape(self) -> Shape:
        return pad_shape(self.shape, self.layout)

    def device(self) -> Device | None:
        return self._device

    def memory_config(self) -> MemoryConfig:
        return self.memory

    def is_sharded(self) -> bool:
        return self.memory.is_sharded()

    def shard_spec(self) -> Any:
        return self.memory.shard_spec

    def storage_type(self) -> Any:
        return StorageType.HOST if self._device is None else StorageType.DEVICE

    def get_layout(self) -> Any:
        return self.layout

    def get_dtype(self) -> Any:
        return self.dtype

    def volume(self) -> int:
        return math.prod(self.shape)

    logical_volume = volume

    def element_size(self) -> int:
        return {5: 2, 9: 2, 30: 1, 6: 1, 7: 1}.get(self.dtype.value, 4)

    def is_allocated(self) -> bool:
        return self.values is not None or bool(self.storage and self.storage.parts)

    def buffer_address(self) -> int:
        return lib.tacho_buffer_address(ctypes.c_void_p(self.storage.parts[0]))

    # ---- moves
    def deallocate(self, force: bool = True) -> None:
        """Frees the memory; the tensor must not be used afterwards."""
        self.values = None
        if self.storage is not None:
            self.storage.free()

    def cpu(self, blocking: bool = True, cq_id: Any = None) -> Tensor:
        return from_device(self)

    def to(self, where: Any, memory_config: MemoryConfig | None = None, *,
           mem_config: MemoryConfig | None = None, cq_id: Any = None) -> Tensor:
        """On a device, or in a layout."""
        if isinstance(where, Device):
            return to_device(self, where, memory_config or mem_config)
        from ttnn import _move
        return _move.to_layout(self, where)

    def to_torch(self, *arguments: Any, **settings: Any) -> Any:
        return to_torch(self, *arguments, **settings)

    def to_torch_with_padded_shape(self) -> Any:
        """With what is in the padding of tiles."""
        padded = Tensor.make(self.padded_shape, self.dtype, self.layout, self.values, self._device,
                             self.memory, self.storage)
        if self.values is not None and self.padded_shape != self.shape:
            padded = self.pad_to_tile()
        return to_torch(padded)

    def to_numpy(self) -> Any:
        return _as_module(from_device(self), "numpy")

    def reshape(self, *shape: Any) -> Tensor:
        from ttnn import _move
        return _move.reshape(self, shape[0] if len(shape) == 1 and not isinstance(shape[0], int)
                             else shape)

    def pad_to_tile(self, pad_value: float = 0.0) -> Tensor:
        """Its padded shape becomes its shape."""
        from ttnn import _move
        shape = pad_shape(self.shape, TILE_LAYOUT)
        return _move.pad(self, [(0, n - m) for m, n in zip(self.shape, shape)], pad_value)

    def unpad_from_tile(self, shape: Sequence[int]) -> Tensor:
        from ttnn import _move
        return _move.slice(self, [0] * len(shape), list(shape))

    def item(self) -> Any:
        check(self.volume() == 1, f"item() of a tensor with {self.volume()} values")
        return from_device(self).values[0]

    def to_list(self) -> Any:
        """Nested lists."""
        values = from_device(self).values
        return _nested(values, 0, self.shape)[0]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Tensor:
        from ttnn import _move
        return _move.tensor_at(self, key)

    def __repr__(self) -> str:
        rows = _printed(self) if self.is_allocated() else "<buffer is not allocated>"
        return (f"ttnn.Tensor({rows}, shape={self.shape!r}, dtype={self.dtype.text}, "
                f"layout={self.layout.text})")

    # Compared by values, so without a hash of values.
    __hash__ = object.__hash__


def _operator(name: str, function: str, swap: bool = False) -> None:
    def operator(self: Tensor, other: Any) -> Any:
        from ttnn import _eltwise
        if not isinstance(other, (Tensor, int, float)):
            return NotImplemented
        op = getattr(_eltwise, function)
        return op(other, self) if swap else op(self, other)
    setattr(Tensor, name, operator)


for _name, _function in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"),
                         ("truediv", "divide"), ("pow", "pow")):
    _operator(f"__{_name}__", _function)
for _name, _function, _swap in (("add", "add", False), ("mul", "multiply", False),
                                ("sub", "rsub", False), ("truediv", "rdiv", False),
                                ("pow", "rpow", False)):
    _operator(f"__r{_name}__", _function, _swap)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _operator(f"__{_name}__", _name)


def _matmul(self: Tensor, other: Tensor) -> Tensor:
    from ttnn import _matmul as products
    return products.matmul(self, other)


def _neg(self: Tensor) -> Tensor:
    from ttnn import _eltwise
    return _eltwise.neg(self)


Tensor.__matmul__, Tensor.__neg__ = _matmul, _neg  # type: ignore[attr-defined]


# ---- text
def _nested(values: array.array, at: int, shape: Sequence[int]) -> tuple[Any, int]:
    if not len(shape):
        return values[at], at + 1
    if len(shape) == 1:
        return list(values[at:at + shape[0]]), at + shape[0]
    out = []
    for _ in range(shape[0]):
        inner, at = _nested(values, at, shape[1:])
        out.append(inner)
    return out, at


_print: dict[str, Any] = {"sci": None, "profile": "short", "precision": 4, "edge": 2}


def set_printoptions(*, profile: str | None = None, sci_mode: Any = None,
                     precision: int | None = None, threshold: int | None = None,
                     edge_items: int | None = None) -> None:
    """profile: "full" prints all values, "short" and "default" the edges, "empty" none. sci_mode:
    with exponents or without; "default": as the values need."""
    if profile is not None:
        if profile.lower() not in ("full", "short", "default", "empty"):
            raise RuntimeError(f"TT_FATAL: Invalid print profile {profile}")
        _print["profile"] = profile.lower()
    if sci_mode is not None:
        _print["sci"] = None if sci_mode == "default" else sci_mode
    if precision is not None:
        _print["precision"] = precision
    if edge_items is not None:
        _print["edge"] = edge_items


def _exponents(values: array.array) -> bool:
    """Whether the values need them: as torch decides."""
    sizes = [abs(v) for v in values if v and math.isfinite(v)]
    return bool(sizes) and (max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4)


def _printed(tensor: Tensor) -> str:
    if _print["profile"] == "empty":
        return "..."
    host, edge = from_device(tensor), 1 << 30 if _print["profile"] == "full" else _print["edge"]
    places = _print["precision"]
    if host.values.typecode != "f":
        form = "5d"
    elif _exponents(host.values) if _print["sci"] is None else _print["sci"]:
        form = f"{places + 7}.{places}e"
    else:
        form = f"{places + 3}.{places}f"

    def level(at: int, shape: Sequence[int], indent: int) -> str:
        if not len(shape):
            return format(host.values[at], form)
        step = math.prod(shape[1:])
        shown = [i for i in range(shape[0]) if i < edge or i >= shape[0] - edge]
        parts = [level(at + i * step, shape[1:], indent + 1) for i in shown]
        if len(shown) < shape[0]:
            parts.insert(edge, " ..." if len(shape) == 1 else "...")
        glue = ", " if len(shape) == 1 else "," + "\n" * min(len(shape) - 1, 2) + " " * (indent + 1)
        return "[" + glue.join(parts) + "]"
    return level(0, tuple(host.shape), 12)


# ---- values from elsewhere
def _shape_of(values: Any) -> tuple[int, ...]:
    shape = []
    while isinstance(values, (list, tuple)):
        shape.append(len(values))
        values = values[0] if values else None
    return tuple(shape)


def _flatten(values: Any, shape: Sequence[int], out: list[Any]) -> None:
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


_DTYPES = {"float32": float32, "float64": float32, "float16": float32, "bfloat16": bfloat16,
           "int32": int32, "int64": uint32, "uint32": uint32, "uint16": uint16, "int16": int32,
           "uint8": uint8, "int8": int32, "bool": uint8}


def _from_numpy(source: Any) -> tuple[array.array, tuple[int, ...], Any]:
    dtype = _DTYPES.get(str(source.dtype))
    if dtype is None:
        raise RuntimeError(f"TT_FATAL: unsupported data type {source.dtype}")
    values = array.array(code_of(dtype))
    kind = "float32" if dtype in FLOATS else "int32" if dtype is int32 else "uint32"
    values.frombytes(source.astype(kind).tobytes())
    return values, tuple(int(n) for n in source.shape), dtype


def _values_of(source: Any) -> tuple[array.array, tuple[int, ...], Any]:
    """Values, shape and type of a torch tensor, a numpy array, nested lists or a number."""
    if isinstance(source, Tensor):
        host = from_device(source)
        return host.values, tuple(host.shape), host.dtype
    if hasattr(source, "detach"):
        name = str(source.dtype).rpartition(".")[2]
        source = source.detach().cpu()
        if name == "bfloat16":
            values, shape, _ = _from_numpy(source.float().numpy())
            return values, shape, bfloat16
        return _from_numpy(source.numpy())
    if hasattr(source, "astype"):
        return _from_numpy(source)
    shape, flat = _shape_of(source), []
    _flatten(source, shape, flat)
    whole = bool(flat) and all(isinstance(v, int) for v in flat)
    dtype = int32 if whole else float32
    return array.array(code_of(dtype), flat), shape, dtype


def convert(values: array.array, shape: Sequence[int], from_: Any, to: Any) -> array.array:
    """Values as another type; a copy."""
    code = code_of(to)
    if code == values.typecode:
        out = array.array(code, values)
    elif code == "f":
        out = array.array(code, map(float, values))
    elif values.typecode == "f":
        least, most = {8: (-2**31, 2**31 - 1), 9: (0, 65535), 30: (0, 255)}.get(to.value, (0, 2**32 - 1))
        out = array.array(code, (int(max(least, min(most, v))) for v in values))
    else:
        out = array.array(code, values.tobytes())
    if to in (uint16, uint8) and from_ is not to:  # integers wrap around
        mask = 0xffff if to is uint16 else 0xff
        out = array.array(code, (v & mask for v in out))
    if to in FLOATS and to is not float32 and (from_ is not to) and len(out):
        like = _library.NnTensor(None, (ctypes.c_uint32 * 4)(*fold(shape)), to.value, 0, 1)
        call("ttnn_round", like, _address(out))
    return out


def _address(values: array.array) -> int:
    return values.buffer_info()[0]


# ---- functions
def from_torch(tensor: Any, dtype: Any = None, *, spec: Any = None, layout: Any = None,
               device: Device | None = None, memory_config: MemoryConfig | None = None,
               pad_value: Any = None, tile: Any = None, mesh_mapper: Any = None,
               cq_id: Any = None) -> Tensor:
    """A tensor of a torch tensor, a numpy array or nested lists; on a device when one is given."""
    values, shape, own = _values_of(tensor)
    dtype = dtype or own
    if layout is None:
        layout = TILE_LAYOUT if dtype in BLOCKS else ROW_MAJOR_LAYOUT
    host = Tensor.make(shape, dtype, layout, convert(values, shape, own, dtype))
    return host if device is None else to_device(host, device, memory_config, pad_value=pad_value)


def as_tensor(tensor: Any, dtype: Any = None, *, layout: Any = None, device: Device | None = None,
              memory_config: MemoryConfig | None = None, cache_file_name: Any = None,
              preprocess: Any = None, mesh_mapper: Any = None, pad_value: Any = None,
              use_device_tilizer: bool = False) -> Tensor:
    """As from_torch(), after applying PREPROCESS. Cache files are not written."""
    return from_torch(preprocess(tensor) if preprocess else tensor, dtype, layout=layout,
                      device=device, memory_config=memory_config, pad_value=pad_value,
                      mesh_mapper=mesh_mapper)


def pad_bits(value: Any, dtype: Any) -> int:
    return int.from_bytes(array.array(code_of(dtype), [
        float(value or 0) if dtype in FLOATS else int(value or 0)]).tobytes(), "little")


def shards_check(memory: MemoryConfig | None, shape: Sequence[int], layout: Any) -> None:
    """Raises an error if a tensor cannot have the requested shards."""
    if memory is not None and memory.is_sharded() and memory.shard_spec and fits_rows(memory, layout):
        shards_of(memory, shape, pad_shape(shape, layout), layout)


def to_device(tensor: Tensor, device: Device, memory_config: MemoryConfig | None = None, *,
              cq_id: Any = None, pad_value: Any = None) -> Tensor:
    """A copy on the device, in the tensor's layout."""
    check(isinstance(device, Device), "to_device: a device is needed")
    if tensor.device() is device and memory_config in (None, tensor.memory):
        return tensor
    shards_check(memory_config, tensor.shape, tensor.layout)
    host = from_device(tensor)
    out = Tensor.make(host.shape, host.dtype, host.layout, None, device, memory_config)
    _write(out, host, pad_value)
    return out


def _write(out: Tensor, host: Tensor, pad_value: Any = None) -> None:
    values = array.array(host.values.typecode, host.values)
    if not values:
        return
    for i, handle in enumerate(out.device().open_handles()):
        call("ttnn_write", handle, out.part(i), _address(values), pad_bits(pad_value, out.dtype))


def allocate_tensor_on_device(shape: Sequence[int], dtype: Any, layout: Any, device: Device,
                              memory_config: MemoryConfig | None = None) -> Tensor:
    return Tensor.make(shape, dtype, layout, None, device, memory_config)


def copy_host_to_device_tensor(host_tensor: Tensor, device_tensor: Tensor, cq_id: Any = 0) -> None:
    check(host_tensor.shape == device_tensor.shape, "copy_host_to_device_tensor: the shapes "
          f"{host_tensor.shape} and {device_tensor.shape} must be equal")
    _write(device_tensor, from_device(host_tensor))


def from_device(tensor: Tensor, blocking: bool = True, *, cq_id: Any = None) -> Tensor:
    """A copy on the host; of a mesh, that of the first device."""
    if tensor.values is not None:
        return tensor if tensor.device() is None else Tensor.make(tensor.shape, tensor.dtype, tensor.layout,
                                                                  tensor.values)
    if not tensor.is_allocated():
        raise RuntimeError("TT_FATAL: the tensor was deallocated")
    values = array.array(code_of(tensor.dtype), bytes(4 * tensor.volume()))
    call("ttnn_read", tensor.device().open_handles()[0], tensor.part(0), _address(values))
    return Tensor.make(tensor.shape, tensor.dtype, tensor.layout, values)


def is_tensor_storage_on_device(tensor: Tensor) -> bool:
    return tensor.device() is not None


def get_memory_config(tensor: Tensor) -> MemoryConfig:
    return tensor.memory


def get_device_tensors(tensor: Tensor) -> list[Tensor]:
    """One for each device of a mesh."""
    return [tensor] * (tensor.device().get_num_devices() if tensor.device() else 1)


def _as_module(host: Tensor, name: str, dtype: Any = None) -> Any:
    module = importlib.import_module(name)
    flat = host.values
    kind = {"f": "float32", "i": "int32", "I": "uint32"}[flat.typecode]
    if name == "numpy":
        if host.dtype in (uint16, uint8):
            return module.frombuffer(flat, dtype=kind).astype(host.dtype.name.lower()) \
                .reshape(tuple(host.shape))
        return module.frombuffer(flat, dtype=kind).reshape(tuple(host.shape)).copy()
    if kind == "uint32":  # torch has few unsigned types
        out = module.frombuffer(flat, dtype=module.int32).to(module.int64) & 0xffffffff
        if host.dtype is uint8 and dtype is None:
            out = out.to(module.uint8)
        elif host.dtype is uint16 and dtype is None:
            out = out.to(getattr(module, "uint16", module.int32))
    else:
        out = module.frombuffer(flat, dtype=getattr(module, kind)).clone()
        if host.dtype is bfloat16:
            out = out.to(module.bfloat16)
    out = out.reshape(tuple(host.shape))
    return out if dtype is None else out.to(dtype)


def to_torch(tensor: Tensor, dtype: Any = None, *, torch_rank: int | None = None,
             mesh_composer: Any = None, device: Any = None, cq_id: Any = None) -> Any:
    """A torch tensor; without torch a numpy array, and without that nested lists."""
    host = from_device(tensor)
    if torch_rank is not None:
        host = Tensor.make(host.shape.to_rank(torch_rank), host.dtype, host.layout, host.values)
    for name in ("torch", "numpy"):
        if importlib.util.find_spec(name):
            return _as_module(host, name, dtype)
    return host.to_list()


def deallocate(tensor: Tensor, force: bool = True) -> None:
    tensor.deallocate()


# ---- meshes
class ReplicateTensorToMesh:
    """Each device gets the whole tensor."""

    def __init__(self, mesh_device: Device) -> None:
        self.device = mesh_device


class ShardTensorToMesh:
    """Each device gets a part of dimension DIM; only of meshes of one device."""

    def __init__(self, mesh_device: Device, dim: int) -> None:
        check(mesh_device.get_num_devices() == 1,
              "ShardTensorToMesh: only meshes of one device are implemented")
        self.device, self.dim = mesh_device, dim


class ConcatMeshToTensor(ShardTensorToMesh):
    """The reverse."""


@contextlib.contextmanager
def distribute(mapper: Any) -> Iterator[None]:
    yield


# ---- new tensors
def _placed(host: Tensor, device: Device | None, memory_config: MemoryConfig | None) -> Tensor:
    device = device or GetDefaultDevice()
    return host if device is None else to_device(host, device, memory_config)


def full(shape: Iterable[int], fill_value: float, dtype: Any = None, layout: Any = None,
         device: Device | None = None, memory_config: MemoryConfig | None = None,
         optional_tensor: Any = None) -> Tensor:
    shape, dtype = tuple(shape), dtype or bfloat16
    value = float(fill_value) if dtype in FLOATS else int(fill_value)
    values = array.array(code_of(dtype), [value]) * math.prod(shape)
    layout = layout or (TILE_LAYOUT if dtype in BLOCKS else ROW_MAJOR_LAYOUT)
    return _placed(Tensor.make(shape, dtype, layout, convert(values, shape, float32, dtype)),
                   device, memory_config)


def zeros(shape: Iterable[int], dtype: Any = None, layout: Any = None,
          device: Device | None = None, memory_config: MemoryConfig | None = None) -> Tensor:
    return full(shape, 0, dtype, layout, device, memory_config)


def ones(shape: Iterable[int], dtype: Any = None, layout: Any = None,
         device: Device | None = None, memory_config: MemoryConfig | None = None) -> Tensor:
    return full(shape, 1, dtype, layout, device, memory_config)


def empty(shape: Iterable[int], dtype: Any = None, layout: Any = None,
          device: Device | None = None, memory_config: MemoryConfig | None = None) -> Tensor:
    return full(shape, 0, dtype, layout, device, memory_config)


def full_like(tensor: Tensor, fill_value: float, *, dtype: Any = None, layout: Any = None,
              device: Device | None = None, memory_config: MemoryConfig | None = None,
              optional_tensor: Any = None) -> Tensor:
    return full(tensor.shape, fill_value, dtype or tensor.dtype, layout or tensor.layout,
                device or tensor.device(), memory_config or tensor.memory)


def zeros_like(tensor: Tensor, **settings: Any) -> Tensor:
    return full_like(tensor, 0, **settings)


def ones_like(tensor: Tensor, **settings: Any) -> Tensor:
    return full_like(tensor, 1, **settings)


empty_like = zeros_like


def arange(start: int, end: int | None = None, step: int = 1, dtype: Any = None,
           device: Device | None = None, memory_config: MemoryConfig | None = None, *,
           layout: Any = None) -> Tensor:
    start, end = (0, start) if end is None else (start, end)
    values, dtype = list(range(start, end, step)), dtype or bfloat16
    raw = array.array(code_of(dtype), map(float, values) if dtype in FLOATS else values)
    host = Tensor.make((len(values),), dtype, layout or ROW_MAJOR_LAYOUT,
                       convert(raw, (len(values),), float32, dtype))
    return _placed(host, device, memory_config)
