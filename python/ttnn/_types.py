# SPDX-License-Identifier: Apache-2.0
"""Constants and small types: data types, layouts, shapes, memory and program configurations."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Iterable, Iterator, Sequence

TILE_SIZE = 32


class FatalError(RuntimeError, ValueError):
    """Wrong use of an op; the text begins with TT_FATAL."""


def fatal(message: str) -> FatalError:
    return FatalError(f"TT_FATAL: {message}")


def check(condition: Any, message: str) -> None:
    if not condition:
        raise fatal(message)


class _Constant:
    """A member of an enumeration; prints as its name."""

    def __init__(self, kind: str, name: str, value: int) -> None:
        self.kind, self.name, self.value = kind, name, value

    def __repr__(self) -> str:
        return f"{self.kind}.{self.name}"

    @property
    def text(self) -> str:
        """As the ops report writes it."""
        return f"{self.kind}::{self.name}"

    def __reduce__(self) -> Any:
        return _constant, (self.kind, self.name)

    def __int__(self) -> int:
        return self.value


_ALL: dict[tuple[str, str], _Constant] = {}


def _constant(kind: str, name: str) -> _Constant:
    return _ALL[kind, name]


def _enumeration(kind: str, values: dict[str, int]) -> Any:
    members = {name: _Constant(kind, name, value) for name, value in values.items()}
    _ALL.update({(kind, name): member for name, member in members.items()})
    return type(kind, (), {**members, "__doc__": f"{kind}: {', '.join(values)}."})


# Values: enum tacho_format.
DataType = _enumeration("DataType", {"BFLOAT16": 5, "FLOAT32": 0, "BFLOAT8_B": 6, "BFLOAT4_B": 7,
                                     "UINT32": 24, "INT32": 8, "UINT16": 9, "UINT8": 30,
                                     "INT8": 14, "FP8_E4M3": 26})
bfloat16, float32 = DataType.BFLOAT16, DataType.FLOAT32
bfloat8_b, bfloat4_b = DataType.BFLOAT8_B, DataType.BFLOAT4_B
uint32, int32, uint16, uint8 = DataType.UINT32, DataType.INT32, DataType.UINT16, DataType.UINT8
int8, fp8_e4m3 = DataType.INT8, DataType.FP8_E4M3  # names only: the device has neither
FLOATS, BLOCKS = (bfloat16, float32, bfloat8_b, bfloat4_b), (bfloat8_b, bfloat4_b)

Layout = _enumeration("Layout", {"ROW_MAJOR": 0, "TILE": 1})
ROW_MAJOR_LAYOUT, TILE_LAYOUT = Layout.ROW_MAJOR, Layout.TILE
BufferType = _enumeration("BufferType", {"DRAM": 0, "L1": 1})
TensorMemoryLayout = _enumeration("TensorMemoryLayout", {
    "INTERLEAVED": 0, "HEIGHT_SHARDED": 2, "WIDTH_SHARDED": 3, "BLOCK_SHARDED": 4})
StorageType = _enumeration("StorageType", {"HOST": 0, "DEVICE": 1})
DEVICE_STORAGE_TYPE, HOST_STORAGE_TYPE = StorageType.DEVICE, StorageType.HOST
# Values: enum tacho_fidelity.
MathFidelity = _enumeration("MathFidelity", {"HiFi4": 0, "LoFi": 1, "HiFi2": 2, "HiFi3": 3})
ShardOrientation = _enumeration("ShardOrientation", {"ROW_MAJOR": 0, "COL_MAJOR": 1})
ShardStrategy = _enumeration("ShardStrategy", {"HEIGHT": 2, "WIDTH": 3, "BLOCK": 4})
UnaryOpType = _enumeration("UnaryOpType", {name: i for i, name in enumerate(
    "RELU GELU SILU EXP SQRT SIGMOID TANH RECIP ABS NEG SQUARE LOG RSQRT SIN COS LEAKY_RELU RELU6 "
    "ERF HARDTANH SOFTPLUS SELU POWER POWER_ITERATIVE HARDSIGMOID LTZ NEZ LEZ GTZ GEZ EQZ TYPECAST "
    "RELU_MAX MISH GELU_TANH ELU CELU SIGN FLOOR CEIL EXP2 EXPM1 LOG2 LOG10 LOG1P TAN".split())})


class UnaryWithParam:
    """An activation and its parameters."""

    def __init__(self, op_type: Any, *params: Any) -> None:
        self.op_type = op_type
        self.params = [float(v) for p in params for v in (p if isinstance(p, list) else [p])]


class Shape(Sequence[int]):
    """Sizes of the dimensions."""

    def __init__(self, values: Iterable[int]) -> None:
        self._values = tuple(int(v) for v in values)

    @property
    def rank(self) -> int:
        return len(self._values)

    def to_rank(self, rank: int) -> Shape:
        """The shape with leading dimensions of 1 added or removed."""
        missing = rank - len(self._values)
        check(missing >= 0 or all(v == 1 for v in self._values[:-missing]),
              f"cannot convert {self} to rank {rank}")
        return Shape((1,) * missing + self._values if missing >= 0 else self._values[-missing:])

    def volume(self) -> int:
        return math.prod(self._values)

    def __getitem__(self, index: Any) -> Any:
        got = self._values[index]
        return Shape(got) if isinstance(index, slice) else got

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, (Shape, tuple, list)) and self._values == tuple(other)

    def __hash__(self) -> int:
        return hash(self._values)

    def __add__(self, other: Any) -> tuple[int, ...]:
        return self._values + tuple(other)

    def __radd__(self, other: Any) -> tuple[int, ...]:
        return tuple(other) + self._values

    def __repr__(self) -> str:
        return f"Shape({list(self._values)})"


# ---- cores
class CoreCoord:
    """A place in a grid of cores; also its size."""

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, CoreCoord) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    def __repr__(self) -> str:
        return f"(x={self.x},y={self.y})"


@dataclasses.dataclass(frozen=True)
class CoreGrid:
    """Rows and columns of cores from the first one on."""
    y: int
    x: int

    @property
    def num_cores(self) -> int:
        return self.x * self.y

    def __repr__(self) -> str:
        return f"ttnn.CoreGrid(x={self.x}, y={self.y})"


class CoreRange:
    """A rectangle of cores, both corners included."""

    def __init__(self, start: Any, end: Any) -> None:
        self.start, self.end = (c if isinstance(c, CoreCoord) else CoreCoord(*c)
                                for c in (start, end))
        check(self.start.x <= self.end.x and self.start.y <= self.end.y,
              f"invalid core range from {self.start} to {self.end}")

    def grid_size(self) -> CoreCoord:
        return CoreCoord(self.end.x - self.start.x + 1, self.end.y - self.start.y + 1)

    def __repr__(self) -> str:
        return f"[{self.start}-{self.end}]"


class CoreRangeSet:
    """Several rectangles."""

    def __init__(self, ranges: Iterable[CoreRange]) -> None:
        self._ranges = list(ranges)

    def ranges(self) -> list[CoreRange]:
        return list(self._ranges)

    def num_cores(self) -> int:
        return sum(r.grid_size().x * r.grid_size().y for r in self._ranges)

    def bounding_box(self) -> CoreRange:
        return CoreRange(CoreCoord(min(r.start.x for r in self._ranges),
                                   min(r.start.y for r in self._ranges)),
                         CoreCoord(max(r.end.x for r in self._ranges),
                                   max(r.end.y for r in self._ranges)))

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self._ranges)) + "}"


def num_cores_to_corerangeset(target_num_cores: int, grid_size: CoreCoord,
                              row_wise: bool = False) -> CoreRangeSet:
    """The first cores of a grid, by rows or by columns."""
    check(0 < target_num_cores <= grid_size.x * grid_size.y,
          f"{target_num_cores} cores do not fit a grid of {grid_size.x} x {grid_size.y}")
    long = grid_size.x if row_wise else grid_size.y
    whole, rest = divmod(target_num_cores, long)

    def block(from_: int, to: int, length: int) -> CoreRange:
        first, last = (0, from_), (length - 1, to)
        return CoreRange(first, last) if row_wise else CoreRange(first[::-1], last[::-1])
    return CoreRangeSet(([block(0, whole - 1, long)] if whole else []) +
                        ([block(whole, whole, rest)] if rest else []))


# ---- memory
class ShardSpec:
    """How a tensor is cut and on which cores its parts are."""

    def __init__(self, grid: Any, shard_shape: Sequence[int],
                 shard_orientation: Any = ShardOrientation.ROW_MAJOR) -> None:
        self.grid = grid if isinstance(grid, CoreRangeSet) else CoreRangeSet(grid)
        self.shape, self.orientation = list(shard_shape), shard_orientation

    def num_cores(self) -> int:
        return self.grid.num_cores()

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ShardSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return (f"ShardSpec(grid={self.grid},shape={self.shape},"
                f"orientation={self.orientation.text})")


class MemoryConfig:
    """Where a tensor is."""

    def __init__(self, memory_layout: Any = None, buffer_type: Any = BufferType.DRAM,
                 shard_spec: ShardSpec | None = None) -> None:
        self.memory_layout = memory_layout or TensorMemoryLayout.INTERLEAVED
        self.buffer_type, self.shard_spec = buffer_type, shard_spec

    def is_sharded(self) -> bool:
        return self.memory_layout is not TensorMemoryLayout.INTERLEAVED

    @property
    def interleaved(self) -> bool:
        return not self.is_sharded()

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, MemoryConfig) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return (f"MemoryConfig(memory_layout={self.memory_layout.text},"
                f"buffer_type={self.buffer_type.text},"
                f"shard_spec={self.shard_spec if self.shard_spec else 'std::nullopt'})")


DRAM_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM)
L1_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.L1)


# ---- configurations of kernels
class _Config:
    """Settings by name, with defaults; others are a TypeError."""
    FIELDS: dict[str, Any] = {}

    def __init__(self, *values: Any, **settings: Any) -> None:
        named = dict(zip(self.FIELDS, values))
        unknown = [name for name in settings if name not in self.FIELDS]
        if unknown or len(values) > len(self.FIELDS):
            raise TypeError(f"{type(self).__name__}: unknown setting "
                            f"{unknown[0] if unknown else len(values)!r}")
        for name, default in self.FIELDS.items():
            setattr(self, name, settings.get(name, named.get(name, default)))

    def __repr__(self) -> str:
        fields = ";".join(f"{name}={getattr(self, name)}" for name in self.FIELDS)
        return f"{type(self).__name__}({fields})"


class WormholeComputeKernelConfig(_Config):
    """How the tile engine computes; the fidelity changes times, never results."""
    FIELDS = {"math_fidelity": MathFidelity.LoFi, "math_approx_mode": True,
              "fp32_dest_acc_en": False, "packer_l1_acc": False, "dst_full_sync_en": False,
              "throttle_level": 0}


GrayskullComputeKernelConfig = BlackholeComputeKernelConfig = WormholeComputeKernelConfig
DeviceComputeKernelConfig = WormholeComputeKernelConfig


def init_device_compute_kernel_config(
        arch: Any = None, device_kernel_config: Any = None, math_fidelity: Any = MathFidelity.LoFi,
        math_approx_mode: bool = True, fp32_dest_acc_en: bool = False, packer_l1_acc: bool = False,
        dst_full_sync_en: bool = False, throttle_level: Any = 0) -> WormholeComputeKernelConfig:
    """The given one, or one of these settings."""
    return device_kernel_config or WormholeComputeKernelConfig(
        math_fidelity, math_approx_mode, fp32_dest_acc_en, packer_l1_acc, dst_full_sync_en,
        throttle_level)


_BLOCKS = {"compute_with_storage_grid_size": None, "in0_block_w": 0, "out_subblock_h": 0,
           "out_subblock_w": 0}
_OUT = {"out_block_h": None, "out_block_w": None, "per_core_M": 0, "per_core_N": 0}


class MatmulMultiCoreReuseProgramConfig(_Config):
    FIELDS = {**_BLOCKS, "per_core_M": 0, "per_core_N": 0}


class MatmulMultiCoreReuseMultiCastProgramConfig(_Config):
    FIELDS = {**_BLOCKS, **_OUT, "transpose_mcast": False, "fused_activation": None,
              "fuse_batch": True}


class MatmulMultiCoreReuseMultiCast1DProgramConfig(_Config):
    FIELDS = {**_BLOCKS, **_OUT, "fuse_batch": True, "fused_activation": None, "mcast_in0": True,
              "gather_in0": False, "hop_cores": None, "num_global_cb_receivers": 0,
              "untilize_out": False}


class SoftmaxDefaultProgramConfig(_Config):
    pass


class SoftmaxShardedMultiCoreProgramConfig(_Config):
    FIELDS = {"compute_with_storage_grid_size": None, "subblock_w": 1, "block_h": 1, "block_w": 1}


class LayerNormDefaultProgramConfig(_Config):
    FIELDS = {"legacy_reduction": False, "legacy_rsqrt": False, "use_welford": False}


class LayerNormShardedMultiCoreProgramConfig(_Config):
    FIELDS = {"compute_with_storage_grid_size": None, "subblock_w": 1, "block_h": 1, "block_w": 1,
              "inplace": False, "legacy_reduction": False, "legacy_rsqrt": False,
              "use_welford": False}


class SDPAProgramConfig(_Config):
    FIELDS = {"compute_with_storage_grid_size": None, "sub_core_grids": None, "q_chunk_size": 32,
              "k_chunk_size": 32, "exp_approx_mode": None, "max_cores_per_head_batch": 16}


class Conv2dConfig(_Config):
    FIELDS = {"weights_dtype": None, "activation": None, "deallocate_activation": False,
              "reallocate_halo_output": True, "act_block_h_override": 0, "act_block_w_div": 1,
              "reshard_if_not_optimal": False, "override_sharding_config": False,
              "shard_layout": None, "core_grid": None, "transpose_shards": False,
              "output_layout": TILE_LAYOUT, "enable_act_double_buffer": False,
              "enable_weights_double_buffer": False, "full_inner_dim": False,
              "enable_kernel_stride_folding": None, "config_tensors_in_dram": False}


def grid_of(size: Any) -> CoreCoord:
    """A grid given as CoreCoord, CoreGrid, or two numbers."""
    if isinstance(size, (CoreCoord, CoreGrid)):
        return CoreCoord(size.x, size.y)
    return CoreCoord(*size)
