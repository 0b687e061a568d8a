#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""on_terminal.py COLUMNS COMMAND...: runs it on a terminal of that width and prints what it prints. The file HELD of
the environment is removed when something has come."""
import fcntl
import os
import pty
import struct
import sys
import termios


def main():
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0))
        os.environ.setdefault("TACHO_PAGER", "cat")
        os.execvp(sys.argv[2], sys.argv[2:])
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        if os.path.exists(os.environ.get("HELD", "")):
            os.unlink(os.environ["HELD"])
        sys.stdout.buffer.write(data.replace(b"\r\n", b"\n"))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


sys.exit(main())
