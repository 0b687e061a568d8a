# SPDX-License-Identifier: Apache-2.0
"""Types that scripts take from a newer torch than Debian's: without them whole files fail at import."""
try:
    import torch
except ImportError:
    pass
else:
    for _name, _type in (("uint16", torch.int16), ("uint32", torch.int64), ("uint64", torch.int64)):
        if not hasattr(torch, _name):
            setattr(torch, _name, _type)
    for _name in ("float8_e4m3fn", "float8_e5m2"):  # no tensor has these types
        if not hasattr(torch, _name):
            setattr(torch, _name, _name)
    if not hasattr(torch, "unravel_index"):
        def _unravel_index(indices, shape):
            parts = []
            for n in reversed(tuple(shape)):
                parts.append(indices % n)
                indices = torch.div(indices, n, rounding_mode="floor")
            return tuple(reversed(parts))
        torch.unravel_index = _unravel_index

    _squeeze = torch.squeeze

    def _squeeze_several(tensor, dim=None):
        if dim is None or isinstance(dim, int):
            return _squeeze(tensor) if dim is None else _squeeze(tensor, dim)
        for d in sorted({d % max(tensor.dim(), 1) for d in dim}, reverse=True):
            tensor = _squeeze(tensor, d)
        return tensor
    torch.squeeze = _squeeze_several
