# SPDX-License-Identifier: Apache-2.0
"""The second process of ``python -m tracy``, below ``tacho run``: it becomes the program.

It loads little: what is loaded already the program does not load, and is not seen to.
"""
from __future__ import annotations

import sys

_before = frozenset(sys.modules)
# Files in the current folder may have the names of modules that we need; they are the program's.
_folder = sys.path.pop(0) if not getattr(sys.flags, "safe_path", False) else None

from tracy import _program, _session

if _folder is not None:
    sys.path.insert(0, _folder)
_program.STARTED_WITH = _before


if __name__ == "__main__":
    _words, _follow, _kind, *_rest = sys.argv[1:]
    _program.become(_session.Settings.from_words(_words), _follow == "follow", _kind, _rest)
