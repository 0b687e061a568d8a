# SPDX-License-Identifier: Apache-2.0
"""The types of ttnn by their module's name."""
from ttnn._types import (ROW_MAJOR_LAYOUT, TILE_LAYOUT, BufferType, CoreCoord, CoreGrid, CoreRange,
                         CoreRangeSet, DataType, Layout, MemoryConfig, Shape, ShardOrientation,
                         ShardSpec, ShardStrategy, TensorMemoryLayout)

__all__ = ["ROW_MAJOR_LAYOUT", "TILE_LAYOUT", "BufferType", "CoreCoord", "CoreGrid", "CoreRange",
           "CoreRangeSet", "DataType", "Layout", "MemoryConfig", "Shape", "ShardOrientation",
           "ShardSpec", "ShardStrategy", "TensorMemoryLayout"]
