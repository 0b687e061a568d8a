# SPDX-License-Identifier: Apache-2.0
"""TT-NN on Tacho's software device.

    import ttnn
    from tracy import signpost

    with ttnn.open_device(device_id=0) as device:
        a = ttnn.from_torch([[1.0, -2.0]] * 32, layout=ttnn.TILE_LAYOUT, device=device)
        signpost("start")
        b = ttnn.relu(ttnn.add(a, a))
        signpost("stop")
        print(ttnn.to_torch(b))

Each op runs kernels on a model of the device (docs/device.md): results are computed, times are
modelled. With ``python -m tracy -p -r script.py`` each op is a row of the ops report. docs/python.md
lists the ops.
"""
from __future__ import annotations

from typing import Any

from tracy import signpost, start_tracy_zone, stop_tracy_zone, tracy_frame, tracy_message
from ttnn import (_cache, _composite, _config, _conv, _device, _eltwise, _matmul, _move, _rows, _shards, _tensor,
                  _types, device, experimental, model_preprocessing, operations, tracer, transformer, types)
from ttnn._golden import (attach_golden_function, get_fallback_function, get_golden_function,
                          golden_attach)


_HELPERS = {"Part", "Storage", "activation_steps", "activation_text", "apply", "broadcast", "check",
            "code_of", "convert", "fatal", "fidelity_of", "grid_of",
            "on_one_device", "pad_bits", "pad_shape", "run", "scaled", "softmax_run", "step",
            "strides_of", "tensor_at", "tiles", "tiles_rows", "unary_step", "value_bits",
            "float_bits", "call", "golden_attach", "places_of", "FatalError", "shards_of", "shards_chosen", "fits_rows", "shards_check"}


def _public() -> dict[str, Any]:
    """The public names of the modules, and the constants."""
    found = {}
    for module in (_types, _device, _tensor, _eltwise, _composite, _move, _matmul, _rows, _cache, _conv, _config,
                   _shards):
        for name, value in vars(module).items():
            own = getattr(value, "__module__", "") or ""
            if value is _move.gather or value is _tensor.fold:  # ops have these names, too
                continue
            if not name.startswith("_") and name not in _HELPERS and (own.startswith("ttnn") or name == "TILE_SIZE"):
                found[name] = value
    return found


_NAMES = _public()
globals().update(_NAMES)
for _op in (*_NAMES.values(), *(getattr(transformer, n) for n in transformer.__all__)):
    if callable(_op) and not isinstance(_op, type):
        golden_attach(_op)
__all__ = sorted({*_NAMES, "attach_golden_function", "device", "experimental",
                  "get_fallback_function", "get_golden_function", "model_preprocessing", "signpost",
                  "start_tracy_zone", "stop_tracy_zone", "tracy_frame", "tracy_message",
                  "operations", "tracer", "transformer", "types"})


def __getattr__(name: str) -> Any:
    raise AttributeError(f"ttnn.{name} is not in Tacho's ttnn; docs/python.md lists its functions")
