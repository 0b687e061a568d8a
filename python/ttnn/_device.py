# SPDX-License-Identifier: Apache-2.0
"""Devices, alone or as a mesh."""
from __future__ import annotations

import contextlib
import ctypes
import os
import weakref
from typing import Any, Iterator, Sequence

from ttnn._library import call, lib
from ttnn._types import CoreCoord, CoreGrid, _enumeration

Arch = _enumeration("Arch", {"GRAYSKULL": 1, "WORMHOLE_B0": 2, "BLACKHOLE": 3, "QUASAR": 4,
                             "TINY": 5})
DispatchCoreType = _enumeration("DispatchCoreType", {"WORKER": 0, "ETH": 1})
DispatchCoreAxis = _enumeration("DispatchCoreAxis", {"ROW": 0, "COL": 1})


class DispatchCoreConfig:
    """The core type that the real device dispatches from; the software device dispatches from the host."""

    def __init__(self, type: Any = None, axis: Any = None, fabric_tensix_config: Any = None) -> None:
        self.type, self.axis = type, axis


class MeshShape:
    """Rows and columns of a mesh."""

    def __init__(self, rows: int, columns: int = 1) -> None:
        self.rows, self.columns = rows, columns

    def __iter__(self) -> Any:
        return iter((self.rows, self.columns))

    def __getitem__(self, i: int) -> int:
        return (self.rows, self.columns)[i]

    def __len__(self) -> int:
        return 2

    def __eq__(self, other: Any) -> bool:
        return tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return f"MeshShape([{self.rows}, {self.columns}])"


class Device:
    """One or more devices that do the same; a tensor on it has a copy on each of them."""

    def __init__(self, rows: int = 1, columns: int = 1) -> None:
        self.handles: list[int] = []  # of src/nn
        self.devices: list[int] = []
        self.capture: list[Any] | None = None  # objects that the trace being captured needs
        self.traces: dict[int, tuple[list[int], list[Any]]] = {}
        self.storages: weakref.WeakSet[Any] = weakref.WeakSet()
        self.shape = MeshShape(rows, columns)
        name = os.environ.get("ARCH_NAME")
        try:
            for _ in range(rows * columns):
                self.handles.append(call("ttnn_open", name.encode() if name else None))
                self.devices.append(lib.ttnn_device(self.handles[-1]))
        except RuntimeError:
            self.close()
            raise
        info = (ctypes.c_uint32 * 6)()
        lib.ttnn_info(self.handles[0], info)
        self.columns, self.rows, self.cores, self.mhz, self.dram_banks, self.number = info
        self.arch_name = lib.ttnn_arch(self.handles[0]).decode()

    def open_handles(self) -> list[int]:
        """The devices; an error when they are closed."""
        if not self.handles:
            raise RuntimeError("the device is closed")
        return self.handles

    def get_num_devices(self) -> int:
        return len(self.handles)

    def get_device_ids(self) -> list[int]:
        return [self.number + i for i in range(len(self.handles))]

    def id(self) -> int:
        return self.number

    def arch(self) -> Any:
        return getattr(Arch, self.arch_name.upper())

    @property
    def core_grid(self) -> CoreGrid:
        return CoreGrid(y=self.rows, x=self.columns)

    def compute_with_storage_grid_size(self) -> CoreCoord:
        return CoreCoord(self.columns, self.rows)

    def dram_grid_size(self) -> CoreCoord:
        return CoreCoord(self.dram_banks, 1)

    def num_program_cache_entries(self) -> int:
        return lib.ttnn_entries(self.open_handles()[0])

    def enable_program_cache(self) -> None:
        """It is always on."""

    def disable_and_clear_program_cache(self) -> None:
        """Programs of traces stay."""
        if not self.traces and self.capture is None:
            synchronize_device(self)
            for handle in self.open_handles():
                lib.ttnn_programs_free(handle)

    clear_program_cache = disable_and_clear_program_cache

    def close(self) -> None:
        """Waits for running programs and reads the profiler's data."""
        for handles, _ in self.traces.values():
            for handle in handles:
                lib.tacho_trace_free(handle)
        for storage in list(self.storages):  # a device outlives its buffers
            storage.free()
        self.traces, self.capture = {}, None
        handles, self.handles, self.devices = self.handles, [], []
        for handle in handles:
            lib.ttnn_close(handle)

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


