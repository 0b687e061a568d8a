#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_includes.py SRC TABLE [ARCHITECTURE.md]: folders of SRC include only what TABLE (cmake/folders.txt) allows,
ARCHITECTURE.md has the same table, headers that call themselves private stay in their folder, and only some folders use
atomics."""
import pathlib
import re
import sys

PUBLIC = {"tacho", "tracy"}  # include/
ATOMICS_IN = {"ring", "client"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([a-z_]+)/([^">]+)[">]', re.M)
PRIVATE = re.compile(r"(?:/\* SPDX[^\n]*\n)?/\*[\s*]*(Private|Inside)\b")  # the first words of a header
ROW = re.compile(r"^\| `src/(\w+)` \|.*\| ([^|]+) \|$", re.M)
ATOMICS = re.compile(r"<stdatomic\.h>|<atomic>|\b_Atomic\b|\b__atomic_\w+|\b__sync_\w+|std::atomic")


def table_read(path):
    """folder: the folders that it may include; their own dependencies are allowed too."""
    lines = [line.partition("#")[0] for line in path.read_text().splitlines()]
    return {name.strip(): rest.split() for name, _, rest in (line.partition(":") for line in lines) if name.strip()}


def below(table, folder):
    return {folder}.union(*(below(table, direct) for direct in table[folder]))


def sources(source):
    return (p for p in sorted(source.rglob("*")) if p.suffix in {".c", ".h", ".cpp", ".hpp"} and p.parent != source)


def complaints(source, table):
    for path in sources(source):
        folder = path.relative_to(source).parts[0]
        if folder not in table:
            yield f"{path}: the folder '{folder}' is not in the table"
            continue
        text = path.read_text(errors="replace")
        for other, name in INCLUDE.findall(text):
            header = source / other / name
            if not header.exists() or other == folder:
                continue
            if other not in below(table, folder) and other not in PUBLIC:
                yield f"{path}: {folder} must not include {other}/{name}"
            if PRIVATE.match(header.read_text(errors="replace")):
                yield f"{path}: {other}/{name} is private to its folder"
        if folder not in ATOMICS_IN and ATOMICS.search(text):
            yield f"{path}: only {' and '.join(sorted(ATOMICS_IN))} use atomics"


def documented(document, table):
    """A row may say more in parentheses: "ring (`layout.h` alone)"."""
    rows = {name: re.sub(r"\(.*\)|nothing", "", rest).split() for name, rest in ROW.findall(document.read_text())}
    for name in sorted(table.keys() | rows.keys()):
        if table.get(name) != rows.get(name):
            yield f"{document}: the row of src/{name} says {rows.get(name)}, the table {table.get(name)}"


def main():
    table = table_read(pathlib.Path(sys.argv[2]))
    found = list(complaints(pathlib.Path(sys.argv[1]), table))
    for document in sys.argv[3:]:
        found += documented(pathlib.Path(document), table)
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
