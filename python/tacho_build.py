# SPDX-License-Identifier: Apache-2.0
"""The PEP 517 build backend, called by "pip install ." and "make wheel".

It builds with CMake and imports nothing but the standard library, so pip need not fetch anything.

The wheel is for the interpreter that runs this. It needs nothing but glibc where it is installed:
next to the packages tracy and ttnn it has an install tree of Tacho, tracy/_tacho, whose lib folder
also has the shared libraries of this machine that the program tacho links. In bin there are small
scripts that run the program, because a wheel has no symbolic links.
"""
from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
TREE = "tracy/_tacho"

# pip replaces the first line with the interpreter. The package is located, not imported: an import
# would take longer than everything else.
SCRIPT = b"""#!python
import importlib.util, os, sys
package = os.path.dirname(importlib.util.find_spec("tracy").origin)
program = os.path.join(package, "_tacho", "bin", "tacho")
os.execv(program, [os.path.basename(sys.argv[0]), *sys.argv[1:]])
"""

# Parts of glibc, of the kernel and of gcc's run time: every system that can run the wheel has them.
SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|resolv|util|gcc_s|stdc\+\+)|ld-linux[\w-]*|linux-vdso)"
                    r"\.so\b")


def _version() -> str:
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        found = re.search(r"project\(tacho VERSION ([0-9.]+)", file.read())
    assert found
    return found.group(1)


def _run(*command: str) -> None:
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True, cwd=ROOT)


def _output(*command: str) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          env=environment).stdout


def _build() -> str:
    """The build folder: the usual one when it is for this interpreter too, else one of our own.

    TACHO_BUILD names one that is built already, and which tests may be running from.
    """
    usual = os.environ.get("TACHO_BUILD") or os.path.join(ROOT, "build")
    if not os.path.exists(os.path.join(usual, "CMakeCache.txt")):
        _run("cmake", "--preset", "release")
    if not os.environ.get("TACHO_BUILD"):
        _run("cmake", "--build", usual)
    if os.path.exists(os.path.join(usual, "python", "tracy", "_tracy" + SUFFIX)):
        return usual
    own = os.path.join(ROOT, "build-pip")
    _run("cmake", "-S", ROOT, "-B", own, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
         "-DBUILD_TESTING=OFF", "-DTACHO_WERROR=OFF", f"-DTACHO_INTERPRETERS={sys.executable}")
    _run("cmake", "--build", own)
    if not os.path.exists(os.path.join(own, "python", "tracy", "_tracy" + SUFFIX)):
        raise SystemExit(f"tacho: no extension for {sys.executable}: are its headers installed?")
    return own


