#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests that mean harm: none is answered with data, none is held on to, none ends the server."""
import os
import socket
import sys
import time

from view_client import Server, WebSocket, until

s = Server(sys.argv[1], "--source", "tree")
host = f"127.0.0.1:{s.port}"
auth = f"Authorization: Bearer {s.token}\r\n"
here = f"Host: {host}\r\n"
checks = 0


def status(data, **more):
    got = s.raw(data if isinstance(data, bytes) else data.encode("latin-1"), **more)
    return int(got.split(b" ", 2)[1]) if got.startswith(b"HTTP/1.") else 0


def expect(want, data, **more):
    """The status of an answer; 0: the connection was closed without one."""
    global checks
    checks += 1
    want = want if isinstance(want, tuple) else (want,)
    got = status(data, **more)
    assert got in want, f"{data[:200]!r}: {got}, not {want}"


def get(target, head=here + auth, version="HTTP/1.1", method="GET"):
    return f"{method} {target} {version}\r\n{head}Connection: close\r\n\r\n"


ok = get("/api/v1/traces")
expect(200, ok)

# The token.
expect(403, get("/api/v1/traces", here))
expect(403, get("/api/v1/traces", here + f"Authorization: Bearer {s.token}0\r\n"))
expect(403, get("/api/v1/traces", here + f"Authorization: Bearer {s.token[:-1]}\r\n"))
expect(403, get("/api/v1/traces", here + "Authorization: Bearer \r\n"))
expect(403, get("/api/v1/traces", here + f"Authorization: Basic {s.token}\r\n"))
expect(403, get("/api/v1/traces", here + f"Cookie: tacho-{s.port}=\r\n"))
expect(403, get("/api/v1/traces", here + f"Cookie: tacho-{s.port + 1}={s.token}\r\n"))
expect(403, get("/api/v1/traces", here + f"Cookie: xtacho-{s.port}={s.token}\r\n"))
expect(403, get("/api/v1/traces", here + f"Cookie: tacho-{s.port}={'0' * 32}\r\n"))
expect(403, get(f"/api/v1/traces?token={s.token}", here))
expect(200, get("/api/v1/traces", here + f"Cookie: a=b; tacho-{s.port}={s.token}; c\r\n"))
expect(403, get("/?token=", here))
expect(403, get("/?token=" + "0" * 32, here))
expect(303, get(f"/?token={s.token}", here))
r, _ = s.request(f"/?token={s.token}", token=False)
cookie = r.headers["Set-Cookie"]
assert r.headers["Location"] == "/" and "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie
assert cookie.startswith(f"tacho-{s.port}={s.token};")

# The host: only names that nobody can point here.
for name in ("evil.example", f"evil.example:{s.port}", "127.0.0.1.evil.example", "localhost.evil.example", "128.0.0.1",
             "[::2]", "[::1", "", "127.0.0.1:x", "127.0.0.1 evil", "0x7f000001", "2130706433", "localhost:80:90"):
    expect((400, 403), get("/api/v1/traces", f"Host: {name}\r\n" + auth))
expect((400, 403), get("/api/v1/traces", auth))
expect((400, 403), get("/api/v1/traces", auth, "HTTP/1.0"))
expect((400, 403), get("/", f"Host: evil.example\r\n"))
for name in ("localhost", "LOCALHOST:1234", "127.0.0.1", "127.9.9.9:5", "[::1]:8086"):
    expect(200, get("/api/v1/traces", f"Host: {name}\r\n" + auth))

# Other pages.
for origin in ("http://evil.example", "null", f"https://{host}", f"http://{host}.evil.example", f"http://{host}/",
               "http://127.0.0.1", ""):
    expect((403,) if origin else (200, 403), get("/api/v1/traces", here + auth + f"Origin: {origin}\r\n"))
expect(200, get("/api/v1/traces", here + auth + f"Origin: http://{host}\r\n"))
for site in ("cross-site", "same-site", "x"):
    expect(403, get("/api/v1/traces", here + auth + f"Sec-Fetch-Site: {site}\r\n"))
expect(200, get("/", here + "Sec-Fetch-Site: cross-site\r\n"))

# Methods and bodies.
for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE", "HEAD", "get", "GETT", "\x01"):
    expect((400, 405, 0), get("/api/v1/traces", method=method))
