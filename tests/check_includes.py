#!/usr/bin/env python3
"""Checks that the folders of src/ include only what the design allows, and who may use atomics."""
import pathlib
import re
import sys

# folder: the folders that it stands on; what those stand on is allowed too.
ARROWS = {
    "base": [],
    "clock": ["base"],
    "ring": ["base", "clock"],
    "client": ["ring"],
    "trace": ["base", "clock"],
    "tensix": ["base"],
    "device": ["client", "tensix"],
    "tracy": ["trace"],
    "capture": ["ring", "trace", "tracy"],
    "ops": ["trace"],
    "perf": ["trace"],
    "export": ["trace"],
    "web": ["ring", "tracy", "export", "ops", "perf"],
    "cmds": ["capture", "tracy", "device", "tensix", "ops", "perf", "export", "web"],
    "docs": ["cmds"],
}
PUBLIC = {"tacho", "tracy"}  # include/
ATOMICS_IN = {"ring", "client"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([a-z_]+)/([^">]+)[">]', re.M)
ATOMICS = re.compile(r"<stdatomic\.h>|<atomic>|\b_Atomic\b|\b__atomic_\w+|\b__sync_\w+|std::atomic")


def below(folder):
    allowed = {folder}
    for direct in ARROWS[folder]:
        allowed |= below(direct)
    return allowed


def complaints(source):
    for path in sorted(source.rglob("*")):
        if path.suffix not in {".c", ".h", ".cpp", ".hpp"} or path.parent == source:
            continue
        folder = path.relative_to(source).parts[0]
        if folder not in ARROWS:
            yield f"{path}: the folder '{folder}' is not in the design"
            continue
        text = path.read_text(errors="replace")
        for other, name in INCLUDE.findall(text):
            ours = (source / other / name).exists()
            if ours and other not in below(folder) and other not in PUBLIC:
                yield f"{path}: {folder} must not include {other}/{name}"
        if folder not in ATOMICS_IN and ATOMICS.search(text):
            yield f"{path}: only {' and '.join(sorted(ATOMICS_IN))} use atomics"


def main():
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
