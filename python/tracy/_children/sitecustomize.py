# SPDX-License-Identifier: Apache-2.0
"""Starts recording in a child of a profiled Python process, then loads the real sitecustomize.

The folder of this file is in PYTHONPATH and nothing else is in it. The sitecustomize that would have
been found without it is imported in its place.
"""
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]
del sys.modules["sitecustomize"]
try:
    import sitecustomize  # noqa: F401
except ImportError as _error:
    if _error.name != "sitecustomize":
        raise
    # The import system looks the module up again after we return.
    sys.modules["sitecustomize"] = type(sys)("sitecustomize")

if os.environ.get("TACHO_SESSION") and "TACHO_PYTHON" in os.environ:
    _package = os.path.dirname(os.path.dirname(_here))
    sys.path.append(_package)
    try:
        from tracy import _session
        _session.begin()
    except ImportError:
        pass  # no extension for this interpreter: it runs as it always does
    finally:
        sys.path.remove(_package)
