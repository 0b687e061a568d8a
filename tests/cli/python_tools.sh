# SPDX-License-Identifier: Apache-2.0
# python -m tracy: pytest and IPython.
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_python test_tools.py
