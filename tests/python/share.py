# SPDX-License-Identifier: Apache-2.0
import time, sys
def work(t):
    end = time.process_time() + t
    x = 0
    while time.process_time() < end:
        for i in range(200):
            x += i * i
    return x
def seventy(): work(0.0035)
def thirty(): work(0.0015)
def gen():
    for i in range(3):
        yield work(0.001)
def main():
    a = b = 0
    if len(sys.argv) > 2:
        open(sys.argv[2], "w").close()  # it has started
    end = time.process_time() + float(sys.argv[1])
    while time.process_time() < end:
        t0 = time.process_time(); seventy()
        t1 = time.process_time(); thirty()
        t2 = time.process_time()
        a += t1 - t0; b += t2 - t1
        sorted([3, 1, 2], key=lambda v: sum(range(200)))
        sum(gen())
    print("seventy", int(a * 1e9)); print("thirty", int(b * 1e9))
main()
