# SPDX-License-Identifier: Apache-2.0
"""The part of TT-NN that profiling guides use, on Tacho's software device.

    import ttnn
    from tracy import signpost

    with ttnn.open_device(device_id=0) as device:
        a = ttnn.from_torch([[1.0, -2.0]] * 32, layout=ttnn.TILE_LAYOUT, device=device)
        signpost("start")
        b = ttnn.relu(ttnn.add(a, a))
        signpost("stop")
        print(ttnn.to_torch(b))

Each op runs kernels on a model of the device (docs/device.md): results are computed, times are
modelled. With ``python -m tracy -p -r script.py`` each op is a row of the ops report.
"""
from __future__ import annotations

from tracy import start_tracy_zone, stop_tracy_zone, tracy_frame, tracy_message
from ttnn._device import (CoreCoord, Device, MeshShape, ReadDeviceProfiler, begin_trace_capture,
                          close_device, close_mesh_device, end_trace_capture, execute_trace,
                          open_device, open_mesh_device, release_trace, synchronize_device)
from ttnn._ops import (add, exp, gelu, linear, matmul, mul, multiply, reciprocal, relu, sigmoid,
                       softmax, sqrt, sub, subtract, transpose)
from ttnn._tensor import (DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, ROW_MAJOR_LAYOUT, TILE_LAYOUT,
                          Tensor, as_tensor, bfloat16, deallocate, float32, from_device,
                          from_torch, full, ones, rand, to_device, to_layout, to_torch,
                          zeros)

__all__ = [
    "CoreCoord", "DRAM_MEMORY_CONFIG", "Device", "L1_MEMORY_CONFIG", "MeshShape",
    "ROW_MAJOR_LAYOUT", "ReadDeviceProfiler", "TILE_LAYOUT", "Tensor", "add", "as_tensor",
    "begin_trace_capture", "bfloat16", "close_device", "close_mesh_device", "deallocate",
    "end_trace_capture", "execute_trace", "exp", "float32", "from_device", "from_torch", "full",
    "gelu", "linear", "matmul", "mul", "multiply", "ones", "open_device", "open_mesh_device",
    "rand", "reciprocal", "release_trace", "relu", "sigmoid", "softmax", "sqrt",
    "start_tracy_zone", "stop_tracy_zone", "sub", "subtract", "synchronize_device", "to_device", "to_layout",
    "to_torch", "tracy_frame", "tracy_message", "transpose", "zeros",
]
