# SPDX-License-Identifier: Apache-2.0
"""The C side: _ttnn.so, which has the ops of src/nn and uses libtacho_device."""
from __future__ import annotations

import ctypes
import os
import signal
from ctypes import (POINTER, Structure, c_char_p, c_float, c_int, c_int32, c_uint16, c_uint32,
                    c_uint64,
                    c_void_p)

HERE = os.path.dirname(os.path.abspath(__file__))
TENSORS, OUTPUTS, DIMS, STEPS, PRODUCT_STEPS, USERS, BANKS = 8, 3, 8, 16, 3, 32, 160  # as nn/nn.h
DRAM, L1 = 0, 1  # enum tacho_memory


class Core(Structure):
    _fields_ = [("x", c_uint16), ("y", c_uint16)]


class Shards(Structure):
    """struct nn_shards."""
    _fields_ = [("sharding", c_uint32), ("rows", c_uint32), ("columns", c_uint32),
                ("bank_count", c_uint32), ("banks", Core * BANKS)]


class NnTensor(Structure):
    """struct nn_tensor."""
    _fields_ = [("buffer", c_void_p), ("shape", c_uint32 * 4), ("format", c_uint32),
                ("memory", c_uint32), ("layout", c_uint32), ("shards", POINTER(Shards))]


class Job(Structure):
    """struct nn_job: what all ops have."""
    _fields_ = [("name", c_char_p), ("inputs", c_uint32), ("outputs", c_uint32),
                ("in_", NnTensor * TENSORS), ("out", NnTensor * OUTPUTS),
                ("attributes", POINTER(c_char_p)), ("attribute_count", c_uint32),
                ("fidelity", c_uint32), ("grid_columns", c_uint32), ("grid_rows", c_uint32)]


class Step(Structure):
    """struct nn_step: an instruction of the vector unit."""
    _fields_ = [("word", c_uint32), ("parameters", c_uint32 * 3)]


class Accumulate(Structure):
    _fields_ = [("dim", c_uint32), ("reverse", c_uint32), ("step", Step)]


class Eltwise(Structure):
    _fields_ = [("math", c_uint32), ("transpose", c_uint32), ("step_count", c_uint32),
                ("steps", Step * STEPS)]


class Product(Structure):
    _fields_ = [("transpose_a", c_uint32), ("transpose_b", c_uint32), ("per_core_rows", c_uint32),
                ("per_core_columns", c_uint32), ("inner", c_uint32), ("step_count", c_uint32),
                ("steps", Step * PRODUCT_STEPS)]


class Source(Structure):
    _fields_ = [("base", c_int32), ("strides", c_int32 * DIMS), ("low", c_uint32 * DIMS),
                ("high", c_uint32 * DIMS)]


class Form(Structure):
    _fields_ = [("a", c_uint32), ("b", c_uint32), ("by_a", c_int32), ("by_b", c_int32),
                ("offset", c_int32), ("limit", c_int32)]


class Gather(Structure):
    _fields_ = [("pages", c_uint32), ("dims", c_uint32), ("extents", c_uint32 * DIMS),
                ("fill", c_uint32), ("form_count", c_uint32), ("forms", Form * 2),
                ("placed", c_uint32), ("place", Source), ("sources", Source * (TENSORS - 1))]


class Reduce(Structure):
    _fields_ = [("kind", c_uint32), ("dim", c_uint32), ("scale", c_float)]


class Softmax(Structure):
    _fields_ = [("scale", c_float), ("causal", c_uint32)]


class Norm(Structure):
    _fields_ = [("flags", c_uint32), ("epsilon", c_float)]


class Heads(Structure):
    _fields_ = [("heads", c_uint32 * OUTPUTS), ("transpose", c_uint32)]


class Attention(Structure):
    _fields_ = [("scale", c_float), ("causal", c_uint32), ("masked", c_uint32),
                ("decode", c_uint32), ("positions", c_uint32 * USERS)]


class Cache(Structure):
    _fields_ = [("users_first", c_uint32), ("first", c_uint32), ("positions", c_uint32 * USERS)]


class Blocks(Structure):
    _fields_ = [("batch", c_uint32)]


class Top(Structure):
    _fields_ = [("count", c_uint32), ("largest", c_uint32)]


class Random(Structure):
    _fields_ = [("low", c_float), ("high", c_float), ("seed", c_uint32)]


_NUMBERS = {  # functions that return a number, negative when they fail
    "ttnn_tensor_make": [c_void_p, POINTER(NnTensor)],
    "ttnn_write": [c_void_p, POINTER(NnTensor), c_void_p, c_uint32],
    "ttnn_read": [c_void_p, POINTER(NnTensor), c_void_p],
    "ttnn_round": [POINTER(NnTensor), c_void_p],
    "ttnn_run": [c_void_p, c_char_p, POINTER(Job), c_void_p],
    "ttnn_step": [POINTER(Step), c_char_p, c_int, POINTER(c_uint32)],
    "ttnn_read_profiler": [c_void_p],
    "tacho_op_end": [c_void_p],
    "tacho_finish": [c_void_p],
    "tacho_trace_begin": [c_void_p],
    "tacho_trace_replay": [c_void_p],
}
_POINTERS = {  # functions that create something, NULL when they fail
    "ttnn_open": [c_char_p],
    "ttnn_trace_end": [c_void_p],
}
_OTHERS = {
    "ttnn_close": (None, [c_void_p]),
    "ttnn_device": (c_void_p, [c_void_p]),
    "ttnn_info": (None, [c_void_p, POINTER(c_uint32)]),
    "ttnn_arch": (c_char_p, [c_void_p]),
    "ttnn_entries": (c_uint32, [c_void_p]),
    "ttnn_programs_free": (None, [c_void_p]),
    "ttnn_group": (None, [c_void_p, POINTER(c_void_p), c_uint32]),
    "ttnn_capture": (None, [c_void_p, c_int]),
    "ttnn_host_begin": (c_uint64, [c_char_p, c_char_p]),
    "ttnn_host_end": (None, [c_uint64]),
    "ttnn_error": (c_char_p, []),
    "tacho_buffer_free": (None, [c_void_p]),
    "tacho_trace_free": (None, [c_void_p]),
    "tacho_device_error": (c_char_p, []),
    "tacho_device_interruptible": (None, [ctypes.c_int]),
}


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(os.path.join(HERE, "_ttnn.so"))
    for name, arguments in _NUMBERS.items():
        getattr(library, name).argtypes = arguments
    for name, arguments in _POINTERS.items():
        getattr(library, name).argtypes, getattr(library, name).restype = arguments, c_void_p
    for name, (result, arguments) in _OTHERS.items():
        getattr(library, name).argtypes, getattr(library, name).restype = arguments, result
    return library


lib = _load()


def call(name: str, *arguments: object) -> int:
    """Calls it; RuntimeError with the device's reason when it fails."""
    # Ctrl-C ends a wait, unless the program has its own handler.
    lib.tacho_device_interruptible(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    result = getattr(lib, name)(*arguments)
    if result is None or (name in _NUMBERS and result < 0):
        reason = lib.ttnn_error() if name.startswith("ttnn") else lib.tacho_device_error()
        raise RuntimeError(reason.decode(errors="replace") or f"{name} failed")
    return result