expect(405, f"POST /api/v1/traces HTTP/1.1\r\n{here}{auth}Content-Length: 1000000000\r\n\r\nxx")
expect((200, 400), f"GET /api/v1/traces HTTP/1.1\r\n{here}{auth}Content-Length: 5\r\n\r\nxx")
expect((200, 400), f"GET /api/v1/traces HTTP/1.1\r\n{here}{auth}Transfer-Encoding: chunked\r\n\r\nzz\r\n")
expect((200, 400, 0), f"GET /api/v1/traces HTTP/1.1\r\n{here}{auth}Content-Length: -1\r\n\r\n")

# No way into the file system.
for path in ("/../../etc/passwd", "/assets/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/%2e%2e%2fx",
             "/assets/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/etc/passwd", "/assets//etc/passwd", "/./index.html",
             "/assets/\\..\\x", "/index.html%00.js", "/%", "/%z1", "/%0", "file:///etc/passwd", "\\etc\\passwd",
             "/proc/self/environ", "/assets/", "/assets", "/api/v1/t/0/../../../x", "/api/v1/t/-1/meta",
             "/api/v1/t/0x0/meta", "/api/v1/t/00000000000000000000/meta/", "/api/v1/t/4294967296/meta", "*",
             "/api/v1/t/0/source?name=/etc/passwd", "/api/v1/t/0/source?name=0&file=/etc/passwd"):
    got = s.raw(get(path).encode("latin-1"))
    checks += 1
    assert b"root:" not in got and (b" 200 " not in got[:16] or b'"line 10"' in got), (path, got[:200])

# Targets and heads that are too much, or nothing.
expect((400, 414, 431, 0), get("/api/v1/traces?" + "a" * 20000))
expect((400, 413, 414, 431, 0), get("/api/v1/traces?" + "a" * 200000))
expect((400, 413, 431, 0), get("/api/v1/traces", here + auth + "X: " + "a" * 200000 + "\r\n"))
expect((200, 400, 413, 431, 0), get("/api/v1/traces", here + auth + "X: y\r\n" * 10000))
expect(400, get("/api/v1/traces?" + "&".join(f"k{i}=1" for i in range(100))))
expect(400, get("/api/v1/t/0/stats?limit=1&limit=2"))
expect(400, get("/api/v1/t/0/stats?q=%00"))
expect(400, get("/api/v1/t/0/stats?q=%f"))
expect(400, get("/api/v1/t/0/stats?=&=x"))
expect(200, get("/api/v1/t/0/stats?&&&=x&q"))
expect(400, get("/api/v1/t/0/tiles?lanes=" + ",".join(["0"] * 3000) + "&res=1&i=0"))
expect(400, get("/api/v1/t/0/tiles?lanes=0&res=0&i=9223372036854775807"))
expect(400, get("/api/v1/t/0/tiles?lanes=0&res=0&i=18446744073709551616"))
expect(400, get("/api/v1/t/0/tiles?lanes=0&res=-1&i=0"))
expect((200, 404), get("/api/v1/t/0/tiles?lanes=4294967295&res=0&i=0"))
expect((400, 404), get("/api/v1/t/0/hit?lane=0&t=9223372036854775807&res=50"))
expect(200, get("/api/v1/t/0/stats?t0=4611686018427387904&t1=4611686018427387999"))
expect(200, get("/api/v1/t/0/messages?offset=4294967295&limit=1000"))
expect((0, 400), "\r\n\r\n", end=True)
expect((0, 400), "GET\r\n\r\n", end=True)
expect((0, 400), "GET /\r\n\r\n", end=True)
expect((0, 400, 403, 505), "GET / HTTP/9.9\r\n\r\n", end=True)
expect((0, 400), os.urandom(4000), end=True)
expect((0, 400), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(300), end=True)
expect((400, 403, 200), f"GET /api/v1/traces HTTP/1.1\r\n{here} folded: x\r\n{auth}Connection: close\r\n\r\n")

# Nothing is reflected unescaped, and no answer can be taken for a page.
r, body = s.request("/api/v1/t/0/<script>", token=True)
assert b"<script>" not in body and r.headers["Content-Type"] == "application/json"
for target in ("/", "/api/v1/t/0/names", "/nothing"):
    r, body = s.request(target)
    assert r.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in r.headers["Content-Security-Policy"]
    assert "unsafe-eval" not in r.headers["Content-Security-Policy"]
    assert "script-src" not in r.headers["Content-Security-Policy"]
    assert r.headers["Access-Control-Allow-Origin"] is None
    assert r.headers["Referrer-Policy"] == "no-referrer"

