#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/kernels.md against the kernel API: check_kernel_api.py [--write] SOURCE FORWARD.

The compiler preprocesses the headers for a data mover and for a TRISC; each function that they define
belongs to a header of firmware/include/kernel. The document lists the names by header, between two
comments, and must have all of them and no others. --write puts them there."""
import re
import subprocess
import sys
import textwrap

BEGIN, END = "<!-- names: begin -->", "<!-- names: end -->"
DEFINES = ["-DTACHO_MAILBOX=16", "-DTACHO_NIU_STRIDE=1024", "-DTACHO_PACKET=8192", "-DTACHO_DRAM_BANKS=12",
           "-DTACHO_L1_BANKS=64", "-DDRAM_ALIGNMENT=32u", "-DARCH_WORMHOLE", "-DPROFILE_KERNEL=0"]
TITLES = {"args.h": "Arguments", "types.h": "Circular buffers' tiles, coordinates",
          "addrgen.h": "Interleaved buffers", "accessor.h": "Tensors", "dataflow.h": "Data movement",
          "local.h": "Objects over L1", "objects.h": "Objects of the NoC", "numeric.h": "Numbers",
          "compute.h": "Compute: the matrix unit", "reduce.h": "Compute: reductions",
          "rows.h": "Compute: rows and tiles", "sfpu.h": "Compute: the vector unit"}
WORDS = {"if", "while", "for", "switch", "return", "sizeof", "alignof", "decltype", "static_assert", "requires",
         "asm", "__asm__", "constexpr", "operator", "noexcept", "defined", "__attribute__", "alignas", "explicit"}


def preprocessed(source, forward, risc):
    headers = ["kernel/prelude.h", "kernel/numeric.h"] + (["kernel/reduce.h"] if risc == 3 else [])
    text = "".join(f'#include "{h}"\n' for h in headers)
    command = ["riscv64-unknown-elf-gcc", "-E", "-ffreestanding", "-march=rv32im", "-mabi=ilp32", "-std=gnu++20",
               f"-I{source}/firmware/include", f"-I{source}/include", f"-I{forward}", "-isystem",
               f"{source}/firmware/std", *DEFINES, f"-DTACHO_RISC={risc}", "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def names_in(text):
    """Functions at namespace level, and classes, by the header that has them."""
    found, header, depth, classes = {}, None, 0, []
    code = ""
    for line in text.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            inside = re.search(r"/firmware/include/kernel/(\w+\.h)$", mark.group(1))
            header = inside.group(1) if inside else None
            continue
        if header in TITLES:
            found.setdefault(header, []).append(line)
    names = {}
    for header, lines in found.items():
        code = " ".join(lines)
        code = re.sub(r'"(\\.|[^"\\])*"', '""', code)
        # what is inside the internal namespaces is nobody's business
        code = drop_blocks(code, r"namespace (?:tacho|tacho_impl|interleaved_addr_gen)\s*\{")
        functions = re.findall(r"(?:inline|constexpr)[^;{}()=]*?\b([a-zA-Z_]\w*)\s*\(", drop_attributes(code))
        classes = re.findall(r"\b(?:struct|class)\s+([A-Z]\w*)", re.sub(r"template\s*<[^{}()]*?>", "", code))
        names[header] = {n for n in functions + classes if n not in WORDS and not n.startswith(("tacho", "TACHO", "llk_")) and
                         not n.endswith(("_tile_init", "_init_pack", "_tile_pack", "_crta", "_t"))}
    return names


def drop_attributes(code):
    return re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", code)


def drop_blocks(code, pattern):
    while True:
        start = re.search(pattern, code)
        if not start:
            return code
        depth, at = 1, start.end()
        while depth and at < len(code):
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            at += 1
        code = code[:start.start()] + code[at:]


def table(source, forward):
    names = {}
    for risc in (0, 3):
        for header, found in names_in(preprocessed(source, forward, risc)).items():
            names.setdefault(header, set()).update(found)
    out = []
    for header, title in TITLES.items():
        listed = ", ".join(f"`{n}`" for n in sorted(names.get(header, ()), key=str.lower))
        out.append(textwrap.fill(f"**{title}** (`kernel/{header}`): {listed}.", 118) + "\n")
    return "\n".join(out)


def main():
    write = "--write" in sys.argv
    source, forward = [a for a in sys.argv[1:] if a != "--write"]
    path = f"{source}/docs/kernels.md"
    with open(path, encoding="utf-8") as f:
        text = f.read()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    new = "\n" + table(source, forward)
    if write:
        with open(path, "w", encoding="utf-8") as f:
            f.write(before + BEGIN + new + END + after)
        return 0
    if old != new:
        was, now = (set(re.findall(r"`(\w+)`", t)) for t in (old, new))
        print(f"{path}: not in the headers: {sorted(was - now)}; not in the document: {sorted(now - was)}")
        print("run tests/check_kernel_api.py --write SOURCE FORWARD")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
