#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that speaks Tracy's protocol 66 a little, or badly: tracy_client.py PORT MODE [PID]; port 0 is any.
end: two zones and a good-bye; hang: the same without good-bye; die: closes in an open zone; garbage,
huge, bomb: nonsense after the welcome; silent: never answers; mismatch, busy: refuses; noise: no Tracy at all."""
import os
import signal
import socket
import struct
import sys
import time

port, mode = int(sys.argv[1]), sys.argv[2]
pid = int(sys.argv[3]) if len(sys.argv) > 3 else 77
T0 = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
THREAD_CONTEXT, ZONE_BEGIN_ALLOC, ZONE_END, TERMINATE, SINGLE, MESSAGE, PAYLOAD, THREAD_NAME = 59, 7, 17, 57, 96, 2, 102, 100


def frame(items):
    """One LZ4 block of literals only."""
    n = len(items)
    head = bytes([min(n, 15) << 4])
    if n >= 15:
        head += b"\xff" * ((n - 15) // 255) + bytes([(n - 15) % 255])
    return struct.pack("<I", len(head) + n) + head + items


def read(s, n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data


def zone(name, start, end):
    payload = struct.pack("<II", 0, 7) + b"function\0file.c\0" + name
    items = bytes([PAYLOAD]) + struct.pack("<QH", 0, len(payload)) + payload
    items += bytes([ZONE_BEGIN_ALLOC]) + struct.pack("<q", start)
    return items + (bytes([ZONE_END]) + struct.pack("<q", end) if end else b"")


address = os.environ.get("CLIENT_ADDRESS", "127.0.0.1")
listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind((address, port))
listener.listen(8)
# One write, also if Python does not buffer: who waits for the line reads the port.
print(f"listening {listener.getsockname()[1]}\n", end="", flush=True)
while True:
    s, _ = listener.accept()
    if mode == "silent":
        signal.pause()
    if mode == "noise":
        s.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 100)
        s.close()
        continue
    assert read(s, 8) == b"TracyPrf"
    version = struct.unpack("<I", read(s, 4))[0]
    if mode == "busy":
        s.sendall(b"\3")
    elif mode == "mismatch" or version != 66:
        s.sendall(b"\2")
    else:
        break
    s.close()
s.sendall(b"\1" + struct.pack("<dqqQQQQQqBB12sI64s1024s", 1.0, T0, T0 + 500, 9, 1, int(time.time()), 0, pid, 0, 0, 2, b"", 0, b"invented", b"OS: none\n"))
if mode == "garbage":
    s.sendall(os.urandom(100000))
elif mode == "huge":
    s.sendall(b"\xff\xff\xff\xff" + b"x" * 1000)
elif mode == "bomb":
    # A match of one byte that is repeated: 64 KiB and more out of little.
    s.sendall(struct.pack("<I", 4 + 2000) + b"\x1f\x00\x01\x00" + b"\xff" * 2000)
items = bytes([THREAD_CONTEXT]) + struct.pack("<I", pid + 1) + zone(b"one", T0 + 1000, 5000)
text = os.environ.get("TRACY_CLIENT_TEXT", "hello from %d" % pid).encode()
items += bytes([SINGLE]) + struct.pack("<H", len(text)) + text + bytes([MESSAGE]) + struct.pack("<q", T0 + 2000)
items += zone(b"two", 1000, None if mode == "die" else 3000)
try:
    s.sendall(frame(items))
    if mode == "die":
        read(s, 13)  # a question about what was sent: it has arrived
        os.kill(os.getpid(), 9)
    if mode == "end":
        s.sendall(frame(bytes([TERMINATE])))
    while True:
        query, pointer, _ = struct.unpack("<BQI", read(s, 13))
        if query == 0:
            print("good-bye", flush=True)
            break
        print("asked", flush=True)
        if query == 2:
            s.sendall(frame(bytes([THREAD_NAME]) + struct.pack("<QH", pointer, 6) + b"worker"))
except OSError:
    pass
