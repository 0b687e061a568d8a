# SPDX-License-Identifier: Apache-2.0
"""The installed module, with deprecated(), which Debian's lacks."""
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
for _folder in sys.path:
    _file = os.path.join(_folder, "typing_extensions.py")
    if os.path.abspath(_folder) != _HERE and os.path.exists(_file):
        with open(_file, encoding="utf-8") as _source:
            exec(compile(_source.read(), _file, "exec"))  # so that its classes are of this module
        break

if "deprecated" not in globals():
    def deprecated(message, **_settings):
        return lambda thing: thing
