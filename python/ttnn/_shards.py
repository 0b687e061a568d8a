# SPDX-License-Identifier: Apache-2.0
"""Sharded tensors: memory configurations, and on which core each shard is."""
from __future__ import annotations

import math
from typing import Any, Sequence

from ttnn import _library
from ttnn._types import (ROW_MAJOR_LAYOUT, TILE_LAYOUT, BufferType, CoreCoord, CoreGrid, CoreRange,
                         CoreRangeSet, MemoryConfig, ShardOrientation, ShardSpec, ShardStrategy,
                         TensorMemoryLayout, check)

_HEIGHT, _WIDTH, _BLOCK = (TensorMemoryLayout.HEIGHT_SHARDED, TensorMemoryLayout.WIDTH_SHARDED,
                           TensorMemoryLayout.BLOCK_SHARDED)
_SHARDING = {_HEIGHT: 1, _WIDTH: 2, _BLOCK: 3}  # enum tacho_sharding
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(_HEIGHT, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(_WIDTH, BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(_BLOCK, BufferType.L1)


def _first_cores(rows: int, columns: int) -> CoreRangeSet:
    return CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(columns - 1, rows - 1))])


def _part(n: int, parts: int) -> int:
    check(n % parts == 0, f"create_sharded_memory_config: {n} does not divide by {parts} cores of "
          "the core grid")
    return n // parts


def create_sharded_memory_config(shape: Sequence[int], core_grid: Any, strategy: Any,
                                 orientation: Any = None,
                                 use_height_and_width_as_shard_shape: bool = False) -> MemoryConfig:
    """Memory in L1 for a tensor of SHAPE; its parts are on the cores of the grid."""
    check(isinstance(core_grid, (CoreGrid, CoreRangeSet)),
          "create_sharded_memory_config: Invalid core_grid type")
    turned = orientation is ShardOrientation.COL_MAJOR
    height, width = math.prod(shape[:-1]), shape[-1]
    if use_height_and_width_as_shard_shape:
        part = [shape[-2], shape[-1]]
    else:
        check(isinstance(core_grid, CoreGrid),
              "create_sharded_memory_config: height and width must be shard shape with CoreRangeSet")
        down, across = {ShardStrategy.HEIGHT: (core_grid.num_cores, 1),
                        ShardStrategy.WIDTH: (1, core_grid.num_cores),
                        ShardStrategy.BLOCK: (core_grid.y, core_grid.x)}[strategy]
        if turned and strategy is ShardStrategy.BLOCK:
            down, across = across, down
        part = [_part(height, down), _part(width, across)]
    grid = core_grid if isinstance(core_grid, CoreRangeSet) else _first_cores(core_grid.y, core_grid.x)
    layout = {ShardStrategy.HEIGHT: _HEIGHT, ShardStrategy.WIDTH: _WIDTH}.get(strategy, _BLOCK)
    return MemoryConfig(layout, BufferType.L1,
                        ShardSpec(grid, part, orientation or ShardOrientation.ROW_MAJOR))


def _pages(shape: Sequence[int], padded: Sequence[int], layout: Any) -> tuple[int, int]:
    """Rows and columns of pages."""
    if layout is ROW_MAJOR_LAYOUT:
        return math.prod(shape[:-1]), 1
    return math.prod(padded[:-1]) // 32, padded[-1] // 32


def _cores(spec: ShardSpec) -> list[CoreCoord]:
    """Those of the grid, in the order of shards."""
    cores: list[CoreCoord] = []
    for r in spec.grid.ranges():
        xs, ys = range(r.start.x, r.end.x + 1), range(r.start.y, r.end.y + 1)
        if spec.orientation is ShardOrientation.COL_MAJOR:
            cores += [CoreCoord(x, y) for x in xs for y in ys]
        else:
            cores += [CoreCoord(x, y) for y in ys for x in xs]
    return cores


def _block_cores(spec: ShardSpec, down: int, across: int) -> list[CoreCoord]:
    box = spec.grid.bounding_box()
    turned = spec.orientation is ShardOrientation.COL_MAJOR
    size = box.grid_size()
    rows, columns = (size.x, size.y) if turned else (size.y, size.x)
    check(down <= rows and across <= columns,
          f"Number of shards {down} x {across} must not exceed number of cores {rows} x {columns}")
    return [CoreCoord(box.start.x + (i if turned else j), box.start.y + (j if turned else i))
            for i in range(down) for j in range(across)]


def shards_of(memory: MemoryConfig, shape: Sequence[int], padded: Sequence[int],
              layout: Any) -> _library.Shards:
    """The shards for the C side; RuntimeError if the tensor cannot be cut so."""
    spec = memory.shard_spec
    rows, columns = _pages(shape, padded, layout)
    unit, width = (32, 32) if layout is TILE_LAYOUT else (1, shape[-1])
    high, wide = spec.shape
    check(high > 0 and wide > 0 and high % unit == 0 and wide % width == 0,
          f"Shard shape {list(spec.shape)} must be made of whole "
          f"{'tiles' if layout is TILE_LAYOUT else f'rows of {width}'}")
    high, wide = high // unit, wide // width
    check(memory.memory_layout is not _HEIGHT or wide == columns,
          f"Shard width {spec.shape[1]} must match physical width {columns * width} for height sharded")
    check(memory.memory_layout is not _WIDTH or high == rows,
          f"Shard height {spec.shape[0]} must match physical height {rows * unit} for width sharded")
    down, across = -(-rows // high), -(-columns // wide)
    cores = _block_cores(spec, down, across) if memory.memory_layout is _BLOCK else _cores(spec)
    check(down * across <= len(cores),
          f"Number of shards {down * across} must not exceed number of cores {len(cores)}")
    made = _library.Shards(_SHARDING[memory.memory_layout], high, wide, down * across)
    for bank, core in zip(made.banks, cores[:down * across]):
        bank.x, bank.y = core.x, core.y
    return made


def shards_chosen(memory: MemoryConfig, shape: Sequence[int], padded: Sequence[int], layout: Any,
                  device: Any) -> MemoryConfig:
    """A configuration with shards over the device's cores, for one without fitting shards."""
    rows, columns = _pages(shape, padded, layout)
    unit, width = (32, 32) if layout is TILE_LAYOUT else (1, shape[-1])
    kind, most = memory.memory_layout, device.columns * device.rows
    down = {_HEIGHT: most, _WIDTH: 1}.get(kind, device.rows)
    across = {_HEIGHT: 1, _WIDTH: most}.get(kind, device.columns)
    high, wide = -(-rows // down), -(-columns // across)
    down, across = -(-rows // high), -(-columns // wide)
    if kind is _BLOCK:
        grid = _first_cores(down, across)
    else:
        count = down * across
        whole, rest = divmod(count, device.columns)
        ranges = [CoreRange((0, 0), (device.columns - 1, whole - 1))] if whole else []
        grid = CoreRangeSet(ranges + ([CoreRange((0, whole), (rest - 1, whole))] if rest else []))
    return MemoryConfig(kind, memory.buffer_type, ShardSpec(grid, [high * unit, wide * width]))


def fits_rows(memory: MemoryConfig, layout: Any) -> bool:
    """Pages of tensors in rows are whole rows, so that only their height can be cut; in DRAM pages are
    interleaved over the banks."""
    if memory.buffer_type is not BufferType.L1:
        return False
    return layout is TILE_LAYOUT or memory.memory_layout is _HEIGHT
