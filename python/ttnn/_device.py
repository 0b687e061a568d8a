# SPDX-License-Identifier: Apache-2.0
"""Devices, alone or as a mesh."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, Sequence

from ttnn._library import call, lib


class MeshShape:
    """Rows and columns of a mesh."""

    def __init__(self, rows: int, columns: int = 1) -> None:
        self.rows, self.columns = rows, columns

    def __iter__(self) -> Any:
        return iter((self.rows, self.columns))


class CoreCoord:
    """A place in a grid of cores."""

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y

    def __repr__(self) -> str:
        return f"(x={self.x},y={self.y})"


class Device:
    """One or more devices that do the same; a tensor on it has a copy on each of them."""

    def __init__(self, count: int = 1) -> None:
        self.handles: list[int] = []
        self.programs: dict[Any, list[int]] = {}
        self.capture: list[Any] | None = None  # objects that the trace being captured needs
        self.traces: dict[int, tuple[list[int], list[Any]]] = {}
        self.tensors: weakref.WeakSet[Any] = weakref.WeakSet()
        self.shape = (1, count)
        arch = os.environ.get("ARCH_NAME")
        try:
            for _ in range(count):
                self.handles.append(call("ttnn_open", arch.encode() if arch else None))
        except RuntimeError:
            self.close()
            raise
        info = (ctypes.c_uint32 * 5)()
        lib.ttnn_info(self.handles[0], info)
        self.columns, self.rows, self.cores, self.mhz, self.dram_banks = info
        self.dram_gbs = lib.ttnn_dram_gbs(self.handles[0])

    def open_handles(self) -> list[int]:
        """The devices; an error when they are closed."""
        if not self.handles:
            raise RuntimeError("the device is closed")
        return self.handles

    def get_num_devices(self) -> int:
        return len(self.handles)

    def compute_with_storage_grid_size(self) -> CoreCoord:
        return CoreCoord(self.columns, self.rows)

    def close(self) -> None:
        """Waits for running programs and reads the profiler's data."""
        for handles, _ in self.traces.values():
            for handle in handles:
                lib.tacho_trace_free(handle)
        for made in self.programs.values():
            for handle in made:
                lib.ttnn_program_free(handle)
        for tensor in list(self.tensors):  # a device outlives its buffers
            tensor.deallocate()
        self.traces, self.programs, self.capture = {}, {}, None
        handles, self.handles = self.handles, []
        for handle in handles:
            lib.tacho_device_close(handle)

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def open_device(device_id: int = 0, **settings: Any) -> Device:
    """A software device. Settings that are for hardware (l1_small_size ...) change nothing."""
    return Device()


def open_mesh_device(mesh_shape: MeshShape | Sequence[int] = (1, 1), *_: Any,
                     **settings: Any) -> Device:
    """A mesh: each call runs on all of its devices, as one op."""
    rows, columns = mesh_shape
    if rows < 1 or columns < 1:
        raise ValueError("a mesh needs at least one device")
    return Device(rows * columns)


def close_device(device: Device) -> None:
    device.close()


close_mesh_device = close_device


def synchronize_device(device: Device, *_: Any, **settings: Any) -> None:
    """Waits until all work is done."""
    for handle in device.open_handles():
        call("tacho_finish", handle)


def ReadDeviceProfiler(device: Device) -> None:
    """Waits, and reads the kernels' records from the device."""
    synchronize_device(device)
    if os.environ.get("TT_METAL_DEVICE_PROFILER") == "1":
        for handle in device.handles:
            call("ttnn_read_profiler", handle)


def begin_trace_capture(device: Device, mesh_device: Device | None = None, cq_id: int = 0) -> int:
    """Captures ops from here on instead of running them; returns the trace id."""
    if device.capture is not None:
        raise RuntimeError("a trace is being captured already")
    for handle in device.open_handles():
        call("tacho_trace_begin", handle)
    device.capture = []
    return len(device.traces) + 1


def end_trace_capture(device: Device, trace_id: int, cq_id: int = 0) -> None:
    if device.capture is None:
        raise RuntimeError("no trace is being captured")
    kept, device.capture = device.capture, None
    device.traces[trace_id] = ([call("ttnn_trace_end", h) for h in device.open_handles()], kept)


def execute_trace(device: Device, trace_id: int, cq_id: int = 0, blocking: bool = True) -> None:
    """Replays the captured ops."""
    for handle in device.traces[trace_id][0]:
        call("tacho_trace_replay", handle)
    if blocking:
        synchronize_device(device)


def release_trace(device: Device, trace_id: int) -> None:
    handles, _ = device.traces.pop(trace_id)
    for handle in handles:
        lib.tacho_trace_free(handle)
