# SPDX-License-Identifier: Apache-2.0
"""Record what a Python program does and when.

    from tracy import Profiler, signpost, zone

    signpost("warm", "after 5 runs")      # a mark in the trace and in the ops report
    with zone("load"):                    # a span of time; also a decorator
        ...
    with Profiler():                      # every function that is called from here
        ...

Run the program by ``python -m tracy``, or in any way below ``tacho run``. While nothing is
recorded all of it does nothing, so the calls may stay in the program.
"""
# Every Python must be able to parse this file, to report that it is too old.
import sys

if sys.version_info < (3, 9):
    _why = "tracy: Python 3.9 or later is needed, this is %d.%d" % sys.version_info[:2]
    if sys.argv[:1] in (["-m"], ["-c"]):  # python -m tracy; in Python 2 it is "-c"
        sys.exit(_why)
    raise ImportError(_why)

from tracy._api import *  # noqa: E402, F401, F403
from tracy._api import __all__, load_ipython_extension  # noqa: E402, F401
