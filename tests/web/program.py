# SPDX-License-Identifier: Apache-2.0
"""What the browser looks at: functions, nested zones, signposts, plots, messages, and names that are markup."""
import json
import threading
import time

from tracy import Profiler, message, plot, set_thread_name, signpost, zone

MARKUP = "<img src=x onerror=alert(1)><b>bold</b>"


def leaf(n):
    return sum(range(n))


def branch(n):
    return [leaf(k) for k in range(n)]


def step(i):
    with zone("load"):
        branch(20)
    with zone(MARKUP):
        branch(10)
    plot("loss", 100.0 / (i + 1))


def save(i):
    return json.dumps({"step": i})


def library_caller():
    set_thread_name("library caller")
    with Profiler():
        for i in range(200):
            save(i)


def main():
    set_thread_name("python main")
    message("hello from python " + MARKUP)
    for epoch in range(3):
        signpost(f"epoch {epoch}", "ten steps")
        with Profiler():
            for i in range(10):
                step(epoch * 10 + i)
        time.sleep(0.002)
    signpost("done")
    caller = threading.Thread(target=library_caller)
    caller.start()
    caller.join()


main()