def _is_elf(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _platform(files: list[str]) -> str:
    """The platform tag: manylinux with the oldest glibc that has what FILES need."""
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    needed = [tuple(map(int, found.split("."))) for path in files
              for found in re.findall(r"Name: GLIBC_([0-9.]+)", _output("readelf", "-VW", path))]
    if not needed:  # another C library
        return machine
    newest = max(needed)
    return machine.replace("linux_", f"manylinux_{newest[0]}_{newest[1]}_", 1)


def _libraries(program: str) -> dict[str, str]:
    """Name and path of every shared library that PROGRAM needs and a minimal system may lack."""
    found = re.findall(r"^\s*(\S+) => (/\S+)", _output("ldd", program), re.MULTILINE)
    return {name: path for name, path in found if not SYSTEM.match(name)}


def _debian_package(path: str) -> str | None:
    """The package of a library. dpkg may list it by its path without /usr."""
    for name in (path, os.path.realpath(path), "/usr" + path):
        try:
            return _output("dpkg-query", "-S", name).split(":")[0]
        except (OSError, subprocess.CalledProcessError):
            continue
    return None


class _Wheel:
    """A zip file with a list of its contents."""

    def __init__(self, folder: str, build: str, platform: str) -> None:
        version = _version()
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        self.build = build
        self.tag = f"{python}-{python}-{platform}"
        self.name = f"tacho-{version}-{self.tag}.whl"
        self.info, self.data = f"tacho-{version}.dist-info", f"tacho-{version}.data"
        self.zip = zipfile.ZipFile(os.path.join(folder, self.name), "w", zipfile.ZIP_DEFLATED)
        self.record: list[str] = []

    def add(self, name: str, content: bytes, mode: int = 0o644) -> None:
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def add_file(self, name: str, path: str) -> None:
        with open(path, "rb") as file:
            self.add(name, file.read(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def add_folder(self, name: str, path: str) -> None:
        for folder, _, files in sorted(os.walk(path)):
            for file in sorted(files):
                if re.search(r"\.cpython-.*\.so$", file) and not file.endswith(SUFFIX):
                    continue  # of another interpreter
                inside = os.path.relpath(os.path.join(folder, file), path)
                self.add_file(f"{name}{inside}", os.path.join(folder, file))

    def add_libraries(self, libraries: dict[str, str]) -> None:
        """Adds the libraries, and the licences that their Debian packages state."""
        sources = []
        for name, path in sorted(libraries.items()):
            self.add_file(f"{TREE}/lib/{name}", path)
            package = _debian_package(path)
            if not package:
                sources.append(f"{name}: {path}")
                continue
            version = _output("dpkg-query", "-W", "-f", "${Version}\n", package).split("\n")[0]
            sources.append(f"{name}: Debian package {package} {version}")
            licence = f"{self.info}/licenses/{package}.txt"
            notice = f"/usr/share/doc/{package}/copyright"
            if os.path.exists(notice) and licence not in self.zip.namelist():
                self.add_file(licence, notice)
        self.add(f"{self.info}/licenses/libraries.txt", "\n".join([*sources, ""]).encode())

    def close(self) -> str:
        self.add_folder(f"{self.info}/", os.path.join(self.build, self.info))
        self.add_file(f"{self.info}/licenses/LICENSE", os.path.join(ROOT, "LICENSE"))
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tacho\n"
                 f"Root-Is-Purelib: false\nTag: {self.tag}\n".encode())
        name = f"{self.info}/RECORD"
        self.zip.writestr(name, "\n".join([*self.record, f"{name},,", ""]))
        self.zip.close()
        return self.name


def build_wheel(wheel_directory: str, config_settings: object = None,
                metadata_directory: object = None) -> str:
    """Writes the wheel to that folder; returns its name."""
    build = _build()
    with tempfile.TemporaryDirectory() as stage:
        _run("cmake", "--install", build, "--prefix", stage, "--strip")
        [library] = [folder for folder, _, files in os.walk(os.path.join(stage, "lib"))
                     if "libtacho.so.0" in files]
        packages = os.path.join(library, "tacho", "python")
        program = os.path.join(stage, "bin", "tacho")
        ours = {name: os.path.join(library, name)
                for name in ("libtacho.so.0", "libtacho_device.so.0")}
        others = _libraries(program)
        binaries = [os.path.join(folder, file) for folder, _, files in os.walk(packages)
                    for file in files]
        binaries = [path for path in binaries if _is_elf(path)]
        wheel = _Wheel(wheel_directory, build,
                       _platform([program, *ours.values(), *others.values(), *binaries]))
        for package in ("tracy/", "ttnn/"):
            wheel.add_folder(package, os.path.join(packages, package))
        wheel.add_file(f"{TREE}/bin/tacho", program)
        for name, path in ours.items():
            wheel.add_file(f"{TREE}/lib/{name}", path)
        wheel.add_libraries(others)
        wheel.add_folder(f"{TREE}/share/tacho/", os.path.join(stage, "share", "tacho"))
        for name in sorted(os.listdir(os.path.join(stage, "bin"))):
            wheel.add(f"{wheel.data}/scripts/{name}", SCRIPT, 0o755)
    return wheel.close()


def build_editable(wheel_directory: str, config_settings: object = None,
                   metadata_directory: object = None) -> str:
    """For "pip install -e .": the packages stay in the build folder."""
    build = _build()
    wheel = _Wheel(wheel_directory, build, sysconfig.get_platform().replace("-", "_"))
    wheel.add("tacho.pth", (os.path.join(build, "python") + "\n").encode())
    return wheel.close()
