#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""``python tt_torch/tools/profile.py "command"``: tt_profile, by the name that guides to tt-torch give."""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# In a checkout, in an installed tree (share/tacho/tt_torch/tools), or anywhere.
PLACES = (os.path.join(HERE, "../../build/tt_profile"), os.path.join(HERE, "../../../../bin/tt_profile"))


def main():
    """Becomes tt_profile."""
    program = next(filter(os.path.exists, PLACES), None) or shutil.which("tt_profile")
    if not program:
        sys.exit("profile.py: tt_profile is not found: neither built here nor in the PATH")
    os.execv(program, ["tt_profile"] + sys.argv[1:])


if __name__ == "__main__":
    main()
