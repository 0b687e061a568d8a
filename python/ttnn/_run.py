# SPDX-License-Identifier: Apache-2.0
"""Runs an op of src/nn: on each device of a mesh, with its row in the ops report."""
from __future__ import annotations

import array
import ctypes
from typing import Any, Sequence

from ttnn import _library
from ttnn._device import Device
from ttnn._library import call, lib
from ttnn._tensor import Tensor
from ttnn._types import FLOATS, CoreGrid, MathFidelity, check


def on_one_device(name: str, tensors: Sequence[Tensor]) -> Device:
    """The device of all tensors; an error if they have none, or several."""
    for t in tensors:
        if not isinstance(t, Tensor):
            raise TypeError(f"{name}: incompatible function arguments: a ttnn.Tensor is needed, "
                            f"not {type(t).__name__}")
    device = tensors[0].device()
    check(device is not None and all(t.device() is device for t in tensors),
          f"{name}: the tensors must be on one device: use from_torch(..., device=device)")
    for t in tensors:
        check(t.is_allocated(), f"{name}: the tensor was deallocated")
    return device


def attributes_of(values: dict[str, Any]) -> Any:
    words = []
    for name, value in values.items():
        text = value.text if hasattr(value, "text") else \
            str(value).lower() if isinstance(value, bool) else str(value)
        words += [name.encode(), text.encode()]
    return (ctypes.c_char_p * len(words))(*words), len(words)


def float_bits(value: float) -> int:
    return int.from_bytes(array.array("f", [value]).tobytes(), "little")


def value_bits(value: float, dtype: Any) -> int:
    """Of a scalar that is a parameter of the vector unit."""
    return float_bits(value) if dtype in FLOATS else int(value) & 0xffffffff


def step(name: str, *tiles: int, parameters: Sequence[int] = (), flags: int = 0) -> _library.Step:
    """An instruction of the vector unit on tiles of dst."""
    s = _library.Step()
    operands = {1: 1, 3: 2, 4: 3}[len(tiles)]
    call("ttnn_step", s, name.encode(), operands, (ctypes.c_uint32 * len(tiles))(*tiles))
    s.word |= flags
    s.parameters[:len(parameters)] = parameters
    return s


Shaped = Any  # a tensor, or (tensor, shape to see it in)


def run(what: str, name: str, inputs: Sequence[Shaped], outputs: Sequence[Shaped], how: Any,
        attributes: dict[str, Any], fidelity: Any = MathFidelity.HiFi4, grid: Any = None) -> None:
    """Inputs and outputs are tensors, or pairs of a tensor and a shape."""
    pairs = [x if isinstance(x, tuple) else (x, None) for x in (*inputs, *outputs)]
    device = on_one_device(name, [t for t, _ in pairs])
    if not all(t.volume() for t, _ in pairs[len(inputs):]):
        return  # there is nothing to compute
    check(all(t.volume() for t, _ in pairs), f"{name}: not implemented for tensors without values")
    spec = pairs[len(inputs)][0].memory.shard_spec
    if grid is None and spec is not None:  # where the output's shards are
        last = spec.grid.bounding_box().end
        grid = CoreGrid(y=last.y + 1, x=last.x + 1)
    words, count = attributes_of(attributes)
    job = _library.Job(name.encode(), len(inputs), len(outputs), attributes=words,
                       attribute_count=count, fidelity=fidelity.value,
                       grid_columns=grid.x if grid else 0, grid_rows=grid.y if grid else 0)
    handles = device.open_handles()
    group = (ctypes.c_void_p * len(handles))(*device.devices)
    if len(handles) > 1:
        lib.ttnn_group(handles[0], group, len(handles))
    try:
        for i, handle in enumerate(handles):
            parts = [t.part(i, shape) for t, shape in pairs]
            job.in_[:len(inputs)] = parts[:len(inputs)]
            job.out[:len(outputs)] = parts[len(inputs):]
            call("ttnn_run", handle, what.encode(), job, ctypes.byref(how) if how else None)
    finally:
        if len(handles) > 1:
            lib.ttnn_group(handles[0], None, 0)
            call("tacho_op_end", device.devices[0])
    if device.capture is not None:  # a trace runs the same program on the same memory again
        device.capture += [t.storage for t, _ in pairs]


def fidelity_of(config: Any, default: Any) -> Any:
    """Of a compute_kernel_config."""
    return getattr(config, "math_fidelity", None) or default
