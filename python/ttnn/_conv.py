# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pooling of images, [batch, height, width, channels]: windows are gathered as rows
of a matrix, then multiplied with the weights, or reduced."""
from __future__ import annotations

import array
import math
from typing import Any, Sequence

from ttnn import _library, _move, _rows
from ttnn._eltwise import activation_steps, activation_text, typecast
from ttnn._move import Part, gather
from ttnn._run import fidelity_of, on_one_device, run
from ttnn._tensor import Tensor, code_of, convert, from_device, to_device
from ttnn._types import (DRAM_MEMORY_CONFIG, FLOATS, TILE_LAYOUT, Conv2dConfig, MathFidelity,
                         bfloat16, check)

_LOWEST = -3.3895313892515355e38  # of bfloat16


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (int(value[0]), int(value[1]))


def _pads(padding: Any) -> tuple[int, int, int, int]:
    """Top, bottom, left, right."""
    values = (padding, padding) if isinstance(padding, int) else tuple(padding)
    return (values[0], values[0], values[1], values[1]) if len(values) == 2 else values


class _Windows:
    """Places of windows in images."""

    def __init__(self, name: str, x: Tensor, size: Sequence[int], kernel: Any, stride: Any,
                 padding: Any, dilation: Any, ceil_mode: bool = False) -> None:
        self.batch, self.height, self.width, self.channels = size
        self.kernel, self.stride, self.dilation = _pair(kernel), _pair(stride), _pair(dilation)
        self.padding = _pads(padding)
        check(x.volume() == math.prod(size),
              f"{name}: a tensor of shape {list(x.shape)} does not have {list(size)} values")
        top, bottom, left, right = self.padding
        spans = [(self.height + top + bottom, 0), (self.width + left + right, 1)]
        out = []
        for extent, i in spans:
            free = extent - self.dilation[i] * (self.kernel[i] - 1) - 1
            out.append((-(-free // self.stride[i]) if ceil_mode else free // self.stride[i]) + 1)
        check(min(out) > 0, f"{name}: a kernel of {list(self.kernel)} is larger than the image")
        self.out_height, self.out_width = out

    def rows(self) -> int:
        return self.batch * self.out_height * self.out_width

    def gather(self, x: Tensor, windows_first: bool, fill: float) -> Tensor:
        """A row for each window; or for each place in windows a matrix with its values."""
        row, image = self.width * self.channels, self.height * self.width * self.channels
        places = [self.batch, self.out_height, self.out_width]
        strides = [image, self.stride[0] * row, self.stride[1] * self.channels]
        inner = [self.dilation[0] * row, self.dilation[1] * self.channels]
        top, _, left, _ = self.padding
        at, of = (2, 0) if windows_first else (0, 3)  # of the places, of the windows' values
        extents = [0] * 5 + [self.channels]
        steps = [0] * 5 + [1]
        extents[at:at + 3], extents[of:of + 2] = places, self.kernel
        steps[at:at + 3], steps[of:of + 2] = strides, inner
        forms = [_library.Form(at + 1, of, self.stride[0], self.dilation[0], -top, self.height),
                 _library.Form(at + 2, of + 1, self.stride[1], self.dilation[1], -left, self.width)]
        count = math.prod(self.kernel)
        shape = (1, count, self.rows(), self.channels) if windows_first else \
            (1, 1, self.rows(), count * self.channels)
        return gather("HaloDeviceOperation", {"config": self.text()}, shape, [Part(x, steps, -top * row - left * self.channels)], extents=extents,
            layout=TILE_LAYOUT, fill=fill, forms=forms)


    def text(self) -> str:
        """As ops reports of tt-metal have it."""
        top, bottom, left, right = self.padding
        return (f"SlidingWindowConfig(batch_size={self.batch}; input_hw=({self.height};{self.width}); "
                f"window_hw=({self.kernel[0]};{self.kernel[1]}); "
                f"stride_hw=({self.stride[0]};{self.stride[1]}); "
                f"padding=(({top}; {bottom}); ({left}; {right})); "
                f"dilation_hw=({self.dilation[0]};{self.dilation[1]}))")


def _weights(weight: Tensor, groups: int, dtype: Any) -> Tensor:
    """[out, in / groups, height, width] on the host as a matrix; channels that belong to other groups
    get zeros."""
    host = from_device(weight)
    out, inner, height, width = host.shape
    channels, each = inner * groups, out // groups
    values = array.array(code_of(host.dtype), [0]) * (height * width * channels * out)
    for o in range(out):
        first = o // each * inner
        for i in range(inner):
            for k in range(height * width):
                values[(k * channels + first + i) * out + o] = \
                    host.values[(o * inner + i) * height * width + k]
    shape = (1, 1, height * width * channels, out)
    return Tensor.make(shape, dtype, TILE_LAYOUT, convert(values, shape, None, dtype))


def prepare_conv_weights(*, weight_tensor: Tensor, groups: int = 1, device: Any = None,
                         input_dtype: Any = None, output_dtype: Any = None, dtype: Any = None,
                         conv_config: Any = None, compute_config: Any = None, slice_config: Any = None,
                         weights_format: str = "OIHW", input_memory_config: Any = None,
                         input_layout: Any = None, has_bias: bool = False, in_channels: int | None = None,
                         out_channels: int | None = None, batch_size: int | None = None,
                         input_height: int | None = None, input_width: int | None = None,
                         kernel_size: Any = None, stride: Any = None, padding: Any = None,
                         dilation: Any = None) -> Tensor:
    """Weights as conv2d() uses them, so that it does not prepare them each time."""
    check(weights_format == "OIHW", f"prepare_conv_weights: format {weights_format!r} is not OIHW")
    made = _weights(weight_tensor, groups or 1, getattr(conv_config, "weights_dtype", None) or
                    weight_tensor.dtype)
    return made if device is None else to_device(made, device)


def prepare_conv_bias(*, bias_tensor: Tensor, device: Any = None, conv_config: Any = None,
                      compute_config: Any = None, slice_config: Any = None, input_dtype: Any = None,
                      output_dtype: Any = None, input_memory_config: Any = None, input_layout: Any = None,
                      in_channels: int | None = None, out_channels: int | None = None,
                      batch_size: int | None = None, input_height: int | None = None,
                      input_width: int | None = None, kernel_size: Any = None, stride: Any = None,
                      padding: Any = None, dilation: Any = None, groups: int = 1) -> Tensor:
    host = from_device(bias_tensor)
    made = Tensor.make((1, 1, 1, host.volume()), host.dtype, TILE_LAYOUT, host.values)
    return made if device is None else to_device(made, device)


def conv2d(*, input_tensor: Tensor, weight_tensor: Tensor, device: Any = None, in_channels: int,
           out_channels: int, batch_size: int, input_height: int, input_width: int,
           kernel_size: Any, stride: Any = (1, 1), padding: Any = (0, 0), dilation: Any = (1, 1),
           groups: int = 1, dtype: Any = None, bias_tensor: Tensor | None = None,
           conv_config: Conv2dConfig | None = None, compute_config: Any = None,
           memory_config: Any = None, slice_config: Any = None, return_output_dim: bool = False,
           return_weights_and_bias: bool = False) -> Any:
    """[batch, height, width, in] or [1, 1, batch * height * width, in] to [1, 1, rows, out]."""
    x = input_tensor if device is None or input_tensor.device() is not None else \
        to_device(input_tensor, device)
    device = on_one_device("conv2d", [x])
    groups = groups or 1
    check(in_channels % groups == 0 and out_channels % groups == 0,
          f"conv2d: {groups} groups do not divide {in_channels} and {out_channels} channels")
    windows = _Windows("conv2d", x, (batch_size, input_height, input_width, in_channels),
                       kernel_size, stride, padding, dilation)
    inner = math.prod(windows.kernel) * in_channels
    weight, bias = weight_tensor, bias_tensor
    if tuple(weight.shape) != (1, 1, inner, out_channels) or weight.layout is not TILE_LAYOUT:
        check(tuple(weight.shape) == (out_channels, in_channels // groups, *windows.kernel),
              f"conv2d: weights of shape {list(weight.shape)} for {out_channels} x "
              f"{in_channels // groups} channels and a kernel of {list(windows.kernel)}")
        weight = prepare_conv_weights(weight_tensor=weight, groups=groups, device=device,
                                      conv_config=conv_config)
    elif weight.device() is None:
        weight = to_device(weight, device)
    if bias is not None and (bias.device() is None or bias.layout is not TILE_LAYOUT):
        bias = prepare_conv_bias(bias_tensor=bias, device=device)
    activation = getattr(conv_config, "activation", None)
    activation = activation or None
    steps = activation_steps(activation)
    fidelity = fidelity_of(compute_config, MathFidelity.HiFi4)
    out = Tensor.make((1, 1, windows.rows(), out_channels), dtype or
                      (x.dtype if x.dtype in FLOATS else bfloat16), TILE_LAYOUT, None, device,
                      memory_config or DRAM_MEMORY_CONFIG)
    how = _library.Product(step_count=len(steps))
    how.steps[:len(steps)] = steps
    rows = windows.gather(x, False, 0)
    shaped = [rows, weight] + ([(bias, (1, 1, 1, out_channels))] if bias is not None else [])
    run("product", "Conv2dDeviceOperation", shaped, [out], how, {
        "output_channels": out_channels, "groups": groups, "has_bias": bias is not None,
        "activation": activation_text(activation),
        "compute_kernel_config": f"math_fidelity={fidelity.text}"}, fidelity)
    rows.deallocate()
    result = [out]
    if return_output_dim:
        result.append((windows.out_height, windows.out_width))
    if return_weights_and_bias:
        result.append((weight, bias))
    return tuple(result) if len(result) > 1 else out


def _pool(name: str, kind: int, fill: float, x: Tensor, windows: _Windows, scale: float,
          memory_config: Any) -> Tensor:
    rows = windows.gather(x, True, fill)
    out = Tensor.make((1, 1, windows.rows(), windows.channels), x.dtype, TILE_LAYOUT, None,
                      x.device(), memory_config or DRAM_MEMORY_CONFIG)
    run("reduce", "Pool2D", [rows], [out], _library.Reduce(kind, 1, scale),
        {"pool_type": name, "kernel": list(windows.kernel), "stride": list(windows.stride),
         "output_dtype": out.dtype})
    rows.deallocate()
    return out


def max_pool2d(input_tensor: Tensor, batch_size: int, input_h: int, input_w: int, channels: int,
               kernel_size: Any, stride: Any, padding: Any, dilation: Any = (1, 1),
               ceil_mode: bool = False, *, memory_config: Any = None,
               applied_shard_scheme: Any = None, in_place_halo: bool = False,
               deallocate_input: bool = False, reallocate_halo_output: bool = True,
               dtype: Any = None, output_layout: Any = None) -> Tensor:
    """The greatest value of each window."""
    on_one_device("max_pool2d", [input_tensor])
    windows = _Windows("max_pool2d", input_tensor, (batch_size, input_h, input_w, channels),
                       kernel_size, stride, padding, dilation, ceil_mode)
    return _pool("Pool2DType::MAX_POOL2D", 1, _LOWEST, input_tensor, windows, 1.0, memory_config)


def avg_pool2d(input_tensor: Tensor, batch_size: int, input_h: int, input_w: int, channels: int,
               kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None, *,
               memory_config: Any = None, applied_shard_scheme: Any = None,
               deallocate_input: bool = False, reallocate_halo_output: bool = True,
               dtype: Any = None, output_layout: Any = None) -> Tensor:
    """The mean of each window, its padding included."""
    on_one_device("avg_pool2d", [input_tensor])
    windows = _Windows("avg_pool2d", input_tensor, (batch_size, input_h, input_w, channels),
                       kernel_size, stride, padding, (1, 1), ceil_mode)
    check(count_include_pad or not any(windows.padding),
          "avg_pool2d: means without padding are not implemented")
    return _pool("Pool2DType::AVG_POOL2D", 0, 0.0, input_tensor, windows,
                 1 / (divisor_override or math.prod(windows.kernel)), memory_config)


def global_avg_pool2d(input_tensor: Tensor, *, memory_config: Any = None, dtype: Any = None) -> Tensor:
    """[n, h, w, c] to [n, 1, 1, c]: the mean of all pixels."""
    n, h, w, c = input_tensor.shape
    rows = _move.reshape(input_tensor, (n, 1, h * w, c))
    out = _rows.mean(rows, 2, True, memory_config=memory_config)
    return out if dtype is None or dtype is out.dtype else typecast(out, dtype)


def get_conv_output_dim(input: int, window: int, stride: int = 1, pad: int = 0, dilation: int = 1) -> int:
    """Of a convolution's size along one dimension."""
    return (input + 2 * pad - dilation * (window - 1) - 1) // stride + 1
