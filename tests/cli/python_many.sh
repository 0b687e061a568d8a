# SPDX-License-Identifier: Apache-2.0
# python -m tracy: 40,000 functions, a million calls.
# labels: long
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_python test_many.py
