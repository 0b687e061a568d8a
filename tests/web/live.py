# SPDX-License-Identifier: Apache-2.0
"""Runs until the file of its first argument exists: zones all the time, a plot, now and then a signpost."""
import os
import sys
import time

from tracy import message, plot, signpost, zone

n = 0
while not os.path.exists(sys.argv[1]):
    if n % 100 == 0:
        signpost(f"round {n // 100}")
        message(f"round {n // 100} begins")
    with zone("tick"):
        with zone("work"):
            time.sleep(0.004)
    plot("n", n % 50)
    time.sleep(0.001)
    n += 1
