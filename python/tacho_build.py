"""What pip calls for "pip install .": builds Tacho with CMake and packs it as a wheel (PEP 517).

It imports nothing but the standard library, so pip need not fetch anything. The wheel is for the
interpreter that runs this. It puts the program tacho into bin, the packages tracy and ttnn where
packages go, and libraries and firmware where the packages look for them: lib and share of the same
prefix.
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
WHAT = "Profiler for programs that drive accelerators: python -m tracy, and the program tacho"
ENTRY_POINTS = "[pytest11]\ntracy.pytest_plugin = tracy.pytest_plugin\n"


def _version() -> str:
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        found = re.search(r"project\(tacho VERSION ([0-9.]+)", file.read())
    assert found
    return found.group(1)


def _run(*command: str) -> None:
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True, cwd=ROOT)


def _build() -> str:
    """The build folder: the usual one when it is for this interpreter too, else one of our own."""
    usual = os.environ.get("TACHO_BUILD") or os.path.join(ROOT, "build")
    if not os.path.exists(os.path.join(usual, "CMakeCache.txt")):
        _run("cmake", "--preset", "release")
    _run("cmake", "--build", usual)
    if os.path.exists(os.path.join(usual, "python", "tracy", "_tracy" + SUFFIX)):
        return usual
    own = os.path.join(ROOT, "build-pip")
    _run("cmake", "-S", ROOT, "-B", own, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
         f"-DTACHO_INTERPRETERS={sys.executable}")
    _run("cmake", "--build", own)
    if not os.path.exists(os.path.join(own, "python", "tracy", "_tracy" + SUFFIX)):
        raise SystemExit(f"tacho: no extension for {sys.executable}: are its headers installed?")
    return own


def _metadata(version: str) -> str:
    return (f"Metadata-Version: 2.1\nName: tacho\nVersion: {version}\nSummary: {WHAT}\n"
            "Requires-Python: >=3.9\n")


class _Wheel:
    """A zip file with a list of what is in it."""

    def __init__(self, folder: str) -> None:
        self.version = _version()
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        self.tag = f"{python}-{python}-{machine}"
        self.name = f"tacho-{self.version}-{self.tag}.whl"
        self.info, self.data = f"tacho-{self.version}.dist-info", f"tacho-{self.version}.data"
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

    def close(self) -> str:
        self.add(f"{self.info}/METADATA", _metadata(self.version).encode())
        self.add(f"{self.info}/entry_points.txt", ENTRY_POINTS.encode())
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tacho\n"
                 f"Root-Is-Purelib: false\nTag: {self.tag}\n".encode())
        name = f"{self.info}/RECORD"
        self.zip.writestr(name, "\n".join([*self.record, f"{name},,", ""]))
        self.zip.close()
        return self.name


def build_wheel(wheel_directory: str, config_settings: object = None,
                metadata_directory: object = None) -> str:
    """The wheel's name; it is written to that folder."""
    build = _build()
    wheel = _Wheel(wheel_directory)
    with tempfile.TemporaryDirectory() as stage:
        _run("cmake", "--install", build, "--prefix", stage)
        [library] = [folder for folder, _, files in os.walk(os.path.join(stage, "lib"))
                     if "libtacho.so.0" in files]
        wheel.add_folder("", os.path.join(library, "tacho", "python"))
        wheel.add_file(f"{wheel.data}/scripts/tacho", os.path.join(stage, "bin", "tacho"))
        for name in ("libtacho.so.0", "libtacho_device.so.0"):
            wheel.add_file(f"{wheel.data}/data/lib/{name}", os.path.join(library, name))
        for folder in ("share/tacho/", "include/"):
            wheel.add_folder(f"{wheel.data}/data/{folder}", os.path.join(stage, folder))
    return wheel.close()


def build_editable(wheel_directory: str, config_settings: object = None,
                   metadata_directory: object = None) -> str:
    """For "pip install -e .": the packages stay in the build folder."""
    build = _build()
    wheel = _Wheel(wheel_directory)
    wheel.add("tacho.pth", (os.path.join(build, "python") + "\n").encode())
    return wheel.close()
