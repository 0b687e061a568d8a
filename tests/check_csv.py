#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a table of zones back with Python's csv module: hostile names are what mktrace wrote."""
import csv
import sys

HOSTILE = [
    "comma, semicolon; tab\tend",
    "\"double\" and 'single' quotes",
    "two\nlines",
    "carriage\r\nreturn",
    "<script>alert(1)</script> &amp;",
    "=1+2 formula",
    "back\\slash",
    b"invalid \xff\xfe utf-8 \xc3",
    b"overlong \xc0\xaf and surrogate \xed\xa0\x80",
    "control \x01\x1b[31mred\x7f",
    "日本語 🚀",
    "%s%n{}$(x)`x`",
    " leading and trailing ",
    "x" * 10240,
]


def text(name):
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name


def main():
    with open(sys.argv[1], newline="", encoding="utf-8", errors="surrogateescape") as file:
        rows = list(csv.DictReader(file, strict=True))
    names = [row["name"] for row in rows if row["thread"] == "hostile names"]
    assert names == [text(name) for name in HOSTILE], names
    assert all(None not in row and None not in row.values() for row in rows), "rows of unequal length"
    assert all(int(row["start_ns"]) >= 0 and int(row["self_ns"]) <= int(row["duration_ns"]) for row in rows)
    texts = [row["text"] for row in rows if row["text"]]
    assert texts == ['first line\nsecond, "quoted"'] * 3, texts


main()
