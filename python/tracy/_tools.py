# SPDX-License-Identifier: Apache-2.0
"""Where the program tacho is."""
from __future__ import annotations

import os
import shutil


def find_tacho(folder: str | None = None) -> str | None:
    """Looks inside the package (a wheel), in the build tree, in an install tree, then in PATH."""
    package = os.path.dirname(os.path.abspath(__file__))
    places = [folder] if folder else []
    places += [os.path.join(package, *up) for up in
               (("_tacho", "bin"), ("..", ".."), ("..",) * 4 + ("bin",), ("..",) * 5 + ("bin",))]
    for place in places:
        tool = os.path.normpath(os.path.join(place, "tacho"))
        if os.access(tool, os.X_OK) and os.path.isfile(tool):
            return tool
    return shutil.which("tacho")