MeshDevice = Device
_default: list[Device | None] = [None]


def open_device(device_id: int = 0, l1_small_size: int = 0, trace_region_size: int = 0,
                num_command_queues: int = 1, dispatch_core_config: Any = None,
                worker_l1_size: int = 0) -> Device:
    """A software device. Settings that are for hardware (l1_small_size ...) change nothing."""
    return Device()


CreateDevice = open_device


def open_mesh_device(mesh_shape: MeshShape | Sequence[int] = (1, 1), l1_small_size: int = 0,
                     trace_region_size: int = 0, num_command_queues: int = 1,
                     dispatch_core_config: Any = None, offset: Any = None,
                     physical_device_ids: Any = None, worker_l1_size: int = 0) -> Device:
    """A mesh: each call runs on all of its devices, as one op."""
    rows, columns = mesh_shape
    if rows < 1 or columns < 1:
        raise ValueError("a mesh needs at least one device")
    return Device(rows, columns)


def close_device(device: Device) -> None:
    device.close()


CloseDevice = close_mesh_device = close_device


@contextlib.contextmanager
def manage_device(device_id: int) -> Iterator[Device]:
    """A device that is closed at the end."""
    device = open_device(device_id)
    try:
        yield device
    finally:
        close_device(device)


def SetDefaultDevice(device: Device | None) -> None:
    """The device for tensors that need one and have none."""
    _default[0] = device


def GetDefaultDevice() -> Device | None:
    return _default[0]


def get_arch_name() -> str:
    name = os.environ.get("ARCH_NAME") or os.environ.get("TACHO_ARCH") or "wormhole_b0"
    return name


def is_wormhole_b0(device: Device | None = None) -> bool:
    return (device.arch_name if device else get_arch_name()) == "wormhole_b0"


def is_blackhole(device: Device | None = None) -> bool:
    return (device.arch_name if device else get_arch_name()) == "blackhole"


def is_grayskull(device: Device | None = None) -> bool:
    return False


def GetNumAvailableDevices() -> int:
    return 1


def get_num_devices() -> int:
    return 1


def get_device_ids() -> list[int]:
    return [0]


def synchronize_device(device: Device, cq_id: Any = None, sub_device_ids: Any = None, *,
                       queue_id: Any = None) -> None:
    """Waits until all work is done."""
    device.open_handles()
    for handle in device.devices:
        call("tacho_finish", handle)


def ReadDeviceProfiler(device: Device) -> None:
    """Waits, and reads the kernels' records from the device."""
    synchronize_device(device)
    if os.environ.get("TT_METAL_DEVICE_PROFILER") == "1":
        for handle in device.handles:
            call("ttnn_read_profiler", handle)


def begin_trace_capture(device: Device, mesh_device: Device | None = None, cq_id: Any = 0) -> int:
    """Captures ops from here on instead of running them; returns the trace id."""
    if device.capture is not None:
        raise RuntimeError("a trace is being captured already")
    for handle, raw in zip(device.open_handles(), device.devices):
        call("tacho_trace_begin", raw)
        lib.ttnn_capture(handle, 1)
    device.capture = []
    return len(device.traces) + 1


def end_trace_capture(device: Device, trace_id: int, cq_id: Any = 0) -> None:
    if device.capture is None:
        raise RuntimeError("no trace is being captured")
    kept, device.capture = device.capture, None
    for handle in device.open_handles():
        lib.ttnn_capture(handle, 0)
    device.traces[trace_id] = ([call("ttnn_trace_end", h) for h in device.open_handles()], kept)


def execute_trace(device: Device, trace_id: int, cq_id: Any = 0, blocking: bool = True) -> None:
    """Replays the captured ops."""
    for handle in device.traces[trace_id][0]:
        call("tacho_trace_replay", handle)
    if blocking:
        synchronize_device(device)


def release_trace(device: Device, trace_id: int) -> None:
    handles, _ = device.traces.pop(trace_id)
    for handle in handles:
        lib.tacho_trace_free(handle)


def record_event(device: Device, cq_id: Any = 0) -> Device:
    """An event: ops run in order, so it marks all that was enqueued so far."""
    return device


def wait_for_event(cq_id: Any, event: Any) -> None:
    """Does nothing: ops run in order."""


def event_synchronize(event: Device) -> None:
    synchronize_device(event)
