# SPDX-License-Identifier: Apache-2.0
"""Parameters of torch modules as tensors: what ops take, by the names of the modules."""
from __future__ import annotations

import importlib
from typing import Any, Callable, Iterable

from ttnn._tensor import Tensor, from_torch, to_device
from ttnn._types import ROW_MAJOR_LAYOUT, TILE_LAYOUT, bfloat16, uint32


class ParameterList(list):
    """Parameters by number."""

    def __repr__(self) -> str:
        return _text(enumerate(self))


class ParameterDict(dict):
    """Parameters by name, as attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]

    def __repr__(self) -> str:
        return _text(self.items())


def _text(items: Iterable[tuple[Any, Any]], indent: str = "") -> str:
    lines = []
    for name, value in items:
        if isinstance(value, (ParameterDict, ParameterList)):
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            lines.append(f"{indent}{name}:\n{_text(inner, indent + '  ')}")
        else:
            lines.append(f"{indent}{name}: {getattr(value, 'shape', value)}")
    return "\n".join(lines)


def make_parameter_dict(values: dict[str, Any]) -> ParameterDict:
    return ParameterDict({name: make_parameter_dict(v) if type(v) is dict else v
                          for name, v in values.items()})


def preprocess_linear_weight(weight: Any, *, dtype: Any = bfloat16,
                             layout: Any = TILE_LAYOUT) -> Tensor:
    return from_torch(weight.T.contiguous(), dtype, layout=layout)


def preprocess_linear_bias(bias: Any, *, dtype: Any = bfloat16, layout: Any = TILE_LAYOUT) -> Tensor:
    return from_torch(bias.reshape(1, -1), dtype, layout=layout)


preprocess_layernorm_parameter = preprocess_linear_bias


def preprocess_embedding_weight(weight: Any, *, dtype: Any = bfloat16,
                                layout: Any = ROW_MAJOR_LAYOUT) -> Tensor:
    return from_torch(weight, dtype, layout=layout)


def preprocess_conv2d(weight: Any, bias: Any, ttnn_module_args: Any = None) -> ParameterDict:
    out = ParameterDict(weight=from_torch(weight))
    if bias is not None:
        out.bias = from_torch(bias.reshape(1, 1, 1, -1))
    return out


def fold_batch_norm2d_into_conv2d(conv: Any, bn: Any) -> tuple[Any, Any]:
    """Weight and bias of a convolution that does both."""
    if not bn.track_running_stats:
        raise RuntimeError("BatchNorm2d must have track_running_stats=True to be folded")
    torch = importlib.import_module("torch")
    factor = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = conv.bias if conv.bias is not None else 0
    return (conv.weight * factor[:, None, None, None],
            bn.bias + factor * (bias - bn.running_mean))


def _linear(model: Any) -> ParameterDict:
    out = ParameterDict(weight=preprocess_linear_weight(model.weight))
    if model.bias is not None:
        out.bias = preprocess_linear_bias(model.bias)
    return out


def _norm(model: Any) -> ParameterDict:
    out = ParameterDict()
    for name in ("weight", "bias"):
        value = getattr(model, name, None)
        if value is not None:
            out[name] = preprocess_layernorm_parameter(value)
    return out


def default_preprocessor(model: Any, name: str = "", ttnn_module_args: Any = None) -> ParameterDict:
    """Parameters of a module of torch.nn that has ops of its own; empty for others."""
    nn = importlib.import_module("torch").nn
    if isinstance(model, nn.Linear):
        return _linear(model)
    if isinstance(model, nn.Embedding):
        return ParameterDict(weight=preprocess_embedding_weight(model.weight))
    if isinstance(model, (nn.LayerNorm, nn.GroupNorm)):
        return _norm(model)
    if isinstance(model, nn.Conv2d):
        return preprocess_conv2d(model.weight, model.bias)
    return ParameterDict()


def _plain(model: Any, convert: bool) -> Any:
    """Parameters of the module itself, not of its children."""
    out = ParameterDict()
    for name, parameter in model.named_parameters(recurse=False):
        out[name] = _tensor(parameter) if convert else parameter
    for name, buffer in model.named_buffers(recurse=False):
        if buffer is not None:
            out[name] = _tensor(buffer) if convert else buffer
    return out


def _tensor(value: Any) -> Tensor:
    name = str(value.dtype)
    if "int" in name:
        return from_torch(value, uint32)
    return from_torch(value, bfloat16, layout=TILE_LAYOUT if value.dim() >= 2 else None)


def _module(model: Any, convert_to_ttnn: Callable[[Any, str], bool],
            custom: Callable[..., Any] | None, name: str) -> Any:
    nn = importlib.import_module("torch").nn
    if isinstance(model, (nn.ModuleList, nn.Sequential)):
        return ParameterList(_module(child, convert_to_ttnn, custom, f"{name}.{i}" if name else str(i))
                             for i, child in enumerate(model.children()))
    if custom is not None:
        made = custom(model, name, None, convert_to_ttnn) \
            if custom.__code__.co_argcount >= 4 else custom(model, name)
        if made:
            return make_parameter_dict(made)
    convert = convert_to_ttnn(model, name)
    if convert:
        made = default_preprocessor(model, name)
        if made:
            return made
    out = _plain(model, convert)
    for child_name, child in model.named_children():
        inner = _module(child, convert_to_ttnn, custom, f"{name}.{child_name}" if name else child_name)
        if inner or isinstance(inner, ParameterList):
            out[child_name] = inner
    return out


def move_to_device(parameters: Any, device: Any) -> Any:
    """All tensors of a tree; the weights of convolutions are prepared when they are first used."""
    if isinstance(parameters, Tensor):
        return parameters if len(parameters.shape) == 4 and parameters.layout is ROW_MAJOR_LAYOUT \
            else to_device(parameters, device)
    if isinstance(parameters, ParameterDict):
        return ParameterDict({n: move_to_device(v, device) for n, v in parameters.items()})
    if isinstance(parameters, ParameterList):
        return ParameterList(move_to_device(v, device) for v in parameters)
    return parameters


def preprocess_model_parameters(*, initialize_model: Callable[[], Any] | None = None,
                                convert_to_ttnn: Callable[[Any, str], bool] | None = None,
                                custom_preprocessor: Callable[..., Any] | None = None,
                                device: Any = None, model_name: str | None = None,
                                prefix: str = "", run_model: Any = None,
                                reader_patterns_cache: Any = None) -> Any:
    """The parameters of a model; on DEVICE if it is given. A module for which CONVERT_TO_TTNN is
    false keeps those of torch."""
    if initialize_model is None:
        raise RuntimeError("preprocess_model_parameters needs initialize_model: models are not cached")
    model = initialize_model()
    if hasattr(model, "eval"):
        model = model.eval()
    if isinstance(model, dict):
        parameters: Any = make_parameter_dict(model)
    else:
        parameters = _module(model, convert_to_ttnn or (lambda *_: True), custom_preprocessor,
                             prefix)
    return parameters if device is None else move_to_device(parameters, device)


preprocess_model = preprocess_model_parameters
