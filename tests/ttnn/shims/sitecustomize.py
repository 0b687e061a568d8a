# SPDX-License-Identifier: Apache-2.0
"""Types that scripts take from a newer torch than Debian's: without them whole files fail at import."""
try:
    import torch
except ImportError:
    pass
else:
    for _name, _type in (("uint16", torch.int32), ("uint32", torch.int64), ("uint64", torch.int64)):
        if not hasattr(torch, _name):
            setattr(torch, _name, _type)
    for _name in ("float8_e4m3fn", "float8_e5m2"):  # no tensor has these types
        if not hasattr(torch, _name):
            setattr(torch, _name, _name)
