# SPDX-License-Identifier: Apache-2.0
"""For the tests of tacho view: a server, requests, a WebSocket. Python's own library only."""
import atexit
import base64
import http.client
import json
import os
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time

TACHO = os.environ["BUILD"] + "/tacho"
PATIENCE = float(os.environ["PATIENCE"])  # tests/lib.sh


def free_port():
    """A port that is free, as is the next one, below the system's ephemeral ports."""
    while True:
        port = random.randrange(10000, 32000)
        try:
            with socket.socket() as a, socket.socket() as b:
                a.bind(("", port))
                b.bind(("", port + 1))
            return port
        except OSError:
            pass


def until(what, get, right=bool, seconds=PATIENCE):
    """Asks until the answer is right."""
    end = time.monotonic() + seconds
    while True:
        answer = get()
        if right(answer):
            return answer
        assert time.monotonic() < end, f"{what}: still {answer}"
        time.sleep(0.02)


class Server:
    """tacho view ARGUMENTS on any free port."""

    def __init__(self, *arguments, command=None, port="0", env=None):
        command = command or [TACHO, "view", "--port", port, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, env=env)
        atexit.register(self.process.kill)  # of a test that failed
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            found = re.search(r"http://([^/]+):(\d+)/\?token=([0-9a-f]{32})$", line.rstrip())
            if found:
                break
        else:
            raise AssertionError("no URL: " + "".join(self.said))
        self.address = found[1].strip("[]")
        self.port = int(found[2])
        self.token = found[3]

    def request(self, target, method="GET", headers=None, token=True):
        c = http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE)
        head = {"Authorization": "Bearer " + self.token} if token else {}
        head.update(headers or {})
        c.request(method, target, headers=head)
        r = c.getresponse()
        body = r.read()
        c.close()
        return r, body

    def raw(self, data, end=False):
        """Sends bytes as they are; what came back until the end of the connection, which the server brings about."""
        s = self.connect()
        got = b""
        try:
            s.sendall(data)
            if end:
                s.shutdown(socket.SHUT_WR)
            while True:
                more = s.recv(65536)
                if not more:
                    break
                got += more
        except (TimeoutError, ConnectionError, BrokenPipeError):
            pass
        s.close()
        return got

    def connect(self):
        return socket.create_connection((self.address, self.port), timeout=PATIENCE)

    def get(self, target, status=200):
        r, body = self.request(target)
        assert r.status == status, f"{target}: {r.status}, not {status}: {body[:300]}"
        return json.loads(body) if r.headers["Content-Type"].startswith("application/json") else body

    def call(self, name, trace=0, status=200):
        return self.get(f"/api/v1/t/{trace}/{name}", status)

    def alive(self):
        return self.process.poll() is None

    def reads(self, text):
        """Waits for a line with this text."""
        for line in self.process.stdout:
            self.said.append(line)
            if text in line:
                return line
        raise AssertionError(f"no line with '{text}': " + "".join(self.said))

    def end(self, number=signal.SIGINT):
        """Ends it; its exit status and the rest of what it said."""
        self.process.send_signal(number)
        rest = self.process.communicate(timeout=PATIENCE)[0]
        return self.process.returncode, "".join(self.said) + rest

    def memory_kb(self):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])


def handshake(server, **changes):
    head = {"Host": f"{server.address}:{server.port}", "Upgrade": "websocket",
            "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Origin": f"http://{server.address}:{server.port}",
            "Cookie": f"a=b; tacho-{server.port}={server.token}"}
    head.update(changes)
    lines = "".join(f"{k}: {v}\r\n" for k, v in head.items() if v is not None)
    return f"GET /ws HTTP/1.1\r\n{lines}\r\n".encode()


class WebSocket:
    def __init__(self, server, **changes):
        self.s = server.connect()
        self.s.sendall(handshake(server, **changes))
        self.got = b""
        while b"\r\n\r\n" not in self.got:
            more = self.s.recv(4096)
            if not more:
                break
            self.got += more
        self.head, _, self.got = self.got.partition(b"\r\n\r\n")
        self.status = int(self.head.split()[1]) if self.head else 0

    def frame(self, opcode, data=b"", masked=True, final=True):
        n = len(data)
        size = bytes([n]) if n < 126 else b"\x7e" + struct.pack(">H", n) if n < 65536 else b"\x7f" + struct.pack(">Q", n)
        head = bytes([(0x80 if final else 0) | opcode, size[0] | (0x80 if masked else 0)]) + size[1:]
        key = os.urandom(4) if masked else b""
        if masked:
            data = bytes(b ^ key[i % 4] for i, b in enumerate(data))
        self.s.sendall(head + key + data)

    def next(self, seconds):
        """(opcode, payload), or None after so many seconds; ConnectionError at the end."""
        end = time.monotonic() + seconds
        while True:
            if len(self.got) >= 2:
                n, at = self.got[1] & 127, 2
                if n == 126 and len(self.got) >= 4:
                    n, at = struct.unpack(">H", self.got[2:4])[0], 4
                if len(self.got) >= at + n:
                    frame = self.got[0] & 15, self.got[at:at + n]
                    self.got = self.got[at + n:]
                    return frame
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.s], [], [], left)[0]:
                return None
            more = self.s.recv(65536)
            if not more:
                raise ConnectionError
            self.got += more

    def told(self, seconds):
        """The next JSON message."""
        while True:
            f = self.next(seconds)
            if f is None or f[0] == 1:
                return json.loads(f[1]) if f else None


def tiles(body):
    """{lane: None or (busy, names, rects)} of an answer to /tiles."""
    magic, gen, count = struct.unpack_from("<III", body)
    assert magic == 0x314C5454, magic
    lanes, at = {}, 12
    for _ in range(count):
        lane, n = struct.unpack_from("<II", body, at)
        at += 8
        if n == 0xFFFFFFFF:
            lanes[lane] = None
            continue
        busy = body[at:at + 512]
        names = struct.unpack_from("<512H", body, at + 512)
        at += 1536
        rects = [struct.unpack_from("<HHIII", body, at + 16 * i) for i in range(n)]
        at += 16 * n
        lanes[lane] = busy, names, rects
    assert at == len(body), (at, len(body))
    return gen, lanes


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit("a module")
