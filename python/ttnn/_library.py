# SPDX-License-Identifier: Apache-2.0
"""The C side: _ttnn.so, which uses libtacho_device."""
from __future__ import annotations

import ctypes
import os
import signal
from ctypes import POINTER, Structure, c_char_p, c_double, c_float, c_int, c_uint32, c_uint64, c_void_p

HERE = os.path.dirname(os.path.abspath(__file__))
FLOAT32, BFLOAT16 = 0, 5  # enum tacho_format
DRAM, L1 = 0, 1           # enum tacho_memory


class Shape(Structure):
    """Matrices of rows x columns."""
    _fields_ = [("batch", c_uint32), ("rows", c_uint32), ("columns", c_uint32),
                ("format", c_uint32)]


class Job(Structure):
    """A program; shapes are those of the inputs and, as the third, of the result."""
    _fields_ = [("reader", c_char_p), ("writer", c_char_p), ("compute", c_char_p),
                ("defines", POINTER(c_char_p)), ("compile_args", POINTER(c_uint32)),
                ("compile_arg_count", c_uint32), ("inputs", c_uint32), ("fidelity", c_uint32),
                ("shapes", Shape * 3)]


class TensorOf(Structure):
    """A tensor as the ops report shows it."""
    _fields_ = [("shape", c_uint32 * 4), ("format", c_uint32), ("memory", c_uint32),
                ("on_host", c_uint32)]


class Description(Structure):
    """An op as the ops report shows it."""
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("attributes", POINTER(c_char_p)),
                ("attribute_count", c_uint32), ("inputs", c_uint32), ("tensors", TensorOf * 3),
                ("compute_ns", c_uint64), ("bandwidth_ns", c_uint64), ("ideal_ns", c_uint64),
                ("bandwidths", c_double * 3)]


_NUMBERS = {  # functions that return a number, negative when they fail
    "ttnn_write": [c_void_p, POINTER(Shape), POINTER(c_float)],
    "ttnn_read": [c_void_p, POINTER(Shape), POINTER(c_float)],
    "ttnn_describe": [c_void_p, POINTER(Description)],
    "ttnn_run": [c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_uint32)],
    "ttnn_group_begin": [POINTER(c_void_p), c_uint32, POINTER(Description)],
    "ttnn_read_profiler": [c_void_p],
    "tacho_op_end": [c_void_p],
    "tacho_finish": [c_void_p],
    "tacho_trace_begin": [c_void_p],
    "tacho_trace_replay": [c_void_p],
}
_POINTERS = {  # functions that create something, NULL when they fail
    "ttnn_open": [c_char_p],
    "ttnn_buffer": [c_void_p, POINTER(Shape), c_int],
    "ttnn_program": [c_void_p, POINTER(Job)],
    "ttnn_trace_end": [c_void_p],
}
_OTHERS = {
    "ttnn_info": (None, [c_void_p, POINTER(c_uint32)]),
    "ttnn_dram_gbs": (c_double, [c_void_p]),
    "tacho_tile_cycles": (c_uint32, [c_char_p, c_int]),
    "ttnn_program_free": (None, [c_void_p]),
    "ttnn_host_begin": (c_uint64, [POINTER(Description)]),
    "ttnn_host_end": (None, [c_uint64]),
    "tacho_device_close": (None, [c_void_p]),
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
        raise RuntimeError(lib.tacho_device_error().decode(errors="replace") or f"{name} failed")
    return result