# WebSockets: the same guard; frames that are too large, unmasked, cut or nonsense end them.
for changes, want in (({}, 101), ({"Cookie": None}, 403), ({"Origin": "http://evil.example"}, 403),
                      ({"Host": "evil.example"}, 403), ({"Sec-WebSocket-Key": "x"}, 400),
                      ({"Sec-WebSocket-Version": "8"}, 400), ({"Upgrade": "h2c"}, 400)):
    checks += 1
    w = WebSocket(s, **changes)
    assert w.status == want, (changes, w.head)
    w.s.close()


def ends(send):
    global checks
    checks += 1
    w = WebSocket(s)
    try:
        send(w)
        until("the WebSocket ends", lambda: w.next(1), lambda f: f and f[0] == 8)
    except ConnectionError:
        pass
    w.s.close()


ends(lambda w: w.frame(1, b"x" * 70000))
ends(lambda w: w.frame(1, b"{}", masked=False))
ends(lambda w: w.frame(3, b""))
ends(lambda w: w.s.sendall(b"\xff" * 500))
ends(lambda w: w.frame(9, b"x" * 200))
ends(lambda w: w.s.sendall(b"\x81\xff" + b"\xff" * 8 + b"abcd"))
w = WebSocket(s)
for text in (b"", b"{", b"[]", b'{"follow":1}', b'{"follow":true}', b'"' * 60000, b"null"):
    w.frame(1, text)
w.frame(9, b"still there")
while True:
    f = w.next(240)
    assert f, "no pong"
    if f[0] == 10:
        assert f[1] == b"still there"
        break
w.s.close()

# More WebSockets than there is room for are refused, not let in and closed: who is would come back at once.
crowd = [until("a WebSocket", lambda: WebSocket(s), lambda w: w.status == 101) for _ in range(16)]  # those from above go first
checks += 1
assert WebSocket(s).status == 503
crowd.pop().s.close()
until("room again", lambda: WebSocket(s).status, lambda status: status == 101)
for w in crowd:
    w.s.close()

# Half-open and slow clients: they are closed, and others are answered meanwhile.
idle = [s.connect() for _ in range(40)]
slow = [s.connect() for _ in range(15)]


def still_open(connections, say=b""):
    """Those that the server has not closed; each of them says a little."""
    left = []
    for c in connections:
        try:
            c.setblocking(False)
            if say:
                c.send(say)
            c.recv(100)
        except BlockingIOError:
            left.append(c)
        except OSError:
            pass
    return left


def others_are_answered():
    time.sleep(0.2)
    assert s.request("/api/v1/traces")[0].status == 200
    return len(still_open(idle)), len(still_open(slow, b"G"))


checks += 2
until("clients that say nothing, and little, are closed", others_are_answered, lambda left: left == (0, 0))
# More than there is room for: the quiet ones make way.
many = []
for _ in range(200):
    c = socket.socket()
    c.settimeout(0.2)
    try:
        c.connect((s.address, s.port))
        c.send(b"GET / HT")
        many.append(c)
    except OSError:
        break
checks += 1
assert s.request("/api/v1/traces")[0].status == 200, "a crowd keeps others out"
for c in many:
    c.close()
# One that does not read its answer.
deaf = s.connect()
deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
deaf.sendall((get("/api/v1/t/0/export?what=zones")).encode())
expect(200, ok)
deaf.close()

# Pings whose answers nobody reads: it is not they that pile up.
deaf = WebSocket(s)
try:
    for _ in range(500):  # 64 MB, more than sockets hold
        deaf.s.sendall((b"\x89\xfd" + b"\0" * 129) * 1000)
    raise AssertionError("pings are answered for ever")
except OSError:
    checks += 1
deaf.s.close()

before = s.memory_kb()
for _ in range(300):
    s.raw(get("/api/v1/t/0/tiles?lanes=0-9&res=10&i=0&" + "x" * 1000).encode())
assert os.environ.get("SANITIZE") or s.memory_kb() < before + 20000, (before, s.memory_kb())
assert s.alive()
code, rest = s.end()
assert code == 0, (code, rest)
assert checks >= 100, checks
print(checks, "hostile requests")
