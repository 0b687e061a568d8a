# SPDX-License-Identifier: Apache-2.0
# python -m tracy: children.
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_python test_children.py
